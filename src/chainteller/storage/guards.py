"""Guards: what SQL itself refuses. ``catalogue`` says whether they are as they should be.

Append-only tables refuse UPDATE and DELETE of what seals cover. Old rows of some tables may be
deleted, up to the number that a row of ``removal`` says: that row is sealed.

Customers' balances refuse to go negative; so do the bank's own on SQLite. On PostgreSQL those are
posted after the write, where a refusal would come too late: the sequencer raises an alarm instead.
"""

from sqlalchemy import Connection

from chainteller.domain.ledger import CORE, CUSTOMER_PREFIX
from chainteller.storage import removals, sealing
from chainteller.storage.tables import Tables

APPEND_ONLY = (Tables.audit, Tables.event, Tables.journal, Tables.posting, Tables.entry)
_FUNCTION = "chainteller_append_only"
_REMOVED = "SELECT max(upto) FROM removal WHERE organisation_id = {of} AND counted = '{counted}'"
_EVENTS = _REMOVED.format(of="'*'", counted=removals.EVENTS)
_AUDITS = _REMOVED.format(of="'*'", counted=removals.AUDITS)
_ENTRIES = _REMOVED.format(of="OLD.organisation_id", counted=removals.ENTRIES)
_KEPT = {
    Tables.event: f"OLD.seq > coalesce(({_EVENTS}), 0)",
    Tables.audit: f"coalesce(OLD.seq > coalesce(({_AUDITS}), 0), 1)",
    Tables.entry: f"coalesce(OLD.number > coalesce(({_ENTRIES}), 0), 1)",
}
"""SQLite's conditions for rows that mustn't be deleted."""
_BODY = f"""
 BEGIN
  IF TG_OP = 'DELETE' THEN
   IF TG_TABLE_NAME = 'event' THEN
    IF OLD.seq <= ({_EVENTS}) THEN
     RETURN OLD;
    END IF;
   ELSIF TG_TABLE_NAME = 'audit' THEN
    IF OLD.seq <= ({_AUDITS}) THEN
     RETURN OLD;
    END IF;
   ELSIF TG_TABLE_NAME = 'entry' THEN
    IF OLD.number <= ({_ENTRIES}) THEN
     RETURN OLD;
    END IF;
   END IF;
  END IF;
  RAISE EXCEPTION USING MESSAGE = TG_TABLE_NAME || ' is append-only';
 END """
_CONSTRAINT = "balance_not_negative"


def create(connection: Connection) -> None:
    """Create every guard in a new schema."""
    if connection.dialect.name == "sqlite":
        for statement in _sqlite_triggers().values():
            connection.exec_driver_sql(statement)
        return
    connection.exec_driver_sql(
        f"CREATE FUNCTION {_FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS $${_BODY}$$"
    )
    for statement in _postgres_triggers().values():
        connection.exec_driver_sql(statement)
    connection.exec_driver_sql(
        f"ALTER TABLE ledger_account ADD CONSTRAINT {_CONSTRAINT} "
        f"CHECK (balance >= 0 OR code NOT LIKE '{CUSTOMER_PREFIX}%%')"
    )


def drop(connection: Connection) -> None:
    """Remove every guard, for as long as a transaction fills a new database."""
    if connection.dialect.name == "sqlite":
        for name in _sqlite_triggers():
            connection.exec_driver_sql(f"DROP TRIGGER {name}")
        return
    for table in APPEND_ONLY:
        connection.exec_driver_sql(f"DROP TRIGGER {table.name}_append_only ON {table.name}")
    connection.exec_driver_sql(f"DROP FUNCTION {_FUNCTION}()")
    connection.exec_driver_sql(f"ALTER TABLE ledger_account DROP CONSTRAINT {_CONSTRAINT}")


def _sqlite_triggers() -> dict[str, str]:
    found = {}
    for table in APPEND_ONLY:
        columns = ", ".join(f'"{name}"' for name in sealing.form(table).names)
        for verb, of in (("UPDATE", f" OF {columns}"), ("DELETE", "")):
            name = f"{table.name}_refuses_{verb.lower()}"
            unless = f"WHEN {_KEPT[table]} " if verb == "DELETE" and table in _KEPT else ""
            found[name] = (
                f"CREATE TRIGGER {name} BEFORE {verb}{of} ON {table.name} {unless}"
                f"BEGIN SELECT RAISE(ABORT, '{table.name} is append-only'); END"
            )
    for verb in ("INSERT", "UPDATE"):
        name = f"ledger_account_stays_positive_{verb.lower()}"
        found[name] = (
            f"CREATE TRIGGER {name} BEFORE {verb} ON ledger_account "
            f"WHEN NEW.balance LIKE '-%' AND NEW.code <> '{CORE}' "
            "BEGIN SELECT RAISE(ABORT, 'a balance below zero'); END"
        )
    return found


def _postgres_triggers() -> dict[str, str]:
    found = {}
    for table in APPEND_ONLY:
        columns = ", ".join(f'"{name}"' for name in sealing.form(table).names)
        name = f"{table.name}_append_only"
        found[name] = (
            f"CREATE TRIGGER {name} BEFORE DELETE OR UPDATE OF {columns} ON {table.name} "
            f"FOR EACH ROW EXECUTE FUNCTION {_FUNCTION}()"
        )
    return found
