"""Banks that ask other systems to move money: through ports, and as a gateway before a provider.

Both are inside the process and note what they are asked for. The provider answers with the
specification's calls over HTTP (``tests.spec_only``).
"""

import hashlib
import json
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import base58
from nacl.signing import SigningKey
from tests.simulation.attacker.bank import (
    DEFAULT,
    OPTIONS,
    STRANGER,
    THIEF,
    VICTIM,
    Bank,
    Step,
    a_while,
)
from tests.spec_only.server import SpecOnlyApp
from tests.wallets.customers import customers
from tests.world.bank import build
from tests.world.engines import DPT
from tests.world.serving import deployment, served

from chainteller.domain import outside
from chainteller.domain.actors import DESK, SCOPES, Actor
from chainteller.domain.clock import ManualClock
from chainteller.domain.decisions import AtDeadline, ReviewCondition, ReviewLine
from chainteller.domain.outside import Answer, NotCarriedOut, State, Unanswered
from chainteller.domain.policy import Policy, TwoPersons
from chainteller.domain.randomness import SeededRandomness
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.ports import Ports
from chainteller.engine.engine import Engine
from chainteller.engine.forwarding.marking import mark
from chainteller.remote.provider import Provider
from chainteller.service.errors import DecisionRequired, OutcomeUnknown, ServiceUnavailable
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.counterparties import (
    ChallengeRequest,
    ClaimRequest,
    LinkRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
)
from chainteller.service.models.decisions import Approval, OpenDecision, Refusal
from chainteller.service.models.funding import DepositRequest
from chainteller.service.models.quotes import QuoteRequest
from chainteller.service.operations import Call
from chainteller.service.told import Told

# -- ports ---------------------------------------------------------------------------------------

_SILENT = {"6.00", "8.00", "14.00"}
"""Amounts of which the first request is carried out and not answered."""
_BUSY = {"5.00", "13.00"}
"""Amounts of which the first request isn't carried out."""


class Receiver:
    """Core bank, custody and venue in one."""

    def __init__(self, bank: Bank) -> None:
        self._bank = bank
        self._seen: set[str] = set()

    def carry_out(self, step: outside.Step, key: str, body: Mapping[str, str]) -> Answer:
        self._bank.note(f"{step} {json.dumps(dict(body), sort_keys=True)}", key)
        is_first = key not in self._seen
        self._seen.add(key)
        if is_first and body["amount"] in _BUSY:
            raise NotCarriedOut("it's busy")
        if is_first and body["amount"] in _SILENT:
            raise Unanswered("no answer")
        return Answer(State.DONE, hashlib.sha256(key.encode()).hexdigest())

    def read(self, path: str, query: Mapping[str, str]) -> Any:
        if path == "/addresses":
            seed = hashlib.sha256(query["account"].encode()).digest()
            return {"address": base58.b58encode(bytes(SigningKey(seed).verify_key)).decode()}
        account = query.get("bankAccountId", "")
        number = int(account.partition("-")[2] or 0)
        held = {"id": account, "type": "checking" if number % 2 else "savings"}
        customer: dict[str, Any] = {"reference": f"REF-{account}", "name": f"Customer {number}"}
        customer |= {"kycLevel": "enhanced", "termsAccepted": True}
        return {"customers": [{**customer, "bankAccounts": [{**held, "balance": "1000000.00"}]}]}

    def unavailable(self, why: str) -> ServiceUnavailable:
        return ServiceUnavailable(why)

    def close(self) -> None:
        """There is nothing to close."""


class Ported(Bank):
    """The bank with a core bank, a custody and a venue; some requests are under way already."""

    options = replace(OPTIONS, settle_after_s=2)

    def connected(self, context: EngineContext, _folder: Path) -> EngineContext:
        receiver = Receiver(self)
        return replace(context, ports=Ports(receiver, receiver, venue=receiver))

    def live(self, past: Any) -> None:
        super().live(past)
        self.passes(6)
        self.work()
        self.facts.past.append(past())


# -- a gateway -----------------------------------------------------------------------------------

_SHARED = ReviewLine(ReviewCondition.SHARED_WALLET, 0, 86_400, AtDeadline.REFUSE)
_ACCOUNTS = {VICTIM: "DDA-1", THIEF: "DDA-3", STRANGER: "DDA-5"}
"""The stranger's account is frozen."""


class Counting:
    """The provider, which has an address that stays, and notes what it is asked for."""

    address, honours_keys = "http://provider.example", True

    def __init__(self, bank: Bank, behind: Provider) -> None:
        self._bank, self._behind = bank, behind
        self.is_silent = False

    def ask(self, call: Call[Any], *, briefly: bool = False) -> Told:
        if call.operation.writes:
            body = call.request.to_json() if call.request is not None else ""
            what = f"{call.operation.name} {' '.join(call.ids)} {body}"
            self._bank.note(what, str(call.key))
        told = self._behind.ask(call, briefly=briefly)
        if self.is_silent and call.operation.writes:
            raise OutcomeUnknown("No answer.", str(call.key))
        return told

    def close(self) -> None:
        self._behind.close()


class Gateway(Bank):
    """A gateway with withdrawals and links that wait for people."""

    options = replace(
        OPTIONS, withdrawal_delay_s=0, settle_after_s=2,
        policy=Policy(review=(_SHARED,), two=TwoPersons(withdrawal_over_cents=10_000)),
    )  # fmt: skip
    others = ("provider.db",)

    @classmethod
    def script(cls) -> Mapping[str, Step]:
        return _AT_GATEWAY

    def connected(self, context: EngineContext, folder: Path) -> EngineContext:
        self._ends = ExitStack()
        self.clock = ManualClock(self.machine.true)
        behind = build(f"sqlite:///{folder / 'provider.db'}", clock=self.clock)
        drawn = replace(behind.context, randomness=SeededRandomness(f"{self.seed} provider"))
        self.behind = replace(behind, engine=Engine(drawn, behind.engine.actor))
        self._ends.callback(self.behind.context.database.close)
        address = self._ends.enter_context(served(deployment(self.behind), kind=SpecOnlyApp))
        key = self.behind.key()
        self.provider = Counting(self, Provider(address, lambda: key))
        self._ends.callback(self.provider.close)
        mark(context, Actor(DEFAULT, "desk"), self.provider.address)
        return replace(context, provider=self.provider)

    def passes(self, seconds: float) -> None:
        super().passes(seconds)
        self.clock.set(self.machine.true)

    def close(self) -> None:
        super().close()
        self._ends.close()

    def engine(self, organisation: str, name: str = "desk") -> Engine:
        """Whoever asks for something is a program; anna, ben and carla are persons."""
        scopes = frozenset(SCOPES) - {DESK} if name == "desk" else None
        return Engine(self.context, Actor(organisation, name, scopes=scopes))

    def of(self, who: str) -> tuple[Engine, str]:
        return self.engine(DEFAULT), self.facts.ids[who]

    def open(self, who: str, at: int) -> None:
        """An account with money, and a wallet that it can link."""
        engine, ids = self.engine(DEFAULT), self.facts.ids
        asked = OpenTradingAccount(bank_account_id=_ACCOUNTS[who], bank_account_type="checking")
        account = ids[who] = engine.open_trading_account(asked).value.id
        engine.deposit(account, DepositRequest(amount="5000.00", currency=DPT))
        opening = OpenBlockchainAccount(trading_account_id=account, network="solana")
        home = ids[f"{who} home"] = self.behind.engine.open_blockchain_account(opening).value.id
        owner = customers("solana")[at]
        address = owner.registered.display
        wallet = engine.register_counterparty(
            RegisterCounterparty(address=address, network="solana")
        ).value.id
        challenge = engine.create_challenge(home, ChallengeRequest(counterparty_id=wallet)).value
        claim = ClaimRequest(
            challenge_id=challenge.id,
            completed_challenge=owner.answer(challenge.challenge),
            counterparty_id=wallet,
        )
        ids[f"{who} wallet"] = wallet
        ids[f"{who} proof"] = engine.submit_claim(home, claim).value.id

    def link(self, who: str) -> str:
        request = LinkRequest(
            address=customers("solana")[_WALLETS[who]].registered.display,
            network="solana",
            ownership_claim_id=self.facts.ids[f"{who} proof"],
        )
        home = self.facts.ids[f"{who} home"]
        return self.engine(DEFAULT).link_counterparty(home, request).value.id

    def live(self, past: Any) -> None:
        facts, ids = self.facts, self.facts.ids
        facts.past.append(past())
        for who, at in _WALLETS.items():
            self.open(who, at)
        self.link(VICTIM)
        for who in (THIEF, STRANGER):
            self.wait_for_link(who)
        self.approve("anna", f"{STRANGER} link")
        facts.past.append(past())
        for who, what, amount in (
            (VICTIM, "waiting", "300.00"), (THIEF, "waiting", "400.00"),
            (THIEF, "refused", "250.00"), (VICTIM, "sent", "210.00"), (VICTIM, "first", "310.00"),
            (STRANGER, "approved", "220.00"),
        ):  # fmt: skip
            self.wait(who, what, amount)
        self.engine(DEFAULT, "anna").refuse_decision(
            ids[f"{THIEF} refused decision"], Refusal(reason="OTHER")
        )
        for what in ("victim sent", "stranger approved"):
            self.approve("anna", what)
            self.approve("ben", what)
            if what == "victim sent":
                self.passes(1)
                self.work()
        self.approve("anna", "victim first")
        freeze = OpenDecision(
            kind="control", subject=ids[STRANGER], control="FROZEN", reason="OTHER"
        )
        ids["stranger frozen"] = self.engine(DEFAULT, "carla").open_decision(freeze).value.id
        facts.past.append(past())
        quote = self.engine(DEFAULT).create_quote(
            "sol-usd", QuoteRequest(amount="20.00", side="buy")
        )
        ids["thief quote"] = quote.value.id
        self.provider.is_silent = True
        with suppress(Exception):
            self.pay_bank(VICTIM, "7.00")
        self.provider.is_silent = False
        kept = self.context.kept
        assert kept is not None
        assert kept.follow(self.context.database) == {}
        self.verifier.turn()
        facts.past.append(past())

    def wait(self, who: str, what: str, amount: str) -> str:
        """A withdrawal that two persons decide about."""
        made = self.facts.ids[f"{who} {what}"] = self.pay_bank(who, amount)
        (decision,) = [
            each.id for each in self.engine(DEFAULT).decisions().data if each.subject == made
        ]
        self.facts.ids[f"{who} {what} decision"] = decision
        return made

    def wait_for_link(self, who: str) -> None:
        try:
            self.link(who)
        except DecisionRequired as required:
            self.facts.ids[f"{who} link decision"] = required.details["decisionId"]
            return
        raise AssertionError("the wallet isn't shared")

    def approve(self, who: str, what: str) -> str:
        decision = self.facts.ids[f"{what} decision"]
        return self.engine(DEFAULT, who).approve_decision(decision, Approval()).value.status

    def refuse(self, who: str, what: str) -> str:
        decision = self.facts.ids[f"{what} decision"]
        request = Refusal(reason="OTHER")
        return self.engine(DEFAULT, who).refuse_decision(decision, request).value.status


_WALLETS = {VICTIM: 0, THIEF: 0, STRANGER: 0}
_AT_GATEWAY: Mapping[str, Step] = {
    "victim pays": lambda bank: bank.pay_bank(VICTIM, "12.00"),
    "frozen pays": lambda bank: bank.pay_bank(STRANGER, "13.00"),
    "thief links": partial(Gateway.link, who=THIEF),
    "stranger links": partial(Gateway.link, who=STRANGER),
    "first while": a_while,
    "ben approves the victim's first": partial(Gateway.approve, who="ben", what="victim first"),
    "anna approves the victim's": partial(Gateway.approve, who="anna", what="victim waiting"),
    "second while": a_while,
    "thief waits": lambda bank: bank.pay_bank(THIEF, "500.00"),
    "thief executes": lambda bank: bank.execute(THIEF, "thief quote"),
    "ben refuses the thief's": partial(Gateway.refuse, who="ben", what="thief waiting"),
    "victim deposits": lambda bank: bank.deposit(VICTIM, "8.00"),
    "third while": a_while,
}
