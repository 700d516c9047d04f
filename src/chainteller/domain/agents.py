"""Agents: people at desks, each with a key of their own, and what their roles let them do.

An agent's id is made of the public key, so that whoever admits an id admits exactly this key. The
name says who it is: a person with two machines has two keys under one name.

A request is signed as RFC 9421 (HTTP Message Signatures) says, with Ed25519 and the same
components in the same order in every request.
"""

import hashlib
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from chainteller.domain.actors import DESK, WORKER
from chainteller.domain.clock import MINUTE
from chainteller.domain.ids import Prefix, id_of

SIGNED_WITHIN = MINUTE
"""How far the time of a signature may be from the deployment's."""
LOOK = "look"
"""The action of an entry that says that an agent has looked at an account."""
AGENT_FORM = "1 to 64 lower-case letters, digits, dots, hyphens or underscores, as a user name"
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?", re.ASCII)
_SPKI = bytes.fromhex("302a300506032b6570032100")
"""What stands before the 32 bytes of an Ed25519 key (RFC 8410, section 10.1)."""
_RESERVED = frozenset({WORKER.name, "local"})
CASE_HEADER, KEY_HEADER = "chainteller-case", "idempotency-key"
DIGEST_HEADER, SIGNATURE_HEADER, INPUT_HEADER = "content-digest", "signature", "signature-input"
LABEL = "agent"
_COVERED = (DIGEST_HEADER, KEY_HEADER, CASE_HEADER)
"""Fields that are signed where a request has them."""
_INPUT = re.compile(
    rf'{LABEL}=(\((?:"[a-z@-]{{1,40}}" ?){{0,8}}\);created=([0-9]{{1,12}});'
    r'keyid="(AGT_[0-9A-Z]{22})")',
    re.ASCII,
)
_SIGNATURE = re.compile(rf"{LABEL}=:([A-Za-z0-9+/]{{86}}==):", re.ASCII)


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


def scopes_of(roles: Roles, names: Iterable[str]) -> frozenset[str]:
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


# Signed requests


class Signed(NamedTuple):
    """What a request's signature says: by whom, when in microseconds, and of which bytes."""

    agent_id: str
    created: int
    signature: bytes
    base: bytes


class Target(NamedTuple):
    """Where a request goes: ``path`` and ``query`` as they are sent, percent-encoded."""

    method: str
    path: str
    query: str


def content_digest(body: bytes) -> str:
    """The field ``Content-Digest`` of a body (RFC 9530)."""
    return f"sha-256=:{b64encode(hashlib.sha256(body).digest()).decode()}:"


def signature_input(headers: Mapping[str, str], created: int, agent: str) -> str:
    """The field ``Signature-Input`` of a request with these headers, whose names are lower case;
    ``created`` is in seconds since 1970."""
    return f"{LABEL}={_parameters(headers, created, agent)}"


def signature_base(target: Target, headers: Mapping[str, str], parameters: str) -> bytes:
    """The bytes that are signed (RFC 9421, section 2.5)."""
    lines = [
        f'"@method": {target.method}',
        f'"@path": {target.path}',
        f'"@query": ?{target.query}',
        *(f'"{name}": {headers[name].strip(" ")}' for name in _COVERED if name in headers),
        f'"@signature-params": {parameters}',
    ]
    return "\n".join(lines).encode()


def parameters_of(field: str) -> str:
    """What stands in ``Signature-Input`` after the label."""
    return field.partition("=")[2]


def read_signature(target: Target, headers: Mapping[str, str]) -> Signed:
    """What a request says of its signature, to be verified with the agent's key.

    Raises:
        ValueError: it isn't the signature that an agent's request has.
    """
    told = _INPUT.fullmatch(headers.get(INPUT_HEADER, ""))
    signed = _SIGNATURE.fullmatch(headers.get(SIGNATURE_HEADER, ""))
    if told is None or signed is None:
        raise ValueError("no signature of an agent")
    parameters, created, agent = told[1], int(told[2]), told[3]
    if parameters != _parameters(headers, created, agent):
        raise ValueError("other components are signed")
    base = signature_base(target, headers, parameters)
    return Signed(agent, created * 1_000_000, b64decode(signed[1]), base)


def signature_field(signature: bytes) -> str:
    """The field ``Signature`` of a signature of 64 bytes."""
    return f"{LABEL}=:{b64encode(signature).decode()}:"


def _parameters(headers: Mapping[str, str], created: int, agent: str) -> str:
    names = ("@method", "@path", "@query", *(name for name in _COVERED if name in headers))
    components = " ".join(f'"{name}"' for name in names)
    return f'({components});created={created};keyid="{agent}"'
