"""What a deployment says about itself and its history: capabilities, events and audit rows."""

from sqlalchemy import Connection

from chainteller import __version__
from chainteller.domain.actors import Actor
from chainteller.domain.assets import MARKETS
from chainteller.engine import currencies, reading
from chainteller.engine.context import EngineContext
from chainteller.engine.table import answers, reads
from chainteller.service import operations
from chainteller.service.models.pages import EventsQuery, ListQuery, Page
from chainteller.service.models.records import AuditRow, Capabilities, EventPage
from chainteller.storage import chain
from chainteller.wallets.networks import network_names

_MOST_EVENTS = 1_000
_FEATURES = (
    operations.IDEMPOTENCY,
    *dict.fromkeys(name for each in operations.OPERATIONS for name in operations.features_of(each)),
)


@answers(operations.CAPABILITIES)
def capabilities(context: EngineContext, actor: Actor) -> Capabilities:
    return Capabilities(
        name=context.options.bank_name,
        version=__version__,
        actor=actor.name,
        features=_FEATURES,
        currencies=currencies.offers(),
        networks=network_names(test_networks=context.options.test_networks),
        markets=tuple(market.name for market in MARKETS),
    )


@reads(operations.EVENTS, numbered=True)
def events(connection: Connection, organisation_id: str, query: EventsQuery) -> EventPage:
    limit = max(1, min(query.limit, _MOST_EVENTS))
    found, following, is_ahead = chain.events_after(connection, organisation_id, query.after, limit)
    return EventPage(data=found, next=following, reset=is_ahead)


@reads(operations.AUDIT, numbered=True)
def audit(connection: Connection, organisation_id: str, query: ListQuery) -> Page[AuditRow]:
    checked = reading.checked_query(query)
    found, total = chain.audit_page(connection, organisation_id, checked)
    return reading.page(found, total, checked)
