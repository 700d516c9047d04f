"""Every invariant is seen to be broken when a row is."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from chainteller.storage.own_numbers import GENESIS_HASH
from sqlalchemy import insert, select, update
from tests.world.engines import USDC_SOLANA, World, make_world

from chainteller.engine.verification import verify, verify_chain
from chainteller.sqlite import sqlite3
from chainteller.storage import chain
from chainteller.storage.database import Database, open_database
from chainteller.storage.tables import Tables


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[World]:
    """A bank with something in every status."""
    world = make_world(tmp_path / "bank.db")
    world.open()
    world.deposit("5000.00")
    world.deposit("100.50", USDC_SOLANA)
    world.engine.cancel_withdrawal(world.account, world.withdraw("20.01").id)
    world.withdraw("11.00")
    world.buy("1000.00")
    world.settle()
    world.execute(world.quote("1", "sell"))
    world.clock.advance(10_000_000)
    world.engine.run_due()
    world.engine.cancel_trade(world.account, world.buy("50.00").id)
    world.execute(world.quote("60.00"), key="only-once")
    world.withdraw("12.00")
    world.quote("33.00")
    yield world
    world.close()


OF_ANY_DAMAGE = {20, 21}
"""The row is not as it was sealed, and ``damage`` removed the guards."""


def damage(database: Database, statement: str) -> None:
    """Change rows behind the engine's back, guards and all."""
    assert database.path is not None
    with closing(sqlite3.connect(database.path, isolation_level=None)) as connection:
        guards = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in guards.fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        assert connection.execute(statement).rowcount > 0


def test_a_busy_bank_breaks_nothing(busy: World) -> None:
    assert verify(busy.database) == ()
    assert verify_chain(busy.database).intact


DAMAGES = [
    (1, "UPDATE posting SET atoms = atoms + 1 WHERE code = 'income:fee'"),
    (1, "INSERT INTO journal VALUES ('X:hold', 'hold', 'X', 0, NULL)"),
    (2, "UPDATE ledger_account SET balance = '-1' WHERE code LIKE '%:incoming' AND balance = '0'"),
    (3, "UPDATE ledger_account SET balance = balance + 1 WHERE code = 'income:fee'"),
    (3, "UPDATE ledger_account SET version = version + 1 WHERE code = 'income:spread'"),
    (3, "UPDATE posting SET balance_after = balance_after + 1 WHERE code = 'lp.payable'"),
    (3, "DELETE FROM posting WHERE code = 'core' AND account_version = 2"),
    (3, "DELETE FROM ledger_account WHERE code = 'lp.receivable'"),
    (3, "UPDATE trading_account SET trade_count = trade_count + 1"),
    (3, "UPDATE trade SET ordinal = ordinal + 100 WHERE ordinal = 2"),
    (4, "UPDATE trade SET hold = '[]' WHERE status = 'processing'"),
    (4, "UPDATE ledger_account SET balance = balance + 1 WHERE code LIKE '%:held'"),
    (5, "UPDATE trade SET bought = bought + 1 WHERE status = 'executed'"),
    (6, "UPDATE ledger_account SET balance = balance + 1 WHERE code = 'custody'"),
    (7, "UPDATE trade SET price_cents = price_cents + 1"),
    (7, "UPDATE quote SET trade_id = NULL WHERE status = 'executed'"),
    (7, "UPDATE quote SET status = 'open' WHERE status = 'executed'"),
    (7, "UPDATE quote SET trading_account_id = 'TDA_OTHER' WHERE status = 'executed'"),
    (8, "UPDATE trade SET status = 'failed' WHERE status = 'settled'"),
    (8, "UPDATE trade SET version = version + 1"),
    (8, "DELETE FROM event WHERE type = 'trade.settled'"),
    (8, "UPDATE event SET type = 'trade.cancelled' WHERE type = 'trade.executed'"),
    (8, "UPDATE transfer SET status = 'sent' WHERE status = 'completed'"),
    (8, "DELETE FROM journal WHERE kind = 'settle'"),
    (8, "UPDATE journal SET reference = 'TXN_NONE' WHERE kind = 'deposit'"),
    (9, "UPDATE trade SET executed_at = settled_at + 1 WHERE status = 'settled'"),
    (9, "UPDATE trade SET cancelled_at = created WHERE status = 'settled'"),
    (9, "UPDATE quote SET expires = created - 1 WHERE status = 'executed'"),
    (10, "UPDATE quote SET bought = bought - 5000000 WHERE side = 'buy'"),
    (10, "UPDATE quote SET bought = bought - 1 WHERE side = 'sell'"),
    (10, "UPDATE quote SET fee_cents = 0"),
    (10, "UPDATE quote SET price_cents = price_cents + 1"),
    (11, "UPDATE quote SET mid_micros = mid_micros * 2 WHERE side = 'buy'"),
    (12, "UPDATE idempotency SET body = NULL"),
    (
        12,
        "INSERT INTO idempotency SELECT organisation_id, operation, 'twice', fingerprint, "
        "created_record, body, at, NULL FROM idempotency",
    ),
    (
        13,
        "UPDATE posting SET asset = 'USDC@ethereum', account_version = 1 WHERE journal_id IN "
        "(SELECT id FROM journal WHERE kind = 'release' LIMIT 1)",
    ),
    (14, "UPDATE transfer SET notional_cents = 2500001 WHERE direction = 'withdrawal'"),
    (16, "UPDATE event SET seq = seq + 1000 WHERE seq = 7"),
    (16, "UPDATE audit SET actor = 'someone' WHERE seq = 3"),
    (16, "UPDATE audit SET trading_account_id = NULL WHERE action = 'trade.fill'"),
    (16, "UPDATE audit SET trading_account_id = 'TDA_OTHER' WHERE action = 'deposit'"),
    (16, "UPDATE head SET event_seq = event_seq - 1"),
    (17, "ALTER TABLE trade ADD COLUMN rate FLOAT"),
    (17, "UPDATE ledger_account SET balance = '1.5' WHERE code = 'core'"),
    (17, "UPDATE trade SET market = 'doge-usd'"),
    (17, "UPDATE trade SET hold = 'half a'"),
    (17, "UPDATE transfer SET amount = x'00' WHERE ordinal = 1"),
]


INVISIBLE = [
    (
        "UPDATE ledger_account SET code = 'customer:TDA_NONE:available' "
        "WHERE code LIKE '%:available' AND asset = 'SOL@solana'",
        "a balance of no trading account",
    ),
    (
        "UPDATE ledger_account SET asset = 'DOGE@dogecoin' "
        "WHERE code LIKE '%:available' AND asset = 'SOL@solana'",
        "a balance of an asset that is not declared",
    ),
    (
        "UPDATE ledger_account SET code = replace(code, ':available', ':spare') "
        "WHERE code LIKE '%:available' AND asset = 'SOL@solana'",
        "a code that names no account",
    ),
]


@pytest.mark.parametrize(("statement", "what"), INVISIBLE)
def test_finds_a_balance_that_no_customer_can_see(busy: World, statement: str, what: str) -> None:
    damage(busy.database, statement)
    assert (19, what) in {(breach.invariant, breach.what) for breach in verify(busy.database)}


@pytest.mark.forms(24)
@pytest.mark.parametrize(("invariant", "statement"), DAMAGES)
def test_names_the_invariant_that_a_damaged_row_breaks(
    busy: World, invariant: int, statement: str
) -> None:
    if statement.startswith("ALTER"):
        assert busy.database.path is not None
        with closing(sqlite3.connect(busy.database.path)) as connection:
            connection.execute(statement)
    else:
        damage(busy.database, statement)
    breaches = verify(busy.database)
    assert invariant in {breach.invariant for breach in breaches}, breaches


def test_a_verified_wallet_needs_its_claim(busy: World) -> None:
    damage(
        busy.database,
        "INSERT INTO link VALUES ('BCA_1', 'CPT_1', 'CLM_1', 0, 0, 1, 0, 1, NULL, NULL, NULL)",
    )
    assert {breach.invariant for breach in verify(busy.database)} == {15} | OF_ANY_DAMAGE


@pytest.mark.parametrize(
    ("statement", "first_broken"),
    [
        ("UPDATE audit SET inputs = '{}' WHERE seq = 4", 4),
        ("UPDATE audit SET hash = previous_hash WHERE seq = 4", 4),
        ("DELETE FROM audit WHERE seq = 4", 5),
        ("DELETE FROM audit WHERE seq = (SELECT max(seq) FROM audit)", None),
        ("DELETE FROM audit", 1),
        (
            "INSERT INTO audit SELECT max(seq) + 1, at, organisation_id, actor, action, object, "
            "inputs, outcome, error, hash, hash, trading_account_id, -1, '', NULL FROM audit",
            None,
        ),
    ],
)
def test_the_chain_names_its_first_broken_row(
    busy: World, statement: str, first_broken: int | None
) -> None:
    rows = verify_chain(busy.database).rows
    damage(busy.database, statement)
    report = verify_chain(busy.database)
    assert not report.intact
    expected = first_broken or (rows if statement.startswith("DELETE") else rows + 1)
    assert report.first_broken == expected
    assert report.problem


def test_a_chain_rewritten_from_the_middle_differs_from_its_head(busy: World) -> None:
    """A forger who recomputes every later hash is still betrayed by the head row."""
    with busy.database.read() as connection:
        kept = connection.execute(select(Tables.audit).order_by(Tables.audit.c.seq))
        rows = [row._asdict() for row in kept]
    rows[2]["actor"] = "someone else"
    for before, row in pairwise(rows[1:]):
        row["previous_hash"] = before["hash"]
        row["hash"] = chain.link_hash(row)
    damage(busy.database, "DELETE FROM audit")
    with busy.database.write() as connection:
        connection.execute(insert(Tables.audit), rows)
        connection.commit()
    report = verify_chain(busy.database)
    assert not report.intact
    assert report.problem is not None
    assert "head" in report.problem


def test_a_hash_covers_canonical_json() -> None:
    row = {
        "seq": 7,
        "at": 1_763_700_000_000_000,
        "organisation_id": "default",
        "actor": 'An\u00e9 "quoted" \U0001f600',
        "action": "deposit",
        "object": "TXN_1",
        "inputs": '{"amount":"1.00"}',
        "outcome": "refused",
        "error": None,
        "previous_hash": "0" * 64,
    }
    for error in (None, "NOT_FOUND"):
        row["error"] = error
        text = json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        expected = hashlib.sha256(text.encode()).hexdigest()
        assert chain.link_hash(row | {"hash": "ignored"}) == expected


def test_checks_a_chain_longer_than_one_batch_to_its_last_row(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'long.db'}")
    previous, rows = GENESIS_HASH, []
    for seq in range(1, 12_002):
        row = {
            "seq": seq,
            "at": 1_763_700_000_000_000 + seq,
            "organisation_id": "default",
            "actor": "local",
            "action": "execute_quote",
            "object": f"TXN_{seq:022d}",
            "inputs": '{"tradingAccountId":"TDA_7Q2M0000000000000000H2J"}',
            "outcome": "done",
            "error": None,
            "previous_hash": previous,
            "number": seq,
            "follows": previous,
        }
        previous = row["hash"] = chain.link_hash(row)
        rows.append(row)
    with database.write() as connection:
        connection.execute(insert(Tables.audit), rows)
        connection.execute(update(Tables.head).values(audit_seq=len(rows), audit_hash=previous))
        connection.commit()
    assert verify_chain(database).intact
    assert verify_chain(database).rows == 12_001
    damage(database, "UPDATE audit SET actor = 'someone' WHERE seq = 12001")
    report = verify_chain(database)
    database.close()
    assert report.first_broken == 12_001
