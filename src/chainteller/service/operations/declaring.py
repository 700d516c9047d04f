"""What is declared of an operation, and the query parameters and names that sections share."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import Enum, StrEnum
from functools import cached_property
from types import UnionType
from typing import Any, ClassVar, Generic, TypeVar

from chainteller.domain.actors import SCOPES
from chainteller.service import errors
from chainteller.service.errors import ServiceError
from chainteller.service.models.base import RequestModel, WireModel, Written
from chainteller.service.models.pages import (
    DEFAULT_LIMIT,
    MAXIMUM_LIMIT,
    MAXIMUM_PAGE,
    ListQuery,
    Page,
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
ENGINE_FEATURES = (
    IDEMPOTENCY, "trading-accounts", "limits", "statements", "customers", CUSTOMERS_FEATURE, "find",
    "deposits", "withdrawals", "withdrawal-cancellations", "all-transfers", "transactions",
    "transaction-by-id", "market", "prices", "quotes", "all-trades", "counterparties",
    SHARED_WALLETS_FEATURE, "reverifications", "blockchain-accounts", "challenges",
    "challenge-by-id", "claim-by-id", ATTESTATIONS, "diagnoses", SMALL_TRANSFERS_FEATURE,
    OWNERSHIP_STATEMENTS_FEATURE, DECISIONS_FEATURE, AGENTS_FEATURE, NOTES_FEATURE,
    WEBHOOKS_FEATURE, "events", "audit", "audit-of-account", HEADS, DISPUTES_FEATURE,
)  # fmt: skip
"""The additions that the engine offers, over HTTP or not, in the order of the operations."""
FEATURES = (*ENGINE_FEATURES, "event-stream")
"""The additions to the specification, by the names that ``GET /capabilities`` reports."""
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


def text_parameter(field: str, *names: str, enum: Iterable[str] = (), **more: Any) -> Parameter:
    schema = {"type": "string", **({"enum": [str(each) for each in enum]} if enum else {})}
    return Parameter(field, names, Kind.TEXT, schema, **more)


def status_filter(statuses: type[StrEnum]) -> Parameter:
    return text_parameter("status", "filter[status]", known=tuple(statuses))


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
TEXT = text_parameter("text", "filter[query]", "query")
OBJECT = text_parameter("text", "filter[object]")
TRADING_ACCOUNT = text_parameter("trading_account_id", "filter[tradingAccountId]")
CREATED = (
    _timestamp("created_gte", "filter[created][gte]"),
    _timestamp("created_lt", "filter[created][lt]"),
)


SORTS = ("-created", "created")


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
        if self.feature not in (None, *FEATURES):
            raise ValueError(f"{self.operation_id} is of a feature that isn't in FEATURES.")
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
    creates: str | None = None
    """The path of the record that a 201 points to; None where it answers 200."""

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

    The names in ``creates`` are those of this path and of the request's fields; the one that is
    neither is the new record's id.
    """

    response: type[Record]
    _: KW_ONLY
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


def features_of(endpoint: Endpoint) -> tuple[str, ...]:
    """The additions that an endpoint and its parameters belong to."""
    parameters = endpoint.parameters if isinstance(endpoint, Operation) else ()
    named = (endpoint.feature, *(each.feature for each in parameters))
    return tuple(each for each in named if each is not None)


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


# -- what several sections share ----------------------------------------------------------------

ACCOUNTS = Section("Trading accounts", "accounts:read", "accounts:write")
BANK = Section("Deployment", "events:read", "admin")
ACCOUNT_PATH = "/trading-accounts/{tradingAccountId}"
