"""Arrivals over HTTP: read as they are told; a service that fails is named and left in peace."""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from chainteller.adapters.arrivals_read import MAXIMUM_BYTES, HttpArrivals
from chainteller.domain.assets import SOL
from chainteller.domain.money import Amount
from chainteller.domain.second_method import MAXIMUM_SENT, ArrivalsUnavailable, Awaited

ALICE = "FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z"
OTHER = "586Z7H2vpX9qNhN2T4e9Utugie3ogjbxzGaMtM3E6HR5"
AT = 1_763_700_000_000_000
AWAITED = Awaited(Amount(10_000_000, SOL), ALICE, AT, AT + 600_000_000)
TRANSFER = {
    "hash": "5f3c", "network": "solana", "symbol": "SOL", "amount": "0.01", "from": ALICE,
    "to": ALICE, "at": "2025-11-21T04:41:00Z", "signedBy": [ALICE, OTHER, ALICE], "paidTo": [ALICE],
    "sentBefore": 10**30, "service": None,
}  # fmt: skip
ANSWERS = {
    "/right": json.dumps({"transfers": [TRANSFER, TRANSFER, {}, TRANSFER | {"amount": "1e3"}]}),
    "/other": json.dumps({"found": []}),
    "/endless": "x" * (MAXIMUM_BYTES + 1),
}


class _Handler(BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        path = urlsplit(self.path).path
        if path == "/hangs":
            time.sleep(1)
        moved = path == "/moved"
        self.send_response(302 if moved else 200 if path in ANSWERS else 500)
        if moved:
            self.send_header("Location", "/right")
        self.end_headers()
        self.wfile.write(ANSWERS.get(path, "").encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def served() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    handler = type("Handler", (_Handler,), {"asked": asked})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()
    thread.join()


def test_what_is_told_is_read_once_each(served: tuple[str, list[str]]) -> None:
    address, asked = served
    (seen,) = HttpArrivals(f"{address}/right?key=k").since(AWAITED)
    assert (seen.hash, seen.sender, seen.recipient) == ("5f3c", ALICE, ALICE)
    assert (seen.signers, seen.paid) == ((OTHER, ALICE), (ALICE,))
    assert (seen.sent, seen.service) == (MAXIMUM_SENT + 1, "")
    assert (seen.asset, seen.atoms, seen.arrived) == ("SOL@solana", 10_000_000, AT + 60_000_000)
    (sent,) = asked
    query = {name: value for name, (value,) in parse_qs(urlsplit(sent).query).items()}
    assert query == {
        "key": "k", "network": "solana", "address": ALICE, "since": "2025-11-21T04:40:00.000000Z",
    }  # fmt: skip


@pytest.mark.parametrize("path", ["/hangs", "/moved", "/other", "/endless", "/fails"])
def test_a_service_that_fails_is_named_without_its_key_and_not_asked_again_at_once(
    served: tuple[str, list[str]], path: str
) -> None:
    address, asked = served
    arrivals = HttpArrivals(f"{address}{path}?key=SECRET", deadline_s=0.3)
    with pytest.raises(ArrivalsUnavailable, match=r"127\.0\.0\.1: ") as refused:
        arrivals.since(AWAITED)
    assert "SECRET" not in str(refused.value)
    with pytest.raises(ArrivalsUnavailable, match="failed a moment ago"):
        arrivals.since(AWAITED)
    assert len(asked) <= 1
