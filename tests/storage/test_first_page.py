"""The account rows read without the engine are those that the engine lists."""

from pathlib import Path

from tests.world.bank import build, sqlite_url

from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.service.models.pages import ListQuery
from chainteller.storage.queries import first_page


def test_the_first_rows_are_those_of_the_engine(tmp_path: Path) -> None:
    world = build(sqlite_url(tmp_path))
    for number in (1, 2, 3):
        kind = "checking" if number % 2 else "savings"
        asked = OpenTradingAccount(bank_account_id=f"DDA-{number}", bank_account_type=kind)
        account = world.engine.open_trading_account(asked).value
        world.advance(60)
        token = Currency(type="deposit-token-currency", id="DPT_USD")
        world.engine.deposit(account.id, DepositRequest(amount=f"{number}.50", currency=token))
    listed = world.engine.trading_accounts(ListQuery(sort="-lastActivity", limit=2))
    found = first_page.first_accounts(tmp_path / "bank.db", 2)
    assert found is not None
    rows, total = found
    assert total == listed.pagination.total == 3
    for row, account in zip(rows, listed.data, strict=True):
        for name in (
            "id", "bank_account_id", "bank_account_type", "customer_name", "controls",
            "buying_power", "last_activity", "last_activity_type",
        ):  # fmt: skip
            assert getattr(row, name) == getattr(account, name), name
        assert row.crypto_value_usd is None
    world.engine.close()


def test_a_file_that_is_missing_strange_or_of_another_version_gives_nothing(tmp_path: Path) -> None:
    assert first_page.first_accounts(tmp_path / "none.db", 5) is None
    assert not (tmp_path / "none.db").exists()
    strange = tmp_path / "strange.db"
    strange.write_bytes(b"SQLite format 3\0" + b"x" * 500)
    assert first_page.first_accounts(strange, 5) is None
