"""What a deployment says about itself and its history: capabilities, events and audit rows."""

from chainteller import __version__
from chainteller.domain.actors import SCOPES, Actor
from chainteller.domain.assets import MARKETS
from chainteller.domain.clock import DAY
from chainteller.domain.policy import CaseWanted
from chainteller.domain.signing_pages import MOST_MESSAGES
from chainteller.engine.core import reading
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.table import answers, reads, reads_in_context
from chainteller.engine.core.unit_of_work import now
from chainteller.engine.operations import currencies
from chainteller.service import operations
from chainteller.service.models.pages import EventsQuery, ListQuery, Page
from chainteller.service.models.records import AuditRow, Capabilities, EventPage
from chainteller.storage.db.query import Session
from chainteller.storage.log import views
from chainteller.wallets.networks import network_names

_MOST_EVENTS = 1_000


@answers(operations.CAPABILITIES, is_short=True)
def capabilities(context: EngineContext, actor: Actor) -> Capabilities:
    wanted = context.options.policy.case.wanted
    return Capabilities(
        name=context.options.bank_name,
        version=__version__,
        actor=actor.name,
        features=operations.ENGINE_FEATURES,
        currencies=currencies.offers(),
        networks=network_names(test_networks=context.options.test_networks),
        markets=tuple(market.name for market in MARKETS),
        scopes=() if actor.scopes is None else tuple(s for s in SCOPES if s in actor.scopes),
        roles=tuple(sorted(actor.roles)),
        signing_pages=context.options.signing_pages,
        signing_page_messages=MOST_MESSAGES if context.options.signing_pages else None,
        case=wanted.value if actor.is_person and wanted is not CaseWanted.OFF else None,
        simulated=context.simulated,
    )


@reads_in_context(operations.EVENTS)
def events(
    context: EngineContext, connection: Session, organisation_id: str, query: EventsQuery
) -> EventPage:
    limit = max(1, min(query.limit, _MOST_EVENTS))
    present = now(context, connection)
    age = views.Age(present - context.options.keep_events_days * DAY, present)
    found, following, is_reset = views.events_after(
        connection, organisation_id, query.after, limit, age
    )
    return EventPage(data=found, next=following, reset=is_reset)


@reads(operations.AUDIT)
def audit(connection: Session, organisation_id: str, query: ListQuery) -> Page[AuditRow]:
    checked = reading.checked_query(query)
    found, total = views.audit_page(connection, organisation_id, checked)
    return reading.page(found, total, checked)
