"""The same commands against ``chainteller serve`` in a process of its own."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Teller
from tests.cli.program import environment, in_this_process
from tests.spec_only.place import spec_only_server
from tests.world.bank import build, sqlite_url
from tests.world.waiting import PATIENCE_S


@pytest.fixture(scope="module")
def deployed(
    sample_world: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, str, str]]:
    """The home of a deployment on the sample bank, its address, and a key."""
    home = tmp_path_factory.mktemp("remote")
    (home / "data").mkdir()
    shutil.copyfile(sample_world, home / "data" / "bank.db")
    place = {"CHAINTELLER_HOME": str(home)}
    key = in_this_process("keys", "create", "--name", "remote", **place).out.strip()
    process = subprocess.Popen(
        [sys.executable, "-m", "chainteller", "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env=environment(
            CHAINTELLER_ENGINE__FILL_DELAY_S="0",
            CHAINTELLER_ENGINE__SETTLE_DELAY_S="0",
            CHAINTELLER_ENGINE__WITHDRAWAL_DELAY_S="600",
            **place,
        ),
    )
    assert process.stdout is not None
    announced = process.stdout.readline()
    assert announced.startswith("listening on http://127.0.0.1:")
    yield home, announced.removeprefix("listening on ").strip(), key
    process.send_signal(signal.SIGTERM)
    rest, _ = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, rest) == (0, "")


@pytest.fixture
def served(deployed: tuple[Path, str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    """The deployment's address; its bank and its key are the environment's, too."""
    home, address, key = deployed
    monkeypatch.setenv("CHAINTELLER_HOME", str(home))
    monkeypatch.setenv("CHAINTELLER_API_KEY", key)
    return address


def test_a_remote_place_answers_as_the_embedded_one(served: str, teller: Teller) -> None:
    for line in (("customers", "find", "DDA-100"), ("blockchain-accounts", "list")):
        remote = teller("--url", served, *line, "--json").body
        assert remote["pagination"]["total"] > 1
        assert remote == teller(*line, "--json").body
    account = teller("accounts", "list", "--json").body["data"][0]["id"]
    asked = ("statement", account, "--from", "2026-01-01", "--to", "2026-01-02", "--format", "csv")
    assert teller("--url", served, *asked).out == teller(*asked).out != ""
    assert teller("--url", served, "info", "--json").body["place"].startswith("remote ")
    nothing = teller("--url", f"{served}/elsewhere", "accounts", "list")
    assert "accounts open" in nothing.out
    assert "db sample" not in nothing.out


def test_a_trade_is_followed_to_its_end(served: str, teller: Teller) -> None:
    account = teller("accounts", "list", "--limit", "1", "--json").body["data"][0]["id"]
    ended = teller(
        "trade", "buy", "sol-usd", "--spend", "25", "--account", account,
        "--fund", "--yes", "--wait", "--json", "--url", served,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert ended.body["status"] == "settled"


def test_refusals_of_a_deployment_are_told_alike(
    served: str, teller: Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = teller("accounts", "show", "TDA_NOBODY", "--json", "--url", served)
    embedded = teller("accounts", "show", "TDA_NOBODY", "--json")
    assert (remote.code, remote.body) == (embedded.code, embedded.body)
    assert remote.err == embedded.err
    monkeypatch.setenv("CHAINTELLER_API_KEY", "anything at all")
    ended = teller("markets", "--url", served)
    assert (ended.code, ended.complaint[0]) == (
        1,
        "UNAUTHORIZED: A valid API key is required.",
    )
    assert "CHAINTELLER_API_KEY" in ended.complaint[-1]
    assert "header" not in ended.err.lower()
    assert "Bearer" not in ended.err


@pytest.mark.parametrize("word", ["show", "text", "receipt", "cancel"])
def test_where_trades_are_not_found_by_id_the_account_is_asked_for(
    tmp_path: Path, teller: Teller, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    world = build(sqlite_url(tmp_path))
    monkeypatch.setenv("CHAINTELLER_API_KEY", world.key())
    with spec_only_server(world) as (address, _):
        refused = teller("--url", address, "trades", word, "TXN_1")
    world.engine.close()
    assert refused.code == 2
    assert "does not find a trade by its id alone" in refused.err
    assert f"chainteller trades {word} TDA_… TXN_…" in refused.err


@pytest.fixture
def bare(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a deployment of the specification and nothing else."""
    world = build(sqlite_url(tmp_path))
    monkeypatch.setenv("CHAINTELLER_API_KEY", world.key())
    with spec_only_server(world) as (address, _):
        yield address
    world.engine.close()


@pytest.mark.parametrize(
    "line",
    [
        ("deposits", "list"),
        ("deposits", "list", "TDA_1"),
        ("deposits", "show", "TXN_1"),
        ("deposits", "show", "TDA_1", "TXN_1"),
        ("deposits", "receipt", "TXN_1"),
        ("withdrawals", "list", "--status", "reviewing"),
        ("withdrawals", "show", "TXN_1"),
        ("withdrawals", "cancel", "TXN_1", "--yes"),
        ("withdrawals", "cancel", "TDA_1", "TXN_1", "--yes"),
        ("transactions", "list", "TDA_1"),
        ("transactions", "show", "TXN_1"),
        ("trades", "list"),
        ("quotes", "list"),
        ("quotes", "list", "TDA_1"),
        ("quotes", "show", "QTE_1"),
        ("counterparties", "list"),
        ("counterparties", "show", "CPT_1"),
        ("events",),
        ("events", "--follow"),
        ("prices", "sol-usd"),
        ("wallets", "reverify", "CPT_1", "--account", "BCA_1", "--reason", "AGENT_REQUEST"),
        ("wallets", "challenges", "--account", "BCA_1"),
        ("wallets", "show", "CLM_1"),
        ("audit", "list", "--from", "2026-11-01"),
    ],
    ids=" ".join,
)
def test_what_a_bare_deployment_does_not_offer_is_said_and_nothing_is_claimed(
    bare: str, teller: Teller, line: tuple[str, ...]
) -> None:
    ended = teller("--url", bare, *line)
    assert (ended.code, ended.out) == (1, "")
    assert ended.complaint[0].startswith("NOT_OFFERED: This deployment doesn't ")
    assert ended.complaint[-1].startswith("Next: ")
    assert teller("--url", bare, *line, "--json").body["error"] == "NOT_OFFERED"


def test_lists_of_a_bare_deployment_are_filtered_here_because_it_has_no_filters(
    bare: str, teller: Teller
) -> None:
    def made(*arguments: str) -> Any:
        return teller("--url", bare, *arguments, "--json").body

    account = made("accounts", "open", "DDA-1", "--type", "checking")["id"]
    made("deposit", account, "500")
    bought = [
        made("trade", "buy", market, "--spend", "50", "--account", account, "--yes")["id"]
        for market in ("sol-usd", "btc-usd")
    ]

    def ids(*arguments: str) -> list[str]:
        body = teller("--url", bare, "trades", "list", account, "--json", *arguments).body
        assert body["pagination"]["total"] == len(body["data"])
        return [each["id"] for each in body["data"]]

    assert sorted(ids()) == sorted(ids("--side", "buy")) == sorted(ids("--all")) == sorted(bought)
    assert ids("--market", "sol-usd") == bought[:1]
    assert ids("--market", "btc-usd", "--status", "processing") == bought[1:]
    assert ids("--side", "sell") == ids("--status", "settled") == ids("--to", "2000-01-01") == []


def test_a_status_that_a_remote_engine_of_this_version_has_not_is_refused(
    served: str, teller: Teller
) -> None:
    refused = teller("--url", served, "withdrawals", "list", "--status", "bogus", "--json")
    assert (refused.code, refused.body["error"]) == (2, "USAGE")
    assert "'--status': 'bogus' is not one of" in refused.body["message"]
    assert teller("--url", served, "withdrawals", "list", "--status", "COMPLETED").code == 0


def test_lists_and_transfers_of_a_remote_place_are_those_of_the_embedded_one(
    served: str, teller: Teller
) -> None:
    account, deposit = next(
        (each["tradingAccountId"], each["id"])
        for each in teller("deposits", "list", "--json").body["data"]
        if each["status"] == "completed"
    )
    for line in (
        ("deposits", "list", account, "--all", "--json"),
        ("deposits", "show", deposit, "--json"),
        ("deposits", "receipt", deposit),
        ("transactions", "list", account, "--from", "2026-01-01", "--format", "csv"),
        ("counterparties", "list", "--all", "--json"),
        ("quotes", "list", account, "--format", "csv"),
        ("events", "--limit", "10", "--json"),
    ):
        before, remote, after = teller(*line), teller("--url", served, *line), teller(*line)
        if before.out != after.out:  # work of the sample bank that was under way has ended
            remote = teller("--url", served, *line)
        assert (remote.code, remote.out) == (0, after.out), remote.err


def test_a_withdrawal_is_cancelled_at_a_remote_place(served: str, teller: Teller) -> None:
    def remote(*line: str) -> Any:
        return teller("--url", served, *line, "--json").body

    account = remote("accounts", "open", "DDA-1001", "--type", "checking")["id"]
    remote("deposit", account, "100")
    held, other = (remote("withdraw", account, "5", "--yes")["id"] for _ in range(2))
    assert remote("withdrawals", "cancel", held, "--yes")["status"] == "cancelled"
    assert remote("withdrawals", "show", other)["status"] == "processing"
    listed = remote("withdrawals", "list", "--status", "cancelled")["data"]
    assert held in {each["id"] for each in listed}
    gone = remote("withdrawals", "list", "--status", "completed")["data"][0]["id"]
    refused = teller("--url", served, "withdrawals", "cancel", gone, "--yes", "--json")
    assert (refused.code, refused.body["error"]) == (1, "WITHDRAWAL_NOT_CANCELLABLE")
