"""Signing in on the console: asked at the start and at work, refused, retried, left."""

import asyncio
from pathlib import Path
from typing import TypeVar

import pytest

pytest.importorskip("jwt", reason="the extra sign-in isn't installed")

from tests.sign_in.desks import Desk
from tests.sign_in.small_issuer import small_issuer
from tests.tui.conftest import Bench, seen, settle
from textual.pilot import Pilot

from chainteller.remote.signed_in import RENEWED_AFTER_S, SignIn
from chainteller.service.interface import Service
from chainteller.service.operations import Call
from chainteller.tui.console.app import Console
from chainteller.tui.console.sign_in_dialog import SignInScreen
from chainteller.tui.start import SignInAtDesk, StartedDesk

Answer = TypeVar("Answer")


class SignedIn(Service):
    """A deployment that needs a token for each call."""

    def __init__(self, service: Service, program: SignIn) -> None:
        self._service, self._program = service, program

    def call(self, call: Call[Answer]) -> Answer:
        self._program.token()
        return self._service.call(call)


async def until(pilot: "Pilot[None]", app: Console, words: str) -> None:
    async with asyncio.timeout(20):
        while words not in seen(app):
            await pilot.pause(0.01)


async def test_the_console_asks_to_sign_in_and_goes_on(tmp_path: Path, bench: Bench) -> None:
    account = bench.open(1)
    with small_issuer() as issuer:
        desk = Desk(issuer, tmp_path)
        program, name = desk.program(), bench.service.capabilities().actor

        def start() -> StartedDesk:
            program.token()
            return bench.start(SignedIn(bench.deployment, program))

        sign_in = SignInAtDesk(lambda: program, lambda: name)
        app = Console(start, bench.settings._replace(sign_in=sign_in, profile="bank"))
        issuer.told = ["access_denied"]
        async with app.run_test(size=(100, 30)) as pilot:
            await until(pilot, app, "The sign-in was refused.")
            await pilot.press("r")
            await until(pilot, app, account.id[:8])
            await settle(pilot)
            assert "SIGN" not in seen(app)
            assert name in seen(app).splitlines()[0]
            issuer.refresh = "revoked"
            issuer.told = ["authorization_pending"] * 9
            desk.wait(RENEWED_AFTER_S)
            await pilot.press("r")
            await until(pilot, app, "Your sign-in with 127.0.0.1 has ended.")
            await until(pilot, app, "WDJB-MJHT")
            async with asyncio.timeout(5):  # the dialog is deaf for a moment, and never at rest
                while isinstance(app.screen, SignInScreen):
                    await pilot.press("escape")
                    await pilot.pause(0.05)
            await settle(pilot)
            assert "SIGN_IN_REQUIRED" in seen(app)
            assert "not signed in" in seen(app)
