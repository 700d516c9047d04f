"""What the HTTP service needs of whatever stands behind it.

The service never sees an engine or a database: it asks a deployment who a key belongs to and is
handed a ``Service`` that acts for that caller alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from chainteller.domain.actors import Actor
from chainteller.service.interface import Service


@dataclass(frozen=True, slots=True)
class Principal:
    """Who a valid API key speaks for, and what it may do (``domain.actors.SCOPES``)."""

    actor: Actor
    scopes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Health:
    """``checks`` names each part with ``ok`` or what is wrong with it."""

    ready: bool
    checks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DeploymentOptions:
    """What an operator may set about the service's outside."""

    version: str
    bank_name: str = "Example Bank"
    rate_limits: bool = True
    docs: bool = False


class Deployment(Protocol):
    """One database with its engine, seen by ``serve``."""

    @property
    def options(self) -> DeploymentOptions:
        """The settings of the outside; fixed for the life of the process."""

    def authenticate(self, api_key: str) -> Principal:
        """Whom the text after ``Bearer`` stands for.

        Raises:
            Unauthorized: reason MALFORMED, UNKNOWN, EXPIRED or REVOKED.
            ServiceUnavailable: keys cannot be looked up now.
        """

    def recognise(self, api_key: str) -> Principal | None:
        """What ``authenticate`` would say, where that is known without asking anything; it never
        waits. None: ask."""

    def acting_as(self, actor: Actor) -> Service:
        """The service for one caller; cheap, called for every request."""

    def at_once(self, actor: Actor) -> Service | None:
        """As ``acting_as``, for short reads that may run where nothing may wait: what would have to
        wait for somebody's lock raises ServiceUnavailable and is to be asked of ``acting_as``.
        None where every read waits, as for a database behind a network."""

    def health(self) -> Health:
        """Whether requests can be served now; asks the database."""

    def start(self) -> None:
        """Called once in each server process before it accepts requests. After a fork it drops
        every connection that the parent opened; then it starts whatever does the due work."""

    def stop(self) -> None:
        """Called once in each server process after its last request."""
