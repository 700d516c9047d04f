"""Guards: what SQL itself refuses. ``catalogue`` says whether they are as they should be.

Entries are only added. Of those that are there, marks may be made again with another key, bodies
may go to an archive, up to the number that the log's row says, and a body may lose its inputs,
which leaves a shorter one. Whether it's the same but for these, its hash says. Balances refuse to
go negative.
"""

from chainteller.domain.ledger import CORE
from chainteller.storage.db import records
from chainteller.storage.db.faults import BELOW_ZERO
from chainteller.storage.db.query import SQLITE, Session, built

_FUNCTION = "chainteller_append_only"
_ENTRY = "entry"
_FIXED = [name for name in records.Entry._fields if name not in ("mark", "body")]
_ARCHIVED = "(SELECT archived FROM log WHERE organisation_id = OLD.organisation_id)"
_MAY_CHANGE = (
    f"(NEW.body IS NULL AND OLD.number <= {_ARCHIVED} "
    "OR coalesce(length(NEW.body) < length(OLD.body), 1 = 0))"
)
_BODY = f"""
 BEGIN
  IF TG_NAME = 'entry_keeps_body' AND {_MAY_CHANGE} THEN
   RETURN NEW;
  END IF;
  RAISE EXCEPTION USING MESSAGE = 'entry is append-only';
 END """


def created(dialect: str) -> list[str]:
    """The statements that create every guard in a new schema."""
    if dialect == SQLITE:
        return list(_sqlite_triggers().values())
    return [
        f"CREATE FUNCTION {_FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS $${_BODY}$$",
        *_postgres_triggers().values(),
        f"ALTER TABLE ledger_account ADD CONSTRAINT {BELOW_ZERO} "
        f"CHECK (balance >= 0 OR code = '{CORE}')",
    ]


def create(connection: Session) -> None:
    """Create every guard in a new schema."""
    for statement in created(connection.dialect.name):
        _run(connection, statement)


def drop(connection: Session) -> None:
    """Remove every guard, for as long as a transaction fills a new database."""
    if connection.dialect.name == SQLITE:
        for name in _sqlite_triggers():
            _run(connection, f"DROP TRIGGER {name}")
        return
    for name in _postgres_triggers():
        _run(connection, f"DROP TRIGGER {name} ON {_ENTRY}")
    _run(connection, f"DROP FUNCTION {_FUNCTION}()")
    _run(connection, f"ALTER TABLE ledger_account DROP CONSTRAINT {BELOW_ZERO}")


def _run(connection: Session, statement: str) -> None:
    connection.execute(built(statement, None))


def _sqlite_triggers() -> dict[str, str]:
    refuse = f"BEGIN SELECT RAISE(ABORT, '{_ENTRY} is append-only'); END"
    fixed = ", ".join(f'"{name}"' for name in _FIXED)
    found = {
        "entry_refuses_update": f"BEFORE UPDATE OF {fixed} ON {_ENTRY} {refuse}",
        "entry_keeps_body": f"BEFORE UPDATE OF body ON {_ENTRY} WHEN NOT {_MAY_CHANGE} {refuse}",
        "entry_refuses_delete": f"BEFORE DELETE ON {_ENTRY} {refuse}",
    }
    for verb in ("INSERT", "UPDATE"):
        found[f"ledger_account_stays_positive_{verb.lower()}"] = (
            f"BEFORE {verb} ON ledger_account WHEN NEW.balance LIKE '-%' AND NEW.code <> '{CORE}' "
            f"BEGIN SELECT RAISE(ABORT, '{BELOW_ZERO}'); END"
        )
    return {name: f"CREATE TRIGGER {name} {told}" for name, told in found.items()}


def _postgres_triggers() -> dict[str, str]:
    fixed = ", ".join(f'"{name}"' for name in _FIXED)
    runs = f"ON {_ENTRY} FOR EACH ROW EXECUTE FUNCTION {_FUNCTION}()"
    return {
        "entry_append_only": f"CREATE TRIGGER entry_append_only BEFORE DELETE OR UPDATE OF {fixed} "
        f"{runs}",
        "entry_keeps_body": f"CREATE TRIGGER entry_keeps_body BEFORE UPDATE OF body {runs}",
    }
