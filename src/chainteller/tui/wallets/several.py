"""Several wallets of a customer at once: a message for each on one signing page, and one link."""

from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.signing_pages import MOST_MESSAGES
from chainteller.service.errors import ServiceError
from chainteller.service.models.counterparties import LinkRequest
from chainteller.tui.customer import CustomerRequest
from chainteller.tui.dialogs.question import Ask
from chainteller.tui.steps import Result, Step, Write, notice
from chainteller.tui.wallets import flow
from chainteller.tui.wallets.book import Book, Session, Wallet, claim_request

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.counterparties import Challenge

_SETTLED = frozenset({"current", "claimed", "sending"})


# -- messages to sign ------------------------------------------------------------------------------


def issue_all(book: Book, session: Session, link: flow.PageLink, now: int) -> Step:
    """Create a message to sign for each wallet that isn't verified, all on the page of ``link``."""
    wallets = [row for row in book.wallets if row.state(now) not in _SETTLED]
    if not wallets:
        return notice("no wallet here waits for a verification", "muted")
    return Write("challenge", _issue_next(tuple(wallets[:MOST_MESSAGES]), 0, session, link))


def _issue_next(
    wallets: tuple[Wallet, ...], number: int, session: Session, link: flow.PageLink
) -> CustomerRequest[Step]:
    def send(service: "Service", key: str) -> Step:
        done = flow.issue_now(wallets[number], session, link, service, key)
        if number + 1 < len(wallets):
            return _issue_next(wallets, number + 1, session, link)
        if number == 0:
            return done
        copies = "c copies the link, q shows it" if link.token else "c copies that of a wallet"
        text = f"messages to sign for {len(wallets)} wallets created   {copies}"
        return Result((text, "good"), record=wallets[0].key, changed="ownership_challenge.created")

    return CustomerRequest(wallets[number].account.trading_account_id, send)


def progress(book: Book, session: Session, challenge: "Challenge", now: int) -> tuple[int, int]:
    """How many wallets of a challenge's signing page have signed, and how many are on it."""
    link = session.link(challenge)
    rows = [row for row in book.wallets if link and session.link(row.challenge) == link]
    return len([row for row in rows if is_ready(row, session, now) or row.is_verified]), len(rows)


# -- linking ---------------------------------------------------------------------------------------


def is_ready(wallet: Wallet, session: Session, now: int) -> bool:
    """Whether the wallet has a valid signature, submitted or not, and can be linked."""
    state, verdict = wallet.state(now), session.verdict(wallet)
    is_accepted = verdict is not None and verdict.accepted
    return state == "claimed" or (state == "signing" and is_accepted)


def ready(book: Book, session: Session, now: int) -> tuple[Wallet, ...]:
    """The wallets that can be linked."""
    return tuple(row for row in book.wallets if is_ready(row, session, now))


def link_all(wallets: tuple[Wallet, ...], session: Session) -> Step:
    """Submit the valid signatures of these wallets and link them, once the agent has agreed."""
    if not wallets:
        return notice("no wallet has a valid signature", "muted")
    facts = tuple(f"{row.counterparty.address} on {row.network}" for row in wallets)
    question = Ask(f"LINK {len(wallets)} WALLETS?", facts)
    call = partial(_link_all, wallets, session)
    return Write("claim", CustomerRequest(wallets[0].account.trading_account_id, call, question))


def _link_all(
    wallets: tuple[Wallet, ...], session: Session, service: "Service", key: str
) -> Result:
    """Shared wallets are left: the agent links each of them after asking the customer."""
    refusal, linked, shared = None, 0, 0
    for wallet in wallets:
        try:
            request = _link_request(wallet, session, service, key)
            if request is None:
                shared += 1
                continue
            own = f"{key}.{wallet.counterparty.id}"
            service.link_counterparty(wallet.account.id, request, idempotency_key=own)
        except ServiceError as error:
            refusal = error
        else:
            linked += 1
    text = f"linked: {linked} of {len(wallets)} wallets are Verified 1P"
    if shared:
        text += f"   {shared} shared with another customer: enter links it"
    is_done = linked == len(wallets)
    return Result(
        (text, "good" if is_done else "warn"),
        refusal,
        record=wallets[0].key,
        changed="counterparty.linked",
        clears_failure=is_done,
    )


def _link_request(
    wallet: Wallet, session: Session, service: "Service", key: str
) -> LinkRequest | None:
    """What links a wallet, whose signature is submitted first; None for a shared wallet."""
    claim_id, is_shared, verdict = wallet.claim_id, False, session.verdict(wallet)
    if verdict is not None and verdict.accepted:
        request = claim_request(wallet, verdict.signature)
        own = f"{key}.{verdict.challenge_id}"
        claim = service.submit_claim(wallet.account.id, request, idempotency_key=own).value
        session.verdicts.pop(verdict.challenge_id, None)
        claim_id, is_shared = claim.id, bool(claim.shared)
    else:
        is_shared = flow.is_claim_shared(service, claim_id)
    if is_shared:
        return None
    return LinkRequest(
        address=wallet.counterparty.address, network=wallet.network, ownership_claim_id=claim_id
    )
