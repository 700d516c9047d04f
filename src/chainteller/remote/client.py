"""``RemoteService``: a deployment over HTTP that a screen cannot tell from the engine.

The specification's own calls go to any deployment; an addition goes only to one that reports it
in ``GET /capabilities``, and is ``NotOffered`` elsewhere.
"""

from collections.abc import Callable

from chainteller.domain.randomness import Randomness
from chainteller.remote.connection import Connection
from chainteller.remote.ownership import RemoteWallets
from chainteller.remote.queries import listing
from chainteller.remote.sending import Sender
from chainteller.remote.stream import EventStream, Following
from chainteller.remote.trading import RemoteTrading
from chainteller.remote.transport import DEADLINE_S, Transport
from chainteller.service.attempts import Watch
from chainteller.service.features import Feature
from chainteller.service.interface import ALL
from chainteller.service.models.accounts import Customer
from chainteller.service.models.pages import ListQuery, Page
from chainteller.service.models.records import AuditRow, Capabilities, Event, EventPage


class RemoteDesk:
    """What a console needs beyond both parts, where the deployment offers it."""

    _at: Connection

    def capabilities(self) -> Capabilities:
        return self._at.capabilities()

    def customers(self, query: ListQuery = ALL) -> Page[Customer]:
        asked = listing(query, "text")
        found: Page[Customer] = self._at.read(
            "/customers", Page[Customer], asked, Feature.CUSTOMERS
        )
        return found

    def events(self, after: int = 0, limit: int = 100) -> EventPage:
        query = (("after", str(after)), ("limit", str(limit)))
        found: EventPage = self._at.read("/events", EventPage, query, Feature.EVENTS)
        return found

    def audit(self, query: ListQuery = ALL) -> Page[AuditRow]:
        asked = listing(query, "text", "trading_account_id", text="filter[object]")
        of_account = query.trading_account_id is not None
        needs = Feature.AUDIT_OF_ACCOUNT if of_account else Feature.AUDIT
        found: Page[AuditRow] = self._at.read("/audit", Page[AuditRow], asked, needs)
        return found


class RemoteService(RemoteTrading, RemoteWallets, RemoteDesk):
    """Implements ``service.interface.Service`` against ``url``.

    Nothing is sent before the first call, so an unreachable deployment shows as
    ``ServiceUnreachable`` of that call.

    Raises:
        ValueError: ``url`` is no http or https address without credentials.
    """

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        deadline_s: float = DEADLINE_S,
        randomness: Randomness | None = None,
    ) -> None:
        self._transport = Transport(url, api_key, deadline_s=deadline_s)
        self._at = Connection(Sender(self._transport, randomness))

    def __repr__(self) -> str:
        return f"RemoteService({self._transport.base})"

    def follow(
        self, after: int, on_event: Callable[[Event], None], on_state: Callable[[Following], None]
    ) -> EventStream:
        """Follow events from a cursor until the stream is closed.

        Both callbacks run on the background loop and must return at once.

        Raises:
            NotOffered: poll ``events`` or the records instead.
        """
        self._at.require(Feature.EVENT_STREAM)
        return EventStream(self._transport, after, on_event, on_state)

    def watch_repeats(self, watch: Watch) -> None:
        """Tell ``watch`` of every try that is going to be repeated."""
        self._at.sender.watch = watch

    def close(self) -> None:
        """Close every connection."""
        self._transport.close()
