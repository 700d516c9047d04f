"""The wallets of one trading account: what the service knows of each, and what comes next.

The functions that ask run in a thread. What is asked: the blockchain accounts, and for each its
links and its challenges; a wallet is registered for nobody, so one without either is only known
here until its first challenge.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chainteller.domain.challenges import MAXIMUM_ATTEMPTS
from chainteller.domain.clock import from_datetime
from chainteller.service.errors import ChallengeAlreadyUsed, NotOffered, TellerError
from chainteller.tui.queries import query

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.counterparties import (
        BlockchainAccount,
        Challenge,
        ClaimRequest,
        Counterparty,
        OwnershipClaim,
    )
    from chainteller.tui.desk import Desk

_PAGE = SEARCHED = 100
_CHALLENGE_PAGES = 3
_SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class Wallet:
    """A counterparty of a blockchain account; ``challenge`` is its newest, ``earlier`` the one
    before. ``claim_id`` is that of a claim which waits for its link.
    """

    account: "BlockchainAccount"
    counterparty: "Counterparty"
    challenge: "Challenge | None" = None
    earlier: "Challenge | None" = None
    claim_id: str = ""

    @property
    def key(self) -> str:
        return f"{self.account.id}/{self.counterparty.id}"

    @property
    def network(self) -> str:
        return self.counterparty.network or self.account.network

    @property
    def is_verified(self) -> bool:
        verification = self.counterparty.verification
        return verification is not None and verification.status in {"current", "expiring"}

    def state(self, now: int) -> str:
        """registered, signing, lapsed, locked or claimed on the way to a link; else what the
        verification is: current, expiring, expired or revoked.
        """
        challenge = self.challenge_state(now)
        if challenge == "open":
            return "signing"
        if self.claim_id:
            return "claimed"
        if self.counterparty.verification is not None:
            return self.counterparty.verification.status
        return {"expired": "lapsed", "locked": "locked", "used": "lapsed"}.get(
            challenge, "registered"
        )

    def challenge_state(self, now: int) -> str:
        """Of the newest challenge: its status by this desk's clock; empty without one."""
        challenge = self.challenge
        if challenge is None:
            return ""
        known = challenge.status or "open"
        over = challenge.expires is not None and now > from_datetime(challenge.expires)
        return "expired" if known == "open" and over else known

    def seconds_left(self, now: int) -> int:
        """Until the newest challenge expires."""
        if self.challenge is None or self.challenge.expires is None:
            return 0
        return max(0, (from_datetime(self.challenge.expires) - now) // _SECOND)

    @property
    def tries_left(self) -> int:
        attempts = (self.challenge.attempts or 0) if self.challenge else 0
        return max(0, MAXIMUM_ATTEMPTS - attempts)


@dataclass(frozen=True, slots=True)
class Book:
    """``wallets`` stand in the order of their accounts; ``complete`` is False where a list was
    longer than what was asked for.
    """

    accounts: "tuple[BlockchainAccount, ...]"
    wallets: tuple[Wallet, ...]
    complete: bool = True

    def of(self, account_id: str) -> tuple[Wallet, ...]:
        return tuple(row for row in self.wallets if row.account.id == account_id)

    def find(self, account_id: str, counterparty_id: str) -> Wallet | None:
        return next((row for row in self.of(account_id) if row.counterparty.id == counterparty_id),
                    None)  # fmt: skip


@dataclass(slots=True)
class Session:
    """What this desk did itself and a deployment may not list: by blockchain account, the wallets
    registered for it and the challenges made, newest first.
    """

    registered: "dict[str, list[Counterparty]]" = field(default_factory=dict)
    issued: "dict[str, list[Challenge]]" = field(default_factory=dict)


def read_book(service: "Service", trading_account_id: str, session: Session) -> Book:
    """All wallets of a trading account.

    Raises:
        TellerError: one of the lists cannot be had.
    """
    asked = query(trading_account_id=trading_account_id, limit=_PAGE, sort="created")
    found = service.blockchain_accounts(asked)
    wallets: list[Wallet] = []
    complete = found.pagination.total <= len(found.data)
    for account in found.data:
        rows, whole = _wallets_of(service, account, session)
        wallets += rows
        complete = complete and whole
    return Book(found.data, tuple(wallets), complete)


def _wallets_of(
    service: "Service", account: "BlockchainAccount", session: Session
) -> tuple[list[Wallet], bool]:
    linked = service.linked_counterparties(account.id, query(limit=_PAGE))
    try:
        challenges, whole = _challenges(service, account.id)
    except NotOffered:
        challenges, whole = session.issued.get(account.id, []), True
    known = {row.id: row for row in linked.data}
    for challenge in challenges:
        if challenge.counterparty_id and challenge.counterparty_id not in known:
            known[challenge.counterparty_id] = _counterparty_of(challenge)
    for row in session.registered.get(account.id, ()):
        known.setdefault(row.id, row)
    rows = [_wallet(service, account, row, challenges) for row in known.values()]
    return rows, whole and linked.pagination.total <= len(linked.data)


def _challenges(service: "Service", account_id: str) -> "tuple[list[Challenge], bool]":
    """Newest first; False where there are more than are asked for. Raises NotOffered."""
    found: list[Challenge] = []
    for page in range(1, _CHALLENGE_PAGES + 1):
        answer = service.challenges(account_id, query(page=page, limit=_PAGE))
        found += answer.data
        if len(found) >= answer.pagination.total:
            return found, True
    return found, False


def _counterparty_of(challenge: "Challenge") -> "Counterparty":
    from chainteller.service.models.counterparties import (  # noqa: PLC0415 - after the first frame
        Counterparty,
    )

    return Counterparty(
        id=challenge.counterparty_id or "",
        network=challenge.network,
        address=challenge.address or "",
    )


def _wallet(
    service: "Service",
    account: "BlockchainAccount",
    counterparty: "Counterparty",
    challenges: "Sequence[Challenge]",
) -> Wallet:
    own = [row for row in challenges if row.counterparty_id == counterparty.id]
    wallet = Wallet(
        account,
        counterparty,
        own[0] if own else None,
        own[1] if len(own) > 1 else None,
    )
    if wallet.challenge is None or wallet.challenge.status != "used" or wallet.is_verified:
        return wallet
    claim_id = _claim_of(service, wallet)
    linked = counterparty.verification
    if linked is not None and linked.claim_id == claim_id:
        return wallet
    return Wallet(account, counterparty, wallet.challenge, wallet.earlier, claim_id)


def _claim_of(service: "Service", wallet: Wallet) -> str:
    """The claim that a used challenge became: the service names it when asked about a signature
    for it, which changes nothing.
    """
    try:
        service.diagnose_signature(wallet.account.id, claim_request(wallet, "0x"))
    except ChallengeAlreadyUsed as used:
        return str(used.details.get("claimId", ""))
    except TellerError:
        return ""
    return ""


def claim_request(wallet: Wallet, signature: str) -> "ClaimRequest":
    from chainteller.service.models.counterparties import (  # noqa: PLC0415 - after the first frame
        ClaimRequest,
    )

    return ClaimRequest(
        challenge_id=wallet.challenge.id if wallet.challenge else "",
        completed_challenge=signature,
        counterparty_id=wallet.counterparty.id,
    )


def accounts_page(
    service: "Service", wanted: str, page: int, limit: int
) -> "tuple[Sequence[BlockchainAccount], int]":
    """A page of all blockchain accounts; of the newest ``SEARCHED`` those that hold ``wanted``."""
    if not wanted:
        found = service.blockchain_accounts(query(page=page, limit=limit))
        return found.data, found.pagination.total
    newest = service.blockchain_accounts(query(limit=SEARCHED)).data
    holding = [row for row in newest if _holds(row, wanted.lower())]
    return holding[(page - 1) * limit : page * limit], len(holding)


def _holds(account: "BlockchainAccount", wanted: str) -> bool:
    told = (account.id, account.trading_account_id, account.network, account.address)
    return any(wanted in part.lower() for part in told)


def account_of(desk: "Desk", identifier: str) -> "tuple[BlockchainAccount, str] | None":
    """The blockchain account that an id of it or of one of its wallets names, with the wallet.

    A challenge or a claim is asked for by its id; a wallet, and one of them where the deployment
    does not know it by id, is looked for on the newest accounts only. Where accounts cannot be
    looked up, one is taken to be that of the selected trading account.
    """
    service = desk.service
    if identifier.startswith("BCA_"):
        try:
            return service.blockchain_account(identifier), ""
        except NotOffered:
            owner, backstage = desk.customer.account, desk.session
            if owner is None or backstage is None:
                return None
            return backstage.know_blockchain_account(identifier, owner.id), ""
    if identifier.startswith(("CLM_", "CHG_")):
        with contextlib.suppress(NotOffered):
            return _of_step(service, identifier)
    for account in service.blockchain_accounts(query(limit=_SEARCHED_ACCOUNTS)).data:
        wallets, _ = _wallets_of(service, account, Session())
        for wallet in wallets:
            challenge = wallet.challenge.id if wallet.challenge else ""
            if identifier in {wallet.counterparty.id, challenge, wallet.claim_id}:
                return account, wallet.counterparty.id
    return None


_SEARCHED_ACCOUNTS = 50


def _of_step(service: "Service", identifier: str) -> "tuple[BlockchainAccount, str]":
    step: Challenge | OwnershipClaim
    if identifier.startswith("CLM_"):
        step = service.claim_by_id(identifier)
    else:
        step = service.challenge_by_id(identifier)
    account = service.blockchain_account(step.blockchain_account_id or "")
    return account, step.counterparty_id or ""
