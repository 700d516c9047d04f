"""Query agents: people's keys at desks."""

from typing import Any

from chainteller.domain.agents import AgentStatus, agent_status
from chainteller.service.models.agents import Agent
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Record, Value
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.lists.pages import Listing

find = Finder(records.Agent, "organisation_id", "id")
_OF_LOG: Any = {
    "size": ("(SELECT size FROM log WHERE organisation_id = agent.organisation_id)", int)
}
find_with_log = Finder(Source(records.Agent, **_OF_LOG), "organisation_id", "id")
"""With how many entries its organisation's log has (``size``)."""
_IN_FORCE = "public_key = '' AND revoked_at IS NULL"
signed_in_as = Finder(records.Agent, "organisation_id", "name", condition=_IN_FORCE)
"""Whoever signs in under a name."""
was_revoked = Query(
    "SELECT id AS value FROM agent "
    "WHERE organisation_id = :organisation AND name = :name AND revoked_at >= :since",
    Value,
).exists
"""Whether an agent of a name was revoked at an instant or later."""
_LISTED = Listing(records.Agent, "organisation_id")
_SHOWN = Agent.model_fields.keys() - {"type", "status", "roles"}


def to_model(row: Record, now: int) -> Agent:
    values = {name: getattr(row, name) for name in _SHOWN}
    return Agent(status=status(row, now), roles=tuple(row.roles.split()), **values)


page = _LISTED.models(to_model)


def signs_in(row: Record) -> bool:
    """Whether an agent signs in with the bank's issuer, and has no key."""
    return not row.public_key


def status(row: Record, now: int) -> AgentStatus:
    return agent_status(
        now=now, approved_at=row.approved_at, expires=row.expires, revoked_at=row.revoked_at
    )
