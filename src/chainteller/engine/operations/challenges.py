"""Ownership challenges: the text to sign, and what a signature of it would mean."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from chainteller.domain.bank_names import code_of_name
from chainteller.domain.challenges import (
    MAXIMUM_VALIDITY_S,
    MINIMUM_VALIDITY_S,
    ChallengeForm,
    ChallengeStatus,
    challenge_status,
    expiry,
)
from chainteller.domain.clock import format_instant
from chainteller.domain.ids import Prefix
from chainteller.domain.options import EngineOptions, Quota
from chainteller.domain.signing_pages import MOST_MESSAGES
from chainteller.engine.core import outcome, preconditions, reading
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import Event, Insert, Moment, Outcome
from chainteller.engine.core.table import lists, reads_in_context, writes
from chainteller.engine.core.unit_of_work import UnitOfWork, now
from chainteller.engine.operations import blockchain_accounts, counterparties
from chainteller.service import operations
from chainteller.service.errors import (
    ChallengeAlreadyUsed,
    ChallengeLocked,
    Conflict,
    NetworkMismatch,
    ValidationFailed,
)
from chainteller.service.models.counterparties import (
    Challenge,
    ChallengeRequest,
    ClaimRequest,
)
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.queries import challenges, wallets
from chainteller.wallets.addresses import Address
from chainteller.wallets.cases import (
    MAX_KNOWN_ADDRESSES,
    MAX_OTHER_TEXTS,
    Case,
    KnownAddress,
    KnownChallenge,
)
from chainteller.wallets.networks import resolve_network
from chainteller.wallets.texts import Party, SignIn, long_text, short_text, sign_in_text

RESOURCE = "ownership challenge"


@writes(operations.CREATE_CHALLENGE)
def create(tx: UnitOfWork, account_id: str, request: ChallengeRequest) -> Challenge:
    """One more text to sign; earlier ones stay open until they expire."""
    valid_s = validity_s(request, tx.context.options)
    token_hash = page_token_hash(request, tx.context.options)
    account = blockchain_accounts.find(tx.connection, tx.organisation_id, account_id)
    counterparty = counterparties.find(tx.connection, tx.organisation_id, request.counterparty_id)
    if token_hash is not None:
        _require_place(challenges.of_page(tx.connection, token_hash), account, counterparty, tx.now)
    party = Party(*wallets.owner(tx.connection, account.id))
    asked = Asked(party, valid_s, token_hash)
    preconditions.require_room(tx, Quota.CHALLENGES)
    decided = decide_challenge(account, counterparty, asked, outcome.moment(tx))
    outcome.apply(tx, decided)
    stored = challenges.find(tx.connection, tx.organisation_id, decided.subject)
    return challenges.to_model(reading.require_found(stored, RESOURCE, decided.subject), tx.now)


def validity_s(request: ChallengeRequest, options: EngineOptions) -> int:
    """Raises ValidationFailed."""
    given_s = request.valid_seconds
    if given_s is None:
        return math.ceil(options.challenge_ttl_s)
    if not MINIMUM_VALIDITY_S <= given_s <= MAXIMUM_VALIDITY_S:
        raise ValidationFailed.of(
            "validSeconds", f"{MINIMUM_VALIDITY_S} to {MAXIMUM_VALIDITY_S} seconds"
        )
    return given_s


def page_token_hash(request: ChallengeRequest, options: EngineOptions) -> str | None:
    """Raises ValidationFailed."""
    given = request.page_token_hash
    if given is None:
        return None
    if not options.public_url:
        raise ValidationFailed.of("pageTokenHash", "This service has no signing pages.")
    if not re.fullmatch(r"[0-9a-f]{64}", given):
        raise ValidationFailed.of("pageTokenHash", "64 hex digits: the SHA-256 of a token.")
    return given


def _require_place(page: list[Record], account: Record, counterparty: Record, now: int) -> None:
    """A page shows the open messages of one customer, one for each wallet. Raises ValidationFailed:
    the page can't have a message of this wallet."""
    is_others = any(row.customer_id != account.customer_id for row in page)
    is_closed = any(known(row, now).state is not ChallengeStatus.OPEN for row in page)
    if is_others or is_closed:
        raise ValidationFailed.of("pageTokenHash", "Its page is in use: draw a new token.")
    if any(row.counterparty_id == counterparty.id for row in page):
        raise ValidationFailed.of("pageTokenHash", "Its page has a message of this wallet already.")
    if len(page) >= MOST_MESSAGES:
        raise ValidationFailed.of("pageTokenHash", f"A page has at most {MOST_MESSAGES} messages.")


class Asked(NamedTuple):
    """``party`` is the account's customer; a long text names their bank account if the options say
    so. ``page_token_hash`` is None without a signing page."""

    party: Party
    valid_s: int
    page_token_hash: str | None = None


def decide_challenge(
    account: Record, counterparty: Record, asked: Asked, moment: Moment
) -> Outcome:
    """A text for the wallet to sign, good for ``valid_s`` seconds. Raises NetworkMismatch."""
    require_same_class(account, counterparty)
    challenge_id, expires = moment.new_id(Prefix.CHALLENGE), expiry(moment.now, asked.valid_s)
    address = counterparties.stored_address(counterparty)
    page = None
    if asked.page_token_hash is not None:
        page = sign_in_text(
            SignIn(
                url=moment.options.public_url,
                bank_name=moment.options.bank_name,
                customer=asked.party.customer,
                address=address,
                challenge_id=challenge_id,
                issued_at=format_instant(moment.now),
                valid_until=format_instant(expires),
            )
        )
    row = {
        "id": challenge_id,
        "organisation_id": moment.organisation_id,
        "blockchain_account_id": account.id,
        "counterparty_id": counterparty.id,
        "customer_id": account.customer_id,
        "text": _text(moment.options, asked.party, address, challenge_id, expires),
        "status": ChallengeStatus.OPEN.value,
        "attempts": 0,
        "created": moment.now,
        "expires": expires,
        "page_token": asked.page_token_hash,
        "page_text": page,
    }
    told = {"blockchainAccountId": account.id, "counterpartyId": counterparty.id}
    return Outcome(
        challenge_id,
        rows=(Insert(Tables.challenge, (row,)),),
        events=(Event("ownership_challenge.created", challenge_id, told),),
    )


def _text(
    options: EngineOptions, party: Party, address: Address, challenge_id: str, expires: int
) -> str:
    if options.challenge_form is ChallengeForm.SHORT:
        code = options.bank_code or code_of_name(options.bank_name)
        return short_text(bank_code=code, customer=party.customer, challenge_id=challenge_id)
    return long_text(
        bank_name=options.bank_name,
        party=party if options.text_names_account else party._replace(bank_account=""),
        address=address,
        challenge_id=challenge_id,
        valid_until=format_instant(expires),
    )


@reads_in_context(operations.CHALLENGE_BY_ID)
def show(
    context: EngineContext, connection: Session, organisation_id: str, challenge_id: str
) -> Challenge:
    """A challenge by its id alone; another organisation's is as unknown as none."""
    row = reading.row_by_id(challenges.find, connection, RESOURCE, organisation_id, challenge_id)
    return challenges.to_model(row, now(context, connection))


def require_same_class(account: Record, counterparty: Record) -> None:
    """A main network's account never holds a test network's wallet, nor the reverse."""
    own = resolve_network(account.network, test_networks=True)
    other = resolve_network(counterparty.network, test_networks=True)
    if own.main != other.main:
        raise NetworkMismatch(
            "One of wallet and account is on a test network and the other isn't.",
            {"expected": own.name, "actual": other.name},
        )


lists(operations.CHALLENGES, challenges.page, of=blockchain_accounts.find, is_timed=True)


def find_for_claim(
    connection: Session,
    organisation_id: str,
    account_id: str,
    request: ClaimRequest,
    *,
    lock: bool = False,
) -> Record:
    """The challenge that a claim or a diagnosis is about.

    Raises:
        NotFound: unknown, or of another account.
        Conflict: made for another counterparty.
    """
    account = blockchain_accounts.find(connection, organisation_id, account_id)
    counterparties.find(connection, organisation_id, request.counterparty_id)
    reading.checked_id(RESOURCE, request.challenge_id)
    row = challenges.find(connection, organisation_id, request.challenge_id, lock=lock)
    return require_of_claim(row, account.id, request)


def require_of_claim(row: Record | None, account_id: str, request: ClaimRequest) -> Record:
    """The challenge that was found for a claim. Raises as ``find_for_claim``."""
    if row is not None and row.blockchain_account_id != account_id:
        row = None
    challenge = reading.require_found(row, RESOURCE, request.challenge_id)
    if challenge.counterparty_id != request.counterparty_id:
        raise Conflict.over(
            RESOURCE,
            challenge.id,
            "CHALLENGE_FOR_OTHER_COUNTERPARTY",
            "The challenge was made for another counterparty.",
            "Use the counterparty that the challenge names.",
        )
    return challenge


def require_undecided(challenge: Record) -> None:
    """Raises ChallengeAlreadyUsed or ChallengeLocked."""
    if challenge.status == ChallengeStatus.USED:
        raise ChallengeAlreadyUsed(
            "The challenge was already completed.",
            {
                "challengeId": challenge.id,
                "usedAt": format_instant(challenge.used_at),
                "claimId": challenge.claim_id,
            },
        )
    if challenge.status == ChallengeStatus.LOCKED:
        raise ChallengeLocked(
            "The challenge is locked after too many refused signatures.",
            {
                "challengeId": challenge.id,
                "attempts": challenge.attempts,
                "suggestion": "Create a new challenge and ask the customer to sign it.",
            },
        )


def known(row: Record, at: int) -> KnownChallenge:
    return KnownChallenge(
        challenge_id=row.id,
        counterparty_id=row.counterparty_id,
        address=counterparties.stored_address(row),
        text=row.text,
        state=challenge_status(row.status, now=at, expires=row.expires),
        expires_at=format_instant(row.expires),
        page_text=row.page_text,
    )


def without_context(
    context: EngineContext,
    connection: Session,
    organisation_id: str,
    account_id: str,
    request: ClaimRequest,
    find: Callable[[Session, str, str, ClaimRequest], Record] = find_for_claim,
) -> tuple[Record, Case]:
    """The challenge and the attempt alone, which is all that an accepted signature needs. Raises
    NotFound, Conflict, ChallengeAlreadyUsed, ChallengeLocked."""
    challenge = find(connection, organisation_id, account_id, request)
    require_undecided(challenge)
    at = now(context, connection)
    return challenge, Case(known(challenge, at), request.completed_challenge)


def with_context(
    context: EngineContext, connection: Session, challenge: Record, attempt: Case
) -> Case:
    """All that may explain a signature: only what belongs to the same bank customer."""
    at = now(context, connection)
    others = challenges.newest_of_others(
        connection, challenge.customer_id, challenge.counterparty_id, at, MAX_OTHER_TEXTS
    )
    others += challenges.earlier(connection, challenge, MAX_OTHER_TEXTS - len(others))
    known_addresses = challenges.addresses_of_customer(
        connection, challenge.customer_id, challenge.counterparty_id, MAX_KNOWN_ADDRESSES
    )
    return replace(
        attempt,
        other_challenges=tuple(known(row, at) for row in others),
        known_addresses=tuple(
            KnownAddress(row.id, counterparties.stored_address(row)) for row in known_addresses
        ),
        earlier_strangers=challenges.earlier_strangers(connection, challenge),
    )
