"""Guards that SQL itself enforces, as the first migration creates them on either database."""

from alembic import op


def append_only(names: tuple[str, ...]) -> None:
    """Make tables refuse UPDATE and DELETE."""
    if op.get_bind().dialect.name == "sqlite":
        for name in names:
            for verb in ("UPDATE", "DELETE"):
                op.execute(
                    f"CREATE TRIGGER {name}_refuses_{verb.lower()} BEFORE {verb} ON {name} "
                    f"BEGIN SELECT RAISE(ABORT, '{name} is append-only'); END"
                )
        return
    op.execute(
        "CREATE FUNCTION chainteller_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
    )
    for name in names:
        op.execute(
            f"CREATE TRIGGER {name}_append_only BEFORE UPDATE OR DELETE ON {name} "
            "FOR EACH ROW EXECUTE FUNCTION chainteller_append_only()"
        )


def positive_balances() -> None:
    """Refuse negative balances, except what is due from or to the core."""
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("INSERT", "UPDATE"):
            op.execute(
                f"CREATE TRIGGER ledger_account_stays_positive_{verb.lower()} "
                f"BEFORE {verb} ON ledger_account "
                "WHEN NEW.balance LIKE '-%' AND NEW.code <> 'core' "
                "BEGIN SELECT RAISE(ABORT, 'a balance below zero'); END"
            )
        return
    op.execute(
        "ALTER TABLE ledger_account ADD CONSTRAINT balance_not_negative "
        "CHECK (balance >= 0 OR code = 'core')"
    )
