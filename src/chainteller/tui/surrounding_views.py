"""What is known around the screens, as ``surroundings.py`` has read it."""

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from textual.screen import Screen

    from chainteller.service.models.counterparties import Challenge
    from chainteller.service.models.markets import Market, PriceSample
    from chainteller.service.models.quotes import Quote
    from chainteller.service.models.trades import Trade, Transaction
    from chainteller.tui.balance_history import History
    from chainteller.tui.queries import AccountSheet


class CustomerView(NamedTuple):
    """All that is read about one customer.

    Attributes:
        sheet: The account as its detail shows it.
        transactions: The newest ones first; trades alone where the deployment lists no others.
        history: The balances over time; None where they can't be told.
        quotes: The newest ones first.
        challenges: The texts that wait for a signature.
    """

    sheet: "AccountSheet"
    transactions: "tuple[Transaction, ...]" = ()
    history: "History | None" = None
    quotes: "tuple[Quote, ...]" = ()
    challenges: "tuple[Challenge, ...]" = ()

    @property
    def trades(self) -> "list[Trade]":
        """The newest ones first."""
        from chainteller.records.trades import is_trade

        return [row for row in self.transactions if is_trade(row)]


class DeskView(NamedTuple):
    """What all of the deployment waits for, as (words for one, how many), and the prices."""

    waiting: tuple[tuple[str, int], ...] = ()
    markets: "tuple[Market, ...]" = ()
    samples: "tuple[tuple[str, tuple[PriceSample, ...]], ...]" = ()

    def market(self, name: str) -> "Market | None":
        """The market of that name."""
        return next((row for row in self.markets if row.market_name == name), None)

    def samples_of(self, name: str) -> "tuple[PriceSample, ...]":
        """The recent prices of a market, oldest first."""
        return dict(self.samples).get(name, ())


class AroundScreens(Protocol):
    """What screens may ask of the surroundings."""

    desk_view: DeskView

    @property
    def customer(self) -> CustomerView | None:
        """What is known of the customer being served; None until it has come."""

    def look_soon(self) -> None:
        """Read everything once the agent has stayed with a customer for a moment."""


def has_room_around(screen: "Screen[Any]") -> bool:
    """Whether the window has room for the strip and for more than the screen's own data."""
    return screen.has_class("-roomy") and screen.has_class("-tall")
