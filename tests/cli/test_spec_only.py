"""Commands and the plain desk on a deployment that offers the specification alone."""

import contextlib
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import chainteller
from tests.spec_only.place import spec_only_server
from tests.spec_only.server import SpecOnlyApp
from tests.spec_only.specification import SpecifiedCall
from tests.spec_only.wrong_answers import CALLS
from tests.tui.wallet_case import ADDRESSES, signed
from tests.world.bank import World, build, sqlite_url

from chainteller.cli.main import run
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.counterparties import Challenge, OpenBlockchainAccount

ONLY_SEEN = "This deployment doesn't offer this. You see only what this console has seen."
TIMES = (
    "2026-11-21T00:00:00.000+05:30",
    "2026-11-20T10:30:00-0800",
    "2026-11-20T18:30:00.123456789Z",
)


@dataclass(frozen=True, slots=True)
class Shell:
    """Runs our program against a spec-only deployment."""

    world: World
    app: SpecOnlyApp
    address: str
    key: str
    home: Path

    def run(self, *words: str, code: int = 0) -> str:
        """What a command prints, run in this process. Raises AssertionError with its errors for
        another exit code."""
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            for name, value in self._variables.items():
                patch.setenv(name, value)
            patch.setattr("sys.stdin", io.StringIO())
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                ended = run(["--url", self.address, *words])
        assert ended == code, err.getvalue()
        return out.getvalue() + err.getvalue()

    def type(self, typed: str, *words: str) -> str:
        """What the program prints that reads ``typed``, in a process of its own."""
        done = chainteller("--url", self.address, *words, given=typed, **self._variables)
        assert done.code == 0, done.err
        return done.out + done.err

    @property
    def _variables(self) -> dict[str, str]:
        return {"CHAINTELLER_HOME": str(self.home), "CHAINTELLER_API_KEY": self.key}


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    world = build(sqlite_url(tmp_path))
    with spec_only_server(world) as (address, app):
        yield Shell(world, app, address, world.key(), tmp_path / "home")
    world.engine.close()


def _opened(shell: Shell) -> str:
    told = shell.run("accounts", "open", "DDA-1", "--type", "checking", "--json")
    return str(json.loads(told)["id"])


def test_the_main_job_by_commands(shell: Shell) -> None:
    account_id = _opened(shell)
    assert "accepted" in shell.run("deposit", account_id, "500")
    asked = ("trade", "buy", "sol-usd", "--spend", "100", "--account", account_id, "--yes")
    trade = json.loads(shell.run(*asked, "--json").splitlines()[0])
    assert trade["tradingAccountId"] == account_id
    assert trade["id"] in shell.run("trades", "list", account_id)
    assert "cancelled" in shell.run("trades", "cancel", account_id, trade["id"])
    assert "was cancelled" in shell.run("trades", "text", account_id, trade["id"])
    assert "accepted" in shell.run("withdraw", account_id, "20", "--yes")
    assert "480.00" in shell.run("accounts", "balances", account_id)
    (paid,) = shell.world.engine.withdrawals(account_id).data
    assert paid.amount == "20.00"


def test_a_time_of_another_zone_is_shown_in_utc(shell: Shell) -> None:
    def distort(call: SpecifiedCall, _status: int, body: Any) -> bytes:
        if call.path == "/trading/markets":
            for row, at in zip(body["data"], TIMES, strict=True):
                row["at"] = at
        return json.dumps(body).encode()

    shell.app.distort = distort
    lines = shell.run("markets").splitlines()
    assert [line.split()[-1] for line in lines[1:]] == ["2026-11-20T18:30:00Z"] * len(TIMES)


def test_a_time_outside_the_calendar_is_no_time(shell: Shell) -> None:
    def distort(call: SpecifiedCall, _status: int, body: Any) -> bytes:
        if call.path == "/trading/markets":
            body["data"][0]["at"] = "0001-01-01T00:00:00+05:30"
        return json.dumps(body).encode()

    shell.app.distort = distort
    assert "REPLY_UNUSABLE" in shell.run("markets", code=1)


@pytest.mark.parametrize("every", [(), ("--all",)])
def test_a_list_that_the_deployment_cuts_is_not_called_whole(
    shell: Shell, every: tuple[str, ...]
) -> None:
    def distort(call: SpecifiedCall, _status: int, body: Any) -> bytes:
        if call.path == "/trading/markets":
            body["pagination"]["total"] = 40
        return json.dumps(body).encode()

    shell.app.distort = distort
    told = shell.run("markets", *every)
    assert told.endswith("page 1, 3 of 40; this deployment shows no more\n")


def test_nothing_is_sent_that_neither_the_deployment_nor_this_machine_would_remember(
    shell: Shell,
) -> None:
    """The printed line to repeat after a lost answer would do it a second time."""
    account_id = _opened(shell)
    (shell.home / "state").rename(shell.home / "before")
    (shell.home / "state").touch()
    refused = shell.run("deposit", account_id, "500", code=3)
    assert "NOT_RECORDED" in refused
    assert "Nothing was sent." in refused
    assert shell.world.engine.deposits(account_id).data == ()
    assert "QTE_" in shell.run("quote", "sol-usd", "buy", "100")


def test_what_is_missing_is_named(shell: Shell) -> None:
    account_id = _opened(shell)
    for words in (("quotes", "list"), ("statement", account_id)):
        assert "NOT_OFFERED" in shell.run(*words, code=1)


def test_a_status_of_another_program_is_a_filter_as_it_came(shell: Shell) -> None:
    account_id = _opened(shell)
    shell.run("deposit", account_id, "500")
    asked = ("trade", "buy", "sol-usd", "--spend", "100", "--account", account_id, "--yes")
    trade = json.loads(shell.run(*asked, "--json").splitlines()[0])["id"]

    def distort(call: SpecifiedCall, _status: int, body: Any) -> bytes:
        if call is CALLS["GET /trading-accounts/{}/trades"]:
            body["data"] = [each | {"status": "Parked"} for each in body["data"]]
        return json.dumps(body).encode()

    shell.app.distort = distort
    for word in ("Parked", "parked"):
        assert trade in shell.run("trades", "list", account_id, "--status", word)
    for word in ("settled", "bogus"):
        assert "no matches" in shell.run("trades", "list", account_id, "--status", word)


def test_accounts_are_listed_and_shown_as_far_as_this_desk_has_seen_them(shell: Shell) -> None:
    seen = _opened(shell)
    elsewhere = OpenTradingAccount(bank_account_id="DDA-2", bank_account_type="savings")
    unseen = shell.world.engine.open_trading_account(elsewhere).value.id
    listed = shell.run("accounts", "list")
    assert listed.count(ONLY_SEEN) == 1
    assert seen in listed
    assert unseen not in listed
    shown = shell.run("accounts", "show", seen)
    assert "DDA-1" in shown
    assert ONLY_SEEN in shown
    assert unseen in shell.run("accounts", "show", unseen), "its balances show that it exists"
    assert unseen in shell.run("accounts", "list"), "it was seen"
    assert "NOT_FOUND" in shell.run("accounts", "show", "TDA_NOBODY", code=1)
    filtered = shell.run("accounts", "list", "--text", "dda-1", "--json")
    (row,) = json.loads(filtered.splitlines()[0])["data"]
    assert row["id"] == seen
    assert seen not in shell.run("accounts", "list", "--from", "2020-01-01"), "when isn't known"


def test_a_wallet_by_commands(shell: Shell) -> None:
    account_id = _opened(shell)
    owned = OpenBlockchainAccount(trading_account_id=account_id, network="ethereum")
    owner = shell.world.engine.open_blockchain_account(owned).value.id
    address = ADDRESSES["alice-ethereum"]
    wallet = json.loads(
        shell.run("wallets", "register", address, "--network", "ethereum", "--json")
    )["id"]
    text = shell.run("wallets", "challenge", wallet, "--account", owner, "--json")
    challenge = Challenge.model_validate_json(text)
    claim = json.loads(
        shell.run("wallets", "claim", challenge.id, signed("alice-ethereum", challenge), "--json")
    )["id"]
    shell.run("wallets", "link", claim)
    assert "VerifiedCounterparty1P" in shell.run("wallets", "list", "--account", owner)


def test_the_plain_desk_says_once_that_there_are_no_events(shell: Shell) -> None:
    account_id = _opened(shell)
    typed = f"deposit {account_id} 50\naccounts balances {account_id}\nmarkets\nquit\n"
    told = shell.type(typed, "desk", "--plain")
    assert told.count("This deployment has no events") == 1
    assert "NOT_OFFERED" not in told
    assert "50.00" in told
    assert "sol-usd" in told
