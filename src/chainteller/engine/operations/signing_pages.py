"""The signing page of a challenge: what it shows, and the signature that came from it.

Whoever has the page's token may read the challenge and send signatures for it, and nothing else.
What is sent is kept for the agent, who submits it: only a claim counts, and locks.
"""

import re

from chainteller.domain.actors import Actor
from chainteller.domain.challenges import ChallengeStatus
from chainteller.domain.pasted_secrets import Digits, find_secret
from chainteller.domain.pasting import MAX_PASTE
from chainteller.domain.signing_pages import hash_of
from chainteller.engine.core import outcome
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import Event, Outcome, Update
from chainteller.engine.core.unit_of_work import UnitOfWork, act, now
from chainteller.engine.operations import challenges
from chainteller.service.errors import Conflict, NotFound, SecretEntered, ValidationFailed
from chainteller.service.models.counterparties import SigningPage
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Finder
from chainteller.storage.db.table import Table
from chainteller.storage.queries import challenges as challenge_rows
from chainteller.storage.queries import provider_challenges
from chainteller.wallets.cases import Case

MOST_SENT = 20
"""Signatures that a page takes. More than a claim refuses: none of them counts as an attempt."""
_RESOURCE = "signing page"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{22}", re.ASCII)


def show(context: EngineContext, token: str) -> SigningPage:
    """What the page of a token shows; changes nothing. Raises NotFound."""
    with context.database.read() as connection:
        row = _find(context, connection, token)
        return _page(context, row, now(context, connection))


def receive(context: EngineContext, token: str, signature: str) -> SigningPage:
    """Keep a signature that was sent from the page of a token, for the agent to submit.

    Once it's the address's, no other one takes its place.

    Raises:
        NotFound: no challenge has this page.
        Conflict: the challenge is closed, or too much was sent.
        ValidationFailed: it's too long, or a wallet's secret.
    """
    with context.database.read() as connection:
        row = _find(context, connection, token)
        at = now(context, connection)
    _require_open(row, at)
    if len(signature) > MAX_PASTE:
        raise ValidationFailed.of("signature", "This is too long for a signature.", "TOO_LONG")
    is_valid = _is_valid(row, signature, at)
    if not is_valid and find_secret(signature, Digits.SIGNATURE) is not None:
        raise ValidationFailed.of("signature", SecretEntered.ADVICE, "SECRET_PASTED")
    if row.page_signature is None or not _is_valid(row, row.page_signature, at):
        page = Actor(row.organisation_id, _RESOURCE)
        act(context, page, lambda tx: _keep(tx, token, signature))
    shown = _page(context, row, at)
    return shown.model_copy(update={"received": True, "valid": is_valid})


def _keep(tx: UnitOfWork, token: str, signature: str) -> None:
    row = _find(tx.context, tx.connection, token, lock=True)
    _require_open(row, tx.now)
    sent = (row.page_sent or 0) + 1
    if sent > MOST_SENT:
        raise Conflict.over(
            _RESOURCE,
            row.id,
            "TOO_MANY_SIGNATURES",
            "Too many signatures were sent from this page.",
            "Ask your bank for a new link.",
        )
    if signature == row.page_signature:
        return
    changed = {"page_signature": signature, "page_sent": sent}
    open_ = {"status": ChallengeStatus.OPEN.value}
    told = {
        "blockchainAccountId": row.blockchain_account_id,
        "counterpartyId": row.counterparty_id,
    }
    kept = Outcome(
        row.id,
        rows=(Update(_pages(tx.context)[1], {"id": row.id}, changed, open_),),
        events=(Event("ownership_challenge.signed", row.id, told),),
    )
    outcome.apply(tx, kept)


def _pages(context: EngineContext) -> tuple[Finder, Table]:
    """What finds the challenge of a page, and its table: a gateway's are its provider's."""
    if context.provider is None:
        return challenge_rows.find_page, Tables.challenge
    return provider_challenges.find_page, Tables.provider_challenge


def _find(context: EngineContext, connection: Session, token: str, *, lock: bool = False) -> Record:
    found = None
    if _TOKEN.fullmatch(token):
        found = _pages(context)[0](connection, hash_of(token), lock=lock)
    if found is None:
        raise NotFound(_RESOURCE, "")
    return found


def _require_open(row: Record, at: int) -> None:
    status = challenges.known(row, at).state
    if status != ChallengeStatus.OPEN:
        raise Conflict.over(
            _RESOURCE,
            row.id,
            "PAGE_CLOSED",
            f"The message to sign is {status}.",
            "Ask your bank for a new link.",
        )


def _is_valid(row: Record, signature: str, at: int) -> bool:
    from chainteller.wallets.diagnose import accept  # noqa: PLC0415 - long to import

    return accept(Case(challenges.known(row, at), signature)) is not None


def _page(context: EngineContext, row: Record, at: int) -> SigningPage:
    challenge = challenges.known(row, at)
    is_open = challenge.state == ChallengeStatus.OPEN
    return SigningPage(
        bank=context.options.bank_name,
        network=row.network,
        family=challenge.address.network.family.name,
        address=row.address,
        status=challenge.state,
        expires=row.expires,
        text=row.text if is_open else None,
        message=(row.page_text or row.text) if is_open else None,
        received=row.page_signature is not None,
    )
