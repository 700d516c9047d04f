"""Read ownership claims with every row that they must agree with."""

from collections.abc import Iterator

from chainteller.domain.challenges import ClaimStatus
from chainteller.domain.limits import DestinationClass
from chainteller.domain.second_method import ArrivalFinding
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Record, Session, Value, row_of
from chainteller.storage.queries import epochs
from chainteller.storage.queries.challenges import SIGNED_TEXT

_BATCH = 1_000
_WHOLE = {
    "claim": records.Claim,
    "challenge": records.Challenge,
    "counterparty": records.Counterparty,
    "blockchain_account": records.BlockchainAccount,
    "link": records.Link,
    "small_transfer": records.SmallTransfer,
}
_PREFIXES = {
    "counterparty": "wallet",
    "blockchain_account": "custody",
    "small_transfer": "small",
}
_PAIR = (
    "FROM claim AS other WHERE other.blockchain_account_id = claim.blockchain_account_id "
    f"AND other.counterparty_id = claim.counterparty_id AND other.status = '{ClaimStatus.LINKED}'"
)
"""Linked claims of the claim's blockchain account and wallet."""
_COLUMNS = {
    f"{_PREFIXES.get(table, table)}_{name}": (f"{table}.{name}", kind)
    for table, record in _WHOLE.items()
    for name, kind in record.__annotations__.items()
} | {
    name: (expression, object)
    for name, expression in {
        "account_organisation_id": "trading_account.organisation_id",
        "account_customer_id": "trading_account.customer_id",
        "account_bank_account_id": "trading_account.bank_account_id",
        "customer_reference": "customer.reference",
        "evidence_body": "claim_evidence.body",
        "signed_text": SIGNED_TEXT,
        "anchor_method": "anchor.method",
        "anchor_status": "anchor.status",
        "anchor_customer_id": "anchor_challenge.customer_id",
        "anchor_blockchain_account_id": "anchor.blockchain_account_id",
        "anchor_counterparty_id": "anchor.counterparty_id",
        "anchor_challenge_id": "anchor.challenge_id",
        "arrivals_found": "(SELECT count(*) FROM small_transfer_arrival AS arrival "
        "WHERE arrival.challenge_id = challenge.id AND arrival.hash = claim.signature "
        f"AND arrival.finding = '{ArrivalFinding.EXACT}')",
        "attempts_made": "(SELECT count(*) FROM attempt WHERE attempt.challenge_id = challenge.id)",
        "rests_on_claims": f"(SELECT count(*) {_PAIR} AND other.id = link.claim_id)",
        "first_linked_claims": f"(SELECT count(*) {_PAIR} "
        "AND other.linked_at = link.first_linked_at)",
        "last_paid": "(SELECT transfer.created FROM transfer "
        "WHERE transfer.trading_account_id = blockchain_account.trading_account_id "
        "AND transfer.direction = 'withdrawal' "
        "AND transfer.blockchain_account_id = claim.blockchain_account_id "
        "AND transfer.counterparty_id = claim.counterparty_id "
        f"AND transfer.destination_class = '{DestinationClass.VERIFIED}' "
        "ORDER BY transfer.ordinal DESC LIMIT 1)",
        "epochs_since": "(SELECT count(*) FROM entry AS epoch "
        "WHERE epoch.organisation_id = trading_account.organisation_id "
        f"AND epoch.object = '{epochs.SUBJECT}' AND epoch.action = '{epochs.ACCEPTED}' "
        "AND epoch.number > coalesce((SELECT min(made.number) FROM entry AS made "
        "WHERE made.organisation_id = trading_account.organisation_id "
        "AND made.object = challenge.id), 0))",
    }.items()
}
_ROW = row_of(**{name: kind for name, (_, kind) in _COLUMNS.items()})
_EVIDENCE = (
    f"SELECT {', '.join(f'{each} AS {name}' for name, (each, _) in _COLUMNS.items())} "
    "FROM claim "
    "LEFT JOIN challenge ON challenge.id = claim.challenge_id "
    "LEFT JOIN counterparty ON counterparty.id = claim.counterparty_id "
    "LEFT JOIN blockchain_account ON blockchain_account.id = claim.blockchain_account_id "
    "LEFT JOIN trading_account ON trading_account.id = blockchain_account.trading_account_id "
    "LEFT JOIN claim_evidence ON claim_evidence.claim_id = claim.id "
    "LEFT JOIN claim AS anchor ON anchor.id = claim.signature "
    "LEFT JOIN challenge AS anchor_challenge ON anchor_challenge.id = anchor.challenge_id "
    "LEFT JOIN small_transfer ON small_transfer.challenge_id = claim.challenge_id "
    "LEFT JOIN customer ON customer.id = blockchain_account.customer_id "
    "LEFT JOIN link ON link.blockchain_account_id = claim.blockchain_account_id "
    "AND link.counterparty_id = claim.counterparty_id"
)
_SOME = Query(f"{_EVIDENCE} WHERE claim.id > :after ORDER BY claim.id LIMIT {_BATCH}", _ROW)
_LINKED_CLAIM = Query(
    "SELECT id AS value FROM claim WHERE blockchain_account_id = :account "
    f"AND counterparty_id = :counterparty AND status = '{ClaimStatus.LINKED}' "
    "ORDER BY linked_at DESC LIMIT 1",
    Value,
)
find = Query(f"{_EVIDENCE} WHERE claim.id = :claim", _ROW).first
"""A claim with its evidence.

Its columns are those of the claim, its challenge, its wallet (the counterparty), the custody
(the blockchain account) and the link of the two, each with that prefix, ``small_…`` of the
small transfer that the challenge asked for, ``account_…`` of the trading account,
``customer_reference``, and ``evidence_body``, what a chain answered. Of a missing row they are
None. ``signed_text`` is that of the challenge's texts which was signed. ``arrivals_found``
counts the exact transfers that arrived with the claim's hash. ``anchor_…`` is of the claim that
a derived address rests on.

``attempts_made`` counts the challenge's refused signatures, ``rests_on_claims`` the pair's
linked claims that the link names (one), and ``first_linked_claims`` those that were linked when
the link was first made. ``last_paid`` is when the newest withdrawal to the pair as a verified
wallet was requested. ``epochs_since`` counts how often the clock was put right since the
challenge was made.
"""


def every(connection: Session) -> Iterator[Record]:
    """Every claim of the database with its evidence, by id."""
    after = ""
    while found := connection.execute(_SOME, {"after": after}).all():
        yield from found
        after = found[-1].claim_id


def linked_claim(connection: Session, account_id: str, counterparty_id: str) -> str | None:
    """The id of the newest claim that was linked for a blockchain account and a wallet."""
    found: str | None = _LINKED_CLAIM.value(connection, account_id, counterparty_id)
    return found
