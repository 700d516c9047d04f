"""The service commits a write and dies before it answers: console, commands and ``--plain``."""

import contextlib
import os
import re
import shlex
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from tests.cli.conftest import Teller
from tests.servers.killing_proxy import KillingProxy
from tests.servers.program import ServeProgram
from tests.world.terminal import Terminal

from chainteller.cli.runner import run_program
from chainteller.remote.client import RemoteService
from chainteller.service.errors import OutcomeUnknown


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
) -> Iterator[Callable[[], Terminal]]:
    """Opens the console on the served bank, each time in the same place."""
    _, line = served
    key = teller("keys", "create", "--name", "desk").out.strip()
    place = {"CHAINTELLER_HOME": str(tmp_path / "desk"), "CHAINTELLER_API_KEY": key}
    with contextlib.ExitStack() as opened:
        yield lambda: opened.enter_context(Terminal("--url", line.address, variables=place))


class Execution(NamedTuple):
    """An execution that the service committed and didn't answer."""

    desk: Terminal
    account: str
    trades_before: int


@pytest.fixture
def unanswered(
    served: tuple[ServeProgram, KillingProxy], open_desk: Callable[[], Terminal], teller: Teller
) -> Execution:
    _, line = served
    desk = open_desk()
    desk.until("BALANCES")
    desk.press("b", "enter: get quote")
    (account,) = re.findall(r"QUOTE  .*?(TDA_\w+)", desk.press("25\r", "QUOTED, NOT EXECUTED"))
    before = _trades(teller, account)
    desk.press("X", "EXECUTE buy")
    _answer_yes(desk, line)
    return Execution(desk, account, before)


def test_an_unanswered_execution_is_settled_as_soon_as_the_service_is_back(
    served: tuple[ServeProgram, KillingProxy], unanswered: Execution, teller: Teller
) -> None:
    server, line = served
    desk, account, before = unanswered
    desk.until("OUTCOME UNKNOWN")
    shown = desk.until("times, retry in ")
    assert "[?] Outcome unknown: buy sol-usd" in shown
    assert "[x] OUTCOME_UNKNOWN" not in shown
    assert "[x] UNREACHABLE" not in shown
    locked = "locked: the outcome of the last execution isn't known yet"
    assert "UNKNOWN" in desk.press("X", locked)
    server.start_again()
    line.resume()
    desk.until("found: buy")
    shown = desk.until("TIMELINE")
    assert " TRADES " in shown
    assert "OUTCOME_UNKNOWN" not in shown
    assert "live" in desk.until("BUY sol-usd")
    assert desk.quit() == 0
    assert _trades(teller, account) == before + 1


def test_a_killed_console_settles_its_execution_after_a_restart(
    served: tuple[ServeProgram, KillingProxy],
    unanswered: Execution,
    open_desk: Callable[[], Terminal],
    teller: Teller,
) -> None:
    server, line = served
    unanswered.desk.child.kill(signal.SIGKILL)
    server.start_again()
    line.resume()
    again = open_desk()
    again.until("1 request without an answer   U: find out what happened")
    assert unanswered.account in again.press("U", "REQUESTS WITHOUT AN ANSWER")
    again.press("\r", "SEND AGAIN: order to buy")
    again.press_until("y", "answered:  TXN_")
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


def _deposits(server: ServeProgram, key: str, account: str) -> int:
    service = RemoteService(server.address, key)
    try:
        return service.deposits(account).pagination.total
    finally:
        service.close()


def _trades(teller: Teller, account: str) -> int:
    listed = teller("trades", "list", account, "--json")
    return int(listed.body["pagination"]["total"])


def _answer_yes(desk: Terminal, line: KillingProxy) -> None:
    """A question is deaf for a moment; the answer is repeated until it was heard."""
    desk.press_while("y", lambda: not line.killed.is_set())
