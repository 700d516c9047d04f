"""The operations of a deployment: each is declared here once, and everything else derives from it.

The engine's table, the HTTP routes with their OpenAPI description, the remote client, the request
log, the feature list, the read-only guard and the calls in ``docs/reference/http_api.md`` are made
of these declarations. ``interface.py`` gives each operation a typed method. ``RECORDS`` declares
which names in paths, bodies and queries are those of a customer's records; ``ownership.py`` derives
from it whose records a call is about.

A read operation costs a declaration here, one method there and a function of the engine.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import Enum, StrEnum
from functools import cached_property
from types import UnionType
from typing import Any, ClassVar, Generic, TypeVar

from chainteller.domain.actors import SCOPES
from chainteller.domain.decisions import DecisionKind, DecisionStatus
from chainteller.domain.quoting import Side
from chainteller.domain.trades import QuoteStatus, TradeStatus
from chainteller.domain.transfers import DEPOSIT_TYPE, WITHDRAWAL_TYPE, TransferStatus
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
from chainteller.service.models.quotes import AMOUNT_OF, ExecuteRequest, Quote, QuoteRequest
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
ATTESTATIONS = "attestations"
"""The feature of a deployment that attests ownership claims, signed by the bank."""
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
    The engine refuses a query without a parameter that ``is_required``. Where the engine
    answers, nothing is found under a value that isn't among those ``known``; commands refuse it.
    """

    field: str
    names: tuple[str, ...]
    kind: Kind
    schema: Mapping[str, Any]
    description: str = ""
    most: int | None = None
    feature: str | None = None
    is_required: bool = False
    known: Sequence[str] = ()

    @property
    def name(self) -> str:
        return self.names[0]

    def written(self, value: Any) -> str:
        """A value of the field as it stands in a query string."""
        if self.kind is Kind.NAMES:
            return ",".join(value)
        return str(value).lower() if self.kind is Kind.FLAG else str(value)

    @property
    def is_filter(self) -> bool:
        return self.name.startswith("filter[")

    def described(self) -> dict[str, Any]:
        """The parameter as OpenAPI describes it."""
        told = {"description": self.description} if self.description else {}
        required = {"required": True} if self.is_required else {}
        return {"name": self.name, **told, **required, "schema": dict(self.schema)}


def _text(field: str, *names: str, enum: Iterable[str] = (), **more: Any) -> Parameter:
    schema = {"type": "string", **({"enum": [str(each) for each in enum]} if enum else {})}
    return Parameter(field, names, Kind.TEXT, schema, **more)


def _status(statuses: type[StrEnum]) -> Parameter:
    return _text("status", "filter[status]", known=tuple(statuses))


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
TRANSACTION_TYPES = (TRADE_TYPE, DEPOSIT_TYPE, WITHDRAWAL_TYPE)
TEXT = _text("text", "filter[query]", "query")
OBJECT = _text("text", "filter[object]")
SUBJECT = _text("subject", "filter[object]")
BANK_ACCOUNT = _text("bank_account_id", "filter[bankAccountId]")
TRADING_ACCOUNT = _text("trading_account_id", "filter[tradingAccountId]")
AUDITED_ACCOUNT = replace(TRADING_ACCOUNT, feature="audit-of-account")
AUDITED_CASE = _text("case_id", "filter[case]", feature=AGENTS_FEATURE)
SIDE = _text("side", "filter[side]", known=tuple(Side))
MARKET_NAME = _text("market", "filter[market]")
TYPE = _text("type", "filter[type]", enum=TRANSACTION_TYPES)
TRANSFER_TYPE = _text("type", "filter[type]", enum=TRANSACTION_TYPES[1:])
KIND = _text("type", "filter[kind]", enum=DecisionKind)
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


@dataclass(frozen=True, slots=True)
class Section:
    """What the endpoints of a part of the service have in common, unless one says otherwise."""

    tag: str
    reads: str
    """The scope of what only reads."""
    writes: str
    feature: str | None = None
    has_case: bool = True
    """Whether a person does it for a customer, in a case."""


@dataclass(frozen=True, eq=False, repr=False)
class Endpoint:
    """A path of the HTTP service, and who may call it how often.

    ``route`` is the method and the path. ``scope`` is what an API key needs, ANY_KEY for none in
    particular. ``bucket`` is the rate limit that a call counts against: read, write or quote.
    ``operation_id`` follows from the name unless it's given.
    """

    section: Section
    name: str
    route: str
    summary: str
    _: KW_ONLY
    operation_id: str = ""
    scope: str = ""
    bucket: str = ""
    feature: str | None = None
    """The addition to the specification that it belongs to; None for the specification's own."""
    writes: ClassVar[bool] = False

    def __post_init__(self) -> None:
        section = self.section
        self._complete("operation_id", self.operation_id or self._named())
        self._complete("scope", self.scope or (section.writes if self.writes else section.reads))
        self._complete("feature", self.feature or section.feature)
        if self.scope not in (*SCOPES, ANY_KEY):
            raise ValueError(f"{self.operation_id} is declared with an unknown scope: {self.scope}")
        _require_declared(self.operation_id, self.path_names)

    def _complete(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _named(self) -> str:
        first, *rest = self.name.split("_")
        return first + "".join(map(str.capitalize, rest))

    @property
    def tag(self) -> str:
        return self.section.tag

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


@dataclass(frozen=True, eq=False, repr=False)
class Operation(Endpoint, Generic[Answer]):
    """A call that a deployment answers: a ``Read`` or a ``Write``.

    ``name`` is the method of ``Service``, the action in the audit trail and what idempotency keys
    are kept under. ``response`` is the model of the answer, ``request`` that of the body.
    ``errors`` are the refusals besides those that every call may meet, and NotFound where the path
    names a record. ``also`` are further routes to the same operation, each with its name.
    """

    response: Any
    _: KW_ONLY
    request: type[RequestModel] | None = None
    errors: tuple[type[ServiceError], ...] = ()
    query: Query | None = None
    also: tuple[tuple[str, str], ...] = ()
    is_whole: bool = False
    """The answer is the whole list; the HTTP service cuts pages of it."""
    is_harmless: bool = False
    """A write that moves nothing: asking again is right, with or without idempotency keys."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if any(each.endswith("Id") for each in self.path_names):
            self._complete("errors", (errors.NotFound, *self.errors))
        if self.request is not None:
            fields = self.request.model_fields.values()
            _require_declared(self.operation_id, (str(each.alias) for each in fields))

    @cached_property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """Every route to it, its own first."""
        further = (
            Endpoint(self.section, name, route, self.summary, scope=self.scope, bucket=self.bucket)
            for name, route in self.also
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
        return is_list or any(each.is_filter for each in self.parameters)


@dataclass(frozen=True, eq=False, repr=False)
class Read(Operation[Answer]):
    """An operation that changes nothing; a diagnosis is one, although it is a POST."""

    response: type[Answer] | UnionType

    def _named(self) -> str:
        is_list = isinstance(self.response, type) and issubclass(self.response, Page)
        verb = "list" if is_list else "get"
        return verb + "".join(map(str.capitalize, self.name.split("_")))


@dataclass(frozen=True, eq=False, repr=False)
class Write(Operation[Written[Record]], Generic[Record]):
    """An operation that changes something, once per idempotency key.

    ``creates`` is the path of the record that a 201 points to. Its names are those of this path
    and of the request's fields; the one that is neither is the new record's id. Without
    ``creates`` a write answers 200.
    """

    response: type[Record]
    _: KW_ONLY
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
    implied: Mapping[str, str] = field(default_factory=dict)
    """Values of additions that say what the specification means anyway."""
    is_shown: bool = True
    """Whether the specification shows the fields of the answer."""
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


# -- sections -----------------------------------------------------------------------------------

_ACCOUNTS = Section("Trading accounts", "accounts:read", "accounts:write")
_IMPORTS = Section("Customers", "admin", "admin", CUSTOMERS_FEATURE, has_case=False)
_ERASURES = replace(_IMPORTS, has_case=True)
_FUNDING = Section("Funding", "accounts:read", "transfers:write")
_PRICING = Section("Markets", "trading:quote", "trading:quote")
_QUOTING = Section("Quotes", "trading:quote", "trading:quote")
_TRADING = Section("Trades", "accounts:read", "trading:execute")
_WALLETS = Section("Counterparties", "wallets:read", "wallets:write")
_PROOF = Section("Wallet ownership", "wallets:read", "wallets:write")
_SMALL = replace(_PROOF, feature=SMALL_TRANSFERS_FEATURE)
_STATED = replace(_PROOF, feature=OWNERSHIP_STATEMENTS_FEATURE)
_DECIDING = Section("Decisions", "accounts:read", "decisions:write", DECISIONS_FEATURE)
_PEOPLE = Section("Agents", "events:read", "agents:write", AGENTS_FEATURE, has_case=False)
_NOTING = Section("Notes", "accounts:read", "accounts:write", NOTES_FEATURE)
_HOOKS = Section("Webhooks", "admin", "admin", WEBHOOKS_FEATURE, has_case=False)
_BANK = Section("Deployment", "events:read", "admin")

# -- trading accounts ---------------------------------------------------------------------------

_ACCOUNT = "/trading-accounts/{tradingAccountId}"

OPEN_TRADING_ACCOUNT = Write(
    _ACCOUNTS,
    "open_trading_account",
    "POST /trading-accounts",
    "Open a trading account for a bank account",
    TradingAccount,
    operation_id="createTradingAccount",
    request=OpenTradingAccount,
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
    _ACCOUNTS,
    "trading_accounts",
    "GET /trading-accounts",
    "Find trading accounts",
    Page[TradingAccount],
    query=listing(TEXT, BANK_ACCOUNT, sorts=ACTIVITY_SORTS),
    feature="trading-accounts",
)
SHOW_TRADING_ACCOUNT = Read(
    _ACCOUNTS,
    "trading_account",
    f"GET {_ACCOUNT}",
    "Show a trading account",
    TradingAccount,
    feature="trading-accounts",
)
TOKEN_BALANCES = Read(
    _ACCOUNTS,
    "token_balances",
    f"GET {_ACCOUNT}/token-balances",
    "Show a trading account's balances",
    Page[TokenBalance],
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
)
LIMITS = Read(
    _ACCOUNTS,
    "limits",
    f"GET {_ACCOUNT}/limits",
    "Show an account's withdrawal limits by class of destination",
    Page[LimitUsage],
    feature="limits",
    is_whole=True,
)
STATEMENT = Read(
    _ACCOUNTS,
    "statement",
    f"GET {_ACCOUNT}/statement",
    "Make an account's statement: balances and movements of a period",
    Statement,
    query=Query(
        StatementQuery,
        (
            _text(
                "from_time",
                "from",
                description="The first day (UTC), such as 2026-11-01, or a timestamp. Without it, "
                "the account's beginning.",
            ),
            _text(
                "to_time",
                "to",
                description="The last day (UTC), which is included, or a timestamp, which isn't. "
                "Without it, the present.",
            ),
        ),
    ),
    feature="statements",
    errors=(errors.StatementUnbalanced,),
)
CUSTOMERS = Read(
    _ACCOUNTS,
    "customers",
    "GET /customers",
    "Find the bank's customers by name, reference or bank account",
    Page[Customer],
    query=listing(TEXT, sorts=REFERENCE_SORTS),
    feature="customers",
)
IMPORT_CUSTOMERS = Write(
    _IMPORTS,
    "import_customers",
    "POST /customers/imports",
    "Import customers and their bank accounts; what is the same already stays as it is",
    CustomerImport,
    request=ImportCustomers,
)
CHECK_CUSTOMER_IMPORT = Read(
    _IMPORTS,
    "check_customer_import",
    "POST /customers/import-checks",
    "Show what an import of customers would do",
    CustomerImport,
    operation_id="checkCustomerImport",
    request=ImportCustomers,
)
FORGET_CUSTOMER = Write(
    _ERASURES,
    "forget_customer",
    "POST /customers/erasures",
    "Erase a customer's personal data; the books stay as they are",
    ForgottenCustomer,
    request=ForgetCustomer,
    errors=(errors.NotFound, errors.Conflict),
)
FIND = Read(
    _ACCOUNTS,
    "find",
    "GET /find",
    "Find customers, accounts, trades, transfers, quotes and wallets, the best match first",
    Page[Found],
    operation_id="find",
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
    feature="find",
    is_whole=True,
)

# -- funding ------------------------------------------------------------------------------------

_TRANSFER_ERRORS = (
    errors.ExceedsPrecision,
    errors.UnsupportedCurrency,
    errors.TermsNotAccepted,
    errors.KycRequired,
    errors.AccountRestricted,
    errors.InsufficientFunds,
)

DEPOSIT = Write(
    _FUNDING,
    "deposit",
    f"POST {_ACCOUNT}/deposits",
    "Move funds from the bank account into the trading account",
    Transfer,
    operation_id="createDeposit",
    request=DepositRequest,
    creates=f"{_ACCOUNT}/deposits/{{depositId}}",
    is_shown=False,
    errors=_TRANSFER_ERRORS,
)
DEPOSITS = Read(
    _FUNDING,
    "deposits",
    f"GET {_ACCOUNT}/deposits",
    "List an account's deposits",
    Page[Transfer],
    query=listing(_status(TransferStatus), CREATED),
    feature="deposits",
)
DEPOSIT_RECORD = Read(
    _FUNDING,
    "deposit_record",
    f"GET {_ACCOUNT}/deposits/{{depositId}}",
    "Show a deposit",
    Transfer,
    operation_id="getDeposit",
    feature="deposits",
)
WITHDRAW = Write(
    _FUNDING,
    "withdraw",
    f"POST {_ACCOUNT}/withdrawals",
    "Move funds out: to the bank account, or to a counterparty",
    Transfer,
    operation_id="createWithdrawal",
    request=WithdrawalRequest,
    creates=f"{_ACCOUNT}/withdrawals/{{withdrawalId}}",
    additions={"destination": "withdrawals"},
    is_shown=False,
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
    _FUNDING,
    "withdrawals",
    f"GET {_ACCOUNT}/withdrawals",
    "List an account's withdrawals",
    Page[Transfer],
    query=listing(_status(TransferStatus), CREATED),
    feature="withdrawals",
)
WITHDRAWAL_RECORD = Read(
    _FUNDING,
    "withdrawal_record",
    f"GET {_ACCOUNT}/withdrawals/{{withdrawalId}}",
    "Show a withdrawal",
    Transfer,
    operation_id="getWithdrawal",
    feature="withdrawals",
)
CANCEL_WITHDRAWAL = Write(
    _FUNDING,
    "cancel_withdrawal",
    f"POST {_ACCOUNT}/withdrawals/{{withdrawalId}}/cancellations",
    "Cancel a withdrawal that hasn't been sent",
    Transfer,
    feature="withdrawal-cancellations",
    errors=(errors.WithdrawalNotCancellable,),
)
ALL_TRANSFERS = Read(
    _FUNDING,
    "all_transfers",
    "GET /trading/transfers",
    "Find deposits and withdrawals of every account",
    Page[Transfer],
    query=listing(
        replace(
            TEXT,
            description="Each word is an amount, part of the customer's name, or four or more "
            "characters from the beginning or the end of an id (also as abbreviated in lists), an "
            "address, a bank account or a reference.",
        ),
        TRADING_ACCOUNT,
        TRANSFER_TYPE,
        _status(TransferStatus),
        CREATED,
    ),
    feature="all-transfers",
)
TRANSACTIONS = Read(
    _FUNDING,
    "transactions",
    f"GET {_ACCOUNT}/transactions",
    "List an account's deposits, withdrawals and trades",
    Page[Transaction],
    query=listing(TYPE),
    feature="transactions",
)
SHOW_TRANSACTION = Read[Transaction](
    _FUNDING,
    "transaction",
    f"GET {_ACCOUNT}/transactions/{{transactionId}}",
    "Show a deposit, a withdrawal or a trade",
    Transaction,
    feature="transactions",
)
TRANSACTION_BY_ID = Read[Transaction](
    _FUNDING,
    "transaction_by_id",
    "GET /trading/transactions/{transactionId}",
    "Show a deposit, a withdrawal or a trade of any account",
    Transaction,
    operation_id="findTransaction",
    feature="transaction-by-id",
)

# -- markets ------------------------------------------------------------------------------------

MARKETS = Read(
    _PRICING,
    "markets",
    "GET /trading/markets",
    "Show the markets with their prices",
    Page[Market],
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
)
SHOW_MARKET = Read(
    _PRICING,
    "market",
    "GET /trading/markets/{market}",
    "Show one market",
    Market,
    feature="market",
    errors=(errors.UnsupportedMarket,),
)
PRICES = Read(
    _PRICING,
    "prices",
    "GET /trading/markets/{market}/prices",
    "Show recent samples of a market's price, oldest first",
    Page[PriceSample],
    feature="prices",
    is_whole=True,
    errors=(errors.UnsupportedMarket,),
)

# -- quotes -------------------------------------------------------------------------------------

CREATE_QUOTE = Write(
    _QUOTING,
    "create_quote",
    "POST /trading/markets/{market}/quotes",
    "Ask for a price that is guaranteed until it expires",
    Quote,
    request=QuoteRequest,
    creates="/trading/quotes/{quoteId}",
    is_harmless=True,
    bucket="quote",
    additions={"amount_of": "quotes", "trading_account_id": "quotes"},
    hints=("trading_account_id",),
    implied={"amount_of": AMOUNT_OF[0]},
    is_enveloped=True,
    echoes=("side",),
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
    _QUOTING,
    "quotes",
    "GET /trading/quotes",
    "List quotes",
    Page[Quote],
    query=listing(_status(QuoteStatus), SIDE, MARKET_NAME, TRADING_ACCOUNT, CREATED),
    feature="quotes",
)
SHOW_QUOTE = Read(
    _QUOTING, "quote", "GET /trading/quotes/{quoteId}", "Show a quote", Quote, feature="quotes"
)
EXECUTE_QUOTE = Write(
    _QUOTING,
    "execute_quote",
    "POST /trading/quotes/{quoteId}",
    "Execute a quote in a trading account",
    Trade,
    scope="trading:execute",
    request=ExecuteRequest,
    creates=f"{_ACCOUNT}/trades/{{tradeId}}",
    errors=(
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

_TRADE_LISTING = listing(_status(TradeStatus), SIDE, MARKET_NAME, CREATED)

TRADES = Read(
    _TRADING,
    "trades",
    f"GET {_ACCOUNT}/trades",
    "List an account's trades",
    Page[Trade],
    query=_TRADE_LISTING,
)
ALL_TRADES = Read(
    _TRADING,
    "all_trades",
    "GET /trading/trades",
    "List the trades of every account",
    Page[Trade],
    query=_TRADE_LISTING,
    feature="all-trades",
)
SHOW_TRADE = Read(_TRADING, "trade", f"GET {_ACCOUNT}/trades/{{tradeId}}", "Show a trade", Trade)
CANCEL_TRADE = Write(
    _TRADING,
    "cancel_trade",
    f"POST {_ACCOUNT}/trades/{{tradeId}}/cancellations",
    "Cancel a trade that has not yet executed",
    Trade,
    also=(("delete_trade", f"DELETE {_ACCOUNT}/trades/{{tradeId}}"),),
    is_shown=False,
    errors=(errors.TradeNotCancellable,),
)

# -- counterparties -----------------------------------------------------------------------------

_CUSTODY = "/blockchain-accounts/{blockchainAccountId}"

REGISTER_COUNTERPARTY = Write(
    _WALLETS,
    "register_counterparty",
    "POST /counterparties",
    "Register a wallet; returns the existing record if it's already registered",
    Counterparty,
    operation_id="createCounterparty",
    request=RegisterCounterparty,
    creates="/counterparties/{counterpartyId}",
    errors=(errors.UnsupportedNetwork, errors.InvalidAddress),
)
COUNTERPARTIES = Read(
    _WALLETS,
    "counterparties",
    "GET /counterparties",
    "Find counterparties by id or address",
    Page[Counterparty],
    query=listing(TEXT),
    feature="counterparties",
)
SHOW_COUNTERPARTY = Read(
    _WALLETS,
    "counterparty",
    "GET /counterparties/{counterpartyId}",
    "Show a counterparty",
    Counterparty,
    feature="counterparties",
)
LINK_COUNTERPARTY = Write(
    _WALLETS,
    "link_counterparty",
    f"POST {_CUSTODY}/counterparties",
    "Link a counterparty to a blockchain account with an ownership claim",
    Counterparty,
    request=LinkRequest,
    creates=f"{_CUSTODY}/counterparties",
    additions={"acknowledged": SHARED_WALLETS_FEATURE},
    hints=("acknowledged",),
    is_shown=False,
    errors=(
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
    _WALLETS,
    "linked_counterparties",
    f"GET {_CUSTODY}/counterparties",
    "List a blockchain account's counterparties",
    Page[Counterparty],
    query=listing(),
)
SHARED_WALLETS = Read(
    _WALLETS,
    "shared_wallets",
    "GET /shared-counterparties",
    "List the wallets that several customers have verified, with a line for each of them",
    Page[SharedWallet],
    operation_id="listSharedCounterparties",
    scope="wallets:review",
    query=listing(TEXT),
    feature=SHARED_WALLETS_FEATURE,
)
REQUIRE_REVERIFICATION = Write(
    _WALLETS,
    "require_reverification",
    f"POST {_CUSTODY}/counterparties/{{counterpartyId}}/reverifications",
    "End a wallet's verification at once, so that it must be verified again",
    Counterparty,
    request=ReverificationRequest,
    feature="reverifications",
    errors=(errors.Conflict,),
)

# -- wallet ownership ---------------------------------------------------------------------------

_OWNERSHIP = "1P-counterparty-ownership"

OPEN_BLOCKCHAIN_ACCOUNT = Write(
    _PROOF,
    "open_blockchain_account",
    "POST /blockchain-accounts",
    "Open a blockchain account with a custody address",
    BlockchainAccount,
    operation_id="createBlockchainAccount",
    scope="accounts:write",
    request=OpenBlockchainAccount,
    creates=_CUSTODY,
    feature="blockchain-accounts",
    errors=(errors.NotFound, errors.UnsupportedNetwork, errors.AccountRestricted),
)
BLOCKCHAIN_ACCOUNTS = Read(
    _PROOF,
    "blockchain_accounts",
    "GET /blockchain-accounts",
    "List blockchain accounts",
    Page[BlockchainAccount],
    query=listing(TRADING_ACCOUNT),
    feature="blockchain-accounts",
)
SHOW_BLOCKCHAIN_ACCOUNT = Read(
    _PROOF,
    "blockchain_account",
    f"GET {_CUSTODY}",
    "Show a blockchain account",
    BlockchainAccount,
    feature="blockchain-accounts",
)
CREATE_CHALLENGE = Write(
    _PROOF,
    "create_challenge",
    f"POST {_CUSTODY}/{_OWNERSHIP}-challenges",
    "Create the message that the wallet's owner signs",
    Challenge,
    operation_id="createOwnershipChallenge",
    request=ChallengeRequest,
    creates=f"/{_OWNERSHIP}-challenges/{{ownershipChallengeId}}",
    is_harmless=True,
    additions={"valid_seconds": "challenges", "page_token_hash": "challenges"},
    errors=(errors.NetworkMismatch, errors.QuotaExceeded),
)
CHALLENGES = Read(
    _PROOF,
    "challenges",
    f"GET {_CUSTODY}/{_OWNERSHIP}-challenges",
    "List a blockchain account's challenges",
    Page[Challenge],
    operation_id="listOwnershipChallenges",
    query=listing(),
    feature="challenges",
)
CHALLENGE_BY_ID = Read(
    _PROOF,
    "challenge_by_id",
    f"GET /{_OWNERSHIP}-challenges/{{ownershipChallengeId}}",
    "Show an ownership challenge of any account",
    Challenge,
    operation_id="getOwnershipChallenge",
    feature="challenge-by-id",
)
SUBMIT_CLAIM = Write(
    _PROOF,
    "submit_claim",
    f"POST {_CUSTODY}/{_OWNERSHIP}-claims",
    "Submit the wallet's signature of a challenge",
    OwnershipClaim,
    operation_id="createOwnershipClaim",
    request=ClaimRequest,
    creates=f"/{_OWNERSHIP}-claims/{{ownershipClaimId}}",
    errors=(
        errors.Conflict,
        errors.ChallengeAlreadyUsed,
        errors.ChallengeLocked,
        errors.InvalidSignature,
        errors.ChainUnavailable,
    ),
)
CLAIM_BY_ID = Read(
    _PROOF,
    "claim_by_id",
    f"GET /{_OWNERSHIP}-claims/{{ownershipClaimId}}",
    "Show an ownership claim of any account",
    OwnershipClaim,
    operation_id="getOwnershipClaim",
    feature="claim-by-id",
)
CLAIM_ATTESTATION = Read(
    _PROOF,
    "claim_attestation",
    f"GET /{_OWNERSHIP}-claims/{{ownershipClaimId}}/attestation",
    "Attest an ownership claim: all its facts, signed by the bank, for anybody to verify",
    WalletAttestation,
    operation_id="getOwnershipClaimAttestation",
    feature=ATTESTATIONS,
    errors=(errors.Conflict,),
)
DIAGNOSE_SIGNATURE = Read(
    _PROOF,
    "diagnose_signature",
    f"POST {_CUSTODY}/{_OWNERSHIP}-diagnoses",
    "Explain why a signature would be refused; doesn't count as an attempt",
    SignatureDiagnosis,
    operation_id="diagnoseSignature",
    scope="wallets:write",
    request=DiagnosisRequest,
    feature="diagnoses",
    errors=(errors.Conflict, errors.ChallengeAlreadyUsed),
)

CREATE_SMALL_TRANSFER = Write(
    _SMALL,
    "create_small_transfer",
    f"POST {_CUSTODY}/{_OWNERSHIP}-transfers",
    "Ask a wallet that can't sign to send an exact amount to itself",
    SmallTransfer,
    request=SmallTransferRequest,
    creates=f"/{_OWNERSHIP}-transfers/{{smallTransferId}}",
    errors=(
        errors.Conflict,
        errors.NetworkMismatch,
        errors.QuotaExceeded,
        errors.UnsupportedNetwork,
        errors.ArrivalsUnwatched,
    ),
)
SMALL_TRANSFERS = Read(
    _SMALL,
    "small_transfers",
    f"GET {_CUSTODY}/{_OWNERSHIP}-transfers",
    "List a blockchain account's small transfers",
    Page[SmallTransfer],
    query=listing(),
)
SMALL_TRANSFER_BY_ID = Read(
    _SMALL,
    "small_transfer_by_id",
    f"GET /{_OWNERSHIP}-transfers/{{smallTransferId}}",
    "Show a small transfer of any account, and what arrived for it",
    SmallTransfer,
    operation_id="getSmallTransfer",
)
CREATE_OWNERSHIP_STATEMENT = Write(
    _STATED,
    "create_ownership_statement",
    f"POST {_CUSTODY}/{_OWNERSHIP}-statements",
    "Record a customer's statement that a wallet is theirs; it verifies nothing",
    OwnershipStatement,
    request=StatementRequest,
    creates=f"/{_OWNERSHIP}-statements/{{ownershipStatementId}}",
    errors=(errors.NetworkMismatch,),
)
OWNERSHIP_STATEMENTS = Read(
    _STATED,
    "ownership_statements",
    f"GET {_CUSTODY}/{_OWNERSHIP}-statements",
    "List the statements about wallets of a blockchain account",
    Page[OwnershipStatement],
    query=listing(),
)
OWNERSHIP_STATEMENT_BY_ID = Read(
    _STATED,
    "ownership_statement_by_id",
    f"GET /{_OWNERSHIP}-statements/{{ownershipStatementId}}",
    "Show a statement about a wallet of any account",
    OwnershipStatement,
    operation_id="getOwnershipStatement",
)

# -- decisions ----------------------------------------------------------------------------------

_DECISION = "/decisions/{decisionId}"
DECISIONS = Read(
    _DECIDING,
    "decisions",
    "GET /decisions",
    "List what waits for a person, the earliest deadline first",
    Page[Decision],
    query=listing(KIND, _status(DecisionStatus), TRADING_ACCOUNT, OBJECT, CREATED, sorts=DUE_SORTS),
)
DECISION = Read(_DECIDING, "decision", f"GET {_DECISION}", "Show a decision", Decision)
OPEN_DECISION = Write(
    _DECIDING,
    "open_decision",
    "POST /decisions",
    "Put a control on a trading account, or close a market",
    Decision,
    operation_id="createDecision",
    scope="controls:write",
    request=OpenDecision,
    creates=_DECISION,
    errors=(errors.NotFound, errors.Conflict, errors.UnsupportedMarket),
)
TAKE_DECISION = Write(
    _DECIDING,
    "take_decision",
    f"POST {_DECISION}/holders",
    "Take a decision for fifteen minutes, so that others see who works on it",
    Decision,
    errors=(errors.Conflict,),
)
APPROVE_DECISION = Write(
    _DECIDING,
    "approve_decision",
    f"POST {_DECISION}/approvals",
    "Let a withdrawal pass, accept a statement, lift a control or open a market",
    Decision,
    request=Approval,
    errors=(errors.Conflict,),
)
REFUSE_DECISION = Write(
    _DECIDING,
    "refuse_decision",
    f"POST {_DECISION}/refusals",
    "Refuse a withdrawal, whose money is given back, or a statement; keep a control",
    Decision,
    request=Refusal,
    errors=(errors.Conflict,),
)
NOTE_DECISION = Write(
    _DECIDING,
    "note_decision",
    f"POST {_DECISION}/notes",
    "Note what the customer is asked for; the first time, the deadline moves",
    Decision,
    request=DecisionNote,
    errors=(errors.Conflict,),
)

# -- agents -------------------------------------------------------------------------------------

_AGENT = "/agents/{agentId}"
AGENTS = Read(
    _PEOPLE,
    "agents",
    "GET /agents",
    "List the keys of people at desks, newest first",
    Page[Agent],
    query=listing(),
)
ENROL_AGENT = Write(
    _PEOPLE,
    "enrol_agent",
    "POST /agents",
    "Enrol a person's key of a desk, which somebody approves",
    Agent,
    scope="desk",
    request=EnrolAgent,
    creates="/agents",
    errors=(errors.Conflict, errors.QuotaExceeded),
)
APPROVE_AGENT = Write(
    _PEOPLE,
    "approve_agent",
    f"POST {_AGENT}/approvals",
    "Let an agent work in roles of the policy",
    Agent,
    request=ApproveAgent,
    errors=(errors.Conflict,),
)
REVOKE_AGENT = Write(
    _PEOPLE, "revoke_agent", f"POST {_AGENT}/revocations", "End an agent's key at once", Agent
)

# -- notes --------------------------------------------------------------------------------------

_NOTE = "/notes/{noteId}"
NOTES = Read(
    _NOTING,
    "notes",
    "GET /notes",
    "List notes of the team about customers and their records, newest first",
    Page[Note],
    query=listing(SUBJECT, TRADING_ACCOUNT, TEXT, CREATED),
)
ADD_NOTE = Write(
    _NOTING,
    "add_note",
    "POST /notes",
    "Note something about a customer or a record, for the whole team",
    Note,
    operation_id="createNote",
    request=AddNote,
    creates="/notes",
    errors=(errors.NotFound,),
)
ERASE_NOTE = Write(
    _NOTING,
    "erase_note",
    f"POST {_NOTE}/erasures",
    "Erase the words of a note; who noted something, and when, stays",
    Note,
)

# -- webhooks -----------------------------------------------------------------------------------

_WEBHOOK = "/webhooks/{webhookId}"
WEBHOOKS = Read(
    _HOOKS,
    "webhooks",
    "GET /webhooks",
    "List the endpoints that are sent events, newest first",
    Page[Webhook],
    is_whole=True,
)
WEBHOOK = Read(
    _HOOKS, "webhook", f"GET {_WEBHOOK}", "Show an endpoint, and how far it has the events", Webhook
)
CREATE_WEBHOOK = Write(
    _HOOKS,
    "create_webhook",
    "POST /webhooks",
    "Send events from now on to an endpoint; its secret is shown once",
    WebhookWithSecret,
    request=CreateWebhook,
    creates=_WEBHOOK,
    errors=(errors.QuotaExceeded,),
)
DELETE_WEBHOOK = Write(
    _HOOKS,
    "delete_webhook",
    f"DELETE {_WEBHOOK}",
    "Send an endpoint no more events, and forget it",
    Webhook,
)
PAUSE_WEBHOOK = Write(
    _HOOKS,
    "pause_webhook",
    f"POST {_WEBHOOK}/pauses",
    "Let the events for an endpoint wait",
    Webhook,
)
RESUME_WEBHOOK = Write(
    _HOOKS,
    "resume_webhook",
    f"POST {_WEBHOOK}/resumptions",
    "Send what waited and what follows; a failing endpoint is tried at once",
    Webhook,
)
ROTATE_WEBHOOK = Write(
    _HOOKS,
    "rotate_webhook",
    f"POST {_WEBHOOK}/secrets",
    "Make another secret, shown once; both sign for a while",
    WebhookWithSecret,
    request=RotateSecret,
)
REPLAY_WEBHOOK = Write(
    _HOOKS,
    "replay_webhook",
    f"POST {_WEBHOOK}/replays",
    "Send the events after a cursor again, with the ids that they had",
    Webhook,
    request=ReplayEvents,
)
TEST_WEBHOOK = Write(
    _HOOKS,
    "test_webhook",
    f"POST {_WEBHOOK}/tests",
    "Send a test event now and say what came of it",
    WebhookTest,
)

# -- the deployment itself ----------------------------------------------------------------------

CAPABILITIES = Read(
    _BANK,
    "capabilities",
    "GET /capabilities",
    "Show what this deployment offers beyond the specification",
    Capabilities,
    scope=ANY_KEY,
)
EVENTS = Read(
    _BANK,
    "events",
    "GET /events",
    "Read events after a cursor, oldest first",
    EventPage,
    operation_id="listEvents",
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
)
EVENT_STREAM = Endpoint(
    _BANK,
    "stream_events",
    "GET /events/stream",
    "Follow events as they happen (server-sent events)",
    feature="event-stream",
)
AUDIT = Read(
    _BANK,
    "audit",
    "GET /audit",
    "Read the audit trail, newest first",
    Page[AuditRow],
    operation_id="listAuditRows",
    query=listing(OBJECT, AUDITED_ACCOUNT, AUDITED_CASE),
    feature="audit",
)
AUDIT_CHECKPOINT = Read(
    _BANK,
    "audit_checkpoint",
    "GET /audit/checkpoint",
    "Read the signed head of the audit log: a C2SP checkpoint",
    AuditCheckpoint,
    feature=HEADS,
    errors=(errors.NotFound, errors.Conflict),
)
AUDIT_CONSISTENCY = Read(
    _BANK,
    "audit_consistency",
    "GET /audit/consistency",
    "Prove that a larger head of the audit log continues a smaller one",
    AuditConsistency,
    query=Query(ConsistencyQuery, (_size("from_size", "from", 0), _size("to_size", "to"))),
    feature=HEADS,
    errors=(errors.NotFound,),
)
AUDIT_PROOF = Read(
    _BANK,
    "audit_proof",
    "GET /audit/proofs/{seq}",
    "Prove that an audit row is in the log, by its number",
    AuditProof,
    feature=HEADS,
    errors=(errors.NotFound, errors.Conflict),
)
DISPUTES = Read(
    _BANK,
    "disputes",
    "GET /disputes",
    "List what verification found wrong in the books, the newest first",
    Page[Dispute],
    scope="admin",
    feature=DISPUTES_FEATURE,
    is_whole=True,
)
CLEAR_DISPUTE = Write(
    _BANK,
    "clear_dispute",
    "POST /disputes/{disputeId}/clearings",
    "Clear a dispute, so that payouts go on; it returns if the rows still differ",
    Dispute,
    request=ClearDispute,
    feature=DISPUTES_FEATURE,
    errors=(errors.Conflict,),
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


ENGINE_FEATURES: tuple[str, ...] = tuple(
    dict.fromkeys((IDEMPOTENCY, *(name for each in OPERATIONS for name in features_of(each))))
)
"""The additions that the engine offers, over HTTP or not."""
FEATURES = (*ENGINE_FEATURES, *features_of(EVENT_STREAM))
"""The additions to the specification, by the names that ``GET /capabilities`` reports."""
