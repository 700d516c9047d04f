"""Counterparties: register a wallet, link it with a claim, and require its verification again."""

from chainteller.domain.challenges import (
    POLICY_VERSION,
    ClaimStatus,
    ReverificationReason,
    SharedWallets,
    claim_status,
    is_verified,
)
from chainteller.domain.clock import format_instant
from chainteller.domain.evidence import evidence_of
from chainteller.domain.ids import Prefix
from chainteller.domain.timekeeping import stamped
from chainteller.engine.core import outcome, reading
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import AuditEntry, Event, Insert, Moment, Outcome, Row, Update
from chainteller.engine.core.table import lists, reads, writes
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import blockchain_accounts, claim_proofs, logged_rows
from chainteller.service import operations
from chainteller.service.errors import (
    ClaimAlreadyUsed,
    ClaimExpired,
    Conflict,
    InvalidAddress,
    ServiceError,
    ValidationFailed,
    WalletShared,
)
from chainteller.service.models.counterparties import (
    Counterparty,
    LinkRequest,
    RegisterCounterparty,
    ReverificationRequest,
)
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.log.last_writes import Kept
from chainteller.storage.queries import challenges, wallets
from chainteller.wallets import addresses
from chainteller.wallets.addresses import Address
from chainteller.wallets.contracts import Block, CodeAnswer
from chainteller.wallets.listed import unowned
from chainteller.wallets.networks import Network, resolve_network

RESOURCE = "counterparty"
SEEN = "counterparty.seen"
"""The action of the audit entry that keeps what a chain has at a wallet's address."""
_MAXIMUM_SHOWN = 128


def parse(text: str, on: Network) -> Address:
    """Raises InvalidAddress, whose details never repeat a secret."""
    try:
        return addresses.parse_address(text, on)
    except addresses.InvalidAddress as error:
        details: dict[str, object] = {"network": on.name, "reason": error.reason}
        shows = len(text) <= _MAXIMUM_SHOWN and text.isascii() and text.isprintable()
        if shows and error.reason != "SECRET_PASTED":
            details["address"] = text
        if error.reason == "SECRET_PASTED":
            details["suggestion"] = (
                "This looks like a secret key. It wasn't saved. Tell the customer never to "
                "share it, and to move their funds to a new wallet."
            )
        if error.network:
            details["actual"] = error.network
            message = f"This is an address of {error.network}."
            raise InvalidAddress(message, details) from None
        raise InvalidAddress("This isn't an address on this network.", details) from None


def require_ownable(address: Address) -> None:
    """Raises InvalidAddress: a burn address, a token's contract or a program is nobody's wallet."""
    found = unowned(address)
    if found is not None:
        raise InvalidAddress(
            f"This is {found.name}, which is nobody's wallet.",
            {
                "network": address.network.name,
                "reason": found.reason,
                "address": address.display,
                "name": found.name,
                "suggestion": "Ask the customer for the address that their own wallet shows.",
            },
        )


def stored_address(row: Record) -> Address:
    """The address of a counterparty's row, which was checked when it was registered."""
    return addresses.parse_address(row.address, resolve_network(row.network, test_networks=True))


def look_up(
    context: EngineContext, _organisation_id: str, request: RegisterCounterparty
) -> CodeAnswer | None:
    """What the chain has at the address; None where no chain is asked."""
    if context.chain is None:
        return None
    try:
        on = blockchain_accounts.network(context, request.network)
        address = parse(request.address, on)
        require_ownable(address)
    except ServiceError:  # the write refuses it
        return None
    return context.chain.code(address) if context.chain.serves(on) else None


@writes(operations.REGISTER_COUNTERPARTY, look_up)
def register(
    tx: UnitOfWork, request: RegisterCounterparty, seen: CodeAnswer | None
) -> Counterparty:
    """A known address is answered again, as the counterparty that it is.

    What the chain says of it now replaces what it said before; without an agreed answer nothing
    changes.
    """
    on = blockchain_accounts.network(tx.context, request.network)
    address = parse(request.address, on)
    require_ownable(address)
    decided = decide_registration(address, outcome.moment(tx))
    tx.created = outcome.apply_if_new(tx, decided)
    key = (tx.organisation_id, on.name, address.canonical)
    stored = reading.require_found(wallets.find_address(tx.connection, *key), RESOURCE, "")
    if seen is not None and seen.block is not None and _is_news(stored, seen):
        outcome.apply(tx, decide_sighting(stored, seen, seen.block))
        stored = reading.require_found(wallets.find_address(tx.connection, *key), RESOURCE, "")
    tx.audited_object = stored.id
    return wallets.counterparty_model(stored)


def _is_news(stored: Record, seen: CodeAnswer) -> bool:
    """Whether the chain says otherwise than before, at a later block."""
    if seen.code is None or seen.block is None or stored.code == seen.code:
        return False
    return stored.code_block is None or stored.code_block < seen.block.number


def decide_sighting(stored: Record, seen: CodeAnswer, block: Block) -> Outcome:
    """Keep what the chain has at the address, with the block and the providers in the trail."""
    told = {
        "code": seen.code,
        "block": block.number,
        "hash": block.hash,
        "providers": list(seen.providers),
    }
    values = {"code": seen.code, "code_block": block.number}
    return Outcome(
        stored.id,
        rows=(Update(Tables.counterparty, {"id": stored.id}, values),),
        audit=(AuditEntry(SEEN, stored.id, told),),
    )


def decide_registration(address: Address, moment: Moment) -> Outcome:
    row: Row = {
        "id": moment.new_id(Prefix.COUNTERPARTY),
        "organisation_id": moment.organisation_id,
        "network": address.network.name,
        "canonical": address.canonical,
        "address": address.display,
        "kind": address.kind,
        "created": moment.now,
    }
    told = {"network": address.network.name, "address": address.display}
    return Outcome(
        row["id"],
        rows=(Insert(Tables.counterparty, (row,)),),
        events=(Event("counterparty.registered", row["id"], told),),
    )


def find(connection: Session, organisation_id: str, counterparty_id: str) -> Record:
    """Raises NotFound."""
    find_row = wallets.find_counterparty
    return reading.row_by_id(find_row, connection, RESOURCE, organisation_id, counterparty_id)


@reads(operations.SHOW_COUNTERPARTY)
def show(connection: Session, organisation_id: str, counterparty_id: str) -> Counterparty:
    return wallets.counterparty_model(find(connection, organisation_id, counterparty_id))


lists(operations.COUNTERPARTIES, wallets.counterparties_page)
lists(
    operations.LINKED_COUNTERPARTIES,
    wallets.linked_page,
    of=blockchain_accounts.find,
    is_timed=True,
)
lists(operations.SHARED_WALLETS, wallets.shared_page, is_timed=True, is_short=False)


@writes(operations.LINK_COUNTERPARTY)
def link(tx: UnitOfWork, account_id: str, request: LinkRequest) -> Counterparty:
    """Link with a claim; the same claim for the same pair again changes nothing."""
    account = blockchain_accounts.find(tx.connection, tx.organisation_id, account_id)
    on = blockchain_accounts.network(tx.context, request.network)
    address = parse(request.address, on)
    claim = reading.row_by_id(
        challenges.find_claim,
        tx.connection,
        "ownership claim",
        tx.organisation_id,
        request.ownership_claim_id,
        lock=True,
    )
    tx.created = claim.status != ClaimStatus.LINKED
    pair = (account.id, claim.counterparty_id)
    decided = decide_link(account, claim, address, None, tx.now)
    if tx.created:
        claim_proofs.require_linkable(tx.connection, claim)
        sharing = _sharing(tx, account, claim, is_acknowledged=bool(request.acknowledged))
        if not outcome.apply_if_new(tx, decided):
            linked = wallets.find_link(tx.connection, *pair, lock=True)
            if linked is not None:
                _require_later(linked, claim, tx)
            outcome.apply(tx, decide_link(account, claim, address, linked, tx.now))
        if sharing is not None:
            outcome.apply(tx, sharing)
    tx.audited_object = claim.counterparty_id
    stored = wallets.find_shown_link(tx.connection, *pair)
    return wallets.link_model(reading.require_found(stored, RESOURCE, pair[1]), tx.now)


def _sharing(
    tx: UnitOfWork, account: Record, claim: Record, *, is_acknowledged: bool
) -> Outcome | None:
    """What linking a wallet of another customer records; None where it is nobody else's.

    Two customers' links of one wallet are decided one after the other.

    Raises:
        WalletShared: the policy refuses it, or asks for an acknowledgement.
    """
    wallets.lock_counterparty(tx.connection, claim.counterparty_id)
    if not is_shared(tx, claim.counterparty_id, account.customer_id):
        return None
    policy = tx.context.options.shared_wallets
    return decide_sharing(account, claim, policy, is_acknowledged=is_acknowledged)


def is_shared(tx: UnitOfWork, wallet_id: str, customer_id: str) -> bool:
    """Whether another customer has verified a wallet, now or before. Raises Altered: a link is gone
    that the log has, or an account isn't the customer's that it says."""
    linked = wallets.linked_through(tx.connection, wallet_id)
    logged_rows.require_links_as_logged(tx, wallet_id, linked)
    if linked:
        kept = (Kept(Tables.blockchain_account, each) for each in linked)
        logged_rows.require_as_logged(tx, tuple(kept))
    return bool(wallets.has_other_owner(tx.connection, wallet_id, customer_id))


def decide_sharing(
    account: Record, claim: Record, policy: SharedWallets, *, is_acknowledged: bool
) -> Outcome:
    """Record that a wallet is linked which another customer has verified. Raises WalletShared."""
    refuses = policy is SharedWallets.REFUSE
    if refuses or (policy is SharedWallets.ASK and not is_acknowledged):
        raise WalletShared(
            "Another customer has verified this wallet.",
            {
                "counterpartyId": claim.counterparty_id,
                "blockchainAccountId": account.id,
                "claimId": claim.id,
                "policy": policy.value,
                "suggestion": _USE_ANOTHER_WALLET if refuses else WalletShared.next_step,
            },
        )
    told = {
        "blockchainAccountId": account.id,
        "claimId": claim.id,
        "policy": policy.value,
        "acknowledged": is_acknowledged,
    }
    return Outcome(
        claim.counterparty_id,
        events=(Event("counterparty.shared", claim.counterparty_id, told),),
        audit=(AuditEntry("counterparty.shared", claim.counterparty_id, told),),
    )


_USE_ANOTHER_WALLET = "Have the customer use a wallet that nobody else verifies here."


def decide_link(
    account: Record, claim: Record, address: Address, linked: Record | None, now: int
) -> Outcome:
    """Verify the wallet for the account by its claim; ``linked`` is their link if there is one.
    Raises ClaimAlreadyUsed, Conflict, ClaimExpired."""
    _require_linkable(account, claim, address, now)
    evidence = evidence_of(claim.method)
    values = {
        "claim_id": claim.id,
        "verified_at": now,
        "expires": now + (0 if evidence is None else evidence.lifetime),
        "last_used_at": now,
        "policy_version": POLICY_VERSION,
        "revoked_at": None,
        "revoked_reason": None,
    }
    pair = {"blockchain_account_id": account.id, "counterparty_id": claim.counterparty_id}
    change: Insert | Update
    if linked is None:
        change = Insert(Tables.link, ({**pair, **values, "first_linked_at": now},))
    else:
        change = change_link(linked, **values)
    used = {"status": ClaimStatus.LINKED.value, "linked_at": now}
    told = {"blockchainAccountId": account.id, "claimId": claim.id}
    return Outcome(
        claim.counterparty_id,
        rows=(change, Update(Tables.claim, {"id": claim.id}, used)),
        events=(
            Event("counterparty.linked", claim.counterparty_id, told),
            Event("ownership_claim.linked", claim.id, {"counterpartyId": claim.counterparty_id}),
        ),
    )


def change_link(linked: Record, **values: object) -> Update:
    key = {
        "blockchain_account_id": linked.blockchain_account_id,
        "counterparty_id": linked.counterparty_id,
    }
    return Update(Tables.link, key, values)


def _require_linkable(account: Record, claim: Record, address: Address, now: int) -> None:
    proven = (claim.blockchain_account_id, claim.network, claim.canonical)
    same_pair = proven == (account.id, address.network.name, address.canonical)
    status = claim_status(claim.status, now=now, expires=claim.expires)
    if not same_pair and status is ClaimStatus.LINKED:
        raise ClaimAlreadyUsed(
            "The claim was used for another wallet or account.",
            {"claimId": claim.id, "usedAt": format_instant(claim.linked_at)},
        )
    if not same_pair:
        raise Conflict.over(
            "ownership claim",
            claim.id,
            "CLAIM_FOR_OTHER_PAIR",
            "The claim proves another wallet, or belongs to another account.",
            "Link the address and account that the claim was made for.",
        )
    if status is ClaimStatus.EXPIRED:
        raise ClaimExpired(
            "The claim has expired: it wasn't linked in time.",
            {
                "claimId": claim.id,
                "expiredAt": format_instant(claim.expires),
                "suggestion": "Create a new challenge and ask the customer to sign it.",
            },
        )


def _require_later(linked: Record, claim: Record, tx: UnitOfWork) -> None:
    """What was asked for before the wallet had to be verified again verifies nothing any more: it
    may have been signed or sent before, too. Raises Conflict."""
    if linked.revoked_at is None:
        return
    began_at = tx.time.began_at
    if stamped(claim.asked, tx.now, began_at) >= stamped(linked.revoked_at, tx.now, began_at):
        return
    raise Conflict.over(
        "ownership claim",
        claim.id,
        "VERIFICATION_ENDED",
        "The wallet has to be verified again since this proof was asked for.",
        "Create a new challenge and ask the customer to sign it.",
    )


@writes(operations.REQUIRE_REVERIFICATION, timeless=True)
def require_reverification(
    tx: UnitOfWork, account_id: str, counterparty_id: str, request: ReverificationRequest
) -> Counterparty:
    """End a verification at once: type and limits fall back until a new claim is linked."""
    if request.reason not in set(ReverificationReason):
        raise ValidationFailed.of("reason", f"one of {', '.join(ReverificationReason)}")
    account = blockchain_accounts.find(tx.connection, tx.organisation_id, account_id)
    find(tx.connection, tx.organisation_id, counterparty_id)
    row = reading.require_found(
        wallets.find_link(tx.connection, account.id, counterparty_id, lock=True),
        RESOURCE,
        counterparty_id,
    )
    outcome.apply(tx, decide_reverification(row, request.reason, tx.now))
    stored = wallets.find_shown_link(tx.connection, account.id, counterparty_id)
    return wallets.link_model(reading.require_found(stored, RESOURCE, counterparty_id), tx.now)


def decide_reverification(linked: Record, reason: str, now: int) -> Outcome:
    """Revoke a verification; one that has ended is left as it is."""
    if not is_verified(wallets.link_status(linked, now)):
        return Outcome(linked.counterparty_id)
    told = {"blockchainAccountId": linked.blockchain_account_id, "reason": reason}
    return Outcome(
        linked.counterparty_id,
        rows=(change_link(linked, revoked_at=now, revoked_reason=reason),),
        events=(Event("counterparty.reverification_required", linked.counterparty_id, told),),
    )
