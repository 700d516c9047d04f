"""Deviations from the specification, each with the check that must name it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from tests.conformance.altering_proxy import Alteration, Passing

_BALANCES = r"/trading-accounts/[^/]+/token-balances"
_QUOTES = r"/trading/markets/[^/]+/quotes\?.*"
_EXECUTION = r"/trading/quotes/[^/]+"
_MARKETS = r"/trading/markets"
_TRADES = r"/trading-accounts/[^/]+/trades"
_CLAIMS = r".*-ownership-claims"
_LINKS = r"/blockchain-accounts/[^/]+/counterparties"


@dataclass(frozen=True)
class Deviation:
    """A fault between the check and the service.

    ``named_by`` is the check that must report it, and ``also`` are those that it concerns as well.
    ``run`` is the run in which the quick test plants it, together with others; those in runs 1
    to 3 are seen by reading.
    """

    what: str
    run: int
    named_by: str
    alter: Alteration
    also: tuple[str, ...] = ()

    @property
    def by_reading(self) -> bool:
        return self.run <= 3


def _on(pattern: str, change: Callable[[Passing], None], method: str = "GET") -> Alteration:
    """Change successful replies of one call."""

    def alter(passing: Passing) -> None:
        if (
            passing.method == method
            and re.fullmatch(pattern, passing.path)
            and passing.status < 300
        ):
            change(passing)

    return alter


def _rows(change: Callable[[dict[str, Any]], None]) -> Callable[[Passing], None]:
    def of(passing: Passing) -> None:
        for row in passing.body["data"]:
            change(row)

    return of


def _body(change: Callable[[dict[str, Any]], None]) -> Callable[[Passing], None]:
    return lambda passing: change(passing.body)


def _set(*path: str, to: object) -> Callable[[dict[str, Any]], None]:
    def change(record: dict[str, Any]) -> None:
        for name in path[:-1]:
            record = record[name]
        record[path[-1]] = to

    return change


def _drop(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda record: record.pop(name)


def _as_number(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda record: record.update({name: float(record[name])})


def _fails(passing: Passing) -> None:
    passing.status = 500


def _accepts_any_key(passing: Passing) -> None:
    if passing.headers.get("Authorization") not in {None, f"Bearer {passing.key}"}:
        passing.headers["Authorization"] = f"Bearer {passing.key}"
        passing.pass_on()


def _needs_no_key(passing: Passing) -> None:
    if "Authorization" not in passing.headers:
        passing.headers["Authorization"] = f"Bearer {passing.key}"
        passing.pass_on()


def _error(name: str) -> Alteration:
    def alter(passing: Passing) -> None:
        if passing.status >= 400:
            passing.body.pop(name)

    return alter


def _without_detail(code: str, name: str) -> Alteration:
    def alter(passing: Passing) -> None:
        if passing.status >= 400 and passing.body["error"] == code:
            passing.body["details"].pop(name)

    return alter


def _ignores_filter(passing: Passing) -> None:
    if "filter" in passing.path and "%2C" not in passing.path and "," not in passing.path:
        passing.body["data"] += [{**passing.body["data"][0], "marketName": "btc-usd"}]


def _wrong_total(passing: Passing) -> None:
    passing.body["pagination"]["total"] += 1


def _too_much(record: dict[str, Any]) -> None:
    leg = record["assetBought"]
    leg["amount"] = str((Decimal(leg["amount"]) * Decimal("1.02")).quantize(Decimal("0.000001")))


def _expires_early(record: dict[str, Any]) -> None:
    created = datetime.fromisoformat(record["created"])
    record["expires"] = (created + timedelta(seconds=0.2)).isoformat().replace("+00:00", "Z")


def _swap_sides(record: dict[str, Any]) -> None:
    record["side"] = "sell" if record["side"] == "buy" else "buy"


def _accepts_a_claim(number: int) -> Alteration:
    """The signature in so many-th refused claim with every field is accepted."""

    def alter(passing: Passing) -> None:
        if passing.method != "POST" or not re.fullmatch(_CLAIMS, passing.path):
            return
        if len(passing.sent) == 3 and passing.status >= 400:
            passing.notes["refused"] = passing.notes.get("refused", 0) + 1
            if passing.notes["refused"] == number:
                passing.status, passing.body = 201, {"id": "CLM_accepted"}

    return alter


def _refuses_claims(passing: Passing) -> None:
    if passing.method == "POST" and re.fullmatch(_CLAIMS, passing.path) and passing.status < 300:
        passing.status = 422
        passing.body = {"error": "INVALID_SIGNATURE", "message": "No.", "details": {}}


def _accepts_a_made_up_claim(passing: Passing) -> None:
    is_link = passing.method == "POST" and re.fullmatch(_LINKS, passing.path)
    if is_link and len(passing.sent) == 3 and passing.status >= 400:
        passing.status, passing.body = 201, {}


def _not_offered(passing: Passing) -> None:
    if passing.method == "DELETE":
        refusal = {"error": "NOT_ALLOWED", "message": "No such method.", "details": {}}
        passing.status, passing.body = 405, refusal


def _times_hundred(record: dict[str, Any]) -> None:
    record["amount"] = str(Decimal(record["amount"]) * 100)


def _same_id(passing: Passing) -> None:
    quote = passing.body["data"][0]
    if quote["side"] == "sell":
        quote["id"] = passing.notes["quote"]
    passing.notes["quote"] = quote["id"]


DEVIATIONS = (
    Deviation(
        "markets answer with status 500",
        1,
        "markets.answers",
        _on(_MARKETS, _fails),
        also=("error.code", "error.message", "error.details"),
    ),
    Deviation("the total is wrong", 1, "trades.paging", _on(_TRADES, _wrong_total)),
    Deviation("no key is needed", 2, "key.missing", _needs_no_key),
    Deviation(
        "a market lacks yesterday's price",
        2,
        "market.yesterdaysPrice",
        _on(_MARKETS, _rows(_drop("yesterdaysPrice"))),
    ),
    Deviation(
        "a price is a number",
        2,
        "market.currentPrice",
        _on(_MARKETS, _rows(_as_number("currentPrice"))),
    ),
    Deviation(
        "a time isn't UTC",
        2,
        "market.at",
        _on(_MARKETS, _rows(_set("at", to="2026-11-22T09:00:00+02:00"))),
    ),
    Deviation("a filter is ignored", 2, "markets.filter-one", _ignores_filter),
    Deviation("an error has no code", 2, "error.code", _error("error")),
    Deviation(
        "a trade has another type",
        2,
        "trade.type",
        _on(_TRADES + "/[^/]+", _body(_set("type", to="trade"))),
    ),
    Deviation("any key is accepted", 3, "key.wrong", _accepts_any_key),
    Deviation(
        "a market's name is in capitals",
        3,
        "market.marketName",
        _on(_MARKETS + ".*", _rows(lambda row: row.update(marketName=row["marketName"].upper()))),
        also=("markets.assets", "markets.filter-one", "markets.filter-two"),
    ),
    Deviation(
        "a list has no total",
        3,
        "balances.envelope",
        _on(_BALANCES, lambda passing: passing.body["pagination"].pop("total")),
    ),
    Deviation(
        "a balance is a number", 3, "balance.amount", _on(_BALANCES, _rows(_as_number("amount")))
    ),
    Deviation("an error has no details", 3, "error.details", _error("details")),
    Deviation("the side is swapped", 4, "quote.side", _on(_QUOTES, _rows(_swap_sides), "POST")),
    Deviation(
        "the fee is a text",
        4,
        "quote.fees.bps",
        _on(_QUOTES, _rows(_set("fees", "bps", to="50")), "POST"),
    ),
    Deviation(
        "a trade isn't processing when it's executed",
        4,
        "execute.status",
        _on(_EXECUTION, _body(_set("status", to="settled")), "POST"),
    ),
    Deviation(
        "INSUFFICIENT_FUNDS lacks what was required",
        4,
        "error.insufficient-funds",
        _without_detail("INSUFFICIENT_FUNDS", "required"),
    ),
    Deviation(
        "a deposit arrives a hundredfold",
        6,
        "deposit.arrives",
        _on(_BALANCES, _rows(_times_hundred)),
    ),
    Deviation("DELETE isn't offered", 4, "cancel.delete", _not_offered),
    Deviation(
        "another address is registered",
        4,
        "register.address",
        _on("/counterparties", _body(_set("address", to="0x" + "1" * 40)), "POST"),
    ),
    Deviation(
        "an earlier challenge's signature is accepted",
        4,
        "claim.earlier-signature",
        _accepts_a_claim(1),
    ),
    Deviation(
        "a linked wallet isn't verified",
        4,
        "counterparty.verified",
        _on(_LINKS, _rows(_set("type", to="counterparty"))),
    ),
    Deviation(
        "the customer receives 2 % too much",
        5,
        "quote.arithmetic",
        _on(_QUOTES, _rows(_too_much), "POST"),
    ),
    Deviation("two quotes have one id", 5, "quote.unique-id", _on(_QUOTES, _same_id, "POST")),
    Deviation(
        "a quote is executed after its expiry",
        5,
        "execute.expired",
        _on(_QUOTES, _rows(_expires_early), "POST"),
    ),
    Deviation(
        "the price isn't the quoted one",
        5,
        "execute.price",
        _on(_EXECUTION, _body(_set("price", to="1.00")), "POST"),
        also=("trade.same",),
    ),
    Deviation(
        "another wallet's signature is accepted", 5, "claim.other-wallet", _accepts_a_claim(2)
    ),
    Deviation("a made-up claim links a wallet", 5, "link.valid-claim", _accepts_a_made_up_claim),
    Deviation(
        "right signatures are refused",
        6,
        "claim.ethereum",
        _refuses_claims,
        also=("claim.solana",),
    ),
    Deviation(
        "a trade doesn't show up in the list",
        6,
        "trades.executed",
        _on(
            _TRADES,
            lambda passing: passing.body.update(
                data=[], pagination={"total": 0, "page": 1, "limit": 20}
            ),
        ),
    ),
)
