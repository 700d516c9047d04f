"""Who acts: an organisation's API key, the operator at a desk, or the service's own worker."""

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
    """``name`` is what the audit trail shows; ``key_id`` is empty where no API key was used."""

    organisation: str = DEFAULT_ORGANISATION
    name: str = "local"
    key_id: str = ""


WORKER = Actor(name="worker")
