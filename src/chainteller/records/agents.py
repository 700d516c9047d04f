"""Fields of agents."""

from typing import TYPE_CHECKING

from chainteller.records.fields import (
    IDENTIFIER,
    MOMENT,
    STATUS,
    TEXT,
    Field,
    FieldList,
    Interface,
)

if TYPE_CHECKING:
    from chainteller.service.models.agents import Agent

AGENT: "FieldList[Agent]" = FieldList(
    "agent",
    "agents.Agent",
    (
        Field("id", "agent", IDENTIFIER, lambda each: each.id),
        Field("name", "name", TEXT, lambda each: each.name),
        Field("status", "status", STATUS, lambda each: each.status),
        Field("roles", "roles", TEXT, lambda each: ", ".join(each.roles) or None),
        Field("created", "enrolled", MOMENT, lambda each: each.created),
        Field("approved_at", "approved", MOMENT, lambda each: each.approved_at),
        Field("approved_by", "approved by", TEXT, lambda each: each.approved_by),
        Field("expires", "expires", MOMENT, lambda each: each.expires),
        Field("revoked_at", "revoked", MOMENT, lambda each: each.revoked_at),
        Field("revoked_by", "revoked by", TEXT, lambda each: each.revoked_by),
    ),
    interfaces=Interface.COMMAND,
    table=("id", "name", "status", "roles", "approved_by", "expires"),
    wire_only=("type",),
)
