"""Challenges of a gateway: their texts are the provider's; they are listed, explained and shown on
signing pages here.

Of a blockchain account of the provider nothing but its id is known here. So what explains a
signature is what else was issued for the same account.
"""

import json
import math
from dataclasses import replace
from functools import partial
from typing import Any

from chainteller.domain.actors import Actor
from chainteller.domain.challenges import ChallengeStatus, expiry
from chainteller.domain.clock import from_datetime
from chainteller.engine.core import outcome, reading
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import Event, Insert, Outcome, Update
from chainteller.engine.core.unit_of_work import UnitOfWork, now
from chainteller.engine.forwarding import requests, sending
from chainteller.engine.operations import challenges, claims, counterparties
from chainteller.engine.operations.challenges import RESOURCE
from chainteller.service import operations
from chainteller.service.errors import NotFound, ServiceError, ValidationFailed
from chainteller.service.models.base import WireModel, Written
from chainteller.service.models.counterparties import (
    Challenge,
    ChallengeRequest,
    ClaimRequest,
    OwnershipClaim,
    SignatureDiagnosis,
)
from chainteller.service.models.pages import ListQuery, Page
from chainteller.service.operations import Call
from chainteller.service.told import Told
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.queries import challenges as challenge_rows
from chainteller.storage.queries import provider_challenges as rows
from chainteller.storage.queries import provider_requests as request_rows
from chainteller.storage.queries import wallets
from chainteller.wallets.cases import MAX_OTHER_TEXTS, Case, KnownAddress

_OPEN = {"status": ChallengeStatus.OPEN.value}


def create(context: EngineContext, actor: Actor, call: Call[Any]) -> Written[Any]:
    """Have the provider issue a challenge, and give it a page if the request asks for one."""
    request = call.request
    if not isinstance(request, ChallengeRequest):
        raise TypeError("a challenge without its request")
    try:
        with context.database.read() as connection:
            _require_possible(context, connection, actor.organisation, request)
    except ServiceError as refusal:
        return requests.refused(context, actor, call, refusal)
    sent = replace(call, request=ChallengeRequest(counterparty_id=request.counterparty_id))
    return sending.send_at_once(context, actor, call, partial(_keep, request), sent)


def _require_possible(
    context: EngineContext, connection: Session, organisation_id: str, request: ChallengeRequest
) -> None:
    """Raises ValidationFailed."""
    if request.valid_seconds is not None:
        said = "none: this deployment's provider decides how long its messages are valid"
        raise ValidationFailed.of("validSeconds", said)
    token_hash = challenges.page_token_hash(request, context.options)
    if token_hash is None:
        return
    if wallets.find_counterparty(connection, organisation_id, request.counterparty_id) is None:
        said = "The wallet wasn't registered through this gateway: register it again."
        raise ValidationFailed.of("counterpartyId", said)
    if rows.of_page(connection, token_hash):
        raise ValidationFailed.of("pageTokenHash", "Another challenge has it: draw a new token.")


def _keep(
    request: ChallengeRequest, tx: UnitOfWork, call: Call[Any], told: Told, _row: Record | None
) -> WireModel:
    """Keep a challenge for a wallet that is known here. A provider may issue the same one again: it
    has the newer text and the newer page."""
    found: Challenge = told.value
    pair = (call.ids[0], request.counterparty_id)
    if wallets.find_counterparty(tx.connection, tx.organisation_id, pair[1]) is None:
        return found
    page = {"page_token": request.page_token_hash, "page_signature": None, "page_sent": None}
    said = {"text": found.challenge, "expires": _expires(tx, found)}
    row = {
        "id": found.id,
        "organisation_id": tx.organisation_id,
        "blockchain_account_id": pair[0],
        "counterparty_id": pair[1],
        **_OPEN,
        "created": tx.now,
        **said,
        **page,
    }
    about = {"blockchainAccountId": pair[0], "counterpartyId": pair[1]}
    event = Event("ownership_challenge.created", found.id, about)
    made = Outcome(found.id, (Insert(Tables.provider_challenge, (row,)),), events=(event,))
    is_new = outcome.apply_if_new(tx, made)
    tx.created &= is_new
    kept = rows.find(tx.connection, tx.organisation_id, found.id, lock=True)
    if kept is None or (kept.blockchain_account_id, kept.counterparty_id) != pair:
        return found
    if not is_new and kept.status == ChallengeStatus.OPEN:
        newer = said if request.page_token_hash is None else said | page
        update = Update(Tables.provider_challenge, {"id": kept.id}, newer, _OPEN)
        outcome.apply(tx, Outcome(kept.id, rows=(update,)))
        kept = kept._replace(**newer)
    return challenge_rows.to_model(kept, tx.now)


def _expires(tx: UnitOfWork, found: Challenge) -> int:
    """When a challenge counts as expired: after the time that the provider gives it, by our clock,
    or that of our own."""
    if found.expires is None:
        return expiry(tx.now, math.ceil(tx.context.options.challenge_ttl_s))
    began = tx.now if found.created is None else from_datetime(found.created)
    return tx.now + max(0, from_datetime(found.expires) - began)


def keep_claim(tx: UnitOfWork, call: Call[Any], told: Told, _row: Record | None) -> WireModel:
    """The challenge of a claim is used up."""
    claim, request = told.value, call.request
    asked = request.challenge_id if isinstance(request, ClaimRequest) else ""
    row = rows.find(tx.connection, tx.organisation_id, asked, lock=True)
    events = [Event("ownership_claim.created", claim.id, {"counterpartyId": claim.counterparty_id})]
    updates: tuple[Update, ...] = ()
    if row is not None and row.status == ChallengeStatus.OPEN:
        used = {"status": ChallengeStatus.USED.value, "used_at": tx.now, "claim_id": claim.id}
        updates = (Update(Tables.provider_challenge, {"id": row.id}, used, _OPEN, before=row),)
        events.append(Event("ownership_challenge.used", row.id, {"claimId": claim.id}))
    outcome.apply(tx, Outcome(claim.id, rows=updates, events=tuple(events)))
    return claim  # type: ignore[no-any-return]  # a claim


# -- reads ----------------------------------------------------------------------------------------


def page(context: EngineContext, actor: Actor, call: Call[Any]) -> Page[Challenge]:
    query = call.query if isinstance(call.query, ListQuery) else ListQuery()
    checked = reading.checked_query(query)
    with context.database.read() as connection:
        at = now(context, connection)
        found, total = rows.page(connection, actor.organisation, call.ids[0], checked, at)
    return reading.page(found, total, checked)


def show(context: EngineContext, actor: Actor, call: Call[Any]) -> Challenge:
    with context.database.read() as connection:
        row = reading.row_by_id(rows.find, connection, RESOURCE, actor.organisation, call.ids[0])
        return challenge_rows.to_model(row, now(context, connection))


def show_claim(context: EngineContext, actor: Actor, call: Call[Any]) -> OwnershipClaim:
    """A claim that was made through here. Raises NotFound."""
    (claim_id,) = call.ids
    reading.checked_id(claims.RESOURCE, claim_id)
    with context.database.read() as connection:
        made = request_rows.find_made(connection, actor.organisation, claim_id)
        if made is None or made.operation != operations.SUBMIT_CLAIM.name:
            raise NotFound(claims.RESOURCE, claim_id)
        said = json.loads(made.call)
        of = ClaimRequest.model_validate({**said["request"], "completedChallenge": ""})
        wallet = wallets.find_counterparty(connection, actor.organisation, of.counterparty_id)
    return OwnershipClaim(
        id=claim_id,
        blockchain_account_id=said["ids"][0],
        counterparty_id=of.counterparty_id,
        challenge_id=of.challenge_id,
        network=None if wallet is None else wallet.network,
        address=None if wallet is None else wallet.address,
        created=made.updated,
    )


def explain(context: EngineContext, actor: Actor, call: Call[Any]) -> SignatureDiagnosis:
    return claims.explain(context, actor, call.ids[0], call.arguments[1], _CASES)


def _find(
    connection: Session, organisation_id: str, account_id: str, request: ClaimRequest
) -> Record:
    reading.checked_id(RESOURCE, request.challenge_id)
    found = rows.find(connection, organisation_id, request.challenge_id)
    return challenges.require_of_claim(found, account_id, request)


def _with_context(
    context: EngineContext, connection: Session, challenge: Record, attempt: Case
) -> Case:
    at = now(context, connection)
    others = rows.others(connection, challenge, MAX_OTHER_TEXTS)
    addresses = {
        row.counterparty_id: counterparties.stored_address(row)
        for row in others
        if row.counterparty_id != challenge.counterparty_id
    }
    return replace(
        attempt,
        other_challenges=tuple(challenges.known(row, at) for row in others),
        known_addresses=tuple(KnownAddress(*each) for each in addresses.items()),
    )


_CASES = claims.Cases(_find, _with_context)
