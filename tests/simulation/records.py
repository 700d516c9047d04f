"""The model's records, and each as the wire must show it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.simulation.calls import Client
from tests.simulation.figures import (
    CASH,
    COINS,
    DAY,
    DECIMALS,
    HOUR,
    MINUTE,
    SECOND,
    USD,
    Price,
    Sized,
    cents_of,
    dollars,
    moment,
    shown,
)

Wire = dict[str, Any]
Bucket = dict[str, int]


class Anything:
    """Stands for a value that only the deployment can choose."""

    def wrong(self, _found: Any) -> str:
        """What can't be of the deployment's choosing; empty if nothing is wrong."""
        return ""

    def __repr__(self) -> str:
        return "(anything)"


ANYTHING = Anything()
OWN, UNVERIFIED, VERIFIED = "own-bank-account", "unverified-counterparty", "VerifiedCounterparty1P"
PERIODS = (("per-transaction", 0), ("24h", DAY), ("30d", 30 * DAY))
COUNTED = ("reviewing", "processing", "sent", "completed")
HOLDING = ("reviewing", "processing")
TERMS = "2026-01"
LEVELS = {"signature": "high", "transfer": "medium"}
NEVER = 253_402_300_799 * SECOND
"""The end of the year 9999: no deadline is there or later."""
LIFETIMES = {"signature": 365 * DAY, "transfer": 90 * DAY}
Limits = Mapping[str, tuple[int, int, int]]


class ReviewLine(NamedTuple):
    """A withdrawal worth more than ``over`` cents waits for a person if the condition fits."""

    condition: str
    over: int
    within_s: int
    then: str
    to: str = ""


class Two(NamedTuple):
    """What needs two persons: withdrawals over an amount in cents, and what is named."""

    over: int | None = None
    within_s: int = 3_600
    always: tuple[str, ...] = ()


_ONE = Two()


@dataclass(frozen=True)
class Settings:
    """What the operator has set; delays and windows in microseconds, limits in cents."""

    window: int = 300_000_000
    deposit_delay: int = 0
    fill_delay: int = 10_000_000
    settle_delay: int = 20_000_000
    withdrawal_delay: int = 5_000_000
    review_delay: int = 2 * HOUR
    challenge_life: int = HOUR
    maintenance: tuple[str, ...] = ()
    test_networks: bool = False
    rate_limits: bool = True
    open_quotes: int = 10
    premium: int = 5
    arrivals: str = "watched"
    """Or "down", or "unwatched"."""
    review: tuple[ReviewLine, ...] = ()
    two: Two = _ONE
    medium: tuple[int, int, int] = (1_000_000, 2_500_000, 10_000_000)
    limits: Limits = field(
        default_factory=lambda: {
            OWN: (2_500_000, 10_000_000, 50_000_000),
            UNVERIFIED: (100_000, 250_000, 1_000_000),
            VERIFIED: (5_000_000, 20_000_000, 100_000_000),
        }
    )


@dataclass
class Customer:
    id: str
    organisation: str
    name: str
    reference: str
    kyc: str = "enhanced"
    terms: str | None = TERMS
    control: str | None = None
    reason: str | None = None


@dataclass
class BankAccount:
    id: str
    customer: Customer
    type: str
    cents: int
    account: "Account | None" = None

    def wire(self) -> Wire:
        return {
            "id": self.id,
            "type": self.type,
            "balance": dollars(self.cents),
            "tradingAccountId": self.account.id if self.account else None,
        }


class Sent(NamedTuple):
    """A transfer on a chain, as the chain tells it."""

    hash: str
    sender: str
    recipient: str
    asset: str
    atoms: int
    at: int
    signers: tuple[str, ...]
    paid: tuple[str, ...]
    sent: int = 0
    service: str = ""


class Move(NamedTuple):
    """What an event of a record changed of each asset."""

    at: int
    event: str
    record: str
    net: Bucket
    owed: int = 0


def _bucket() -> Bucket:
    return defaultdict(int)


@dataclass
class Account:
    """A trading account; ``history`` is its trades and transfers in their order."""

    id: str
    bank: BankAccount
    created: int
    active: int
    activity: str = "opened"
    control: str | None = None
    reason: str | None = None
    available: Bucket = field(default_factory=_bucket)
    held: Bucket = field(default_factory=_bucket)
    incoming: Bucket = field(default_factory=_bucket)
    history: list["Trade | Transfer"] = field(default_factory=list)
    owed: int = 0
    told_owed: int = 0
    """Cents, now and at the newest movement."""
    totals: Bucket = field(default_factory=_bucket)
    moves: list["Move"] = field(default_factory=list)
    touched: int = -1
    """When a balance or a part of one was last changed."""

    def moved(self, event: str, record: "Trade | Transfer", now: int) -> None:
        """Note what was paid in or out since the last time, if anything."""
        net, owed = {}, self.owed - self.told_owed
        self.told_owed = self.owed
        for asset in DECIMALS:
            total = self.total(asset)
            if total != self.totals[asset]:
                net[asset] = total - self.totals[asset]
                self.totals[asset] = total
        if net or owed:
            self.touched = now
            self.moves.append(Move(now, event, record.id, net, owed))

    def total(self, asset: str) -> int:
        return self.available[asset] + self.held[asset] + self.incoming[asset]

    @property
    def organisation(self) -> str:
        return self.bank.customer.organisation

    def did(self, what: str, now: int) -> None:
        self.active, self.activity = now, what

    def power(self) -> int:
        return sum(cents_of(self.available[asset], asset) for asset in CASH)

    def take(self, parts: "Parts", now: int) -> None:
        self.touched = now
        for asset, atoms in parts:
            self.available[asset] -= atoms
            self.held[asset] += atoms

    def give_back(self, parts: "Parts", now: int) -> None:
        self.touched = now
        for asset, atoms in parts:
            self.held[asset] -= atoms
            self.available[asset] += atoms

    def spend(self, parts: "Parts") -> None:
        for asset, atoms in parts:
            self.held[asset] -= atoms

    def draw(self, cents: int, order: tuple[str, ...]) -> "Parts":
        """Whole cents of each token, in this order; call it only where they suffice."""
        parts = []
        for asset in order:
            part = min(cents, cents_of(self.available[asset], asset))
            if part:
                parts.append((asset, part * 10 ** (DECIMALS[asset] - 2)))
                cents -= part
        assert cents == 0
        return tuple(parts)

    def wire(self, unit_cents: Mapping[str, int], now: int) -> Wire:
        customer = self.bank.customer
        controls = dict.fromkeys(each for each in (self.control, customer.control) if each)
        return {
            "id": self.id,
            "bankAccountId": self.bank.id,
            "bankAccountType": self.bank.type,
            "controls": list(controls),
            "customerId": customer.id,
            "customerName": customer.name,
            "created": moment(self.created),
            "buyingPower": dollars(self.power()),
            "cryptoValueUsd": dollars(
                sum(worth(coin, self.total(coin), unit_cents) for coin in COINS)
            ),
            "valuedAt": moment(now - now % MINUTE),
            "owedUsd": dollars(self.owed),
            "lastActivity": moment(self.active),
            "lastActivityType": self.activity,
        }


Parts = tuple[tuple[str, int], ...]


def worth(asset: str, atoms: int, unit_cents: Mapping[str, int]) -> int:
    if asset in CASH:
        return cents_of(atoms, asset)
    return int(atoms * unit_cents[asset] // 10 ** DECIMALS[asset])


@dataclass
class Quote:
    id: str
    organisation: str
    account: Account | None
    price: Price
    sized: Sized
    created: int
    trade: "Trade | None" = None

    @property
    def expires(self) -> int:
        return self.created + self.price.window

    def status(self, now: int) -> str:
        if self.trade is not None:
            return "executed"
        return "expired" if now > self.expires else "open"

    @property
    def sold_asset(self) -> str:
        return USD if self.price.side == "buy" else self.price.base

    @property
    def bought_asset(self) -> str:
        return self.price.base if self.price.side == "buy" else USD

    def legs(self) -> Wire:
        return {
            "assetBought": leg(self.bought_asset, self.sized.bought),
            "assetSold": leg(self.sold_asset, self.sized.sold),
            "fees": {
                "flat": dollars(self.price.fees.flat),
                "bps": self.price.fees.bps,
                "total": dollars(self.sized.fee),
                "currency": "USD",
            },
        }

    def wire(self, now: int) -> Wire:
        hundredths = self.price.premium * (self.price.window // 1_000_000) * 100 // 60
        return {
            "id": self.id,
            "marketName": self.price.market,
            "side": self.price.side,
            "price": dollars(self.price.cents),
            **self.legs(),
            "created": moment(self.created),
            "expires": moment(self.expires),
            "status": self.status(now),
            "tradingAccountId": self.account.id if self.account else None,
            "tradeId": self.trade.id if self.trade else None,
            "pricing": {
                "mid": f"{self.price.mid // 1_000_000}.{self.price.mid % 1_000_000:06d}",
                "halfSpreadBps": self.price.spread,
                "holdPremiumBps": f"{hundredths // 100}.{hundredths % 100:02d}",
            },
        }


def leg(asset: str, atoms: int) -> Wire:
    symbol, network = asset.split("@")
    return {"symbol": symbol, "network": network, "amount": shown(atoms, asset)}


@dataclass
class Trade:
    id: str
    account: Account
    quote: Quote
    hold: Parts
    created: int
    updated: int
    status: str = "processing"
    executed: int | None = None
    settled: int | None = None
    cancelled: int | None = None
    failure: str | None = None
    waits: bool = False
    """Whether its trail says that it waits for its market."""
    version: int = 1
    type: str = "trade-execution-transaction"

    def move(self, status: str, now: int) -> None:
        self.status, self.updated, self.version = status, now, self.version + 1

    def wire(self) -> Wire:
        price, sized = self.quote.price, self.quote.sized
        base = sized.bought if price.side == "buy" else sized.sold
        return {
            "type": self.type,
            "id": self.id,
            "status": self.status,
            "market": price.market,
            "side": price.side,
            "price": dollars(price.cents),
            "amount": shown(base, price.base),
            "created": moment(self.created),
            "updated": moment(self.updated),
            "tradingAccountId": self.account.id,
            "quoteId": self.quote.id,
            **self.quote.legs(),
            "executedAt": moment(self.executed),
            "settledAt": moment(self.settled),
            "cancelledAt": moment(self.cancelled),
            "failureReason": reason(self.failure),
            "cancellable": self.status == "processing",
            "version": self.version,
        }


def reason(code: str | None) -> Wire | None:
    return None if code is None else {"code": code, "message": ANYTHING}


@dataclass
class Transfer:
    """A deposit or a withdrawal; ``cents`` is its worth in dollars at request."""

    id: str
    type: str
    account: Account
    asset: str
    atoms: int
    cents: int
    created: int
    updated: int
    status: str = "processing"
    currency: str = ""
    hold: Parts = ()
    goes_to: str = OWN
    wallet: "Wallet | None" = None
    custody: "Custody | None" = None
    level: str | None = None
    """The evidence of a verified wallet, where it has limits of its own."""
    completed: int | None = None
    failure: str | None = None
    review: str | None = None
    eta: int | None = None
    """Why and until when it waits, or waited."""
    network_hash: Any = None
    version: int = 1

    @property
    def name(self) -> str:
        return self.type.removesuffix("-transaction")

    def move(self, status: str, now: int) -> None:
        self.status, self.updated, self.version = status, now, self.version + 1

    def wire(self) -> Wire:
        symbol, network = self.asset.split("@")
        leaves = self.type == "withdrawal-transaction"
        return {
            "type": self.type,
            "id": self.id,
            "status": self.status,
            "tradingAccountId": self.account.id,
            "amount": shown(self.atoms, self.asset),
            "currency": {
                "type": self.currency,
                "id": "DPT_USD" if self.currency == "deposit-token-currency" else None,
                "symbol": symbol,
                "network": network,
            },
            "bankAccountId": self.account.bank.id,
            "destination": self._destination() if leaves else None,
            "fee": shown(0, self.asset),
            "notionalUsd": dollars(self.cents),
            "created": moment(self.created),
            "updated": moment(self.updated),
            "completedAt": moment(self.completed),
            "cancellable": leaves and self.status in HOLDING,
            "failureReason": reason(self.failure),
            "review": None
            if self.eta is None
            else {"reason": self.review, "eta": moment(self.eta)},
            "networkTxHash": self.network_hash,
        }

    def _destination(self) -> Wire:
        if self.wallet is None or self.custody is None:
            return {"type": "bank-account", "bankAccountId": self.account.bank.id}
        return {
            "type": "counterparty",
            "counterpartyId": self.wallet.id,
            "blockchainAccountId": self.custody.id,
            "network": self.asset.split("@")[1],
            "address": self.wallet.address,
            "verified": self.goes_to == VERIFIED,
        }


@dataclass
class Custody:
    """A blockchain account."""

    id: str
    account: Account
    network: str
    address: str
    created: int
    links: dict[str, "Link"] = field(default_factory=dict)

    def wire(self) -> Wire:
        return {
            "id": self.id,
            "tradingAccountId": self.account.id,
            "network": self.network,
            "address": self.address,
            "status": "active",
            "created": moment(self.created),
        }


@dataclass
class Wallet:
    """A counterparty."""

    id: str
    organisation: str
    network: str
    address: str
    created: int
    customers: set[str] = field(default_factory=set)
    """Who has verified it."""

    def is_shared(self, custody: Custody) -> bool:
        return bool(self.customers - {custody.account.bank.customer.id})

    def wire(self) -> Wire:
        return {
            "type": "counterparty",
            "id": self.id,
            "network": self.network,
            "address": self.address,
            "created": moment(self.created),
            "verification": None,
            "shared": None,
        }


@dataclass
class Challenge:
    id: str
    custody: Custody
    wallet: Wallet
    text: str
    created: int
    expires: int
    status: str = "open"
    attempts: int = 0
    claim: "Claim | None" = None
    used: int | None = None

    def state(self, now: int) -> str:
        return "expired" if self.status == "open" and now > self.expires else self.status

    def wire(self, now: int) -> Wire:
        return {
            "id": self.id,
            "challenge": self.text,
            "expires": moment(self.expires),
            "network": self.wallet.network,
            "address": self.wallet.address,
            "counterpartyId": self.wallet.id,
            "blockchainAccountId": self.custody.id,
            "status": self.state(now),
            "attempts": self.attempts,
        }


@dataclass
class Arrived:
    sent: Sent
    finding: str

    def wire(self) -> Wire:
        return {
            "transactionHash": self.sent.hash,
            "sender": self.sent.sender,
            "amount": shown(self.sent.atoms, self.sent.asset),
            "symbol": self.sent.asset.split("@")[0],
            "arrivedAt": moment(self.sent.at),
            "finding": self.finding,
        }


@dataclass
class SmallTransfer:
    """A proof by an amount that the wallet sends; it counts up to ``deadline``."""

    id: str
    custody: Custody
    wallet: Wallet
    asset: str
    atoms: int
    text: str
    created: int
    deadline: int
    arrivals: list[Arrived] = field(default_factory=list)
    claim: "Claim | None" = None

    @property
    def expires(self) -> int:
        return self.deadline

    def state(self, now: int) -> str:
        if self.claim is not None:
            return "verified"
        return "expired" if now > self.deadline else "waiting"

    def wire(self, now: int) -> Wire:
        rows = sorted(self.arrivals, key=lambda each: (each.sent.at, each.sent.hash))
        return {
            "id": self.id,
            "type": "small-transfer",
            "blockchainAccountId": self.custody.id,
            "counterpartyId": self.wallet.id,
            "network": self.wallet.network,
            "status": self.state(now),
            "amount": shown(self.atoms, self.asset),
            "symbol": self.asset.split("@")[0],
            "sender": self.wallet.address,
            "recipient": self.wallet.address,
            "created": moment(self.created),
            "expires": moment(self.deadline),
            "level": "medium",
            "instruction": self.text,
            "claimId": self.claim.id if self.claim else None,
            "arrivals": [each.wire() for each in rows],
        }


@dataclass
class Statement:
    """What a customer says about a wallet."""

    id: str
    custody: Custody
    wallet: Wallet
    reason: str
    text: str
    created: int
    status: str = "reviewing"

    def wire(self) -> Wire:
        return {
            "id": self.id,
            "type": "ownership-statement",
            "blockchainAccountId": self.custody.id,
            "counterpartyId": self.wallet.id,
            "network": self.wallet.network,
            "address": self.wallet.address,
            "reason": self.reason,
            "statement": self.text,
            "status": self.status,
            "level": "low",
            "created": moment(self.created),
        }


@dataclass
class Claim:
    id: str
    challenge: "Challenge | SmallTransfer"
    scheme: str
    created: int
    linked: int | None = None

    @property
    def method(self) -> str:
        return "transfer" if isinstance(self.challenge, SmallTransfer) else "signature"

    @property
    def expires(self) -> int:
        return self.created + DAY

    def state(self, now: int) -> str:
        if self.linked is not None:
            return "linked"
        return "expired" if now > self.expires else "valid"

    def wire(self, now: int) -> Wire:
        wallet = self.challenge.wallet
        return {
            "id": self.id,
            "type": "ownership-claim",
            "blockchainAccountId": self.challenge.custody.id,
            "counterpartyId": wallet.id,
            "challengeId": self.challenge.id,
            "network": wallet.network,
            "address": wallet.address,
            "method": self.method,
            "level": LEVELS[self.method],
            "scheme": self.scheme,
            "status": self.state(now),
            "created": moment(self.created),
            "expires": moment(self.expires),
            "linkedAt": moment(self.linked),
            "shared": wallet.is_shared(self.challenge.custody),
        }


@dataclass
class Link:
    """A wallet verified for a blockchain account, now or once."""

    wallet: Wallet
    claim: Claim
    first: int
    verified: int
    used: int
    revoked: int | None = None

    @property
    def expires(self) -> int:
        return self.verified + LIFETIMES[self.claim.method]

    @property
    def ends(self) -> int:
        """When it ends if the wallet isn't used again."""
        return min(self.expires, self.used + 180 * DAY)

    def is_revoked_since(self, at: int) -> bool:
        return self.revoked is not None and at < self.revoked

    def state(self, now: int) -> str:
        if self.revoked is not None:
            return "revoked"
        if now > self.ends:
            return "expired"
        return "expiring" if now > self.ends - 30 * DAY else "current"

    def holds(self, now: int) -> bool:
        return self.state(now) in ("current", "expiring")

    def wire(self, now: int) -> Wire:
        return {
            "type": VERIFIED if self.holds(now) else "counterparty",
            "id": self.wallet.id,
            "network": self.wallet.network,
            "address": self.wallet.address,
            "created": moment(self.wallet.created),
            "verification": {
                "status": self.state(now),
                "verifiedAt": moment(self.verified),
                "expiresAt": moment(self.ends),
                "claimId": self.claim.id,
                "method": self.claim.method,
                "level": LEVELS[self.claim.method],
            },
            "shared": self.wallet.is_shared(self.claim.challenge.custody),
        }


@dataclass
class Decision:
    """What waits for a person, or did. ``id`` is empty until the deployment has said it."""

    id: str
    organisation: str
    kind: str
    subject: str
    reason: str
    created: int
    opened_by: str
    account: Account | None = None
    control: str | None = None
    pays: tuple[str, str] | None = None
    """The amount and the asset of a withdrawal."""
    words: str | None = None
    due: int | None = None
    at_deadline: str = "refuse"
    status: str = "open"
    decided: int | None = None
    decided_by: str | None = None
    outcome: str | None = None
    answer: str | None = None
    asked: str | None = None
    asked_at: int | None = None
    holder: str | None = None
    held_until: int | None = None
    needs_two: bool = False
    first_by: str | None = None
    first_at: int | None = None
    seen: tuple[Any, ...] = ()
    """What whoever approved first, or asked for it, has seen."""
    to_role: str | None = None
    escalated: int | None = None

    @property
    def told(self) -> Wire:
        """What each of its events says."""
        about = {"kind": self.kind, "subject": self.subject}
        named = {} if self.account is None else {"tradingAccountId": self.account.id}
        return about | named

    def end(self, status: str, by: str, now: int) -> None:
        self.status, self.decided_by, self.decided = status, by, now
        self.holder = self.held_until = None

    def wire(self) -> Wire:
        return {
            "type": "decision",
            "id": self.id,
            "kind": self.kind,
            "subject": self.subject,
            "tradingAccountId": self.account.id if self.account else None,
            "customerName": self.account.bank.customer.name if self.account else None,
            "amount": self.pays and self.pays[0],
            "symbol": self.pays and self.pays[1].partition("@")[0],
            "status": self.status,
            "control": self.control,
            "reason": self.reason,
            "words": self.words,
            "created": moment(self.created),
            "openedBy": self.opened_by,
            "due": moment(self.due),
            "atDeadline": self.at_deadline,
            "decidedAt": moment(self.decided),
            "decidedBy": self.decided_by,
            "outcome": self.outcome,
            "answer": self.answer,
            "asked": self.asked,
            "askedAt": moment(self.asked_at),
            "holder": self.holder,
            "heldUntil": moment(self.held_until),
            "toRole": self.to_role,
            "escalatedAt": moment(self.escalated),
            "ruleId": ANYTHING if self.kind == "withdrawal" else None,
            "needsTwo": self.needs_two or None,
            "firstBy": self.first_by,
            "firstAt": moment(self.first_at),
            "digest": None if self.first_by is None else ANYTHING,
        }


@dataclass
class Dispute:
    """A breach of the books; ``organisation`` is ``*`` for those of the deployment."""

    id: str
    organisation: str
    invariant: int
    what: str
    where: str
    found: int
    cleared: int | None = None
    cleared_by: str | None = None
    reason: str | None = None

    @property
    def scope(self) -> str:
        return "deployment" if self.organisation == "*" else "organisation"

    def concerns(self, organisation: str) -> bool:
        return self.organisation in (organisation, "*")

    def wire(self) -> Wire:
        return {
            "id": self.id,
            "scope": self.scope,
            "organisation": self.organisation,
            "invariant": self.invariant,
            "what": self.what,
            "where": self.where,
            "found": moment(self.found),
            "cleared": moment(self.cleared),
            "clearedBy": self.cleared_by,
            "reason": self.reason,
        }


@dataclass
class ApiKey:
    text: str
    id: str
    name: str
    organisation: str
    scopes: tuple[str, ...]
    created: int
    expires: int | None = None
    revoked: int | None = None
    replaced: bool = False

    @property
    def client(self) -> Client:
        named = f"{self.name} ({self.id})"
        return Client(self.organisation, named, self.id, frozenset(self.scopes))

    def refusal(self, now: int) -> str:
        """Why it opens nothing; empty while it holds."""
        if self.revoked is not None and self.revoked <= now:
            return "REVOKED"
        return "EXPIRED" if self.expires is not None and self.expires <= now else ""


@dataclass
class Deed:
    """What the trail must hold of a thing done or refused."""

    at: int
    organisation: str
    actor: str
    action: str
    object: Any
    inputs: Any
    error: str | None = None
    account: str | None = None

    def wire(self) -> Wire:
        return {
            "at": moment(self.at),
            "organisation": self.organisation,
            "actor": self.actor,
            "action": self.action,
            "object": self.object,
            "inputs": self.inputs,
            "outcome": "refused" if self.error else "done",
            "error": self.error,
        }


@dataclass
class Agent:
    """A person's key at a desk. This bank's policy has no roles."""

    id: str
    organisation: str
    name: str
    public_key: str
    created: int
    approved: int | None = None
    approved_by: str | None = None
    expires: int | None = None
    revoked: int | None = None
    revoked_by: str | None = None

    def status(self, now: int) -> str:
        if self.revoked is not None:
            return "revoked"
        if self.approved is None:
            return "waiting"
        return "expired" if self.expires is not None and self.expires <= now else "approved"

    def wire(self, now: int) -> Wire:
        return {
            "type": "agent",
            "id": self.id,
            "name": self.name,
            "status": self.status(now),
            "roles": [],
            "created": moment(self.created),
            "approvedAt": moment(self.approved),
            "approvedBy": self.approved_by,
            "expires": moment(self.expires),
            "revokedAt": moment(self.revoked),
            "revokedBy": self.revoked_by,
        }


@dataclass
class Note:
    """A note of the team about a record; an erased one says nothing."""

    id: str
    organisation: str
    subject: str
    account: Account | None
    created: int
    author: str
    content: str | None
    erased: int | None = None
    erased_by: str | None = None

    def wire(self) -> Wire:
        return {
            "type": "note",
            "id": self.id,
            "subject": self.subject,
            "tradingAccountId": self.account and self.account.id,
            "created": moment(self.created),
            "author": self.author,
            "content": self.content,
            "erasedAt": moment(self.erased),
            "erasedBy": self.erased_by,
        }


@dataclass
class Event:
    at: int
    organisation: str
    type: str
    resource: "str | Decision"
    actor: str | None
    data: Wire

    def wire(self) -> Wire:
        return {
            "at": moment(self.at),
            "type": self.type,
            "resource": getattr(self.resource, "id", self.resource),
            "actor": self.actor,
            "data": self.data,
        }
