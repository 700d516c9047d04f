"""An issuer that does what a test wants: keys that change, and tokens that no issuer signs."""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

from chainteller.domain.clock import SECOND, Clock, SystemClock

AUDIENCE = "https://teller.bank.example"


class SmallIssuer:
    """``asked`` counts how often its keys were fetched; ``is_gone`` breaks every connection."""

    clock: Clock = SystemClock()

    def __init__(self, address: str) -> None:
        self.address = address
        self.asked, self.is_gone = 0, False
        self._number = 0
        self.published: list[dict[str, Any]] = []
        self.rotate()

    def rotate(self, *, keeps_old: bool = False) -> None:
        """Sign with another key from now on."""
        before = self.published if keeps_old else []
        self._number += 1
        self.key = generate_private_key(SECP256R1())
        public = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(self.key.public_key()))
        self.published = [*before, {**public, "kid": self.key_id, "use": "sig"}]

    @property
    def key_id(self) -> str:
        return f"key-{self._number}"

    def claims(self, name: str = "a.brandt", *groups: str, age_s: float = 0) -> dict[str, Any]:
        issued = self.clock.now() // SECOND - age_s
        return {
            "iss": self.address,
            "sub": f"subject of {name}",
            "aud": AUDIENCE,
            "iat": issued,
            "exp": issued + 60,
            "preferred_username": name,
            "groups": groups or ("crypto-desk",),
        }

    def token(self, name: str = "a.brandt", *groups: str, age_s: float = 0, **other: Any) -> str:
        return self.signed(self.claims(name, *groups, age_s=age_s) | other)

    def signed(
        self, claims: dict[str, Any], key: Any = None, algorithm: str = "ES256", **header: Any
    ) -> str:
        headers = {"kid": self.key_id, "typ": "at+jwt"} | header
        return jwt.encode(claims, key or self.key, algorithm, headers)


def forged(header: dict[str, Any], claims: dict[str, Any], signature: str = "") -> str:
    """A token that no library makes."""
    parts = (base64.urlsafe_b64encode(json.dumps(each).encode()) for each in (header, claims))
    return ".".join((*(each.decode().rstrip("=") for each in parts), signature))


@contextmanager
def small_issuer() -> Iterator[SmallIssuer]:
    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if issuer.is_gone:
                self.close_connection = True
                return
            told: dict[str, Any] = {"keys": issuer.published}
            if self.path == "/.well-known/openid-configuration":
                told = {"issuer": issuer.address, "jwks_uri": f"{issuer.address}/keys"}
            else:
                issuer.asked += 1
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(told).encode())

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    issuer = SmallIssuer(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
