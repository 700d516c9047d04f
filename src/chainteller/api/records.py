"""What a deployment tells of itself and of its history."""

from chainteller.api.operations import Call, Operation, Routes
from chainteller.service.features import EVERY_FEATURE
from chainteller.service.models.pages import Page
from chainteller.service.models.records import AuditRow, Capabilities, EventPage

routes = Routes("Deployment")

EVENTS_AT_ONCE = 100
LAST_CURSOR = 2**53 - 1


@routes.add(
    Operation(
        "getCapabilities",
        "GET",
        "/capabilities",
        "Show what this deployment offers beyond the specification",
        None,
        Capabilities,
        brief=True,
    )
)
def get_capabilities(call: Call) -> Capabilities:
    offered = call.service.capabilities()
    return offered.model_copy(update={"features": EVERY_FEATURE})


@routes.add(
    Operation(
        "listEvents",
        "GET",
        "/events",
        "Read events after a cursor, oldest first",
        "events:read",
        EventPage,
        query=(
            {
                "name": "after",
                "description": "The cursor; -1 asks for the newest cursor alone.",
                "schema": {"type": "integer", "minimum": -1, "maximum": LAST_CURSOR, "default": 0},
            },
            {
                "name": "limit",
                "schema": {"type": "integer", "minimum": 1, "default": EVENTS_AT_ONCE},
            },
        ),
    )
)
def list_events(call: Call) -> EventPage:
    after = call.query.whole_number(("after",), low=-1, default=0, high=LAST_CURSOR)
    limit = call.query.whole_number(("limit",), low=1, default=EVENTS_AT_ONCE)
    return call.service.events(after, min(limit, EVENTS_AT_ONCE))


@routes.add(
    Operation(
        "listAuditRows",
        "GET",
        "/audit",
        "Read the audit trail, newest first",
        "events:read",
        Page[AuditRow],
        filters=("object", "trading_account_id"),
    )
)
def list_audit_rows(call: Call) -> Page[AuditRow]:
    return call.service.audit(call.listing)
