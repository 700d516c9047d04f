"""People who sign in on this machine: their tokens, one sign-in for each place."""

import json
from contextlib import AbstractContextManager

from chainteller.domain.clock import SystemClock
from chainteller.kept_secrets import KeptSecret
from chainteller.paths import Paths
from chainteller.remote.issuer import IssuerClient, Tokens
from chainteller.remote.signed_in import SignIn
from chainteller.settings.place import Place
from chainteller.settings.values import SettingsInvalid


def sign_in_of(paths: Paths, place: Place) -> SignIn:
    """The sign-in of a place. Raises SettingsInvalid: nobody signs in there, or everybody on the
    way could read the tokens."""
    profile = place.profile
    if profile is None or not place.signs_in:
        told = f"nobody signs in to {place.label}: choose a profile with an issuer (--profile NAME)"
        raise SettingsInvalid([told])
    place.require_privacy()
    issuer = IssuerClient(
        profile.issuer, profile.client_id, profile.audience, profile.sign_in_scope
    )
    return SignIn(issuer, KeptTokens(paths, place), SystemClock())


class KeptTokens:
    """As ``remote.signed_in.Kept``."""

    def __init__(self, paths: Paths, place: Place) -> None:
        self._kept = KeptSecret(paths, place, "sign-in", "the sign-in")

    def read(self) -> tuple[Tokens, int] | None:
        found = self._kept.read()
        if found is None:
            return None
        try:
            told = json.loads(found)
            tokens = Tokens(str(told["access"]), str(told["refresh"]), int(told["lifetime"]))
            return tokens, int(told["at"])
        except (ValueError, KeyError, TypeError):
            raise SettingsInvalid([f"{self._kept.file} is no sign-in: remove it"]) from None

    def write(self, tokens: Tokens, at: int) -> None:
        told = {
            "access": tokens.access,
            "refresh": tokens.refresh,
            "lifetime": tokens.lifetime_s,
            "at": at,
        }
        self._kept.write(json.dumps(told))

    def remove(self) -> None:
        self._kept.remove()

    def locked(self) -> AbstractContextManager[None]:
        return self._kept.locked()
