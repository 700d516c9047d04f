"""One trace from a key press on the console, through a gateway and its provider, to the rows.

Four real programs: PostgreSQL, ``serve``, ``serve --for`` and the console on a terminal. Run it
with ``-s`` to see the trace.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psycopg
import pytest
from tests.cli.program import environment
from tests.postgres import PostgresServer
from tests.telemetry.collector import Collector, Span
from tests.world.terminal import Terminal
from tests.world.waiting import PATIENCE_S, until

pytestmark = pytest.mark.slow


@contextmanager
def serve(home: Path, *arguments: str, **variables: str) -> Iterator[str]:
    """The address of a server, until the block ends."""
    home.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "chainteller", "serve", "--port", "0", *arguments],
        env={**environment(**variables), "CHAINTELLER_HOME": str(home)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0


def key(home: Path, **variables: str) -> str:
    """A new API key of the server in ``home``."""
    made = subprocess.run(
        [sys.executable, "-m", "chainteller", "keys", "create", "--name", "x"],
        env={**environment(**variables), "CHAINTELLER_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    return made.stdout.strip()


def as_text(trace: list[Span]) -> str:
    """The spans of a trace below each other, with the milliseconds from its beginning."""
    began = min(each.began_ns for each in trace)
    known = {each.span_id for each in trace}
    lines = []

    def write(span: Span, depth: int) -> None:
        at, took = (span.began_ns - began) / 1e6, (span.ended_ns - span.began_ns) / 1e6
        name = f"{'  ' * depth}{span.name}"
        shown = name if len(name) <= 76 else f"{name[:73]}..."
        lines.append(f"{at:7.1f} {took:7.1f}  {span.service:20} {shown}")
        for each in sorted(trace, key=lambda each: each.began_ns):
            if each.parent_id == span.span_id:
                write(each, depth + 1)

    for each in trace:
        if each.parent_id not in known:
            write(each, 0)
    return "\n".join(["  at ms took ms  service              span", *lines])


def test_one_trace_from_a_key_to_the_rows(
    tmp_path: Path, postgres_server: PostgresServer, collector: Collector
) -> None:
    sent = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.address,
        "OTEL_BSP_SCHEDULE_DELAY": "100",
        "CHAINTELLER_SERVICE__RATE_LIMITS": "off",
    }
    bank = sent | {"CHAINTELLER_DATABASE": postgres_server.fresh()}
    own = sent | {"CHAINTELLER_DATABASE": postgres_server.fresh()}
    homes = tmp_path / "provider", tmp_path / "gateway", tmp_path / "console"
    with serve(homes[0], "--sample", **bank) as provider:
        own["CHAINTELLER_API_KEY"] = key(homes[0], **bank)
        with serve(homes[1], "--for", provider, **own) as gateway:
            secret = key(homes[1], **own)
            _open_account(gateway, secret)
            desk = Terminal(
                variables=sent
                | {
                    "CHAINTELLER_HOME": str(homes[2]),
                    "CHAINTELLER_URL": gateway,
                    "CHAINTELLER_API_KEY": secret,
                }
            )
            desk.until("DDA-1001")
            desk.press("b", "get quote")
            desk.press("\r", "expires in")
            desk.press("X", "y = yes")
            desk.press_until("y", "processing")
            assert desk.quit() == 0
        until(lambda: _inserted(collector))
    (rows,) = _inserted(collector)
    trace = [each for each in collector.spans if each.trace_id == rows.trace_id]
    sys.stdout.write(f"\n{as_text(trace)}\n")
    services = {each.service for each in trace}
    assert services == {"chainteller", "chainteller-gateway", "chainteller-console"}
    (root,) = [each for each in trace if not each.parent_id]
    assert (root.service, root.name) == ("chainteller-console", "quote.execute")
    assert rows.attributes["db.system.name"] == "postgresql"
    executing = "POST /trading/quotes/{quoteId}"
    assert _path(rows, trace) == ["quote.execute", *[executing] * 4, rows.name]
    with psycopg.connect(bank["CHAINTELLER_DATABASE"]) as connection:
        found = connection.execute(
            "SELECT count(*) FROM trade WHERE trading_account_id = "
            "(SELECT id FROM trading_account WHERE bank_account_id = 'DDA-1001')"
        ).fetchone()
    assert found == (1,)


def _open_account(address: str, secret: str) -> None:
    token = {"type": "deposit-token-currency", "id": "DPT_USD"}
    headers = {"Authorization": f"Bearer {secret}"}
    with httpx.Client(base_url=address, headers=headers, timeout=PATIENCE_S) as client:
        opening = {"bankAccountId": "DDA-1001", "bankAccountType": "checking"}
        opened = client.post("/trading-accounts", json=opening)
        assert opened.status_code == 201, opened.text
        paid = client.post(
            f"/trading-accounts/{opened.json()['id']}/deposits",
            json={"amount": "1000.00", "currency": token},
        )
        assert paid.status_code < 300, paid.text


def _inserted(collector: Collector) -> list[Span]:
    """The statements that insert a trade at the provider."""
    with collector.changed:
        every = [each for each in collector.spans if each.service == "chainteller"]
    return [
        each for each in every if "INSERT INTO trade " in each.attributes.get("db.query.text", "")
    ]


def _path(span: Span, trace: list[Span]) -> list[str]:
    """The names from the root to a span."""
    above = {each.span_id: each for each in trace}
    names = [span.name]
    while span.parent_id:
        span = above[span.parent_id]
        names.append(span.name)
    return names[::-1]
