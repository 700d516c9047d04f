"""Where a withdrawal goes, and which limits hold there."""

from dataclasses import dataclass

from chainteller.domain.assets import Asset
from chainteller.domain.limits import DestinationClass
from chainteller.engine.transaction import Transaction
from chainteller.service.errors import NotFound, ValidationFailed
from chainteller.service.models.funding import Destination
from chainteller.storage.database import Record


@dataclass(frozen=True, slots=True)
class Target:
    """``available_at`` is when a newly registered wallet may first receive."""

    destination_class: DestinationClass
    counterparty_id: str | None = None
    blockchain_account_id: str | None = None
    address: str | None = None
    available_at: int = 0


def resolve(
    tx: Transaction, account: Record, destination: Destination | None, asset: Asset
) -> Target:
    if destination is None or destination.type == "bank-account":
        if destination and (destination.counterparty_id or destination.blockchain_account_id):
            raise ValidationFailed.of("destination", "a bank account is the customer's own")
        return Target(DestinationClass.OWN_BANK)
    raise NotFound("counterparty", "")


def require_reachable(target: Target, now: int) -> None:
    """Raises DestinationOnHold."""
