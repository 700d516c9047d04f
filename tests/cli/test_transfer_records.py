"""Deposits, withdrawals, quotes, counterparties and events as records."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Teller
from tests.cli.program import environment
from tests.world.waiting import PATIENCE_S

from chainteller.cli.sample_wallets import sign_challenge

ERIN = "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65"


@pytest.fixture
def account(bank: Path, teller: Teller, monkeypatch: pytest.MonkeyPatch) -> str:
    """A trading account of DDA-1001 with 500.00 USD; withdrawals leave after ten minutes."""
    monkeypatch.setenv("CHAINTELLER_ENGINE__WITHDRAWAL_DELAY_S", "600")
    opened = teller("accounts", "open", "DDA-1001", "--type", "checking", "--json").body["id"]
    teller("deposit", opened, "500")
    return str(opened)


def test_a_transfer_is_found_by_its_id_alone_and_only_as_what_it_is(
    account: str, teller: Teller
) -> None:
    deposit = teller("deposit", account, "25", "--json").body
    withdrawal = teller("withdraw", account, "5", "--yes", "--json").body
    for group, mine, other in (
        ("deposits", deposit, withdrawal),
        ("withdrawals", withdrawal, deposit),
    ):
        shown = teller(group, "show", mine["id"], "--json").body
        assert shown == teller(group, "show", account, mine["id"], "--json").body
        assert shown == teller("transactions", "show", mine["id"], "--json").body
        assert shown["amount"] == mine["amount"]
        for word in ("show", "receipt"):
            for wrong in (other["id"], "TXN_NOBODY"):
                refused = teller(group, word, wrong, "--json")
                assert (refused.code, refused.body["error"]) == (1, "NOT_FOUND")
            assert teller(group, word, "TDA_NOBODY", mine["id"]).code == 1
            assert teller(group, word, account, mine["id"], "more").code == 2
        receipt = teller(group, "receipt", mine["id"])
        assert receipt.out.startswith(f"RECEIPT OF A {group[:-1].upper()}")
        assert mine["id"] in receipt.out
        assert teller(group, "receipt", mine["id"], "--json").body[group[:-1]] == shown
        assert teller(group, "receipt", mine["id"], "--format", "csv").code == 0
    refused = teller("trades", "receipt", account, deposit["id"])
    assert (refused.code, "RECEIPT" in refused.out) == (1, False)


def test_transfers_of_every_account_are_listed_newest_first_and_filtered(
    account: str, teller: Teller
) -> None:
    mine = teller("withdraw", account, "5", "--yes", "--json").body
    first = teller("withdrawals", "list", "--limit", "2", "--json").body
    assert first["data"][0]["id"] == mine["id"]
    assert first["pagination"]["total"] > 2
    whole = teller("withdrawals", "list", "--all", "--json").body
    assert whole["pagination"] == {
        "total": first["pagination"]["total"], "page": 1, "limit": len(whole["data"]),
    }  # fmt: skip
    moments = [each["created"] for each in whole["data"]]
    assert moments == sorted(moments, reverse=True)
    assert len({each["tradingAccountId"] for each in whole["data"]}) > 2
    assert {each["type"] for each in whole["data"]} == {"withdrawal-transaction"}
    second = teller("withdrawals", "list", "--limit", "2", "--page", "2", "--json").body["data"]
    assert first["data"] + second == whole["data"][:4]
    held = teller("withdrawals", "list", "--status", "processing", "--json").body["data"]
    assert mine["id"] in {each["id"] for each in held}
    assert {each["status"] for each in held} == {"processing"}
    assert teller("withdrawals", "list", account, "--json").body["data"] == [first["data"][0]]


@pytest.mark.parametrize("listed", ["deposits", "withdrawals", "trades", "quotes", "decisions"])
def test_a_status_that_there_is_not_is_refused_with_those_that_there_are(
    teller: Teller, listed: str
) -> None:
    ended = teller(listed, "list", "--status", "bogus", "--json")
    assert (ended.code, ended.body["error"]) == (2, "USAGE")
    assert any(each in ended.body["message"] for each in ("'completed'", "'open'", "'settled'"))


def test_a_cancellation_needs_a_terminal_or_yes_and_is_repeated_safely(
    account: str, teller: Teller
) -> None:
    held = teller("withdraw", account, "5", "--yes", "--json").body["id"]
    asked = teller("withdrawals", "cancel", held)
    assert (asked.code, asked.out) == (2, "")
    assert asked.complaint[-1] == "Next: Add --yes to confirm in advance."
    assert teller("withdrawals", "show", held, "--json").body["status"] == "processing"
    assert "Can be cancelled until it's sent" in teller("withdrawals", "show", held).out
    cancelled = teller("withdrawals", "cancel", held, "--yes", "--json")
    assert (cancelled.code, cancelled.body["status"]) == (0, "cancelled")
    shown = teller("withdrawals", "show", held).out
    assert "The withdrawal is already cancelled." in shown
    again = teller("withdrawals", "cancel", account, held, "--yes", "--json")
    assert (again.code, again.body) == (0, cancelled.body)
    actions = [row["action"] for row in teller("--json", "audit", "list").body["data"]]
    assert actions.count("cancel_withdrawal") == 1


def test_a_withdrawal_that_has_left_is_refused_as_the_service_would_without_a_question(
    account: str, teller: Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINTELLER_ENGINE__WITHDRAWAL_DELAY_S", "0")
    gone = teller("withdraw", account, "5", "--yes", "--json").body["id"]
    status = teller("withdrawals", "show", gone, "--json").body["status"]
    refused = teller("withdrawals", "cancel", gone, "--yes", "--json")
    assert (refused.code, refused.body["error"]) == (1, "WITHDRAWAL_NOT_CANCELLABLE")
    assert refused.body["details"]["status"] == status
    assert f"The withdrawal has the status {status}: it can no longer be cancelled." in refused.err


def test_days_are_whole_days_in_utc_and_both_are_included(account: str, teller: Teller) -> None:
    rows = teller("deposits", "list", "--all", "--json").body["data"]
    days = sorted({row["created"][:10] for row in rows})
    first, last = days[2], days[-3]
    for group in (("deposits", "list"), ("audit", "list"), ("accounts", "list")):
        every = teller(*group, "--all", "--json").body["data"]
        found = teller(*group, "--all", "--from", first, "--to", last, "--json").body["data"]
        moment = "at" if "at" in every[0] else "created"
        assert found == [row for row in every if first <= row[moment][:10] <= last]
        assert 0 < len(found) < len(every)
        page = teller(*group, "--from", first, "--to", last, "--limit", "3", "--json").body
        assert page["data"] == found[:3]
        assert page["pagination"] == {"total": len(found), "page": 1, "limit": 3}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--from", "2026-11-21", "--to", "2026-11-20"), "--from 2026-11-21 is after --to"),
        (("--from", "20.11.2026"), "write a day as YYYY-MM-DD"),
        (("--from", "2026-02-30"), "write a day as YYYY-MM-DD"),
        (("--to", "2026-11-20T00:00:00Z"), "write a day as YYYY-MM-DD"),
        (("--to", "٢٠٢٦-11-20"), "write a day as YYYY-MM-DD"),
        (("--all", "--page", "2"), "--all is every page"),
        (("--limit", "101"), "1<=x<=100"),
    ],
)
def test_a_list_that_cannot_be_understood_is_usage(
    bank: Path, teller: Teller, arguments: tuple[str, ...], said: str
) -> None:
    ended = teller("deposits", "list", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_the_first_and_the_last_day_are_days(bank: Path, teller: Teller, day: str) -> None:
    assert teller("deposits", "list", "--from", day).code == 0
    assert teller("deposits", "list", "--to", day).code == 0


def test_a_statement_since_the_first_day_names_it(account: str, teller: Teller) -> None:
    period = ("--from", "0001-01-01", "--to", "0001-12-31")
    assert " 0001-01-01 to 0001-12-31 (UTC)\n" in teller("statement", account, *period).out


def test_a_formula_in_a_name_is_no_formula_in_a_csv_file(
    bank: Path, teller: Teller, tmp_path: Path
) -> None:
    teller("keys", "create", "--name", "=HYPERLINK(1)")
    assert '"name":"=HYPERLINK(1)"' in teller("keys", "list", "--json").out
    assert ",'=HYPERLINK(1)," in teller("keys", "list", "--format", "csv").out


@pytest.mark.parametrize("group", ["deposits", "withdrawals", "trades", "quotes"])
def test_an_empty_account_is_not_every_account(account: str, teller: Teller, group: str) -> None:
    ended = teller(group, "list", "", "--json")
    assert (ended.code, ended.body["error"]) == (1, "NOT_FOUND")


def test_quotes_are_listed_of_an_account_and_shown(account: str, teller: Teller) -> None:
    line = ("quote", "sol-usd", "buy", "10", "--account", account, "--json")
    made = [teller(*line).body["data"][0] for _ in range(2)]
    listed = teller("quotes", "list", account, "--json").body
    assert [each["id"] for each in listed["data"]] == [each["id"] for each in reversed(made)]
    assert teller("quotes", "show", made[0]["id"], "--json").body == listed["data"][1]
    assert teller("quotes", "list", "--json").body["pagination"]["total"] > 2
    none = teller("quotes", "list", account, "--side", "sell", "--json").body
    assert none["data"] == []
    unknown = teller("quotes", "list", "TDA_NOBODY", "--json")
    assert (unknown.code, unknown.body["error"]) == (1, "NOT_FOUND")


def test_a_verification_is_ended_and_its_steps_are_shown(account: str, teller: Teller) -> None:
    custody = ("--account", "BCA_SAMPLE1")
    wallet = teller("wallets", "register", ERIN, "--network", "ethereum", "--json").body["id"]
    challenge = teller("wallets", "challenge", wallet, *custody, "--json").body
    signed = sign_challenge("erin-ethereum", challenge["challenge"], None, None)
    claim = teller("wallets", "claim", challenge["id"], signed, "--json").body
    linked = teller("wallets", "link", claim["id"], "--json").body
    assert teller("counterparties", "show", wallet, "--json").body["address"] == ERIN
    found = teller("counterparties", "list", "--text", ERIN, "--json").body["data"]
    assert [each["id"] for each in found] == [wallet]
    shown = teller("wallets", "challenges", *custody, "--json").body["data"]
    assert challenge["id"] in {each["id"] for each in shown}
    assert teller("wallets", "show", claim["id"], "--json").body["challengeId"] == challenge["id"]
    assert teller("wallets", "show", challenge["id"], "--json").body["id"] == challenge["id"]
    refused = teller("wallets", "reverify", wallet, *custody, "--reason", "BECAUSE", "--json")
    assert (refused.code, refused.body["error"]) == (1, "VALIDATION_ERROR")
    ended = teller("wallets", "reverify", wallet, *custody, "--reason", "AGENT_REQUEST", "--json")
    assert ended.code == 0
    assert ended.body["verification"]["status"] != linked["verification"]["status"]


def test_events_are_read_from_a_cursor_on(account: str, teller: Teller) -> None:
    first = teller("events", "--limit", "3", "--json").body
    everything = teller("events", "--all", "--json").body["data"]
    numbers = [each["seq"] for each in everything]
    assert numbers == sorted({*numbers})
    assert len({each["id"] for each in everything}) == len(numbers) > 200
    assert first["data"] == everything[:3]
    third = str(first["next"])
    after = teller("events", "--after", third, "--limit", "2", "--json").body
    assert after["data"] == everything[3:5]
    whole = teller("events", "--after", str(numbers[99]), "--all", "--json").body
    # Work that falls due meanwhile adds events.
    assert whole["data"][: len(everything) - 100] == everything[100:]
    newest = teller("events", "--after", "-1", "--json").body
    assert newest["data"] == []
    assert newest["next"] >= whole["next"]
    ahead = teller("events", "--after", str(2**53 - 1), "--all")
    assert ahead.out == "no events\n"
    assert teller("events", "--all", "--limit", "3").code == 2
    assert "may be missing" in ahead.err
    for line in (("events",), ("events", "--all")):
        assert teller(*line, "--after", str(2**53 - 1), "--json").body["reset"] is True
    for wrong in (("--after", "-2"), ("--follow", "--all"), ("--follow", "--output", "x")):
        assert teller("events", *wrong).code == 2


@pytest.mark.forms(1)
@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_followed_events_come_a_line_each_and_end_with_the_reader(
    account: str, teller: Teller, form: str
) -> None:
    newest = teller("events", "--after", "-1", "--json").body["next"]
    process = subprocess.Popen(
        [sys.executable, "-m", "chainteller", "events", "--follow", "--after", str(newest),
         "--format", form],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(CHAINTELLER_DESK__POLL_INTERVAL_S="0.05"),
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    if form == "csv":
        assert process.stdout.readline() == "seq,at,type,resource,id\n"
    for _ in range(2):
        made = teller("deposit", account, "1", "--json").body["id"]
        # Others' work that falls due is followed as well.
        line = next(each for each in process.stdout if made in each)
        if form == "json":
            assert json.loads(line)["resource"] == made
        if "completed" not in line:
            assert any("completed" in each and made in each for each in process.stdout)
    process.terminate()
    process.wait(timeout=PATIENCE_S)
    process.stdout.close()
    process.stderr.close()
