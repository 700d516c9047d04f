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
    "controls:write",
    "agents:write",
    "events:read",
    "desk",
    "admin",
)
WITHHELD = (
    "wallets:review",
    "decisions:write",
    "controls:write",
    "agents:write",
    "desk",
    "admin",
)
"""Scopes that a key only has if they are named: to see whose wallets are shared, to decide what
waits for a person, to put accounts under a control, to admit agents, to be used by agents, and
everything about the deployment itself."""
DESK = "desk"
"""The scope of the keys of consoles: where the policy has roles, each request under such a key is
signed by an agent."""
OF_PEOPLE = frozenset({"decisions:write", "controls:write", "agents:write"})
"""What only people do: scopes that only a key with ``DESK`` may have."""
DESK_SCOPES = tuple(scope for scope in SCOPES if scope != "admin")
"""The scopes of a key for consoles. What an agent may do of that is said by the agent's roles."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who performs an operation.

    ``name`` appears in the audit trail; ``key_id`` is empty if no API key was used. ``scopes`` are
    those of the API key, of which an agent has those of its roles; None for who may do everything.
    ``agent_id`` is that of the agent who signed the request, ``roles`` are the agent's in the
    bank's policy.
    """

    organisation: str = DEFAULT_ORGANISATION
    name: str = "local"
    key_id: str = ""
    scopes: frozenset[str] | None = field(default=None, compare=False)
    agent_id: str = ""
    roles: frozenset[str] = field(default=frozenset(), compare=False)

    @property
    def is_worker(self) -> bool:
        """Whether the service itself acts, on work that is due."""
        return self.name == WORKER.name and not self.key_id

    @property
    def is_person(self) -> bool:
        """Whether a person acts: an agent, or whoever has the database or a console's key."""
        return not self.is_worker and (self.scopes is None or DESK in self.scopes)

    def may(self, scope: str) -> bool:
        return self.scopes is None or scope in self.scopes

    def has_role(self, role: str) -> bool:
        """Whether an agent has a role; whoever may do everything has each."""
        return self.scopes is None or role in self.roles


WORKER = Actor(name="worker")
