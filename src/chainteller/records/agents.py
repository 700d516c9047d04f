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
        Field("id", "agent", IDENTIFIER),
        Field("name", "name", TEXT),
        Field("status", "status", STATUS),
        Field("roles", "roles", TEXT, value=lambda each: ", ".join(each.roles) or None),
        Field("created", "enrolled", MOMENT),
        Field("approved_at", "approved", MOMENT),
        Field("approved_by", "approved by", TEXT),
        Field("expires", "expires", MOMENT),
        Field("revoked_at", "revoked", MOMENT),
        Field("revoked_by", "revoked by", TEXT),
    ),
    interfaces=Interface.COMMAND,
    table=("id", "name", "status", "roles", "approved_by", "expires"),
    wire_only=("type",),
)
