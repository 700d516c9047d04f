"""The sign-in of this machine for a deployment: its access token, renewed before it's too old."""

import threading
from contextlib import AbstractContextManager
from typing import Protocol

from chainteller.domain.clock import SECOND, Clock
from chainteller.remote.issuer import Begun, IssuerClient, Tokens
from chainteller.service.errors import ReplyUnusable, ServiceUnreachable, SignInRequired

RENEWED_AFTER_S = 25
"""A token older than this is renewed before it's sent; deployments accept them for longer."""
_NEXT_TRY_S = 10


class Kept(Protocol):
    """Where the tokens of this machine are, for all of its programs."""

    def read(self) -> tuple[Tokens, int] | None:
        """Tokens, and when they came by this machine's clock; None before a sign-in."""

    def write(self, tokens: Tokens, at: int) -> None: ...

    def remove(self) -> None: ...

    def locked(self) -> AbstractContextManager[None]:
        """One program at a time: a refresh token can be used once."""


class SignIn:
    """Threads may share it."""

    def __init__(self, issuer: IssuerClient, kept: Kept, clock: Clock) -> None:
        self.issuer, self._kept, self._clock = issuer, kept, clock
        self._renewing = threading.Lock()
        self._held: tuple[Tokens, int] | None = None
        self._tried_at = 0
        self._why_none = "Nobody has signed in on this machine."

    def complete(self, begun: Begun, is_cancelled: threading.Event) -> bool:
        """Wait until a person has confirmed a sign-in, and keep its tokens; False when it's
        cancelled. Raises as ``IssuerClient.wait``."""
        tokens = self.issuer.wait(begun, is_cancelled)
        if tokens is None:
            return False
        with self._renewing, self._kept.locked():
            self._keep(tokens)
        return True

    def end(self) -> bool:
        """Forget the tokens and have the issuer revoke them; whether there were any. Raises
        ServiceUnreachable, ReplyUnusable: they are forgotten here, and the issuer wasn't told."""
        with self._renewing, self._kept.locked():
            found, self._held = self._kept.read(), None
            self._kept.remove()
        if found is not None:
            self.issuer.revoke(found[0])
        return found is not None

    def token(self, refused: str = "") -> str:
        """The access token for the next request, after the deployment ``refused`` one.

        Raises:
            SignInRequired: nobody has signed in, or the issuer has ended it.
            ServiceUnreachable, ReplyUnusable: the token was refused, and the issuer gives no other.
        """
        held = self._held
        if held is not None and held[0].access != refused and not self._is_due(held):
            return held[0].access
        if not self._renewing.acquire(blocking=held is None or bool(refused)):
            return held[0].access if held else ""  # another request renews it
        try:
            with self._kept.locked():
                return self._current(refused)
        finally:
            self._renewing.release()

    def _current(self, refused: str) -> str:
        """Raises as ``token``."""
        self._held = held = self._kept.read()
        if held is None:
            raise SignInRequired(self._why_none)
        tokens, _ = held
        if tokens.access != refused and not self._is_due(held):
            return tokens.access
        if not tokens.refresh:
            if refused:
                raise SignInRequired("Your sign-in has expired.")
            return tokens.access
        self._tried_at = self._clock.now()
        try:
            return self._keep(self.issuer.renewed(tokens))
        except SignInRequired as ended:
            self._held, self._why_none = None, ended.message
            self._kept.remove()
            raise
        except (ServiceUnreachable, ReplyUnusable):
            if refused:
                raise
            return tokens.access  # it holds a while yet

    def _keep(self, tokens: Tokens) -> str:
        self._held = tokens, self._clock.now()
        self._kept.write(*self._held)
        return tokens.access

    def _is_due(self, held: tuple[Tokens, int]) -> bool:
        tokens, came = held
        now = self._clock.now()
        age_s = (now - came) / SECOND
        is_old = not 0 <= age_s < min(RENEWED_AFTER_S, tokens.lifetime_s / 2)
        return is_old and not 0 <= now - self._tried_at < _NEXT_TRY_S * SECOND
