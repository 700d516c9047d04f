"""Agents: people at desks, with keys that are enrolled there and approved by somebody who may, or
signed in with the bank's issuer, which approves them."""

from chainteller.domain.agents import (
    AGENT_FORM,
    AgentStatus,
    agent_id,
    is_agent_name,
    read_public_key,
    scopes_of_roles,
)
from chainteller.domain.options import Quota
from chainteller.domain.sign_ins import SignedIn
from chainteller.engine.core import outcome, preconditions, reading
from chainteller.engine.core.outcome import Event, Insert, Outcome, Row, Update
from chainteller.engine.core.table import lists, writes
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import logged_rows
from chainteller.service import operations
from chainteller.service.errors import Conflict, Forbidden, Unauthorized, ValidationFailed
from chainteller.service.models.agents import Agent, ApproveAgent, EnrolAgent
from chainteller.storage.db.query import Record
from chainteller.storage.db.records import Tables
from chainteller.storage.log import append
from chainteller.storage.log.last_writes import Kept
from chainteller.storage.queries import agents

RESOURCE = "agent"


lists(operations.AGENTS, agents.page, is_timed=True)


@writes(operations.ENROL_AGENT, timeless=True)
def enrol(tx: UnitOfWork, request: EnrolAgent) -> Agent:
    """A key that waits to be approved.

    Raises:
        ValidationFailed: no user name, or no public key.
        Conflict: ALREADY_ENROLLED.
        QuotaExceeded.
    """
    if not is_agent_name(request.name):
        raise ValidationFailed.of("name", AGENT_FORM)
    public_key = _public_key(request.public_key)
    identifier = agent_id(tx.organisation_id, public_key)
    preconditions.require_room(tx, Quota.AGENTS)
    event = Event("agent.enrolled", identifier, {"name": request.name})
    return _inserted(tx, identifier, request.name, event, public_key=public_key.hex())


@writes(operations.APPROVE_AGENT)
def approve(tx: UnitOfWork, identifier: str, request: ApproveAgent) -> Agent:
    """Let an agent work, in roles that give nothing that whoever approves hasn't.

    Raises:
        NotFound, ValidationFailed, Forbidden.
        Altered: the key isn't the one that was enrolled.
        Conflict: it was approved or revoked before, or is of whoever approves. Who signs in is the
            same agent for good, and may be approved again.
    """
    found = _locked(tx, identifier)
    status = agents.status(found, tx.now)
    is_back = agents.signs_in(found) and status is AgentStatus.REVOKED
    if status is not AgentStatus.WAITING and not is_back:
        told = f"The agent is {status}."
        raise Conflict.over(RESOURCE, found.id, "NOT_WAITING", told, "Enrol the machine again.")
    if tx.actor.agent_id and tx.name == found.name:
        told = "Nobody approves a key of their own."
        raise Conflict.over(RESOURCE, found.id, "SAME_PERSON", told, "Ask a colleague who may.")
    logged_rows.require_as_logged(tx, (Kept(Tables.agent, found.id),))
    roles = _checked_roles(tx, request.roles)
    lifetime = None if request.expires is None else reading.duration("expires", request.expires)
    values = {
        "roles": " ".join(roles),
        "approved_at": tx.now,
        "approved_by": tx.name,
        "expires": None if lifetime is None else tx.now + lifetime,
        "revoked_at": None,
        "revoked_by": None,
    }
    return _changed(tx, found, values, _approved(found.id, found.name, roles))


@writes(operations.REVOKE_AGENT, timeless=True)
def revoke(tx: UnitOfWork, identifier: str) -> Agent:
    """End an agent's key at once; ending it again changes nothing. Raises NotFound."""
    found = _locked(tx, identifier)
    if found.revoked_at is not None:
        return agents.to_model(found, tx.now)
    values = {"revoked_at": tx.now, "revoked_by": tx.name}
    return _changed(tx, found, values, Event("agent.revoked", found.id, {"name": found.name}))


def admit(tx: UnitOfWork, seen: SignedIn, identifier: str, roles: tuple[str, ...]) -> None:
    """Note who has signed in, or which roles the issuer gives them now. Roles of a token that was
    issued before those that are noted change nothing; nor does a revoked agent.

    Raises:
        Unauthorized: AGENT_UNNAMED or AGENT_NAME_TAKEN.
        Altered: the agent isn't as the log says, for example revoked.
    """
    found = agents.find(tx.connection, tx.organisation_id, identifier, lock=True)
    if found is None:  # another first request may be inserting it
        append.lock(tx.connection, tx.organisation_id)
        found = agents.find(tx.connection, tx.organisation_id, identifier, lock=True)
    approval = {"roles": " ".join(roles), "approved_at": seen.issued, "approved_by": tx.name}
    if found is None:
        if not is_agent_name(seen.name):
            raise Unauthorized("AGENT_UNNAMED")
        if agents.signed_in_as(tx.connection, tx.organisation_id, seen.name) is not None:
            raise Unauthorized("AGENT_NAME_TAKEN")
        _inserted(tx, identifier, seen.name, _approved(identifier, seen.name, roles), **approval)
    elif found.revoked_at is None and found.approved_at < seen.issued:
        logged_rows.require_as_logged(tx, (Kept(Tables.agent, found.id),))
        _changed(tx, found, approval, _approved(found.id, found.name, roles))
    if tx.is_told:
        tx.audit(operations.APPROVE_AGENT.name, identifier, {"roles": list(roles)})


def _approved(identifier: str, name: str, roles: tuple[str, ...]) -> Event:
    return Event("agent.approved", identifier, {"name": name, "roles": list(roles)})


def _inserted(tx: UnitOfWork, identifier: str, name: str, event: Event, **values: object) -> Agent:
    """Raises Conflict."""
    row: Row = {
        "id": identifier,
        "organisation_id": tx.organisation_id,
        "name": name,
        "public_key": "",
        "roles": "",
        "created": tx.now,
        **values,
    }
    decided = Outcome(identifier, (Insert(Tables.agent, (row,)),), events=(event,))
    if not outcome.apply_if_new(tx, decided):
        told = "This key is enrolled already."
        raise Conflict.over(
            RESOURCE, identifier, "ALREADY_ENROLLED", told, "Make another key on this machine."
        )
    return agents.to_model(decided.record(Tables.agent), tx.now)


def _locked(tx: UnitOfWork, identifier: str) -> Record:
    tx.audited_object = identifier
    of = tx.organisation_id
    return reading.row_by_id(agents.find, tx.connection, RESOURCE, of, identifier, lock=True)


def _changed(tx: UnitOfWork, found: Record, values: Row, event: Event) -> Agent:
    update = Update(Tables.agent, {"id": found.id}, values, before=found)
    decided = Outcome(found.id, rows=(update,), events=(event,))
    outcome.apply(tx, decided)
    return agents.to_model(decided.record(Tables.agent, found), tx.now)


def _public_key(text: str) -> bytes:
    """Raises ValidationFailed."""
    try:
        return read_public_key(text)
    except ValueError:
        told = "an Ed25519 key as SubjectPublicKeyInfo in base64 (RFC 8410)"
        raise ValidationFailed.of("publicKey", told) from None


def _checked_roles(tx: UnitOfWork, names: tuple[str, ...]) -> tuple[str, ...]:
    """Roles of the policy, each once.

    Raises:
        ValidationFailed: a role is unknown, or none is given where the policy has some.
        Forbidden: a role may do what whoever approves may not.
    """
    granted = tx.context.options.policy.granted
    known = ", ".join(granted) or "none: the policy has no roles"
    if any(name not in granted for name in names) or (granted and not names):
        raise ValidationFailed.of("roles", f"of the policy's roles: {known}")
    if tx.actor.scopes is not None:
        more = scopes_of_roles(granted, names) - tx.actor.scopes
        if more:
            raise Forbidden(min(more), tx.actor.key_id)
    return tuple(dict.fromkeys(names))
