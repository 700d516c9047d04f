"""Expand: store the revision in its own table, and derive the owner column from the code.

Nothing is dropped, so the floor stays at 0002 and the released build keeps working beside this
one. The table itself (``schema_revision``) is created before the first migration runs, because
Alembic counts in it.

The new build derives a balance's owner from its code. The released build reads the stored owner,
which it left empty where a trading account was older than the asset that it bought; those rows
get their owner here, so that the released build shows them too.
"""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None
scans = ("ledger_account",)

_KNOWN_TO_0002 = (
    "USD@fiat", "BUSD1@bank", "USDC@solana", "USDC@ethereum", "BTC@bitcoin", "ETH@ethereum",
    "SOL@solana",
)  # fmt: skip
_OWNER = {
    "sqlite": "substr(code, 10, instr(substr(code, 10), ':') - 1)",
    "postgresql": "split_part(code, ':', 2)",
}


def upgrade() -> None:
    known = ", ".join(f"'{asset}'" for asset in _KNOWN_TO_0002)
    op.execute(
        f"UPDATE ledger_account SET owner = {_OWNER[op.get_bind().dialect.name]} "  # noqa: S608 - our own words
        f"WHERE code LIKE 'customer:%' AND owner = '' AND asset IN ({known})"
    )
