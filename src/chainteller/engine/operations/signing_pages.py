"""Signing pages: the messages that one shows, and the signatures that came from it.

Whoever has the page's token may read its challenges and send signatures for them, and nothing else.
What is sent is kept for the agent, who submits it: only a claim counts, and locks.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from chainteller.domain.actors import Actor
from chainteller.domain.challenges import ChallengeStatus
from chainteller.domain.pasted_secrets import Digits, find_secret
from chainteller.domain.pasting import MAX_PASTE
from chainteller.domain.signing_pages import hash_of
from chainteller.engine.core import outcome
from chainteller.engine.core.breaches import Breach
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import Event, Outcome, Update
from chainteller.engine.core.reading import require_found
from chainteller.engine.core.unit_of_work import UnitOfWork, act, now
from chainteller.engine.operations import challenges, disputes, logged_rows
from chainteller.service.errors import Conflict, NotFound, SecretEntered, ValidationFailed
from chainteller.service.models.counterparties import PageMessage, SigningPage
from chainteller.storage.db.query import Record, Session
from chainteller.storage.db.records import Tables
from chainteller.storage.db.sources import Finder
from chainteller.storage.db.table import Table
from chainteller.storage.log.last_writes import Kept
from chainteller.storage.queries import challenges as challenge_rows
from chainteller.storage.queries import provider_challenges, wallets
from chainteller.wallets.cases import Case
from chainteller.wallets.extended_keys import has_extended_key

MOST_SENT = 20
"""Signatures that a page takes for a message. More than a claim refuses: none is an attempt."""
_NOT_HERE = "There is an extended public key in this. It was not kept. Send the signature alone."
_RESOURCE = "signing page"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{22}", re.ASCII)


def show(context: EngineContext, token: str) -> SigningPage:
    """What the page of a token shows. A text that isn't as the log says is shown to nobody.

    Raises:
        NotFound: no challenge has this page.
        Conflict: a message was altered in the database, which is in dispute now.
    """
    with context.database.read() as connection:
        rows = _find(context, connection, token)
        at = now(context, connection)
        altered = _altered(context, connection, _open(rows, at))
    if altered is not None:
        disputes.open_for(context, (altered,))
        raise _closed(altered.where.rpartition(" ")[2], "withdrawn")
    return SigningPage(
        bank=context.options.bank_name, messages=tuple(_message(row, at) for row in rows)
    )


def receive(context: EngineContext, token: str, message_id: str, signature: str) -> SigningPage:
    """Keep a signature that was sent from the page of a token, for the agent to submit.

    It's kept for the message that it proves, else for the one it was sent for. Once a message has
    its address's signature, no other one takes its place.

    Raises:
        NotFound: no challenge has this page, or the page has no such message.
        Conflict: the challenge is closed, or too much was sent.
        ValidationFailed: it's too long, or a wallet's secret.
    """
    with context.database.read() as connection:
        rows = _find(context, connection, token)
        at = now(context, connection)
    about = next((row for row in rows if row.id == message_id), None)
    if about is None:
        raise NotFound(_RESOURCE, "")
    if len(signature) > MAX_PASTE:
        raise ValidationFailed.of("signature", "This is too long for a signature.", "TOO_LONG")
    proved = next((row for row in rows if _is_valid(row, signature, at)), None)
    about = about if proved is None else proved
    _require_open(about, at)
    if proved is None and find_secret(signature, Digits.SIGNATURE) is not None:
        raise ValidationFailed.of("signature", SecretEntered.ADVICE, "SECRET_PASTED")
    if has_extended_key(signature):
        raise ValidationFailed.of("signature", _NOT_HERE, "EXTENDED_KEY")
    if not _is_valid(about, about.page_signature, at):
        page = Actor(about.organisation_id, _RESOURCE)
        act(context, page, lambda tx: _keep(tx, about, signature))
    sent = {"received": True, "valid": proved is not None}
    messages = (_message(row, at).model_copy(update=sent if row is about else {}) for row in rows)
    return SigningPage(bank=context.options.bank_name, messages=tuple(messages), sent=about.id)


def _keep(tx: UnitOfWork, about: Record, signature: str) -> None:
    pages = _pages(tx.context)
    found = pages.find(tx.connection, tx.organisation_id, about.id, lock=True)
    row = require_found(found, _RESOURCE, "")
    _require_open(row, tx.now)
    is_other = row.page_signature != about.page_signature
    if is_other and _is_valid(row, row.page_signature, tx.now):
        return  # it was sent at the same moment
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
        rows=(Update(pages.table, {"id": row.id}, changed, open_),),
        events=(Event("ownership_challenge.signed", row.id, told),),
    )
    outcome.apply(tx, kept)


class _Pages(NamedTuple):
    """The challenges that have pages: a gateway's are its provider's."""

    of_page: Callable[[Session, str], list[Record]]
    find: Finder
    table: Table


def _pages(context: EngineContext) -> _Pages:
    if context.provider is None:
        return _Pages(challenge_rows.of_page, challenge_rows.find, Tables.challenge)
    of = provider_challenges
    return _Pages(of.of_page, of.find, Tables.provider_challenge)


def _find(context: EngineContext, connection: Session, token: str) -> list[Record]:
    """The challenges of a page, which are of one customer. Raises NotFound."""
    if not _TOKEN.fullmatch(token):
        raise NotFound(_RESOURCE, "")
    found = _pages(context).of_page(connection, hash_of(token))
    if not found:
        raise NotFound(_RESOURCE, "")
    return [row for row in found if row.customer_id == found[0].customer_id]


def _open(rows: list[Record], at: int) -> list[Record]:
    return [row for row in rows if row.status == ChallengeStatus.OPEN and at <= row.expires]


def _altered(context: EngineContext, connection: Session, rows: list[Record]) -> Breach | None:
    """What is to be signed, and by which wallet, compared with the log."""
    if not rows:
        return None
    table, of = _pages(context).table, rows[0].organisation_id
    followed = context.state.follow(connection, of)
    for row in rows:
        custody_id = row.blockchain_account_id
        kept = (Kept(table, row.id), Kept(Tables.counterparty, row.counterparty_id))
        custody = wallets.find_account(connection, of, custody_id)
        account_id = None if custody is None else custody.trading_account_id
        breach = logged_rows.difference(followed, kept, account_id, custody_id)
        if breach is not None:
            return breach
    return None


def _require_open(row: Record, at: int) -> None:
    status = challenges.known(row, at).state
    if status != ChallengeStatus.OPEN:
        raise _closed(row.id, status)


def _closed(challenge_id: str, status: str) -> Conflict:
    said, advice = f"The message to sign is {status}.", "Ask your bank for a new link."
    return Conflict.over(_RESOURCE, challenge_id, "PAGE_CLOSED", said, advice)


def _is_valid(row: Record, signature: str | None, at: int) -> bool:
    from chainteller.wallets.diagnose import accept  # noqa: PLC0415 - long to import

    return signature is not None and accept(Case(challenges.known(row, at), signature)) is not None


def _message(row: Record, at: int) -> PageMessage:
    challenge = challenges.known(row, at)
    is_open = challenge.state == ChallengeStatus.OPEN
    sent = row.page_signature
    return PageMessage(
        id=row.id,
        network=row.network,
        chain=challenge.address.network.caip2,
        family=challenge.address.network.family.name,
        address=row.address,
        status=challenge.state,
        expires=row.expires,
        text=row.text if is_open else None,
        message=(row.page_text or row.text) if is_open else None,
        received=sent is not None,
        valid=_is_valid(row, sent, at) if is_open and sent is not None else None,
    )
