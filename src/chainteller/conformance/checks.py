"""Checks and the judges that they are declared with.

A judge gets an exchange (and those it's compared with) and yields deviations. It raises Blocked
if there is nothing to judge.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from http import HTTPStatus
from typing import Any

from chainteller.conformance.exchanges import Blocked, Exchange, require_success
from chainteller.conformance.probes import Probe
from chainteller.conformance.values import (
    MISSING,
    Test,
    at,
    decimal,
    filled,
    instant,
    integer,
    last_place,
    number,
    one_of,
    shown,
    string,
)

Judge = Callable[..., Iterator[str]]
MAXIMUM_DEVIATIONS = 5
MAXIMUM_ROWS = 1000
_BASIS_POINTS = 10_000
_OTHER_REASONS = frozenset({401, 403, 404, 409, 423, 429, *range(500, 600)})
"""Statuses of refusals that have nothing to do with what was sent."""


class State(StrEnum):
    OK = "ok"
    DEVIATES = "deviates"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True)
class Check:
    """One sentence of the specification and how it's judged.

    ``on`` are the probes that are judged, each for itself; without any, all refusals are, except
    that of the one call that the specification doesn't have.
    ``given`` are further exchanges that each of them is compared with.
    """

    id: str
    section: str
    sentence: str
    judge: Judge
    on: tuple[Probe, ...] = ()
    given: tuple[Probe, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check; ``notes`` are deviations or the reasons for not checking."""

    check: Check
    state: State
    notes: tuple[str, ...]
    exchanges: tuple[Exchange, ...]

    def evidence(self) -> list[dict[str, object]]:
        """What was sent and what came back, each exchange once."""
        once = {id(exchange): exchange for exchange in self.exchanges}
        return [exchange.described() for exchange in once.values()]


def judge(
    check: Check, exchanges: Mapping[Probe, Exchange], reasons: Mapping[Probe, str]
) -> Finding:
    """Judge a check by the exchanges that took place."""
    on = check.on or tuple(
        probe
        for probe, made in exchanges.items()
        if made.is_refusal and probe is not Probe.CAPABILITIES
    )
    deviations: list[str] = []
    blocked: list[str] = []
    judged: list[Exchange] = []
    deviating: list[Exchange] = []
    for probe in on:
        try:
            seen = [_made(each, exchanges, reasons) for each in (probe, *check.given)]
            found = [f"{seen[0].title}: {each}" for each in check.judge(*seen)]
        except Blocked as reason:
            blocked.append(str(reason))
            continue
        judged += seen
        deviations += found
        deviating += seen if found else []
    if deviations:
        return Finding(check, State.DEVIATES, _some(deviations), tuple(deviating))
    if judged:
        return Finding(check, State.OK, (), tuple(judged))
    return Finding(check, State.NOT_CHECKED, _some(blocked or ["no refusal was seen"])[:1], ())


def _made(
    probe: Probe, exchanges: Mapping[Probe, Exchange], reasons: Mapping[Probe, str]
) -> Exchange:
    if probe not in exchanges:
        raise Blocked(reasons.get(probe, "not reached"))
    return exchanges[probe]


def _some(notes: list[str]) -> tuple[str, ...]:
    """The first few, each once."""
    different = list(dict.fromkeys(notes))
    more = len(different) - MAXIMUM_DEVIATIONS
    return (*different[:MAXIMUM_DEVIATIONS], *([f"and {more} more"] if more > 0 else []))


# -- whole replies ------------------------------------------------------------------------------


def answers(exchange: Exchange) -> Iterator[str]:
    """The call exists and isn't answered with anything but JSON or a refusal."""
    yield from accepts(exchange)
    if exchange.is_success and not exchange.is_json:
        yield "the reply isn't JSON"


def accepts(exchange: Exchange) -> Iterator[str]:
    """The call exists; a success may have any body, because it is not specified."""
    if exchange.reply is None:
        yield exchange.fault
        return
    if not exchange.is_refusal:
        if exchange.status >= HTTPStatus.MULTIPLE_CHOICES:
            yield f"status {exchange.status} is neither a success nor an error"
        return
    missing = {HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED}
    if not exchange.unknown:
        missing |= {HTTPStatus.NOT_FOUND}
    if exchange.status in missing:
        yield f"status {exchange.status}: the call isn't offered"
    elif exchange.status >= HTTPStatus.INTERNAL_SERVER_ERROR and exchange.error is None:
        yield f"status {exchange.status} without an error body"
    else:
        require_success(exchange)


def refuses(exchange: Exchange) -> Iterator[str]:
    if exchange.reply is None:
        raise Blocked(f"{exchange.title}: {exchange.fault}")
    if exchange.is_success:
        yield f"accepted with status {exchange.status}"


def accepts_signature(exchange: Exchange) -> Iterator[str]:
    """A right signature passes; how it's encoded isn't specified, so several were sent."""
    if exchange.is_refusal and exchange.status not in _OTHER_REASONS and exchange.error:
        yield f"a right signature was refused in every usual encoding: {exchange.error}"
    else:
        yield from answers(exchange)


def refuses_with(code: str) -> Judge:
    def of(exchange: Exchange) -> Iterator[str]:
        yield from refuses(exchange)
        if exchange.is_refusal and exchange.error != code:
            yield f"refused with {exchange.error or exchange.status} instead of {code}"

    return of


def error_field(name: str, test: Test) -> Judge:
    """Judge a field of an error body."""

    def of(exchange: Exchange) -> Iterator[str]:
        if not isinstance(exchange.body, dict):
            yield f"status {exchange.status} without an error object"
        elif wrong := _tested(exchange.body, name, test):
            yield wrong

    return of


def details(code: str, **tests: Test) -> Judge:
    """Judge the details of refusals with this code."""

    def of(exchange: Exchange) -> Iterator[str]:
        _require_error(exchange, code)
        for name, test in tests.items():
            if wrong := _tested(exchange.body, f"details.{name}", test):
                yield wrong

    return of


def _require_error(exchange: Exchange, code: str) -> None:
    if exchange.error != code:
        raise Blocked(f"no refusal with {code} was seen")


# -- lists --------------------------------------------------------------------------------------


def _json_of(exchange: Exchange) -> Any:
    require_success(exchange)
    if not exchange.is_json:
        raise Blocked(f"{exchange.title}: the reply isn't JSON")
    return exchange.body


def envelope(exchange: Exchange) -> Iterator[str]:
    body = _json_of(exchange)
    if not isinstance(body, dict):
        yield f"the list {shown(body)} isn't in an envelope"
        return
    if not isinstance(body.get("data"), list):
        yield f"data is {shown(body.get('data'))}, not an array"
    for name in ("total", "page", "limit"):
        if wrong := _tested(body, f"pagination.{name}", integer):
            yield wrong


def paging(exchange: Exchange) -> Iterator[str]:
    """The numbers fit the records: whatever the size of a page is, they contradict nothing."""
    data = rows(exchange, empty=True)
    found = [at(exchange.body, f"pagination.{name}") for name in ("total", "page", "limit")]
    if any(integer(each) for each in found):
        raise Blocked(f"{exchange.title}: no usable pagination")
    total, page, limit = (each for each in found if isinstance(each, int))
    if len(data) > limit:
        yield f"{len(data)} records are more than the limit {limit}"
    if total < len(data):
        yield f"{len(data)} records are more than the total {total}"
    elif data and (page - 1) * limit >= total:
        yield f"page {page} has records, but the total is {total} and the limit {limit}"
    elif page <= 1 and total <= limit and total != len(data):
        yield f"the total is {total}, but the only page has {len(data)} records"


def rows(exchange: Exchange, *, empty: bool = False) -> list[Any]:
    """The records of a list. Raises Blocked: it can't be read, or it's empty."""
    data = at(_json_of(exchange), "data")
    if not isinstance(data, list):
        raise Blocked(f"{exchange.title}: no array data")
    if not data and not empty:
        raise Blocked(f"{exchange.title}: the list is empty")
    return data


def record(exchange: Exchange) -> Any:
    """The record of a reply, or the first one of an envelope."""
    body = _json_of(exchange)
    if not isinstance(body, dict):
        raise Blocked(f"{exchange.title}: the reply isn't an object")
    inner = body.get("data")
    if isinstance(inner, list) and inner:
        return inner[0]
    return inner if isinstance(inner, dict) else body


def has_rows(exchange: Exchange) -> Iterator[str]:
    if not rows(exchange, empty=True):
        yield "the array data is empty"


def only_markets(*wanted: int) -> Judge:
    """Only the markets were listed that the query named: by their positions in the full list."""

    def of(exchange: Exchange, full: Exchange) -> Iterator[str]:
        all_names = [at(each, "marketName") for each in rows(full)]
        names = [all_names[position] for position in wanted]
        listed = [at(each, "marketName") for each in rows(exchange, empty=True)]
        yield from (f"lists {shown(name)} too" for name in listed if name not in names)
        yield from (f"doesn't list {shown(name)}" for name in names if name not in listed)

    return of


def trades_an_asset(exchange: Exchange) -> Iterator[str]:
    names = [at(each, "marketName") for each in rows(exchange)]
    if not any(name in names for name in ("btc-usd", "sol-usd", "eth-usd")):
        yield "lists neither btc-usd nor sol-usd nor eth-usd"


# -- fields -------------------------------------------------------------------------------------


def _tested(record: object, path: str, test: Test) -> str:
    value = at(record, path)
    if value is MISSING:
        return f"{path} is missing"
    wrong = test(value)
    return f"{path} {wrong}" if wrong else ""


def each(path: str, test: Test) -> Judge:
    """Judge a field of every record of a list."""

    def of(exchange: Exchange) -> Iterator[str]:
        for row in rows(exchange)[:MAXIMUM_ROWS]:
            if wrong := _tested(row, path, test):
                yield wrong

    return of


def field(path: str, test: Test) -> Judge:
    """Judge a field of a record."""

    def of(exchange: Exchange) -> Iterator[str]:
        if wrong := _tested(record(exchange), path, test):
            yield wrong

    return of


def as_sent(path: str) -> Judge:
    """The record has the value of the request's field; hexadecimal addresses in any case."""

    def of(exchange: Exchange) -> Iterator[str]:
        value, sent = at(record(exchange), path), at(exchange.sent, path)
        if value != sent and not (_is_hex(sent) and str(value).lower() == str(sent).lower()):
            yield f"{path} is {shown(_or_missing(value))}, but {shown(sent)} was sent"

    return of


def _is_hex(address: object) -> bool:
    return isinstance(address, str) and address.startswith("0x")


def same(*paths: str, **renamed: str) -> Judge:
    """Fields equal those of another reply's record: numbers as numbers, times as times.

    ``renamed`` are fields that have another name in the other record.
    """
    pairs = {**{path: path for path in paths}, **renamed}

    def of(exchange: Exchange, other: Exchange) -> Iterator[str]:
        for path, other_path in pairs.items():
            value, expected = at(record(exchange), path), at(record(other), other_path)
            if expected is MISSING:
                raise Blocked(f"{other.title}: {other_path} is missing")
            if _comparable(value) != _comparable(expected):
                yield (
                    f"{path} is {shown(_or_missing(value))}, but {shown(expected)} in {other.title}"
                )

    return of


def different(path: str) -> Judge:
    def of(exchange: Exchange, other: Exchange) -> Iterator[str]:
        value = at(record(exchange), path)
        if value is not MISSING and value == at(record(other), path):
            yield f"{path} {shown(value)} is that of another record"

    return of


def _or_missing(value: object) -> object:
    return "(missing)" if value is MISSING else value


def _comparable(value: object) -> object:
    amount = number(value)
    if amount is not None:
        return amount
    moment = instant(value)
    return value if moment is None else moment


# -- quotes -------------------------------------------------------------------------------------


def leg(name: str) -> Judge:
    """Judge the three fields of one side of a quote."""

    def of(exchange: Exchange) -> Iterator[str]:
        for path, test in (("symbol", string), ("network", string), ("amount", decimal)):
            if wrong := _tested(record(exchange), f"{name}.{path}", test):
                yield wrong

    return of


def _legs(exchange: Exchange) -> tuple[str, str]:
    """The names of a quote's US dollars and of its asset, by the side that was asked for."""
    is_buy = at(exchange.sent, "side") == "buy"
    return ("assetSold", "assetBought") if is_buy else ("assetBought", "assetSold")


def cash(exchange: Exchange) -> Iterator[str]:
    """The leg of a quote that is paid or received in US dollars says so."""
    usd, _ = _legs(exchange)
    for name, expected in (("network", "fiat"), ("symbol", "USD")):
        if wrong := _tested(record(exchange), f"{usd}.{name}", one_of(expected)):
            yield wrong


def _market_of(quote: Exchange) -> str:
    """The market that a quote was requested in."""
    return quote.path.split("/")[3]


def for_market(exchange: Exchange) -> Iterator[str]:
    if wrong := _tested(record(exchange), "marketName", one_of(_market_of(exchange))):
        yield wrong


def coin(exchange: Exchange) -> Iterator[str]:
    """The leg of a quote that isn't in US dollars is the asset of the market."""
    market = _market_of(exchange)
    _, asset = _legs(exchange)
    symbol = at(record(exchange), f"{asset}.symbol")
    if not isinstance(symbol, str) or symbol.lower() != market.partition("-")[0]:
        yield f"{asset}.symbol is {shown(_or_missing(symbol))} in the market {market}"


def sold_as_sent(exchange: Exchange) -> Iterator[str]:
    sold, sent = at(record(exchange), "assetSold.amount"), at(exchange.sent, "amount")
    if number(sold) != number(sent):
        yield f"assetSold.amount is {shown(_or_missing(sold))}, but {shown(sent)} was sent"


def expires_later(exchange: Exchange) -> Iterator[str]:
    quoted = record(exchange)
    created, expires = instant(at(quoted, "created")), instant(at(quoted, "expires"))
    if created is None or expires is None:
        raise Blocked(f"{exchange.title}: no usable created and expires")
    if expires <= created:
        yield f"expires {expires.isoformat()} isn't after created {created.isoformat()}"


def adds_up(exchange: Exchange) -> Iterator[str]:
    """Price, amounts and fee fit each other, whether the fee is inside the amounts or on top.

    The specification doesn't say which, nor how amounts are rounded: a unit in the last place of
    each figure is allowed for.
    """
    quoted = record(exchange)
    usd_leg, asset_leg = _legs(exchange)
    paths = (f"{usd_leg}.amount", f"{asset_leg}.amount", "price", "fees.flat")
    texts = [at(quoted, path) for path in paths]
    bps = at(quoted, "fees.bps")
    if any(decimal(text) for text in texts) or not isinstance(bps, int) or isinstance(bps, bool):
        raise Blocked(f"{exchange.title}: amounts, price or fees can't be read")
    usd_text, units_text, price_text, flat_text = (str(text) for text in texts)
    usd, units, price, flat = map(Fraction, (usd_text, units_text, price_text, flat_text))
    worth = units * price
    taken = usd - worth if usd_leg == "assetSold" else worth - usd
    slack = (
        last_place(usd_text)
        + last_place(flat_text)
        + last_place(units_text) * price
        + last_place(price_text) * units
    )
    share = Fraction(bps, _BASIS_POINTS)
    lowest = flat + share * min(usd, worth)
    highest = flat + share * max(usd, worth)
    if abs(taken) <= slack or lowest - slack <= taken <= highest + slack:
        return
    yield (
        f"{units_text} at {price_text} is {_short(worth)} USD; {usd_text} USD differs by "
        f"{_short(taken)}, which is neither 0 nor the fee {_short(lowest)} to {_short(highest)}"
    )


def _short(value: Fraction) -> str:
    """A figure in a sentence, rounded down to four places."""
    scaled = abs(value) * 10_000
    whole = scaled.numerator // scaled.denominator
    return f"{'-' if value < 0 else ''}{whole // 10_000}.{whole % 10_000:04}"


def side_as_quoted(executed: Exchange, quote: Exchange) -> Iterator[str]:
    if wrong := _tested(record(executed), "side", one_of(at(quote.sent, "side"))):
        yield wrong


# -- balances, trades and wallets ---------------------------------------------------------------


def amounts(exchange: Exchange) -> dict[tuple[str, str], Fraction]:
    """Balances by symbol and network."""
    found: dict[tuple[str, str], Fraction] = {}
    for row in rows(exchange, empty=True):
        amount = number(at(row, "amount"))
        if amount is None:
            raise Blocked(f"{exchange.title}: an amount can't be read")
        key = (str(at(row, "token.symbol")), str(at(row, "token.network")))
        found[key] = found.get(key, Fraction(0)) + amount
    return found


def changes(after: Exchange, before: Exchange) -> list[Fraction]:
    """By how much each balance has changed."""
    now, then = amounts(after), amounts(before)
    return [now.get(key, Fraction(0)) - then.get(key, Fraction(0)) for key in {*now, *then}]


def arrived(after: Exchange, before: Exchange, deposit: Exchange) -> Iterator[str]:
    require_success(deposit)
    amount = number(at(deposit.sent, "amount")) or Fraction(0)
    changed = changes(after, before)
    if amount in changed:
        return
    if any(each > amount for each in changed):
        yield f"a balance grew by {_short(max(changed))} for a deposit of {_short(amount)}"
    elif any(each < 0 for each in changed):
        yield f"a balance fell by {_short(-min(changed))} for a deposit"
    else:
        raise Blocked("the deposit hadn't arrived yet; a longer --wait may show it")


def left(after: Exchange, before: Exchange, withdrawal: Exchange) -> Iterator[str]:
    require_success(withdrawal)
    amount = number(at(withdrawal.sent, "amount")) or Fraction(0)
    changed = changes(after, before)
    if any(each <= -amount for each in changed):
        return
    if any(each > 0 for each in changed):
        yield f"a balance grew by {_short(max(changed))} for a withdrawal"
        return
    raise Blocked("the withdrawal hadn't left yet; a longer --wait may show it")


def short_of(exchange: Exchange) -> Iterator[str]:
    """The amounts that INSUFFICIENT_FUNDS reports show that the balance is too low."""
    _require_error(exchange, "INSUFFICIENT_FUNDS")
    available = number(at(exchange.body, "details.available"))
    required = number(at(exchange.body, "details.required"))
    if available is not None and required is not None and available >= required:
        yield f"available {available} isn't below required {required}"


def about_the_quote(exchange: Exchange, quote: Exchange) -> Iterator[str]:
    _require_error(exchange, "QUOTE_EXPIRED")
    quoted, named = at(record(quote), "id"), at(exchange.body, "details.quoteId")
    if named != quoted:
        yield f"details.quoteId is {shown(_or_missing(named))}, not {shown(quoted)}"


def lists_the_trade(listed: Exchange, executed: Exchange) -> Iterator[str]:
    data = rows(listed, empty=True)
    trade_id = at(record(executed), "id")
    if any(at(each, "id") == trade_id for each in data):
        return
    _require_one_page(listed)
    yield f"{shown(trade_id)} isn't in the list"


def _require_one_page(listed: Exchange) -> None:
    """Raises Blocked if what is missing may be on another page."""
    total, limit = (at(listed.body, f"pagination.{name}") for name in ("total", "limit"))
    if isinstance(total, int) and isinstance(limit, int) and total > limit:
        raise Blocked("the list has further pages, and paging isn't specified")


def _linked(listed: Exchange, link: Exchange) -> list[Any]:
    address = str(at(link.sent, "address")).lower()
    data = rows(listed, empty=True)
    return [each for each in data if str(at(each, "address")).lower() == address]


def verified(listed: Exchange, link: Exchange) -> Iterator[str]:
    """The linked wallet is listed as a verified one."""
    require_success(link)
    found = _linked(listed, link)
    if not found:
        _require_one_page(listed)
        yield f"{shown(at(link.sent, 'address'))} isn't listed after it was linked"
    for each in found:
        if at(each, "type") != "VerifiedCounterparty1P":
            yield f"type is {shown(_or_missing(at(each, 'type')))}, not VerifiedCounterparty1P"


def not_verified(listed: Exchange, registered: Exchange) -> Iterator[str]:
    """A wallet that was only registered isn't listed as a verified one."""
    for each in _linked(listed, registered):
        if at(each, "type") == "VerifiedCounterparty1P":
            yield f"{shown(at(each, 'address'))} is listed as verified before it was linked"


def signable(exchange: Exchange) -> Iterator[str]:
    if wrong := _tested(record(exchange), "challenge", filled):
        yield wrong
