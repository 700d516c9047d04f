"""The interface between the HTTP service and what it serves.

The HTTP service never sees an engine or a database: a deployment checks API keys and provides a
``Service`` that acts for one caller.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from chainteller.domain.actors import Actor
from chainteller.domain.options import Rates
from chainteller.domain.sign_ins import TOKEN_AGE_S
from chainteller.domain.signed_requests import Signed
from chainteller.service.errors import ServiceError
from chainteller.service.interface import Service
from chainteller.service.models.counterparties import PageSignature, SigningPage
from chainteller.service.operations import Operation

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Principal:
    """Who a valid API key or access token speaks for, and what it may do
    (``domain.actors.SCOPES``).

    ``is_unsigned`` is a desk's key without the signature of an agent, which the policy wants.
    """

    actor: Actor
    scopes: frozenset[str]
    is_unsigned: bool = False


@dataclass(frozen=True, slots=True)
class Books:
    """When the books were verified, what was new and as a whole, as timestamps; and the breaches
    that stop payouts until a person clears them, in words that name no record."""

    verified_at: str | None = None
    wholly_verified_at: str | None = None
    disputes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Health:
    """``checks`` names each part with ``ok`` or what is wrong with it; ``suggestion`` says what to
    do about that. ``books`` is None where the database can't be asked. ``simulated`` names the
    parts of the bank that aren't real.
    """

    ready: bool
    checks: Mapping[str, str] = field(default_factory=dict)
    suggestion: str = ""
    books: Books | None = None
    simulated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure for monitoring, in the terms of Prometheus: a gauge with its labels."""

    name: str
    meaning: str
    value: float
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DeploymentOptions:
    """Settings of the HTTP service."""

    version: str
    bank_name: str = "Example Bank"
    rate_limits: bool = True
    docs: bool = False
    trusted_proxies: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    public_url: str = ""
    """Where customers open signing pages; empty where there are none."""
    stop_notice_s: float = 0
    rates: Rates = field(default_factory=Rates)
    needs_agents: bool = False
    """Whether agents sign the requests of desks: the policy has roles."""
    token_age_s: float = TOKEN_AGE_S


class Deployment(Protocol):
    """One database with its engine, as ``serve`` uses it."""

    @property
    def options(self) -> DeploymentOptions:
        """The settings of the HTTP service; they do not change while the process lives."""

    def authenticate(self, bearer: str) -> Principal:
        """The principal of the API key or access token after ``Bearer``.

        Raises:
            Unauthorized: MALFORMED, UNKNOWN, EXPIRED or REVOKED; or a reason of who signs in.
            ServiceUnavailable: keys cannot be looked up now.
        """

    def recognise(self, bearer: str) -> Principal | None:
        """The result of ``authenticate`` where it is cached; never waits. None: authenticate.
        Raises Unauthorized."""

    def authenticate_agent(self, principal: Principal, signed: Signed) -> Principal:
        """Who acts under an API key whose request an agent has signed, and with which scopes.

        Raises:
            Unauthorized: a reason of agents.
            ServiceUnavailable: agents cannot be looked up now.
        """

    def recognise_agent(self, principal: Principal, signed: Signed) -> Principal | None:
        """The result of ``authenticate_agent`` where the agent is cached; never waits. Raises
        Unauthorized."""

    def agent_holds(self, actor: Actor) -> bool:
        """Whether the agent of a caller is still in force. Raises ServiceUnavailable."""

    def note_refusal(self, address: str, refusal: ServiceError, actor: Actor | None) -> None:
        """Put a refused caller into the trail, sooner or later; never waits.

        Args:
            address: where the request came from.
            refusal: Unauthorized, or Forbidden.
            actor: whose key it was; None for a key that isn't valid.
        """

    def note_look(self, actor: Actor, account_id: str, case_id: str) -> None:
        """Put on record, sooner or later, that an agent has looked at an account; never waits."""

    def acting_as(self, actor: Actor) -> Service:
        """The service for one caller; cheap, called for every request."""

    async def at_once(
        self, actor: Actor, operation: Operation[Any], work: Callable[[Service], Answer]
    ) -> Answer | None:
        """What ``work`` makes of a short read, which is done on the event loop and doesn't hold it
        up. None where that isn't possible now, or for this operation: the caller repeats it with
        ``acting_as``.

        Args:
            actor: the caller.
            operation: what is asked, near the beginning of its list and without a filter.
            work: calls the operation alone.
        """

    def newest_event(self) -> int:
        """The number of the newest event of any organisation. One read tells all event streams of
        a process whether there is anything to read. Raises ServiceUnavailable."""

    def signing_page(self, token: str) -> SigningPage:
        """What the signing page of a token shows.

        Raises:
            NotFound: no challenge has this page.
            ServiceUnavailable: it can't be looked up now.
        """

    def take_signature(self, token: str, sent: PageSignature) -> SigningPage:
        """Keep what was sent from a signing page.

        Raises:
            NotFound: no challenge has this page, or the page has no such message.
            Conflict: the challenge is closed, or too much was sent.
            ValidationFailed: it's no signature.
            ServiceUnavailable: it can't be kept now.
        """

    def servers(self) -> int:
        """How many server processes serve the same records, this one included; never waits."""

    def health(self) -> Health:
        """Whether requests can be served now; asks the database."""

    def figures(self) -> tuple[Figure, ...]:
        """What monitoring is told of the records; asks the database. Raises ServiceUnavailable: it
        can't be asked."""

    def process_figures(self) -> tuple[Figure, ...]:
        """What monitoring is told of this process alone; never waits."""

    def start(self) -> None:
        """Called once in each server process before it accepts requests. After a fork it drops
        every connection that the parent opened; then it starts whatever does the due work."""

    def stop(self) -> None:
        """Called once in each server process after its last request."""
