"""Markets: prices now and yesterday, and whether a market can be used."""

from functools import lru_cache
from typing import NamedTuple

from chainteller.domain.assets import MARKETS, Market
from chainteller.domain.clock import DAY, MINUTE, SECOND, format_instant
from chainteller.domain.money import format_cents
from chainteller.domain.prices import HALT_MOVE_PERCENT, STALE_AFTER_S, PricePoint
from chainteller.engine.core import reading
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.table import reads_in_context
from chainteller.engine.core.unit_of_work import now
from chainteller.engine.operations.valuation import price_cents
from chainteller.service import operations
from chainteller.service.errors import MarketUnavailable
from chainteller.service.models.markets import Market as MarketModel
from chainteller.service.models.markets import PriceSample
from chainteller.service.models.pages import MarketsQuery, Page
from chainteller.storage.db.query import Record, Session
from chainteller.storage.queries import markets

OPEN = "open"
_REMEMBERED = 64
_SAMPLES = 1_024
_CHART_SPAN = 60 * MINUTE
_CHART_STEP = 30 * SECOND
_UNKNOWN_RESOLUTION = MINUTE
"""A refusal has to name an instant: when to look again. A list of markets leaves it out."""


Closure = tuple[str, int | None]
"""Why a market cannot be used, and until when, where anybody knows that."""


def closure(
    context: EngineContext,
    control: Record | None,
    market: Market,
    point: PricePoint | None,
    at: int,
) -> Closure | None:
    """Whether the market, with the price that it has, cannot be used at an instant; None when it is
    open."""
    if market.name in context.options.maintenance:
        return "MAINTENANCE", None
    if control is not None and (control.until is None or control.until > at):
        return control.reason, control.until
    if point is None:
        return "PROVIDER_DOWN", None
    if not context.feed.checks_staleness:
        return None
    if at - point.at > STALE_AFTER_S * SECOND:
        return "PRICE_STALE", None
    before = context.feed.price(market.name, point.at - MINUTE)
    if before is not None:
        move = abs(point.mid_micros - before.mid_micros) * 100
        if move > HALT_MOVE_PERCENT * before.mid_micros:
            return "VOLATILITY_HALT", None
    return None


class Condition(NamedTuple):
    """A market at an instant: why it can't be used, if so, and its price, if there is one."""

    market: Market
    at: int
    closed: Closure | None
    point: PricePoint | None

    def require_open(self) -> PricePoint:
        """The price to deal at. Raises MarketUnavailable."""
        if self.closed is None and self.point is not None:
            return self.point
        reason, until = self.closed or ("PROVIDER_DOWN", None)
        known = self.at + _UNKNOWN_RESOLUTION if until is None else until
        raise MarketUnavailable(self.market.name, reason, format_instant(known))


def condition(context: EngineContext, control: Record | None, market: Market, at: int) -> Condition:
    """A market as a write finds it; ``control`` is why an operator closed it, if so."""
    point = context.feed.price(market.name, at)
    return Condition(market, at, closure(context, control, market, point, at), point)


@reads_in_context(operations.MARKETS)
def all_markets(
    context: EngineContext, connection: Session, _organisation_id: str, query: MarketsQuery
) -> Page[MarketModel]:
    connection.ahead(markets.controls)
    at, names, controls = now(context, connection), query.names, markets.controls(connection)
    wanted = [market for market in MARKETS if names is None or market.name in names]
    shown = (_model(context, controls.get(market.name), market, at) for market in wanted)
    return Page[MarketModel].whole(tuple(model for model in shown if model is not None))


@reads_in_context(operations.SHOW_MARKET)
def one_market(
    context: EngineContext, connection: Session, _organisation_id: str, name: str
) -> MarketModel:
    market = reading.market(name)
    connection.ahead(markets.control, name)
    at = now(context, connection)
    model = _model(context, markets.control(connection, name), market, at)
    if model is None:
        raise MarketUnavailable(name, "PROVIDER_DOWN", format_instant(at + _UNKNOWN_RESOLUTION))
    return model


def _model(
    context: EngineContext, control: Record | None, market: Market, at: int
) -> MarketModel | None:
    """None while a feed has never given a price."""
    point = context.feed.price(market.name, at)
    if point is None:
        return None
    yesterday = context.feed.price(market.name, at - DAY) or point
    closed = closure(context, control, market, point, at)
    return _shown(market, point, price_cents(yesterday), closed)


@lru_cache(_REMEMBERED)
def _shown(
    market: Market, point: PricePoint, yesterday_cents: int, closed: Closure | None
) -> MarketModel:
    """Remembered, since prices change once a second and are asked for more often."""
    return MarketModel(
        market_name=market.name,
        network=market.base.network,
        current_price=format_cents(price_cents(point)),
        yesterdays_price=format_cents(yesterday_cents),
        at=point.at,
        status=closed[0] if closed else OPEN,
        estimated_resolution=closed[1] if closed else None,
    )


@reads_in_context(operations.PRICES)
def samples(
    context: EngineContext, connection: Session, _organisation_id: str, name: str
) -> Page[PriceSample]:
    """The last hour, a sample every thirty seconds."""
    at, market = now(context, connection), reading.market(name)
    end = at - at % _CHART_STEP
    points = context.feed.samples(market.name, end - _CHART_SPAN, end, _CHART_STEP)
    return Page[PriceSample].whole(tuple(_sample(price_cents(point), point.at) for point in points))


@lru_cache(_SAMPLES)
def _sample(cents: int, at: int) -> PriceSample:
    """Remembered, since all of an hour but the newest are asked for again."""
    return PriceSample(price=format_cents(cents), at=at)
