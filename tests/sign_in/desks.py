"""A machine at which somebody signs in."""

import threading
from pathlib import Path

from tests.sign_in.small_issuer import AUDIENCE, SmallIssuer

from chainteller.domain.clock import SECOND, ManualClock
from chainteller.paths import Paths, locate
from chainteller.remote.issuer import IssuerClient
from chainteller.remote.signed_in import SignIn
from chainteller.settings.place import Place
from chainteller.settings.tree import Profile
from chainteller.sign_ins import KeptTokens


class Pauses(threading.Event):
    """Never set; notes how long somebody would have waited."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float | None] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.seconds.append(timeout)
        return False


class Desk:
    """A machine that signs in; each program of it has a ``SignIn`` of its own."""

    def __init__(self, issuer: SmallIssuer, folder: Path) -> None:
        self.issuer, self.clock = issuer, ManualClock(issuer.clock.now())
        profile = Profile("bank", issuer=issuer.address, url="http://127.0.0.1:1")
        self.place = Place(True, "http://127.0.0.1:1", "bank", "--profile", profile=profile)
        self.paths: Paths = locate({"CHAINTELLER_HOME": str(folder)})

    def program(self) -> SignIn:
        client = IssuerClient(self.issuer.address, "chainteller", AUDIENCE, "openid")
        return SignIn(client, KeptTokens(self.paths, self.place), self.clock)

    def sign_in(self) -> SignIn:
        found = self.program()
        assert found.complete(found.issuer.begin(), Pauses())
        return found

    def wait(self, seconds: float) -> None:
        self.clock.advance(round(seconds * SECOND))
