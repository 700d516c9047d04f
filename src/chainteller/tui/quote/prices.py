"""The market's price beside a quote: renewed while it is looked at."""

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from chainteller.service.errors import TellerError
from chainteller.tui.desk import Desk
from chainteller.tui.service_calls import call_service

if TYPE_CHECKING:
    from chainteller.tui.quote.view import QuoteState


async def renew_prices(desk: Desk, state: "QuoteState") -> None:
    """Take the markets of now into the form; where nothing answers, they stay and grow old."""
    before = perf_counter()
    try:
        found = await call_service(desk.service.markets)
    except TellerError:
        return
    desk.heard(round((perf_counter() - before) * 1000))
    if state.sheet is not None:
        state.sheet = replace(state.sheet, markets=found.data)
