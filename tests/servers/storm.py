"""Clients that race for the same funds, quotes, limits, cancels and fills over several servers.

Each write has an idempotency key and is repeated, at the other server, until it has an answer:
so that what was acknowledged can be counted against what the database holds.
"""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from chainteller.domain.randomness import SeededRandomness, below
from chainteller.remote.client import RemoteService
from chainteller.service.errors import (
    IdempotencyInProgress,
    OutcomeUnknown,
    ServiceError,
    ServiceUnreachable,
)
from chainteller.service.models.base import Written
from chainteller.service.models.funding import Currency, DepositRequest, WithdrawalRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest

TOKEN = Currency(type="deposit-token-currency", id="DPT_USD")
BUSINESS = frozenset(
    {
        "INSUFFICIENT_FUNDS",
        "QUOTE_ALREADY_USED",
        "QUOTE_EXPIRED",
        "TRADE_NOT_CANCELLABLE",
        "WITHDRAWAL_NOT_CANCELLABLE",
        "LIMIT_EXCEEDED",
    }
)
"""Refusals that a race may rightly end in; any other is a fault."""
_TRIES = 40

Ask = Callable[[RemoteService, str], Written[Any]]


@dataclass
class Storm:
    """``effects`` counts what was acknowledged; ``faults`` is what no client should ever see."""

    addresses: Sequence[str]
    api_key: str
    accounts: Sequence[str]
    effects: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    _quotes: list[str] = field(default_factory=list)
    _trades: list[tuple[str, str]] = field(default_factory=list)
    _withdrawals: list[tuple[str, str]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def rage(self, clients: int, steps: int, meanwhile: Callable[[], None] | None = None) -> None:
        """Run all clients to their ends; ``meanwhile`` runs beside them."""
        with ThreadPoolExecutor(clients + 1) as pool:
            running = [pool.submit(self._client, number, steps) for number in range(clients)]
            if meanwhile is not None:
                running.append(pool.submit(meanwhile))
            for each in running:
                each.result()

    def _client(self, number: int, steps: int) -> None:
        dice = SeededRandomness(f"storm-{number}")
        services = [RemoteService(address, self.api_key) for address in self.addresses]
        moves = [self._deposit, self._quote, self._execute, self._execute, self._cancel]
        moves += [self._withdraw, self._cancel_withdrawal]
        try:
            for step in range(steps):
                shuffled = services[:: 1 if below(dice, 2) else -1]
                moves[below(dice, len(moves))](shuffled, dice, f"{number}-{step}")
        finally:
            for each in services:
                each.close()

    def _said(self, services: Sequence[RemoteService], kind: str, key: str, ask: Ask) -> Any:
        """The answer's value; None when it was refused. One write in five is sent twice at once."""
        if below(SeededRandomness(key), 5):
            return self._counted(kind, self._answer(services, key, ask))
        with ThreadPoolExecutor(2) as pool:
            both = list(
                pool.map(lambda order: self._answer(order, key, ask), (services, services[::-1]))
            )
        values = {str(value) for value, _ in both if value is not None}
        if len(values) > 1 and kind not in ("cancel", "cancel withdrawal"):
            self.faults.append(f"{kind} {key}: two outcomes under one key: {values}")
        return self._counted(kind, next((each for each in both if each[0] is not None), both[0]))

    def _answer(
        self, services: Sequence[RemoteService], key: str, ask: Ask
    ) -> tuple[Any, str | None]:
        for attempt in range(_TRIES):
            try:
                return ask(services[attempt % len(services)], key).value, None
            except (OutcomeUnknown, ServiceUnreachable, IdempotencyInProgress):
                continue
            except ServiceError as refusal:
                return None, f"{refusal.code} {refusal.details}"
        return None, "NO ANSWER"

    def _counted(self, kind: str, outcome: tuple[Any, str | None]) -> Any:
        value, refusal = outcome
        with self._lock:
            if refusal is None:
                self.effects[kind] += 1
            elif (code := refusal.partition(" ")[0]) in BUSINESS:
                self.refusals[code] += 1
            else:
                self.faults.append(f"{kind}: {refusal}")
        return value

    def _one_of(self, dice: SeededRandomness, choices: Sequence[Any]) -> Any:
        """Mostly among the newest, where the races are; one in four of all, where a race is over
        however busy the machine is."""
        among = choices[-6:] if below(dice, 4) else [*choices]
        return among[below(dice, len(among))] if among else None

    def _deposit(self, services: Sequence[RemoteService], dice: SeededRandomness, key: str) -> None:
        account = self.accounts[below(dice, len(self.accounts))]
        request = DepositRequest(amount="150.00", currency=TOKEN)
        self._said(
            services, "deposit", key, lambda at, k: at.deposit(account, request, idempotency_key=k)
        )

    def _quote(self, services: Sequence[RemoteService], dice: SeededRandomness, key: str) -> None:
        side = "buy" if below(dice, 4) else "sell"
        request = QuoteRequest(amount="400.00" if side == "buy" else "0.5", side=side)
        made = self._said(
            services,
            "quote",
            key,
            lambda at, k: at.create_quote("sol-usd", request, idempotency_key=k),
        )
        if made is not None:
            self._quotes.append(made.id)

    def _execute(self, services: Sequence[RemoteService], dice: SeededRandomness, key: str) -> None:
        quote = self._one_of(dice, self._quotes)
        if quote is None:
            return
        account = self.accounts[below(dice, len(self.accounts))]
        request = ExecuteRequest(trading_account_id=account)
        trade = self._said(
            services,
            "execute",
            key,
            lambda at, k: at.execute_quote(quote, request, idempotency_key=k),
        )
        if trade is not None:
            self._trades.append((account, trade.id))

    def _cancel(self, services: Sequence[RemoteService], dice: SeededRandomness, key: str) -> None:
        trade = self._one_of(dice, self._trades)
        if trade is not None:
            self._said(
                services, "cancel", key, lambda at, k: at.cancel_trade(*trade, idempotency_key=k)
            )

    def _withdraw(
        self, services: Sequence[RemoteService], dice: SeededRandomness, key: str
    ) -> None:
        account = self.accounts[below(dice, len(self.accounts))]
        request = WithdrawalRequest(amount="90.00", currency=TOKEN)
        made = self._said(
            services,
            "withdraw",
            key,
            lambda at, k: at.withdraw(account, request, idempotency_key=k),
        )
        if made is not None:
            self._withdrawals.append((account, made.id))

    def _cancel_withdrawal(
        self, services: Sequence[RemoteService], dice: SeededRandomness, key: str
    ) -> None:
        withdrawal = self._one_of(dice, self._withdrawals)
        if withdrawal is not None:
            self._said(
                services,
                "cancel withdrawal",
                key,
                lambda at, k: at.cancel_withdrawal(*withdrawal, idempotency_key=k),
            )
