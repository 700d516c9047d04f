"""An independent model of a deployment: what each write must do, answer and leave in the trail.

It is written from the specification and ``docs/reference``; nothing of the engine or the domain
is imported. Ids, custody addresses and texts are the deployment's to choose: the model learns
them from its answers. Prices and the venue's decisions are the world's: they're handed in.
"""

import math
import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import Any

from tests.simulation.calls import Answered, Asked, Client
from tests.simulation.figures import (
    CASH,
    DAY,
    DECIMALS,
    LARGEST_ORDER,
    MARKET_OF,
    MARKETS,
    MINUTE,
    SECOND,
    SMALLEST_ORDER,
    USD,
    Fees,
    Price,
    Refused,
    cents_of,
    dollars,
    instant,
    moment,
    read,
    shown,
    up,
)
from tests.simulation.networks import Place, place_of, spelt
from tests.simulation.records import (
    ANYTHING,
    COUNTED,
    HOLDING,
    LEVELS,
    NEVER,
    OWN,
    PERIODS,
    TERMS,
    UNVERIFIED,
    VERIFIED,
    Account,
    Agent,
    ApiKey,
    BankAccount,
    Challenge,
    Claim,
    Custody,
    Customer,
    Decision,
    Deed,
    Dispute,
    Event,
    Link,
    Note,
    Quote,
    ReviewLine,
    Sent,
    Settings,
    SmallTransfer,
    Statement,
    Trade,
    Transfer,
    Wallet,
    Wire,
)

_POSSIBLE_ID = re.compile(r"[A-Za-z0-9_-]{1,40}", re.ASCII)
_HARMLESS = re.compile(r"[A-Za-z0-9@._:-]{1,32}", re.ASCII)
_TRIES = 10
DONE = "done"
"""What the model says in place of a refusal where it expected none."""
REASONS = ("AGENT_REQUEST", "SUSPICIOUS_ACTIVITY", "SANCTIONS_HIT", "POLICY_CHANGE")
SMALL_AMOUNTS = {
    "SOL@solana": (10**7, 10**3),
    "ETH@ethereum": (4 * 10**14, 10**10),
    "BTC@bitcoin": (10**4, 1),
}
"""The least atoms and the step of the amount of a small transfer, of each network's own coin."""
STATEMENT_REASONS = ("CONTRACT_WALLET", "EXCHANGE_ADDRESS", "DEVICE_CANNOT_SIGN", "OTHER")
AGENT_NAMES = ("a.brandt", "s.iyer", "m-koch", "x")
PUBLIC_KEYS = tuple(
    b64encode(bytes.fromhex("302a300506032b6570032100") + bytes([number]) * 32).decode()
    for number in range(40)
)
"""Ed25519 keys as SubjectPublicKeyInfo (RFC 8410)."""
LIVES = {"90d": 90 * DAY, "1h": 60 * MINUTE, "30s": 30 * SECOND}
UNFIT_STATEMENTS = ("a bell \a rings",)
"""What isn't text. Secrets are refused before an operation begins (tests/secrets)."""
REFUSALS = ("NOT_CONFIRMED", "DESTINATION", "SUSPECTED_FRAUD", "DOCUMENTS_MISSING", "OTHER")
SET_CONTROLS = ("FROZEN", "SELL_ONLY", "DORMANT")
REFUSED_REVIEW = "REVIEW_REJECTED"
DECISION_KINDS = ("withdrawal", "control", "market", "ownershipStatement")
_CODE = re.compile(r"[A-Z0-9_]*[A-Z][A-Z0-9_]*", re.ASCII)
_SIGNED = "completedChallenge"
_NEVER_KEPT = (_SIGNED, "statement", "content")


_NEEDING = {
    "control": "control.lift",
    "market": "market.open",
    "ownershipStatement": "statement.accept",
}
"""What a policy calls the approval of each kind."""


@dataclass
class Kept:
    """The first answer under an idempotency key."""

    asked: Asked
    answer: Answered
    at: int


@dataclass
class Pending:
    """A refusal that is decided and not yet recorded."""

    client: Client
    asked: Asked
    refusal: Refused
    remember: Callable[[], None] | None = None
    account: Account | None = None


@dataclass
class Model:
    """``mid`` gives a market's mid price in millionths at an instant; ``rejects`` is the code with
    which the venue refuses a trade, or None."""

    mid: Callable[[str, int], int]
    rejects: Callable[[str], str | None]
    settings: Settings
    clock: int
    bank_name: str = "Example Bank"
    last: int = 0
    fees: dict[str, Fees] = field(default_factory=dict)
    customers: dict[str, Customer] = field(default_factory=dict)
    bank_accounts: dict[tuple[str, str], BankAccount] = field(default_factory=dict)
    accounts: dict[str, Account] = field(default_factory=dict)
    quotes: dict[str, Quote] = field(default_factory=dict)
    trades: dict[str, Trade] = field(default_factory=dict)
    transfers: dict[str, Transfer] = field(default_factory=dict)
    custodies: dict[str, Custody] = field(default_factory=dict)
    wallets: dict[str, Wallet] = field(default_factory=dict)
    challenges: dict[str, Challenge] = field(default_factory=dict)
    claims: dict[str, Claim] = field(default_factory=dict)
    small_transfers: dict[str, SmallTransfer] = field(default_factory=dict)
    statements: dict[str, Statement] = field(default_factory=dict)
    decisions: dict[str, Decision] = field(default_factory=dict)
    disputes: dict[str, Dispute] = field(default_factory=dict)
    agents: dict[str, Agent] = field(default_factory=dict)
    notes: dict[str, Note] = field(default_factory=dict)
    sent: list[Sent] = field(default_factory=list)
    """Every transfer on any chain."""
    unnamed: list[SmallTransfer] = field(default_factory=list)
    """What was proven by a transfer; the deployment has yet to say the id of the claim."""
    undisclosed: list[Decision] = field(default_factory=list)
    """Decisions whose ids the deployment has yet to say."""
    locked: Account | None = None
    """The account that the last call turned out to be about, though it didn't name it."""
    closed: dict[str, tuple[str, int | None]] = field(default_factory=dict)
    api_keys: dict[str, ApiKey] = field(default_factory=dict)
    kept: dict[tuple[str, str, str], Kept] = field(default_factory=dict)
    jobs: list[tuple[int, str, str]] = field(default_factory=list)
    deeds: list[Deed] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    rule: str = ""
    """The version of the rules in force, as the deployment names it."""

    # -- time and what is committed --------------------------------------------------------------

    @property
    def now(self) -> int:
        """Time never runs backwards past what was written."""
        return max(self.clock, self.last)

    def tell(
        self,
        organisation: str,
        kind: str,
        resource: str | Decision,
        actor: str | None,
        data: Wire,
    ) -> None:
        self.events.append(Event(self.now, organisation, kind, resource, actor, data))

    def note(self, deed: Deed) -> None:
        self.deeds.append(deed)

    def written(self) -> None:
        """A commit with something in the trail ends here."""
        self.last = self.now

    def later(self, delay: int, kind: str, reference: str) -> None:
        self.jobs.append((self.now + delay, kind, reference))

    # -- calls -----------------------------------------------------------------------------------

    def call(self, client: Client, asked: Asked, answered: Answered) -> Answered:
        """What the call must answer; its effects and its trail are applied."""
        decided = self.decide(client, asked, answered)
        if isinstance(decided, Pending):
            return self.refuse(decided)
        return decided

    def decide(self, client: Client, asked: Asked, answered: Answered) -> Answered | Pending:
        """A call's first commit: what is done. A refusal's own commit follows by ``refuse``."""
        slot = (client.organisation, asked.operation, asked.key or "")
        self.locked = None
        if asked.key and slot in self.kept:
            return self._again(client, asked, self.kept[slot])
        before = len(self.events)
        try:
            value, created, subject = getattr(self, f"_{asked.operation}")(client, asked, answered)
        except (Refused, _RefusedWith) as refusal:
            assert len(self.events) == before, "a refusal that told something"
            if isinstance(refusal, Refused):
                return Pending(client, asked, refusal, account=self.locked)
            return Pending(client, asked, refusal.refusal, refusal.remember, self.locked)
        account = self._about(client, asked)
        if asked.operation == "open_trading_account":
            account = self.accounts[subject]
        for event in self.events[before:]:
            if account is not None:
                event.data = {"tradingAccountId": account.id} | event.data
            event.actor = client.name
        inputs = {
            name: None if name in _NEVER_KEPT else each for name, each in (asked.body or {}).items()
        }
        self.note(self._deed(client, asked.operation, subject, inputs, account))
        answer = Answered(value, created)
        if asked.key:
            self.kept[slot] = Kept(asked, Answered(answered.value, created), self.now)
        self.written()
        return answer

    def _again(self, client: Client, asked: Asked, first: Kept) -> Answered | Pending:
        if (first.asked.ids, first.asked.body) == (asked.ids, asked.body):
            return Answered(first.answer.value, first.answer.created, replayed=True)
        return Pending(client, asked, Refused("IDEMPOTENCY_KEY_REUSED", key=asked.key))

    def refuse(self, pending: Pending) -> Answered:
        """A refusal's commit: one row of the trail, and what it must remember; or what another
        request under the same key was answered meanwhile.
        """
        client, asked, refusal = pending.client, pending.asked, pending.refusal
        before = len(self.events)
        first = self.kept.get((client.organisation, asked.operation, asked.key or ""))
        if first is not None:
            again = self._again(client, asked, first)
            if isinstance(again, Answered):
                return again
            pending, refusal = again, again.refusal
        elif pending.remember is not None:
            pending.remember()
        account = pending.account or self.named_account(client, asked)
        for event in self.events[before:]:
            if account is not None:
                event.data = {"tradingAccountId": account.id} | event.data
            event.actor = client.name
        subject = asked.ids[-1] if asked.ids else ""
        deed = self._deed(
            client,
            asked.operation,
            subject if _HARMLESS.fullmatch(subject) and _POSSIBLE_ID.fullmatch(subject) else "",
            harmless(asked.body or {}),
            account,
        )
        deed.error = refusal.code
        self.note(deed)
        self.written()
        return Answered(code=refusal.code, details=dict(refusal.details))

    def _deed(
        self, client: Client, action: str, subject: Any, inputs: Wire, account: Account | None
    ) -> Deed:
        named = account.id if account is not None else None
        return Deed(
            self.now, client.organisation, client.name, action, subject, inputs, account=named
        )

    def _about(self, client: Client, asked: Asked) -> Account | None:
        return self.locked or self.named_account(client, asked)

    def named_account(self, client: Client, asked: Asked) -> Account | None:
        """The trading account that a call is about: named in its body, else first in its path."""
        named = (asked.body or {}).get("tradingAccountId") or (asked.ids[0] if asked.ids else "")
        found = self.accounts.get(named)
        if found is None and named in self.custodies:
            found = self.custodies[named].account
        return found if found and found.organisation == client.organisation else None

    # -- looking up ------------------------------------------------------------------------------

    def account(self, client: Client, name: str) -> Account:
        self._own(client, self.accounts.get(name), "trading account")
        return self.accounts[name]

    def custody(self, client: Client, name: str) -> Custody:
        found = self.custodies.get(name)
        self._own(client, found and found.account, "blockchain account")
        return self.custodies[name]

    def wallet(self, client: Client, name: str) -> Wallet:
        self._own(client, self.wallets.get(name), "counterparty")
        return self.wallets[name]

    def _own(self, client: Client, found: Any, resource: str) -> Any:
        if found is None or found.organisation != client.organisation:
            raise Refused("NOT_FOUND", resource=resource)
        return found

    # -- who may ---------------------------------------------------------------------------------

    def may(self, account: Account, act: str) -> None:
        customer = account.bank.customer
        self._uncontrolled(account.control, account.reason, act)
        self._uncontrolled(customer.control, customer.reason, act)
        self._accepted(customer)

    def _uncontrolled(self, control: str | None, reason: str | None, act: str) -> None:
        if control is None or (control == "SELL_ONLY" and act in ("sell", "withdraw")):
            return
        raise Refused("ACCOUNT_RESTRICTED", control=control, reasonCode=reason or "UNSPECIFIED")

    def _accepted(self, customer: Customer) -> None:
        if customer.terms != TERMS:
            raise Refused("TERMS_NOT_ACCEPTED", acceptedVersion=customer.terms)
        if customer.kyc != "enhanced":
            raise Refused("KYC_REQUIRED", currentLevel=customer.kyc)

    # -- markets ---------------------------------------------------------------------------------

    def closure(self, market: str, at: int) -> tuple[str, int | None] | None:
        if market in self.settings.maintenance:
            return "MAINTENANCE", None
        closed = self.closed.get(market)
        if closed is not None and (closed[1] is None or closed[1] > at):
            return closed
        return None

    def price_of_open(self, market: str) -> int:
        closed = self.closure(market, self.now)
        if closed is not None:
            until = closed[1] if closed[1] is not None else self.now + MINUTE
            raise Refused(
                "MARKET_UNAVAILABLE",
                market=market,
                reason=closed[0],
                estimatedResolution=moment(until),
            )
        return self.mid(market, self.now)

    # -- trading accounts ------------------------------------------------------------------------

    def _open_trading_account(self, client: Client, asked: Asked, answered: Answered) -> Any:
        body = asked.body or {}
        if body["bankAccountType"] not in ("checking", "savings"):
            raise Refused("VALIDATION_ERROR")
        bank = self.bank_accounts.get((client.organisation, body["bankAccountId"]))
        if bank is None:
            raise Refused("NOT_FOUND", resource="bank account")
        if bank.type != body["bankAccountType"]:
            raise Refused("UNSUPPORTED_ACCOUNT_TYPE", actual=bank.type)
        self._accepted(bank.customer)
        self._uncontrolled(bank.customer.control, bank.customer.reason, "open")
        if bank.account is not None:
            raise Refused("CONFLICT", id=bank.account.id, reason="ALREADY_OPEN")
        account = Account(self._new(answered), bank, self.now, self.now)
        bank.account = self.accounts[account.id] = account
        self.tell(
            client.organisation,
            "trading_account.created",
            account.id,
            None,
            {"bankAccountId": bank.id},
        )
        return account.wire(dict.fromkeys(MARKET_OF, 0), self.now), True, account.id

    def _new(self, answered: Answered) -> str:
        """The id that the deployment gave, which must be new. Raises Refused where it gave none,
        for nothing was done then; ask for it before anything changes."""
        if answered.code:
            raise Refused(DONE)
        given = str((answered.value or {}).get("id"))
        for known in (
            *(self.accounts, self.quotes, self.trades, self.transfers),
            *(self.custodies, self.wallets, self.challenges, self.claims),
            *(self.small_transfers, self.statements, self.disputes, self.decisions, self.agents),
            self.notes,
        ):
            assert given not in known, f"the id {given} was given twice"
        return given

    # -- funding ---------------------------------------------------------------------------------

    def _currency(self, body: Wire, *, coins: bool) -> tuple[str, str]:
        """(type, asset) of a currency object. Raises Refused."""
        given = body["currency"]
        wanted = ("id",) if given["type"] == "deposit-token-currency" else ("symbol", "network")
        if {name for name in given if name != "type"} != set(wanted):
            raise Refused("VALIDATION_ERROR")
        if given["type"] == "deposit-token-currency":
            if given["id"] != "DPT_USD":
                raise Refused("UNSUPPORTED_CURRENCY")
            return given["type"], "BUSD1@bank"
        symbol, network = given["symbol"].upper(), given["network"].lower()
        is_coin = given["type"] == "crypto-currency"
        if is_coin and not coins:
            raise Refused("UNSUPPORTED_CURRENCY")
        offered = [
            asset
            for asset in DECIMALS
            if (asset in MARKET_OF) == is_coin and asset.startswith(f"{symbol}@") and asset != USD
        ]
        offered = [asset for asset in offered if is_coin or asset.startswith("USDC@")]
        if not offered:
            raise Refused("UNSUPPORTED_CURRENCY")
        if f"{symbol}@{network}" not in offered:
            raise Refused("UNSUPPORTED_NETWORK")
        return given["type"], f"{symbol}@{network}"

    def _deposit(self, client: Client, asked: Asked, answered: Answered) -> Any:
        body = asked.body or {}
        kind, asset = self._currency(body, coins=False)
        atoms = read(body["amount"], asset, 2)
        cents = cents_of(atoms, asset)
        account = self.account(client, asked.ids[0])
        self.may(account, "deposit")
        if account.bank.cents < cents:
            raise Refused(
                "INSUFFICIENT_FUNDS",
                available=dollars(max(0, account.bank.cents)),
                required=dollars(cents),
                currency="USD",
            )
        name = self._new(answered)
        account.bank.cents -= cents
        deposit = Transfer(
            name,
            "deposit-transaction",
            account,
            asset,
            atoms,
            cents,
            self.now,
            self.now,
            currency=kind,
        )
        account.did("deposit", self.now)
        self._enter(deposit)
        if self.settings.deposit_delay > 0:
            self.later(self.settings.deposit_delay, "deposit.complete", deposit.id)
        else:
            self.deposited(deposit)
        return deposit.wire(), True, deposit.id

    def _enter(self, transfer: Transfer) -> None:
        self.transfers[transfer.id] = transfer
        transfer.account.history.append(transfer)
        self.told(transfer)

    def told(self, record: Transfer | Trade) -> None:
        """The event of a record's present status."""
        name = "trade" if isinstance(record, Trade) else record.name
        data = {"tradingAccountId": record.account.id, "status": record.status}
        self.tell(record.account.organisation, f"{name}.{record.status}", record.id, None, data)

    def deposited(self, deposit: Transfer) -> None:
        deposit.move("completed", self.now)
        deposit.completed = self.now
        account = deposit.account
        repaid = min(account.owed, deposit.cents)
        account.owed -= repaid
        per_cent = deposit.atoms // deposit.cents
        account.available[deposit.asset] += deposit.atoms - repaid * per_cent
        deposit.account.moved("deposit", deposit, self.now)
        self.told(deposit)

    def _withdraw(self, client: Client, asked: Asked, answered: Answered) -> Any:
        body = asked.body or {}
        destination = body.get("destination")
        to_wallet = destination is not None and destination["type"] == "counterparty"
        kind, asset = self._currency(body, coins=to_wallet)
        atoms = read(body["amount"], asset, None if to_wallet else 2)
        account = self.account(client, asked.ids[0])
        if self.in_dispute(client.organisation):
            raise Refused("BOOKS_DISPUTED")
        wallet, custody, goes_to = self._destination(client, account, destination, asset)
        link = custody.links.get(wallet.id) if custody and wallet else None
        self.may(account, "withdraw")
        if wallet is not None and goes_to == UNVERIFIED and self.now < wallet.created + DAY:
            raise Refused(
                "DESTINATION_ON_HOLD",
                counterpartyId=wallet.id,
                availableAt=moment(wallet.created + DAY),
            )
        if asset in CASH:
            cents = up(atoms, 10 ** (DECIMALS[asset] - 2))
        else:
            mid = self.price_of_open(MARKET_OF[asset])
            cents = up(atoms * mid, 10 ** DECIMALS[asset] * 10_000)
        level = None
        if goes_to == VERIFIED and link is not None and LEVELS[link.claim.method] != "high":
            level = LEVELS[link.claim.method]
        self._within_limits(account, goes_to, cents, level)
        hold = self._withdrawn_from(account, asset, atoms, cents, to_wallet=to_wallet)
        name = self._new(answered)
        account.take(hold, self.now)
        if link is not None and goes_to == VERIFIED:
            link.used = self.now
        withdrawal = Transfer(
            name,
            "withdrawal-transaction",
            account,
            asset,
            atoms,
            cents,
            self.now,
            self.now,
            currency=kind,
            hold=hold,
            goes_to=goes_to,
            wallet=wallet,
            custody=custody,
            level=level,
        )
        account.did("withdrawal", self.now)
        self._begin(withdrawal, client)
        return withdrawal.wire(), True, withdrawal.id

    def _begin(self, withdrawal: Transfer, client: Client) -> None:
        """It waits for a person or two, or for a time, or is sent next."""
        line, wait, two = self._line(withdrawal), self.settings.review_delay, self.settings.two
        needs_two = two.over is not None and withdrawal.cents > two.over
        if line is not None:
            withdrawal.review = f"REVIEW_{line.condition.upper()}"
            wait = line.within_s * SECOND
        elif needs_two:
            withdrawal.review, wait = "REVIEW_SECOND_PERSON", two.within_s * SECOND
        elif withdrawal.goes_to == UNVERIFIED:
            withdrawal.review = "UNVERIFIED_DESTINATION"
        if withdrawal.review is None:
            self.later(self.settings.withdrawal_delay, "withdrawal.send", withdrawal.id)
            self._enter(withdrawal)
            return
        withdrawal.status, withdrawal.eta = "reviewing", self.now + wait
        self.later(wait, "withdrawal.review", withdrawal.id)
        self._enter(withdrawal)
        if line is not None or needs_two:
            account, org = withdrawal.account, withdrawal.account.organisation
            opened = Decision(
                "", org, "withdrawal", withdrawal.id, withdrawal.review, self.now, "policy"
            )
            opened.account, opened.due = account, withdrawal.eta
            if line is not None:
                approves_alone = needs_two and line.then == "approve"  # nobody does that for two
                opened.at_deadline = "refuse" if approves_alone else line.then
                opened.to_role = line.to or None
            opened.needs_two = needs_two
            if needs_two and client.is_person:
                opened.first_by, opened.first_at = client.name, self.now
                opened.seen = self._seen(opened)
            opened.pays = (shown(withdrawal.atoms, withdrawal.asset), withdrawal.asset)
            self.opened(opened)

    def _line(self, withdrawal: Transfer) -> ReviewLine | None:
        """The first line of the policy that fits."""
        account, wallet, custody = withdrawal.account, withdrawal.wallet, withdrawal.custody
        if wallet is None or custody is None:
            return None
        paid = [
            each
            for each in account.history
            if isinstance(each, Transfer)
            and each.wallet is wallet
            and each.status in ("sent", "completed")
        ]
        fits = {
            "unverified_wallet": withdrawal.goes_to == UNVERIFIED,
            "first_use": not paid,
            "evidence_medium": withdrawal.level == "medium",
            "shared_wallet": wallet.is_shared(custody),
        }
        lines = self.settings.review
        found = [each for each in lines if withdrawal.cents > each.over and fits[each.condition]]
        return found[0] if found else None

    def _destination(
        self, client: Client, account: Account, named: Wire | None, asset: str
    ) -> tuple[Wallet | None, Custody | None, str]:
        if named is None or named["type"] == "bank-account":
            if named and (named.get("counterpartyId") or named.get("blockchainAccountId")):
                raise Refused("VALIDATION_ERROR")
            return None, None, OWN
        if named.get("counterpartyId") is None or named.get("blockchainAccountId") is None:
            raise Refused("VALIDATION_ERROR")
        wallet = self.wallet(client, named["counterpartyId"])
        custody = self.custody(client, named["blockchainAccountId"])
        if custody.account is not account:
            raise Refused("NOT_FOUND", resource="blockchain account")
        network = asset.split("@")[1]
        if wallet.network != network:
            raise Refused("NETWORK_MISMATCH", expected=network, actual=wallet.network)
        link = custody.links.get(wallet.id)
        verified = link is not None and link.holds(self.now)
        if link is not None and link.revoked is None and not verified:
            self._fresh(link)
        return wallet, custody, VERIFIED if verified else UNVERIFIED

    def _fresh(self, link: Link) -> None:
        """A transfer proves something about its moment: once that is too old, nothing is paid."""
        if link.claim.method == "transfer" and self.now > link.expires:
            raise Refused(
                "EVIDENCE_EXPIRED",
                counterpartyId=link.wallet.id,
                blockchainAccountId=link.claim.challenge.custody.id,
                claimId=link.claim.id,
                method="transfer",
                expiredAt=moment(link.expires),
            )

    def counted(
        self, account: Account, goes_to: str, period: int, level: str | None = None
    ) -> list[Transfer]:
        """The withdrawals that count against a limit now; one exactly a period old doesn't."""
        return [
            each
            for each in account.history
            if isinstance(each, Transfer)
            and each.type == "withdrawal-transaction"
            and period
            and each.goes_to == goes_to
            and level in (None, each.level)
            and each.status in COUNTED
            and each.created > self.now - period
        ]

    def _within_limits(self, account: Account, goes_to: str, cents: int, level: str | None) -> None:
        """The refusal tells of the limit that leaves the least, for the longest."""
        found: list[tuple[tuple[int, float], Refused]] = []
        told: list[tuple[str, str | None]] = [(f"{goes_to}:{name}", None) for name, _ in PERIODS]
        limits = [*self.settings.limits[goes_to]]
        if level is not None:
            told += [(f"{goes_to}:{level}:{name}", level) for name, _ in PERIODS]
            limits += self.settings.medium
        periods = [period for _, period in PERIODS] * 2
        for (rule, of), period, limit in zip(told, periods, limits, strict=False):
            counted = self.counted(account, goes_to, period, of)
            used = sum(each.cents for each in counted)
            if used + cents <= limit:
                continue
            resets = min((each.created + period for each in counted), default=None)
            refusal = Refused(
                "LIMIT_EXCEEDED",
                ruleId=rule,
                destinationClass=goes_to,
                period=period // SECOND,
                limit=dollars(limit),
                used=dollars(used),
                requested=dollars(cents),
                remaining=dollars(max(0, limit - used)),
                resetsAt=moment(resets),
            )
            lasting = math.inf if resets is None else resets
            found.append(((max(0, limit - used), -lasting), refusal))
        if not found:
            return
        _, refusal = min(found, key=itemgetter(0))
        event = {"ruleId": refusal.details["ruleId"], "tradingAccountId": account.id}
        tell = partial(self.tell, account.organisation, "limit.exceeded", account.id, None)
        raise _RefusedWith(refusal, partial(tell, event))

    def _withdrawn_from(
        self, account: Account, asset: str, atoms: int, cents: int, *, to_wallet: bool
    ) -> tuple[tuple[str, int], ...]:
        if to_wallet:
            self._funds(account, asset, atoms)
            return ((asset, atoms),)
        self._cash(account, cents)
        return account.draw(cents, (asset, *(each for each in CASH if each != asset)))

    def _cash(self, account: Account, cents: int) -> None:
        power = account.power()
        if power < cents:
            raise Refused(
                "INSUFFICIENT_FUNDS",
                available=dollars(power),
                required=dollars(cents),
                currency="USD",
            )

    def _funds(self, account: Account, asset: str, atoms: int) -> None:
        have = account.available[asset]
        if have < atoms:
            raise Refused(
                "INSUFFICIENT_FUNDS",
                available=shown(have, asset),
                required=shown(atoms, asset),
                currency=asset.split("@", maxsplit=1)[0],
            )

    def _cancel_withdrawal(self, client: Client, asked: Asked, _answered: Answered) -> Any:
        account = self.account(client, asked.ids[0])
        found = self.transfers.get(asked.ids[1])
        if found is None or found.account is not account or found.name != "withdrawal":
            raise Refused("NOT_FOUND", resource="withdrawal")
        if found.status == "cancelled":
            return found.wire(), False, found.id
        if found.status not in HOLDING:
            raise Refused("WITHDRAWAL_NOT_CANCELLABLE", withdrawalId=found.id, status=found.status)
        account.give_back(found.hold, self.now)
        found.move("cancelled", self.now)
        account.did("withdrawal.cancelled", self.now)
        self.told(found)
        decision = self.standing(client.organisation, found.id)
        if decision is not None:
            self.ended(decision, "withdrawn", client.name)
        return found.wire(), False, found.id

    # -- quotes and trades -----------------------------------------------------------------------

    def _create_quote(self, client: Client, asked: Asked, answered: Answered) -> Any:
        market, body = asked.ids[0], asked.body or {}
        if market not in MARKETS:
            raise Refused("UNSUPPORTED_MARKET")
        side = body["side"].lower()
        if side not in ("buy", "sell"):
            raise Refused("VALIDATION_ERROR")
        of = body.get("amountOf")
        if of not in (None, "sold", "bought"):
            raise Refused("VALIDATION_ERROR")
        base = MARKETS[market][0]
        atoms = read(body["amount"], USD if (side == "buy") != (of == "bought") else base)
        account = None
        if body.get("tradingAccountId") is not None:
            account = self.account(client, body["tradingAccountId"])
            self.may(account, side)
            self._room_for_quote(account)
        mid, settings = self.price_of_open(market), self.settings
        fees = self.fees[client.organisation]
        price = Price(market, side, mid, settings.premium, settings.window, fees)
        sized = price.order_for(atoms) if of == "bought" else price.order(atoms)
        if sized.leg < SMALLEST_ORDER or sized.bought <= 0:
            raise Refused("AMOUNT_BELOW_MINIMUM", minimum="1.00", currency="USD")
        if sized.leg > LARGEST_ORDER:
            raise Refused("LIMIT_EXCEEDED", ruleId=f"order:{market}", limit="100000.00")
        quote = Quote(self._new(answered), client.organisation, account, price, sized, self.now)
        self.quotes[quote.id] = quote
        told = {
            "market": market,
            "side": side,
            "tradingAccountId": account.id if account else None,
        }
        self.tell(client.organisation, "quote.created", quote.id, None, told)
        return quote.wire(self.now), True, quote.id

    def _room_for_quote(self, account: Account) -> None:
        if not self.settings.rate_limits:
            return
        live = [
            each
            for each in self.quotes.values()
            if each.account is account and each.status(self.now) == "open"
        ]
        if len(live) >= self.settings.open_quotes:
            raise Refused("RATE_LIMITED", policy="open-quotes", limit=self.settings.open_quotes)

    def _execute_quote(self, client: Client, asked: Asked, answered: Answered) -> Any:
        quote: Quote = self._own(client, self.quotes.get(asked.ids[0]), "quote")
        if quote.trade is not None:
            raise Refused("QUOTE_ALREADY_USED", quoteId=quote.id, tradeId=quote.trade.id)
        if self.now > quote.expires:
            expired = min(quote.expires, self.now)
            raise Refused("QUOTE_EXPIRED", quoteId=quote.id, expiredAt=moment(expired))
        account = self.account(client, (asked.body or {})["tradingAccountId"])
        if quote.account not in (None, account):
            raise Refused("QUOTE_ACCOUNT_MISMATCH", quoteId=quote.id)
        side, sold = quote.price.side, quote.sized.sold
        self.may(account, side)
        self.price_of_open(quote.price.market)
        if side == "buy":
            self._cash(account, sold)
            hold = account.draw(sold, CASH)
        else:
            self._funds(account, quote.price.base, sold)
            hold = ((quote.price.base, sold),)
        name = self._new(answered)
        account.take(hold, self.now)
        trade = Trade(name, account, quote, hold, self.now, self.now)
        quote.trade = self.trades[trade.id] = trade
        account.history.append(trade)
        account.did(f"trade.{side}", self.now)
        self.later(self.settings.fill_delay, "trade.fill", trade.id)
        self.tell(client.organisation, "quote.executed", quote.id, None, {"tradeId": trade.id})
        self.told(trade)
        return trade.wire(), True, trade.id

    def _cancel_trade(self, client: Client, asked: Asked, _answered: Answered) -> Any:
        account = self.account(client, asked.ids[0])
        trade = self.trades.get(asked.ids[1])
        if trade is None or trade.account is not account:
            raise Refused("NOT_FOUND", resource="trade")
        if trade.status == "cancelled":
            return trade.wire(), False, trade.id
        if trade.status != "processing":
            raise Refused("TRADE_NOT_CANCELLABLE", tradeId=trade.id, status=trade.status)
        account.give_back(trade.hold, self.now)
        trade.move("cancelled", self.now)
        trade.cancelled = self.now
        account.did("trade.cancelled", self.now)
        self.told(trade)
        return trade.wire(), False, trade.id

    # -- wallets ---------------------------------------------------------------------------------

    def _network(self, text: str) -> Place:
        found = place_of(text)
        if found is None or not (found.main or self.settings.test_networks):
            raise Refused("UNSUPPORTED_NETWORK")
        return found

    def _address(self, text: str, on: Place) -> str:
        address = spelt(text, on)
        if address is None:
            raise Refused("INVALID_ADDRESS", network=on.name)
        return address

    def _register_counterparty(self, client: Client, asked: Asked, answered: Answered) -> Any:
        body = asked.body or {}
        on = self._network(body["network"])
        address = self._address(body["address"], on)
        for known in self.wallets.values():
            if (known.organisation, known.network, known.address) == (
                client.organisation,
                on.name,
                address,
            ):
                return known.wire(), False, known.id
        wallet = Wallet(self._new(answered), client.organisation, on.name, address, self.now)
        self.wallets[wallet.id] = wallet
        told = {"network": on.name, "address": address}
        self.tell(client.organisation, "counterparty.registered", wallet.id, None, told)
        return wallet.wire(), True, wallet.id

    def _open_blockchain_account(self, client: Client, asked: Asked, answered: Answered) -> Any:
        body = asked.body or {}
        on = self._network(body["network"])
        account = self.account(client, body["tradingAccountId"])
        self.may(account, "open")
        name = self._new(answered)
        custody = Custody(name, account, on.name, str(answered.value["address"]), self.now)
        self.custodies[custody.id] = custody
        told = {"tradingAccountId": account.id, "network": on.name}
        self.tell(client.organisation, "blockchain_account.created", custody.id, None, told)
        return custody.wire(), True, custody.id

    def _create_challenge(self, client: Client, asked: Asked, answered: Answered) -> Any:
        body = asked.body or {}
        life = self.settings.challenge_life
        if body.get("validSeconds") is not None:
            if not 60 <= body["validSeconds"] <= 7 * 86_400:
                raise Refused("VALIDATION_ERROR")
            life = body["validSeconds"] * SECOND
        custody = self.custody(client, asked.ids[0])
        wallet = self.wallet(client, body["counterpartyId"])
        places = [place_of(each.network) for each in (custody, wallet)]
        if places[0] is None or places[1] is None or places[0].main != places[1].main:
            raise Refused("NETWORK_MISMATCH", expected=custody.network, actual=wallet.network)
        expires = up(self.now, SECOND) * SECOND + life
        name = self._new(answered)
        customer = custody.account.bank.customer.reference.replace("-", "")
        text = f"EXAMPLEBANK-{customer}-{name.removeprefix('CHG_')}"
        challenge = Challenge(name, custody, wallet, text, self.now, expires)
        self.challenges[name] = challenge
        told = {"blockchainAccountId": custody.id, "counterpartyId": wallet.id}
        self.tell(client.organisation, "ownership_challenge.created", name, None, told)
        return challenge.wire(self.now), True, name

    def answerable(self, client: Client, asked: Asked) -> Challenge:
        """The challenge that a claim or a diagnosis is about. Raises Refused."""
        body = asked.body or {}
        custody = self.custody(client, asked.ids[0])
        wallet = self.wallet(client, body["counterpartyId"])
        challenge = self.challenges.get(body["challengeId"])
        if challenge is None or challenge.custody is not custody:
            raise Refused("NOT_FOUND", resource="ownership challenge")
        if challenge.wallet is not wallet:
            raise Refused("CONFLICT", reason="CHALLENGE_FOR_OTHER_COUNTERPARTY")
        if challenge.status == "used" and challenge.claim is not None:
            raise Refused(
                "CHALLENGE_ALREADY_USED", challengeId=challenge.id, claimId=challenge.claim.id
            )
        if challenge.status == "locked":
            raise Refused("CHALLENGE_LOCKED", challengeId=challenge.id)
        return challenge

    def _submit_claim(self, client: Client, asked: Asked, answered: Answered) -> Any:
        challenge = self.answerable(client, asked)
        expired = challenge.state(self.now) == "expired"
        if expired or not is_right((asked.body or {})[_SIGNED], challenge):
            details = {"expiredAt": moment(challenge.expires)} if expired else {}
            cause = "EXPIRED_CHALLENGE" if expired else ANYTHING
            raise _RefusedWith(
                Refused("INVALID_SIGNATURE", cause=cause, challengeId=challenge.id, **details),
                partial(self._attempted, client, challenge),
            )
        name = self._new(answered)
        claim = Claim(name, challenge, str(answered.value["scheme"]), self.now)
        self.claims[claim.id] = claim
        challenge.status, challenge.claim, challenge.used = "used", claim, self.now
        org = client.organisation
        self.tell(org, "ownership_challenge.used", challenge.id, None, {"claimId": claim.id})
        self.tell(
            org,
            "ownership_claim.created",
            claim.id,
            None,
            {"counterpartyId": challenge.wallet.id},
        )
        return claim.wire(self.now), True, claim.id

    def _attempted(self, client: Client, challenge: Challenge) -> None:
        if challenge.status != "open":
            return
        challenge.attempts += 1
        locks = challenge.attempts >= _TRIES
        challenge.status = "locked" if locks else "open"
        kind = "ownership_challenge.locked" if locks else "ownership_challenge.refused"
        told = {"finding": ANYTHING, "attempts": challenge.attempts}
        self.tell(client.organisation, kind, challenge.id, None, told)

    def _create_small_transfer(self, client: Client, asked: Asked, answered: Answered) -> Any:
        """Offered on a few networks, for the wallet's own network; one waits at a time."""
        body = asked.body or {}
        if self.settings.arrivals == "unwatched":
            raise Refused("ARRIVALS_UNWATCHED")
        seconds = body.get("validSeconds")
        if seconds is not None and not 600 <= seconds <= 7 * 86_400:
            raise Refused("VALIDATION_ERROR")
        custody = self.custody(client, asked.ids[0])
        wallet = self.wallet(client, body["counterpartyId"])
        if wallet.network != custody.network:
            raise Refused("NETWORK_MISMATCH", expected=custody.network, actual=wallet.network)
        asset = next((each for each in SMALL_AMOUNTS if each.endswith(f"@{wallet.network}")), None)
        if asset is None:
            raise Refused("UNSUPPORTED_NETWORK", network=wallet.network)
        if self.is_many_customers(custody, wallet):
            raise Refused("CONFLICT", id=wallet.id, reason="MANY_CUSTOMERS")
        link = custody.links.get(wallet.id)
        for known in self.small_transfers.values():
            is_void = link is not None and link.is_revoked_since(known.created)
            found = (known.custody, known.wallet, known.state(self.now))
            if not is_void and found == (custody, wallet, "waiting"):
                raise Refused("CONFLICT", id=known.id, reason="SMALL_TRANSFER_WAITING")
        name = self._new(answered)
        least, step = SMALL_AMOUNTS[asset]
        atoms = read(answered.value["amount"], asset)
        assert atoms in range(least, least + 10_000 * step, step), f"{atoms} of {asset}"
        deadline = up(self.now, SECOND) * SECOND + (seconds or 7_200) * SECOND
        text = (
            f"{self.bank_name}: customer {custody.account.bank.customer.reference}, to show that "
            f"you control {wallet.network} wallet {wallet.address}, send exactly "
            f"{shown(atoms, asset)} {asset.split('@')[0]} from it to the same address, to arrive "
            f"before {str(moment(deadline))[:19]}Z. Pay network fees on top. Ref {name}."
        )
        small = SmallTransfer(name, custody, wallet, asset, atoms, text, self.now, deadline)
        self.small_transfers[name] = small
        told = {"blockchainAccountId": custody.id, "counterpartyId": wallet.id}
        self.tell(client.organisation, "small_transfer.created", name, None, told)
        self.later(10 * SECOND, "small_transfer.watch", name)
        return small.wire(self.now), True, name

    def is_many_customers(self, custody: Custody, wallet: Wallet) -> bool:
        """Whether two other customers were asked to prove the address, on any network."""
        asked: list[Challenge | SmallTransfer] = [*self.challenges.values()]
        asked += self.small_transfers.values()
        place = (wallet.organisation, wallet.address)
        others = {
            each.custody.account.bank.customer.id
            for each in asked
            if (each.wallet.organisation, each.wallet.address) == place
        }
        return len(others - {custody.account.bank.customer.id}) >= 2

    def _create_ownership_statement(self, client: Client, asked: Asked, answered: Answered) -> Any:
        body = asked.body or {}
        text = body["statement"].strip()
        if body["reason"] not in STATEMENT_REASONS or not 0 < len(text) <= 2_000:
            raise Refused("VALIDATION_ERROR")
        if text in UNFIT_STATEMENTS:
            raise Refused("VALIDATION_ERROR")
        custody = self.custody(client, asked.ids[0])
        wallet = self.wallet(client, body["counterpartyId"])
        places = [place_of(each.network) for each in (custody, wallet)]
        if places[0] is None or places[1] is None or places[0].main != places[1].main:
            raise Refused("NETWORK_MISMATCH", expected=custody.network, actual=wallet.network)
        name = self._new(answered)
        made = Statement(name, custody, wallet, body["reason"], text, self.now)
        self.statements[name] = made
        told = {"blockchainAccountId": custody.id, "counterpartyId": wallet.id}
        told["reason"] = made.reason
        self.tell(client.organisation, "ownership_statement.created", name, None, told)
        kind, org = "ownershipStatement", client.organisation
        opened = Decision("", org, kind, name, made.reason, self.now, "policy", custody.account)
        self.opened(opened)
        return made.wire(), True, name

    def _link_counterparty(self, client: Client, asked: Asked, _answered: Answered) -> Any:
        body = asked.body or {}
        custody = self.custody(client, asked.ids[0])
        on = self._network(body["network"])
        address = self._address(body["address"], on)
        claim = self.claims.get(body["ownershipClaimId"])
        self._own(client, claim and claim.challenge.wallet, "ownership claim")
        claim = self.claims[body["ownershipClaimId"]]
        wallet = claim.challenge.wallet
        proven = (claim.challenge.custody, wallet.network, wallet.address)
        state = claim.state(self.now)
        if proven != (custody, on.name, address):
            if state == "linked":
                raise Refused("CLAIM_ALREADY_USED", claimId=claim.id)
            raise Refused("CONFLICT", reason="CLAIM_FOR_OTHER_PAIR", id=claim.id)
        if state == "expired":
            raise Refused("CLAIM_EXPIRED", claimId=claim.id, expiredAt=moment(claim.expires))
        if state == "linked":
            return custody.links[wallet.id].wire(self.now), False, wallet.id
        before = custody.links.get(wallet.id)
        if before and before.is_revoked_since(claim.challenge.created):
            raise Refused("CONFLICT", reason="VERIFICATION_ENDED", id=claim.id)
        first = before.first if before else self.now
        custody.links[wallet.id] = Link(wallet, claim, first, self.now, self.now)
        claim.linked = self.now
        org = client.organisation
        told = {"blockchainAccountId": custody.id, "claimId": claim.id}
        self.tell(org, "counterparty.linked", wallet.id, None, told)
        self.tell(org, "ownership_claim.linked", claim.id, None, {"counterpartyId": wallet.id})
        if wallet.is_shared(custody):
            shared: Wire = told | {"policy": "allow"}
            shared["acknowledged"] = bool(body.get("acknowledged"))
            self.tell(org, "counterparty.shared", wallet.id, None, dict(shared))
            self.note(self._deed(client, "counterparty.shared", wallet.id, shared, custody.account))
        wallet.customers.add(custody.account.bank.customer.id)
        return custody.links[wallet.id].wire(self.now), True, wallet.id

    def _require_reverification(self, client: Client, asked: Asked, _answered: Answered) -> Any:
        why = (asked.body or {})["reason"]
        if why not in REASONS:
            raise Refused("VALIDATION_ERROR")
        custody = self.custody(client, asked.ids[0])
        wallet = self.wallet(client, asked.ids[1])
        link = custody.links.get(wallet.id)
        if link is None:
            raise Refused("NOT_FOUND", resource="counterparty")
        if link.holds(self.now):
            link.revoked = self.now
            told = {"blockchainAccountId": custody.id, "reason": why}
            self.tell(
                client.organisation,
                "counterparty.reverification_required",
                wallet.id,
                None,
                told,
            )
        return link.wire(self.now), False, wallet.id

    # -- decisions -------------------------------------------------------------------------------

    def standing(self, organisation: str, subject: str) -> Decision | None:
        """The open decision about a record."""
        for each in (*self.decisions.values(), *self.undisclosed):
            if (each.organisation, each.subject, each.status) == (organisation, subject, "open"):
                return each
        return None

    def opened(self, decision: Decision, actor: str | None = None) -> None:
        if decision.kind != "withdrawal":
            decision.needs_two = self._needs_two(decision.kind)
        told = decision.told | {"reason": decision.reason}
        self.tell(decision.organisation, "decision.opened", decision, actor, told)
        if decision.id:
            self.disclosed(decision, decision.id)
        else:
            self.undisclosed.append(decision)

    def disclosed(self, decision: Decision, name: str) -> None:
        """The deployment has said the id of a decision."""
        assert name not in self.decisions, f"the id {name} was given twice"
        decision.id, self.decisions[name] = name, decision
        if decision.kind != "withdrawal" and decision.due is not None:
            self.jobs.append((decision.due, "decision.due", name))

    def ended(self, decision: Decision, status: str, by: str, actor: str | None = None) -> None:
        decision.end(status, by, self.now)
        self.tell(decision.organisation, f"decision.{status}", decision, actor, decision.told)

    def controlled(
        self, account: Account, control: str, reason: str, by: str, name: str = "", **more: Any
    ) -> Decision:
        """Put an account under a control, and withdraw the decision about the one before."""
        org = account.organisation
        standing = self.standing(org, account.id)
        self.control(account, control, reason)
        if standing is not None:
            self.ended(standing, "withdrawn", by)
        opened = Decision(name, org, "control", account.id, reason, self.now, by, account, control)
        opened.words, opened.due = more.get("words"), more.get("due")
        opened.at_deadline = "approve" if opened.due else "refuse"
        self.opened(opened)
        return opened

    def control(self, account: Account, control: str | None, reason: str | None) -> None:
        account.control, account.reason = control, reason
        told = {"tradingAccountId": account.id, "control": control}
        self.tell(account.organisation, "account.control_changed", account.id, None, told)

    def _open_decision(self, client: Client, asked: Asked, answered: Answered) -> Any:
        body = asked.body or {}
        reason, given = self._code(body["reason"]), body.get("words")
        words = None if given is None else self._words(given)
        if body["kind"] == "control":
            opened = self._opened_control(client, body, reason, words, answered)
        elif body["kind"] == "market":
            opened = self._opened_closure(client, body, reason, words, answered)
        else:
            raise Refused("VALIDATION_ERROR")
        return opened.wire(), True, opened.id

    def _opened_control(
        self, client: Client, body: Wire, reason: str, words: str | None, answered: Answered
    ) -> Decision:
        control = body.get("control")
        if control not in SET_CONTROLS:
            raise Refused("VALIDATION_ERROR")
        account = self.locked = self.account(client, body["subject"])
        if account.control == "CLOSED":
            raise Refused("CONFLICT", id=account.id, reason="ACCOUNT_CLOSED")
        standing = self.standing(client.organisation, account.id)
        if standing is not None and account.control == control:
            raise Refused("CONFLICT", id=standing.id or ANYTHING, reason="ALREADY_SET")
        if standing is not None and standing.needs_two and control != "FROZEN":
            raise Refused("CONFLICT", id=standing.id or ANYTHING, reason="SECOND_PERSON")
        due, name = self._until(body, "control"), self._new(answered)
        return self.controlled(account, control, reason, client.name, name, words=words, due=due)

    def _opened_closure(
        self, client: Client, body: Wire, reason: str, words: str | None, answered: Answered
    ) -> Decision:
        """A market is closed for every organisation."""
        market = body["subject"]
        if body.get("control") is not None:
            raise Refused("VALIDATION_ERROR")
        self._administrator(client)
        if market not in MARKETS:
            raise Refused("UNSUPPORTED_MARKET")
        due = self._until(body, "market")
        if market in self.closed:
            raise Refused("CONFLICT", id=market, reason="ALREADY_CLOSED")
        name = self._new(answered)
        self.closed[market] = (reason, due)
        opened = Decision(
            name, client.organisation, "market", market, reason, self.now, client.name
        )
        opened.words, opened.due = words, due
        opened.at_deadline = "approve" if due else "refuse"
        self.opened(opened)
        return opened

    def _administrator(self, client: Client) -> None:
        if not client.may("admin"):
            raise Refused("FORBIDDEN", requiredScope="admin", keyId=client.key_id)

    def _code(self, text: str) -> str:
        if len(text) > 40 or not _CODE.fullmatch(text):
            raise Refused("VALIDATION_ERROR")
        return text

    def _words(self, text: str) -> str:
        told = text.strip()
        if not 0 < len(told) <= 500 or not told.isprintable() or told in UNFIT_STATEMENTS:
            raise Refused("VALIDATION_ERROR")
        return told

    def _answer(self, asked: Asked) -> str | None:
        given = (asked.body or {}).get("answer")
        return None if given is None else self._words(given)

    def _needs_two(self, kind: str) -> bool:
        return _NEEDING[kind] in self.settings.two.always

    def _seen(self, found: Decision) -> tuple[Any, ...]:
        """What an approval is bound to."""
        if found.kind == "withdrawal" and found.account is not None:
            return self.rule, found.subject, found.account.control
        return self.rule, found.subject, found.control, found.reason

    def _until(self, body: Wire, kind: str) -> int | None:
        """Nothing ends by itself that two persons end."""
        if body.get("until") is None:
            return None
        if self._needs_two(kind):
            raise Refused("VALIDATION_ERROR")
        until = instant(body["until"])
        if not self.now < until < NEVER:
            raise Refused("VALIDATION_ERROR")
        return until

    def _undecided(self, client: Client, name: str) -> Decision:
        found: Decision = self._own(client, self.decisions.get(name), "decision")
        self.locked = found.account
        if found.status != "open":
            raise Refused("CONFLICT", id=found.id, reason="ALREADY_DECIDED")
        return found

    def _has_role(self, client: Client, found: Decision) -> None:
        """Whoever may do everything has each role; no key of this bank has one."""
        if found.escalated is not None and client.scopes is not None:
            raise Refused("ROLE_REQUIRED", role=found.to_role, decisionId=found.id)

    # -- agents ----------------------------------------------------------------------------------

    def _enrol_agent(self, client: Client, asked: Asked, answered: Answered) -> Any:
        body = asked.body or {}
        name, public_key = body["name"], body["publicKey"]
        if name not in AGENT_NAMES or public_key not in PUBLIC_KEYS:
            raise Refused("VALIDATION_ERROR")
        for each in self.agents.values():
            if (each.organisation, each.public_key) == (client.organisation, public_key):
                raise Refused("CONFLICT", id=each.id, reason="ALREADY_ENROLLED")
        found = Agent(self._new(answered), client.organisation, name, public_key, self.now)
        self.agents[found.id] = found
        self.tell(client.organisation, "agent.enrolled", found.id, None, {"name": name})
        return found.wire(self.now), True, found.id

    def _approve_agent(self, client: Client, asked: Asked, _answered: Answered) -> Any:
        body = asked.body or {}
        found: Agent = self._own(client, self.agents.get(asked.ids[0]), "agent")
        if found.status(self.now) != "waiting":
            raise Refused("CONFLICT", id=found.id, reason="NOT_WAITING")
        if body["roles"]:
            raise Refused("VALIDATION_ERROR")
        if not client.may("desk"):
            raise Refused("FORBIDDEN", requiredScope="desk", keyId=client.key_id)
        expires = body.get("expires")
        if expires not in (None, *LIVES):
            raise Refused("VALIDATION_ERROR")
        found.approved, found.approved_by = self.now, client.name
        found.expires = None if expires is None else self.now + LIVES[expires]
        told = {"name": found.name, "roles": []}
        self.tell(client.organisation, "agent.approved", found.id, None, told)
        return found.wire(self.now), False, found.id

    def _revoke_agent(self, client: Client, asked: Asked, _answered: Answered) -> Any:
        """Again changes nothing."""
        found: Agent = self._own(client, self.agents.get(asked.ids[0]), "agent")
        if found.revoked is None:
            found.revoked, found.revoked_by = self.now, client.name
            told = {"name": found.name}
            self.tell(client.organisation, "agent.revoked", found.id, None, told)
        return found.wire(self.now), False, found.id

    # -- notes -----------------------------------------------------------------------------------

    def _add_note(self, client: Client, asked: Asked, answered: Answered) -> Any:
        body = asked.body or {}
        content, subject = self._words(body["content"]), body["subject"]
        account = self._noted_account(client, subject)
        found = Note(
            self._new(answered), client.organisation, subject, account, self.now, client.name,
            content,
        )  # fmt: skip
        self.notes[found.id], self.locked = found, account
        self.tell(client.organisation, "note.added", found.id, None, {"subject": subject})
        return found.wire(), True, subject

    def _noted_account(self, client: Client, subject: str) -> Account | None:
        """The account of the record that a note is about, if it's one's alone."""
        if subject in MARKETS:
            return None
        of_accounts: dict[str, Any] = {**self.trades, **self.transfers, **self.custodies}
        others: dict[str, Any] = {**self.quotes, **self.wallets, **self.decisions}
        account = self.accounts.get(subject)
        if subject in of_accounts:
            account = of_accounts[subject].account
        if account is not None and account.organisation == client.organisation:
            return account
        if subject in others and others[subject].organisation == client.organisation:
            return getattr(others[subject], "account", None)
        raise Refused("NOT_FOUND", resource="record")

    def _erase_note(self, client: Client, asked: Asked, _answered: Answered) -> Any:
        """Again changes nothing."""
        found: Note = self._own(client, self.notes.get(asked.ids[0]), "note")
        self.locked = found.account
        if found.author != client.name and not client.may("controls:write"):
            raise Refused("FORBIDDEN", requiredScope="controls:write", keyId=client.key_id)
        if found.erased is None:
            found.content, found.erased, found.erased_by = None, self.now, client.name
            told = {"subject": found.subject}
            self.tell(client.organisation, "note.erased", found.id, None, told)
        return found.wire(), False, found.id

    # -- deciding --------------------------------------------------------------------------------

    def _take_decision(self, client: Client, asked: Asked, _answered: Answered) -> Any:
        found = self._undecided(client, asked.ids[0])
        if found.holder not in (None, client.name) and (found.held_until or 0) > self.now:
            raise Refused("CONFLICT", id=found.id, reason="TAKEN")
        found.holder, found.held_until = client.name, self.now + 15 * MINUTE
        self.tell(client.organisation, "decision.taken", found, None, found.told)
        return found.wire(), False, found.id

    def _note_decision(self, client: Client, asked: Asked, _answered: Answered) -> Any:
        """The first note about a withdrawal gives as much time again as there was at first."""
        text = self._words((asked.body or {})["note"])
        found = self._undecided(client, asked.ids[0])
        is_first, found.asked, found.asked_at = found.asked is None, text, self.now
        self.tell(client.organisation, "decision.asked", found, None, found.told)
        if is_first and found.kind == "withdrawal" and found.due is not None:
            found.due += found.due - (found.escalated or found.created)
            withdrawal = self.transfers[found.subject]
            self._drop_review(withdrawal)
            self.jobs.append((found.due, "withdrawal.review", withdrawal.id))
            withdrawal.eta = found.due
            told = {"until": moment(found.due)}
            longer = "withdrawal.held_longer"
            self.note(self._deed(client, longer, withdrawal.id, told, withdrawal.account))
        return found.wire(), False, found.id

    def _drop_review(self, withdrawal: Transfer) -> None:
        """Its time isn't waited for any more."""
        work = ("withdrawal.review", withdrawal.id)
        self.jobs = [each for each in self.jobs if each[1:] != work]

    def _approve_decision(self, client: Client, asked: Asked, _answered: Answered) -> Any:
        answer = self._answer(asked)
        found = self._undecided(client, asked.ids[0])
        self._has_role(client, found)
        self._may_decide(client, found)
        if found.needs_two:
            if not self._first_counts(found):
                found.first_by, found.first_at = client.name, self.now
                found.seen = self._seen(found)
                told = found.told
                self.tell(found.organisation, "decision.firstApproved", found, None, told)
                return found.wire(), False, found.id
            if found.first_by == client.name:
                raise Refused("CONFLICT", id=found.id, reason="SAME_PERSON")
        found.answer = answer
        self.ended(found, "approved", client.name)
        self.granted(found, client)
        return found.wire(), False, found.id

    def _first_counts(self, found: Decision) -> bool:
        """Whether a second person may approve what the first one has seen."""
        if found.first_at is None or found.seen != self._seen(found):
            return False
        was_asked_for = found.kind == "withdrawal" and found.first_at == found.created
        return was_asked_for or self.now <= found.first_at + 15 * MINUTE

    def _may_decide(self, client: Client, found: Decision) -> None:
        needed = {"control": "controls:write", "market": "admin"}.get(found.kind)
        if needed is not None and not client.may(needed):
            raise Refused("FORBIDDEN", requiredScope=needed, keyId=client.key_id)

    def granted(self, decision: Decision, client: Client) -> None:
        """What an approval does to its subject."""
        if decision.kind == "withdrawal":
            withdrawal = self.transfers[decision.subject]
            self._drop_review(withdrawal)
            self.pass_review(withdrawal)
            self._reviewed(client, withdrawal)
        elif decision.kind == "market":
            del self.closed[decision.subject]
        elif decision.kind == "ownershipStatement":
            self._judged(decision, "accepted")
        elif decision.account is not None:
            self.control(decision.account, None, None)

    def _judged(self, decision: Decision, status: str) -> None:
        self.statements[decision.subject].status = status
        kind, told = f"ownership_statement.{status}", {"status": status}
        self.tell(decision.organisation, kind, decision.subject, None, told)

    def pass_review(self, withdrawal: Transfer) -> None:
        withdrawal.move("processing", self.now)
        self.later(self.settings.withdrawal_delay, "withdrawal.send", withdrawal.id)

    def reject_review(self, withdrawal: Transfer, code: str) -> None:
        withdrawal.account.give_back(withdrawal.hold, self.now)
        withdrawal.failure = code
        withdrawal.move("rejected", self.now)

    def _reviewed(self, client: Client, withdrawal: Transfer) -> None:
        self.told(withdrawal)
        action = f"withdrawal.{withdrawal.status}"
        self.note(self._deed(client, action, withdrawal.id, {}, withdrawal.account))

    def _refuse_decision(self, client: Client, asked: Asked, _answered: Answered) -> Any:
        """A control or a closed market stays, under a decision of its own."""
        body = asked.body or {}
        answer = self._answer(asked)
        found = self._undecided(client, asked.ids[0])
        self._has_role(client, found)
        stays = found.kind in ("control", "market")
        self._may_decide(client, found)
        until = self._until(body, found.kind) if stays else None
        if stays:
            self._code(body["reason"])
        elif body["reason"] not in REFUSALS or body.get("until") is not None:
            raise Refused("VALIDATION_ERROR")
        found.outcome, found.answer = body["reason"], answer
        self.ended(found, "refused", client.name)
        if found.kind == "withdrawal":
            withdrawal = self.transfers[found.subject]
            self._drop_review(withdrawal)
            self.reject_review(withdrawal, REFUSED_REVIEW)
            self._reviewed(client, withdrawal)
        elif not stays:
            self._judged(found, "refused")
        else:
            self._stays(found, client, until)
        return found.wire(), False, found.id

    def _stays(self, found: Decision, client: Client, until: int | None) -> None:
        name, org, kind, subject = client.name, found.organisation, found.kind, found.subject
        kept = Decision("", org, kind, subject, str(found.outcome), self.now, name, found.account)
        kept.control, kept.words, kept.due = found.control, found.answer, until
        kept.at_deadline = "approve" if until else "refuse"
        self.opened(kept)
        if found.kind == "market":
            self.closed[found.subject] = (kept.reason, until)

    # -- the books -------------------------------------------------------------------------------

    def in_dispute(self, organisation: str) -> bool:
        """Whether the payouts of an organisation are stopped."""
        return any(
            each.cleared is None and each.concerns(organisation) for each in self.disputes.values()
        )

    def disputed(self, dispute: Dispute, actor: str) -> None:
        """Verification found a breach."""
        self.disputes[dispute.id] = dispute
        told = {"invariant": dispute.invariant, "where": dispute.where}
        self.note(Deed(self.now, dispute.organisation, actor, "dispute_books", dispute.id, told))
        self._tell_of(dispute, "books.disputed", None, dispute.organisation)
        self.written()

    def _tell_of(self, dispute: Dispute, kind: str, actor: str | None, own: str) -> None:
        for name in filter(dispute.concerns, self.fees):
            told = {"scope": dispute.scope, "payoutsStopped": self.in_dispute(name)}
            self.tell(name, kind, dispute.id, actor, told)
            if name != own:  # the event has no act in this trail, so it is one
                who = actor or "worker"
                self.note(Deed(self.now, name, who, kind, dispute.id, {}))

    def _clear_dispute(self, client: Client, asked: Asked, _answered: Answered) -> Any:
        """What was cleared before stays as it is."""
        found = self.disputes.get(asked.ids[0])
        if found is None or not found.concerns(client.organisation):
            raise Refused("NOT_FOUND", resource="dispute")
        if found.organisation == "*":
            raise Refused("CONFLICT")
        why = (asked.body or {})["reason"].strip()
        if not 0 < len(why) <= 200 or why in UNFIT_STATEMENTS:
            raise Refused("VALIDATION_ERROR")
        if found.cleared is None:
            self._clear(found, client.name, why)
        return found.wire(), False, found.id

    def _clear(self, found: Dispute, actor: str, why: str) -> None:
        found.cleared, found.cleared_by, found.reason = self.now, actor, why
        self._tell_of(found, "books.cleared", actor, found.organisation)

    def cleared(self, dispute_id: str, actor: str, why: str) -> None:
        """The operator clears one at the database."""
        found = self.disputes[dispute_id]
        self._clear(found, actor, why)
        told = {"reason": why}
        self.note(Deed(self.now, found.organisation, actor, "clear_dispute", dispute_id, told))
        self.written()


class _RefusedWith(Exception):
    """A refusal that leaves more behind than its row of the trail."""

    def __init__(self, refusal: Refused, remember: Callable[[], None]) -> None:
        super().__init__(refusal.code)
        self.refusal = refusal
        self.remember = remember


def harmless(body: Wire) -> Wire:
    """What the trail keeps of a refused request: short words only."""
    return {
        name: value
        for name, value in body.items()
        if name not in _NEVER_KEPT and isinstance(value, str) and _HARMLESS.fullmatch(value)
    } | {name: None for name in _NEVER_KEPT if name in body}


def is_right(signature: str, challenge: Challenge) -> bool:
    """Whether the generator signed the challenge's own text with its wallet's own key.

    Whatever signs here notes what its signatures prove.
    """
    from tests.simulation.signing import RIGHT_ANSWERS  # noqa: PLC0415 - only claims need keys

    return (challenge.wallet.address, challenge.text) in RIGHT_ANSWERS.get(signature, ())
