"""The promises of the sample data (interfaces.md, section 4), on a database loaded once."""

from pathlib import Path

import pytest
from tests.engine.statement_rows import compare
from tests.world.logs import entries
from tests.world.samples import MIDNIGHT, NOW, dump, head, load, loaded_bank, rows

from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.domain.assets import ASSETS_BY_KEY, MARKETS, USDC_ETHEREUM, USDC_SOLANA
from chainteller.domain.clock import DAY, SECOND, ManualClock
from chainteller.domain.ledger import buying_power
from chainteller.domain.preconditions import Control
from chainteller.domain.quoting import BPS
from chainteller.domain.randomness import SeededRandomness
from chainteller.domain.trades import TradeStatus
from chainteller.domain.transfers import TransferStatus
from chainteller.engine.core.context import EngineContext
from chainteller.engine.engine import Engine
from chainteller.engine.verification.full_pass import verify, verify_chain
from chainteller.service.models.pages import ListQuery


def test_holds_a_morning_of_a_bank(loaded: EngineContext) -> None:
    counts = {table: len(found) for table, found in dump(loaded).items()}
    assert counts["customer"] >= 200
    assert counts["trading_account"] >= 150
    assert counts["bank_account"] > counts["customer"]
    assert counts["trade"] > 500
    assert counts["transfer"] > 400


def test_shows_trades_in_every_state(loaded: EngineContext) -> None:
    found = {row.status for row in rows(loaded, "SELECT DISTINCT status FROM trade")}
    assert found == set(TradeStatus)


def test_shows_deposits_and_withdrawals_in_every_state(loaded: EngineContext) -> None:
    found = rows(loaded, "SELECT DISTINCT direction, status FROM transfer")
    s = TransferStatus
    deposits = {s.PROCESSING, s.COMPLETED, s.FAILED, s.RETURNED}
    withdrawals = deposits | {s.SENT, s.CANCELLED, s.REVIEWING, s.REJECTED}
    assert {row.status for row in found if row.direction == "deposit"} == deposits
    assert {row.status for row in found if row.direction == "withdrawal"} == withdrawals


def test_shows_open_and_expired_quotes_of_every_market_and_side(loaded: EngineContext) -> None:
    open_quotes = rows(loaded, "SELECT expires FROM quote WHERE status = 'open'")
    assert any(row.expires >= NOW for row in open_quotes)
    assert any(row.expires < MIDNIGHT for row in open_quotes)
    kinds = rows(loaded, "SELECT DISTINCT market, side FROM quote")
    assert len(kinds) == 2 * len(MARKETS)


def test_has_customers_of_every_kind(loaded: EngineContext) -> None:
    customers = rows(loaded, "SELECT * FROM customer")
    assert {row.kyc_level for row in customers} == {"basic", "enhanced"}
    assert any(row.terms_version is None for row in customers)
    assert {row.type for row in rows(loaded, "SELECT type FROM bank_account")} == {
        "checking",
        "savings",
    }
    controls = {row.control for row in rows(loaded, "SELECT control FROM trading_account")}
    assert controls == {None, *Control}


def test_names_are_unique_and_found_without_accents(loaded: EngineContext) -> None:
    customers = rows(loaded, "SELECT name, search_name FROM customer")
    assert len({row.name for row in customers}) == len(customers)
    found = next(row for row in customers if row.name == "Inês Vilhena")
    assert "inês vilhena" in found.search_name
    assert "ines vilhena" in found.search_name


def test_customers_without_terms_or_identity_check_have_no_trading_account(
    loaded: EngineContext,
) -> None:
    assert not rows(
        loaded,
        "SELECT a.id FROM trading_account a JOIN customer c ON c.id = a.customer_id "
        "WHERE c.terms_version IS NULL OR c.kyc_level <> 'enhanced'",
    )


@pytest.mark.parametrize(
    ("bank_account", "kind", "cents", "kyc_level", "has_terms"),
    [
        ("DDA-1001", "checking", 2_500_000, "enhanced", True),
        ("DDA-1002", "savings", 800_000, "enhanced", True),
        ("DDA-1003", "checking", None, "enhanced", False),
        ("DDA-1004", "checking", None, "basic", True),
    ],
)
def test_fixed_bank_accounts_are_there_without_a_trading_account(
    loaded: EngineContext,
    bank_account: str,
    kind: str,
    cents: int | None,
    kyc_level: str,
    has_terms: bool,
) -> None:
    (found,) = rows(
        loaded,
        "SELECT * FROM bank_account b JOIN customer c ON c.id = b.customer_id WHERE b.id = :id",
        id=bank_account,
    )
    assert found.type == kind
    assert cents is None or int(found.balance) == cents
    assert found.kyc_level == kyc_level
    assert (found.terms_version is not None) == has_terms
    assert found.trading_account_id is None
    assert found.control is None


def test_dda_1005_has_a_frozen_trading_account(loaded: EngineContext) -> None:
    (found,) = rows(
        loaded,
        "SELECT a.*, b.type FROM bank_account b "
        "JOIN trading_account a ON a.id = b.trading_account_id WHERE b.id = 'DDA-1005'",
    )
    assert (found.type, found.control) == ("checking", "FROZEN")


def test_blockchain_accounts_have_their_fixed_ids(loaded: EngineContext) -> None:
    found = rows(
        loaded,
        "SELECT a.* FROM blockchain_account a "
        "JOIN trading_account t ON t.id = a.trading_account_id "
        "WHERE a.id LIKE 'BCA!_SAMPLE%' ESCAPE '!' ORDER BY a.id",
    )
    assert [(row.id, row.network, row.status) for row in found] == [
        ("BCA_SAMPLE1", "ethereum", "active"),
        ("BCA_SAMPLE2", "solana", "active"),
    ]
    assert found[0].customer_id != found[1].customer_id


def test_deposits_come_in_every_currency(loaded: EngineContext) -> None:
    found = rows(
        loaded, "SELECT DISTINCT asset, currency_id FROM transfer WHERE direction = 'deposit'"
    )
    assert {(row.asset, row.currency_id) for row in found} == {
        ("BUSD1@bank", "DPT_USD"),
        (USDC_SOLANA.key, None),
        (USDC_ETHEREUM.key, None),
    }


def test_amounts_and_instants_differ_like_those_of_people(loaded: EngineContext) -> None:
    trades = rows(loaded, "SELECT market, side, created, amount FROM trade")
    assert len({(row.market, row.side, row.amount) for row in trades}) > 0.97 * len(trades)
    assert len({row.created // SECOND for row in trades}) == len(trades)
    orders = rows(loaded, "SELECT usd_leg_cents FROM quote WHERE trade_id IS NOT NULL")
    usd = sorted(int(row.usd_leg_cents) for row in orders)
    assert usd[len(usd) // 10] < 20_000
    assert usd[-len(usd) // 10] > 100_000
    assert usd[-1] > 9_000_000
    balances = sorted(int(row.balance) for row in rows(loaded, "SELECT balance FROM bank_account"))
    assert balances[-1] > 20 * balances[len(balances) // 2]
    weekends = [(row.created // DAY + 3) % 7 >= 5 for row in trades]
    assert 0.03 < sum(weekends) / len(weekends) < 0.2


def test_a_quarter_of_the_customers_have_wallets_of_every_family(loaded: EngineContext) -> None:
    customers = rows(loaded, "SELECT count(*) AS n FROM customer")[0].n
    owners = rows(loaded, "SELECT count(DISTINCT customer_id) AS n FROM blockchain_account")[0].n
    assert owners >= customers / 4
    networks = {row.network for row in rows(loaded, "SELECT DISTINCT network FROM counterparty")}
    assert networks == {"ethereum", "solana", "bitcoin", "tron"}


def test_some_wallets_are_shared_and_a_phisher_lost_the_verification_of_two(
    loaded: EngineContext,
) -> None:
    shared = rows(
        loaded,
        "SELECT counterparty_id FROM link GROUP BY 1 "
        "HAVING count(DISTINCT blockchain_account_id) > 1",
    )
    assert len(shared) >= 3
    phished = rows(
        loaded,
        "SELECT l.revoked_reason, t.control FROM link l "
        "JOIN blockchain_account b ON b.id = l.blockchain_account_id "
        "JOIN trading_account t ON t.id = b.trading_account_id "
        "WHERE t.bank_account_id = 'DDA-1009'",
    )
    assert {tuple(row) for row in phished} == {("SUSPICIOUS_ACTIVITY", "FROZEN")}
    assert len(phished) == 2


def power_of(bank: EngineContext, account_id: str) -> int:
    code = f"customer:{account_id}:available"
    balances = rows(bank, "SELECT asset, balance FROM ledger_account WHERE code = :code", code=code)
    return buying_power({ASSETS_BY_KEY[row.asset]: int(row.balance) for row in balances})


@pytest.mark.forms(1)
@pytest.mark.parametrize("seed", ["42", "another", ""])
def test_whatever_is_listed_first_can_trade(
    loaded: EngineContext, empty: EngineContext, seed: str
) -> None:
    """All accounts with something under way keep the promise of the first one, so that it holds
    while their work ends and moves them up the list."""
    bank = loaded if seed == "42" else empty
    assert bank is loaded or load(bank, seed)
    accounts = rows(
        bank,
        "SELECT a.*, b.balance, c.control AS customer_control FROM trading_account a "
        "JOIN bank_account b ON b.id = a.bank_account_id JOIN customer c ON c.id = a.customer_id "
        "WHERE a.last_activity >= :midnight ORDER BY a.last_activity DESC, a.id DESC",
        midnight=MIDNIGHT,
    )
    assert accounts[0].last_activity == NOW
    assert accounts[0].bank_account_id == "DDA-4711"
    for account in accounts:
        assert account.control is None
        assert account.customer_control is None
        assert int(account.balance) >= 100_000
        assert power_of(bank, account.id) <= 500_000


def test_what_has_ended_lies_before_the_last_midnight(loaded: EngineContext) -> None:
    for table in ("trade", "transfer"):
        ended = rows(
            loaded,
            f"SELECT updated FROM {table} "  # noqa: S608 - our own table names
            "WHERE status NOT IN ('processing', 'reviewing', 'executed', 'sent')",
        )
        assert ended
        assert max(row.updated for row in ended) < MIDNIGHT
    accounts = rows(loaded, "SELECT created FROM trading_account")
    assert max(row.created for row in accounts) < MIDNIGHT
    assert min(row.created for row in accounts) < MIDNIGHT - 90 * DAY


def test_what_is_under_way_began_at_the_loading_and_has_its_job(loaded: EngineContext) -> None:
    jobs = {(row.kind, row.reference): row.run_at for row in rows(loaded, "SELECT * FROM job")}
    kinds = {
        ("trade", "processing"): "trade.fill",
        ("trade", "executed"): "trade.settle",
        ("deposit", "processing"): "deposit.complete",
        ("withdrawal", "reviewing"): "withdrawal.review",
        ("withdrawal", "processing"): "withdrawal.send",
        ("withdrawal", "sent"): "withdrawal.complete",
    }
    unfinished = [
        *rows(loaded, "SELECT 'trade' AS what, id, status, created FROM trade"),
        *rows(loaded, "SELECT direction AS what, id, status, created FROM transfer"),
    ]
    unfinished = [row for row in unfinished if (row.what, row.status) in kinds]
    assert {(kinds[row.what, row.status], row.id) for row in unfinished} == set(jobs)
    assert {kind for kind, _ in jobs} == set(kinds.values())
    for row in unfinished:
        assert MIDNIGHT < row.created <= NOW < jobs[kinds[row.what, row.status], row.id]


def test_quotes_are_priced_by_the_feed_of_their_moment(loaded: EngineContext) -> None:
    feed = SimulatedPrices("42")
    quotes = rows(loaded, "SELECT market, created, mid_micros, price_cents FROM quote")
    assert {quote.market for quote in quotes} == {market.name for market in MARKETS}
    for quote in quotes:
        assert quote.mid_micros == feed.price(quote.market, quote.created).mid_micros
        off = abs(quote.price_cents * 10_000 - quote.mid_micros)
        assert off * BPS < quote.mid_micros * 100


def test_the_record_is_in_the_order_of_time(loaded: EngineContext) -> None:
    found = entries(loaded.database)
    instants = [each.when for each in found]
    assert instants == sorted(instants)
    assert sum(len(each.events) for each in found) > 1_000


def test_what_is_under_way_ends_by_itself(tmp_path: Path) -> None:
    bank = loaded_bank(tmp_path)
    engine = Engine(bank)
    assert isinstance(bank.clock, ManualClock)
    while (due := engine.next_due()) is not None:
        bank.clock.set(max(due, bank.clock.now()))
        assert engine.run_due()
    assert verify(bank.database) == ()
    for table in ("trade", "transfer"):
        assert not rows(
            bank,
            f"SELECT id FROM {table} "  # noqa: S608 - our own table names
            "WHERE status IN ('processing', 'reviewing', 'executed', 'sent')",
        )
    engine.close()


def test_its_first_payout_doesnt_wait_until_the_log_was_read(tmp_path: Path) -> None:
    """A command reads it all at once: no thread has read it before."""
    bank = loaded_bank(tmp_path)
    assert isinstance(bank.clock, ManualClock)
    (first,) = rows(
        bank,
        "SELECT reference, run_at FROM job WHERE kind = 'withdrawal.send' ORDER BY run_at LIMIT 1",
    )
    bank.clock.set(max(first.run_at, bank.clock.now()))
    engine = Engine(bank)
    assert engine.run_due()
    (sent,) = rows(bank, "SELECT status FROM transfer WHERE id = :id", id=first.reference)
    assert sent.status != "processing"
    engine.close()


def test_every_invariant_holds_after_loading(loaded: EngineContext) -> None:
    assert verify(loaded.database) == ()
    report = verify_chain(loaded.database)
    assert report.intact
    assert report.head == head(loaded)


def test_every_list_is_exact(loaded: EngineContext) -> None:
    engine = Engine(loaded)
    assert engine.all_trades().pagination.total == len(rows(loaded, "SELECT id FROM trade"))
    for row in rows(loaded, "SELECT * FROM trading_account"):
        trades = engine.trades(row.id, ListQuery(limit=100))
        transactions = engine.transactions(row.id, ListQuery(limit=100))
        assert len(trades.data) == trades.pagination.total == row.trade_count
        assert len(transactions.data) == row.transaction_count
        created = [record.created for record in transactions.data if record.created]
        assert created == sorted(created, reverse=True)


def test_statements_of_drawn_accounts_agree_with_the_ledger(loaded: EngineContext) -> None:
    assert compare(loaded, SeededRandomness("20"), accounts=25) == 25
