"""What a customer may be told: templates from a data file, filled with amounts and times.

The texts carry no codes of ours and nobody else's data; a test reads them for that. Times are
given in UTC and in the desk's own zone.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from chainteller.domain.clock import to_datetime
from chainteller.tui.formats import clean, grouped, transferred
from chainteller.tui.queries import Gap

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.service.models.funding import Transfer
    from chainteller.service.models.markets import Market
    from chainteller.service.models.quotes import Quote
    from chainteller.service.models.trades import Trade, Transaction
    from chainteller.tui.queries import AccountSheet


_FINAL = frozenset({"completed", "settled", "cancelled"})


@dataclass(frozen=True, slots=True)
class CustomerTexts:
    """Templates by name, such as ``trade.settled`` or ``refusal.QUOTE_EXPIRED``."""

    templates: Mapping[str, str]

    @classmethod
    def load(cls, path: Path | None) -> "CustomerTexts":
        """Read the file, once until it changes; without one there is nothing to tell."""
        if path is None or not path.is_file():
            return cls({})
        return cls(_read(path, path.stat().st_mtime_ns))

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
            "price": f"{grouped(trade.price)} USD",
            "created": both_times(trade.created),
        }
        if trade.asset_sold is not None and trade.asset_bought is not None:
            values["gives"] = money(trade.asset_sold.amount, trade.asset_sold.symbol)
            values["gets"] = money(trade.asset_bought.amount, trade.asset_bought.symbol)
        for name in ("executed_at", "settled_at", "cancelled_at"):
            moment = getattr(trade, name)
            if moment is not None:
                values[name] = both_times(moment)
        return self._first((f"trade.{trade.status}", "trade.other"), values)

    def of_quote(self, quote: "Quote", state: str, bank: str) -> str:
        """``state`` is live, expired, executed or unknown."""
        sold, bought = quote.asset_sold, quote.asset_bought
        return self.fill(
            f"quote.{state}",
            {
                "bank": bank,
                "side": quote.side,
                "asset": quote.market_name.partition("-")[0].upper(),
                "gives": money(sold.amount, sold.symbol),
                "gets": money(bought.amount, bought.symbol),
                "price": f"{grouped(quote.price)} USD",
                "fee": money(quote.fees.total or "0.00", quote.fees.currency or "USD"),
                "expires": both_times(quote.expires, dated=False),
            },
        )

    def of_transfer(self, transfer: "Transfer", bank: str) -> str:
        """A deposit or a withdrawal, by its status."""
        way = transfer.type.partition("-")[0]
        values = {
            "bank": bank,
            "amount": transferred(transfer),
        }
        for name in ("created", "completed_at"):
            moment = getattr(transfer, name)
            if moment is not None:
                values[name] = both_times(moment)
        return self._first((f"{way}.{transfer.status}", f"{way}.other"), values)

    def of_account(self, account: "TradingAccount", now: datetime, bank: str) -> str:
        """What holds for the account: a control on it, or what is available."""
        if account.controls:
            return self._first((f"account.{account.controls[0]}", "account.other"), {"bank": bank})
        if account.buying_power is None:
            return ""
        available = money(account.buying_power, "USD")
        return self.fill(
            "account.open", {"bank": bank, "available": available, "now": both_times(now)}
        )

    def of_account_sheet(self, sheet: "AccountSheet", now: int, bank: str) -> str:
        """The account's state, then its newest transaction and up to two that aren't final."""
        told = [self.of_account(sheet.account, to_datetime(now), bank)]
        if not isinstance(sheet.activity, Gap):
            told += [
                self.of_transaction(row, bank)
                for place, row in enumerate(sheet.activity)
                if place == 0 or row.status not in _FINAL
            ][:3]
        return "\n\n".join(text for text in told if text)

    def of_transaction(self, row: "Transaction", bank: str) -> str:
        from chainteller.service.models.trades import Trade  # noqa: PLC0415 - after the first frame

        return self.of_trade(row, bank) if isinstance(row, Trade) else self.of_transfer(row, bank)

    def of_market(self, market: "Market", bank: str) -> str:
        values = {
            "bank": bank,
            "asset": market.market_name.partition("-")[0].upper(),
            "price": f"{grouped(market.current_price)} USD",
            "at": both_times(market.at),
        }
        if market.status in {None, "open"}:
            return self.fill("market.open", values)
        if market.estimated_resolution is not None:
            values["until"] = both_times(market.estimated_resolution)
        return self._first(("market.closed_until", "market.closed"), values)

    def of_refusal(self, code: str, facts: Mapping[str, str], bank: str) -> str:
        return self._first((f"refusal.{code}", "refusal.INTERNAL_ERROR"), {"bank": bank, **facts})

    def _first(self, names: Sequence[str], values: Mapping[str, str]) -> str:
        """The first of the texts that is there and can be filled."""
        return next((text for name in names if (text := self.fill(name, values))), "")


@lru_cache(maxsize=2)
def _read(path: Path, changed_ns: int) -> Mapping[str, str]:  # noqa: ARG001 - another time, other texts
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        f"{group}.{name}": " ".join(text.split())
        for group, texts in data.items()
        for name, text in texts.items()
    }


def money(amount: str, currency: str) -> str:
    return f"{grouped(amount)} {currency}"


def both_times(moment: datetime, *, dated: bool = True) -> str:
    """``20 November 2026, 12:09 UTC (13:09 local)``, the date left out for what ends today.

    One time where the desk's own zone agrees with UTC.
    """
    local = moment.astimezone()
    day = f"{moment.day} {moment:%B %Y}, " if dated else ""
    here = "" if local.utcoffset() == moment.utcoffset() else f" ({local:%H:%M} local)"
    return f"{day}{moment:%H:%M} UTC{here}"
