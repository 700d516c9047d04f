"""An issuer that does what a test wants: keys that change, and tokens that no issuer signs."""

import base64
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

from chainteller.domain.clock import SECOND, Clock, SystemClock

_PLACES = {"device_authorization": "/device", "token": "/token", "revocation": "/revoke"}
AUDIENCE = "https://teller.bank.example"


class SmallIssuer:
    """``asked`` counts how often its keys were fetched, ``renewed`` how often tokens were;
    ``is_gone`` breaks every connection."""

    clock: Clock = SystemClock()

    def __init__(self, address: str) -> None:
        self.address = address
        self.asked, self.is_gone = 0, False
        self.told: list[str] = []
        self.refresh, self.renewed = "", 0
        self._number = 0
        self.published: list[dict[str, Any]] = []
        self.rotate()

    def answer(self, path: str, form: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        """The device grant: what ``told`` lists first, else tokens; a refresh token counts once."""
        if path == "/device":
            return 200, {
                "device_code": "d",
                "user_code": "WDJB-MJHT\x1b[2J",
                "verification_uri": f"{self.address}/activate",
                "expires_in": 30,
                "interval": 1,
            }
        if path == "/revoke":
            self.refresh = ""
            return 200, {}
        if self.told and "device_code" in form:
            return 400, {"error": self.told.pop(0)}
        if "refresh_token" in form:
            self.renewed += 1
            if form["refresh_token"] != self.refresh:
                return 400, {"error": "invalid_grant"}
        self.refresh = f"refresh {self.renewed}"
        access = self.token(jti=str(self.renewed))
        told = {"access_token": access, "refresh_token": self.refresh, "expires_in": 60}
        return 200, {"token_type": "Bearer", **told}

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
            told: dict[str, Any] = {"keys": issuer.published}
            if self.path == "/.well-known/openid-configuration":
                told = {"issuer": issuer.address, "jwks_uri": f"{issuer.address}/keys"}
                told |= {
                    f"{name}_endpoint": f"{issuer.address}{at}" for name, at in _PLACES.items()
                }
            else:
                issuer.asked += 1
            self._reply(200, told)

        def do_POST(self) -> None:
            form = self.rfile.read(int(self.headers["content-length"])).decode()
            if issuer.is_gone:
                self.close_connection = True
            else:
                self._reply(*issuer.answer(self.path, dict(parse_qsl(form))))

        def _reply(self, status: int, told: dict[str, Any]) -> None:
            if issuer.is_gone:
                self.close_connection = True
                return
            self.send_response(status)
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
