"""Every invariant is seen to be broken when a row is."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.world.engines import USDC_SOLANA, World, make_world
from tests.world.files import KEYS
from tests.world.logs import rewrite

from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.engine.verification.full_pass import verify, verify_chain
from chainteller.sqlite import sqlite3
from chainteller.storage.database import Database, connect, open_database
from chainteller.storage.log import append, marks
from chainteller.storage.log.entry import Act, Stamp
from chainteller.storage.log.rows import Writer
from chainteller.storage.log.writer_keys import PublicKey
from chainteller.storage.schema import guards


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
    (2, "UPDATE ledger_account SET balance = '-1' WHERE code LIKE '%:incoming' AND balance = '0'"),
    (3, "UPDATE ledger_account SET balance = balance + 1 WHERE code = 'income:fee'"),
    (3, "UPDATE ledger_account SET version = version + 1 WHERE code = 'income:spread'"),
    (3, "DELETE FROM ledger_account WHERE code = 'lp.receivable'"),
    (3, "INSERT INTO journal VALUES ('X', 'hold', 'default', 1)"),
    (3, "DELETE FROM journal WHERE kind = 'settle'"),
    (3, "UPDATE journal SET record = 'X' || record WHERE kind = 'deposit'"),
    (3, "UPDATE journal SET number = number - 1 WHERE kind = 'deposit'"),
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
    (8, "UPDATE transfer SET status = 'sent' WHERE status = 'completed'"),
    (9, "UPDATE trade SET executed_at = settled_at + 1 WHERE status = 'settled'"),
    (9, "UPDATE trade SET cancelled_at = created WHERE status = 'settled'"),
    (9, "UPDATE quote SET expires = created - 1 WHERE status = 'executed'"),
    (10, "UPDATE quote SET bought = bought - 5000000 WHERE side = 'buy'"),
    (10, "UPDATE quote SET bought = bought - 1 WHERE side = 'sell'"),
    (10, "UPDATE quote SET fee_cents = 0"),
    (10, "UPDATE quote SET price_cents = price_cents + 1"),
    (11, "UPDATE quote SET mid_micros = mid_micros * 2 WHERE side = 'buy'"),
    (
        12,
        "INSERT INTO idempotency SELECT organisation_id, operation, 'twice', fingerprint, "
        "created_record, body, at, NULL FROM idempotency",
    ),
    (14, "UPDATE transfer SET notional_cents = 2500001 WHERE direction = 'withdrawal'"),
    (17, "ALTER TABLE trade ADD COLUMN rate FLOAT"),
    (17, "UPDATE ledger_account SET balance = '1.5' WHERE code = 'core'"),
    (17, "UPDATE trade SET market = 'doge-usd'"),
    (17, "UPDATE trade SET hold = 'half a'"),
    (17, "UPDATE idempotency SET body = x''"),
    (17, "UPDATE transfer SET amount = x'00' WHERE ordinal = 1"),
    (21, "UPDATE entry SET number = number + 1000 WHERE number = 7"),
    (21, "UPDATE entry SET at = at - 1 WHERE number = 7"),
    (21, "UPDATE entry SET action = 'someone' WHERE number = 3"),
    (21, "UPDATE entry SET object = 'something' WHERE number = 3"),
    (21, "UPDATE entry SET trading_account_id = NULL WHERE action = 'trade.fill'"),
    (21, "UPDATE entry SET trading_account_id = 'TDA_OTHER' WHERE action = 'deposit'"),
    (21, "UPDATE log SET size = size - 1"),
    (21, "UPDATE log SET last_at = last_at + 1"),
    (21, "UPDATE log SET mark = x'00'"),
    (21, "UPDATE log SET moved = 1"),
    (21, "DELETE FROM log WHERE organisation_id = 'default'"),
]


Line = dict[str, Any]


def _leg(code: str, cell: int) -> Callable[..., None]:
    """Add one to a number of every leg of an account: 2 is the change, 3 the version, 4 the balance
    after it."""

    def change(_first: Line, second: Line, _third: Line) -> None:
        for *_, legs in second["journals"]:
            for leg in legs:
                if code in leg[0]:
                    number = int(leg[cell]) + 1
                    leg[cell] = number if cell == 3 else str(number)

    return change


def _without_postings(_first: Line, second: Line, _third: Line) -> None:
    for journal in second["journals"]:
        journal[3] = []


def _without_journals(_first: Line, second: Line, _third: Line) -> None:
    second["journals"] = []


def _of_no_record(_first: Line, second: Line, _third: Line) -> None:
    for journal in second["journals"]:
        journal[1] = "TXN_NONE"


def _with_other_releases(_first: Line, second: Line, _third: Line) -> None:
    """In an asset that the account has, with balances and versions that nobody can find wrong."""
    for journal in second["journals"]:
        if journal[0] == "release":
            for leg in journal[3]:
                leg[1] = "USDC@ethereum"


def _without_events(first: Line, _second: Line, _third: Line) -> None:
    first["events"] = [each for each in first["events"] if each[0] != "trade.settled"]


def _with_other_events(first: Line, _second: Line, _third: Line) -> None:
    for each in first["events"]:
        each[0] = each[0].replace("trade.executed", "trade.cancelled")


def _in_no_trail(first: Line, _second: Line, _third: Line) -> None:
    if first["action"] == "trade.fill":
        del first["account"]


def _in_another_trail(first: Line, _second: Line, _third: Line) -> None:
    if first["action"] == "deposit":
        first["account"] = "TDA_OTHER"


def _back_in_time(first: Line, _second: Line, _third: Line) -> None:
    if first["action"] == "cancel_trade":
        first["at"] = 1


def _of_another_log(first: Line, _second: Line, _third: Line) -> None:
    if first["action"] == "cancel_trade":
        first["log"] = "other"


def _of_another_version(first: Line, _second: Line, _third: Line) -> None:
    if first["action"] == "cancel_trade":
        first["v"] = 2


def _without_seals(_first: Line, second: Line, _third: Line) -> None:
    second["rows"] = [row for row in second["rows"] if row[0] != "trade"]


REWRITES = [
    (1, _leg("income:fee", 2)),
    (1, _without_postings),
    (3, _leg("customer:", 3)),
    (3, _leg("customer:", 4)),
    (3, _without_journals),
    (8, _of_no_record),
    (13, _with_other_releases),
    (8, _without_events),
    (8, _with_other_events),
    (16, _in_no_trail),
    (16, _in_another_trail),
    (20, _without_seals),
    (21, _back_in_time),
    (21, _of_another_log),
    (21, _of_another_version),
]
"""What nobody can do without the writer's key, unless the program does it by mistake."""


@pytest.mark.parametrize(("invariant", "change"), REWRITES, ids=range(len(REWRITES)))
def test_names_the_invariant_that_a_log_breaks_whose_marks_hold(
    busy: World, invariant: int, change: Callable[..., None]
) -> None:
    assert rewrite(busy.database, lambda *_: None) == 0
    assert verify(busy.database) == ()
    assert rewrite(busy.database, change) > 0
    breaches = verify(busy.database)
    assert invariant in {breach.invariant for breach in breaches}, breaches
    assert not any("mark" in breach.what for breach in breaches)


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
        ("UPDATE entry SET body = x'0100' WHERE number = 4 AND organisation_id = 'default'", 4),
        ("UPDATE entry SET leaf = mark WHERE number = 4 AND organisation_id = 'default'", 4),
        ("UPDATE entry SET mark = leaf WHERE number = 4 AND organisation_id = 'default'", 4),
        ("UPDATE entry SET body = NULL WHERE number = 4 AND organisation_id = 'default'", 4),
        ("DELETE FROM entry WHERE number = 4 AND organisation_id = 'default'", 4),
        (
            "DELETE FROM entry WHERE organisation_id = 'default' AND number = "
            "(SELECT size FROM log WHERE organisation_id = 'default')",
            None,
        ),
        ("DELETE FROM entry WHERE organisation_id = 'default'", None),
        (
            "INSERT INTO entry SELECT organisation_id, number + 1000, at, action, object, "
            "trading_account_id, leaf, mark, body, case_id FROM entry"
            " WHERE number = 4 AND organisation_id = 'default'",
            25,
        ),
    ],
)
def test_the_chain_names_its_first_broken_entry(
    busy: World, statement: str, first_broken: int | None
) -> None:
    damage(busy.database, statement)
    report = verify_chain(busy.database)
    assert not report.intact
    assert report.first_broken == first_broken
    place = "log default" if first_broken is None else f"entry {first_broken} of default"
    assert place in str(report.problem)


def test_a_log_that_is_written_again_with_another_key_is_found_at_its_first_entry(
    busy: World,
) -> None:
    """Whoever can change every row, but hasn't got the key, can't write an entry that holds."""
    assert busy.database.path is not None
    forger = connect(f"sqlite:///{busy.database.path}", PublicKey())

    def change(first: Line, _second: Line, _third: Line) -> None:
        if first["action"] == "withdraw":
            first["by"] = "someone else"

    with forger.write() as connection:  # the key that the forger has must mark the deployment's log
        guards.drop(connection)
        marks.of(connection).replace(connection)
        guards.create(connection)
        connection.commit()
    assert rewrite(forger, change) == 3
    forger.close()
    assert verify_chain(busy.database).problem == (
        "its mark doesn't hold: nobody with the writer's key wrote it here (entry 1 of *)"
    )
    found = [each.where for each in verify(busy.database) if "mark doesn't hold" in each.what]
    assert "entry 1 of default" in found


def test_checks_a_log_longer_than_one_batch_to_its_last_entry(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'long.db'}", KEYS)
    acts = [Act("execute_quote", "local", f"TXN_{number:022d}") for number in range(5_001)]
    with database.write() as connection:
        end = append.lock(connection, DEFAULT_ORGANISATION)
        ends = {DEFAULT_ORGANISATION: end}
        written = append.append(
            Writer(connection), ends, {DEFAULT_ORGANISATION: acts}, 1_763_700_000_000_000, Stamp()
        )
        connection.commit()
    assert written == {DEFAULT_ORGANISATION: 5_001}
    assert verify_chain(database).intact
    assert verify_chain(database).rows == 5_002
    damage(database, "UPDATE entry SET leaf = mark WHERE number = 5001")
    report = verify_chain(database)
    database.close()
    assert report.first_broken == 5_001
