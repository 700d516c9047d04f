"""Search: what a text stands for, and where it is shown.

``find`` of the service ranks records of every kind. A deployment without it is searched by its own
lists, as far as it has them, and by what this desk knows of it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from chainteller.domain import search_texts
from chainteller.domain.ids import short
from chainteller.domain.pasted_secrets import Digits, find_secret
from chainteller.domain.search_texts import LEAST_OF_KEY, Wanted, folded, key_of, name_words
from chainteller.records.formats import (
    RECORD_ID,
    grouped_in,
    same_amount,
    short_address,
    transferred,
)
from chainteller.records.notes import note_line
from chainteller.records.transfers import direction, target
from chainteller.service.errors import NotFound, NotOffered, TellerError
from chainteller.service.models.trades import TRADE_TYPE
from chainteller.service.operations import (
    ALL_TRANSFERS,
    BLOCKCHAIN_ACCOUNTS,
    COUNTERPARTIES,
    FIND,
    NOTES_FEATURE,
    QUOTES,
    TRADING_ACCOUNTS,
)
from chainteller.tui.desk import Desk
from chainteller.tui.failures import explain
from chainteller.tui.found import Found
from chainteller.tui.queries import attempt, query
from chainteller.tui.service_calls import call_service

if TYPE_CHECKING:
    from textual.screen import Screen

    from chainteller.service.interface import Service
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.service.models.finding import Found as FoundRecord
    from chainteller.service.models.funding import Transfer
    from chainteller.service.models.quotes import Quote

LITERAL, EXACT, WHOLE, COMMAND, NAMED, BEGINS = 6, 5, 4.5, 4.2, 4, 3.2
MENTIONED, LIKELY, BEGUN = 3, 2, 1
"""Ranks: a command by its name; a record by its id; a person by words of the name; a command by the
first words of its name; a person by the beginnings of words; a command by the beginning of its
name, and by words of its title; whatever else was found; a command with words that the text begins.
What the service found adds up to a tenth."""
LEAST_LETTERS = 2
_BELOW_PEOPLE = 0.2
_WITHOUT_ACCOUNT = 3.5
"""Rank of people of that name who have no account: below the others and their accounts."""
_LESS_LIKELY = 0.5
_OPENS_ONE = "no account: opens one"
_NEXT = 0.0005
_MOST_HITS, _MOST_ROWS, _MOST_KNOWN = 5, 30, 100
_LONGEST = 200
_EXACT_SCORE = 97
_PEOPLE = frozenset({"customer", "bank-account", "trading-account"})
_RECORDS = {"trade": "trades", "deposit": "transfers", "withdrawal": "transfers", "quote": "quote",
            "counterparty": "wallets", "blockchain-account": "wallets"}  # fmt: skip
NOT_SENT = "This looks like a private key or recovery words. It is not searched for."
NO_SEARCH = (
    "This deployment has no search. Searched: the accounts, wallets, quotes and transfers known on "
    "this desk. Not searched: names of customers, trades."
)
NO_INDEX = "This deployment has no search of everything: its lists were searched instead."
STARTING = "The console is still starting. Search again in a moment."
TRY = "Try part of a name, a bank account, an id, an address, an amount or a day (yesterday)."


@dataclass(frozen=True, slots=True)
class Results:
    """What was found, the best first, and what has to be said about the search."""

    found: tuple[Found, ...] = ()
    note: str = ""


def wanted_id(pasted: str) -> str:
    """The id or address in a paste; empty for anything else."""
    from chainteller.wallets.addresses import is_address

    text = pasted.strip()
    return text if RECORD_ID.fullmatch(text) or is_address(text) else ""


def is_question(pasted: str) -> bool:
    """Whether a paste may be looked for as it is: one short line, and no secret."""
    text = pasted.strip()
    is_line = len(text) <= _LONGEST and text.isprintable()
    return is_line and len(text) >= LEAST_LETTERS and not find_secret(text)


# -- where it is shown -----------------------------------------------------------------------------


async def turn_to(desk: Desk, found: Found) -> Found | None:
    """Select the account of what was found; where it is shown, or None when it can't be, which is
    told.
    """
    try:
        found = await call_service(_located, desk.service, found)
        if found.account_id and found.account_id != desk.customer.account_id:
            account = await call_service(desk.service.trading_account, found.account_id)
            desk.customer.serve(account)
    except TellerError as error:
        failure = explain(error)
        desk.notify(f"{failure.code}  {found.text}", "bad", failure.detail)
        return None
    if found.place == "trades":
        desk.customer.to_show["trades"] = found.text
    return found


def show_found(screen: "Screen[Any]", found: Found) -> None:
    """Let the screen of the record show it; Trades goes to its selected trade by itself."""
    show = getattr(screen, "find", None)
    if show is not None and found.place != "trades":
        show(found.text)


def _located(service: "Service", found: Found) -> Found:
    """What has to be looked up of a place. Runs in a thread."""
    if found.place == "find":
        return locate(service, found.text)
    if found.place == "bank":
        asked = query(bank_account_id=found.text, limit=1)
        rows = service.trading_accounts(asked).data
        mine = [row for row in rows if row.bank_account_id == found.text]
        return found._replace(place="accounts", text=mine[0].id) if mine else found
    if found.place == "customers" and not found.account_id:
        theirs = accounts_of(service, found.customer_id, found.reference)
        return found._replace(account_id=theirs[0].id) if theirs else found
    return found


def accounts_of(service: "Service", customer_id: str, reference: str) -> "list[TradingAccount]":
    """A customer's trading accounts. Raises TellerError."""
    rows = service.trading_accounts(query(text=reference, limit=_MOST_ROWS)).data
    return [row for row in rows if row.customer_id == customer_id]


def locate(service: "Service", text: str) -> Found:
    """Where an id leads. Runs in a thread; raises NotFound for a transaction of no account."""
    from chainteller.wallets.addresses import is_address

    if text.startswith("TDA_"):
        return Found("accounts", service.trading_account(text).id)
    if text.startswith("TXN_"):
        return _transaction(service, text)
    if text.startswith(("BCA_", "CPT_", "CHG_", "CLM_", "STM_")):
        return Found("wallets", text)
    if text.startswith("QTE_"):
        return Found("quote", text)
    if is_address(text):
        return _wallet(service, text)
    return Found("accounts", text)


def _wallet(service: "Service", address: str) -> Found:
    for row in service.counterparties(query(text=address, limit=1)).data:
        return Found("wallets", row.id)
    raise NotFound("wallet", address)


def _transaction(service: "Service", transaction_id: str) -> Found:
    """A trade, or a transfer; each is shown on its own screen, with its account served."""
    try:
        found = service.transaction_by_id(transaction_id)
    except NotOffered:
        return _searched_transaction(service, transaction_id)
    place = "trades" if found.type == TRADE_TYPE else "transfers"
    return Found(place, transaction_id, account_id=found.trading_account_id or "")


def _searched_transaction(service: "Service", transaction_id: str) -> Found:
    """A trade of one of the newest, or of the account that the audit trail names."""
    account_id = next(iter(_accounts_of(service, transaction_id)), "")
    if not account_id:
        raise NotFound("transaction", transaction_id)
    try:
        service.trade(account_id, transaction_id)
    except NotFound:
        return Found("transfers", transaction_id, account_id=account_id)
    return Found("trades", transaction_id, account_id=account_id)


def _accounts_of(service: "Service", transaction_id: str) -> Iterator[str]:
    try:
        recent = service.all_trades(query(limit=100)).data
        yield from (row.trading_account_id or "" for row in recent if row.id == transaction_id)
    except NotOffered:
        pass
    try:
        rows = service.audit(query(text=transaction_id, limit=20)).data
    except NotOffered:
        return
    for row in rows:
        yield from (value for value in row.inputs.values() if str(value).startswith("TDA_"))


# -- what is found ---------------------------------------------------------------------------------


def search(desk: Desk, typed: str) -> Results:
    """What a text stands for. Runs in a thread; what fails of it is told in the note."""
    text = typed.strip()[:_LONGEST]
    if len(text) < LEAST_LETTERS:
        return Results()
    if desk.session is None:
        return Results(note=STARTING)
    if find_secret(text, Digits.HASH):
        return Results(note=NOT_SENT)
    service, wanted = desk.service, search_texts.read(text, desk.today)
    try:
        found, note = _everything(service, text, wanted, desk.offers)
    except TellerError as error:
        found, note = [], f"The search failed: {error.code}  {error.message}"
    found += _team_notes(service, text) if desk.offers(NOTES_FEATURE) else _notes(desk, text)
    found += _unknown_ids(text, found)
    return Results(tuple(sorted(found, key=lambda each: -each.rank)), note)


def _everything(
    service: "Service", text: str, wanted: Wanted, offers: Callable[[str], bool]
) -> tuple[list[Found], str]:
    """Records of every kind, by the service or, without its search, by its lists."""
    if offers(FIND.feature or ""):
        try:
            return _with_transfers(service, text, _by_service(service, text)), ""
        except NotOffered:
            pass
    found = [*_listed(service, text, wanted, offers)]
    lists = offers(TRADING_ACCOUNTS.feature or "") and offers(ALL_TRANSFERS.feature or "")
    return found, NO_INDEX if lists else NO_SEARCH


def _by_service(service: "Service", text: str) -> list[Found]:
    rows = service.find(text).data[:_MOST_ROWS]
    if rows and rows[0].kind == "case":
        label = f"case {rows[0].id}   {rows[0].title}"
        case = Found("case", rows[0].id, label, rank=LITERAL)
        return [case, *(_in_case(each, rows) for each in _records(service, rows, text))]
    return _records(service, rows, text)


def _records(service: "Service", rows: "Sequence[FoundRecord]", text: str) -> list[Found]:
    tokens = search_texts.words_of(text.casefold())
    people = [row for row in rows if row.kind == "customer"]
    by_name = {row.id: rank for row in people if (rank := _rank_of_name(tokens, row.name or ""))}
    accounts = {row.bank_account_id for row in rows if row.kind == "trading-account"}
    theirs = _accounts_of_people(service, rows)
    amounts, found = search_texts.read(text).amounts, []
    for row in rows:
        has_account = bool(theirs.get(row.id)) if row.kind == "customer" else row.id in accounts
        rank = _rank(row, by_name, amounts, has_account=has_account)
        if row.kind == "customer":
            found.append(_customer(row, theirs.get(row.id), rank))
        elif row.kind == "bank-account" and row.id not in accounts:
            found.append(_bank_account(service, row, rank))
        elif row.kind == "trading-account":
            label = f"{row.name or row.id}  {row.bank_account_id}  {row.id}"
            found.append(Found("accounts", row.id, label, rank=rank))
        elif row.kind in _RECORDS:
            day = f"   {row.created:%d %b}" if row.created is not None else ""
            label = f"{grouped_in(row.title)}{day}   {short(row.id)}"
            account_id = row.trading_account_id or ""
            found.append(Found(_RECORDS[row.kind], row.id, label, account_id, rank))
    return found


def _accounts_of_people(
    service: "Service", rows: "Sequence[FoundRecord]"
) -> "dict[str, Sequence[FoundRecord | TradingAccount]]":
    """The accounts of the customers that were found: those found with them; of the first others,
    those that they have.
    """
    theirs: dict[str, Sequence[FoundRecord | TradingAccount]] = {}
    for row in rows:
        if row.kind == "trading-account" and row.customer_id:
            theirs[row.customer_id] = [*theirs.get(row.customer_id, ()), row]
    others = [row for row in rows if row.kind == "customer" and row.id not in theirs]
    for row in others[:_MOST_HITS]:
        look_up = partial(accounts_of, service, row.id, row.reference or row.name or "")
        theirs[row.id] = attempt(look_up, ())
    return theirs


def _in_case(found: Found, rows: "Sequence[FoundRecord]") -> Found:
    """What a case was about, with who did what to it, and when."""
    told = next((row.matched.partition(": ")[2] for row in rows if row.id == found.text), "")
    return found._replace(label=f"{found.label}   {told}".rstrip())


def _rank(
    row: "FoundRecord", by_name: Mapping[str, float], amounts: Sequence[str], *, has_account: bool
) -> float:
    """Records of an amount that is typed stand first; people whose name is typed above their
    accounts, and these above people without one and what is only like.
    """
    share, is_person = min(row.score, 100) / 1_000, row.kind in _PEOPLE
    named = by_name.get(row.customer_id or "")
    if row.kind == "trading-account":
        has_account = True
    if is_person and named is not None:
        rank = named if has_account else _WITHOUT_ACCOUNT
        return rank + share - (0 if row.kind == "customer" else _BELOW_PEOPLE)
    told = row.matched.split(" for ") if row.kind in _RECORDS else ()
    if row.score >= _EXACT_SCORE or any(same_amount(a, b) for a in amounts for b in told):
        return EXACT + share
    return LIKELY + share - (_LESS_LIKELY if is_person and not has_account else 0)


def _rank_of_name(tokens: Sequence[str], name: str) -> float:
    """How well a name answers a text: whether every typed word is, or begins, a word of it, however
    it is written; 0 not at all.
    """
    words = name_words(name)
    if tokens and all(any(form in words for form in folded(token)) for token in tokens):
        return WHOLE
    is_begun = bool(tokens) and all(
        any(word.startswith(form) for form in folded(token) for word in words) for token in tokens
    )
    return NAMED if is_begun else 0.0


def _customer(
    row: "FoundRecord", accounts: "Sequence[FoundRecord | TradingAccount] | None", rank: float
) -> Found:
    """``accounts`` is None where nobody has looked whether there are any."""
    banks = "  ".join(each.bank_account_id or "" for each in accounts or ())
    about = _OPENS_ONE if accounts is not None and not accounts else banks
    label = "   ".join(part for part in (row.name or row.id, row.reference, about) if part)
    account_id = accounts[0].id if accounts else ""
    return Found("customers", row.id, label, account_id, rank, row.id, row.reference or "")


def _bank_account(service: "Service", row: "FoundRecord", rank: float) -> Found:
    """The trading account of a bank account that was meant; others are looked up when chosen."""
    if rank < EXACT:
        return Found("bank", row.id, row.title, rank=rank)
    try:
        rows = service.trading_accounts(query(bank_account_id=row.id, limit=1)).data
    except NotOffered:
        rows = ()
    for account in rows:
        if account.bank_account_id == row.id:
            return Found("accounts", account.id, _account_label(account), rank=rank)
    return Found("bank", row.id, f"{row.title}   {_OPENS_ONE}", rank=rank)


def _with_transfers(service: "Service", text: str, found: list[Found]) -> list[Found]:
    """Add the newest transfers that match, behind the people who do, unless some were found."""
    if any(each.place == "transfers" for each in found):
        return found
    named = [each.rank for each in found if each.rank >= NAMED and each.place == "customers"]
    best = min(named) if named else max((each.rank for each in found), default=LIKELY)
    return [
        *found,
        *(
            row._replace(rank=best - _NEXT * (at + 1), label=f"{row.label}{_whose(service, row)}")
            for at, row in enumerate(_transfers(service, text)[:3])
        ),
    ]


def _whose(service: "Service", found: Found) -> str:
    account = attempt(partial(service.trading_account, found.account_id), None)
    name = account.customer_name if account is not None else ""
    return f"   {name or short(found.account_id)}"


def _unknown_ids(text: str, found: Iterable[Found]) -> list[Found]:
    """Ids in the text to be looked for when they are chosen: above all unless they were found."""
    known = any(each.rank >= EXACT for each in found)
    words = (word.strip(".,;:()[]<>\"'") for word in text.split())
    ids = [word for word in words if RECORD_ID.fullmatch(word) and not word.startswith("DDA")]
    rank = BEGUN - _NEXT if known else EXACT
    return [Found("find", each, f"find {each}", rank=rank) for each in dict.fromkeys(ids)]


def _team_notes(service: "Service", text: str) -> list[Found]:
    """What the team has noted about records; none where that can't be searched."""
    rows = attempt(lambda: service.notes(query(text=text, limit=_MOST_HITS)).data, ())
    return [
        Found("note", row.subject, f"note: {note_line(row)}   {short(row.subject)}", rank=LIKELY)
        for row in rows
    ]


def _notes(desk: Desk, text: str) -> list[Found]:
    """The agent's own words about records."""
    if desk.session is None:
        return []
    wanted, found = text.casefold(), []
    for about, note, _ in desk.session.workspace.notes():
        lines = [line for line in note.splitlines() if wanted in line.casefold()]
        found += [
            Found("note", about, f"note: {line}   {short(about)}", rank=LIKELY)
            for line in lines[-1:]
        ]
    return found[:_MOST_HITS]


# -- without a search of everything ----------------------------------------------------------------


def _listed(
    service: "Service", text: str, wanted: Wanted, offers: Callable[[str], bool]
) -> list[Found]:
    """What the deployment's own lists find; of those that it hasn't, what this desk knows."""
    found = []
    lists = offers(TRADING_ACCOUNTS.feature or "")
    for each in _some(service.trading_accounts, text if lists else None):
        told = (each.id, each.bank_account_id, each.customer_name or "")
        if lists or _is_meant(text, wanted, told):
            found.append(Found("accounts", each.id, _account_label(each), rank=NAMED))
    lists = offers(COUNTERPARTIES.feature or "")
    found += [
        Found("wallets", row.id, f"wallet {row.address}", rank=LIKELY)
        for row in _some(service.counterparties, text if lists else None)
        if lists or _is_meant(text, wanted, (row.id, row.address))
    ]
    if offers(ALL_TRANSFERS.feature or ""):
        found += [row._replace(rank=LIKELY) for row in _transfers(service, text)]
    else:
        found += _known_transfers(service, text, wanted)
    if not offers(QUOTES.feature or ""):
        found += _known_quotes(service, text, wanted)
    if not offers(BLOCKCHAIN_ACCOUNTS.feature or ""):
        found += _known_custody(service, text, wanted)
    return found


def _some(read: Callable[..., Any], text: str | None) -> Sequence[Any]:
    """Rows that a deployment finds by a text or, without one, all that this desk knows; none on an
    error.
    """
    asked = query(text=text, limit=_MOST_HITS if text else _MOST_KNOWN)
    return attempt(lambda: read(asked).data, ())


def _known_transfers(service: "Service", text: str, wanted: Wanted) -> Iterator[Found]:
    for row in _some(service.all_transfers, None):
        told = (row.id, row.bank_account_id or "", target(row) or "")
        day = row.created.date() if row.created is not None else None
        if _is_meant(text, wanted, told, (row.amount,), day):
            label, account_id = _transfer_label(row), row.trading_account_id or ""
            yield Found("transfers", row.key, label, account_id, LIKELY)


def _known_quotes(service: "Service", text: str, wanted: Wanted) -> Iterator[Found]:
    for row in _some(service.quotes, None):
        amounts = (row.asset_sold.amount, row.asset_bought.amount)
        if _is_meant(text, wanted, (row.id, row.trade_id or ""), amounts, row.created.date()):
            yield Found("quote", row.id, _quote_label(row), rank=LIKELY)


def _known_custody(service: "Service", text: str, wanted: Wanted) -> Iterator[Found]:
    for row in _some(service.blockchain_accounts, None):
        if _is_meant(text, wanted, (row.id, row.address)):
            label = f"blockchain account {row.address}   {short(row.id)}"
            yield Found("wallets", row.id, label, rank=LIKELY)


def _is_meant(
    text: str,
    wanted: Wanted,
    told: Sequence[str],
    amounts: Sequence[str] = (),
    day: object = None,
) -> bool:
    """Whether what is known of a record answers a text: an id, a part of one, an amount, a day."""
    keys = [key_of(each) for each in told if each]
    ids = any(
        each.startswith(ends.begin) and each.endswith(ends.end)
        for ends in wanted.ids
        for each in told
    )
    ends = any(
        key.startswith(each.begin) and key.endswith(each.end)
        for each in wanted.ends
        for key in keys
    )
    whole = key_of(text)
    parts = (*wanted.keys, *([whole] if len(whole) >= LEAST_OF_KEY else []))
    part = any(each in key for each in parts for key in keys)
    amount = any(same_amount(each, known) for each in wanted.amounts for known in amounts)
    on_day = isinstance(day, date) and any(each.first <= day <= each.last for each in wanted.days)
    return ids or ends or part or amount or on_day


# -- labels ----------------------------------------------------------------------------------------


def _account_label(row: "TradingAccount") -> str:
    return f"{row.customer_name or row.id}  {row.bank_account_id}  {row.id}"


def _transfers(service: "Service", text: str) -> list[Found]:
    """The newest first; none where they can't be searched."""
    rows = attempt(lambda: service.all_transfers(query(text=text, limit=_MOST_HITS)).data, ())
    return [
        Found("transfers", row.key, _transfer_label(row), row.trading_account_id or "")
        for row in rows
    ]


def _transfer_label(transfer: "Transfer") -> str:
    is_deposit = direction(transfer) == "deposit"
    place = (transfer.bank_account_id or "") if is_deposit else short_address(target(transfer))
    where = f" {'from' if is_deposit else 'to'} {place}" if place else ""
    state = transfer.status if transfer.as_of is None else f"was {transfer.status}"
    what = f"{direction(transfer)} {transferred(transfer)}{where}  {state}"
    return f"{what}  {short(transfer.id)}".rstrip()


def _quote_label(quote: "Quote") -> str:
    sold, bought = quote.asset_sold, quote.asset_bought
    amounts = f"{sold.amount} {sold.symbol} for {bought.amount} {bought.symbol}"
    return f"quote {quote.side} {amounts}   {short(quote.id)}"
