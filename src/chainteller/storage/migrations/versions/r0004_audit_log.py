"""Expand: the log, seals, versioned settings, checkpoints, the clock; an index for listing transfers.

Nothing is dropped, so the floor stays at 0002. The released build neither knows the new columns
nor fills them: rows that it writes have no salt, and the next upgrade seals them.

Each organisation's log begins with the hashes of its own audit rows in their order, followed by
one entry that names the old chain's head and length. Rows are sealed afterwards, in steps that
can be resumed (``baseline``).
"""


import sqlalchemy as sa
from alembic import op

from chainteller.storage import log
from chainteller.storage.migrations import indexes as built
from chainteller.storage.migrations.indexes import Index

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None
visits = ("audit",)
indexes = (
    Index("ix_transfer_organisation", "transfer", ("organisation_id", "created", "id")),
    Index("ix_audit_organisation", "audit", ("organisation_id", "seq")),
)
"""The second one is for what follows here, too: otherwise each organisation's audit rows would be
looked for among all."""

_SEALED = (
    "organisation", "customer", "bank_account", "trading_account", "ledger_account", "journal",
    "posting", "quote", "trade", "transfer", "job", "idempotency", "audit", "event",
    "market_control", "api_key", "blockchain_account", "counterparty", "challenge", "attempt",
    "claim", "link",
)  # fmt: skip
_APPEND_ONLY = {
    "audit": (
        "seq", "at", "organisation_id", "actor", "action", "object", "inputs", "outcome", "error",
        "previous_hash", "hash", "trading_account_id",
    ),
    "event": ("seq", "id", "type", "at", "organisation_id", "resource", "data"),
    "journal": ("id", "kind", "reference", "at"),
    "posting": (
        "code", "asset", "account_version", "journal_id", "debit", "atoms", "balance_after",
    ),
    "entry": ("organisation_id", "id", "number", "leaf", "body"),
}  # fmt: skip
_BATCH = 5_000
_DIGITS = 16
_NEWEST = sa.text(
    "SELECT id FROM entry WHERE organisation_id = :name ORDER BY number DESC LIMIT 1"
)
_ROWS = sa.text(
    "SELECT seq, at, hash FROM audit WHERE organisation_id = :name AND seq > :last "
    "ORDER BY seq LIMIT :most"
)
_KEY = sa.String(length=64)


def ahead() -> bool:
    """Begin the logs with some of the audit rows that exist, beside servers that go on writing;
    whether there may be more. Rows are never altered, so ``upgrade`` goes on from there."""
    connection = op.get_bind()
    if not sa.inspect(connection).has_table("entry"):
        _create_tables()
        return True
    return any(_put_rows(connection, name) for name in _organisations(connection))


def upgrade() -> None:
    built.create(indexes)
    if not sa.inspect(op.get_bind()).has_table("entry"):
        _create_tables()
    op.add_column("transfer", sa.Column("rule_id", _KEY, nullable=True))
    _add_method_of_claims()
    for name in _SEALED:
        op.add_column(name, sa.Column("salt", sa.String(length=16), nullable=True))
    _add_clock()
    _guard()
    _continue_chain(op.get_bind())


def _add_method_of_claims() -> None:
    """Every earlier claim is a signature, and so are those that the released build still makes."""
    op.add_column(
        "claim", sa.Column("method", _KEY, nullable=False, server_default="signature")
    )


def _create_tables() -> None:
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    op.create_table(
        "rule",
        sa.Column("id", _KEY, primary_key=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("salt", sa.String(length=16), nullable=True),
    )
    op.create_table(
        "entry",
        sa.Column("organisation_id", _KEY, nullable=False),
        sa.Column("id", _KEY, nullable=False),
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=on_sqlite),
        sa.Column("leaf", _KEY, nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=True),
        sa.Column("digest", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("organisation_id", "id" if on_sqlite else "number"),
    )
    if on_sqlite:  # elsewhere the key is that of 0015, so that it needn't be made again
        op.create_index("ix_entry_number", "entry", ["organisation_id", "number"], unique=True)
    op.create_table(
        "log",
        sa.Column("organisation_id", _KEY, primary_key=True),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("peaks", sa.Text(), nullable=False),
        sa.Column("root", _KEY, nullable=False),
    )
    op.create_table(
        "checkpoint",
        sa.Column("organisation_id", _KEY, nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("root", _KEY, nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("organisation_id", "size"),
    )


def _add_clock() -> None:
    """The clock's table with its only row: the first epoch, not anchored yet."""
    table = op.create_table(
        "clock",
        sa.Column("name", _KEY, primary_key=True),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("began_at", sa.BigInteger(), nullable=False),
        sa.Column("boot", _KEY, nullable=False),
        sa.Column("anchor_at", sa.BigInteger(), nullable=False),
        sa.Column("anchor_elapsed", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("doubt", _KEY, nullable=False),
        sa.Column("stepped", sa.Boolean(), nullable=False),
        sa.Column("salt", sa.String(length=16), nullable=True),
    )
    first = {"name": "bank", "boot": "", "doubt": "", "stepped": False}
    numbers = ("epoch", "began_at", "anchor_at", "anchor_elapsed", "seen_at")
    op.bulk_insert(table, [first | dict.fromkeys(numbers, 0)])


def _guard() -> None:
    """Append-only tables let a missing salt be filled in; the log is append-only too."""
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    if not on_sqlite:
        op.execute(
            "CREATE OR REPLACE FUNCTION chainteller_append_only() RETURNS trigger "
            "LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING MESSAGE = "
            "TG_TABLE_NAME || ' is append-only'; END $$"
        )
    for name, columns in _APPEND_ONLY.items():
        listed = ", ".join(f'"{column}"' for column in columns)
        if not on_sqlite:
            op.execute(f"DROP TRIGGER IF EXISTS {name}_append_only ON {name}")
            op.execute(
                f"CREATE TRIGGER {name}_append_only BEFORE DELETE OR UPDATE OF {listed} ON {name} "
                "FOR EACH ROW EXECUTE FUNCTION chainteller_append_only()"
            )
            continue
        for verb, of in (("UPDATE", f" OF {listed}"), ("DELETE", "")):
            trigger = f"{name}_refuses_{verb.lower()}"
            op.execute(f"DROP TRIGGER IF EXISTS {trigger}")
            op.execute(
                f"CREATE TRIGGER {trigger} BEFORE {verb}{of} ON {name} "
                f"BEGIN SELECT RAISE(ABORT, '{name} is append-only'); END"
            )


def _continue_chain(connection: sa.Connection) -> None:
    """Begin the logs with the audit rows that exist; writers wait meanwhile."""
    lock = "" if connection.dialect.name == "sqlite" else " FOR UPDATE"
    head = connection.execute(
        sa.text(f"SELECT audit_seq, audit_hash, last_at FROM head{lock}")  # noqa: S608 - our own words
    ).one()
    for name in _organisations(connection):
        while _put_rows(connection, name):
            pass
        count = log.head(connection, name).size
        if count:
            act = {
                "op": "continue_chain",
                "number": head.audit_seq,
                "head": head.audit_hash,
                "rows": count,
            }
            log.put_acts(connection, log.Stamp(name, head.last_at, "chainteller"), [act])
    act = {"op": "upgrade", "to": revision, "number": head.audit_seq, "head": head.audit_hash}
    log.put_acts(connection, log.Stamp(log.DEPLOYMENT, head.last_at, "chainteller"), [act])


def _organisations(connection: sa.Connection) -> list[str]:
    names = connection.execute(sa.text("SELECT id FROM organisation ORDER BY id")).scalars()
    return [str(name) for name in names]


def _put_rows(connection: sa.Connection, name: str) -> bool:
    """Put an organisation's next audit rows into its log, each as its hash under an id that is
    ordered by time; False if there were none."""
    newest = connection.execute(_NEWEST, {"name": name}).scalar() or "0"
    values = {"name": name, "last": int(newest[-_DIGITS:], 16), "most": _BATCH}
    found = connection.execute(_ROWS, values).all()
    rows = [(f"{at:0{_DIGITS}x}{seq:0{_DIGITS}x}", row_hash) for seq, at, row_hash in found]
    log.put(connection, name, rows)
    return bool(rows)
