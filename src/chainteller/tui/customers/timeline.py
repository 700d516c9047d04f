"""One timeline of a customer: the lists of their accounts, merged by time.

Each list is read page by page, the newest first, and only as far as the timeline was scrolled.
Entries of other customers are left out: every read is bound to one of the customer's accounts.
What happened once has one line: the audit rows of a record, its review and the quote of a trade
fold into the record's line, unless their kind was asked for.
"""

import contextlib
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import count
from threading import Lock
from typing import TYPE_CHECKING, Any

from chainteller.domain.assets import base_symbol
from chainteller.domain.clock import to_datetime
from chainteller.domain.ids import Prefix
from chainteller.domain.trades import QuoteStatus
from chainteller.records.formats import (
    approximate,
    grouped,
    reason_words,
    short_address,
    transferred,
)
from chainteller.records.trades import is_trade
from chainteller.records.transfers import direction, target
from chainteller.service.errors import NotOffered, TellerError
from chainteller.service.models.counterparties import VERIFIED_FIRST_PARTY
from chainteller.service.operations import (
    ADD_NOTE,
    AUDITED_ACCOUNT,
    BLOCKCHAIN_ACCOUNTS,
    LINK_COUNTERPARTY,
    NOTES_FEATURE,
    OPEN_BLOCKCHAIN_ACCOUNT,
    REGISTER_COUNTERPARTY,
    SUBMIT_CLAIM,
    TRANSACTIONS,
)
from chainteller.tui.customers.filter import Wanted
from chainteller.tui.queries import created_within, gap, linked_accounts, query

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.counterparties import Counterparty
    from chainteller.service.models.funding import Transfer
    from chainteller.service.models.notes import Note
    from chainteller.service.models.pages import ListQuery, Page
    from chainteller.service.models.quotes import Quote
    from chainteller.service.models.records import AuditRow
    from chainteller.service.models.trades import Transaction
    from chainteller.tui.desk import Desk

READ_AT_ONCE = 100
_TRANSFERS = ("deposit", "withdrawal")
_TRANSACTIONS = ("trade", *_TRANSFERS)
_LINES_OF: Mapping[str, tuple[str, ...]] = {
    Prefix.TRANSACTION: _TRANSACTIONS,
    Prefix.QUOTE: ("quote",),
    Prefix.BLOCKCHAIN_ACCOUNT: ("wallet",),
    Prefix.COUNTERPARTY: ("wallet",),
    Prefix.CLAIM: ("wallet",),
}
"""The lines that tell what happened to a record of this kind."""
_TOLD_OF_WALLETS = frozenset(
    {
        OPEN_BLOCKCHAIN_ACCOUNT.name,
        REGISTER_COUNTERPARTY.name,
        LINK_COUNTERPARTY.name,
        SUBMIT_CLAIM.name,
    }
)
"""What the lines of a wallet tell; whatever else happened to it has a line of its own."""
REFUSED = "refused"
"""Status of an audit row about something that wasn't done."""
_ACTIONS = {
    "open_trading_account": "trading account opened",
    "open_blockchain_account": "blockchain account opened",
    "register_counterparty": "address registered",
    "create_challenge": "message to sign made",
    "submit_claim": "signature submitted",
    "link_counterparty": "wallet linked",
    "require_reverification": "verification ended",
    "create_quote": "quote requested",
    "execute_quote": "trade placed",
    "cancel_trade": "trade cancelled",
    "deposit": "deposit requested",
    "withdraw": "withdrawal requested",
    "cancel_withdrawal": "withdrawal cancelled",
    "add_note": "note added",
    "erase_note": "note erased",
    "open_decision": "restriction set",
    "take_decision": "decision taken",
    "approve_decision": "decision approved",
    "refuse_decision": "decision refused",
}
"""What an agent calls the actions of the audit trail."""
SEARCHED = 2_000
"""Newest entries in which words are looked for."""
_EPOCH = datetime.fromtimestamp(0, UTC)
_NOTED = re.compile(r"([0-9]{2} [A-Z][a-z]{2} [0-9]{2}:[0-9]{2})Z ")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the timeline.

    Attributes:
        kind: One of ``filter.KINDS``.
        record_id: The record that it opens.
        account_id: The trading account that it belongs to; empty for the customer's own.
        text: The words that were told to the customer, or noted.
        inside: The kinds of lines, one of which tells this entry, too; empty if none does.
    """

    at: datetime
    kind: str
    key: str
    record_id: str
    what: str
    status: str = ""
    account_id: str = ""
    text: str = ""
    inside: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """All that words are looked for in."""
        day = f"{self.at:%Y-%m-%d %d %b}"
        parts = (self.kind, self.what, self.status, self.record_id, day, self.text)
        return " ".join(parts)


Fetch = Callable[[int], tuple[Sequence[Entry], bool]]
"""A page of entries by its number, and whether it's the last one."""


class _Stream:
    """Entries of one list, the newest first, read as far as they are wanted.

    ``kinds`` are those of which the list has every record.
    """

    def __init__(self, name: str, fetch: Fetch, *kinds: str) -> None:
        self.name, self.problem, self.kinds = name, "", kinds
        self._fetch, self._waiting = fetch, deque[Entry]()
        self._page, self._ended = 0, False
        self._seen: set[str] = set()

    def next(self) -> Entry | None:
        """The entry that comes next, which stays until it's taken."""
        while not self._waiting and not self._ended:
            self._read()
        return self._waiting[0] if self._waiting else None

    def take(self) -> Entry:
        return self._waiting.popleft()

    def _read(self) -> None:
        self._page += 1
        try:
            entries, self._ended = self._fetch(self._page)
        except TellerError as error:
            self.problem, self._ended = gap(error).text, True
            return
        new = [each for each in entries if each.key not in self._seen]
        self._seen |= {each.key for each in new}
        self._waiting.extend(sorted(new, key=lambda each: each.at, reverse=True))
        if not new and entries:
            self._ended = True  # a deployment that answers the same page again


class Timeline:
    """The merged lists. Fetch from any thread."""

    def __init__(self, streams: Iterable[_Stream], wanted: Wanted) -> None:
        self._streams, self._wanted = tuple(streams), wanted
        self._entries: list[Entry] = []
        self._looked_at, self._ended = 0, False
        self._lock = Lock()

    @property
    def problems(self) -> list[str]:
        """What is missing: ``quotes: not offered by this deployment``."""
        found = (f"{each.name}: {each.problem}" for each in self._streams if each.problem)
        return list(dict.fromkeys(found))

    @property
    def was_cut(self) -> bool:
        """Whether words were looked for in the newest entries only."""
        return bool(self._wanted.words) and self._looked_at >= SEARCHED

    def page(self, number: int, rows: int) -> tuple[list[Entry], int]:
        """One page, and how many entries there are at least: one more than are known, unless these
        are all.
        """
        with self._lock:
            while len(self._entries) < number * rows and not self._ended:
                self._step()
            known = len(self._entries)
            shown = self._entries[(number - 1) * rows : number * rows]
            return shown, known if self._ended else known + 1

    def _step(self) -> None:
        heads = [(head, each) for each in self._streams if (head := each.next()) is not None]
        if not heads or self.was_cut:
            self._ended = True
            return
        newest, stream = max(heads, key=lambda pair: pair[0].at)
        stream.take()
        days = self._wanted.days
        if days is not None and newest.at.date() < days.first:
            self._ended = True
            return
        self._looked_at += 1
        if self._wanted.shows(newest.at, newest.told) and not self._is_folded(newest):
            self._entries.append(newest)

    def _is_folded(self, entry: Entry) -> bool:
        """Whether the line of a record tells it: that record's list has come."""
        if not entry.inside or entry.kind in self._wanted.kinds:
            return False
        return all(
            any(kind in each.kinds for each in self._streams)
            and not any(kind in each.kinds and each.problem for each in self._streams)
            for kind in entry.inside
        )


# -- the lists -------------------------------------------------------------------------------------


def timeline_of(
    desk: "Desk", account_ids: Sequence[str], customer_id: str, wanted: Wanted
) -> Timeline:
    """The timeline of a customer's accounts."""
    streams: list[_Stream] = []
    for account_id in account_ids:
        streams += _of_account(desk, account_id, wanted)
    streams += _of_desk(desk, account_ids, customer_id, wanted)
    return Timeline(streams, wanted)


def _of_account(desk: "Desk", account_id: str, wanted: Wanted) -> Iterator[_Stream]:
    service, shows = desk.service_for(account_id), _chooser(wanted)
    days = created_within(wanted.days)
    mine = {"trading_account_id": account_id, **days}
    entries = partial(_of_transaction, account_id)
    if desk.offers(TRANSACTIONS.feature or "") and not days:
        if shows(*_TRANSACTIONS, "review"):
            read = partial(service.transactions, account_id)
            yield _Stream("trades and transfers", _pages(read, entries, wanted), *_TRANSACTIONS)
    else:
        if shows("trade"):
            found = _pages(partial(service.trades, account_id), entries, wanted, **days)
            yield _Stream("trades", found, "trade")
        if shows(*_TRANSFERS, "review"):
            found = _pages(service.all_transfers, entries, wanted, **mine)
            yield _Stream("deposits and withdrawals", found, *_TRANSFERS)
    if shows("quote"):
        quotes = _pages(service.quotes, partial(_quote, account_id), wanted, **mine)
        yield _Stream("quotes", quotes, "quote")
    if shows("wallet"):
        yield _wallets_of(desk, account_id)
    if shows("audit"):
        made = partial(_audited, desk, account_id)
        rows = partial(_audit, desk, service)
        audit = _pages(rows, made, wanted, trading_account_id=account_id)
        yield _Stream("audit", audit)


def _wallets_of(desk: "Desk", account_id: str) -> _Stream:
    found = _wallets(desk.service_for(account_id), account_id)
    if desk.offers(BLOCKCHAIN_ACCOUNTS.feature or ""):
        return _Stream("wallets", found, "wallet")
    return _Stream("wallets known here", found)


def _of_desk(
    desk: "Desk", account_ids: Sequence[str], customer_id: str, wanted: Wanted
) -> Iterator[_Stream]:
    """What belongs to none of the accounts alone: notes about the customer, and what only this
    machine knows."""
    shows = _chooser(wanted)
    if shows("note") and desk.offers(NOTES_FEATURE):
        yield from _team_notes(desk, account_ids, customer_id, wanted)
    elif shows("note"):
        yield _Stream("notes", lambda _page: (list(_notes(desk, account_ids, customer_id)), True))
    if shows("text"):
        yield _Stream("texts", lambda _page: (list(_texts(desk, account_ids)), True))


def _chooser(wanted: Wanted) -> Callable[..., bool]:
    return lambda *kinds: not wanted.kinds or not wanted.kinds.isdisjoint(kinds)


def _pages(
    read: "Callable[[ListQuery], Page[Any]]",
    entries: Callable[[Any], Iterable[Entry]],
    wanted: Wanted,
    **asked: object,
) -> Fetch:
    """The pages of a list that ``read`` reads, and the entries of each of its rows."""

    def fetch(page: int) -> tuple[Sequence[Entry], bool]:
        found = read(query(page=page, limit=READ_AT_ONCE, **asked))
        made = (each for row in found.data for each in entries(row))
        only = [each for each in made if not wanted.kinds or each.kind in wanted.kinds]
        return only, not found.data or page * READ_AT_ONCE >= found.pagination.total

    return fetch


def _wallets(service: "Service", account_id: str) -> Fetch:
    def fetch(_page: int) -> tuple[Sequence[Entry], bool]:
        entries = []
        for linked in linked_accounts(service, account_id):
            account = linked.account
            if account.created is not None:
                what = f"blockchain account opened, {account.network}"
                key = f"wallet:{account.id}"
                entries.append(
                    Entry(
                        account.created, "wallet", key, account.id, what, account.status, account_id
                    )
                )
            entries += [
                each
                for row in linked.counterparties
                for each in _wallet(row, account.id, account_id)
            ]
        return entries, True

    return fetch


def _audit(desk: "Desk", service: "Service", asked: "ListQuery") -> "Page[AuditRow]":
    if AUDITED_ACCOUNT.feature and not desk.offers(AUDITED_ACCOUNT.feature):
        raise NotOffered("audit")
    return service.audit(asked)


def _is_of(desk: "Desk", record_id: str, account_id: str) -> bool:
    """Whether a record may be of an account: it isn't known to be another's."""
    owner = desk.session.ownership.owner_of(record_id) if desk.session else ""
    return owner in {"", account_id}


# -- entries ---------------------------------------------------------------------------------------


def _of_transaction(account_id: str, row: "Transaction") -> Iterator[Entry]:
    if not is_trade(row):
        yield from _transfer(row, account_id)
        return
    traded = f"{approximate(row.amount)} {base_symbol(row.market)}"
    what = f"{row.side} {traded} at {grouped(row.price)}"
    yield Entry(row.created, "trade", f"trade:{row.id}", row.id, what, row.status, account_id)


def _transfer(row: "Transfer", account_id: str) -> Iterator[Entry]:
    kind, at = str(direction(row)), row.created or row.as_of or _EPOCH
    to = target(row) if kind == "withdrawal" else ""
    what = transferred(row) + (f" to {to if ' ' in to else short_address(to)}" if to else "")
    told = reason_words(row.review.reason) if row.review is not None else ""
    what += f": {told}" if told else ""
    yield Entry(at, kind, f"{kind}:{row.key}", row.key, what, row.status, account_id)
    if told:
        held = f"{transferred(row)}: {told}"
        yield Entry(
            at, "review", f"review:{row.key}", row.key, held, row.status, account_id, inside=(kind,)
        )


def _quote(account_id: str, row: "Quote") -> Iterator[Entry]:
    sold, bought = row.asset_sold, row.asset_bought
    given, got = (f"{approximate(each.amount)} {each.symbol}" for each in (sold, bought))
    what = f"{row.side} {given} for {got}"
    status = row.status or ""
    inside = ("trade",) if status == QuoteStatus.EXECUTED else ()
    key = f"quote:{row.id}"
    yield Entry(row.created, "quote", key, row.id, what, status, account_id, inside=inside)


def _wallet(row: "Counterparty", custody_id: str, account_id: str) -> Iterator[Entry]:
    """A wallet of a blockchain account; it may be linked to several."""
    name, found = f"{row.network or ''} {short_address(row.address)}".strip(), row.verification
    key = f"{row.id}:{custody_id}"
    if found is not None:
        what = f"verified until {found.expires_at:%d %b %Y}  {name}"
        at, state = found.verified_at, found.status
        yield Entry(at, "wallet", f"verified:{key}", row.id, what, state, account_id)
    if row.created is not None:
        status = "" if row.type == VERIFIED_FIRST_PARTY else "not verified"
        what = f"registered  {name}"
        yield Entry(row.created, "wallet", f"wallet:{key}", row.id, what, status, account_id)


def _team_notes(
    desk: "Desk", account_ids: Sequence[str], customer_id: str, wanted: Wanted
) -> Iterator[_Stream]:
    days = created_within(wanted.days)
    for account_id in account_ids:
        read, of = desk.service_for(account_id).notes, partial(_note, account_id)
        found = _pages(read, of, wanted, trading_account_id=account_id, **days)
        yield _Stream("notes", found, "note")
    if customer_id:
        found = _pages(desk.service.notes, partial(_note, ""), wanted, subject=customer_id, **days)
        yield _Stream("notes", found, "note")


def _note(account_id: str, row: "Note") -> Iterator[Entry]:
    words = f"{row.content}, {row.author}" if row.content else f"erased by {row.erased_by}"
    key = f"note:{row.id}"
    yield Entry(row.created, "note", key, row.subject, words, "", account_id, row.content or "")


def _audited(desk: "Desk", account_id: str, row: "AuditRow") -> Iterator[Entry]:
    if not _is_of(desk, row.object, account_id):
        return
    words = _ACTIONS.get(row.action, row.action.replace("_", " "))
    what = ", ".join(filter(None, (words, row.actor, row.case)))
    what += f": {row.error}" if row.error else ""
    status, key = REFUSED if row.error else row.outcome, f"audit:{row.seq}"
    inside = _lines_of(row)
    yield Entry(row.at, "audit", key, row.object, what, status, account_id, inside=inside)


def _lines_of(row: "AuditRow") -> tuple[str, ...]:
    """The kinds of lines, one of which tells what an audit row says; a refusal has none."""
    if row.action == ADD_NOTE.name:
        return ("note",) if row.error is None else ()
    lines = _LINES_OF.get(row.object.partition("_")[0], ())
    is_told = lines != ("wallet",) or row.action in _TOLD_OF_WALLETS
    return lines if row.error is None and is_told else ()


def _notes(desk: "Desk", account_ids: Sequence[str], customer_id: str) -> Iterator[Entry]:
    """Each line of the notes about the customer, their accounts and what is known to be theirs."""
    if desk.session is None:
        return
    ownership = desk.session.ownership
    for about, text, changed_at in desk.session.workspace.notes():
        account_id = about if about in account_ids else ownership.owner_of(about)
        if account_id not in account_ids and about != (customer_id or None):
            continue
        at = to_datetime(changed_at)
        for number, noted in enumerate(text.splitlines()):
            when, words = _noted(noted, at)
            key = f"note:{about}:{number}"
            yield Entry(when, "note", key, about, words, "", account_id, noted)


def _noted(text: str, changed: datetime) -> tuple[datetime, str]:
    """When a line was noted, and its words; the year is the last in which it can have been."""
    match = _NOTED.match(text)
    if match is None:
        return changed, text
    for back in count():
        year = changed.year - back
        with contextlib.suppress(ValueError):  # 29 February
            at = datetime.strptime(f"{match[1]} {year}", "%d %b %H:%M %Y").replace(tzinfo=UTC)
            if at <= changed:
                return at, text[match.end() :]
        if back > 4:
            break
    return changed, text


def _texts(desk: "Desk", account_ids: Sequence[str]) -> Iterator[Entry]:
    """The words that the agent was shown to say, since the console was opened."""
    for number, told in enumerate(desk.customer.told):
        if told.account_id in account_ids:
            first = told.text.splitlines()[0]
            yield Entry(
                to_datetime(told.at),
                "text",
                f"text:{number}:{told.at}",
                told.account_id,
                first,
                "",
                told.account_id,
                told.text,
            )
