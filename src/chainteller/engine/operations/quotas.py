"""Quotas: how much an organisation may have at once, however many keys it uses."""

from chainteller.domain.options import Quota
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.service.errors import QuotaExceeded
from chainteller.storage.queries import quotas


def require_room(tx: UnitOfWork, quota: Quota) -> None:
    """Raises QuotaExceeded: one more would be too many.

    Requests at the same moment don't wait for each other, so that a few more can be made.
    """
    limit: int = getattr(tx.context.options.quotas, quota)
    if quotas.used(tx.connection, quota, tx.organisation_id, tx.now) >= limit:
        raise QuotaExceeded(quota, limit)
