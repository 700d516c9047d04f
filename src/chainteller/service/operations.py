"""The operations of a deployment: each is declared here once, and everything else derives from it.

The engine's table, the HTTP routes with their OpenAPI description, the remote client, the request
log, the feature list, the read-only guard and the calls in ``docs/reference/http_api.md`` are made
of these declarations. ``interface.py`` gives each operation a typed method. ``RECORDS`` declares
which names in paths, bodies and queries are those of a customer's records; ``ownership.py`` derives
from it whose records a call is about.

A read operation costs a declaration here, one method there and a function of the engine.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import Enum
from functools import cached_property
from types import UnionType
from typing import Any, ClassVar, Generic, TypeVar

from chainteller.domain.actors import SCOPES
from chainteller.domain.decisions import DecisionKind
from chainteller.domain.transfers import DEPOSIT_TYPE, WITHDRAWAL_TYPE
from chainteller.service import errors
from chainteller.service.errors import ServiceError
from chainteller.service.models.accounts import (
    Customer,
    OpenTradingAccount,
    TokenBalance,
    TradingAccount,
)
from chainteller.service.models.agents import Agent, ApproveAgent, EnrolAgent
from chainteller.service.models.base import RequestModel, WireModel, Written
from chainteller.service.models.books import ClearDispute, Dispute
from chainteller.service.models.counterparties import (
    BlockchainAccount,
    Challenge,
    ChallengeRequest,
    ClaimRequest,
    Counterparty,
    DiagnosisRequest,
    LinkRequest,
    OpenBlockchainAccount,
    OwnershipClaim,
    OwnershipStatement,
    RegisterCounterparty,
    ReverificationRequest,
    SharedWallet,
    SignatureDiagnosis,
    SmallTransfer,
    SmallTransferRequest,
    StatementRequest,
)
from chainteller.service.models.customers import (
    CustomerImport,
    ForgetCustomer,
    ForgottenCustomer,
    ImportCustomers,
)
from chainteller.service.models.decisions import (
    Approval,
    Decision,
    DecisionNote,
    OpenDecision,
    Refusal,
)
from chainteller.service.models.finding import FindQuery, Found
from chainteller.service.models.funding import (
    DepositRequest,
    LimitUsage,
    Transfer,
    WithdrawalRequest,
)
from chainteller.service.models.heads import (
    AuditCheckpoint,
    AuditConsistency,
    AuditProof,
    ConsistencyQuery,
    WalletAttestation,
)
from chainteller.service.models.markets import Market, PriceSample
from chainteller.service.models.notes import AddNote, Note
from chainteller.service.models.pages import (
    DEFAULT_LIMIT,
    MAXIMUM_LIMIT,
    MAXIMUM_PAGE,
    BalancesQuery,
    EventsQuery,
    ListQuery,
    MarketsQuery,
    Page,
)
from chainteller.service.models.quotes import ExecuteRequest, Quote, QuoteRequest
from chainteller.service.models.records import AuditRow, Capabilities, EventPage
from chainteller.service.models.statements import Statement, StatementQuery
from chainteller.service.models.trades import TRADE_TYPE, Trade, Transaction
from chainteller.service.models.webhooks import (
    CreateWebhook,
    ReplayEvents,
    RotateSecret,
    Webhook,
    WebhookTest,
    WebhookWithSecret,
)

Answer = TypeVar("Answer")
Record = TypeVar("Record", bound=WireModel)

ANY_KEY = "any key"
"""The scope of what every valid API key may do."""
IDEMPOTENCY = "idempotency"
"""The feature of a deployment that knows idempotency keys."""
HEADS = "audit-heads"
"""The feature of a deployment that signs heads of its audit log and proves what is in it."""
SHARED_WALLETS_FEATURE = "shared-wallets"
"""The feature of a deployment that says which wallets several customers have verified."""
SMALL_TRANSFERS_FEATURE = "small-transfers"
"""The feature of a deployment that verifies wallets by a small transfer of an exact amount."""
OWNERSHIP_STATEMENTS_FEATURE = "ownership-statements"
"""The feature of a deployment that records statements about wallets for a review."""
DISPUTES_FEATURE = "disputes"
"""The feature of a deployment that verifies its books by itself, and stops payouts on a breach."""
DECISIONS_FEATURE = "decisions"
"""The feature of a deployment in which people decide what waits."""
AGENTS_FEATURE = "agents"
"""The feature of a deployment that knows people with keys of their own, and cases."""
NOTES_FEATURE = "notes"
"""The feature of a deployment that keeps the notes of the team."""
CUSTOMERS_FEATURE = "customer-import"
"""The feature of a deployment whose customers the bank imports."""
WEBHOOKS_FEATURE = "webhooks"
"""The feature of a deployment that sends events to endpoints."""
EVENTS_AT_ONCE = 100
LAST_CURSOR = 2**53 - 1
_UNDECLARED: Any = None


# -- names of records ---------------------------------------------------------------------------

ACCOUNT_ID = "tradingAccountId"
RECORDS: Mapping[str, str] = {
    ACCOUNT_ID: "trading account",
    "quoteId": "quote",
    "tradeId": "trade",
    "depositId": "deposit",
    "withdrawalId": "withdrawal",
    "transactionId": "transaction",
    "blockchainAccountId": "blockchain account",
    "counterpartyId": "wallet",
    "challengeId": "challenge",
    "ownershipChallengeId": "challenge",
    "claimId": "claim",
    "ownershipClaimId": "claim",
    "smallTransferId": "small transfer",
    "ownershipStatementId": "ownership statement",
}
"""Names under which requests and answers carry the id of a customer's record, and what it is."""
SHARED_RECORDS = frozenset({"counterpartyId"})
"""Those of records that several trading accounts may have: a wallet is registered once."""
NOT_RECORDS = frozenset(
    {"bankAccountId", "disputeId", "decisionId", "agentId", "noteId", "webhookId"}
)
"""Other ids in paths and bodies: they identify nothing that belongs to one trading account."""


def _require_declared(operation_id: str, names: Iterable[str]) -> None:
    """Raise ValueError for the name of an id that is in neither of the declarations above."""
    for name in names:
        if name.endswith("Id") and name not in RECORDS and name not in NOT_RECORDS:
            raise ValueError(
                f"{operation_id} names {name}, which isn't declared: add it to RECORDS if it's the "
                "id of a customer's record, else to NOT_RECORDS."
            )


# -- query parameters ---------------------------------------------------------------------------


class Kind(Enum):
    """How a query parameter is written and validated."""

    TEXT = "text"
    TIMESTAMP = "timestamp"
    WHOLE_NUMBER = "whole number"
    FLAG = "flag"
    NAMES = "names"
    """Texts separated by commas."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A query parameter and the field of the query model that it fills.

    ``names`` are its names on the wire; the first is the documented one. ``schema`` is its JSON
    schema; ``minimum``, ``default``, ``maximum`` and ``enum`` in it are enforced. A whole number
    above ``most`` counts as ``most``. ``feature`` is the addition that a deployment needs for it.
    The engine refuses a query without a parameter that ``is_required``.
    """

    field: str
    names: tuple[str, ...]
    kind: Kind
    schema: Mapping[str, Any]
    description: str = ""
    most: int | None = None
    feature: str | None = None
    is_required: bool = False

    @property
    def name(self) -> str:
        return self.names[0]

    def written(self, value: Any) -> str:
        """A value of the field as it stands in a query string."""
        if self.kind is Kind.NAMES:
            return ",".join(value)
        return str(value).lower() if self.kind is Kind.FLAG else str(value)

    def described(self) -> dict[str, Any]:
        """The parameter as OpenAPI describes it."""
        told = {"description": self.description} if self.description else {}
        required = {"required": True} if self.is_required else {}
        return {"name": self.name, **told, **required, "schema": dict(self.schema)}


def _text(field: str, *names: str) -> Parameter:
    return Parameter(field, names, Kind.TEXT, {"type": "string"})


def _timestamp(field: str, name: str) -> Parameter:
    return Parameter(field, (name,), Kind.TIMESTAMP, {"type": "string", "format": "date-time"})


PAGE = Parameter(
    "page",
    ("page", "page[number]"),
    Kind.WHOLE_NUMBER,
    {"type": "integer", "minimum": 1, "maximum": MAXIMUM_PAGE, "default": 1},
)
LIMIT = Parameter(
    "limit",
    ("limit", "page[size]"),
    Kind.WHOLE_NUMBER,
    {"type": "integer", "minimum": 1, "default": DEFAULT_LIMIT},
    f"More than {MAXIMUM_LIMIT} is answered with {MAXIMUM_LIMIT}.",
    most=MAXIMUM_LIMIT,
)
TRANSACTION_TYPES = (
    TRADE_TYPE,
    DEPOSIT_TYPE,
    WITHDRAWAL_TYPE,
)
TEXT = _text("text", "filter[query]", "query")
OBJECT = _text("text", "filter[object]")
SUBJECT = _text("subject", "filter[object]")
BANK_ACCOUNT = _text("bank_account_id", "filter[bankAccountId]")
TRADING_ACCOUNT = _text("trading_account_id", "filter[tradingAccountId]")
AUDITED_ACCOUNT = Parameter(
    "trading_account_id",
    ("filter[tradingAccountId]",),
    Kind.TEXT,
    {"type": "string"},
    feature="audit-of-account",
)
AUDITED_CASE = Parameter(
    "case_id", ("filter[case]",), Kind.TEXT, {"type": "string"}, feature=AGENTS_FEATURE
)
STATUS = _text("status", "filter[status]")
SIDE = _text("side", "filter[side]")
MARKET_NAME = _text("market", "filter[market]")
TYPE = Parameter(
    "type", ("filter[type]",), Kind.TEXT, {"type": "string", "enum": list(TRANSACTION_TYPES)}
)
TRANSFER_TYPE = Parameter(
    "type", ("filter[type]",), Kind.TEXT, {"type": "string", "enum": list(TRANSACTION_TYPES[1:])}
)
KIND = Parameter(
    "type",
    ("filter[kind]",),
    Kind.TEXT,
    {"type": "string", "enum": [each.value for each in DecisionKind]},
)
CREATED = (
    _timestamp("created_gte", "filter[created][gte]"),
    _timestamp("created_lt", "filter[created][lt]"),
)


def _size(field: str, name: str, default: int | None = None) -> Parameter:
    """The size of a log; without a default, it may be left out."""
    preset = {} if default is None else {"default": default}
    schema = {"type": "integer", "minimum": 0, "maximum": LAST_CURSOR, **preset}
    return Parameter(field, (name,), Kind.WHOLE_NUMBER, schema)


SORTS = ("-created", "created")
ACTIVITY_SORTS = ("-lastActivity", *SORTS)
DUE_SORTS = ("due", "-due", *SORTS)
REFERENCE_SORTS = ("reference", "-reference")


@dataclass(frozen=True, slots=True)
class Query:
    """What may be asked of an operation: a model, and the parameters that fill it."""

    model: type[WireModel]
    parameters: tuple[Parameter, ...]


def listing(*filters: Parameter | tuple[Parameter, ...], sorts: tuple[str, ...] = SORTS) -> Query:
    """The query of a list: paging, its filters and its orders."""
    sort = Parameter("sort", ("sort",), Kind.TEXT, {"type": "string", "enum": list(sorts)})
    flat = [each for one in filters for each in (one if isinstance(one, tuple) else (one,))]
    return Query(ListQuery, (PAGE, LIMIT, *flat, sort))


# -- what is declared of an operation -----------------------------------------------------------

NOTICE = timedelta(days=180)
"""How long a deprecated endpoint goes on answering, at least."""


@dataclass(frozen=True, slots=True)
class Deprecation:
    """The announced end of an endpoint: the day (UTC) ``since`` which it is deprecated, the one
    ``until`` which it answers at least, and the route to use ``instead``.

    Raises:
        ValueError: it ends sooner than ``NOTICE`` after its announcement.
    """

    since: date
    until: date
    instead: str

    def __post_init__(self) -> None:
        if self.until - self.since < NOTICE:
            raise ValueError(f"A deprecated endpoint answers for {NOTICE.days} days more.")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Endpoint:
    """A path of the HTTP service, and who may call it how often.

    ``route`` is the method and the path. ``scope`` is what an API key needs, ANY_KEY for none in
    particular. ``bucket`` is the rate limit that a call counts against: read, write or quote.
    """

    operation_id: str
    route: str
    summary: str
    tag: str = ""
    scope: str = _UNDECLARED
    bucket: str = ""
    feature: str | None = None
    """The addition to the specification that it belongs to; None for the specification's own."""
    deprecated: Deprecation | None = None
    """Its end, if that is announced."""

    def __post_init__(self) -> None:
        if self.scope is _UNDECLARED:
            raise ValueError(
                f"{self.operation_id} is declared without a scope: "
                f"name one of {', '.join(SCOPES)}, or ANY_KEY."
            )
        if self.scope not in (*SCOPES, ANY_KEY):
            raise ValueError(f"{self.operation_id} is declared with an unknown scope: {self.scope}")
        _require_declared(self.operation_id, self.path_names)

    @cached_property
    def method(self) -> str:
        return self.route.partition(" ")[0]

    @cached_property
    def path(self) -> str:
        return self.route.partition(" ")[2]

    @cached_property
    def path_names(self) -> tuple[str, ...]:
        """The names of the ids in the path, in order."""
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))

    @cached_property
    def rate_bucket(self) -> str:
        return self.bucket or ("read" if self.method == "GET" else "write")

    @cached_property
    def takes_key(self) -> bool:
        """Whether a request carries an idempotency key."""
        return self.method != "GET"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Operation(Endpoint, Generic[Answer]):
    """A call that a deployment answers: a ``Read`` or a ``Write``.

    ``name`` is the method of ``Service``, the action in the audit trail and what idempotency keys
    are kept under. ``response`` is the model of the answer, ``request`` that of the body.
    ``errors`` are the refusals besides those that every call may meet. ``also`` are further routes
    to the same operation, each with its id.
    """

    name: str
    request: type[RequestModel] | None = None
    response: Any = _UNDECLARED
    errors: tuple[type[ServiceError], ...] = _UNDECLARED
    query: Query | None = None
    also: tuple[tuple[str, str], ...] = ()
    is_whole: bool = False
    """The answer is the whole list; the HTTP service cuts pages of it."""
    writes: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.response is _UNDECLARED:
            raise ValueError(
                f"{self.name} is declared without a response: name the answer's model."
            )
        if self.errors is _UNDECLARED:
            raise ValueError(
                f"{self.name} is declared without an error list: name its refusals, or () for none."
            )
        if self.request is not None:
            fields = self.request.model_fields.values()
            _require_declared(self.operation_id, (str(each.alias) for each in fields))

    @cached_property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """Every route to it, its own first."""
        further = (
            Endpoint(
                operation_id=operation_id,
                route=route,
                summary=self.summary,
                tag=self.tag,
                scope=self.scope,
                bucket=self.bucket,
                deprecated=self.deprecated,
            )
            for operation_id, route in self.also
        )
        return (self, *further)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return self.query.parameters if self.query is not None else ()

    @property
    def wire_response(self) -> Any:
        """The model of the reply over HTTP."""
        return self.response

    @cached_property
    def refuses_unknown_filters(self) -> bool:
        """Whether unknown filters are an error; ignoring a misspelt one would return everything."""
        is_list = self.query is not None and self.query.model is ListQuery
        return is_list or any(each.name.startswith("filter[") for each in self.parameters)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Read(Operation[Answer]):
    """An operation that changes nothing; a diagnosis is one, although it is a POST."""

    response: type[Answer] | UnionType = _UNDECLARED


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Write(Operation[Written[Record]], Generic[Record]):
    """An operation that changes something, once per idempotency key.

    ``creates`` is the path of the record that a 201 points to. Its names are those of this path
    and of the request's fields; the one that is neither is the new record's id. Without
    ``creates`` a write answers 200.
    """

    response: type[Record] = _UNDECLARED
    creates: str | None = None
    is_enveloped: bool = False
    """Over HTTP the record comes in a list of one (specification 4.2)."""
    echoes: tuple[str, ...] = ()
    """Fields of the request that the query may carry, too; they must say the same."""
    additions: Mapping[str, str] = field(default_factory=dict)
    """Fields of the request beyond the specification, each with the feature of the deployments that
    know it."""
    hints: tuple[str, ...] = ()
    """Additions without which the request means the same."""
    is_shown: bool = True
    """Whether the specification shows the fields of the answer."""
    has_case: bool = True
    """Whether a person does it for a customer, in a case."""
    writes: ClassVar[bool] = True

    @property
    def wire_response(self) -> Any:
        return Page[self.response] if self.is_enveloped else self.response  # type: ignore[name-defined]  # a type made at run time

    @cached_property
    def body_names(self) -> tuple[str, ...]:
        """Names in ``creates`` that the request's body carries."""
        fields = self.request.model_fields.values() if self.request is not None else ()
        carried = {each.alias for each in fields}
        return tuple(name for name in self._created_names if name in carried)

    @cached_property
    def new_name(self) -> str | None:
        """The name under which other paths take the id of the new record."""
        known = {*self.path_names, *self.body_names}
        return next((name for name in self._created_names if name not in known), None)

    @property
    def _created_names(self) -> tuple[str, ...]:
        parts = (self.creates or "").split("/")
        return tuple(part[1:-1] for part in parts if part.startswith("{"))


@dataclass(frozen=True, slots=True)
class Call(Generic[Answer]):
    """A call of an operation; ``ids`` are those of its path, in order."""

    operation: Operation[Answer]
    ids: tuple[str, ...] = ()
    request: RequestModel | None = None
    query: WireModel | None = None
    key: str | None = None
    case_id: str = ""
    """The bank's number of the case that it's for; empty for none."""

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The ids, then the request or the query: what the engine's function takes."""
        last = self.request if self.request is not None else self.query
        return self.ids if last is None else (*self.ids, last)


# -- trading accounts ---------------------------------------------------------------------------

_ACCOUNT = "/trading-accounts/{tradingAccountId}"

OPEN_TRADING_ACCOUNT = Write(
    name="open_trading_account",
    operation_id="createTradingAccount",
    route="POST /trading-accounts",
    summary="Open a trading account for a bank account",
    tag="Trading accounts",
    scope="accounts:write",
    request=OpenTradingAccount,
    response=TradingAccount,
    creates=_ACCOUNT,
    errors=(
        errors.NotFound,
        errors.UnsupportedAccountType,
        errors.TermsNotAccepted,
        errors.KycRequired,
        errors.AccountRestricted,
        errors.Conflict,
    ),
)
TRADING_ACCOUNTS = Read(
    name="trading_accounts",
    operation_id="listTradingAccounts",
    route="GET /trading-accounts",
    summary="Find trading accounts",
    tag="Trading accounts",
    scope="accounts:read",
    response=Page[TradingAccount],
    query=listing(TEXT, BANK_ACCOUNT, sorts=ACTIVITY_SORTS),
    feature="trading-accounts",
    errors=(),
)
SHOW_TRADING_ACCOUNT = Read(
    name="trading_account",
    operation_id="getTradingAccount",
    route=f"GET {_ACCOUNT}",
    summary="Show a trading account",
    tag="Trading accounts",
    scope="accounts:read",
    response=TradingAccount,
    feature="trading-accounts",
    errors=(errors.NotFound,),
)
TOKEN_BALANCES = Read(
    name="token_balances",
    operation_id="listTokenBalances",
    route=f"GET {_ACCOUNT}/token-balances",
    summary="Show a trading account's balances",
    tag="Trading accounts",
    scope="accounts:read",
    response=Page[TokenBalance],
    query=Query(
        BalancesQuery,
        (
            Parameter(
                "include_zero",
                ("includeZero",),
                Kind.FLAG,
                {"type": "boolean", "default": False},
                "Whether assets with a balance of zero are listed too.",
            ),
        ),
    ),
    is_whole=True,
    errors=(errors.NotFound,),
)
LIMITS = Read(
    name="limits",
    operation_id="listLimits",
    route=f"GET {_ACCOUNT}/limits",
    summary="Show an account's withdrawal limits by class of destination",
    tag="Trading accounts",
    scope="accounts:read",
    response=Page[LimitUsage],
    is_whole=True,
    feature="limits",
    errors=(errors.NotFound,),
)
STATEMENT = Read(
    name="statement",
    operation_id="getStatement",
    route=f"GET {_ACCOUNT}/statement",
    summary="Make an account's statement: balances and movements of a period",
    tag="Trading accounts",
    scope="accounts:read",
    response=Statement,
    query=Query(
        StatementQuery,
        (
            Parameter(
                "from_time",
                ("from",),
                Kind.TEXT,
                {"type": "string"},
                "The first day (UTC), such as 2026-11-01, or a timestamp. Without it, the "
                "account's beginning.",
            ),
            Parameter(
                "to_time",
                ("to",),
                Kind.TEXT,
                {"type": "string"},
                "The last day (UTC), which is included, or a timestamp, which isn't. Without it, "
                "the present.",
            ),
        ),
    ),
    feature="statements",
    errors=(errors.NotFound, errors.StatementUnbalanced),
)
CUSTOMERS = Read(
    name="customers",
    operation_id="listCustomers",
    route="GET /customers",
    summary="Find the bank's customers by name, reference or bank account",
    tag="Trading accounts",
    scope="accounts:read",
    response=Page[Customer],
    query=listing(TEXT, sorts=REFERENCE_SORTS),
    feature="customers",
    errors=(),
)
IMPORT_CUSTOMERS = Write(
    name="import_customers",
    operation_id="importCustomers",
    route="POST /customers/imports",
    summary="Import customers and their bank accounts; what is the same already stays as it is",
    tag="Customers",
    scope="admin",
    request=ImportCustomers,
    response=CustomerImport,
    has_case=False,
    feature=CUSTOMERS_FEATURE,
    errors=(),
)
CHECK_CUSTOMER_IMPORT = Read(
    name="check_customer_import",
    operation_id="checkCustomerImport",
    route="POST /customers/import-checks",
    summary="Show what an import of customers would do",
    tag="Customers",
    scope="admin",
    request=ImportCustomers,
    response=CustomerImport,
    feature=CUSTOMERS_FEATURE,
    errors=(),
)
FORGET_CUSTOMER = Write(
    name="forget_customer",
    operation_id="forgetCustomer",
    route="POST /customers/erasures",
    summary="Erase a customer's personal data; the books stay as they are",
    tag="Customers",
    scope="admin",
    request=ForgetCustomer,
    response=ForgottenCustomer,
    feature=CUSTOMERS_FEATURE,
    errors=(errors.NotFound, errors.Conflict),
)
FIND = Read(
    name="find",
    operation_id="find",
    route="GET /find",
    summary="Find customers, accounts, trades, transfers, quotes and wallets, the best match first",
    tag="Trading accounts",
    scope="accounts:read",
    response=Page[Found],
    query=Query(
        FindQuery,
        (
            Parameter(
                "text",
                ("query",),
                Kind.TEXT,
                {"type": "string", "minLength": 1, "pattern": r"\S"},
                "Whatever somebody typed or said: names, also misspelt or abbreviated, ids, also "
                "as lists abbreviate them, addresses, amounts and days.",
                is_required=True,
            ),
        ),
    ),
    is_whole=True,
    feature="find",
    errors=(),
)

# -- funding ------------------------------------------------------------------------------------

_TRANSFER_ERRORS = (
    errors.NotFound,
    errors.ExceedsPrecision,
    errors.UnsupportedCurrency,
    errors.TermsNotAccepted,
    errors.KycRequired,
    errors.AccountRestricted,
    errors.InsufficientFunds,
)

DEPOSIT = Write(
    name="deposit",
    operation_id="createDeposit",
    route=f"POST {_ACCOUNT}/deposits",
    summary="Move funds from the bank account into the trading account",
    tag="Funding",
    scope="transfers:write",
    request=DepositRequest,
    response=Transfer,
    is_shown=False,
    creates=f"{_ACCOUNT}/deposits/{{depositId}}",
    errors=_TRANSFER_ERRORS,
)
DEPOSITS = Read(
    name="deposits",
    operation_id="listDeposits",
    route=f"GET {_ACCOUNT}/deposits",
    summary="List an account's deposits",
    tag="Funding",
    scope="accounts:read",
    response=Page[Transfer],
    query=listing(STATUS, CREATED),
    feature="deposits",
    errors=(errors.NotFound,),
)
DEPOSIT_RECORD = Read(
    name="deposit_record",
    operation_id="getDeposit",
    route=f"GET {_ACCOUNT}/deposits/{{depositId}}",
    summary="Show a deposit",
    tag="Funding",
    scope="accounts:read",
    response=Transfer,
    feature="deposits",
    errors=(errors.NotFound,),
)
WITHDRAW = Write(
    name="withdraw",
    operation_id="createWithdrawal",
    route=f"POST {_ACCOUNT}/withdrawals",
    summary="Move funds out: to the bank account, or to a counterparty",
    tag="Funding",
    scope="transfers:write",
    request=WithdrawalRequest,
    additions={"destination": "withdrawals"},
    response=Transfer,
    is_shown=False,
    creates=f"{_ACCOUNT}/withdrawals/{{withdrawalId}}",
    errors=(
        *_TRANSFER_ERRORS,
        errors.AmountBelowMinimum,
        errors.LimitExceeded,
        errors.NetworkMismatch,
        errors.DestinationOnHold,
        errors.EvidenceExpired,
        errors.ClaimUnverifiable,
        errors.BooksDisputed,
    ),
)
WITHDRAWALS = Read(
    name="withdrawals",
    operation_id="listWithdrawals",
    route=f"GET {_ACCOUNT}/withdrawals",
    summary="List an account's withdrawals",
    tag="Funding",
    scope="accounts:read",
    response=Page[Transfer],
    query=listing(STATUS, CREATED),
    feature="withdrawals",
    errors=(errors.NotFound,),
)
WITHDRAWAL_RECORD = Read(
    name="withdrawal_record",
    operation_id="getWithdrawal",
    route=f"GET {_ACCOUNT}/withdrawals/{{withdrawalId}}",
    summary="Show a withdrawal",
    tag="Funding",
    scope="accounts:read",
    response=Transfer,
    feature="withdrawals",
    errors=(errors.NotFound,),
)
CANCEL_WITHDRAWAL = Write(
    name="cancel_withdrawal",
    operation_id="cancelWithdrawal",
    route=f"POST {_ACCOUNT}/withdrawals/{{withdrawalId}}/cancellations",
    summary="Cancel a withdrawal that hasn't been sent",
    tag="Funding",
    scope="transfers:write",
    response=Transfer,
    feature="withdrawal-cancellations",
    errors=(errors.NotFound, errors.WithdrawalNotCancellable),
)
ALL_TRANSFERS = Read(
    name="all_transfers",
    operation_id="listAllTransfers",
    route="GET /trading/transfers",
    summary="Find deposits and withdrawals of every account",
    tag="Funding",
    scope="accounts:read",
    response=Page[Transfer],
    query=listing(
        Parameter(
            "text",
            ("filter[query]", "query"),
            Kind.TEXT,
            {"type": "string"},
            "Each word is an amount, part of the customer's name, or four or more characters from "
            "the beginning or the end of an id (also as abbreviated in lists), an address, a bank "
            "account or a reference.",
        ),
        TRADING_ACCOUNT,
        TRANSFER_TYPE,
        STATUS,
        CREATED,
    ),
    feature="all-transfers",
    errors=(),
)
TRANSACTIONS = Read(
    name="transactions",
    operation_id="listTransactions",
    route=f"GET {_ACCOUNT}/transactions",
    summary="List an account's deposits, withdrawals and trades",
    tag="Funding",
    scope="accounts:read",
    response=Page[Transaction],
    query=listing(TYPE),
    feature="transactions",
    errors=(errors.NotFound,),
)
SHOW_TRANSACTION = Read[Transaction](
    name="transaction",
    operation_id="getTransaction",
    route=f"GET {_ACCOUNT}/transactions/{{transactionId}}",
    summary="Show a deposit, a withdrawal or a trade",
    tag="Funding",
    scope="accounts:read",
    response=Transaction,
    feature="transactions",
    errors=(errors.NotFound,),
)
TRANSACTION_BY_ID = Read[Transaction](
    name="transaction_by_id",
    operation_id="findTransaction",
    route="GET /trading/transactions/{transactionId}",
    summary="Show a deposit, a withdrawal or a trade of any account",
    tag="Funding",
    scope="accounts:read",
    response=Transaction,
    feature="transaction-by-id",
    errors=(errors.NotFound,),
)

# -- markets ------------------------------------------------------------------------------------

MARKETS = Read(
    name="markets",
    operation_id="listMarkets",
    route="GET /trading/markets",
    summary="Show the markets with their prices",
    tag="Markets",
    scope="trading:quote",
    response=Page[Market],
    query=Query(
        MarketsQuery,
        (
            Parameter(
                "names",
                ("filter[name]",),
                Kind.NAMES,
                {"type": "string"},
                "Market names, separated by commas; an unknown one is absent.",
            ),
        ),
    ),
    is_whole=True,
    errors=(),
)
SHOW_MARKET = Read(
    name="market",
    operation_id="getMarket",
    route="GET /trading/markets/{market}",
    summary="Show one market",
    tag="Markets",
    scope="trading:quote",
    response=Market,
    feature="market",
    errors=(errors.UnsupportedMarket,),
)
PRICES = Read(
    name="prices",
    operation_id="listPrices",
    route="GET /trading/markets/{market}/prices",
    summary="Show recent samples of a market's price, oldest first",
    tag="Markets",
    scope="trading:quote",
    response=Page[PriceSample],
    is_whole=True,
    feature="prices",
    errors=(errors.UnsupportedMarket,),
)

# -- quotes -------------------------------------------------------------------------------------

CREATE_QUOTE = Write(
    name="create_quote",
    operation_id="createQuote",
    route="POST /trading/markets/{market}/quotes",
    summary="Ask for a price that is guaranteed until it expires",
    tag="Quotes",
    scope="trading:quote",
    bucket="quote",
    request=QuoteRequest,
    additions={"amount_of": "quotes", "trading_account_id": "quotes"},
    hints=("trading_account_id",),
    response=Quote,
    is_enveloped=True,
    echoes=("side",),
    creates="/trading/quotes/{quoteId}",
    errors=(
        errors.UnsupportedMarket,
        errors.NotFound,
        errors.ExceedsPrecision,
        errors.TermsNotAccepted,
        errors.KycRequired,
        errors.AccountRestricted,
        errors.AmountBelowMinimum,
        errors.LimitExceeded,
        errors.MarketUnavailable,
    ),
)
QUOTES = Read(
    name="quotes",
    operation_id="listQuotes",
    route="GET /trading/quotes",
    summary="List quotes",
    tag="Quotes",
    scope="trading:quote",
    response=Page[Quote],
    query=listing(STATUS, SIDE, MARKET_NAME, TRADING_ACCOUNT, CREATED),
    feature="quotes",
    errors=(),
)
SHOW_QUOTE = Read(
    name="quote",
    operation_id="getQuote",
    route="GET /trading/quotes/{quoteId}",
    summary="Show a quote",
    tag="Quotes",
    scope="trading:quote",
    response=Quote,
    feature="quotes",
    errors=(errors.NotFound,),
)
EXECUTE_QUOTE = Write(
    name="execute_quote",
    operation_id="executeQuote",
    route="POST /trading/quotes/{quoteId}",
    summary="Execute a quote in a trading account",
    tag="Quotes",
    scope="trading:execute",
    request=ExecuteRequest,
    response=Trade,
    creates=f"{_ACCOUNT}/trades/{{tradeId}}",
    errors=(
        errors.NotFound,
        errors.QuoteAlreadyUsed,
        errors.QuoteExpired,
        errors.QuoteAccountMismatch,
        errors.AccountRestricted,
        errors.TermsNotAccepted,
        errors.KycRequired,
        errors.MarketUnavailable,
        errors.InsufficientFunds,
    ),
)

# -- trades -------------------------------------------------------------------------------------

_TRADE_LISTING = listing(STATUS, SIDE, MARKET_NAME, CREATED)

TRADES = Read(
    name="trades",
    operation_id="listTrades",
    route=f"GET {_ACCOUNT}/trades",
    summary="List an account's trades",
    tag="Trades",
    scope="accounts:read",
    response=Page[Trade],
    query=_TRADE_LISTING,
    errors=(errors.NotFound,),
)
ALL_TRADES = Read(
    name="all_trades",
    operation_id="listAllTrades",
    route="GET /trading/trades",
    summary="List the trades of every account",
    tag="Trades",
    scope="accounts:read",
    response=Page[Trade],
    query=_TRADE_LISTING,
    feature="all-trades",
    errors=(),
)
SHOW_TRADE = Read(
    name="trade",
    operation_id="getTrade",
    route=f"GET {_ACCOUNT}/trades/{{tradeId}}",
    summary="Show a trade",
    tag="Trades",
    scope="accounts:read",
    response=Trade,
    errors=(errors.NotFound,),
)
CANCEL_TRADE = Write(
    name="cancel_trade",
    operation_id="cancelTrade",
    route=f"POST {_ACCOUNT}/trades/{{tradeId}}/cancellations",
    also=(("deleteTrade", f"DELETE {_ACCOUNT}/trades/{{tradeId}}"),),
    summary="Cancel a trade that has not yet executed",
    tag="Trades",
    scope="trading:execute",
    response=Trade,
    is_shown=False,
    errors=(errors.NotFound, errors.TradeNotCancellable),
)

# -- counterparties -----------------------------------------------------------------------------

_CUSTODY = "/blockchain-accounts/{blockchainAccountId}"

REGISTER_COUNTERPARTY = Write(
    name="register_counterparty",
    operation_id="createCounterparty",
    route="POST /counterparties",
    summary="Register a wallet; returns the existing record if it's already registered",
    tag="Counterparties",
    scope="wallets:write",
    request=RegisterCounterparty,
    response=Counterparty,
    creates="/counterparties/{counterpartyId}",
    errors=(errors.UnsupportedNetwork, errors.InvalidAddress),
)
COUNTERPARTIES = Read(
    name="counterparties",
    operation_id="listCounterparties",
    route="GET /counterparties",
    summary="Find counterparties by id or address",
    tag="Counterparties",
    scope="wallets:read",
    response=Page[Counterparty],
    query=listing(TEXT),
    feature="counterparties",
    errors=(),
)
SHOW_COUNTERPARTY = Read(
    name="counterparty",
    operation_id="getCounterparty",
    route="GET /counterparties/{counterpartyId}",
    summary="Show a counterparty",
    tag="Counterparties",
    scope="wallets:read",
    response=Counterparty,
    feature="counterparties",
    errors=(errors.NotFound,),
)
LINK_COUNTERPARTY = Write(
    name="link_counterparty",
    operation_id="linkCounterparty",
    route=f"POST {_CUSTODY}/counterparties",
    summary="Link a counterparty to a blockchain account with an ownership claim",
    tag="Counterparties",
    scope="wallets:write",
    request=LinkRequest,
    additions={"acknowledged": SHARED_WALLETS_FEATURE},
    hints=("acknowledged",),
    response=Counterparty,
    is_shown=False,
    creates=f"{_CUSTODY}/counterparties",
    errors=(
        errors.NotFound,
        errors.ClaimUnverifiable,
        errors.ClaimAlreadyUsed,
        errors.ClaimExpired,
        errors.WalletShared,
        errors.DecisionRequired,
        errors.Conflict,
        errors.UnsupportedNetwork,
        errors.InvalidAddress,
    ),
)
LINKED_COUNTERPARTIES = Read(
    name="linked_counterparties",
    operation_id="listLinkedCounterparties",
    route=f"GET {_CUSTODY}/counterparties",
    summary="List a blockchain account's counterparties",
    tag="Counterparties",
    scope="wallets:read",
    response=Page[Counterparty],
    query=listing(),
    errors=(errors.NotFound,),
)
SHARED_WALLETS = Read(
    name="shared_wallets",
    operation_id="listSharedCounterparties",
    route="GET /shared-counterparties",
    summary="List the wallets that several customers have verified, with a line for each of them",
    tag="Counterparties",
    scope="wallets:review",
    response=Page[SharedWallet],
    query=listing(TEXT),
    feature=SHARED_WALLETS_FEATURE,
    errors=(),
)
REQUIRE_REVERIFICATION = Write(
    name="require_reverification",
    operation_id="requireReverification",
    route=f"POST {_CUSTODY}/counterparties/{{counterpartyId}}/reverifications",
    summary="End a wallet's verification at once, so that it must be verified again",
    tag="Counterparties",
    scope="wallets:write",
    request=ReverificationRequest,
    response=Counterparty,
    feature="reverifications",
    errors=(errors.NotFound, errors.Conflict),
)

# -- wallet ownership ---------------------------------------------------------------------------

_OWNERSHIP = "1P-counterparty-ownership"

OPEN_BLOCKCHAIN_ACCOUNT = Write(
    name="open_blockchain_account",
    operation_id="createBlockchainAccount",
    route="POST /blockchain-accounts",
    summary="Open a blockchain account with a custody address",
    tag="Wallet ownership",
    scope="accounts:write",
    request=OpenBlockchainAccount,
    response=BlockchainAccount,
    creates=_CUSTODY,
    feature="blockchain-accounts",
    errors=(errors.NotFound, errors.UnsupportedNetwork, errors.AccountRestricted),
)
BLOCKCHAIN_ACCOUNTS = Read(
    name="blockchain_accounts",
    operation_id="listBlockchainAccounts",
    route="GET /blockchain-accounts",
    summary="List blockchain accounts",
    tag="Wallet ownership",
    scope="wallets:read",
    response=Page[BlockchainAccount],
    query=listing(TRADING_ACCOUNT),
    feature="blockchain-accounts",
    errors=(),
)
SHOW_BLOCKCHAIN_ACCOUNT = Read(
    name="blockchain_account",
    operation_id="getBlockchainAccount",
    route=f"GET {_CUSTODY}",
    summary="Show a blockchain account",
    tag="Wallet ownership",
    scope="wallets:read",
    response=BlockchainAccount,
    feature="blockchain-accounts",
    errors=(errors.NotFound,),
)
CREATE_CHALLENGE = Write(
    name="create_challenge",
    operation_id="createOwnershipChallenge",
    route=f"POST {_CUSTODY}/{_OWNERSHIP}-challenges",
    summary="Create the message that the wallet's owner signs",
    tag="Wallet ownership",
    scope="wallets:write",
    request=ChallengeRequest,
    additions={"valid_seconds": "challenges", "page_token_hash": "challenges"},
    response=Challenge,
    creates=f"/{_OWNERSHIP}-challenges/{{ownershipChallengeId}}",
    errors=(errors.NotFound, errors.NetworkMismatch, errors.QuotaExceeded),
)
CHALLENGES = Read(
    name="challenges",
    operation_id="listOwnershipChallenges",
    route=f"GET {_CUSTODY}/{_OWNERSHIP}-challenges",
    summary="List a blockchain account's challenges",
    tag="Wallet ownership",
    scope="wallets:read",
    response=Page[Challenge],
    query=listing(),
    feature="challenges",
    errors=(errors.NotFound,),
)
CHALLENGE_BY_ID = Read(
    name="challenge_by_id",
    operation_id="getOwnershipChallenge",
    route=f"GET /{_OWNERSHIP}-challenges/{{ownershipChallengeId}}",
    summary="Show an ownership challenge of any account",
    tag="Wallet ownership",
    scope="wallets:read",
    response=Challenge,
    feature="challenge-by-id",
    errors=(errors.NotFound,),
)
SUBMIT_CLAIM = Write(
    name="submit_claim",
    operation_id="createOwnershipClaim",
    route=f"POST {_CUSTODY}/{_OWNERSHIP}-claims",
    summary="Submit the wallet's signature of a challenge",
    tag="Wallet ownership",
    scope="wallets:write",
    request=ClaimRequest,
    response=OwnershipClaim,
    creates=f"/{_OWNERSHIP}-claims/{{ownershipClaimId}}",
    errors=(
        errors.NotFound,
        errors.Conflict,
        errors.ChallengeAlreadyUsed,
        errors.ChallengeLocked,
        errors.InvalidSignature,
        errors.ChainUnavailable,
    ),
)
CLAIM_BY_ID = Read(
    name="claim_by_id",
    operation_id="getOwnershipClaim",
    route=f"GET /{_OWNERSHIP}-claims/{{ownershipClaimId}}",
    summary="Show an ownership claim of any account",
    tag="Wallet ownership",
    scope="wallets:read",
    response=OwnershipClaim,
    feature="claim-by-id",
    errors=(errors.NotFound,),
)
CLAIM_ATTESTATION = Read(
    name="claim_attestation",
    operation_id="getOwnershipClaimAttestation",
    route=f"GET /{_OWNERSHIP}-claims/{{ownershipClaimId}}/attestation",
    summary="Attest an ownership claim: all its facts, signed by the bank, for anybody to verify",
    tag="Wallet ownership",
    scope="wallets:read",
    response=WalletAttestation,
    feature=HEADS,
    errors=(errors.NotFound, errors.Conflict),
)
DIAGNOSE_SIGNATURE = Read(
    name="diagnose_signature",
    operation_id="diagnoseSignature",
    route=f"POST {_CUSTODY}/{_OWNERSHIP}-diagnoses",
    summary="Explain why a signature would be refused; doesn't count as an attempt",
    tag="Wallet ownership",
    scope="wallets:write",
    request=DiagnosisRequest,
    response=SignatureDiagnosis,
    feature="diagnoses",
    errors=(errors.NotFound, errors.Conflict, errors.ChallengeAlreadyUsed),
)

CREATE_SMALL_TRANSFER = Write(
    name="create_small_transfer",
    operation_id="createSmallTransfer",
    route=f"POST {_CUSTODY}/{_OWNERSHIP}-transfers",
    summary="Ask a wallet that can't sign to send an exact amount to itself",
    tag="Wallet ownership",
    scope="wallets:write",
    request=SmallTransferRequest,
    response=SmallTransfer,
    creates=f"/{_OWNERSHIP}-transfers/{{smallTransferId}}",
    feature=SMALL_TRANSFERS_FEATURE,
    errors=(
        errors.NotFound,
        errors.Conflict,
        errors.NetworkMismatch,
        errors.QuotaExceeded,
        errors.UnsupportedNetwork,
        errors.ArrivalsUnwatched,
    ),
)
SMALL_TRANSFERS = Read(
    name="small_transfers",
    operation_id="listSmallTransfers",
    route=f"GET {_CUSTODY}/{_OWNERSHIP}-transfers",
    summary="List a blockchain account's small transfers",
    tag="Wallet ownership",
    scope="wallets:read",
    response=Page[SmallTransfer],
    query=listing(),
    feature=SMALL_TRANSFERS_FEATURE,
    errors=(errors.NotFound,),
)
SMALL_TRANSFER_BY_ID = Read(
    name="small_transfer_by_id",
    operation_id="getSmallTransfer",
    route=f"GET /{_OWNERSHIP}-transfers/{{smallTransferId}}",
    summary="Show a small transfer of any account, and what arrived for it",
    tag="Wallet ownership",
    scope="wallets:read",
    response=SmallTransfer,
    feature=SMALL_TRANSFERS_FEATURE,
    errors=(errors.NotFound,),
)
CREATE_OWNERSHIP_STATEMENT = Write(
    name="create_ownership_statement",
    operation_id="createOwnershipStatement",
    route=f"POST {_CUSTODY}/{_OWNERSHIP}-statements",
    summary="Record a customer's statement that a wallet is theirs; it verifies nothing",
    tag="Wallet ownership",
    scope="wallets:write",
    request=StatementRequest,
    response=OwnershipStatement,
    creates=f"/{_OWNERSHIP}-statements/{{ownershipStatementId}}",
    feature=OWNERSHIP_STATEMENTS_FEATURE,
    errors=(errors.NotFound, errors.NetworkMismatch),
)
OWNERSHIP_STATEMENTS = Read(
    name="ownership_statements",
    operation_id="listOwnershipStatements",
    route=f"GET {_CUSTODY}/{_OWNERSHIP}-statements",
    summary="List the statements about wallets of a blockchain account",
    tag="Wallet ownership",
    scope="wallets:read",
    response=Page[OwnershipStatement],
    query=listing(),
    feature=OWNERSHIP_STATEMENTS_FEATURE,
    errors=(errors.NotFound,),
)
OWNERSHIP_STATEMENT_BY_ID = Read(
    name="ownership_statement_by_id",
    operation_id="getOwnershipStatement",
    route=f"GET /{_OWNERSHIP}-statements/{{ownershipStatementId}}",
    summary="Show a statement about a wallet of any account",
    tag="Wallet ownership",
    scope="wallets:read",
    response=OwnershipStatement,
    feature=OWNERSHIP_STATEMENTS_FEATURE,
    errors=(errors.NotFound,),
)

# -- decisions ----------------------------------------------------------------------------------

_DECISION = "/decisions/{decisionId}"
DECISIONS = Read(
    name="decisions",
    operation_id="listDecisions",
    route="GET /decisions",
    summary="List what waits for a person, the earliest deadline first",
    tag="Decisions",
    scope="accounts:read",
    response=Page[Decision],
    query=listing(KIND, STATUS, TRADING_ACCOUNT, OBJECT, CREATED, sorts=DUE_SORTS),
    feature=DECISIONS_FEATURE,
    errors=(),
)
DECISION = Read(
    name="decision",
    operation_id="getDecision",
    route=f"GET {_DECISION}",
    summary="Show a decision",
    tag="Decisions",
    scope="accounts:read",
    response=Decision,
    feature=DECISIONS_FEATURE,
    errors=(errors.NotFound,),
)
OPEN_DECISION = Write(
    name="open_decision",
    operation_id="createDecision",
    route="POST /decisions",
    summary="Put a control on a trading account, or close a market",
    tag="Decisions",
    scope="controls:write",
    request=OpenDecision,
    response=Decision,
    creates=_DECISION,
    feature=DECISIONS_FEATURE,
    errors=(errors.NotFound, errors.Conflict, errors.UnsupportedMarket),
)
TAKE_DECISION = Write(
    name="take_decision",
    operation_id="takeDecision",
    route=f"POST {_DECISION}/holders",
    summary="Take a decision for fifteen minutes, so that others see who works on it",
    tag="Decisions",
    scope="decisions:write",
    response=Decision,
    feature=DECISIONS_FEATURE,
    errors=(errors.NotFound, errors.Conflict),
)
APPROVE_DECISION = Write(
    name="approve_decision",
    operation_id="approveDecision",
    route=f"POST {_DECISION}/approvals",
    summary="Let a withdrawal pass, accept a statement, lift a control or open a market",
    tag="Decisions",
    scope="decisions:write",
    request=Approval,
    response=Decision,
    feature=DECISIONS_FEATURE,
    errors=(errors.NotFound, errors.Conflict),
)
REFUSE_DECISION = Write(
    name="refuse_decision",
    operation_id="refuseDecision",
    route=f"POST {_DECISION}/refusals",
    summary="Refuse a withdrawal, whose money is given back, or a statement; keep a control",
    tag="Decisions",
    scope="decisions:write",
    request=Refusal,
    response=Decision,
    feature=DECISIONS_FEATURE,
    errors=(errors.NotFound, errors.Conflict),
)
NOTE_DECISION = Write(
    name="note_decision",
    operation_id="noteDecision",
    route=f"POST {_DECISION}/notes",
    summary="Note what the customer is asked for; the first time, the deadline moves",
    tag="Decisions",
    scope="decisions:write",
    request=DecisionNote,
    response=Decision,
    feature=DECISIONS_FEATURE,
    errors=(errors.NotFound, errors.Conflict),
)

# -- agents -------------------------------------------------------------------------------------

_AGENT = "/agents/{agentId}"
AGENTS = Read(
    name="agents",
    operation_id="listAgents",
    route="GET /agents",
    summary="List the keys of people at desks, newest first",
    tag="Agents",
    scope="events:read",
    response=Page[Agent],
    query=listing(),
    feature=AGENTS_FEATURE,
    errors=(),
)
ENROL_AGENT = Write(
    name="enrol_agent",
    operation_id="enrolAgent",
    route="POST /agents",
    summary="Enrol a person's key of a desk, which somebody approves",
    tag="Agents",
    scope="desk",
    request=EnrolAgent,
    response=Agent,
    creates="/agents",
    has_case=False,
    feature=AGENTS_FEATURE,
    errors=(errors.Conflict, errors.QuotaExceeded),
)
APPROVE_AGENT = Write(
    name="approve_agent",
    operation_id="approveAgent",
    route=f"POST {_AGENT}/approvals",
    summary="Let an agent work in roles of the policy",
    tag="Agents",
    scope="agents:write",
    request=ApproveAgent,
    response=Agent,
    has_case=False,
    feature=AGENTS_FEATURE,
    errors=(errors.NotFound, errors.Conflict),
)
REVOKE_AGENT = Write(
    name="revoke_agent",
    operation_id="revokeAgent",
    route=f"POST {_AGENT}/revocations",
    summary="End an agent's key at once",
    tag="Agents",
    scope="agents:write",
    response=Agent,
    has_case=False,
    feature=AGENTS_FEATURE,
    errors=(errors.NotFound,),
)

# -- notes --------------------------------------------------------------------------------------

_NOTE = "/notes/{noteId}"
NOTES = Read(
    name="notes",
    operation_id="listNotes",
    route="GET /notes",
    summary="List notes of the team about customers and their records, newest first",
    tag="Notes",
    scope="accounts:read",
    response=Page[Note],
    query=listing(SUBJECT, TRADING_ACCOUNT, TEXT, CREATED),
    feature=NOTES_FEATURE,
    errors=(),
)
ADD_NOTE = Write(
    name="add_note",
    operation_id="createNote",
    route="POST /notes",
    summary="Note something about a customer or a record, for the whole team",
    tag="Notes",
    scope="accounts:write",
    request=AddNote,
    response=Note,
    creates="/notes",
    feature=NOTES_FEATURE,
    errors=(errors.NotFound, errors.UnsupportedMarket),
)
ERASE_NOTE = Write(
    name="erase_note",
    operation_id="eraseNote",
    route=f"POST {_NOTE}/erasures",
    summary="Erase the words of a note; who noted something, and when, stays",
    tag="Notes",
    scope="accounts:write",
    response=Note,
    feature=NOTES_FEATURE,
    errors=(errors.NotFound,),
)

# -- webhooks -----------------------------------------------------------------------------------

_WEBHOOK = "/webhooks/{webhookId}"
WEBHOOKS = Read(
    name="webhooks",
    operation_id="listWebhooks",
    route="GET /webhooks",
    summary="List the endpoints that are sent events, newest first",
    tag="Webhooks",
    scope="admin",
    response=Page[Webhook],
    is_whole=True,
    feature=WEBHOOKS_FEATURE,
    errors=(),
)
WEBHOOK = Read(
    name="webhook",
    operation_id="getWebhook",
    route=f"GET {_WEBHOOK}",
    summary="Show an endpoint, and how far it has the events",
    tag="Webhooks",
    scope="admin",
    response=Webhook,
    feature=WEBHOOKS_FEATURE,
    errors=(errors.NotFound,),
)
CREATE_WEBHOOK = Write(
    name="create_webhook",
    operation_id="createWebhook",
    route="POST /webhooks",
    summary="Send events from now on to an endpoint; its secret is shown once",
    tag="Webhooks",
    scope="admin",
    request=CreateWebhook,
    response=WebhookWithSecret,
    creates=_WEBHOOK,
    has_case=False,
    feature=WEBHOOKS_FEATURE,
    errors=(errors.QuotaExceeded,),
)
DELETE_WEBHOOK = Write(
    name="delete_webhook",
    operation_id="deleteWebhook",
    route=f"DELETE {_WEBHOOK}",
    summary="Send an endpoint no more events, and forget it",
    tag="Webhooks",
    scope="admin",
    response=Webhook,
    has_case=False,
    feature=WEBHOOKS_FEATURE,
    errors=(errors.NotFound,),
)
PAUSE_WEBHOOK = Write(
    name="pause_webhook",
    operation_id="pauseWebhook",
    route=f"POST {_WEBHOOK}/pauses",
    summary="Let the events for an endpoint wait",
    tag="Webhooks",
    scope="admin",
    response=Webhook,
    has_case=False,
    feature=WEBHOOKS_FEATURE,
    errors=(errors.NotFound,),
)
RESUME_WEBHOOK = Write(
    name="resume_webhook",
    operation_id="resumeWebhook",
    route=f"POST {_WEBHOOK}/resumptions",
    summary="Send what waited and what follows; a failing endpoint is tried at once",
    tag="Webhooks",
    scope="admin",
    response=Webhook,
    has_case=False,
    feature=WEBHOOKS_FEATURE,
    errors=(errors.NotFound,),
)
ROTATE_WEBHOOK = Write(
    name="rotate_webhook",
    operation_id="rotateWebhook",
    route=f"POST {_WEBHOOK}/secrets",
    summary="Make another secret, shown once; both sign for a while",
    tag="Webhooks",
    scope="admin",
    request=RotateSecret,
    response=WebhookWithSecret,
    has_case=False,
    feature=WEBHOOKS_FEATURE,
    errors=(errors.NotFound,),
)
REPLAY_WEBHOOK = Write(
    name="replay_webhook",
    operation_id="replayWebhook",
    route=f"POST {_WEBHOOK}/replays",
    summary="Send the events after a cursor again, with the ids that they had",
    tag="Webhooks",
    scope="admin",
    request=ReplayEvents,
    response=Webhook,
    has_case=False,
    feature=WEBHOOKS_FEATURE,
    errors=(errors.NotFound,),
)
TEST_WEBHOOK = Write(
    name="test_webhook",
    operation_id="testWebhook",
    route=f"POST {_WEBHOOK}/tests",
    summary="Send a test event now and say what came of it",
    tag="Webhooks",
    scope="admin",
    response=WebhookTest,
    has_case=False,
    feature=WEBHOOKS_FEATURE,
    errors=(errors.NotFound,),
)

# -- the deployment itself ----------------------------------------------------------------------

CAPABILITIES = Read(
    name="capabilities",
    operation_id="getCapabilities",
    route="GET /capabilities",
    summary="Show what this deployment offers beyond the specification",
    tag="Deployment",
    scope=ANY_KEY,
    response=Capabilities,
    errors=(),
)
EVENTS = Read(
    name="events",
    operation_id="listEvents",
    route="GET /events",
    summary="Read events after a cursor, oldest first",
    tag="Deployment",
    scope="events:read",
    response=EventPage,
    query=Query(
        EventsQuery,
        (
            Parameter(
                "after",
                ("after",),
                Kind.WHOLE_NUMBER,
                {"type": "integer", "minimum": -1, "maximum": LAST_CURSOR, "default": 0},
                "The cursor; -1 asks for the newest cursor alone.",
            ),
            Parameter(
                "limit",
                ("limit",),
                Kind.WHOLE_NUMBER,
                {"type": "integer", "minimum": 1, "default": EVENTS_AT_ONCE},
                most=EVENTS_AT_ONCE,
            ),
        ),
    ),
    feature="events",
    errors=(),
)
EVENT_STREAM = Endpoint(
    operation_id="streamEvents",
    route="GET /events/stream",
    summary="Follow events as they happen (server-sent events)",
    tag="Deployment",
    scope="events:read",
    feature="event-stream",
)
AUDIT = Read(
    name="audit",
    operation_id="listAuditRows",
    route="GET /audit",
    summary="Read the audit trail, newest first",
    tag="Deployment",
    scope="events:read",
    response=Page[AuditRow],
    query=listing(OBJECT, AUDITED_ACCOUNT, AUDITED_CASE),
    feature="audit",
    errors=(),
)
AUDIT_CHECKPOINT = Read(
    name="audit_checkpoint",
    operation_id="getAuditCheckpoint",
    route="GET /audit/checkpoint",
    summary="Read the signed head of the audit log: a C2SP checkpoint",
    tag="Deployment",
    scope="events:read",
    response=AuditCheckpoint,
    feature=HEADS,
    errors=(errors.NotFound, errors.Conflict),
)
AUDIT_CONSISTENCY = Read(
    name="audit_consistency",
    operation_id="getAuditConsistency",
    route="GET /audit/consistency",
    summary="Prove that a larger head of the audit log continues a smaller one",
    tag="Deployment",
    scope="events:read",
    response=AuditConsistency,
    query=Query(ConsistencyQuery, (_size("from_size", "from", 0), _size("to_size", "to"))),
    feature=HEADS,
    errors=(errors.NotFound,),
)
AUDIT_PROOF = Read(
    name="audit_proof",
    operation_id="getAuditProof",
    route="GET /audit/proofs/{seq}",
    summary="Prove that an audit row is in the log, by its number",
    tag="Deployment",
    scope="events:read",
    response=AuditProof,
    feature=HEADS,
    errors=(errors.NotFound, errors.Conflict),
)
DISPUTES = Read(
    name="disputes",
    operation_id="listDisputes",
    route="GET /disputes",
    summary="List what verification found wrong in the books, the newest first",
    tag="Deployment",
    scope="admin",
    response=Page[Dispute],
    is_whole=True,
    feature=DISPUTES_FEATURE,
    errors=(),
)
CLEAR_DISPUTE = Write(
    name="clear_dispute",
    operation_id="clearDispute",
    route="POST /disputes/{disputeId}/clearings",
    summary="Clear a dispute, so that payouts go on; it returns if the rows still differ",
    tag="Deployment",
    scope="admin",
    request=ClearDispute,
    response=Dispute,
    feature=DISPUTES_FEATURE,
    errors=(errors.NotFound, errors.Conflict),
)
ENDPOINTS = tuple(each for each in list(globals().values()) if isinstance(each, Endpoint))
"""Every endpoint, in the order of their declarations."""
OPERATIONS: tuple[Operation[Any], ...] = tuple(
    each for each in ENDPOINTS if isinstance(each, Operation)
)
BY_NAME: Mapping[str, Operation[Any]] = {each.name: each for each in OPERATIONS}
WRITES: Mapping[str, Write[Any]] = {
    each.name: each for each in OPERATIONS if isinstance(each, Write)
}


def features_of(endpoint: Endpoint) -> tuple[str, ...]:
    """The additions that an endpoint and its parameters belong to."""
    parameters = endpoint.parameters if isinstance(endpoint, Operation) else ()
    named = (endpoint.feature, *(each.feature for each in parameters))
    return tuple(each for each in named if each is not None)


FEATURES: tuple[str, ...] = tuple(
    dict.fromkeys((IDEMPOTENCY, *(name for each in ENDPOINTS for name in features_of(each))))
)
"""The additions to the specification, by the names that ``GET /capabilities`` reports."""
