"""The embedded deployment: one line and one transaction per operation."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from sqlalchemy import Connection

from chainteller import __version__
from chainteller.domain.actors import Actor
from chainteller.domain.assets import MARKETS
from chainteller.domain.transfers import Direction
from chainteller.engine import (
    accounts,
    blockchain_accounts,
    challenges,
    claims,
    counterparties,
    currencies,
    deposits,
    due,
    limits,
    markets,
    quotes,
    reading,
    trades,
    transactions,
    transfers,
    withdrawals,
)
from chainteller.engine.context import EngineContext, EngineOptions
from chainteller.engine.unit_of_work import Call, UnitOfWork, now, write
from chainteller.service.interface import ALL
from chainteller.service.models.accounts import (
    Customer,
    OpenTradingAccount,
    TokenBalance,
    TradingAccount,
)
from chainteller.service.models.base import WireModel, Written
from chainteller.service.models.counterparties import (
    BlockchainAccount,
    Challenge,
    ChallengeRequest,
    ClaimRequest,
    Counterparty,
    LinkRequest,
    OpenBlockchainAccount,
    OwnershipClaim,
    RegisterCounterparty,
    ReverificationRequest,
    SignatureDiagnosis,
)
from chainteller.service.models.funding import (
    DepositRequest,
    LimitUsage,
    Transfer,
    WithdrawalRequest,
)
from chainteller.service.models.markets import Market, PriceSample
from chainteller.service.models.pages import ListQuery, Page
from chainteller.service.models.quotes import ExecuteRequest, Quote, QuoteRequest
from chainteller.service.models.records import AuditRow, Capabilities, EventPage
from chainteller.service.models.trades import Trade
from chainteller.service.models.trades import Transaction as AnyTransaction
from chainteller.storage import chain
from chainteller.wallets.networks import network_names

__all__ = ["EngineContext", "Engine", "EngineOptions"]

Model = TypeVar("Model", bound=WireModel)
Answer = TypeVar("Answer")
FEATURES = (
    "trading-accounts",
    "deposits",
    "withdrawals",
    "transactions",
    "limits",
    "market",
    "prices",
    "quotes",
    "all-trades",
    "transaction-by-id",
    "blockchain-accounts",
    "challenges",
    "challenge-by-id",
    "claim-by-id",
    "diagnoses",
    "reverifications",
    "counterparties",
    "customers",
    "events",
    "audit",
    "audit-of-account",
)


@dataclass(frozen=True, slots=True)
class Engine:
    """``Service`` over a database, in the name of one actor; threads may share it."""

    context: EngineContext
    actor: Actor = field(default_factory=Actor)

    def acting_as(self, actor: Actor) -> "Engine":
        return Engine(self.context, actor)

    def close(self) -> None:
        self.context.database.close()

    def run_due(self, limit: int = 1_000) -> int:
        """Do what is due now; how many pieces of work were done."""
        return due.run(self.context, limit)

    def next_due(self) -> int | None:
        """The instant at which the next work is due."""
        return due.next_at(self.context)

    def now(self) -> int:
        return self._read(lambda connection: now(self.context, connection))

    def _read(self, query: Callable[[Connection], Answer]) -> Answer:
        with self.context.database.read() as connection:
            return query(connection)

    def _write(self, call: Call[Model], work: Callable[[UnitOfWork], Model]) -> Written[Model]:
        return write(self.context, self.actor, call, work)

    @property
    def _org(self) -> str:
        return self.actor.organisation

    def capabilities(self) -> Capabilities:
        return Capabilities(
            name=self.context.options.bank_name,
            version=__version__,
            features=FEATURES,
            currencies=currencies.offers(),
            networks=network_names(test_networks=self.context.options.test_networks),
            markets=tuple(market.name for market in MARKETS),
        )

    def open_trading_account(
        self, request: OpenTradingAccount, *, idempotency_key: str | None = None
    ) -> Written[TradingAccount]:
        call = Call("open_trading_account", TradingAccount, (), request, idempotency_key)
        return self._write(call, lambda tx: accounts.open_account(tx, request))

    def trading_accounts(self, query: ListQuery = ALL) -> Page[TradingAccount]:
        return self._read(lambda c: accounts.page(self.context, c, self._org, query))

    def trading_account(self, account_id: str) -> TradingAccount:
        return self._read(lambda c: accounts.show(self.context, c, self._org, account_id))

    def token_balances(self, account_id: str, *, include_zero: bool = False) -> Page[TokenBalance]:
        return self._read(
            lambda c: accounts.token_balances(
                self.context, c, self._org, account_id, include_zero=include_zero
            )
        )

    def customers(self, query: ListQuery = ALL) -> Page[Customer]:
        return self._read(lambda c: accounts.customers(c, self._org, query))

    def deposit(
        self, account_id: str, request: DepositRequest, *, idempotency_key: str | None = None
    ) -> Written[Transfer]:
        call = Call("deposit", Transfer, (account_id,), request, idempotency_key)
        return self._write(call, lambda tx: deposits.request_deposit(tx, account_id, request))

    def deposits(self, account_id: str, query: ListQuery = ALL) -> Page[Transfer]:
        return self._read(
            lambda c: transfers.page(c, self._org, account_id, query, Direction.DEPOSIT)
        )

    def deposit_record(self, account_id: str, deposit_id: str) -> Transfer:
        return self._read(
            lambda c: transfers.show(c, self._org, account_id, deposit_id, Direction.DEPOSIT)
        )

    def withdraw(
        self, account_id: str, request: WithdrawalRequest, *, idempotency_key: str | None = None
    ) -> Written[Transfer]:
        call = Call("withdraw", Transfer, (account_id,), request, idempotency_key)
        return self._write(call, lambda tx: withdrawals.request_withdrawal(tx, account_id, request))

    def withdrawals(self, account_id: str, query: ListQuery = ALL) -> Page[Transfer]:
        return self._read(
            lambda c: transfers.page(c, self._org, account_id, query, Direction.WITHDRAWAL)
        )

    def withdrawal_record(self, account_id: str, withdrawal_id: str) -> Transfer:
        return self._read(
            lambda c: transfers.show(c, self._org, account_id, withdrawal_id, Direction.WITHDRAWAL)
        )

    def cancel_withdrawal(
        self, account_id: str, withdrawal_id: str, *, idempotency_key: str | None = None
    ) -> Written[Transfer]:
        path = (account_id, withdrawal_id)
        call = Call("cancel_withdrawal", Transfer, path, None, idempotency_key)
        return self._write(call, lambda tx: withdrawals.cancel(tx, account_id, withdrawal_id))

    def transactions(self, account_id: str, query: ListQuery = ALL) -> Page[AnyTransaction]:
        return self._read(lambda c: transactions.page(c, self._org, account_id, query))

    def transaction(self, account_id: str, transaction_id: str) -> AnyTransaction:
        return self._read(lambda c: transactions.show(c, self._org, account_id, transaction_id))

    def transaction_by_id(self, transaction_id: str) -> AnyTransaction:
        return self._read(lambda c: transactions.show_any(c, self._org, transaction_id))

    def limits(self, account_id: str) -> Page[LimitUsage]:
        return self._read(lambda c: limits.show(self.context, c, self._org, account_id))

    def markets(self, names: tuple[str, ...] = ()) -> Page[Market]:
        return self._read(
            lambda c: markets.all_markets(self.context, c, names, now(self.context, c))
        )

    def market(self, name: str) -> Market:
        return self._read(lambda c: markets.one_market(self.context, c, name, now(self.context, c)))

    def prices(self, market: str) -> Page[PriceSample]:
        return self._read(lambda c: markets.samples(self.context, market, now(self.context, c)))

    def create_quote(
        self, market: str, request: QuoteRequest, *, idempotency_key: str | None = None
    ) -> Written[Quote]:
        call = Call("create_quote", Quote, (market,), request, idempotency_key)
        return self._write(call, lambda tx: quotes.create(tx, market, request))

    def quote(self, quote_id: str) -> Quote:
        return self._read(lambda c: quotes.show(self.context, c, self._org, quote_id))

    def quotes(self, query: ListQuery = ALL) -> Page[Quote]:
        return self._read(lambda c: quotes.page(self.context, c, self._org, query))

    def execute_quote(
        self, quote_id: str, request: ExecuteRequest, *, idempotency_key: str | None = None
    ) -> Written[Trade]:
        call = Call("execute_quote", Trade, (quote_id,), request, idempotency_key)
        return self._write(call, lambda tx: quotes.execute(tx, quote_id, request))

    def trade(self, account_id: str, trade_id: str) -> Trade:
        return self._read(lambda c: trades.show(c, self._org, account_id, trade_id))

    def trades(self, account_id: str, query: ListQuery = ALL) -> Page[Trade]:
        return self._read(lambda c: trades.page(c, self._org, account_id, query))

    def all_trades(self, query: ListQuery = ALL) -> Page[Trade]:
        return self._read(lambda c: trades.page_of_all(c, self._org, query))

    def cancel_trade(
        self, account_id: str, trade_id: str, *, idempotency_key: str | None = None
    ) -> Written[Trade]:
        path = (account_id, trade_id)
        call = Call("cancel_trade", Trade, path, None, idempotency_key)
        return self._write(call, lambda tx: trades.cancel(tx, account_id, trade_id))

    def open_blockchain_account(
        self, request: OpenBlockchainAccount, *, idempotency_key: str | None = None
    ) -> Written[BlockchainAccount]:
        call = Call("open_blockchain_account", BlockchainAccount, (), request, idempotency_key)
        return self._write(call, lambda tx: blockchain_accounts.open_account(tx, request))

    def blockchain_accounts(self, query: ListQuery = ALL) -> Page[BlockchainAccount]:
        return self._read(lambda c: blockchain_accounts.page(c, self._org, query))

    def blockchain_account(self, blockchain_account_id: str) -> BlockchainAccount:
        return self._read(lambda c: blockchain_accounts.show(c, self._org, blockchain_account_id))

    def register_counterparty(
        self, request: RegisterCounterparty, *, idempotency_key: str | None = None
    ) -> Written[Counterparty]:
        call = Call("register_counterparty", Counterparty, (), request, idempotency_key)
        return self._write(call, lambda tx: counterparties.register(tx, request))

    def counterparties(self, query: ListQuery = ALL) -> Page[Counterparty]:
        return self._read(lambda c: counterparties.page(c, self._org, query))

    def counterparty(self, counterparty_id: str) -> Counterparty:
        return self._read(lambda c: counterparties.show(c, self._org, counterparty_id))

    def create_challenge(
        self,
        blockchain_account_id: str,
        request: ChallengeRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Written[Challenge]:
        path = (blockchain_account_id,)
        call = Call("create_challenge", Challenge, path, request, idempotency_key)
        return self._write(call, lambda tx: challenges.create(tx, blockchain_account_id, request))

    def challenges(self, blockchain_account_id: str, query: ListQuery = ALL) -> Page[Challenge]:
        return self._read(
            lambda c: challenges.page(self.context, c, self._org, blockchain_account_id, query)
        )

    def challenge_by_id(self, challenge_id: str) -> Challenge:
        return self._read(lambda c: challenges.show(self.context, c, self._org, challenge_id))

    def submit_claim(
        self,
        blockchain_account_id: str,
        request: ClaimRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Written[OwnershipClaim]:
        prepared = claims.prepare(self.context, self._org, blockchain_account_id, request)
        path = (blockchain_account_id,)
        call = Call("submit_claim", OwnershipClaim, path, request, idempotency_key)
        return self._write(
            call, lambda tx: claims.submit(tx, blockchain_account_id, request, prepared)
        )

    def claim_by_id(self, claim_id: str) -> OwnershipClaim:
        return self._read(lambda c: claims.show(self.context, c, self._org, claim_id))

    def diagnose_signature(
        self, blockchain_account_id: str, request: ClaimRequest
    ) -> SignatureDiagnosis:
        return claims.explain(self.context, self._org, blockchain_account_id, request)

    def link_counterparty(
        self,
        blockchain_account_id: str,
        request: LinkRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Written[Counterparty]:
        path = (blockchain_account_id,)
        call = Call("link_counterparty", Counterparty, path, request, idempotency_key)
        return self._write(call, lambda tx: counterparties.link(tx, blockchain_account_id, request))

    def linked_counterparties(
        self, blockchain_account_id: str, query: ListQuery = ALL
    ) -> Page[Counterparty]:
        return self._read(
            lambda c: counterparties.linked_page(
                self.context, c, self._org, blockchain_account_id, query
            )
        )

    def require_reverification(
        self,
        blockchain_account_id: str,
        counterparty_id: str,
        request: ReverificationRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Written[Counterparty]:
        path = (blockchain_account_id, counterparty_id)
        call = Call("require_reverification", Counterparty, path, request, idempotency_key)
        return self._write(
            call, lambda tx: counterparties.require_reverification(tx, *path, request)
        )

    def events(self, after: int = 0, limit: int = 100) -> EventPage:
        bounded = max(1, min(limit, 1_000))
        found, following = self._read(lambda c: chain.events_after(c, self._org, after, bounded))
        return EventPage(data=found, next=following)

    def audit(self, query: ListQuery = ALL) -> Page[AuditRow]:
        checked = reading.checked_query(query)
        found, total = self._read(lambda c: chain.audit_page(c, self._org, checked))
        return reading.page(found, total, checked)
