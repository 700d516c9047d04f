"""Destinations of withdrawals, and the limits that apply to each."""

from dataclasses import dataclass

from chainteller.domain.assets import Asset
from chainteller.domain.challenges import is_verified
from chainteller.domain.clock import format_instant
from chainteller.domain.evidence import EvidenceLevel, VerificationMethod, evidence_of
from chainteller.domain.limits import UNVERIFIED_HOLD, DestinationClass
from chainteller.domain.timekeeping import stamped
from chainteller.engine.core.outcome import Update
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import blockchain_accounts, claim_proofs, counterparties
from chainteller.service.errors import (
    FIELD_REQUIRED,
    DestinationOnHold,
    EvidenceExpired,
    NetworkMismatch,
    NotFound,
    ValidationFailed,
)
from chainteller.service.models.funding import Destination
from chainteller.storage.db.query import Record
from chainteller.storage.queries import wallets


@dataclass(frozen=True, slots=True)
class Target:
    """``available_at`` is when a newly registered wallet may first receive."""

    destination_class: DestinationClass
    counterparty_id: str | None = None
    blockchain_account_id: str | None = None
    address: str | None = None
    available_at: int = 0
    claim_id: str | None = None
    """The claim of a verified wallet, if it must be confirmed before a payout."""
    level: EvidenceLevel | None = None
    """The level of a verified wallet's evidence, if that has limits of its own."""
    used: tuple[Update, ...] = ()
    """What a withdrawal to it changes: the last use of a verified wallet's link."""


def resolve(
    tx: UnitOfWork, account: Record, destination: Destination | None, asset: Asset
) -> Target:
    """The bank account when nothing is named. Raises ValidationFailed, NotFound, NetworkMismatch,
    ClaimUnverifiable, EvidenceExpired."""
    if destination is None or destination.type == "bank-account":
        if destination and (destination.counterparty_id or destination.blockchain_account_id):
            raise ValidationFailed.of("destination", "a bank account is the customer's own")
        return Target(DestinationClass.OWN_BANK)
    for name, wire in (
        ("counterparty_id", "counterpartyId"),
        ("blockchain_account_id", "blockchainAccountId"),
    ):
        if getattr(destination, name) is None:
            raise ValidationFailed.of(f"destination.{wire}", FIELD_REQUIRED, "REQUIRED")
    return _wallet(
        tx, account, str(destination.counterparty_id), str(destination.blockchain_account_id), asset
    )


def _wallet(
    tx: UnitOfWork, account: Record, counterparty_id: str, via: str, asset: Asset
) -> Target:
    counterparty = counterparties.find(tx.connection, tx.organisation_id, counterparty_id)
    blockchain_account = blockchain_accounts.find(tx.connection, tx.organisation_id, via)
    if blockchain_account.trading_account_id != account.id:
        raise NotFound(blockchain_accounts.RESOURCE, via)
    link = claim_proofs.of_wallet(tx.connection, blockchain_account, counterparty)
    if counterparty.network != asset.network:
        raise NetworkMismatch(
            "The wallet is on another network than the asset.",
            {"expected": asset.network, "actual": counterparty.network},
        )
    return wallet(counterparty, blockchain_account.id, link, tx.now, tx.time.began_at)


def wallet(
    counterparty: Record, via: str, link: Record | None, now: int, began_at: int = 0
) -> Target:
    """The wallet as a target: verified for the blockchain account ``via``, or not; ``began_at``
    is the beginning of this epoch.

    Raises:
        EvidenceExpired: it was verified by what is too old by now and can't be verified again.
    """
    if link is not None and is_verified(wallets.link_status(link, now)):
        return Target(
            DestinationClass.VERIFIED,
            counterparty.id,
            via,
            counterparty.address,
            claim_id=link.claim_id if link.claim_method == VerificationMethod.CONTRACT else None,
            level=level_with_limits(link),
            used=(used(link, now),),
        )
    if link is not None:
        _require_fresh(link, now)
    return Target(
        DestinationClass.UNVERIFIED,
        counterparty.id,
        via,
        counterparty.address,
        stamped(counterparty.created, now, began_at) + UNVERIFIED_HOLD,
    )


def level_with_limits(link: Record) -> EvidenceLevel | None:
    """The level of a link's evidence, None for the highest, which has no limits of its own."""
    level = wallets.level_of(link.claim_method, link.claim_level)
    return None if level in (None, EvidenceLevel.HIGH) else EvidenceLevel(level)


def _require_fresh(link: Record, now: int) -> None:
    """Raises EvidenceExpired. A signature never is: it can be verified again, and only the wallet's
    type falls back (specification 8, rule 5). A revoked verification falls back, too."""
    evidence = evidence_of(link.claim_method or "")
    if evidence is None or evidence.is_repeatable or link.revoked_at is not None:
        return
    if now > link.expires:
        raise EvidenceExpired(
            "The wallet's verification is too old for a withdrawal.",
            {
                "counterpartyId": link.counterparty_id,
                "blockchainAccountId": link.blockchain_account_id,
                "claimId": link.claim_id,
                "method": link.claim_method,
                "expiredAt": format_instant(link.expires),
                "suggestion": EvidenceExpired.next_step,
            },
        )


def used(link: Record, now: int) -> Update:
    """Note that a linked wallet was used, which keeps it from becoming dormant."""
    return counterparties.change_link(link, last_used_at=now)


def require_reachable(target: Target, now: int) -> None:
    """Raises DestinationOnHold."""
    if now < target.available_at:
        raise DestinationOnHold(
            "You can't withdraw to a newly registered wallet yet.",
            {
                "counterpartyId": target.counterparty_id,
                "availableAt": format_instant(target.available_at),
                "suggestion": "Verify the wallet to end the hold, or wait until it ends.",
            },
        )
