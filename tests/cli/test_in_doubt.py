"""The service commits a write and dies before it answers: console, commands and ``--plain``."""

import contextlib
import os
import re
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pexpect
import pyte
import pytest
from tests.cli.conftest import Teller
from tests.cli.program import environment
from tests.servers.killing_proxy import KillingProxy
from tests.servers.program import ServeProgram

from chainteller.cli.runner import run_program
from chainteller.remote.client import RemoteService
from chainteller.service.errors import OutcomeUnknown

_TIMEOUT_S = 30


class Desk:
    """The console at 120x40; ``until`` reads what it draws."""

    def __init__(self, address: str, key: str, folder: Path) -> None:
        self._screen = pyte.Screen(120, 40)
        self._stream = pyte.ByteStream(self._screen)
        variables = {"CHAINTELLER_HOME": str(folder), "CHAINTELLER_API_KEY": key}
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "chainteller", "--url", address],
            dimensions=(40, 120),
            env={**environment(**variables), "TERM": "xterm-256color"},
            timeout=_TIMEOUT_S,
        )

    def until(self, marker: str, timeout_s: float = _TIMEOUT_S) -> str:
        ends = time.monotonic() + timeout_s
        while marker not in (shown := "\n".join(self._screen.display)):
            if time.monotonic() > ends:
                raise AssertionError(f"{marker!r} never came\n{shown}")
            try:
                self._stream.feed(self.child.read_nonblocking(65_536, timeout=timeout_s))
            except pexpect.TIMEOUT:
                raise AssertionError(f"{marker!r} never came\n{shown}") from None
        return shown


@pytest.fixture
def served(bank: Path, home: Path) -> Iterator[tuple[ServeProgram, KillingProxy]]:
    """The sample bank behind a line that kills its server at the first execution."""
    slow = {"engine__fill_delay_s": "600", "engine__settle_delay_s": "600"}
    server = ServeProgram(f"sqlite:///{bank}", home, **slow)
    port = int(server.address.rpartition(":")[2])
    line = KillingProxy(("127.0.0.1", port), "POST /trading/quotes/QTE_", server.kill)
    yield server, line
    line.close()
    server.stop()


@pytest.fixture
def open_desk(
    served: tuple[ServeProgram, KillingProxy], teller: Teller, tmp_path: Path
) -> Iterator[Callable[[], Desk]]:
    """Opens the console on the served bank, each time in the same place."""
    _, line = served
    key = teller("keys", "create", "--name", "desk").out.strip()
    opened: list[Desk] = []

    def open_one() -> Desk:
        opened.append(Desk(line.address, key, tmp_path / "desk"))
        return opened[-1]

    yield open_one
    for desk in opened:
        desk.child.close(force=True)


class Execution(NamedTuple):
    """An execution that the service committed and didn't answer."""

    desk: Desk
    account: str
    trades_before: int


@pytest.fixture
def unanswered(
    served: tuple[ServeProgram, KillingProxy], open_desk: Callable[[], Desk], teller: Teller
) -> Execution:
    _, line = served
    desk = open_desk()
    desk.until("BALANCES")
    desk.child.send("b")
    desk.until("enter: get quote")
    desk.child.send("25\r")
    (account,) = re.findall(r"QUOTE  .*?(TDA_\w+)", desk.until("QUOTED, NOT EXECUTED"))
    before = _trades(teller, account)
    desk.child.send("X")
    desk.until("EXECUTE buy")
    _answer_yes(desk, line)
    return Execution(desk, account, before)


def test_an_unanswered_execution_is_settled_as_soon_as_the_service_is_back(
    served: tuple[ServeProgram, KillingProxy], unanswered: Execution, teller: Teller
) -> None:
    server, line = served
    desk, account, before = unanswered
    desk.until("OUTCOME UNKNOWN")
    shown = desk.until("times: no answer (UNREACHABLE), retry in ")
    assert "[x] OUTCOME_UNKNOWN" in shown
    assert "[x] UNREACHABLE" not in shown
    desk.child.send("X")
    assert "UNKNOWN" in desk.until("locked: the outcome of the last execution isn't known yet")
    server.start_again()
    line.resume()
    desk.until("found: buy")
    shown = desk.until("TIMELINE")
    assert " TRADES " in shown
    assert "OUTCOME_UNKNOWN" not in shown
    assert "live" in desk.until("BUY sol-usd")
    desk.child.send("\x11")
    desk.child.expect(pexpect.EOF)
    desk.child.close()
    assert desk.child.exitstatus == 0
    assert _trades(teller, account) == before + 1


def test_a_killed_console_settles_its_execution_after_a_restart(
    served: tuple[ServeProgram, KillingProxy],
    unanswered: Execution,
    open_desk: Callable[[], Desk],
    teller: Teller,
) -> None:
    server, line = served
    unanswered.desk.child.kill(signal.SIGKILL)
    server.start_again()
    line.resume()
    again = open_desk()
    again.until("1 request without an answer   U: find out what happened")
    again.child.send("U")
    assert unanswered.account in again.until("REQUESTS WITHOUT AN ANSWER")
    again.child.send("\r")
    again.until("SEND AGAIN: execute buy")
    _press_until(again, "y", "answered: execute")
    assert _trades(teller, unanswered.account) == unanswered.trades_before + 1


def test_a_command_without_an_answer_prints_the_line_that_settles_it(
    bank: Path, home: Path, teller: Teller
) -> None:
    server = ServeProgram(f"sqlite:///{bank}", home)
    port = int(server.address.rpartition(":")[2])
    line = KillingProxy(("127.0.0.1", port), "/deposits", server.kill)
    try:
        account = teller("accounts", "list", "--json").body["data"][0]["id"]
        key = teller("keys", "create", "--name", "desk").out.strip()
        before = _deposits(server, key, account)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CHAINTELLER_API_KEY", key)
            lost = teller("deposit", account, "5.00", "--url", line.address, "--json")
            assert lost.code == 4
            assert lost.body["error"] == "OUTCOME_UNKNOWN"
            assert lost.body["details"]["idempotencyKey"] in lost.err
            assert "The same command with this key can't do it a second time." in lost.err
            (step,) = re.findall(r"Next: chainteller (deposit .+ --idempotency-key \w+)", lost.err)
            server.start_again()
            line.resume()
            found = teller(*shlex.split(step))
        assert found.code == 0
        assert found.body["amount"] == "5.00"
        assert _deposits(server, key, account) == before + 1
    finally:
        line.close()
        server.stop()


def test_a_line_of_plain_without_an_answer_is_repeated_as_it_was_typed() -> None:
    typed = ["deposit", "TDA_1", "5.00", "--currency", "USDC@solana"]
    program = click.Command("deposit", callback=_lose, params=[click.Argument(["words"], nargs=-1)])
    with pytest.MonkeyPatch.context() as patch:
        said: list[str] = []
        patch.setattr("chainteller.cli.error_output.say", lambda *lines: said.extend(lines))
        run_program(program, ["TDA_1"], typed)
    assert said[-1] == f"Next: {' '.join(typed)} --idempotency-key k1"


def test_an_unknown_outcome_keeps_its_exit_code_where_nobody_reads_its_body() -> None:
    """Otherwise a write that may have happened would end as one that was refused."""
    program = click.Command(
        "deposit", callback=_lose, params=[click.Option(["--json"], is_flag=True)]
    )
    unread, written = os.pipe()
    os.close(unread)
    with os.fdopen(written, "w", encoding="utf-8") as gone, contextlib.redirect_stdout(gone):
        assert run_program(program, ["--json"]) == 4


def _lose(**_: object) -> None:
    raise OutcomeUnknown("No answer came.", "k1")


def _press_until(desk: Desk, key: str, marker: str) -> None:
    """A question is deaf for a moment; the answer is repeated until it was heard."""
    for _ in range(_TIMEOUT_S):
        desk.child.send(key)
        with contextlib.suppress(AssertionError):
            desk.until(marker, 1)
            return
    raise AssertionError(f"{marker!r} never came")


def _deposits(server: ServeProgram, key: str, account: str) -> int:
    service = RemoteService(server.address, key)
    try:
        return service.deposits(account).pagination.total
    finally:
        service.close()


def _trades(teller: Teller, account: str) -> int:
    listed = teller("trades", "list", account, "--json")
    return int(listed.body["pagination"]["total"])


def _answer_yes(desk: Desk, line: KillingProxy) -> None:
    """A question is deaf for a moment; the answer is repeated until it was heard."""
    while not line.killed.wait(0.5):
        desk.child.send("y")
