"""Goals as assertions on the bank's records, the actions, and what the customer was told."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain
from typing import Any

from chainteller.domain.assets import ASSETS_BY_KEY, MARKETS_BY_NAME
from chainteller.domain.clock import from_datetime
from chainteller.domain.decisions import DecisionKind, DecisionStatus
from chainteller.domain.money import UNKNOWN_ASSET, AmountInvalid, parse_atoms
from chainteller.domain.trades import TradeStatus
from chainteller.service.error_codes import ERRORS
from chainteller.service.interface import Service
from chainteller.service.models.counterparties import VERIFIED_FIRST_PARTY
from chainteller.service.models.pages import MAXIMUM_LIMIT, ListQuery
from chainteller.training.reading import Table
from chainteller.training.timeline import DONE, OBSERVED, OPENED, TOLD, Moment, first_index

ParseMoment = Callable[[str], str]
_OUTCOMES = (DONE, "OUTCOME_UNKNOWN", "UNREACHABLE", *ERRORS)
_COUNTS = ("count", "at_least", "at_most")
KINDS = ("trades", "transfers", "decisions", "balance", "wallet", "told", "never_told", "called")


@dataclass(frozen=True, slots=True)
class Check:
    """An assertion. ``kind`` is one of ``KINDS``; ``want`` has the values of its table."""

    kind: str
    want: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether a goal is met; if not, the contradicting fact and its instant."""

    met: bool
    fact: str = ""
    at: int | None = None


@dataclass(frozen=True, slots=True)
class View:
    """The data available to goals. ``since`` is the instant at which the session began."""

    service: Service
    account_id: str | None
    since: int
    moments: Sequence[Moment]
    addresses: Mapping[str, str]
    """The sample wallets' addresses by name."""
    account_ids: frozenset[str] = frozenset()
    """All trading accounts of the caller."""


def read_check(table: Table, wallets: Iterable[str], parse_moment: ParseMoment) -> Check:
    """Read the assertion of a goal; problems are reported to the table."""
    kind = table.choice("check", KINDS)
    want: dict[str, Any] = {}
    for key, reader in _FIELDS.get(kind, {}).items():
        if table.has(key) or key in _REQUIRED.get(kind, ()):
            want[key] = reader(table, key)
    if kind == "wallet":
        want["wallet"] = table.choice("wallet", wallets)
    if kind in {"told", "never_told", "called"}:
        for key in ("after", "before"):
            if table.has(key):
                want[key] = table.parsed(key, parse_moment)
    if kind in {"told", "never_told"} and not (want.get("all_of") or want.get("any_of")):
        table.wrong("any_of", "words that the customer is told")
    return Check(kind, want)


def evaluate(check: Check, view: View) -> Finding:
    """Evaluate an assertion now."""
    return _EVALUATIONS[check.kind](check.want, view)


def _decimal(text: str) -> Decimal:
    try:
        parse_atoms(text, UNKNOWN_ASSET, allow_zero=True)
        return Decimal(text)
    except AmountInvalid:
        raise ValueError('a decimal number in quotes, such as "1000.00"') from None


def _text(*allowed: str) -> Callable[[Table, str], str]:
    return lambda table, key: table.choice(key, allowed) if allowed else table.text(key)


def _number(table: Table, key: str) -> int:
    return table.number(key)


def _amount(table: Table, key: str) -> Decimal | None:
    return table.parsed(key, _decimal)


def _words(table: Table, key: str) -> tuple[str, ...]:
    return table.texts(key)


def _flag(table: Table, key: str) -> bool:
    return table.flag(key)


_COUNTED: Mapping[str, Callable[[Table, str], Any]] = dict.fromkeys(_COUNTS, _number)
_FIELDS: Mapping[str, Mapping[str, Callable[[Table, str], Any]]] = {
    "trades": {
        "market": _text(*MARKETS_BY_NAME),
        "side": _text("buy", "sell"),
        "status": _text(*TradeStatus),
        "sold": _amount,
        **_COUNTED,
    },
    "transfers": {
        "direction": _text("deposit", "withdrawal"),
        "status": _text(),
        "amount": _amount,
        "destination": _text("bank-account", "counterparty"),
        **_COUNTED,
    },
    "decisions": {
        "kind": _text(DecisionKind.WITHDRAWAL, DecisionKind.CONTROL),
        "status": _text(*DecisionStatus),
        **_COUNTED,
    },
    "balance": {
        "asset": _text(*ASSETS_BY_KEY),
        "equals": _amount,
        "at_least": _amount,
        "at_most": _amount,
    },
    "wallet": {"verified": _flag},
    "told": {"all_of": _words, "any_of": _words},
    "never_told": {"any_of": _words},
    "called": {
        "method": _text(*sorted(OBSERVED)),
        "outcome": _text(*_OUTCOMES),
        "new_key": _flag,
        **_COUNTED,
    },
}
_REQUIRED: Mapping[str, tuple[str, ...]] = {
    "transfers": ("direction",),
    "decisions": ("kind", "status"),
    "balance": ("asset",),
    "wallet": ("verified",),
    "called": ("method",),
}


def _counted(want: Mapping[str, Any], found: int, what: str, at: int | None) -> Finding:
    """Compare a count with the wanted bounds; without a bound, one is enough."""
    if "count" in want:
        met, wanted = found == want["count"], f"{want['count']}"
    elif "at_most" in want:
        met, wanted = found <= want["at_most"], f"at most {want['at_most']}"
    else:
        least = want.get("at_least", 1)
        met, wanted = found >= least, f"at least {least}"
    fact = "" if met else f"{found} {what}, not {wanted}"
    return Finding(met, fact, at if found and not met else None)


def _trades(want: Mapping[str, Any], view: View) -> Finding:
    if view.account_id is None:
        return _counted(want, 0, _described(want, "trades"), None)
    found = [
        trade
        for trade in view.service.trades(view.account_id, ListQuery(limit=MAXIMUM_LIMIT)).data
        if from_datetime(trade.created) >= view.since
        and all(getattr(trade, key) == want[key] for key in _TRADE_WORDS if key in want)
        and _same(want.get("sold"), trade.asset_sold.amount if trade.asset_sold else "0")
    ]
    last = from_datetime(found[0].created) if found else None
    return _counted(want, len(found), _described(want, "trades"), last)


_TRADE_WORDS = ("market", "side", "status")


def _transfers(want: Mapping[str, Any], view: View) -> Finding:
    name = f"{want['direction']}s"
    if view.account_id is None:
        return _counted(want, 0, _described(want, name), None)
    service, query = view.service, ListQuery(limit=MAXIMUM_LIMIT)
    read = service.deposits if want["direction"] == "deposit" else service.withdrawals
    found = [
        transfer
        for transfer in read(view.account_id, query).data
        if transfer.created is not None
        and from_datetime(transfer.created) >= view.since
        and transfer.status == want.get("status", transfer.status)
        and _same(want.get("amount"), transfer.amount)
        and want.get("destination") in {None, _destination(transfer)}
    ]
    last = from_datetime(found[0].created) if found and found[0].created else None
    return _counted(want, len(found), _described(want, name), last)


def _decisions(want: Mapping[str, Any], view: View) -> Finding:
    kind, status = want["kind"], want["status"]
    what = f"decisions about a {kind} that are {status}"
    if view.account_id is None:
        return _counted(want, 0, what, None)
    query = ListQuery(trading_account_id=view.account_id, type=kind, status=status)
    found = view.service.decisions(query).data
    return _counted(want, len(found), what, None)


def _destination(transfer: Any) -> str:
    return transfer.destination.type if transfer.destination else "bank-account"


def _same(wanted: Decimal | None, amount: str) -> bool:
    return wanted is None or wanted == Decimal(amount)


def _described(want: Mapping[str, Any], what: str) -> str:
    words = [str(want[key]) for key in ("status", "side", "market") if key in want]
    amount = want.get("sold", want.get("amount"))
    return " ".join([*words, what, *([f"of {amount}"] if amount is not None else [])])


def _balance(want: Mapping[str, Any], view: View) -> Finding:
    amount = Decimal(0)
    if view.account_id is not None:
        for each in view.service.token_balances(view.account_id).data:
            if f"{each.token.symbol}@{each.token.network}" == want["asset"]:
                amount = Decimal(each.amount)
    met = (
        amount == want.get("equals", amount)
        and amount >= want.get("at_least", amount)
        and amount <= want.get("at_most", amount)
    )
    return Finding(met, "" if met else f"{amount} {want['asset']} is available")


def _wallet(want: Mapping[str, Any], view: View) -> Finding:
    address, verified = view.addresses[want["wallet"]], False
    if view.account_id is not None:
        mine = ListQuery(trading_account_id=view.account_id, limit=MAXIMUM_LIMIT)
        linked = chain.from_iterable(
            view.service.linked_counterparties(account.id).data
            for account in view.service.blockchain_accounts(mine).data
        )
        verified = any(
            each.address == address and each.type == VERIFIED_FIRST_PARTY for each in linked
        )
    met = verified == want["verified"]
    state = "is verified" if verified else "is not verified"
    return Finding(met, "" if met else f"the wallet {state}")


def _between(want: Mapping[str, Any], moments: Sequence[Moment]) -> Sequence[Moment]:
    """The moments after the first ``after`` and before the first ``before``."""
    start, end = 0, len(moments)
    if "after" in want:
        first = first_index(moments, want["after"])
        start = end if first is None else first + 1
    if "before" in want:
        first = first_index(moments[start:], want["before"])
        end = end if first is None else start + first
    return moments[start:end]


def _says(want: Mapping[str, Any], text: str) -> bool:
    said = text.lower()
    every = all(words.lower() in said for words in want.get("all_of", ()))
    some = want.get("any_of", ())
    return every and (not some or any(words.lower() in said for words in some))


def _told(want: Mapping[str, Any], view: View) -> Finding:
    """Only what is said with the caller's record open counts."""
    opened = first_index(view.moments, OPENED)
    known = set() if opened is None else {id(each) for each in view.moments[opened:]}
    theirs = {"", *view.account_ids}
    heard = [
        each
        for each in _between(want, view.moments)
        if each.name == TOLD and id(each) in known and each.account in theirs
    ]
    if any(_says(want, each.text) for each in heard):
        return Finding(met=True)
    return Finding(met=False)


def _never_told(want: Mapping[str, Any], view: View) -> Finding:
    for each in _between(want, view.moments):
        if each.name == TOLD and _says(want, each.text):
            return Finding(met=False, fact=f"the customer was told: {each.text}", at=each.at)
    return Finding(met=True)


def _called(want: Mapping[str, Any], view: View) -> Finding:
    calls = [
        each
        for each in _between(want, view.moments)
        if each.method == want["method"] and want.get("outcome") in {None, each.outcome}
    ]
    if want.get("new_key"):
        first_uses = {each.key: each for each in reversed(view.moments) if each.key}
        calls = [each for each in calls if first_uses.get(each.key) is each]
    what = f"times {want['method']}"
    if "outcome" in want:
        what += f" with {want['outcome']}"
    return _counted(want, len(calls), what + _when(want), calls[-1].at if calls else None)


def _when(want: Mapping[str, Any]) -> str:
    words = [f" {key} {want[key]}" for key in ("after", "before") if want.get(key)]
    return "".join(words)


_EVALUATIONS: Mapping[str, Callable[[Mapping[str, Any], View], Finding]] = {
    "trades": _trades,
    "transfers": _transfers,
    "decisions": _decisions,
    "balance": _balance,
    "wallet": _wallet,
    "told": _told,
    "never_told": _never_told,
    "called": _called,
}
