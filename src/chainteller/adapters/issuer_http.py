"""The bank's OpenID provider over HTTP: its keys, and access tokens that they sign.

OpenID Connect Discovery 1.0, JSON Web Key Sets (RFC 7517), JWT access tokens (RFC 9068).
"""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx
import jwt
from pydantic_core import from_json

from chainteller.adapters import bounded
from chainteller.authorities import why_untrusted
from chainteller.domain.clock import SECOND
from chainteller.domain.sign_ins import SignedIn
from chainteller.service.errors import ServiceUnavailable, Unauthorized

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
"""What tokens are signed with: by a private key, of which the issuer publishes the public one."""
TOKEN_TYPE = "at+jwt"  # noqa: S105 - a media type
DEADLINE_S = 5.0
FRESH_S = 300.0
"""For how long keys are taken as the issuer's without another look."""
KEPT_S = 3_600.0
"""For how long they're used while the issuer can't be reached."""
AGAIN_S = 10.0
"""How long after a look the next one is made, whatever tokens come."""
_MAXIMUM_BYTES = 256 * 1024
_DISCOVERY = "/.well-known/openid-configuration"
_REQUIRED = ["iss", "sub", "aud", "exp", "iat"]
_OPTIONS: Mapping[str, Any] = {
    "require": _REQUIRED,
    # The deployment's clock judges the times (``SignedIn.refusal``).
    "verify_exp": False,
    "verify_iat": False,
    "verify_nbf": False,
    "enforce_minimum_key_length": True,
}


class HttpIssuer:
    """Threads may share it. Nothing is fetched before a token of this issuer comes.

    Args:
        address: the issuer's identifier, exactly as it writes it.
        audience: what tokens for this service name.
        token_type: the type in their header.
        name_claim: where they have a person's user name.
        groups_claim: where they have a person's groups; see ``_claim``.
        elapsed: a monotonic clock in seconds.
    """

    def __init__(
        self,
        address: str,
        audience: str,
        *,
        token_type: str = TOKEN_TYPE,
        name_claim: str = "preferred_username",
        groups_claim: str = "groups",
        elapsed: Callable[[], float] = time.monotonic,
    ) -> None:
        self._address, self._audience, self._token_type = address, audience, token_type
        self._name_claim, self._groups_claim = name_claim, groups_claim
        self._elapsed = elapsed
        self._fetching = threading.Lock()
        self._keys: Mapping[str, Mapping[str, Any]] = {}
        self._fetched_s: float | None = None
        self._tried_s: float | None = None

    @property
    def host(self) -> str:
        return urlsplit(self._address).hostname or self._address

    def signed_in(self, token: str) -> SignedIn:
        """As ``engine.core.ports.Issuer`` says."""
        try:
            header = jwt.get_unverified_header(token)
            told = jwt.decode(token, options={"verify_signature": False})
        except jwt.InvalidTokenError:
            raise Unauthorized("TOKEN_INVALID") from None
        if told.get("iss") != self._address:
            raise Unauthorized("TOKEN_ISSUER")
        typed = str(header.get("typ", "")).lower().removeprefix("application/")
        if typed != self._token_type.lower() or "crit" in header:
            raise Unauthorized("TOKEN_INVALID")
        claims = self._verified(token, header)
        times = [claims["iat"], claims["exp"], claims.get("nbf", 0)]
        if not all(type(each) in (int, float) and 0 <= each < 1e11 for each in times):
            raise Unauthorized("TOKEN_INVALID")
        issued, expires, begins = (round(each * SECOND) for each in times)
        name, groups = (_claim(claims, each) for each in (self._name_claim, self._groups_claim))
        listed = groups if isinstance(groups, list) else [groups]
        return SignedIn(
            self._address,
            claims["sub"],
            name.lower() if isinstance(name, str) else "",
            tuple(each for each in listed if isinstance(each, str)),
            issued,
            expires,
            begins,
        )

    def _verified(self, token: str, header: Mapping[str, Any]) -> dict[str, Any]:
        """The claims of a token that one of the issuer's keys signed for this service. Raises
        Unauthorized, ServiceUnavailable."""
        algorithm, key_id = header.get("alg"), header.get("kid", "")
        if algorithm not in ALGORITHMS or not isinstance(key_id, str):
            raise Unauthorized("TOKEN_INVALID")
        found = self._key(key_id)
        if found is None or found.get("alg", algorithm) != algorithm:
            raise Unauthorized("TOKEN_INVALID")
        try:
            key = jwt.PyJWK(dict(found), algorithm)
            return jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                audience=self._audience,
                issuer=self._address,
                options=_OPTIONS,  # type: ignore[arg-type]  # a mapping of what it types itself
            )
        except jwt.InvalidAudienceError:
            raise Unauthorized("TOKEN_AUDIENCE") from None
        except (jwt.PyJWTError, ValueError, TypeError):
            raise Unauthorized("TOKEN_INVALID") from None

    def _key(self, key_id: str) -> Mapping[str, Any] | None:
        """A key of the issuer, which is asked again where it's unknown or was read long ago. Nobody
        waits for another one's look but with a key that is unknown.

        Raises:
            ServiceUnavailable: no key is known, and none can be fetched.
        """
        is_unknown = key_id not in self._keys or not self._is_known_within(KEPT_S)
        is_wanted = is_unknown or not self._is_known_within(FRESH_S)
        if is_wanted and self._fetching.acquire(blocking=is_unknown):
            try:
                self._look(key_id)
            finally:
                self._fetching.release()
        return self._keys.get(key_id)

    def _look(self, key_id: str) -> None:
        """Fetch the keys, unless another thread just did. Raises ServiceUnavailable."""
        now_s = self._elapsed()
        is_wanted = key_id not in self._keys or not self._is_known_within(FRESH_S)
        if is_wanted and (self._tried_s is None or now_s - self._tried_s >= AGAIN_S):
            self._tried_s = now_s
            self._fetch()
        if not self._is_known_within(KEPT_S):
            raise _unreachable(self.host, "its keys aren't known")

    def _is_known_within(self, seconds: float) -> bool:
        return self._fetched_s is not None and self._elapsed() - self._fetched_s < seconds

    def _fetch(self) -> None:
        """Read the keys again; those that are known stay where that fails. Raises
        ServiceUnavailable: no key is known."""
        try:
            keys = asyncio.run(self._read())
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as fault:
            if not self._is_known_within(KEPT_S):
                raise _unreachable(self.host, why_untrusted(fault) or str(fault)) from None
            return
        self._keys, self._fetched_s = keys, self._elapsed()

    async def _read(self) -> dict[str, Mapping[str, Any]]:
        """Raises ValueError: the answer isn't an issuer's. And as httpx."""
        async with (
            asyncio.timeout(DEADLINE_S),
            bounded.client(DEADLINE_S, self._address) as client,
        ):
            found = await _document(client, self._address.rstrip("/") + _DISCOVERY)
            place = found.get("jwks_uri")
            if found.get("issuer") != self._address or not isinstance(place, str):
                raise ValueError("it isn't the issuer that sign_in.issuer names")
            if self._address.startswith("https:") and not place.startswith("https:"):
                raise ValueError("its keys are reached without TLS")
            listed = (await _document(client, place)).get("keys")
        if not isinstance(listed, list):
            raise ValueError("it answers no keys")  # noqa: TRY004 - what the callers handle
        return {
            str(key.get("kid", "")): key
            for key in listed
            if isinstance(key, dict) and key.get("use", "sig") == "sig" and key.get("kty") != "oct"
        }


async def _document(client: httpx.AsyncClient, address: str) -> dict[str, Any]:
    """A JSON object of bounded size. Raises ValueError, and as httpx."""
    status, body = await bounded.answer_of(client, "GET", address, _MAXIMUM_BYTES)
    if status != 200:
        raise ValueError(f"it answers {status}")
    found = from_json(body)
    if not isinstance(found, dict):
        raise ValueError("it answers no object")  # noqa: TRY004 - what the callers handle
    return found


def _claim(claims: Mapping[str, Any], name: str) -> object:
    """A claim by its name, which may be an address; or one in others: ``realm_access.roles``."""
    if name in claims:
        return claims[name]
    found: object = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _unreachable(host: str, why: str) -> ServiceUnavailable:
    told = f"People can't sign in: {host} can't be asked for its keys ({why})."
    return ServiceUnavailable(told, {"reason": "ISSUER_UNREACHABLE"})
