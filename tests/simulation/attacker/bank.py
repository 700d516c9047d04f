"""The bank that is attacked: two organisations, customers with wallets, keys, and work under way.

``SCRIPT`` is what goes on in it: honest requests, and those of a customer who is the attacker. What
comes of it without an attack is what everything is compared with.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from tests.clock.machine import Machine, MachineClock
from tests.simulation.attacker.raw import Rows, attacking
from tests.wallets.customers import Customer, customers
from tests.world.bank import build
from tests.world.engines import DPT, USDC_SOLANA

from chainteller.domain.actors import Actor
from chainteller.domain.clock import Clock, ManualClock
from chainteller.domain.keys import ApiKey, new_key
from chainteller.domain.options import EngineOptions
from chainteller.domain.randomness import SeededRandomness
from chainteller.engine.core.breaches import UNREADABLE
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.kept_heads import KeptHeads
from chainteller.engine.engine import Engine
from chainteller.engine.operations.keys import ApiKeys, Authenticator
from chainteller.engine.upkeep import due, epochs
from chainteller.engine.verification.in_rounds import Verifier
from chainteller.service.errors import ServiceError, ServiceUnavailable
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.counterparties import (
    ChallengeRequest,
    ClaimRequest,
    LinkRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
    ReverificationRequest,
)
from chainteller.service.models.funding import DepositRequest, Destination, WithdrawalRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.storage.queries import disputes

DEFAULT, OTHER = "default", "other"
DAY_S, HOUR_S = 86_400, 3_600
OPTIONS = EngineOptions(rate_limits=False)
UNVERIFIED = "DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy"
VICTIM, THIEF, STRANGER = "victim", "thief", "stranger"
_HONEST = ("active", "reading", "other", "ending")
"""Keys that belong to somebody who doesn't steal."""
_STEP_S = 5
_BANK_ACCOUNTS = {VICTIM: (DEFAULT, "DDA-1"), THIEF: (DEFAULT, "DDA-3"), STRANGER: (OTHER, "ODA-1")}


@dataclass
class Facts:
    """What the attacker knows of the bank: ids by what they are of, and the texts of keys."""

    ids: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    past: list[Rows] = field(default_factory=list)
    """The rows of earlier moments."""


def forged_key() -> ApiKey:
    """A key that the attacker made up."""
    return new_key(SeededRandomness("forged"), "test")


class Asked(NamedTuple):
    """What another system was asked for, under which key, and whether a breach was named by then.

    ``what`` has everything of the request: kind, account or address, amount.
    """

    what: str
    key: str
    is_named: bool


class Bank:
    """One process on a database, with heads that are kept in a file."""

    options = OPTIONS
    others: tuple[str, ...] = ()
    """Files of the folder that belong to other systems of the bank."""

    @classmethod
    def script(cls) -> Mapping[str, "Step"]:
        return SCRIPT

    def __init__(self, url: str, folder: Path, machine: Machine, facts: Facts, seed: str) -> None:
        self.url, self.machine, self.facts, self.seed = url, machine, facts, seed
        self.is_postgres = not url.startswith("sqlite")
        self.manual = ManualClock(machine.true)
        self.asked: list[Asked] = []
        clock: Clock = self.manual if self.is_postgres else MachineClock(machine)
        world = build(url, clock=clock, options=self.options)
        heads = KeptHeads(lambda name: folder / f"{name}.heads")
        context = replace(world.context, kept=heads, randomness=SeededRandomness(seed))
        context = self.context = self.connected(context, folder)
        self.door = Authenticator(context, elapsed=count().__next__)
        self.verifier = Verifier(context, uses=self.door.uses)
        self.verifier._stopping.set()  # nobody needs it to rest

    def connected(self, context: EngineContext, _folder: Path) -> EngineContext:
        """The context with the bank's other systems; here all are simulated."""
        return context

    def note(self, what: str, key: str) -> None:
        """Another system is asked for something now."""
        with self.context.database.read() as connection:
            self.asked.append(Asked(what, key, bool(disputes.listed(connection))))

    def engine(self, organisation: str, name: str = "desk") -> Engine:
        return Engine(self.context, Actor(organisation, name))

    def of(self, who: str) -> tuple[Engine, str]:
        """The engine for somebody's organisation, and the id of their account."""
        return self.engine(_BANK_ACCOUNTS[who][0]), self.facts.ids[who]

    def passes(self, seconds: float) -> None:
        self.machine.passes(seconds)
        self.manual.set(self.machine.true)

    def serve(self, seconds: int) -> None:
        """What the service does by itself while time passes: due work, and looks at the books."""
        for _ in range(0, seconds, _STEP_S):
            self.passes(_STEP_S)
            with suppress(ServiceUnavailable):
                if epochs.tick(self.context).doubt is None:
                    self.work()
            self.verifier.attempt()

    def work(self) -> None:
        """What a worker does every second."""
        for _ in range(3):
            if not self._work_once():
                return

    def _work_once(self) -> bool:
        """Whether a piece of work failed."""
        try:
            due.run(self.context, 100)
        except (AssertionError, *UNREADABLE):
            with suppress(AssertionError, *UNREADABLE):
                due.put_off(self.context)
            return True
        return False

    def close(self) -> None:
        self.context.database.close()

    # -- what is done ----------------------------------------------------------------------------

    def open(self, who: str, at: int) -> None:
        """An account with money, a verified wallet, and one that isn't verified any more."""
        organisation, bank_account = _BANK_ACCOUNTS[who]
        engine, ids = self.engine(organisation), self.facts.ids
        asked = OpenTradingAccount(bank_account_id=bank_account, bank_account_type="checking")
        account = ids[who] = engine.open_trading_account(asked).value.id
        for currency in (DPT, USDC_SOLANA):
            engine.deposit(account, DepositRequest(amount="5000.00", currency=currency))
        opened = OpenBlockchainAccount(trading_account_id=account, network="solana")
        custody = ids[f"{who} custody"] = engine.open_blockchain_account(opened).value.id
        ids[f"{who} wallet"] = self._verified(engine, custody, customers("solana")[at])
        quote = engine.create_quote("sol-usd", QuoteRequest(amount="50.00", side="buy")).value
        request = ExecuteRequest(trading_account_id=account)
        ids[f"{who} trade"] = engine.execute_quote(quote.id, request).value.id

    @staticmethod
    def _verified(engine: Engine, custody: str, owner: Customer) -> str:
        address = owner.registered.display
        asked = RegisterCounterparty(address=address, network="solana")
        wallet = engine.register_counterparty(asked).value.id
        challenge = engine.create_challenge(custody, ChallengeRequest(counterparty_id=wallet)).value
        signed = ClaimRequest(
            challenge_id=challenge.id,
            completed_challenge=owner.answer(challenge.challenge),
            counterparty_id=wallet,
        )
        claim = engine.submit_claim(custody, signed).value.id
        link = LinkRequest(address=address, network="solana", ownership_claim_id=claim)
        engine.link_counterparty(custody, link)
        return wallet

    def live(self, past: Callable[[], Rows]) -> None:
        """What happened before the attack; ``past`` reads the rows at some moments."""
        facts, ids = self.facts, self.facts.ids
        facts.past.append(past())
        for at, who in enumerate((VICTIM, THIEF, STRANGER)):
            self.open(who, at % 2 if who != STRANGER else 2)
        facts.past.append(past())
        for name, scopes, organisation, expires in (
            ("active", (), DEFAULT, None),
            ("revoked", (), DEFAULT, None),
            ("expired", (), DEFAULT, "1h"),
            ("reading", ("accounts:read",), DEFAULT, None),
            ("other", (), OTHER, None),
            ("ending", (), DEFAULT, None),
        ):
            keys = ApiKeys(self.context, environment="test", randomness=SeededRandomness(name))
            facts.keys[name] = keys.create(name, scopes, organisation, expires).text
        facts.keys["forged"] = forged_key().text
        for _ in range(3):
            self.passes(60)
            self.work()
        facts.past.append(past())
        for who in (VICTIM, STRANGER):
            ids[f"{who} paid"] = self.pay_bank(who, "7.00")
        engine, account = self.of(THIEF)
        ids["thief cancelled"] = self.pay_bank(THIEF, "9.00")
        engine.cancel_withdrawal(account, ids["thief cancelled"])
        revoked = facts.keys["revoked"].split("_")[2]
        facts.past.append(past())
        ApiKeys(self.context).revoke(revoked)
        asked = RegisterCounterparty(address=UNVERIFIED, network="solana")
        ids["unverified"] = engine.register_counterparty(asked).value.id
        for _ in range(3):
            self.passes(60)
            self.work()
        self.passes(DAY_S + HOUR_S)
        self.work()
        facts.past.append(past())
        engine.require_reverification(
            ids["thief custody"],
            ids["thief wallet"],
            ReverificationRequest(reason="SUSPICIOUS_ACTIVITY"),
        )
        ids["thief reviewed"] = self.pay_wallet(THIEF, "unverified", "11.00")
        quote = engine.create_quote("sol-usd", QuoteRequest(amount="20.00", side="buy")).value
        ids["thief quote"] = quote.id
        ids["victim pending"] = self.pay_wallet(VICTIM, "victim wallet", "13.00")
        ids["victim to bank"] = self.pay_bank(VICTIM, "14.00")
        engine, account = self.of(VICTIM)
        quote = engine.create_quote("sol-usd", QuoteRequest(amount="30.00", side="buy")).value
        asking = ExecuteRequest(trading_account_id=account)
        ids["victim executing"] = engine.execute_quote(quote.id, asking).value.id
        kept = self.context.kept
        assert kept is not None
        assert kept.follow(self.context.database) == {}
        self.verifier.turn()  # everything was verified today
        facts.past.append(past())

    def pay_bank(self, who: str, amount: str) -> str:
        engine, account = self.of(who)
        return engine.withdraw(account, WithdrawalRequest(amount=amount, currency=DPT)).value.id

    def pay_wallet(self, who: str, wallet: str, amount: str, custody: str = "") -> str:
        engine, account = self.of(who)
        destination = Destination(
            type="counterparty",
            counterparty_id=self.facts.ids[wallet],
            blockchain_account_id=self.facts.ids[f"{custody or who} custody"],
        )
        request = WithdrawalRequest(amount=amount, currency=USDC_SOLANA, destination=destination)
        return engine.withdraw(account, request).value.id

    def execute(self, who: str, quote: str) -> str:
        engine, account = self.of(who)
        request = ExecuteRequest(trading_account_id=account)
        return engine.execute_quote(self.facts.ids[quote], request).value.id

    def deposit(self, who: str, amount: str) -> str:
        engine, account = self.of(who)
        return engine.deposit(account, DepositRequest(amount=amount, currency=DPT)).value.id

    def use_key(self, name: str) -> str:
        """Whom a key speaks for; where it may, it pays from the victim's account."""
        principal = self.door.principal(self.facts.keys[name])
        told = f"{principal.actor.organisation} {' '.join(sorted(principal.scopes))}"
        if name not in _HONEST and "transfers:write" in principal.scopes:
            request = WithdrawalRequest(amount="3.00", currency=DPT)
            engine = Engine(self.context, principal.actor)
            with suppress(ServiceError):
                engine.withdraw(self.facts.ids[VICTIM], request)
        return told


Step = Callable[[Bank], str]


def a_while(bank: Bank) -> str:
    bank.serve(20)
    return ""


def _revoke(bank: Bank) -> str:
    ApiKeys(bank.context).revoke(bank.facts.keys["ending"].split("_")[2])
    return ""


REVOCATION, AFTER_REVOCATION = "a key is revoked", "key ending, revoked"
SCRIPT: Mapping[str, Step] = {
    **{
        f"key {name}": partial(Bank.use_key, name=name)
        for name in ("active", "revoked", "expired", "reading", "other", "forged", "ending")
    },
    REVOCATION: _revoke,
    AFTER_REVOCATION: partial(Bank.use_key, name="ending"),
    "victim to the bank": lambda bank: bank.pay_bank(VICTIM, "5.00"),
    "victim to a wallet": lambda bank: bank.pay_wallet(VICTIM, "victim wallet", "6.00"),
    "thief to a wallet that isn't verified": lambda bank: bank.pay_wallet(
        THIEF, "unverified", "21.00"
    ),
    "thief to a wallet that isn't verified any more": lambda bank: bank.pay_wallet(
        THIEF, "thief wallet", "22.00"
    ),
    "first while": a_while,
    "thief asks for more than there is": lambda bank: bank.pay_bank(THIEF, "9000.00"),
    "thief from the victim's custody": lambda bank: bank.pay_wallet(
        THIEF, "victim wallet", "23.00", VICTIM
    ),
    "thief executes": lambda bank: bank.execute(THIEF, "thief quote"),
    "stranger deposits": lambda bank: bank.deposit(STRANGER, "8.00"),
    "second while": a_while,
    "third while": a_while,
    "fourth while": a_while,
}


# -- copies --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Template:
    """A closed bank to be copied."""

    kind: type[Bank]
    url: str
    folder: Path
    machine: Machine
    facts: Facts


def lived(url: str, folder: Path, kind: type[Bank] = Bank) -> Template:
    """A bank in which something happened."""
    bank = kind(url, folder, Machine(), Facts(), "template")
    with attacking(url) as raw:
        tables = raw.tables()
        bank.live(lambda: raw.read(tables))
    bank.close()
    return Template(kind, url, folder, replace(bank.machine), bank.facts)


@contextmanager
def copied(template: Template, url: str) -> Iterator[Bank]:
    """A bank at the URL of a copy, opened where the template was left."""
    folder = Path(tempfile.mkdtemp(prefix="attacked-"))
    for each in template.folder.glob("*.heads"):
        shutil.copyfile(each, folder / each.name)
        (folder / each.name).chmod(0o600)
    for other in template.kind.others:
        shutil.copyfile(template.folder / other, folder / other)
    if url.startswith("sqlite"):
        url = f"sqlite:///{folder / 'bank.db'}"
        shutil.copyfile(template.url.removeprefix("sqlite:///"), folder / "bank.db")
    bank = template.kind(url, folder, replace(template.machine), template.facts, "copy")
    try:
        yield bank
    finally:
        bank.close()
        shutil.rmtree(folder, ignore_errors=True)


# -- what is seen --------------------------------------------------------------------------------

Seen = dict[tuple[str, ...], str]
"""By organisation, kind, whose it is and id: what the service says."""


def seen(bank: Bank) -> Seen:
    """Everything that the service gives out to each organisation."""
    found: Seen = {}
    for organisation in (DEFAULT, OTHER):
        engine = bank.engine(organisation)
        for kind in ("trading_accounts", "counterparties", "blockchain_accounts", "all_trades",
                     "all_transfers", "quotes", "customers"):  # fmt: skip
            _list(found, (organisation, kind, ""), getattr(engine, kind))
        for name, identifier in bank.facts.ids.items():
            kinds = _LISTS.get(name.split()[-1], ())
            if kinds == _ONE:
                place = (organisation, "", name, identifier)
                found[place] = _told(_of(engine, "transaction_by_id", identifier))
                continue
            for kind in kinds:
                _list(found, (organisation, kind, name), _of(engine, kind, identifier))
    return found


_OF_ACCOUNT = ("token_balances", "withdrawals", "deposits", "trades", "transactions")
_ONE = ("transaction_by_id",)
_LISTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(_BANK_ACCOUNTS, _OF_ACCOUNT),
    **dict.fromkeys(("trade", "executing", "paid", "pending", "cancelled"), _ONE),
    "custody": ("challenges", "linked_counterparties"),
}
"""What is read of an id, by the last word of its name."""


def _of(engine: Engine, kind: str, identifier: str) -> Callable[[], Any]:
    return lambda: getattr(engine, kind)(identifier)


def _list(found: Seen, place: tuple[str, ...], read: Callable[[], Any]) -> None:
    try:
        page = read()
    except ServiceError as error:
        found[(*place, "")] = error.code
        return
    except (AssertionError, *UNREADABLE) as error:
        found[(*place, "")] = f"ERROR {type(error).__name__}"
        return
    for each in page.data:
        identifier = getattr(each, "id", None) or str(getattr(each, "token", ""))
        found[(*place, str(identifier))] = each.model_dump_json(by_alias=True)


def _told(read: Callable[[], Any]) -> str:
    try:
        return str(read().model_dump_json(by_alias=True))
    except ServiceError as error:
        return error.code
    except (AssertionError, *UNREADABLE) as error:
        return f"ERROR {type(error).__name__}"
