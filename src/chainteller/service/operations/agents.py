"""The keys of people at desks."""

from chainteller.service import errors
from chainteller.service.models.agents import Agent, ApproveAgent, EnrolAgent
from chainteller.service.models.pages import Page
from chainteller.service.operations.declaring import AGENTS_FEATURE, Read, Section, Write, listing

_PEOPLE = Section("Agents", "events:read", "agents:write", AGENTS_FEATURE, has_case=False)
_AGENT = "/agents/{agentId}"
AGENTS = Read(
    _PEOPLE,
    "agents",
    "GET /agents",
    "List the keys of people at desks, newest first",
    Page[Agent],
    query=listing(),
)
ENROL_AGENT = Write(
    _PEOPLE,
    "enrol_agent",
    "POST /agents",
    "Enrol a person's key of a desk, which somebody approves",
    Agent,
    scope="desk",
    request=EnrolAgent,
    creates="/agents",
    errors=(errors.Conflict, errors.QuotaExceeded),
)
APPROVE_AGENT = Write(
    _PEOPLE,
    "approve_agent",
    f"POST {_AGENT}/approvals",
    "Let an agent work in roles of the policy",
    Agent,
    request=ApproveAgent,
    errors=(errors.Conflict,),
)
REVOKE_AGENT = Write(
    _PEOPLE, "revoke_agent", f"POST {_AGENT}/revocations", "End an agent's key at once", Agent
)
