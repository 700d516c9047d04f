"""Who acts: an organisation's API key, the operator of a console, or the service's worker."""

from dataclasses import dataclass

DEFAULT_ORGANISATION = "default"

SCOPES = (
    "accounts:read",
    "accounts:write",
    "trading:quote",
    "trading:execute",
    "transfers:write",
    "wallets:read",
    "wallets:write",
    "events:read",
    "admin",
)


@dataclass(frozen=True, slots=True)
class Actor:
    """Who performs an operation.

    ``name`` appears in the audit trail; ``key_id`` is empty if no API key was used.
    """

    organisation: str = DEFAULT_ORGANISATION
    name: str = "local"
    key_id: str = ""


WORKER = Actor(name="worker")
