"""A database that the released build made: upgraded, worked on, and still right for that build."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text
from tests.storage import released
from tests.world.bank import sqlite_url
from tests.world.engines import World, make_world

from chainteller.domain import merkle
from chainteller.domain.audit_chain import canonical
from chainteller.domain.clock import DAY
from chainteller.engine import catching_up
from chainteller.engine.verification import verify
from chainteller.service.errors import ServiceUnavailable
from chainteller.service.models.pages import ListQuery
from chainteller.storage import baseline, ledger, log, maintenance, upgrade_ahead
from chainteller.storage.database import connect, open_database
from chainteller.storage.revision import REVISION
from chainteller.storage.sealing import sealed_tables

RELEASED = "0002"
KNOWN_TO_RELEASED = 7
"""Assets, in three sub-balances each."""
BY_STORED_OWNER = (
    "SELECT code, asset, balance, version FROM ledger_account WHERE owner = :owner "
    "ORDER BY code, asset"
)
"""How the released build finds an account's balances."""


@pytest.fixture
def world(url: str) -> Iterator[World]:
    """The same, upgraded, a day later."""
    assert maintenance.upgrade(url) == (RELEASED, REVISION)
    made = make_world(url, customers=(), seed="2")
    made.clock.advance(DAY)
    made.accounts = [row.id for row in made.engine.trading_accounts().data]
    yield made
    made.close()


def rows(url: str, statement: str, **values: object) -> list[tuple[Any, ...]]:
    database = connect(url)
    with database.read() as connection:
        found = [tuple(row) for row in connection.execute(text(statement), values)]
    database.close()
    return found


def stamps(connection: Connection) -> dict[str, object]:
    """The numbers by which the released build judges a database, and ours."""
    queries = {
        "alembic_version": "SELECT version_num FROM alembic_version",
        "schema_revision": "SELECT version_num FROM schema_revision",
    }
    if connection.dialect.name == "sqlite":
        queries |= {"user_version": "PRAGMA user_version"}
    return {name: connection.execute(text(query)).scalar_one() for name, query in queries.items()}


def test_it_is_refused_until_it_is_upgraded(url: str) -> None:
    with pytest.raises(ServiceUnavailable) as refused:
        open_database(url)
    assert refused.value.details["reason"] == "OUTDATED_SCHEMA"
    report = maintenance.check(url)
    assert (report.schema_state, report.schema_version) == ("outdated", RELEASED)
    maintenance.upgrade(url)
    report = maintenance.check(url)
    assert (report.schema_state, report.schema_version) == ("current", REVISION)
    assert maintenance.upgrade(url) == (REVISION, REVISION)


@pytest.mark.forms(1)
@pytest.mark.parametrize("kind", ["upgraded", "new"])
def test_the_released_build_accepts_it(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """It opens a database only where these numbers are its own revision."""
    for place in (sqlite_url(tmp_path), request.getfixturevalue("postgres_url")):
        if kind == "upgraded":
            released.restore(place)
            maintenance.upgrade(place)
        database = open_database(place)
        with database.read() as connection:
            found = stamps(connection)
        database.close()
        assert found.pop("schema_revision") == REVISION
        assert {int(str(number)) for number in found.values()} == {int(RELEASED)}


def test_every_balance_and_every_record_is_as_it_was(url: str) -> None:
    tables = ("ledger_account", "posting", "journal", "trade", "transfer", "audit", "event", "job")
    before = [rows(url, f"SELECT * FROM {name} ORDER BY 1, 2, 3") for name in tables]  # noqa: S608 - our own names
    maintenance.upgrade(url)
    widths = [len(found[0]) for found in before]
    after = [
        [row[:width] for row in rows(url, f"SELECT * FROM {name} ORDER BY 1, 2, 3")]  # noqa: S608 - as above
        for name, width in zip(tables, widths, strict=True)
    ]
    assert after == before
    database = open_database(url)
    assert verify(database) == ()
    database.close()


def test_an_index_that_was_left_unfinished_is_built_again(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    released.restore(postgres_url)
    built = (
        "SELECT relname, indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid "
        "WHERE relname LIKE '%ahead' OR NOT indisvalid ORDER BY 1"
    )
    monkeypatch.setattr(upgrade_ahead, "_INDEX_WAIT", "50ms")
    database = connect(postgres_url)
    with database.read() as reading:
        reading.execute(text("SELECT id FROM trade"))
        with pytest.raises(ServiceUnavailable) as refused:
            maintenance.upgrade(postgres_url)
    database.close()
    assert refused.value.details["reason"] == "STORAGE_LOCKED"
    assert maintenance.check(postgres_url).schema_version == RELEASED
    assert rows(postgres_url, built) == [("ix_transfer_organisation_ahead", False)]
    assert maintenance.upgrade(postgres_url) == (RELEASED, REVISION)
    assert rows(postgres_url, built) == []
    assert rows(postgres_url, "SELECT 1 FROM pg_class WHERE relname = 'ix_transfer_organisation'")


@pytest.mark.thorough
def test_an_upgrade_that_gets_no_lock_goes_on_later_with_what_was_written_since(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    released.restore(postgres_url)
    monkeypatch.setattr(upgrade_ahead, "_LOCK_TRIES", 2)
    begun = "SELECT organisation_id, number, leaf, digest, body FROM entry ORDER BY 1, 2"
    database = connect(postgres_url)
    with database.write() as using:  # it looks at nothing, so indexes needn't wait for it
        using.execute(text("SELECT id FROM trade"))
        with pytest.raises(ServiceUnavailable) as refused:
            maintenance.upgrade(postgres_url)
    assert refused.value.details["reason"] == "STORAGE_LOCKED"
    assert maintenance.check(postgres_url).schema_version == RELEASED
    before = rows(postgres_url, begun)
    released.write_beside(postgres_url)
    assert maintenance.upgrade(postgres_url) == (RELEASED, REVISION)
    audits = rows(postgres_url, "SELECT hash FROM audit ORDER BY seq")
    after = [row for row in rows(postgres_url, begun) if row[0] == "default"]
    assert 0 < len(before) < len(audits)
    assert after[: len(before)] == before
    with database.read() as connection:
        leaves = log.leaves(connection, "default", len(audits))
    assert leaves == [merkle.leaf_hash(row[0].encode()) for row in audits]
    assert verify(database) == ()
    database.close()


def test_the_upgrade_gives_rows_without_an_owner_theirs(url: str) -> None:
    """The released build left it empty where an account was older than the asset it bought."""
    whole = rows(url, "SELECT code, asset, owner FROM ledger_account ORDER BY 1, 2")
    database = connect(url)
    with database.write() as connection:
        connection.execute(
            text(
                "UPDATE ledger_account SET owner = '' WHERE asset IN ('USDC@solana', 'SOL@solana')"
            )
        )
        connection.commit()
    database.close()
    assert rows(url, "SELECT code, asset, owner FROM ledger_account ORDER BY 1, 2") != whole
    maintenance.upgrade(url)
    assert rows(url, "SELECT code, asset, owner FROM ledger_account ORDER BY 1, 2") == whole


def test_the_released_build_finds_every_balance_that_this_one_writes(
    world: World, url: str
) -> None:
    world.settle()
    world.deposit("750.00")
    world.buy("100.00", "eth-usd")
    world.settle()
    assert len(world.accounts) == 2
    for account in world.accounts:
        with world.database.read() as connection:
            expected = ledger.of_account(connection, account)
        by_owner = rows(url, BY_STORED_OWNER, owner=account)
        found = {
            (code, asset): (int(balance), version) for code, asset, balance, version in by_owner
        }
        assert found == expected
        assert len(found) == 3 * KNOWN_TO_RELEASED
    assert verify(world.database) == ()


def test_a_later_revision_that_only_adds_is_used_and_one_that_drops_is_refused(url: str) -> None:
    maintenance.upgrade(url)
    next_one = f"{int(REVISION) + 1:04d}"
    mark(url, "schema_revision", next_one)
    open_database(url).close()
    assert maintenance.check(url).healthy
    mark(url, "alembic_version", next_one)
    with pytest.raises(ServiceUnavailable) as refused:
        open_database(url)
    assert refused.value.details["reason"] == "NEWER_SCHEMA"


def mark(url: str, table: str, number: str) -> None:
    """Stamp a database; a SQLite file carries its floor in ``user_version`` too."""
    database = connect(url)
    with database.write() as connection:
        connection.execute(text(f"UPDATE {table} SET version_num = :number"), {"number": number})  # noqa: S608 - our own names
        if table == "alembic_version" and not database.is_postgres:
            connection.exec_driver_sql(f"PRAGMA user_version={int(number)}")
        connection.commit()
    database.close()


def test_lists_and_history_of_the_released_build_are_read(world: World) -> None:
    (held,) = [each for each in world.accounts if world.engine.trades(each).pagination.total == 4]
    trades = world.engine.trades(held, ListQuery(limit=50)).data
    assert {each.status for each in trades} == {"settled", "cancelled", "processing"}
    world.settle()
    assert world.engine.trade(held, trades[0].id).status == "settled"


def test_what_the_released_build_writes_beside_is_no_breach_and_is_sealed_at_the_next_upgrade(
    url: str,
) -> None:
    maintenance.upgrade(url)
    released.write_beside(url)
    world = make_world(url, customers=(), seed="4")
    world.clock.advance(2 * DAY)
    assert verify(world.database) == ()
    world.accounts = [row.id for row in world.engine.trading_accounts().data]
    world.buy("25.00")
    world.settle()
    assert verify(world.database) == ()
    maintenance.upgrade(url)  # the first part of ``db upgrade``
    assert verify(world.database) == ()
    change(url, "UPDATE customer SET kyc_level = 'none' WHERE id = 'CUS_DDA-1'")
    (breach,) = verify(world.database)
    assert (breach.invariant, breach.where) == (20, "customer CUS_DDA-1")
    assert catching_up.seal_as_found(world.context) == (breach,)
    assert "found_at_upgrade" in newest_of_deployment(world)
    change(url, "UPDATE customer SET kyc_level = 'enhanced' WHERE id = 'CUS_DDA-1'")
    assert catching_up.seal_as_found(world.context) == ()
    counted = "SELECT count(*) FROM {} WHERE salt IS NULL"
    without = {table.name: rows(url, counted.format(table.name)) for table in sealed_tables()}
    assert {name for name, found in without.items() if found != [(0,)]} == set()
    world.buy("26.00")
    world.settle()
    assert verify(world.database) == ()
    change(url, "UPDATE trading_account SET trade_count = trade_count + 0, last_activity = 1")
    assert {"trading_account"} <= {
        breach.where.split()[0] for breach in verify(world.database) if breach.invariant == 20
    }
    world.buy("27.00")
    (breach,) = [each for each in verify(world.database) if world.account in each.where]
    assert "then written over by" in breach.what
    world.close()


def test_a_log_of_which_an_earlier_build_wrote_the_beginning_is_no_breach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its entries have no seals before and don't say after which audit row they were written."""
    real = log._body

    def of_earlier_build(stamp: log.Stamp, acts: Any, seals: Any) -> tuple[str, str]:
        plain = [each._replace(before=None) for each in seals]
        entry_id, body = real(stamp._replace(after=None), acts, plain)
        found = log.read(body.encode())
        told = {name: found[name] for name in found.keys() - {"salt", "numbers", "inner"}}
        numbered = [act | ({"n": act["seq"]} if "seq" in act else {}) for act in acts]
        return entry_id, canonical({**told, "v": 1, "acts": numbered})

    with monkeypatch.context() as patched:
        patched.setattr(log, "_body", of_earlier_build)
        world = make_world(sqlite_url(tmp_path))
        world.open()
        world.deposit()
        quote = world.quote("10.00")
        world.buy("20.00")
    world.execute(quote)
    world.settle()
    assert verify(world.database) == ()
    change(sqlite_url(tmp_path), "UPDATE trading_account SET bank_account_type = 'savings'")
    world.deposit()
    (breach,) = verify(world.database)
    assert "then written over by" in breach.what
    world.close()


def change(url: str, statement: str) -> None:
    database = connect(url)
    with database.write() as connection:
        assert connection.execute(text(statement)).rowcount > 0
        connection.commit()
    database.close()


def newest_of_deployment(world: World) -> str:
    with world.database.read() as connection:
        return [*log.entries(connection, log.DEPLOYMENT)][-1].body


def test_a_log_begins_with_the_audit_rows_that_were_there(url: str) -> None:
    """Their hashes in their order, then where the old chain ended."""
    hashes = [row[0] for row in rows(url, "SELECT hash FROM audit ORDER BY seq")]
    ((number, head),) = rows(url, "SELECT audit_seq, audit_hash FROM head")
    maintenance.upgrade(url)
    database = connect(url)
    with database.read() as connection:
        found = [*log.entries(connection, "default")]
        expected = [merkle.leaf_hash(each.encode()) for each in hashes]
        assert log.leaves(connection, "default", len(hashes)) == expected
        assert next(n for n, _ in log.entries_about(connection, "default", 3, 3)) == 3
    database.close()
    assert [each.body for each in found[: len(hashes)]] == hashes
    (act,) = log.read(found[len(hashes)].body.encode())["acts"]
    assert act == {
        "op": "continue_chain",
        "number": number,
        "head": head,
        "rows": len(hashes),
    }


def test_sealing_is_resumed_where_it_ended(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine stops after some batches; what was sealed stays, and the rest follows."""
    steps = iter(range(3))
    real = baseline.seal_next

    def stops(*arguments: Any) -> Any:
        if next(steps, None) is None:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(baseline, "_BATCH", 7)
    monkeypatch.setattr(baseline, "seal_next", stops)
    with pytest.raises(KeyboardInterrupt):
        maintenance.upgrade(url)
    monkeypatch.setattr(baseline, "seal_next", real)
    world = make_world(url, customers=(), seed="4")
    world.clock.advance(DAY)
    world.accounts = [row.id for row in world.engine.trading_accounts().data]
    world.deposit("5.00")
    assert catching_up.seal_as_found(world.context) == ()
    assert verify(world.database) == ()
    world.close()
