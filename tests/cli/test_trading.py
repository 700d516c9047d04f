"""Part A by commands, on the sample bank."""

import csv
import json
import re
import shutil
from pathlib import Path

import pytest
from tests.cli.conftest import Teller

pytestmark = pytest.mark.usefixtures("bank")


@pytest.fixture
def account(bank: Path, teller: Teller) -> str:
    """A trading account of DDA-1001, empty; its bank account holds 25,000.00 USD."""
    opened = teller("accounts", "open", "DDA-1001", "--type", "checking", "--json")
    return str(opened.body["id"])


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fills and settlements are due immediately."""
    monkeypatch.setenv("CHAINTELLER_ENGINE__FILL_DELAY_S", "0")
    monkeypatch.setenv("CHAINTELLER_ENGINE__SETTLE_DELAY_S", "0")


@pytest.fixture
def much_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """No trade is filled before the test ends, however slow the machine is."""
    monkeypatch.setenv("CHAINTELLER_ENGINE__FILL_DELAY_S", "600")


def test_a_customer_is_found_by_bank_account(teller: Teller) -> None:
    found = teller("customers", "find", "DDA-1001", "--json").body["data"]
    assert [each["id"] for each in found[0]["bankAccounts"]] == ["DDA-1001"]
    assert "DDA-1001" in teller("customers", "find", "DDA-1001").out
    assert teller("customers", "find", "nobody at all").out.startswith("no matches")


@pytest.mark.parametrize(
    ("bank_account", "kind", "code"),
    [
        ("DDA-1003", "checking", "TERMS_NOT_ACCEPTED"),
        ("DDA-1004", "checking", "KYC_REQUIRED"),
        ("DDA-1001", "savings", "UNSUPPORTED_ACCOUNT_TYPE"),
        ("DDA-9999", "checking", "NOT_FOUND"),
        ("DDA-1001", "current", "VALIDATION_ERROR"),
    ],
)
def test_a_refusal_is_the_error_body_and_three_parts(
    teller: Teller, bank_account: str, kind: str, code: str
) -> None:
    ended = teller("accounts", "open", bank_account, "--type", kind, "--json")
    assert ended.code == 1
    assert set(ended.body) == {"error", "message", "details"}
    assert ended.body["error"] == code
    assert ended.complaint[0].startswith(f"{code}: ")
    assert ended.complaint[-1].startswith("Next: ")


def test_a_list_is_the_envelope(teller: Teller) -> None:
    body = teller("accounts", "list", "--limit", "3", "--page", "2", "--json").body
    assert len(body["data"]) == 3
    assert body["pagination"]["page"] == 2
    assert body["pagination"]["total"] > 6


def test_a_list_says_how_many_more_there_are(teller: Teller) -> None:
    assert "more with --page" in teller("accounts", "list", "--limit", "3").out.splitlines()[-1]


def test_a_list_without_rows_does_not_say_that_there_are_none(teller: Teller) -> None:
    assert teller("accounts", "list", "--page", "99").out.startswith("page 99 is empty: there are ")
    for arguments in (("--bank-account", "DDA-9999"), ("--text", "nobody at all")):
        assert teller("accounts", "list", *arguments).out == "no matches\n"


def test_one_line_funds_trades_and_waits_until_it_is_settled(
    teller: Teller, account: str, at_once: None
) -> None:
    ended = teller(
        "trade", "buy", "sol-usd", "--spend", "1000", "--account", account,
        "--fund", "--yes", "--wait", "--json",
    )  # fmt: skip
    assert ended.code == 0
    assert ended.body["status"] == "settled"
    assert ended.body["assetSold"]["amount"] == "1000.00"
    assert "deposit 1000.00 USD: 0.00 is available" in ended.err
    assert ended.err.splitlines()[-1] == f"{ended.body['id']}  settled"
    balances = teller("accounts", "balances", account, "--json").body["data"]
    assert [each["token"]["symbol"] for each in balances] == ["SOL"]


def test_only_the_shortfall_is_deposited(teller: Teller, account: str) -> None:
    assert teller("deposit", account, "250.50").code == 0
    assert teller("accounts", "balances", account).out.splitlines()[1].split()[0] == "USD"
    ended = teller(
        "trade", "buy", "btc-usd", "--spend", "300", "--account", account, "--fund", "--yes"
    )
    assert ended.code == 0
    assert "deposit 49.50 USD: 250.50 is available" in ended.err


def test_without_fund_a_shortfall_is_refused(teller: Teller, account: str) -> None:
    ended = teller(
        "trade", "buy", "sol-usd", "--spend", "10", "--account", account, "--yes", "--json"
    )
    assert ended.code == 1
    assert ended.body["error"] == "INSUFFICIENT_FUNDS"
    assert ended.body["details"]["required"] == "10.00"


def test_the_same_line_under_the_same_key_trades_once(teller: Teller, account: str) -> None:
    line = (
        "trade", "buy", "sol-usd", "--spend", "10", "--account", account,
        "--fund", "--yes", "--json", "--idempotency-key", "ticket-4711",
    )  # fmt: skip
    first, second = teller(*line), teller(*line)
    assert (first.code, second.code) == (0, 0)
    assert first.body["id"] == second.body["id"]
    assert teller("trades", "list", account, "--json").body["pagination"]["total"] == 1


@pytest.mark.parametrize(
    "line", ["deposit {} 5", "trade buy sol-usd --spend 5 --account {} --fund --yes"]
)
def test_an_empty_key_repeats_nothing_and_moves_nothing(
    teller: Teller, account: str, line: str
) -> None:
    ended = teller(*line.format(account).split(), "--idempotency-key", "", "--json")
    assert (ended.code, ended.body["error"]) == (2, "USAGE")
    assert teller("transactions", "list", account, "--json").body["data"] == []


def test_a_trade_is_shown_by_its_id_alone(teller: Teller, account: str, much_later: None) -> None:
    line = ("trade", "buy", "sol-usd", "--spend", "10", "--account", account, "--fund", "--yes")
    made = teller(*line, "--json").body
    shown = teller("trades", "show", made["id"], "--json")
    assert shown.body["id"] == made["id"]
    assert "Can be cancelled until executed" in teller("trades", "show", made["id"]).out
    assert shown.body == teller("trades", "show", account, made["id"], "--json").body
    rows = teller("--json", "audit", "list").body["data"]
    deposit = next(row["object"] for row in rows if row["action"] == "deposit")
    for word in ("show", "text", "receipt", "cancel"):
        for unknown in ("TXN_NOBODY", deposit):
            assert (refused := teller("trades", word, unknown)).code == 1
            assert "NOT_FOUND" in refused.err
        assert teller("trades", word, account, made["id"], "more").code == 2
        assert teller("trades", word).code == 2


def _without_head(receipt: str) -> str:
    """Without its last hash: the newest audit row may be of another customer's trade."""
    return re.sub(r"[0-9a-f]{64}(?![\s\S]*[0-9a-f]{64})", "", receipt)


def test_a_trades_text_receipt_and_cancellation_need_no_account(
    teller: Teller, account: str, much_later: None
) -> None:
    line = ("trade", "buy", "sol-usd", "--spend", "10", "--account", account, "--fund", "--yes")
    made = teller(*line, "--json").body
    for word in (("text",), ("receipt", "--format", "csv"), ("receipt",)):
        alone = teller("trades", *word, made["id"])
        assert alone.code == 0
        named = teller("trades", *word, account, made["id"])
        assert _without_head(alone.out) == _without_head(named.out)
    cancelled = teller("trades", "cancel", made["id"], "--json").body
    assert (cancelled["id"], cancelled["status"]) == (made["id"], "cancelled")
    assert cancelled == teller("trades", "cancel", account, made["id"], "--json").body


def test_a_quote_is_executed_and_its_trade_cancelled(
    teller: Teller, account: str, much_later: None
) -> None:
    teller("deposit", account, "100", "--currency", "USDC@solana")
    quoted = teller("quote", "eth-usd", "BUY", "100", "--json").body
    assert quoted["pagination"]["total"] == 1
    quote = quoted["data"][0]
    made = teller("execute", quote["id"], "--account", account, "--json").body
    assert (made["status"], made["price"]) == ("processing", quote["price"])
    again = teller("execute", quote["id"], "--account", account, "--json")
    assert (again.code, again.body["error"]) == (1, "QUOTE_ALREADY_USED")
    shown = teller("trades", "show", account, made["id"], "--json").body
    assert shown["id"] == made["id"]
    cancelled = teller("trades", "cancel", account, made["id"], "--json").body
    assert cancelled["status"] == "cancelled"


def test_waiting_for_a_trade_that_is_cancelled_ends_with_1(
    teller: Teller, account: str, much_later: None
) -> None:
    teller("deposit", account, "50")
    line = (
        "trade", "buy", "sol-usd", "--spend", "10", "--account", account, "--yes", "--json",
        "--idempotency-key", "k-9",
    )  # fmt: skip
    made = teller(*line).body
    teller("trades", "cancel", account, made["id"])
    ended = teller(*line, "--wait")
    assert ended.code == 1
    assert ended.body["status"] == "cancelled"


def test_trades_settle_with_no_server_running(teller: Teller, account: str, at_once: None) -> None:
    teller("deposit", account, "20")
    made = teller(
        "trade", "buy", "sol-usd", "--spend", "20", "--account", account, "--yes", "--json"
    ).body
    shown = teller("trades", "show", account, made["id"], "--json").body
    assert shown["status"] in {"executed", "settled"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("trade", "buy", "sol-usd", "--spend", "10", "--account", "TDA_1"),
        ("withdraw", "TDA_1", "10"),
    ],
)
def test_money_needs_a_yes_where_nobody_can_be_asked(
    teller: Teller, arguments: tuple[str, ...]
) -> None:
    ended = teller(*arguments)
    assert ended.code == 2
    assert ended.complaint[-1] == "Next: Add --yes to confirm in advance."


def test_a_withdrawal_goes_to_the_bank_account(teller: Teller, account: str) -> None:
    teller("deposit", account, "100")
    made = teller("withdraw", account, "60", "--yes", "--json").body
    assert (made["type"], made["amount"]) == ("withdrawal-transaction", "60.00")
    assert made["destination"]["bankAccountId"] == "DDA-1001"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("10", "--currency", "USDC"), "isn't a currency"),
        (("10", "--via", "BCA_1"), "--via goes with --to"),
        (("10", "--to", "CPT_1"), "names its currency"),
    ],
)
def test_a_withdrawal_that_cannot_be_understood_is_usage(
    teller: Teller, account: str, arguments: tuple[str, ...], said: str
) -> None:
    ended = teller("withdraw", account, *arguments, "--yes")
    assert ended.code == 2
    assert said in ended.err


def test_read_only_refuses_every_change_and_answers_reads(teller: Teller, account: str) -> None:
    refused = teller("deposit", account, "10", "--read-only")
    assert refused.code == 1
    assert refused.complaint[0].startswith("READ_ONLY: ")
    assert teller("--read-only", "accounts", "balances", account).code == 0
    assert teller("accounts", "balances", account, "--json").body["data"] == []


def test_a_market_in_maintenance_is_listed_and_refused(
    teller: Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINTELLER_ENGINE__MAINTENANCE", "sol-usd")
    assert "MAINTENANCE" in teller("markets").out
    ended = teller("quote", "sol-usd", "buy", "10", "--json")
    assert ended.body["error"] == "MARKET_UNAVAILABLE"
    assert ended.body["details"]["reason"] == "MAINTENANCE"


def test_the_configured_limits_hold(
    teller: Teller, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINTELLER_SERVICE__LIMITS__OWN_BANK_PER_TRANSACTION", "50.00")
    teller("deposit", account, "100")
    ended = teller("withdraw", account, "50.01", "--yes", "--json")
    assert ended.body["error"] == "LIMIT_EXCEEDED"
    assert ended.body["details"]["limit"] == "50.00"


def test_every_write_is_in_the_audit_trail_in_the_operators_name(
    teller: Teller, account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINTELLER_DESK__OPERATOR", "op01")
    made = teller("deposit", account, "100", "--json").body
    rows = teller("audit", "list", "--object", made["id"], "--json").body["data"]
    assert [(row["actor"], row["outcome"]) for row in rows] == [("op01", "done")]
    trail = teller("audit", "list", "--account", account, "--json").body["data"]
    assert trail == [*rows, *teller("audit", "list", "--object", account, "--json").body["data"]]
    assert teller("audit", "verify").code == 0


def test_the_audit_trail_is_exported_oldest_first(
    teller: Teller, bank: Path, small_world: Path, tmp_path: Path
) -> None:
    shutil.copyfile(small_world, bank)
    file = tmp_path / "audit.jsonl"
    told = teller("audit", "export", str(file), "--json").body
    lines = file.read_text(encoding="utf-8").splitlines()
    assert told["rows"] == len(lines)
    assert '"seq":1,' in lines[0]
    assert told["head"] in lines[-1]
    assert teller("audit", "export", str(file)).code == 2
    table = file.with_suffix(".csv")
    teller("audit", "export", str(table))
    heading, *rows = csv.reader(table.read_text(encoding="utf-8").splitlines())
    shown = [dict(zip(heading, row, strict=True)) for row in rows[: len(lines)]]
    kept = [json.loads(each) for each in lines]
    assert [each["hash"] for each in shown] == [each["hash"] for each in kept]
    again = table.with_name("again.csv")
    teller("audit", "export", str(again), "--format", "jsonl")
    assert again.read_text(encoding="utf-8").splitlines()[: len(lines)] == lines


def test_hostile_text_reaches_no_terminal(teller: Teller) -> None:
    ended = teller("customers", "find", "\x1b]52;c;aGk=\x1b\\ \u202e")
    assert "\x1b" not in ended.out + ended.err
    ended = teller("accounts", "show", "TDA_\x1b[31m\u202e")
    assert "\x1b" not in ended.out + ended.err
    assert "\u202e" not in ended.out + ended.err


def test_a_refusal_names_the_money_that_is_short_and_each_field_on_a_line(
    teller: Teller, account: str
) -> None:
    short = teller("deposit", account, "99999999")
    assert "The bank account's balance is insufficient." in short.err
    assert "Choose a smaller amount." in short.err
    refused = teller("deposit", account, "1e3").err.splitlines()
    assert (
        refused[1] == "  amount: Use only digits and a decimal point, for example 1500 or 1,500.00."
    )


def test_a_quote_bound_to_an_account_says_how_it_is_executed(teller: Teller, account: str) -> None:
    teller("deposit", account, "20")
    shown = teller("quote", "sol-usd", "buy", "10", "--account", account).out
    line = next(line for line in shown.splitlines() if line.startswith("next"))
    assert teller(*line.split()[2:]).code == 0
