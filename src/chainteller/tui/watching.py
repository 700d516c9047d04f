"""Markets that an agent waits for: a bell and a line when one opens again."""

from collections.abc import Callable

from chainteller.tui.calls import ask
from chainteller.tui.desk import Desk


async def tell_reopened(desk: Desk, bell: Callable[[], None]) -> None:
    """Look at every watched market once; raises TellerError."""
    if not desk.watched:
        return
    markets = await ask(desk.service.markets, tuple(sorted(desk.watched)))
    for market in markets.data:
        if market.market_name in desk.watched and market.status in {None, "open"}:
            desk.watched.discard(market.market_name)
            bell()
            desk.tell(f"{market.market_name} is open", "good")
