"""Terms of a reply: a quote has those that were asked for, and a trade those of its quote."""

from chainteller.records.formats import money, same_amount
from chainteller.service.errors import OutcomeMismatch, ReplyMismatch
from chainteller.service.models.quotes import Quote, QuoteRequest
from chainteller.service.models.trades import Trade


def require_asked(quote: Quote, market: str, asked: QuoteRequest) -> None:
    """Raises ReplyMismatch: the quote is for another market, side or amount than was asked for."""
    sold = quote.asset_sold
    is_asked = (quote.market_name, quote.side) == (market, asked.side)
    if not is_asked or not same_amount(sold.amount, asked.amount):
        told = f"{quote.side} {quote.market_name} {money(sold.amount, sold.symbol)}"
        raise ReplyMismatch(
            f"The quote is for {told}, not for {asked.side} {market} {asked.amount}."
        )


def has_terms(trade: Trade, quote: Quote) -> bool:
    """Whether a trade has the market, side, amounts and price of a quote.

    The price is exact: executing a quote uses the quoted price (specification 4.2, rule 3).
    """
    if (trade.market, trade.side) != (quote.market_name, quote.side):
        return False
    base = quote.asset_bought if quote.side == "buy" else quote.asset_sold
    legs = ((trade.asset_sold, quote.asset_sold), (trade.asset_bought, quote.asset_bought))
    return (
        same_amount(trade.amount, base.amount)
        and same_amount(trade.price, quote.price)
        and all(leg is None or same_amount(leg.amount, quoted.amount) for leg, quoted in legs)
    )


def require_terms(trade: Trade, quote: Quote, key: str) -> None:
    """Raises OutcomeMismatch: the trade has other terms than the quote that was executed."""
    if not has_terms(trade, quote):
        base = quote.asset_bought if quote.side == "buy" else quote.asset_sold
        raise OutcomeMismatch(
            f"It was sent, and the reply is about {trade.side} {trade.market} {trade.amount} at "
            f"{trade.price}, not {quote.side} {quote.market_name} {base.amount} at {quote.price}.",
            key,
        )
