"""Count the files and functions of chainteller that an action crosses.

``python -m benchmarks.call_paths`` runs each action once on a database of its own, after it ran
once before, so that imports and caches are warm. A function counts once however often it is called.
"""

import asyncio
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from click.testing import CliRunner
from tests.api.conftest import Caller
from tests.tui.conftest import Bench, answer, make_bench, press, settle
from tests.tui.wallet_case import LARGE, Case, paste, signed, wallets
from tests.world.bank import build, sqlite_url
from tests.world.engines import make_world
from tests.world.serving import deployment, served

from chainteller.cli.main import program

PACKAGE = f"{Path('src') / 'chainteller'}/"


class CallPath:
    """The code objects of the package that ran while recording, in every thread."""

    def __init__(self) -> None:
        self._is_recording = False
        self._codes: set[CodeType] = set()

    def hook(self, frame: FrameType, event: str, _: object) -> None:
        if self._is_recording and event == "call" and PACKAGE in frame.f_code.co_filename:
            self._codes.add(frame.f_code)

    @contextmanager
    def recording(self) -> Iterator[None]:
        self._codes.clear()
        self._is_recording = True
        try:
            yield
        finally:
            self._is_recording = False

    def report(self, name: str) -> None:
        files = {code.co_filename for code in self._codes}
        print(f"{name:<34}{len(files):>4} files {len(self._codes):>4} functions")


PATH = CallPath()


async def _quote_and_execute(bench: Bench, *, report: bool) -> None:
    bench.open(1, deposit="100.00")
    app = bench.console()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "b")
        with PATH.recording():
            await press(pilot, "enter")
        if report:
            PATH.report("enter on a typed quote")
        with PATH.recording():
            await press(pilot, "X")
            await answer(pilot, "y")
        if report:
            PATH.report("X and y")


async def _paste_signature(bench: Bench, *, report: bool) -> None:
    case = Case(bench, "alice-ethereum")
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        text = signed("alice-ethereum", case.newest())
        with PATH.recording():
            await paste(pilot, text)
            await settle(pilot)
        if report:
            PATH.report("a pasted signature")


def _with_bench(action: Callable[..., Any]) -> None:
    for report in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            for bench in make_bench(Path(folder)):
                asyncio.run(action(bench, report=report))


def _trade_command() -> None:
    for report in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            environment = {"CHAINTELLER_HOME": folder}
            run = CliRunner(env=environment)
            run.invoke(program, ["db", "sample"], catch_exceptions=False)
            opened = run.invoke(
                program, ["accounts", "open", "DDA-1001", "--type", "checking", "--json"]
            )
            account = opened.output.partition('"id":')[2].partition('"')[2].partition('"')[0]
            words = ["trade", "buy", "sol-usd", "--spend", "100", "--fund", "--yes", "--account"]
            with PATH.recording():
                ended = run.invoke(program, [*words, account], catch_exceptions=False)
            if ended.exit_code:
                raise SystemExit(ended.output)
            if report:
                PATH.report("trade buy")


def _page_of_trades() -> None:
    for report in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            world = build(sqlite_url(Path(folder)))
            with served(deployment(world)) as address:
                call = Caller(address, world.key())
                account = call.account()
                trade = {"tradingAccountId": account}
                call("POST", f"/trading/quotes/{call.quote()}", trade)
                with PATH.recording():
                    call("GET", f"/trading-accounts/{account}/trades")
                if report:
                    PATH.report("GET a page of trades")
            world.engine.close()


def _execute_quote() -> None:
    for report in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            world = make_world(Path(folder) / "bank.db")
            world.open()
            world.deposit()
            quote = world.quote()
            with PATH.recording():
                world.execute(quote)
            if report:
                PATH.report("execute_quote on its own")
            world.engine.close()


def main() -> None:
    threading.setprofile(PATH.hook)
    sys.setprofile(PATH.hook)
    _with_bench(_quote_and_execute)
    _with_bench(_paste_signature)
    _trade_command()
    _execute_quote()
    _page_of_trades()


if __name__ == "__main__":
    main()
