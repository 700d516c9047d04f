"""Wallets of a trading account: what the service, and this desk itself, know of each.

The functions that call the service run in a thread. A wallet is registered for nobody: one without
links and challenges is known only to the desk that registered it, until its first challenge.
"""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.challenges import CLAIM_LIFETIME, MAXIMUM_ATTEMPTS, is_verified
from chainteller.domain.clock import from_datetime
from chainteller.domain.limits import DestinationClass
from chainteller.records.formats import seconds_between
from chainteller.service.errors import ChallengeAlreadyUsed, NotFound, NotOffered, TellerError
from chainteller.service.models.counterparties import (
    BlockchainAccount,
    Challenge,
    ClaimRequest,
    Counterparty,
    DiagnosisRequest,
    OwnershipClaim,
    OwnershipStatement,
    SignatureDiagnosis,
    SmallTransfer,
)
from chainteller.service.operations import OWNERSHIP_STATEMENTS_FEATURE, SMALL_TRANSFERS_FEATURE
from chainteller.tui.queries import is_needed, query, records_found
from chainteller.workspace import records
from chainteller.workspace.store import Kind as RecordKind

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.funding import LimitUsage
    from chainteller.tui.desk import Desk
    from chainteller.workspace.store import Workspace

_PAGE = SEARCHED = 100
_KINDS = frozenset({"blockchain-account"})
_CHALLENGE_PAGES = 3
_SEARCHED_ACCOUNTS = 50


@dataclass(frozen=True, slots=True)
class Wallet:
    """A counterparty of a blockchain account.

    Attributes:
        challenge: The newest one.
        earlier: The one before it.
        claim_id: Of an ownership claim that isn't linked yet.
        small: The newest small transfer.
        statement: The newest statement.
    """

    account: BlockchainAccount
    counterparty: Counterparty
    challenge: Challenge | None = None
    earlier: Challenge | None = None
    claim_id: str = ""
    small: SmallTransfer | None = None
    statement: OwnershipStatement | None = None

    @property
    def key(self) -> str:
        return f"{self.account.id}/{self.counterparty.id}"

    @property
    def network(self) -> str:
        return self.counterparty.network or self.account.network

    @property
    def is_verified(self) -> bool:
        return is_verified(self.counterparty.verification_state)

    def is_linked_by(self, claim_id: str | None) -> bool:
        """Whether the wallet's verification rests on a claim."""
        verification = self.counterparty.verification
        return bool(claim_id) and verification is not None and verification.claim_id == claim_id

    def is_sending(self, now: int) -> bool:
        """Whether a small transfer may still arrive in time."""
        small = self.small
        return (
            small is not None and small.status == "waiting" and now <= from_datetime(small.expires)
        )

    def is_sent(self, now: int) -> bool:
        """Whether the newest small transfer arrived, and its claim can still be linked."""
        small = self.small
        if small is None or not small.arrivals or not self.claim_id:
            return False
        arrived = from_datetime(small.arrivals[-1].arrived_at)
        return small.claim_id == self.claim_id and now <= arrived + CLAIM_LIFETIME

    def transfer(self, now: int) -> SmallTransfer | None:
        """The newest small transfer, if the wallet is verified by it or on its way there."""
        small = self.small
        if small is None or self.is_sending(now) or self.is_sent(now):
            return small
        is_by_it = self.is_verified and self.is_linked_by(small.claim_id)
        return small if is_by_it and self.challenge_state(now) != "open" else None

    def state(self, now: int) -> str:
        """Before the link: registered, sending (a small transfer), signing, lapsed, locked or
        claimed; then the status of the verification: current, expiring, expired or revoked.
        """
        challenge = self.challenge_state(now)
        if self.is_sending(now):
            return "sending"
        if self.is_sent(now):
            return "claimed"
        if challenge == "open":
            return "signing"
        if self.claim_id:
            return "claimed"
        if self.counterparty.verification_state:
            return self.counterparty.verification_state
        return {"expired": "lapsed", "locked": "locked", "used": "lapsed"}.get(
            challenge, "registered"
        )

    def challenge_state(self, now: int) -> str:
        """Status of the newest challenge by this desk's clock; empty without one, and "not needed"
        where the wallet has been verified by something else since it was made.
        """
        challenge = self.challenge
        if challenge is None:
            return ""
        status = challenge.status or "open"
        if status != "open":
            return status
        if challenge.expires is not None and now > from_datetime(challenge.expires):
            return "expired"
        return status if is_needed(challenge, self.counterparty) else "not needed"

    def open_challenge(self, now: int) -> Challenge | None:
        """The newest challenge while it waits for its signature; not while a small transfer is
        waited for instead.
        """
        is_waiting = self.challenge_state(now) == "open" and not self.is_sending(now)
        return self.challenge if is_waiting else None

    def seconds_left(self, now: int) -> int | None:
        """Seconds until the newest challenge expires; None where that isn't known."""
        if self.challenge is None or self.challenge.expires is None:
            return None
        return max(0, seconds_between(now, from_datetime(self.challenge.expires)))

    def seconds_for_transfer(self, now: int) -> int | None:
        """Seconds in which the awaited small transfer may arrive; None where none is awaited."""
        if self.small is None or not self.is_sending(now):
            return None
        return seconds_between(now, from_datetime(self.small.expires))

    @property
    def tries_left(self) -> int | None:
        """Signatures that may still be refused; None where the deployment doesn't count them."""
        attempts = self.challenge.attempts if self.challenge else None
        return None if attempts is None else max(0, MAXIMUM_ATTEMPTS - attempts)


Shown = Wallet | BlockchainAccount
"""What a row of the list stands for."""


def wallet_of(shown: Shown | None) -> Wallet | None:
    return shown if isinstance(shown, Wallet) else None


def account_of(shown: Shown | None) -> BlockchainAccount | None:
    """The blockchain account shown, or that of the wallet shown."""
    return shown.account if isinstance(shown, Wallet) else shown


@dataclass(frozen=True, slots=True)
class Book:
    """The blockchain accounts of a trading account with their wallets, in the same order.

    ``is_complete`` is False where a list was longer than what was fetched.
    """

    accounts: tuple[BlockchainAccount, ...] = ()
    wallets: tuple[Wallet, ...] = ()
    is_complete: bool = True

    def of(self, account_id: str) -> tuple[Wallet, ...]:
        return tuple(row for row in self.wallets if row.account.id == account_id)


class Kind(StrEnum):
    """SIGNATURE also stands for what is surely meant as one, such as a truncated one."""

    SIGNATURE = "signature"
    SECRET = "secret"  # noqa: S105 - a kind of paste
    ADDRESS = "address"
    TEXT = "text"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Paste:
    """``shape`` describes it without repeating it: ``0x8f2c..1b  132 characters``."""

    kind: Kind
    shape: str = ""
    form: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The diagnosis of a pasted signature, which itself is kept only if it would be accepted, or as
    long as the text that the customer's wallet shows may explain it.
    """

    challenge_id: str
    paste: Paste
    diagnosis: SignatureDiagnosis
    signature: str = field(default="", repr=False)
    unexplained: str = field(default="", repr=False)
    is_by_desk: bool = field(default=False, compare=False)
    """Whether this desk diagnosed it, because the deployment doesn't."""

    @property
    def accepted(self) -> bool:
        return self.diagnosis.accepted

    @property
    def can_search_longer(self) -> bool:
        """Whether a longer search may find what happened to the text."""
        return bool(self.diagnosis.can_search_longer)

    def repeats(self, earlier: "Verdict") -> bool:
        """Whether this is what a longer search made of the earlier one, and found nothing more."""
        return earlier.can_search_longer and earlier.diagnosis.finding == self.diagnosis.finding


@dataclass(slots=True)
class Session:
    """What this desk did itself: some deployments don't list it, and none keeps verdicts.

    Attributes:
        workspace: Where registered wallets are known after a restart.
        registered: The wallets registered for each blockchain account.
        issued: The challenges issued for each blockchain account, newest first.
        verdicts: The verdict on the last signature pasted for each challenge.
        links: The link of each challenge's signing page, which only this desk knows.
        judged: The last signature from each challenge's signing page that was checked here.
        offers: Whether the deployment has an addition.
    """

    workspace: "Workspace | None" = None
    registered: dict[str, list[Counterparty]] = field(default_factory=dict)
    issued: dict[str, list[Challenge]] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict, repr=False)
    judged: dict[str, str] = field(default_factory=dict, repr=False)
    offers: Callable[[str], bool] = field(default=lambda _: True, compare=False)

    def add_registered(self, account_id: str, made: Counterparty) -> None:
        known = self.registered.setdefault(account_id, [])
        if made.id not in {row.id for row in known}:
            known.append(made)
        if self.workspace is not None:
            self.workspace.remember(made.id, RecordKind.COUNTERPARTY, account_id)

    def registered_for(self, account_id: str) -> list[Counterparty]:
        """The wallets registered from here for a blockchain account, also before a restart."""
        found = [*self.registered.get(account_id, ())]
        if self.workspace is not None:
            kept = records.listed(self.workspace, Counterparty, query(limit=_PAGE), account_id)
            found += [row for row in kept.data if row.id not in {each.id for each in found}]
        return found

    def known(self, counterparty_id: str) -> Counterparty | None:
        """A wallet as it was answered when it was registered from here."""
        if self.workspace is None:
            return None
        return records.one(self.workspace, Counterparty, counterparty_id)

    def add_issued(self, account_id: str, made: Challenge) -> None:
        self.issued.setdefault(account_id, []).insert(0, made)

    def link(self, challenge: Challenge | None) -> str:
        """The link of a challenge's signing page; empty without one that is known here."""
        return "" if challenge is None else self.links.get(challenge.id, "")

    def take_sent(self, wallets: Sequence[Wallet], now: int) -> Wallet | None:
        """A wallet of these whose signing page sent a signature that wasn't checked here yet."""
        for wallet in wallets:
            challenge = wallet.open_challenge(now)
            sent = challenge.page_signature if challenge is not None else None
            if challenge is not None and sent and self.judged.get(challenge.id) != sent:
                self.judged[challenge.id] = sent
                return wallet
        return None

    def verdict(self, wallet: Wallet) -> Verdict | None:
        """The verdict on a signature of the wallet's newest challenge."""
        return self.verdicts.get(wallet.challenge.id) if wallet.challenge else None


# -- reading ---------------------------------------------------------------------------------------


def read_book(service: "Service", trading_account_id: str, session: Session) -> Book:
    """Fetch all wallets of a trading account.

    Raises:
        TellerError: any error of the calls.
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
    service: "Service", account: BlockchainAccount, session: Session
) -> tuple[list[Wallet], bool]:
    linked = service.linked_counterparties(account.id, query(limit=_PAGE))
    challenges: list[Challenge] = []
    whole = True
    with contextlib.suppress(NotOffered):
        challenges, whole = _challenges(service, account.id)
    if whole:  # a gateway doesn't list every message of its provider
        listed = {row.id for row in challenges}
        issued = session.issued.get(account.id, [])
        challenges = [row for row in issued if row.id not in listed] + challenges
    known = {row.id: _with_network(row, session) for row in linked.data}
    for row in session.registered_for(account.id):
        known.setdefault(row.id, row)
    for challenge in challenges:
        wallet_id = challenge.counterparty_id or ""
        if wallet_id and wallet_id not in known:
            known[wallet_id] = session.known(wallet_id) or _counterparty_of(challenge)
    small, stated = _second_methods(service, account.id, session)
    named = [each.counterparty_id for each in small] + [each.counterparty_id for each in stated]
    for wallet_id in named:
        if wallet_id not in known:
            known[wallet_id] = service.counterparty(wallet_id)
    rows = [
        replace(
            _with_small(_wallet(service, account, row, challenges), small),
            statement=next((each for each in stated if each.counterparty_id == row.id), None),
        )
        for row in known.values()
    ]
    return rows, whole and linked.pagination.total <= len(linked.data)


def _second_methods(
    service: "Service", account_id: str, session: Session
) -> tuple[Sequence[SmallTransfer], Sequence[OwnershipStatement]]:
    """The newest small transfers and statements; none where the deployment has none."""
    small: Sequence[SmallTransfer] = ()
    stated: Sequence[OwnershipStatement] = ()
    with contextlib.suppress(NotOffered):
        if session.offers(SMALL_TRANSFERS_FEATURE):
            small = service.small_transfers(account_id, query(limit=_PAGE)).data
        if session.offers(OWNERSHIP_STATEMENTS_FEATURE):
            stated = service.ownership_statements(account_id, query(limit=_PAGE)).data
    return small, stated


def _with_small(wallet: Wallet, found: Sequence[SmallTransfer]) -> Wallet:
    """The wallet with its newest small transfer, and the claim that it became."""
    own = (each for each in found if each.counterparty_id == wallet.counterparty.id)
    small = next(own, None)
    if small is None:
        return wallet
    is_linkable = not wallet.is_verified and not wallet.is_linked_by(small.claim_id)
    claim_id = (is_linkable and small.claim_id) or wallet.claim_id
    return replace(wallet, small=small, claim_id=claim_id)


def _with_network(row: Counterparty, session: Session) -> Counterparty:
    """A linked wallet with the network of its registration, where the list doesn't tell it."""
    known = session.known(row.id) if row.network is None else None
    return row if known is None else row.model_copy(update={"network": known.network})


def _challenges(service: "Service", account_id: str) -> tuple[list[Challenge], bool]:
    """Newest first, and whether these are all. Raises NotOffered."""
    found: list[Challenge] = []
    for page in range(1, _CHALLENGE_PAGES + 1):
        answer = service.challenges(account_id, query(page=page, limit=_PAGE))
        found += answer.data
        if len(found) >= answer.pagination.total:
            return found, True
    return found, False


def _counterparty_of(challenge: Challenge) -> Counterparty:
    return Counterparty(
        id=challenge.counterparty_id or "",
        network=challenge.network,
        address=challenge.address or "",
    )


def _wallet(
    service: "Service",
    account: BlockchainAccount,
    counterparty: Counterparty,
    challenges: Sequence[Challenge],
) -> Wallet:
    own = [row for row in challenges if row.counterparty_id == counterparty.id]
    newest, earlier, *_ = (*own, None, None)
    wallet = Wallet(account, counterparty, newest, earlier)
    if wallet.challenge is None or wallet.challenge.status != "used" or wallet.is_verified:
        return wallet
    claim_id = _claim_of(service, wallet)
    linked = counterparty.verification
    if linked is not None and linked.claim_id == claim_id:
        return wallet
    return replace(wallet, claim_id=claim_id)


def _claim_of(service: "Service", wallet: Wallet) -> str:
    """Id of the claim that a used challenge became: a diagnosis for it, which changes nothing, is
    refused with the id.
    """
    try:
        asked = DiagnosisRequest.of(claim_request(wallet, "0x"))
        service.diagnose_signature(wallet.account.id, asked)
    except ChallengeAlreadyUsed as used:
        return str(used.details.get("claimId", ""))
    except TellerError:
        return ""
    return ""


def claim_request(wallet: Wallet, signature: str) -> ClaimRequest:
    return ClaimRequest(
        challenge_id=wallet.challenge.id if wallet.challenge else "",
        completed_challenge=signature,
        counterparty_id=wallet.counterparty.id,
    )


def limits_of(wallet: Wallet, usage: "Sequence[LimitUsage]") -> "tuple[LimitUsage, ...]":
    """The withdrawal limits that hold for a wallet: they depend on its verification."""
    kind = DestinationClass.VERIFIED if wallet.is_verified else DestinationClass.UNVERIFIED
    verification = wallet.counterparty.verification
    levels = {None, verification.level if verification else None}
    return tuple(
        row for row in usage if row.destination_class == kind and row.evidence_level in levels
    )


# -- looking up ------------------------------------------------------------------------------------


def accounts_page(
    service: "Service", wanted: str, page: int, limit: int
) -> tuple[Sequence[BlockchainAccount], int]:
    """A page of all blockchain accounts; with ``wanted``, of its matches in the newest ones or,
    without any, of the people and accounts that a search of everything finds.
    """
    if not wanted:
        found = service.blockchain_accounts(query(page=page, limit=limit))
        return found.data, found.pagination.total
    newest = service.blockchain_accounts(query(limit=SEARCHED)).data
    holding = [row for row in newest if _holds(row, wanted.lower())]
    if not holding:
        read = partial(_blockchain_account, service)
        of_person = partial(_accounts_of, service)
        holding = records_found(service, wanted, _KINDS, read, of_person)
    return holding[(page - 1) * limit : page * limit], len(holding)


def _blockchain_account(service: "Service", _owner: str, account_id: str) -> BlockchainAccount:
    return service.blockchain_account(account_id)


def _accounts_of(service: "Service", trading_account_id: str) -> Sequence[BlockchainAccount]:
    return service.blockchain_accounts(query(trading_account_id=trading_account_id)).data


def _holds(account: BlockchainAccount, wanted: str) -> bool:
    told = (account.id, account.trading_account_id, account.network, account.address)
    return any(wanted in part.lower() for part in told)


def customer_of(desk: "Desk") -> str:
    """Id of the trading account that is selected; empty when none is."""
    return desk.customer.account_id


def find_account(desk: "Desk", identifier: str) -> tuple[BlockchainAccount, str] | None:
    """The blockchain account of an id, with the id of the wallet if it's one of a wallet.

    A challenge, a claim or a statement is fetched by its id. A wallet, and one of those where the
    deployment finds none by id, is searched on the newest accounts only.

    Raises:
        NotOffered: the deployment doesn't look accounts up, and this one isn't known here.
    """
    service = desk.service
    if identifier.startswith("BCA_"):
        return service.blockchain_account(identifier), ""
    if identifier.startswith(("CLM_", "CHG_", "STM_")):
        with contextlib.suppress(NotOffered):
            return _of_step(service, identifier)
    for account in service.blockchain_accounts(query(limit=_SEARCHED_ACCOUNTS)).data:
        wallets, _ = _wallets_of(service, account, Session())
        for wallet in wallets:
            challenge = wallet.challenge.id if wallet.challenge else ""
            stated = wallet.statement.id if wallet.statement else ""
            if identifier in {wallet.counterparty.id, challenge, wallet.claim_id, stated}:
                return account, wallet.counterparty.id
    return None


def _of_step(service: "Service", identifier: str) -> tuple[BlockchainAccount, str]:
    step: Challenge | OwnershipClaim | SmallTransfer | OwnershipStatement
    if identifier.startswith("CLM_"):
        step = service.claim_by_id(identifier)
    elif identifier.startswith("STM_"):
        step = service.ownership_statement_by_id(identifier)
    else:
        try:
            step = service.challenge_by_id(identifier)
        except NotFound:
            step = service.small_transfer_by_id(identifier)
    account = service.blockchain_account(step.blockchain_account_id or "")
    return account, step.counterparty_id or ""
