"""What a deployment offers, its events and its audit trail."""

from dataclasses import replace

from chainteller.service.models.pages import EventsQuery, Page
from chainteller.service.models.records import AuditRow, Capabilities, EventPage
from chainteller.service.operations.declaring import (
    AGENTS_FEATURE,
    ANY_KEY,
    BANK,
    LAST_CURSOR,
    OBJECT,
    TRADING_ACCOUNT,
    Endpoint,
    Kind,
    Parameter,
    Query,
    Read,
    listing,
    text_parameter,
)

EVENTS_AT_ONCE = 100
AUDITED_ACCOUNT = replace(TRADING_ACCOUNT, feature="audit-of-account")
AUDITED_CASE = text_parameter("case_id", "filter[case]", feature=AGENTS_FEATURE)

CAPABILITIES = Read(
    BANK,
    "capabilities",
    "GET /capabilities",
    "Show what this deployment offers beyond the specification",
    Capabilities,
    scope=ANY_KEY,
)
EVENTS = Read(
    BANK,
    "events",
    "GET /events",
    "Read events after a cursor, oldest first",
    EventPage,
    operation_id="listEvents",
    query=Query(
        EventsQuery,
        (
            Parameter(
                "after",
                ("after",),
                Kind.WHOLE_NUMBER,
                {"type": "integer", "minimum": -1, "maximum": LAST_CURSOR, "default": 0},
                "The cursor; -1 asks for the newest cursor alone.",
            ),
            Parameter(
                "limit",
                ("limit",),
                Kind.WHOLE_NUMBER,
                {"type": "integer", "minimum": 1, "default": EVENTS_AT_ONCE},
                most=EVENTS_AT_ONCE,
            ),
        ),
    ),
    feature="events",
)
EVENT_STREAM = Endpoint(
    BANK,
    "stream_events",
    "GET /events/stream",
    "Follow events as they happen (server-sent events)",
    feature="event-stream",
)
AUDIT = Read(
    BANK,
    "audit",
    "GET /audit",
    "Read the audit trail, newest first",
    Page[AuditRow],
    operation_id="listAuditRows",
    query=listing(OBJECT, AUDITED_ACCOUNT, AUDITED_CASE),
    feature="audit",
)
