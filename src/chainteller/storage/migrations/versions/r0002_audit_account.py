"""The audit trail of a trading account: each row learns the account that it was done to.

What a row's hash covers stays as it is, so the chain verifies as before. Rows that were written
earlier get their account from the record that they name. An earlier refusal that names no known
record stays without one, as does one of a new verification whose wallet has several accounts.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None
visits = ("audit",)

_INPUT = {
    "sqlite": "json_extract(audit.inputs, '$.{name}')",
    "postgresql": "substring(audit.inputs from '\"{name}\":\"([^\"]*)\"')",
}
_OPEN = {
    "sqlite": "DROP TRIGGER audit_refuses_update",
    "postgresql": "ALTER TABLE audit DISABLE TRIGGER audit_append_only",
}
_CLOSE = {
    "sqlite": (
        "CREATE TRIGGER audit_refuses_update BEFORE UPDATE ON audit "
        "BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END"
    ),
    "postgresql": "ALTER TABLE audit ENABLE TRIGGER audit_append_only",
}
_FILL = """
UPDATE audit SET trading_account_id = COALESCE(
  (SELECT a.id FROM trading_account a
    WHERE a.id = {account} AND a.organisation_id = audit.organisation_id),
  (SELECT a.id FROM trading_account a
    WHERE a.id = audit.object AND a.organisation_id = audit.organisation_id),
  (SELECT t.trading_account_id FROM trade t
    WHERE t.id = audit.object AND t.organisation_id = audit.organisation_id),
  (SELECT t.trading_account_id FROM transfer t
    WHERE t.id = audit.object AND t.organisation_id = audit.organisation_id),
  (SELECT q.trading_account_id FROM quote q
    WHERE q.id = audit.object AND q.organisation_id = audit.organisation_id),
  (SELECT b.trading_account_id FROM blockchain_account b
    WHERE b.id = audit.object AND b.organisation_id = audit.organisation_id),
  (SELECT b.trading_account_id FROM challenge c
    JOIN blockchain_account b ON b.id = c.blockchain_account_id
    WHERE c.id = audit.object AND c.organisation_id = audit.organisation_id),
  (SELECT b.trading_account_id FROM claim c
    JOIN blockchain_account b ON b.id = c.blockchain_account_id
    WHERE c.id IN (audit.object, {claim}) AND c.organisation_id = audit.organisation_id)
)
"""
_FILL_REVERIFICATIONS = """
UPDATE audit SET trading_account_id = COALESCE(
  (SELECT min(b.trading_account_id) FROM event e
    JOIN blockchain_account b ON e.data LIKE '%"blockchainAccountId":"' || b.id || '"%'
    WHERE e.type = 'counterparty.reverification_required' AND e.resource = audit.object
    AND e.at = audit.at AND b.organisation_id = audit.organisation_id),
  (SELECT min(b.trading_account_id) FROM link l
    JOIN blockchain_account b ON b.id = l.blockchain_account_id
    WHERE l.counterparty_id = audit.object AND b.organisation_id = audit.organisation_id
    GROUP BY l.counterparty_id HAVING count(*) = 1)
)
WHERE action = 'require_reverification' AND trading_account_id IS NULL
"""


def upgrade() -> None:
    dialect = op.get_bind().dialect.name
    op.add_column("audit", sa.Column("trading_account_id", sa.String(length=64), nullable=True))
    op.execute(_OPEN[dialect])
    account, claim = (
        _INPUT[dialect].format(name=name) for name in ("tradingAccountId", "ownershipClaimId")
    )
    op.execute(_FILL.format(account=account, claim=claim))
    op.execute(_FILL_REVERIFICATIONS)
    op.execute(_CLOSE[dialect])
    op.create_index("ix_audit_account", "audit", ["organisation_id", "trading_account_id", "seq"])
