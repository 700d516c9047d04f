"""Query withdrawals with what a policy judges of them, as it was when they were requested."""

from chainteller.domain.transfers import PAID, Direction
from chainteller.storage.db import records
from chainteller.storage.db.query import quoted
from chainteller.storage.db.sources import Source

_TIMES_PAID = (
    "(SELECT count(*) FROM transfer AS earlier "
    "WHERE earlier.trading_account_id = transfer.trading_account_id "
    f"AND earlier.direction = '{Direction.WITHDRAWAL}' "
    "AND earlier.counterparty_id = transfer.counterparty_id "
    f"AND earlier.status IN ({quoted(PAID)}) "
    "AND COALESCE(earlier.completed_at, earlier.updated) <= transfer.created "
    "AND earlier.id <> transfer.id)"
)
_OTHER_OWNERS = (
    "(SELECT count(*) FROM link AS other "
    "JOIN blockchain_account AS custody ON custody.id = other.blockchain_account_id "
    "WHERE other.counterparty_id = transfer.counterparty_id "
    "AND custody.customer_id <> trading_account.customer_id "
    "AND other.first_linked_at < transfer.created)"
)
_JUDGED = Source(
    records.Transfer,
    "JOIN trading_account ON trading_account.id = transfer.trading_account_id "
    "JOIN customer ON customer.id = trading_account.customer_id",
    customer_name="customer.name",
    customer_reference="customer.reference",
    times_paid=(_TIMES_PAID, int),
    other_owners=(_OTHER_OWNERS, int),
)
_IS_WITHDRAWAL = f"transfer.direction = '{Direction.WITHDRAWAL}'"


find = _JUDGED.where(f"transfer.id = :id AND {_IS_WITHDRAWAL}").first
"""A withdrawal of any organisation."""
since = _JUDGED.where(
    f"transfer.organisation_id = :organisation AND {_IS_WITHDRAWAL} "
    "AND transfer.created >= :since ORDER BY transfer.created, transfer.id"
).rows
"""An organisation's withdrawals from an instant on, oldest first."""
