"""Twenty customers with names, bank accounts and amounts of their own, and a console on them."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tests.tui.conftest import Bench, make_bench
from tests.walker.model import SPACE, Ownership
from tests.world.customers import CustomerSeed, add_customers
from tests.world.files import sealed

from chainteller.service import operations as op
from chainteller.service.errors import OutcomeUnknown, TellerError
from chainteller.service.interface import Service
from chainteller.service.layers import Next, layered
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.counterparties import (
    ChallengeRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
)
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.service.models.pages import Page
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.operations import Call

Answer = TypeVar("Answer")
CUSTOMERS = 20
FIRST_BANK_ACCOUNT = 7001
GIVEN = (
    "Abelard", "Berenike", "Casimir", "Dorothea", "Evander", "Ferelith", "Gandolf", "Hyacinth",
    "Isembard", "Jocasta", "Kasimira", "Leopold", "Mirabel", "Nicanor", "Ottoline", "Peregrin",
    "Quirinus", "Rosamund", "Seraphin", "Theodora",
)  # fmt: skip
FAMILY = (
    "Quimby", "Ravenel", "Stroud", "Tarrant", "Umbers", "Vasquez", "Wexford", "Xanthos",
    "Yarrow", "Zeller", "Applegate", "Birdsong", "Clutter", "Drinkell", "Egerton", "Fothergill",
    "Gascoyne", "Hathersage", "Ironside", "Jessop",
)  # fmt: skip
TOKEN = Currency(type="deposit-token-currency", id="DPT_USD")
MARKETS = ("sol-usd", "btc-usd", "eth-usd")


@dataclass
class Sent:
    """A request as it arrived at the deployment."""

    call: Call[Any]
    answered: bool = True
    refused: str = ""


@dataclass
class Recorder:
    """A layer: learns from every answer, and keeps every request."""

    model: Ownership
    sent: list[Sent] = field(default_factory=list)
    loses_executions: int = 0
    """How many executions are done without an answer from here on."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        entry = Sent(call)
        with self.lock:
            self.sent.append(entry)
        try:
            answer = onward(call)
        except TellerError as error:
            entry.answered, entry.refused = not isinstance(error, OutcomeUnknown), error.code
            with self.lock:
                self.model.learn_refusal(call, getattr(error, "details", {}))
            raise
        self._learn(call, answer)
        with self.lock:
            if call.operation is op.EXECUTE_QUOTE and self.loses_executions:
                self.loses_executions -= 1
                entry.answered = False
                raise OutcomeUnknown("The walker lost the answer.", call.key or "")
        return answer

    def _learn(self, call: Call[Answer], answer: Answer) -> None:
        with self.lock:
            self.model.learn(call, answer)
            if call.operation in {op.MARKETS, op.SHOW_MARKET} and isinstance(answer, Page):
                for row in answer.data:
                    self.model.neutral |= {row.current_price, row.yesterdays_price or ""}

    def taken(self) -> list[Sent]:
        """The requests since the last time."""
        with self.lock:
            taken, self.sent = self.sent, []
        return taken


@dataclass
class WalkerWorld:
    bench: Bench
    model: Ownership
    recorder: Recorder
    service: Service
    accounts: list[str]
    bank_accounts: dict[str, str]
    """Bank account of each trading account."""


@contextmanager
def walker_world(folder: Path, kind: str) -> Iterator[WalkerWorld]:
    """The bank with its customers, each with money, trades and live quotes; some with wallets."""
    for bench in make_bench(folder, kind=kind):
        model = Ownership()
        recorder = Recorder(model)
        _let_in(bench)
        bank = layered(bench.service, recorder)
        accounts = {}
        for number in range(CUSTOMERS):
            account_id, bank_account = _arrange(bank, bench, model, number)
            accounts[account_id] = bank_account
        recorder.taken()
        watched = layered(bench.deployment, recorder)
        yield WalkerWorld(bench, model, recorder, watched, [*accounts], accounts)


def _let_in(bench: Bench) -> None:
    """Customers whose dollars are far from each other's."""
    seeds = [
        CustomerSeed(
            bank_account_id=f"DDA-{FIRST_BANK_ACCOUNT + number}",
            balance_cents=(number + 2) * int(SPACE) * 200,
            type="checking" if number % 2 else "savings",
            name=f"{GIVEN[number]} {FAMILY[number]}",
            reference=f"WALK-{number}",
        )
        for number in range(CUSTOMERS)
    ]
    with sealed(bench.world.context.database) as rows:
        add_customers(rows, seeds)


def _arrange(bank: Service, bench: Bench, model: Ownership, number: int) -> tuple[str, str]:
    bank_account = f"DDA-{FIRST_BANK_ACCOUNT + number}"
    kind = "checking" if number % 2 else "savings"
    asked = OpenTradingAccount(bank_account_id=bank_account, bank_account_type=kind)
    account = bank.open_trading_account(asked).value
    model.learn(Call(op.SHOW_TRADING_ACCOUNT), bench.world.engine.trading_account(account.id))
    model.places[account.id] = number + 1
    dollars = (number + 1) * int(SPACE) + 1_500_000 + number * 137
    request = DepositRequest(amount=f"{dollars}.{30 + number}", currency=TOKEN)
    bank.deposit(account.id, request)
    execute = ExecuteRequest(trading_account_id=account.id)
    for count in range(2):
        amount = f"{3000 + number * 211 + count * 53}.{30 + number}"
        model.typed(account.id, amount)
        wanted = QuoteRequest(amount=amount, side="buy", trading_account_id=account.id)
        quote = bank.create_quote(MARKETS[(number + count) % 3], wanted).value
        if not count:
            bank.execute_quote(quote.id, execute)
    bench.world.advance(3)
    if number % 3 == 0:
        _wallet(bank, account.id, number)
    return account.id, bank_account


def _wallet(bank: Service, account_id: str, number: int) -> None:
    request = OpenBlockchainAccount(trading_account_id=account_id, network="ethereum")
    owned = bank.open_blockchain_account(request).value
    address = f"0x{0x1000_0000_0000 + number * 7919:040x}"
    wallet = bank.register_counterparty(
        RegisterCounterparty(address=address, network="ethereum")
    ).value
    bank.create_challenge(owned.id, ChallengeRequest(counterparty_id=wallet.id))
