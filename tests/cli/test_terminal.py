"""What needs a terminal: questions, and the console's first screen."""

import json
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pexpect
import pyte
import pytest
from tests.cli.conftest import Teller
from tests.cli.program import environment

from chainteller.sqlite import sqlite3

_TIMEOUT_S = 30


def _started(*arguments: str, **variables: str) -> "pexpect.spawn[bytes]":
    return pexpect.spawn(
        sys.executable,
        ["-m", "chainteller", *arguments],
        dimensions=(24, 80),
        env={**environment(**variables), "TERM": "xterm-256color"},
        timeout=_TIMEOUT_S,
    )


@pytest.fixture
def account(bank: Path, teller: Teller) -> str:
    opened = teller("accounts", "open", "DDA-1001", "--type", "checking", "--json").body["id"]
    teller("deposit", opened, "100")
    return str(opened)


@pytest.mark.forms(1)
@pytest.mark.parametrize(("answer", "code", "trades"), [("y", 0, 1), ("n", 130, 0), ("", 130, 0)])
def test_a_trade_asks_and_takes_only_a_yes(
    account: str, teller: Teller, answer: str, code: int, trades: int
) -> None:
    child = _started("trade", "buy", "sol-usd", "--spend", "10", "--account", account)
    child.expect_exact("Continue? Type y and press enter: ")
    child.sendline(answer)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == code
    found = teller("trades", "list", account, "--json").body
    assert found["pagination"]["total"] == trades


def test_a_withdrawal_names_amount_account_and_target(account: str) -> None:
    child = _started("withdraw", account, "12.50")
    child.expect_exact(
        f"Withdraw 12.50 DPT_USD from {account} of Rowan Merriweather "
        "to the customer's bank account."
    )
    child.sendline("y")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


@pytest.mark.forms(1)
@pytest.mark.parametrize(
    ("answer", "code", "status"), [("y", 0, "cancelled"), ("no", 130, "processing")]
)
def test_a_cancellation_names_customer_account_withdrawal_and_amount(
    account: str, teller: Teller, answer: str, code: int, status: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("CHAINTELLER_ENGINE__WITHDRAWAL_DELAY_S", "600")
    held, other = (
        teller("withdraw", account, amount, "--yes", "--json").body["id"]
        for amount in ("12.50", "1")
    )
    child = _started("withdrawals", "cancel", held)
    child.expect_exact(
        f"Cancel withdrawal {held} of 12.50 USD to DDA-1001 from {account} of Rowan Merriweather."
    )
    child.sendline(answer)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == code
    found = {each: teller("withdrawals", "show", each, "--json").body for each in (held, other)}
    assert [each["status"] for each in found.values()] == [status, "processing"]


def test_a_withdrawal_that_is_cancelled_already_is_shown_without_a_question(
    account: str, teller: Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINTELLER_ENGINE__WITHDRAWAL_DELAY_S", "600")
    held = teller("withdraw", account, "5", "--yes", "--json").body["id"]
    teller("withdrawals", "cancel", held, "--yes")
    child = _started("withdrawals", "cancel", held)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert b"Go on?" not in child.before
    assert b"cancelled" in child.before


def test_a_withdrawal_that_has_left_is_refused_without_a_question(
    bank: Path, teller: Teller
) -> None:
    gone = teller("withdrawals", "list", "--status", "completed", "--json").body["data"][0]["id"]
    child = _started("withdrawals", "cancel", gone)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 1
    assert b"Go on?" not in child.before
    assert b"WITHDRAWAL_NOT_CANCELLABLE" in child.before


def _screen(child: "pexpect.spawn[bytes]", marker: str, screen: pyte.Screen | None = None) -> str:
    """Read until ``marker`` is on the screen, a new one or the one before; the screen's text."""
    screen = screen or pyte.Screen(80, 24)
    stream = pyte.ByteStream(screen)
    while marker not in (shown := "\n".join(screen.display)):
        stream.feed(child.read_nonblocking(65_536, timeout=_TIMEOUT_S))
    return shown


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGHUP, 129), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.thorough)],
)
def test_the_demo_shows_accounts_and_leaves_nothing_but_a_cache(
    home: Path, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    (tmp_path / "tmp").mkdir()
    child = _started("demo", TMPDIR=str(tmp_path / "tmp"))
    shown = _screen(child, "TDA_")
    assert "DEMO" in shown
    assert len(list((tmp_path / "tmp").iterdir())) == 1
    child.kill(number)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == code
    assert list((tmp_path / "tmp").iterdir()) == []
    assert [file.name for file in home.iterdir()] == ["cache"]


def test_the_bare_command_opens_the_console_on_the_users_own_database(home: Path) -> None:
    child = _started()
    assert "EMBEDDED" in _screen(child, "No accounts yet")
    child.send("\x11")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert (home / "data" / "bank.db").exists()


def test_a_killed_console_opens_again_at_the_account_selected_last(
    bank: Path, home: Path, teller: Teller
) -> None:
    # The account without activity for longest: the worker moves those at the top meanwhile.
    by_activity = ("accounts", "list", "--sort", "-lastActivity", "--limit", "1", "--json")
    newest = teller(*by_activity).body
    last = teller(*by_activity, "--page", str(newest["pagination"]["total"])).body
    (wanted,) = [row["id"] for row in last["data"]]
    child, screen = _started(), pyte.Screen(80, 24)
    _screen(child, "enter: detail", screen)
    child.send("\x1b[F")
    _screen(child, wanted, screen)
    with _kept_views(home) as kept:
        while (kept("account") or {}).get("id") != wanted:
            _read_for(child, 0.05)
    child.kill(signal.SIGKILL)
    child.expect(pexpect.EOF)
    child.close()
    assert child.signalstatus == signal.SIGKILL
    again = _started()
    _screen(again, wanted)
    again.send("\x11")
    again.expect(pexpect.EOF)
    again.close()
    assert again.exitstatus == 0


def _read_for(child: "pexpect.spawn[bytes]", seconds: float) -> None:
    """A terminal that nobody reads stops the program behind it."""
    with suppress(pexpect.TIMEOUT):
        child.read_nonblocking(65_536, timeout=seconds)


@contextmanager
def _kept_views(home: Path) -> Iterator[Callable[[str], dict[str, object] | None]]:
    """What the desk's own file holds of a view now, within ``_TIMEOUT_S``."""
    ends = time.monotonic() + _TIMEOUT_S
    (file,) = (home / "state").rglob("*.db")
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:

        def view(name: str) -> dict[str, object] | None:
            assert time.monotonic() < ends, f"{name} wasn't saved"
            found = database.execute("SELECT value FROM view WHERE name = ?", (name,)).fetchone()
            return None if found is None else json.loads(found[0])

        yield view


def test_a_broken_configuration_is_told_before_the_console_opens(home: Path) -> None:
    (home / "config.toml").write_text("[engine]\nsed = 1\n", encoding="utf-8")
    child = _started()
    child.expect_exact("unknown key engine.sed, did you mean engine.seed?")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 2


def test_a_profile_is_switched_to_without_leaving_the_program(home: Path) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(
        '[profiles.north]\nkind = "embedded"\nlabel = "North"\n'
        f'database = "sqlite:///{home}/north.db"\n'
        '[profiles.south]\nkind = "embedded"\nlabel = "South"\nread_only = true\n'
        f'database = "sqlite:///{home}/south.db"\n'
    )
    child, screen = _started("--profile", "north"), pyte.Screen(80, 24)
    _screen(child, "No accounts yet.", screen)
    child.send(":hide\r")
    _screen(child, "North simulated HIDDEN rw", screen)
    child.send(":")
    child.send("profile: south")
    _screen(child, "profile: south  embedded", screen)
    child.send("\r")
    shown = _screen(child, "South simulated HIDDEN read-only", screen)
    assert "North" not in shown
    _screen(child, "No accounts yet.", screen)
    child.send("\x11")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_a_place_that_never_answers_shows_the_profiles_within_five_seconds(home: Path) -> None:
    home.mkdir(exist_ok=True)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        (home / "config.toml").write_text(
            f'[profiles.far]\nkind = "remote"\nurl = "{url}"\nkey_env = "FAR_KEY"\n'
        )
        child, screen = _started("--profile", "far", FAR_KEY="key"), pyte.Screen(80, 24)
        _screen(child, "starting", screen)
        began = time.monotonic()
        assert f"No answer from {url}" in _screen(child, "far can't be used", screen)
        assert time.monotonic() - began < 4.5
        child.send("\x11")
        child.expect(pexpect.EOF)
        child.close()
