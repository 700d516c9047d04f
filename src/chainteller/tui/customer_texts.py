"""What a customer may be told: templates from a data file, filled with amounts and times.

The texts carry no codes of ours and nobody else's data; a test reads them for that. Times are
given in UTC and in the desk's own zone.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from chainteller.tui.formats import clean, grouped

if TYPE_CHECKING:
    from chainteller.service.models.quotes import Quote
    from chainteller.service.models.trades import Trade


@dataclass(frozen=True, slots=True)
class CustomerTexts:
    """Templates by name, such as ``trade.settled`` or ``refusal.QUOTE_EXPIRED``."""

    templates: Mapping[str, str]

    @classmethod
    def load(cls, path: Path | None) -> "CustomerTexts":
        """Read the file; without one there is nothing to tell."""
        if path is None or not path.is_file():
            return cls({})
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        return cls(
            {
                f"{group}.{name}": " ".join(text.split())
                for group, texts in data.items()
                for name, text in texts.items()
            }
        )

    def fill(self, name: str, values: Mapping[str, str]) -> str:
        """The text called ``name``; empty when there is none or a value is missing."""
        try:
            return clean(self.templates[name].format_map(dict(values)))
        except KeyError:
            return ""

    def of_trade(self, trade: "Trade", bank: str) -> str:
        values = {
            "bank": bank,
            "side": trade.side,
            "asset": trade.market.partition("-")[0].upper(),
            "amount": grouped(trade.amount),
            "price": f"{grouped(trade.price)} USD",
            "created": both_times(trade.created),
        }
        if trade.asset_sold is not None and trade.asset_bought is not None:
            values["gives"] = f"{grouped(trade.asset_sold.amount)} {trade.asset_sold.symbol}"
            values["gets"] = f"{grouped(trade.asset_bought.amount)} {trade.asset_bought.symbol}"
        for name in ("executed_at", "settled_at", "cancelled_at"):
            moment = getattr(trade, name)
            if moment is not None:
                values[name] = both_times(moment)
        return self.fill(f"trade.{trade.status}", values) or self.fill("trade.other", values)

    def of_quote(self, quote: "Quote", state: str, bank: str) -> str:
        """``state`` is live, expired, executed or unknown."""
        return self.fill(
            f"quote.{state}",
            {
                "bank": bank,
                "side": quote.side,
                "asset": quote.market_name.partition("-")[0].upper(),
                "gives": f"{grouped(quote.asset_sold.amount)} {quote.asset_sold.symbol}",
                "gets": f"{grouped(quote.asset_bought.amount)} {quote.asset_bought.symbol}",
                "price": f"{grouped(quote.price)} USD",
                "fee": f"{grouped(quote.fees.total or '-')} {quote.fees.currency or 'USD'}",
                "expires": both_times(quote.expires),
            },
        )

    def of_refusal(self, code: str, facts: Mapping[str, str], bank: str) -> str:
        return self.fill(f"refusal.{code}", {"bank": bank, **facts})


def both_times(moment: datetime) -> str:
    """``12:09 UTC (13:09 local)``; one of them where they agree."""
    local = moment.astimezone()
    utc = f"{moment:%H:%M} UTC"
    return utc if local.utcoffset() == moment.utcoffset() else f"{utc} ({local:%H:%M} local)"
