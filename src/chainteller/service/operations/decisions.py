"""What waits for a person."""

from chainteller.domain.decisions import DecisionKind, DecisionStatus
from chainteller.service import errors
from chainteller.service.models.decisions import (
    Approval,
    Decision,
    DecisionNote,
    OpenDecision,
    Refusal,
)
from chainteller.service.models.pages import Page
from chainteller.service.operations.declaring import (
    CREATED,
    DECISIONS_FEATURE,
    OBJECT,
    SORTS,
    TRADING_ACCOUNT,
    Read,
    Section,
    Write,
    listing,
    status_filter,
    text_parameter,
)

KIND = text_parameter("type", "filter[kind]", enum=DecisionKind)
DUE_SORTS = ("due", "-due", *SORTS)
_DECIDING = Section("Decisions", "accounts:read", "decisions:write", DECISIONS_FEATURE)
_DECISION = "/decisions/{decisionId}"
DECISIONS = Read(
    _DECIDING,
    "decisions",
    "GET /decisions",
    "List what waits for a person, the earliest deadline first",
    Page[Decision],
    query=listing(
        KIND, status_filter(DecisionStatus), TRADING_ACCOUNT, OBJECT, CREATED, sorts=DUE_SORTS
    ),
)
DECISION = Read(_DECIDING, "decision", f"GET {_DECISION}", "Show a decision", Decision)
OPEN_DECISION = Write(
    _DECIDING,
    "open_decision",
    "POST /decisions",
    "Put a control on a trading account, or close a market",
    Decision,
    operation_id="createDecision",
    scope="controls:write",
    request=OpenDecision,
    creates=_DECISION,
    errors=(errors.NotFound, errors.Conflict, errors.UnsupportedMarket),
)
TAKE_DECISION = Write(
    _DECIDING,
    "take_decision",
    f"POST {_DECISION}/holders",
    "Take a decision for fifteen minutes, so that others see who works on it",
    Decision,
    errors=(errors.Conflict,),
)
APPROVE_DECISION = Write(
    _DECIDING,
    "approve_decision",
    f"POST {_DECISION}/approvals",
    "Let a withdrawal pass, accept a statement, lift a control or open a market",
    Decision,
    request=Approval,
    errors=(errors.Conflict,),
)
REFUSE_DECISION = Write(
    _DECIDING,
    "refuse_decision",
    f"POST {_DECISION}/refusals",
    "Refuse a withdrawal, whose money is given back, or a statement; keep a control",
    Decision,
    request=Refusal,
    errors=(errors.Conflict,),
)
NOTE_DECISION = Write(
    _DECIDING,
    "note_decision",
    f"POST {_DECISION}/notes",
    "Note what the customer is asked for; the first time, the deadline moves",
    Decision,
    request=DecisionNote,
    errors=(errors.Conflict,),
)
