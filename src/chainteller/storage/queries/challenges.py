"""Query challenges, their attempts and claims."""

from chainteller.domain.challenges import challenge_status, claim_status
from chainteller.service.models.counterparties import Challenge, OwnershipClaim
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Record, Session, Value, quoted, remembered
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.lists.pages import Listing
from chainteller.storage.queries.wallets import is_shared, level_of

SIGNED_TEXT = "CASE WHEN claim.of_page THEN challenge.page_text ELSE challenge.text END"
"""The text that the signature of a claim is of."""
_IS_TO_SIGN = (
    "NOT EXISTS (SELECT 1 FROM small_transfer WHERE small_transfer.challenge_id = challenge.id)"
)
"""Whether a challenge asks for a signature; others ask for a small transfer."""
_OF_WALLET = {name: f"counterparty.{name}" for name in ("network", "address", "canonical")}
_WITH_ADDRESS = Source(
    records.Challenge,
    "JOIN counterparty ON counterparty.id = challenge.counterparty_id",
    **_OF_WALLET,
)
find = Finder(_WITH_ADDRESS, "organisation_id", "id", condition=_IS_TO_SIGN)
"""A challenge, with the network and address of its counterparty."""
find_claim = Finder(
    Source(
        records.Claim,
        "JOIN counterparty ON counterparty.id = claim.counterparty_id "
        "JOIN challenge ON challenge.id = claim.challenge_id",
        **_OF_WALLET,
        text=(SIGNED_TEXT, str),
        asked="challenge.created",
        shared=(is_shared("claim.counterparty_id", "challenge.customer_id"), bool),
    ),
    "organisation_id",
    "id",
)
"""A claim, with its text, when that was asked for, the network and address of its counterparty, and
whether another customer has verified that."""
_LISTED = Listing(_WITH_ADDRESS, "blockchain_account_id", condition=_IS_TO_SIGN)
_STRANGERS = ("UNKNOWN_SIGNER", "SIGNER_CHANGED", "SAME_STRANGER_TWICE")
_NEWEST_FIRST = "ORDER BY challenge.created DESC, challenge.id DESC LIMIT :limit"
_EARLIER = _WITH_ADDRESS.where(
    "challenge.customer_id = :customer AND challenge.counterparty_id = :counterparty "
    f"AND challenge.id <> :id AND {_IS_TO_SIGN} {_NEWEST_FIRST}"
)
_EARLIER_STRANGERS = Query(
    "SELECT DISTINCT attempt.recovered_address AS value FROM attempt "
    "JOIN challenge ON challenge.id = attempt.challenge_id "
    "WHERE challenge.counterparty_id = :counterparty AND challenge.customer_id = :customer "
    f"AND challenge.id <> :id AND attempt.finding IN ({quoted(_STRANGERS)}) "
    "AND attempt.recovered_address IS NOT NULL",
    Value,
)


of_page = _WITH_ADDRESS.where(
    f"challenge.page_token = :token AND {_IS_TO_SIGN} ORDER BY challenge.created, challenge.id"
).rows
"""The challenges of a signing page, oldest first, whichever organisation's."""
newest_of_others = _WITH_ADDRESS.where(
    "challenge.customer_id = :customer AND challenge.counterparty_id <> :counterparty "
    f"AND {_IS_TO_SIGN} AND challenge.created IN ("
    "SELECT max(newest.created) FROM challenge AS newest WHERE newest.customer_id = :customer "
    "AND newest.counterparty_id <> :counterparty AND newest.status = 'open' "
    f"AND newest.expires >= :now AND {_IS_TO_SIGN.replace('challenge.id', 'newest.id')} "
    f"GROUP BY newest.counterparty_id) {_NEWEST_FIRST}"
).rows
"""The newest open challenge of each other counterparty of a customer, newest first."""


def earlier(connection: Session, challenge: Record, limit: int) -> list[Record]:
    """Other challenges of the same customer for the same counterparty, newest first."""
    return list(connection.execute(_EARLIER, {**_pair(challenge), "limit": limit}))


addresses_of_customer = (
    Source(records.Counterparty)
    .where(
        "id IN (SELECT counterparty_id FROM challenge WHERE customer_id = :customer "
        "UNION SELECT link.counterparty_id FROM link JOIN blockchain_account "
        "ON blockchain_account.id = link.blockchain_account_id "
        "WHERE blockchain_account.customer_id = :customer) "
        "AND id <> :besides ORDER BY created DESC, id DESC LIMIT :limit"
    )
    .rows
)
"""Counterparties challenged or linked on the accounts of one bank customer."""


def earlier_strangers(connection: Session, challenge: Record) -> tuple[str, ...]:
    """Unknown signers recovered from refused signatures of the counterparty's other challenges.

    If the same unknown signer appears for two different messages, it isn't an accident.
    """
    return tuple(connection.execute(_EARLIER_STRANGERS, _pair(challenge)).scalars())


def _pair(challenge: Record) -> dict[str, object]:
    return {
        "id": challenge.id,
        "customer": challenge.customer_id,
        "counterparty": challenge.counterparty_id,
    }


def to_model(row: Record, now: int) -> Challenge:
    return _model(row, challenge_status(row.status, now=now, expires=row.expires))


page = _LISTED.models(to_model)


@remembered
def _model(row: Record, status: str) -> Challenge:
    return Challenge(
        id=row.id,
        challenge=row.text,
        expires=row.expires,
        network=row.network,
        address=row.address,
        counterparty_id=row.counterparty_id,
        blockchain_account_id=row.blockchain_account_id,
        status=status,
        attempts=row.attempts,
        created=row.created,
        page_text=row.page_text,
        page_signature=row.page_signature,
    )


def claim_model(row: Record, now: int) -> OwnershipClaim:
    return OwnershipClaim(
        id=row.id,
        blockchain_account_id=row.blockchain_account_id,
        counterparty_id=row.counterparty_id,
        challenge_id=row.challenge_id,
        network=row.network,
        address=row.address,
        method=row.method,
        level=level_of(row.method, row.level),
        scheme=row.scheme,
        status=claim_status(row.status, now=now, expires=row.expires),
        created=row.created,
        expires=row.expires,
        linked_at=row.linked_at,
        shared=row.shared,
    )


def claim_with_proof(row: Record, now: int) -> OwnershipClaim:
    """A claim with the text, signature and signer that it takes to check it elsewhere."""
    proof = {"text": row.text, "signature": row.signature, "signer": row.signer}
    return claim_model(row, now).model_copy(update=proof)
