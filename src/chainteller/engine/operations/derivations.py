"""Extended public keys as evidence: for an address beside one that the customer has signed with."""

from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.unit_of_work import now
from chainteller.engine.operations import counterparties
from chainteller.storage.db.query import Record, Session
from chainteller.storage.queries import wallets
from chainteller.wallets import extended_keys
from chainteller.wallets.cases import MAX_KNOWN_ADDRESSES, Case, Diagnosis
from chainteller.wallets.extended_keys import Anchor, Derived


def judge(
    context: EngineContext, connection: Session, challenge: Record, about: Case
) -> tuple[Diagnosis, Derived | None] | None:
    """What an extended public key proves for an open challenge; None for any other paste."""
    if about.challenge.state != "open" or not extended_keys.is_extended_key(about.signature):
        return None
    at, customer_id = now(context, connection), challenge.customer_id
    found = wallets.proved_by_key(connection, customer_id, at, MAX_KNOWN_ADDRESSES)
    anchors = [Anchor(row.claim_id, counterparties.stored_address(row)) for row in found]
    is_taken = context.options.extended_keys and context.provider is None
    return extended_keys.judge(about, anchors, is_taken=is_taken)
