"""What needs a terminal: questions, and the console's first screen."""

import json
import shutil
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.cli.conftest import Teller
from tests.world.files import made_once
from tests.world.terminal import Terminal
from tests.world.waiting import PATIENCE_S

from chainteller.bootstrap import _PROBE_DEADLINE_S
from chainteller.cli.desk import DEMO_SEED
from chainteller.paths import HOME_VARIABLE, locate
from chainteller.sample_worlds import make_past
from chainteller.sqlite import sqlite3
from chainteller.storage.upkeep.worlds import kept_world, sample_world


def _started(*arguments: str, **variables: str) -> Terminal:
    return Terminal(*arguments, variables=variables, size=(80, 24))


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
    program = _started("trade", "buy", "sol-usd", "--spend", "10", "--account", account)
    program.child.expect_exact("Continue? Type y and press enter: ")
    program.child.sendline(answer)
    assert program.ended() == code
    found = teller("trades", "list", account, "--json").body
    assert found["pagination"]["total"] == trades


def test_a_withdrawal_names_amount_account_and_target(account: str) -> None:
    program = _started("withdraw", account, "12.50")
    program.child.expect_exact(
        f"Withdraw 12.50 USD from {account} of Rowan Merriweather to the customer's bank account."
    )
    program.child.sendline("y")
    assert program.ended() == 0


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
    program = _started("withdrawals", "cancel", held)
    program.child.expect_exact(
        f"Cancel withdrawal {held} of 12.50 USD to DDA-1001 from {account} of Rowan Merriweather."
    )
    program.child.sendline(answer)
    assert program.ended() == code
    found = {each: teller("withdrawals", "show", each, "--json").body for each in (held, other)}
    assert [each["status"] for each in found.values()] == [status, "processing"]


def test_a_withdrawal_that_is_cancelled_already_is_shown_without_a_question(
    account: str, teller: Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINTELLER_ENGINE__WITHDRAWAL_DELAY_S", "600")
    held = teller("withdraw", account, "5", "--yes", "--json").body["id"]
    teller("withdrawals", "cancel", held, "--yes")
    program = _started("withdrawals", "cancel", held)
    assert program.ended() == 0
    assert b"Go on?" not in program.child.before
    assert b"cancelled" in program.child.before


def test_a_withdrawal_that_has_left_is_refused_without_a_question(
    bank: Path, teller: Teller
) -> None:
    gone = teller("withdrawals", "list", "--status", "completed", "--json").body["data"][0]["id"]
    program = _started("withdrawals", "cancel", gone)
    assert program.ended() == 1
    assert b"Go on?" not in program.child.before
    assert b"WITHDRAWAL_NOT_CANCELLABLE" in program.child.before


@pytest.fixture
def kept_demo(home: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What a demo of earlier that day keeps."""
    made = made_once(tmp_path_factory, "demo.db", lambda file: make_past(file, DEMO_SEED))

    def copy(draft: Path) -> None:
        shutil.copyfile(made, draft)

    kept_world(sample_world(locate({HOME_VARIABLE: str(home)}), DEMO_SEED), copy)


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGHUP, 129), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.thorough)],
)
def test_the_demo_shows_accounts_and_leaves_nothing_but_a_cache(
    kept_demo: None, home: Path, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    (tmp_path / "tmp").mkdir()
    program = _started("demo", TMPDIR=str(tmp_path / "tmp"))
    assert "DEMO" in program.until("TDA_")
    assert len(list((tmp_path / "tmp").iterdir())) == 1
    assert program.kill(number) == code
    assert list((tmp_path / "tmp").iterdir()) == []
    assert [file.name for file in home.iterdir()] == ["cache"]


def test_the_bare_command_opens_the_console_on_the_users_own_database(home: Path) -> None:
    program = _started()
    assert "EMBEDDED" in program.until("No accounts yet")
    assert program.quit() == 0
    assert (home / "data" / "bank.db").exists()


def test_a_killed_console_opens_again_at_the_account_selected_last(
    bank: Path, home: Path, teller: Teller
) -> None:
    # The account without activity for longest: the worker moves those at the top meanwhile.
    by_activity = ("accounts", "list", "--sort", "-lastActivity", "--limit", "1", "--json")
    newest = teller(*by_activity).body
    last = teller(*by_activity, "--page", str(newest["pagination"]["total"])).body
    (wanted,) = [row["id"] for row in last["data"]]
    program = _started()
    program.until("enter: detail")
    program.press("\x1b[F", wanted)
    with _kept_views(home) as kept:
        while (kept("account") or {}).get("id") != wanted:
            program.read_for(0.05)
    assert program.kill(signal.SIGKILL) == signal.SIGKILL
    again = _started()
    again.until(wanted)
    assert again.quit() == 0


@contextmanager
def _kept_views(home: Path) -> Iterator[Callable[[str], dict[str, object] | None]]:
    """What the desk's own file holds of a view now, within ``PATIENCE_S``."""
    ends = time.monotonic() + PATIENCE_S
    (file,) = (home / "state").rglob("*.db")
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:

        def view(name: str) -> dict[str, object] | None:
            assert time.monotonic() < ends, f"{name} wasn't saved"
            found = database.execute("SELECT value FROM view WHERE name = ?", (name,)).fetchone()
            return None if found is None else json.loads(found[0])

        yield view


def test_a_broken_configuration_is_told_before_the_console_opens(home: Path) -> None:
    (home / "config.toml").write_text("[engine]\nsed = 1\n", encoding="utf-8")
    program = _started()
    program.child.expect_exact("unknown key engine.sed, did you mean engine.seed?")
    assert program.ended() == 2


def test_a_profile_is_switched_to_without_leaving_the_program(home: Path) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(
        '[profiles.north]\nkind = "embedded"\nlabel = "North"\n'
        f'database = "sqlite:///{home}/north.db"\n'
        '[profiles.south]\nkind = "embedded"\nlabel = "South"\nread_only = true\n'
        f'database = "sqlite:///{home}/south.db"\n'
    )
    program = _started("--profile", "north")
    program.until("No accounts yet.")
    program.press(":hide\r", "North simulated HIDDEN rw")
    program.press(":")
    program.press("profile: south", "profile: south  embedded")
    assert "North" not in program.press("\r", "South simulated HIDDEN read-only")
    program.until("No accounts yet.")
    assert program.quit() == 0


def test_a_place_that_never_answers_shows_the_profiles_after_one_short_try(home: Path) -> None:
    assert _PROBE_DEADLINE_S < 5
    home.mkdir(exist_ok=True)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        (home / "config.toml").write_text(
            f'[profiles.far]\nkind = "remote"\nurl = "{url}"\nkey_env = "FAR_KEY"\n'
        )
        program = _started("--profile", "far", FAR_KEY="key")
        program.until("starting")
        assert f"No answer from {url}" in program.until("far can't be used")
        assert program.quit() == 0
        silent.setblocking(False)
        silent.accept()[0].close()
        with pytest.raises(BlockingIOError):
            silent.accept()
