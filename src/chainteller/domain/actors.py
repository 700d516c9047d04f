"""Who acts: an organisation's API key, the operator of a console, or the service's worker."""

from dataclasses import dataclass, field

DEFAULT_ORGANISATION = "default"

SCOPES = (
    "accounts:read",
    "accounts:write",
    "trading:quote",
    "trading:execute",
    "transfers:write",
    "wallets:read",
    "wallets:write",
    "wallets:review",
    "decisions:write",
    "events:read",
    "admin",
)
WITHHELD = ("wallets:review", "decisions:write", "admin")
"""Scopes that a key only has if they are named: to see whose wallets are shared, to decide what
waits for a person, and everything about the deployment itself."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who performs an operation.

    ``name`` appears in the audit trail; ``key_id`` is empty if no API key was used. ``scopes`` are
    those of the API key, None for who may do everything.
    """

    organisation: str = DEFAULT_ORGANISATION
    name: str = "local"
    key_id: str = ""
    scopes: frozenset[str] | None = field(default=None, compare=False)

    @property
    def is_worker(self) -> bool:
        """Whether the service itself acts, on work that is due."""
        return self.name == WORKER.name and not self.key_id


WORKER = Actor(name="worker")
