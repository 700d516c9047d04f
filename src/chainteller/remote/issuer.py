"""The bank's OpenID provider as a desk uses it: the device authorization grant (RFC 8628), refresh
(RFC 6749, section 6) and revocation (RFC 7009) of tokens.

What the issuer answers is bounded as every reply is, and no token is in an error or a log.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

from pydantic_core import from_json

from chainteller.domain.sign_ins import Prompt
from chainteller.domain.untrusted import printable
from chainteller.remote.transport import Outgoing, Transport, TransportFault
from chainteller.service.errors import ReplyUnusable, ServiceUnreachable, SignInRequired

DEADLINE_S = 5.0
_DISCOVERY = "/.well-known/openid-configuration"
_DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_POLL_S, _SLOWER_S = 5, 5
_WAITING = {"authorization_pending": 0, "slow_down": _SLOWER_S}
_CODE_EXPIRED = "The code has expired. Nobody has signed in."
_ENDED = {"access_denied": "The sign-in was refused.", "expired_token": _CODE_EXPIRED}
_LONGEST_WORD = 200


@dataclass(frozen=True, slots=True)
class Tokens:
    """What an issuer gave: ``refresh`` is empty where it gave no refresh token, ``lifetime_s`` is
    how long the access token holds."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)
    lifetime_s: int


@dataclass(frozen=True, slots=True)
class Begun:
    """A sign-in that a person has to confirm."""

    prompt: Prompt
    device_code: str = field(repr=False)
    pause_s: int


class IssuerClient:
    """Asks an issuer for tokens; each request has its own connection.

    Args:
        address: the issuer's identifier.
        client_id: how the issuer knows this program.
        audience: for which service the tokens are (``resource``, RFC 8707); empty where the
            issuer knows that by the client or the scope.
        scope: what is asked for.
    """

    def __init__(self, address: str, client_id: str, audience: str, scope: str) -> None:
        self.address = address
        self._client_id, self._audience, self._scope = client_id, audience, scope
        self._endpoints: Mapping[str, Any] | None = None

    def begin(self) -> Begun:
        """Ask for a code that a person confirms. Raises ServiceUnreachable, ReplyUnusable."""
        asked = {"scope": self._scope, "resource": self._audience}
        status, told = self._post("device_authorization_endpoint", asked)
        if status != 200:
            raise self._unusable("begins no sign-in", told)
        try:
            prompt = Prompt(
                _shown(told["verification_uri"]),
                _shown(told["user_code"]),
                _shown(told.get("verification_uri_complete", "")),
                int(told["expires_in"]),
            )
            return Begun(prompt, str(told["device_code"]), int(told.get("interval", _POLL_S)))
        except (KeyError, TypeError, ValueError):
            raise self._unusable("begins no sign-in", {}) from None

    def wait(self, begun: Begun, is_cancelled: threading.Event) -> Tokens | None:
        """Wait until a person has confirmed; None when it's cancelled.

        Raises:
            SignInRequired: it was refused, or the code has expired.
            ReplyUnusable.
        """
        asked = {
            "grant_type": _DEVICE_GRANT,
            "device_code": begun.device_code,
            "resource": self._audience,
        }
        pause_s, waited_s = max(1, begun.pause_s), 0
        while waited_s <= begun.prompt.within_s:
            if is_cancelled.wait(pause_s):
                return None
            waited_s += pause_s
            found = self._asked_again(asked)
            if isinstance(found, Tokens):
                return found
            pause_s += found
        raise SignInRequired(_CODE_EXPIRED)

    def _asked_again(self, asked: Mapping[str, str]) -> Tokens | int:
        """Tokens, or by how many seconds to wait longer before the next question. Raises
        SignInRequired, ReplyUnusable."""
        try:
            status, told = self._post("token_endpoint", asked)
        except ServiceUnreachable:
            return _SLOWER_S
        if status == 200:
            return self._tokens(told)
        error = told.get("error")
        if error in _WAITING:
            return _WAITING[error]
        if error in _ENDED:
            raise SignInRequired(_ENDED[error])
        raise self._unusable("gives no token", told)

    def renewed(self, tokens: Tokens) -> Tokens:
        """New tokens for a refresh token, which holds no longer if the issuer rotates it.

        Raises:
            SignInRequired: the issuer has ended the sign-in.
            ServiceUnreachable, ReplyUnusable.
        """
        asked = {
            "grant_type": "refresh_token",
            "refresh_token": tokens.refresh,
            "resource": self._audience,
        }
        status, told = self._post("token_endpoint", asked)
        if status == 200:
            return self._tokens(told, tokens.refresh)
        if status in {400, 401} and told.get("error") == "invalid_grant":
            raise SignInRequired(f"Your sign-in with {self.host} has ended.")
        raise self._unusable("gives no token", told)

    def revoke(self, tokens: Tokens) -> None:
        """End a sign-in at the issuer, where it offers that. Raises ServiceUnreachable or
        ReplyUnusable."""
        if "revocation_endpoint" in self._found():
            self._post("revocation_endpoint", {"token": tokens.refresh or tokens.access})

    @property
    def host(self) -> str:
        return urlsplit(self.address).hostname or self.address

    def _tokens(self, told: Mapping[str, Any], refresh: str = "") -> Tokens:
        """Raises ReplyUnusable: no bearer token, or one that can't be sent."""
        access, kind = told.get("access_token"), str(told.get("token_type", "")).lower()
        lifetime_s, given = told.get("expires_in", 60), told.get("refresh_token", refresh)
        usable = all(isinstance(each, str) and each.isascii() for each in (access, given))
        if not (usable and access and kind == "bearer" and isinstance(lifetime_s, int)):
            raise self._unusable("gives no token", {})
        return Tokens(str(access), str(given), lifetime_s)

    def _found(self) -> Mapping[str, Any]:
        """The issuer's own description. Raises ServiceUnreachable or ReplyUnusable."""
        if self._endpoints is None:
            status, told = self._send("GET", self.address.rstrip("/") + _DISCOVERY)
            if status != 200 or told.get("issuer") != self.address:
                raise self._unusable("isn't the issuer that the profile names", {})
            self._endpoints = told
        return self._endpoints

    def _post(self, endpoint: str, form: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        """Raises ServiceUnreachable or ReplyUnusable."""
        address = self._found().get(endpoint)
        if not isinstance(address, str):
            raise self._unusable(f"has no {endpoint}", {})
        if self.address.startswith("https:") and not address.startswith("https:"):
            raise self._unusable(f"has a {endpoint} without TLS", {})
        sent = {"client_id": self._client_id, **{name: each for name, each in form.items() if each}}
        return self._send("POST", address, urlencode(sent).encode())

    def _send(
        self, method: str, address: str, body: bytes | None = None
    ) -> tuple[int, dict[str, Any]]:
        parts = urlsplit(address)
        headers = {} if body is None else {"Content-Type": "application/x-www-form-urlencoded"}
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        try:
            transport = Transport(f"{parts.scheme}://{parts.netloc}", None, deadline_s=DEADLINE_S)
        except ValueError:
            raise self._unusable("has an address that can't be asked", {}) from None
        try:
            reply = transport.send(Outgoing(method, path, headers=headers, body=body))
        except TransportFault as fault:
            raise ServiceUnreachable(f"No connection to {self.host} ({fault}).") from None
        finally:
            transport.close()
        try:
            found = from_json(reply.body)
        except ValueError:
            found = None
        return reply.status, found if isinstance(found, dict) else {}

    def _unusable(self, what: str, told: Mapping[str, Any]) -> ReplyUnusable:
        """An answer that can't be used, with the issuer's own code where it gave one."""
        code = told.get("error")
        more = f" ({_shown(code)})" if isinstance(code, str) else ""
        return ReplyUnusable(f"{self.host} {what}{more}.")


def _shown(text: object) -> str:
    """What an issuer says, as far as it may stand on a screen. Raises TypeError."""
    if not isinstance(text, str):
        raise TypeError("no text")
    return printable(text)[:_LONGEST_WORD]
