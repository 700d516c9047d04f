"""A deployment of the bare specification on a real port."""

import contextlib
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

_MARKETS = {
    "data": [
        {
            "marketName": "sol-usd",
            "network": "solana",
            "currentPrice": "142.50",
            "yesterdaysPrice": "140.00",
            "at": "2026-11-20T12:00:00Z",
        }
    ],
    "pagination": {"total": 1, "page": 1, "limit": 20},
}
_COUNTERPARTIES = {
    "data": [{"type": "VerifiedCounterparty1P", "id": "CPT_1", "address": "abc"}],
    "pagination": {"total": 1, "page": 1, "limit": 20},
}
_REPLIES = {
    "/trading/markets": _MARKETS,
    "/blockchain-accounts/BCA_1/counterparties": _COUNTERPARTIES,
}


class _Plain(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        found = _REPLIES.get(self.path.partition("?")[0])
        body = b"<html>404</html>" if found is None else json.dumps(found).encode()
        self.send_response(404 if found is None else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002, ARG002 - the same
        return


@contextlib.contextmanager
def plain_deployment() -> Iterator[str]:
    """Its address, until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Plain)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
