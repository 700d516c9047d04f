"""On a real terminal: the service commits an execution and dies before it answers."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pyte
import pytest
from tests.cli.conftest import Teller
from tests.cli.program import environment
from tests.servers.killing_proxy import KillingProxy
from tests.servers.program import ServeProgram

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

    def until(self, marker: str) -> str:
        while marker not in (shown := "\n".join(self._screen.display)):
            try:
                self._stream.feed(self.child.read_nonblocking(65_536, timeout=_TIMEOUT_S))
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


def test_an_unanswered_execution_is_looked_for_until_the_service_is_back(
    served: tuple[ServeProgram, KillingProxy],
    teller: Teller,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    server, line = served
    key = teller("keys", "create", "--name", "desk").out.strip()
    desk = Desk(line.address, key, tmp_path / "desk")
    request.addfinalizer(lambda: desk.child.close(force=True))
    desk.until("LIMITS")
    desk.child.send("b")
    desk.until("enter: get quote")
    desk.child.send("25\r")
    (account,) = re.findall(r"QUOTE  (TDA_\w+)", desk.until("QUOTED, NOT EXECUTED"))
    before = _trades(teller, account)
    desk.child.send("X")
    desk.until("EXECUTE buy")
    _answer_yes(desk, line)
    desk.until("UNKNOWN: LOOKING FOR THE TRADE")
    shown = desk.until("times: no answer (UNREACHABLE), retry in ")
    assert "[x] OUTCOME_UNKNOWN" in shown
    assert "[x] UNREACHABLE" not in shown
    desk.child.send("X")
    assert "UNKNOWN" in desk.until("locked: what became of the last execution")
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


def _trades(teller: Teller, account: str) -> int:
    listed = teller("trades", "list", account, "--json")
    return int(listed.body["pagination"]["total"])


def _answer_yes(desk: Desk, line: KillingProxy) -> None:
    """A question is deaf for a moment; the answer is repeated until it was heard."""
    while not line.killed.wait(0.5):
        desk.child.send("y")
