"""The migrations and the metadata make the same database."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, select, text
from sqlalchemy.exc import DBAPIError
from tests.world.bank import build, sqlite_url
from tests.world.engines import DPT, make_world
from tests.world.samples import load, new_bank
from tests.world.serving import deployment

from chainteller.engine.engine import Engine
from chainteller.engine.verification import verify
from chainteller.service.errors import ServiceError, ServiceUnavailable
from chainteller.service.models.counterparties import ChallengeRequest
from chainteller.service.models.funding import WithdrawalRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.sqlite import sqlite3
from chainteller.storage import maintenance, schema, sealing
from chainteller.storage.database import connect, open_database
from chainteller.storage.revision import REVISION
from chainteller.storage.tables import Tables
from chainteller.storage.wallet_tables import WalletTables

pytestmark = pytest.mark.thorough

Shape = dict[str, object]
ROWS = {
    "head": "*",
    "clock": "name, epoch, began_at, boot, anchor_at, anchor_elapsed, seen_at, doubt, stepped",
    "organisation": "id, name, fee_flat_cents, fee_bps, fee_minimum_cents, created",
    "alembic_version": "*",
    "schema_revision": "*",
}
"""What both have from the start; salts differ."""


def shape(path: Path) -> Shape:
    """Tables with columns, keys, foreign keys and indexes; triggers; rows; the file's marks."""
    with closing(sqlite3.connect(path)) as connection:
        tables = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if name not in ("alembic_version", "schema_revision")
        ]
        found: Shape = {
            name: (
                connection.execute(f"PRAGMA table_xinfo({name})").fetchall(),
                sorted(row[2:] for row in connection.execute(f"PRAGMA foreign_key_list({name})")),
                sorted(
                    (
                        row[1] if row[3] == "c" else row[3],
                        row[2],
                        row[4],
                        tuple(connection.execute(f"PRAGMA index_info({row[1]})").fetchall()),
                    )
                    for row in connection.execute(f"PRAGMA index_list({name})").fetchall()
                ),
            )
            for name in tables
        }
        found["triggers"] = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
        ).fetchall()
        found["indexes"] = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL "
            "ORDER BY name"
        ).fetchall()
        for name, columns in ROWS.items():
            found[f"rows of {name}"] = connection.execute(
                f"SELECT {columns} FROM {name}"  # noqa: S608 - our own names
            ).fetchall()
        found["marks"] = [
            connection.execute(f"PRAGMA {name}").fetchone()
            for name in ("application_id", "user_version")
        ]
        return found


@pytest.fixture
def migrated(tmp_path: Path) -> Path:
    path = tmp_path / "migrated.db"
    assert maintenance.upgrade(f"sqlite:///{path}") == ("", REVISION)
    return path


def test_migrations_and_metadata_give_the_same_schema(migrated: Path, tmp_path: Path) -> None:
    created = tmp_path / "created.db"
    open_database(f"sqlite:///{created}").close()
    from_migrations, from_metadata = shape(migrated), shape(created)
    assert from_migrations.keys() == from_metadata.keys()
    for name, expected in from_metadata.items():
        assert from_migrations[name] == expected, name


def test_a_bank_runs_on_a_migrated_database(migrated: Path) -> None:
    world = make_world(migrated)
    world.open()
    world.deposit("100.00")
    world.buy("50.00")
    world.settle()
    assert verify(world.database) == ()
    world.close()


_UNGUARDED = {
    "sqlite": (
        "DROP TRIGGER audit_refuses_update",
        "CREATE TRIGGER audit_refuses_update BEFORE UPDATE ON audit "
        "BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END",
        *(
            statement
            for name in ("event", "audit", "entry")
            for statement in (
                f"DROP TRIGGER {name}_refuses_delete",
                f"CREATE TRIGGER {name}_refuses_delete BEFORE DELETE ON {name} "
                f"BEGIN SELECT RAISE(ABORT, '{name} is append-only'); END",
            )
        ),
    ),
    "postgres": (
        "DROP TRIGGER audit_append_only ON audit",
        "CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON audit "
        "FOR EACH ROW EXECUTE FUNCTION chainteller_append_only()",
    ),
}
ADDED_IN_0006 = (
    *("ix_quote_status", "ix_quote_market", "ix_trade_market", "ix_transfer_account"),
    *("ix_transfer_status", "ix_transfer_direction", "ix_transfer_amount", "ix_transfer_wallet"),
    *(
        "ix_quote_live",
        "ix_transfer_hash",
        "ix_transfer_end",
        "ix_audit_organisation",
        "ix_event_organisation",
    ),
    *("ix_blockchain_account_account", "ix_challenge_created", "ix_link_account"),
)
_ADDED_IN_0010 = (WalletTables.arrival, WalletTables.small_transfer, WalletTables.statement)
_WITHOUT_SALT = (Tables.rule, Tables.clock, Tables.removal)
_ADDED_TABLES = (
    *("archived_leaves", "removal", "tally"),
    *("search_word", "search_name", "search_key"),
)
BACK_TO_0001 = (
    "DROP INDEX ix_posting_hold",
    "CREATE INDEX ix_posting_journal_id ON posting (journal_id)",
    "CREATE INDEX ix_journal_reference ON journal (reference)",
    *(f"DROP TABLE {name}" for name in _ADDED_TABLES),
    *(f"DROP INDEX {name}" for name in ADDED_IN_0006),
    "CREATE INDEX ix_blockchain_account_trading_account_id "
    "ON blockchain_account (trading_account_id)",
    *(
        f"ALTER TABLE {table} DROP COLUMN {name}"
        for table, name in (
            ("audit", "number"),
            ("audit", "follows"),
            ("event", "number"),
            ("head", "own_base"),
            ("head", "events_owned"),
            ("head", "audits_owned"),
            ("head", "events_shared"),
        )
    ),
    "DROP TABLE clock",
    "DROP INDEX ix_transfer_organisation",
    "DROP INDEX ix_link_counterparty",
    *(f"DROP TABLE {name}" for name in ("rule", "entry", "log", "checkpoint", "unnumbered")),
    "ALTER TABLE transfer DROP COLUMN rule_id",
    "DROP TABLE claim_evidence",
    *(f"DROP TABLE {table.name}" for table in _ADDED_IN_0010),
    "DROP INDEX ix_transfer_level",
    "ALTER TABLE transfer DROP COLUMN evidence_level",
    "ALTER TABLE claim DROP COLUMN level",
    "ALTER TABLE counterparty DROP COLUMN code",
    "ALTER TABLE counterparty DROP COLUMN code_block",
    "ALTER TABLE claim DROP COLUMN method",
    *(
        f"ALTER TABLE {table.name} DROP COLUMN salt"
        for table in sealing.sealed_tables()
        if table not in (*_WITHOUT_SALT, WalletTables.evidence, *_ADDED_IN_0010)
    ),
    "DROP TABLE server_lease",
    "DROP TABLE schema_revision",
    "DROP INDEX ix_audit_account",
    "ALTER TABLE audit DROP COLUMN trading_account_id",
    "UPDATE alembic_version SET version_num = '0001'",
)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_earlier_audit_rows_get_their_account_and_keep_their_hashes(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = sqlite_url(tmp_path) if kind == "sqlite" else request.getfixturevalue("postgres_url")
    written = audit_rows_of_a_long_day(url)
    assert sum(row["trading_account_id"] is not None for row in written) > 3_000
    database = connect(url)
    with database.write() as connection:
        later = ids_unknown_to_0001(connection)
        for statement in (*_UNGUARDED[kind], *BACK_TO_0001):
            connection.execute(text(statement))
        if kind == "sqlite":
            connection.execute(text("PRAGMA user_version=1"))
        connection.commit()
    database.close()
    assert maintenance.upgrade(url) == ("0001", REVISION)
    database = open_database(url)
    with database.read() as connection:
        rows = stored_audit(connection)
    assert later
    assert rows == [
        row | ({"trading_account_id": None} if row["object"] in later else {}) for row in written
    ]
    assert verify(database) == ()
    with pytest.raises(DBAPIError, match="append-only"), database.write() as connection:
        connection.execute(text("UPDATE audit SET actor = 'nobody'"))
    database.close()


def ids_unknown_to_0001(connection: Connection) -> set[str]:
    """Of records that a later table keeps under ids of its own: they are lost on the way back."""
    own = [
        table
        for table in _ADDED_IN_0010
        if not any(column.foreign_keys for column in table.primary_key)
    ]
    return {key for table in own for key in connection.scalars(select(*table.primary_key))}


def stored_audit(connection: Connection) -> list[dict[str, object]]:
    """Every audit row, oldest first, without its salt."""
    columns = [column for column in Tables.audit.columns if column.name != "salt"]
    found = connection.execute(select(*columns).order_by(Tables.audit.c.seq))
    return [row._asdict() for row in found]


def audit_rows_of_a_long_day(url: str) -> list[dict[str, object]]:
    """Of the sample data, then of refusals in the name of one of its accounts."""
    service = Engine(new_bank(url))
    assert load(service.context)
    account = service.trading_accounts().data[0]
    custody = service.blockchain_accounts().data[0]
    unbound = service.create_quote("sol-usd", QuoteRequest(amount="10.00", side="buy")).value
    for refused in (
        lambda: service.execute_quote("QTE_NONE", ExecuteRequest(trading_account_id=account.id)),
        lambda: service.execute_quote(unbound.id, ExecuteRequest(trading_account_id="TDA_NONE")),
        lambda: service.create_challenge(custody.id, ChallengeRequest(counterparty_id="CPT_NONE")),
        lambda: service.withdraw(account.id, WithdrawalRequest(amount="99999999", currency=DPT)),
    ):
        with pytest.raises(ServiceError):
            refused()
    with service.context.database.read() as connection:
        rows = stored_audit(connection)
    service.close()
    return rows


def test_upgrading_a_current_database_changes_nothing(migrated: Path) -> None:
    before = migrated.read_bytes()
    assert maintenance.upgrade(f"sqlite:///{migrated}") == (REVISION, REVISION)
    assert shape(migrated)["rows of head"]
    assert len(migrated.read_bytes()) == len(before)


def test_a_failed_migration_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "stuck.db"
    schema.touch(path, "TRUNCATE")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY)")
        connection.execute("CREATE TABLE trade (id TEXT)")
    with pytest.raises(ServiceUnavailable):
        maintenance.upgrade(f"sqlite:///{path}")
    with closing(sqlite3.connect(path)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        assert connection.execute("PRAGMA user_version").fetchone() == (0,)
    assert tables - {"sqlite_autoindex_alembic_version_1"} == {"alembic_version", "trade"}


def test_alembic_is_imported_only_to_migrate() -> None:
    script = (
        "import sys, chainteller.engine.engine, chainteller.storage.maintenance\n"
        "assert not [name for name in sys.modules if name.startswith('alembic')]"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_running_server_stops_writing_once_the_schema_is_too_new_for_it(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    on_postgres = kind == "postgres"
    world = build(request.getfixturevalue("postgres_url") if on_postgres else sqlite_url(tmp_path))
    order = QuoteRequest(amount="10.00", side="buy")
    made = world.engine.create_quote("sol-usd", order).value
    served = deployment(world)
    assert served.health().ready
    database = connect(str(world.context.database.engine.url.render_as_string(False)))
    with database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0099'"))
        if not on_postgres:
            connection.exec_driver_sql("PRAGMA user_version=99")
        connection.commit()
    with pytest.raises(ServiceUnavailable) as refused:
        world.engine.create_quote("sol-usd", order)
    assert refused.value.details["reason"] == "NEWER_SCHEMA"
    assert [each.id for each in world.engine.quotes().data] == [made.id]
    health = served.health()
    assert (health.ready, health.checks) == (False, {"database": "NEWER_SCHEMA"})
    database.close()
    world.engine.close()
