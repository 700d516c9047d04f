"""Agents: people at desks with keys of their own."""

from typing import Annotated

from chainteller.domain.agents import AgentStatus
from chainteller.service.models.base import Many, OneOf, RequestModel, Timestamp, WireModel


class Agent(WireModel):
    """A person's key at a desk. The id is made of the public key, so that whoever approves an id
    approves this key. The same ``name`` is the same person, whichever key signs. ``roles`` are
    those of the bank's policy."""

    type: str = "agent"
    id: str
    name: str
    status: Annotated[str, OneOf("AgentStatus", AgentStatus)]
    roles: Many[str] = ()
    created: Timestamp
    approved_at: Timestamp | None = None
    approved_by: str | None = None
    expires: Timestamp | None = None
    revoked_at: Timestamp | None = None
    revoked_by: str | None = None


class EnrolAgent(RequestModel):
    """``name`` is a user name; ``public_key`` is of Ed25519, as SubjectPublicKeyInfo (RFC 8410) in
    base64."""

    name: str
    public_key: str


class ApproveAgent(RequestModel):
    """``roles`` are names of the policy; none where the policy has no roles. ``expires`` is a
    duration such as ``90d``; without it, the key holds until it's revoked."""

    roles: Many[str] = ()
    expires: str | None = None
