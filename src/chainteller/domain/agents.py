"""Agents: people at desks, each with a key of their own, and what their roles let them do.

An agent's id is made of the public key, so that whoever admits an id admits exactly this key. The
name says who it is: a person with two machines has two keys under one name.
"""

import hashlib
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from enum import StrEnum

from chainteller.domain.actors import DESK, WORKER
from chainteller.domain.ids import Prefix, id_of

LOOK = "look"
"""The action of an entry that says that an agent has looked at an account."""
AGENT_FORM = "1 to 64 lower-case letters, digits, dots, hyphens or underscores, as a user name"
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?", re.ASCII)
_SPKI = bytes.fromhex("302a300506032b6570032100")
"""What stands before the 32 bytes of an Ed25519 key (RFC 8410, section 10.1)."""
_RESERVED = frozenset({WORKER.name, "local"})


class AgentStatus(StrEnum):
    WAITING = "waiting"
    APPROVED = "approved"
    EXPIRED = "expired"
    REVOKED = "revoked"


class Permission(StrEnum):
    """What a role may do, by its word in a policy."""

    SERVE = "serve"
    READ = "read"
    DECIDE = "decide"
    CONTROL = "control"
    AGENTS = "agents"
    ADMIN = "admin"


_READING = frozenset({"accounts:read", "wallets:read", "events:read"})
GRANTS: Mapping[Permission, frozenset[str]] = {
    Permission.SERVE: _READING
    | {
        "accounts:write", "trading:quote", "trading:execute", "transfers:write", "wallets:write",
    },
    Permission.READ: _READING | {"wallets:review"},
    Permission.DECIDE: _READING | {"wallets:review", "decisions:write"},
    Permission.CONTROL: _READING | {"controls:write"},
    Permission.AGENTS: _READING | {"agents:write"},
    Permission.ADMIN: _READING | {"admin"},
}  # fmt: skip
"""The scopes of a permission."""
Roles = Mapping[str, tuple[Permission, ...]]
"""What each role may do, by its name in the policy; none where the policy knows no roles."""


def scopes_of_roles(roles: Roles, names: Iterable[str]) -> frozenset[str]:
    """The scopes of roles of the policy."""
    granted = (GRANTS[each] for name in names for each in roles.get(name, ()))
    return frozenset().union(*granted, {DESK})


def agent_id(organisation_id: str, public_key: bytes) -> str:
    """The id of an organisation's agent with an Ed25519 public key of 32 bytes."""
    named = f"agent\0{organisation_id}\0".encode()
    return id_of(Prefix.AGENT, hashlib.sha256(named + public_key).digest())


def public_key_text(public_key: bytes) -> str:
    """A public key of 32 bytes as requests carry it: SubjectPublicKeyInfo (RFC 8410) in base64,
    which no private key looks like."""
    return b64encode(_SPKI + public_key).decode()


def read_public_key(text: str) -> bytes:
    """The 32 bytes of such a text. Raises ValueError."""
    found = b64decode(text, validate=True)
    if len(found) != len(_SPKI) + 32 or not found.startswith(_SPKI):
        raise ValueError("no public key of Ed25519")
    return found[len(_SPKI) :]


def is_agent_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None and text not in _RESERVED


def agent_status(
    *, now: int, approved_at: int | None, expires: int | None, revoked_at: int | None
) -> AgentStatus:
    """An agent's status at ``now``; all times in microseconds."""
    if revoked_at is not None:
        return AgentStatus.REVOKED
    if approved_at is None:
        return AgentStatus.WAITING
    if expires is not None and expires <= now:
        return AgentStatus.EXPIRED
    return AgentStatus.APPROVED
