"""Part A of the specification over HTTP."""

from chainteller.remote.connection import Connection
from chainteller.remote.queries import listing, segment
from chainteller.service.errors import NotFound, ReplyUnusable, UnsupportedMarket
from chainteller.service.features import Feature
from chainteller.service.interface import ALL
from chainteller.service.models.accounts import OpenTradingAccount, TokenBalance, TradingAccount
from chainteller.service.models.base import Written
from chainteller.service.models.funding import (
    DepositRequest,
    LimitUsage,
    Transfer,
    WithdrawalRequest,
)
from chainteller.service.models.markets import Market, PriceSample
from chainteller.service.models.pages import ListQuery, Page
from chainteller.service.models.quotes import ExecuteRequest, Quote, QuoteRequest
from chainteller.service.models.trades import Trade, Transaction

_TRADE_FILTERS = ("status", "side", "market", "created_gte", "created_lt")
_TRANSFER_FILTERS = ("status", "created_gte", "created_lt")


class RemoteTrading:
    """Each method is its line of the specification's table; errors are those of ``Trading``."""

    _at: Connection

    def open_trading_account(
        self, request: OpenTradingAccount, *, idempotency_key: str | None = None
    ) -> Written[TradingAccount]:
        return self._at.write("/trading-accounts", request, TradingAccount, idempotency_key)

    def trading_accounts(self, query: ListQuery = ALL) -> Page[TradingAccount]:
        asked = listing(query, "text", "bank_account_id")
        found: Page[TradingAccount] = self._at.read(
            "/trading-accounts", Page[TradingAccount], asked, Feature.TRADING_ACCOUNTS
        )
        return found

    def trading_account(self, account_id: str) -> TradingAccount:
        found: TradingAccount = self._at.read(
            _account(account_id), TradingAccount, needs=Feature.TRADING_ACCOUNTS
        )
        return found

    def deposit(
        self, account_id: str, request: DepositRequest, *, idempotency_key: str | None = None
    ) -> Written[Transfer]:
        path = f"{_account(account_id)}/deposits"
        return self._at.write(path, request, Transfer, idempotency_key)

    def withdraw(
        self, account_id: str, request: WithdrawalRequest, *, idempotency_key: str | None = None
    ) -> Written[Transfer]:
        path = f"{_account(account_id)}/withdrawals"
        return self._at.write(path, request, Transfer, idempotency_key)

    def cancel_withdrawal(
        self, account_id: str, withdrawal_id: str, *, idempotency_key: str | None = None
    ) -> Written[Transfer]:
        self._at.require(Feature.WITHDRAWAL_CANCELLATIONS)
        record = segment(withdrawal_id, "withdrawal")
        path = f"{_account(account_id)}/withdrawals/{record}/cancellations"
        return self._at.write(path, None, Transfer, idempotency_key)

    def token_balances(self, account_id: str, *, include_zero: bool = False) -> Page[TokenBalance]:
        query = (("includeZero", "true"),) if include_zero else ()
        found: Page[TokenBalance] = self._at.read(
            f"{_account(account_id)}/token-balances", Page[TokenBalance], query
        )
        return found

    def deposits(self, account_id: str, query: ListQuery = ALL) -> Page[Transfer]:
        path, asked = f"{_account(account_id)}/deposits", listing(query, *_TRANSFER_FILTERS)
        found: Page[Transfer] = self._at.read(path, Page[Transfer], asked, Feature.DEPOSITS)
        return found

    def deposit_record(self, account_id: str, deposit_id: str) -> Transfer:
        path = f"{_account(account_id)}/deposits/{segment(deposit_id, 'deposit')}"
        found: Transfer = self._at.read(path, Transfer, needs=Feature.DEPOSITS)
        return found

    def withdrawals(self, account_id: str, query: ListQuery = ALL) -> Page[Transfer]:
        path, asked = f"{_account(account_id)}/withdrawals", listing(query, *_TRANSFER_FILTERS)
        found: Page[Transfer] = self._at.read(path, Page[Transfer], asked, Feature.WITHDRAWALS)
        return found

    def withdrawal_record(self, account_id: str, withdrawal_id: str) -> Transfer:
        path = f"{_account(account_id)}/withdrawals/{segment(withdrawal_id, 'withdrawal')}"
        found: Transfer = self._at.read(path, Transfer, needs=Feature.WITHDRAWALS)
        return found

    def transactions(self, account_id: str, query: ListQuery = ALL) -> Page[Transaction]:
        found: Page[Transaction] = self._at.read(
            f"{_account(account_id)}/transactions",
            Page[Transaction],
            listing(query, "type"),
            Feature.TRANSACTIONS,
        )
        return found

    def transaction(self, account_id: str, transaction_id: str) -> Transaction:
        path = f"{_account(account_id)}/transactions/{segment(transaction_id, 'transaction')}"
        found: Transaction = self._at.read(path, Transaction, needs=Feature.TRANSACTIONS)
        return found

    def transaction_by_id(self, transaction_id: str) -> Transaction:
        path = f"/trading/transactions/{segment(transaction_id, 'transaction')}"
        found: Transaction = self._at.read(path, Transaction, needs=Feature.TRANSACTION_BY_ID)
        return found

    def limits(self, account_id: str) -> Page[LimitUsage]:
        found: Page[LimitUsage] = self._at.read(
            f"{_account(account_id)}/limits", Page[LimitUsage], needs=Feature.LIMITS
        )
        return found

    def markets(self, names: tuple[str, ...] = ()) -> Page[Market]:
        query = (("filter[name]", ",".join(names)),) if names else ()
        found: Page[Market] = self._at.read("/trading/markets", Page[Market], query)
        return found

    def market(self, name: str) -> Market:
        """On a deployment of the bare specification it is picked from the list."""
        if self._at.offers(Feature.MARKET):
            found: Market = self._at.read(f"/trading/markets/{_market(name)}", Market)
            return found
        listed = self.markets()
        for market in listed.data:
            if market.market_name == name:
                return market
        supported = [market.market_name for market in listed.data]
        raise UnsupportedMarket("No such market.", {"market": name, "supported": supported})

    def prices(self, market: str) -> Page[PriceSample]:
        path = f"/trading/markets/{_market(market)}/prices"
        found: Page[PriceSample] = self._at.read(path, Page[PriceSample], needs=Feature.PRICES)
        return found

    def create_quote(
        self, market: str, request: QuoteRequest, *, idempotency_key: str | None = None
    ) -> Written[Quote]:
        """The side goes into the query too, as in the specification's example (4.2)."""
        path = f"/trading/markets/{_market(market)}/quotes"
        side = (("side", request.side),)
        made = self._at.write(path, request, Page[Quote], idempotency_key, side)
        if not made.value.data:
            raise ReplyUnusable("The answer carries no quote.")
        return Written(made.value.data[0], made.created, made.replayed)

    def quote(self, quote_id: str) -> Quote:
        path = f"/trading/quotes/{segment(quote_id, 'quote')}"
        found: Quote = self._at.read(path, Quote, needs=Feature.QUOTES)
        return found

    def quotes(self, query: ListQuery = ALL) -> Page[Quote]:
        asked = listing(query, *_TRADE_FILTERS, "trading_account_id")
        found: Page[Quote] = self._at.read("/trading/quotes", Page[Quote], asked, Feature.QUOTES)
        return found

    def execute_quote(
        self, quote_id: str, request: ExecuteRequest, *, idempotency_key: str | None = None
    ) -> Written[Trade]:
        path = f"/trading/quotes/{segment(quote_id, 'quote')}"
        return self._at.write(path, request, Trade, idempotency_key)

    def trade(self, account_id: str, trade_id: str) -> Trade:
        found: Trade = self._at.read(_trade(account_id, trade_id), Trade)
        return found

    def trades(self, account_id: str, query: ListQuery = ALL) -> Page[Trade]:
        asked = listing(query, *_TRADE_FILTERS)
        found: Page[Trade] = self._at.read(f"{_account(account_id)}/trades", Page[Trade], asked)
        return found

    def all_trades(self, query: ListQuery = ALL) -> Page[Trade]:
        asked = listing(query, *_TRADE_FILTERS)
        found: Page[Trade] = self._at.read(
            "/trading/trades", Page[Trade], asked, Feature.ALL_TRADES
        )
        return found

    def cancel_trade(
        self, account_id: str, trade_id: str, *, idempotency_key: str | None = None
    ) -> Written[Trade]:
        path = f"{_trade(account_id, trade_id)}/cancellations"
        return self._at.write(path, None, Trade, idempotency_key)


def _account(account_id: str) -> str:
    return f"/trading-accounts/{segment(account_id, 'trading account')}"


def _trade(account_id: str, trade_id: str) -> str:
    return f"{_account(account_id)}/trades/{segment(trade_id, 'trade')}"


def _market(name: str) -> str:
    """Raises UnsupportedMarket for what cannot be a market's name."""
    try:
        return segment(name, "market")
    except NotFound:
        raise UnsupportedMarket("No such market.", {"market": name, "supported": []}) from None
