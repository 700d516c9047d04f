"""What any deployment promises, embedded or remote: the specification's calls and our additions.

Every method is synchronous and raises ``TellerError`` only. Besides what its docstring names,
each may raise ``ServiceUnavailable`` (embedded) or a ``ClientError`` (remote). Writes take an
idempotency key: the same key with the same request gives the first outcome again; with another
request it is ``IdempotencyKeyReused``.

The order in which a call is checked: key, scope, body, records of the path, state of the
record, controls and preconditions, market, limits, funds.
"""

from typing import Protocol

from chainteller.service.models.accounts import (
    Customer,
    OpenTradingAccount,
    TokenBalance,
    TradingAccount,
)
from chainteller.service.models.base import Written
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
from chainteller.service.models.trades import Trade, Transaction

ALL = ListQuery()


class Trading(Protocol):
    """Part A of the specification with its additions."""

    def open_trading_account(
        self, request: OpenTradingAccount, *, idempotency_key: str | None = None
    ) -> Written[TradingAccount]:
        """Raises NotFound, UnsupportedAccountType, TermsNotAccepted, KycRequired,
        AccountRestricted, Conflict (``details.id`` is the open account)."""

    def trading_accounts(self, query: ListQuery = ALL) -> Page[TradingAccount]:
        """Honours ``text`` (id, bank account, customer), ``bank_account_id`` and ``sort``."""

    def trading_account(self, account_id: str) -> TradingAccount:
        """Raises NotFound."""

    def deposit(
        self, account_id: str, request: DepositRequest, *, idempotency_key: str | None = None
    ) -> Written[Transfer]:
        """Raises NotFound, ValidationFailed, ExceedsPrecision, UnsupportedCurrency,
        TermsNotAccepted, KycRequired, AccountRestricted, InsufficientFunds (of the bank)."""

    def withdraw(
        self, account_id: str, request: WithdrawalRequest, *, idempotency_key: str | None = None
    ) -> Written[Transfer]:
        """Raises as ``deposit`` does, and LimitExceeded, NetworkMismatch, DestinationOnHold."""

    def cancel_withdrawal(
        self, account_id: str, withdrawal_id: str, *, idempotency_key: str | None = None
    ) -> Written[Transfer]:
        """Raises NotFound, WithdrawalNotCancellable. A cancelled one is answered again."""

    def token_balances(self, account_id: str, *, include_zero: bool = False) -> Page[TokenBalance]:
        """Raises NotFound."""

    def deposits(self, account_id: str, query: ListQuery = ALL) -> Page[Transfer]:
        """Honours ``status`` and ``created``. Raises NotFound."""

    def deposit_record(self, account_id: str, deposit_id: str) -> Transfer:
        """Raises NotFound."""

    def withdrawals(self, account_id: str, query: ListQuery = ALL) -> Page[Transfer]:
        """Honours ``status`` and ``created``. Raises NotFound."""

    def withdrawal_record(self, account_id: str, withdrawal_id: str) -> Transfer:
        """Raises NotFound."""

    def transactions(self, account_id: str, query: ListQuery = ALL) -> Page[Transaction]:
        """Deposits, withdrawals and trades. Honours ``type``. Raises NotFound."""

    def transaction(self, account_id: str, transaction_id: str) -> Transaction:
        """Raises NotFound."""

    def transaction_by_id(self, transaction_id: str) -> Transaction:
        """A transaction of any account of the organisation. Raises NotFound."""

    def limits(self, account_id: str) -> Page[LimitUsage]:
        """Raises NotFound."""

    def markets(self, names: tuple[str, ...] = ()) -> Page[Market]:
        """All markets, or the named ones; an unknown name is simply absent."""

    def market(self, name: str) -> Market:
        """Raises UnsupportedMarket."""

    def prices(self, market: str) -> Page[PriceSample]:
        """Recent samples, oldest first. Raises UnsupportedMarket."""

    def create_quote(
        self, market: str, request: QuoteRequest, *, idempotency_key: str | None = None
    ) -> Written[Quote]:
        """Raises UnsupportedMarket, ValidationFailed, ExceedsPrecision, MarketUnavailable,
        AmountBelowMinimum, LimitExceeded (``scope`` order), RateLimited."""

    def quote(self, quote_id: str) -> Quote:
        """Raises NotFound."""

    def quotes(self, query: ListQuery = ALL) -> Page[Quote]:
        """Honours ``status``, ``side``, ``market``, ``trading_account_id`` and ``created``."""

    def execute_quote(
        self, quote_id: str, request: ExecuteRequest, *, idempotency_key: str | None = None
    ) -> Written[Trade]:
        """Raises NotFound, QuoteAlreadyUsed, QuoteExpired, QuoteAccountMismatch,
        AccountRestricted, TermsNotAccepted, KycRequired, MarketUnavailable, InsufficientFunds."""

    def trade(self, account_id: str, trade_id: str) -> Trade:
        """Raises NotFound."""

    def trades(self, account_id: str, query: ListQuery = ALL) -> Page[Trade]:
        """Honours ``status``, ``side``, ``market`` and ``created``. Raises NotFound."""

    def all_trades(self, query: ListQuery = ALL) -> Page[Trade]:
        """The trades of every account of the organisation; filters as in ``trades``."""

    def cancel_trade(
        self, account_id: str, trade_id: str, *, idempotency_key: str | None = None
    ) -> Written[Trade]:
        """Raises NotFound, TradeNotCancellable. A cancelled one is answered again."""


class Wallets(Protocol):
    """Part B of the specification with its additions."""

    def open_blockchain_account(
        self, request: OpenBlockchainAccount, *, idempotency_key: str | None = None
    ) -> Written[BlockchainAccount]:
        """Raises NotFound, UnsupportedNetwork, AccountRestricted."""

    def blockchain_accounts(self, query: ListQuery = ALL) -> Page[BlockchainAccount]:
        """Honours ``trading_account_id``."""

    def blockchain_account(self, blockchain_account_id: str) -> BlockchainAccount:
        """Raises NotFound."""

    def register_counterparty(
        self, request: RegisterCounterparty, *, idempotency_key: str | None = None
    ) -> Written[Counterparty]:
        """Raises UnsupportedNetwork, InvalidAddress. A known address is answered again."""

    def counterparties(self, query: ListQuery = ALL) -> Page[Counterparty]:
        """Honours ``text`` (id or address)."""

    def counterparty(self, counterparty_id: str) -> Counterparty:
        """Raises NotFound."""

    def create_challenge(
        self,
        blockchain_account_id: str,
        request: ChallengeRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Written[Challenge]:
        """Raises NotFound, NetworkMismatch, ValidationFailed."""

    def challenges(self, blockchain_account_id: str, query: ListQuery = ALL) -> Page[Challenge]:
        """The account's challenges, newest first. Raises NotFound."""

    def challenge_by_id(self, challenge_id: str) -> Challenge:
        """A challenge of any account of the organisation. Raises NotFound."""

    def submit_claim(
        self,
        blockchain_account_id: str,
        request: ClaimRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Written[OwnershipClaim]:
        """Raises NotFound, Conflict, ChallengeAlreadyUsed, ChallengeLocked, InvalidSignature."""

    def claim_by_id(self, claim_id: str) -> OwnershipClaim:
        """A claim of any account of the organisation. Raises NotFound."""

    def diagnose_signature(
        self, blockchain_account_id: str, request: ClaimRequest
    ) -> SignatureDiagnosis:
        """As ``submit_claim``, but changes nothing and burns no attempt."""

    def link_counterparty(
        self,
        blockchain_account_id: str,
        request: LinkRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Written[Counterparty]:
        """Raises NotFound, ClaimAlreadyUsed, ClaimExpired, Conflict, InvalidAddress."""

    def linked_counterparties(
        self, blockchain_account_id: str, query: ListQuery = ALL
    ) -> Page[Counterparty]:
        """Raises NotFound."""

    def require_reverification(
        self,
        blockchain_account_id: str,
        counterparty_id: str,
        request: ReverificationRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Written[Counterparty]:
        """Ends a verification at once. Raises NotFound, ValidationFailed, Conflict."""


class Desk(Protocol):
    """What a console needs beyond both parts."""

    def capabilities(self) -> Capabilities:
        """What this deployment offers."""

    def customers(self, query: ListQuery = ALL) -> Page[Customer]:
        """The core bank's customers by ``text``: name, reference or bank account."""

    def events(self, after: int = 0, limit: int = 100) -> EventPage:
        """Events after a cursor, oldest first; ``after`` -1 asks for the newest cursor alone."""

    def audit(self, query: ListQuery = ALL) -> Page[AuditRow]:
        """Audit rows, newest first; ``text`` is an object's id, ``trading_account_id`` an account
        whose trail holds all that was done to it, done or refused."""


class Service(Trading, Wallets, Desk, Protocol):
    """A deployment."""
