"""Transfer filter: a typed direction or status filters by it; other words are searched for."""

from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, cast

from chainteller.domain.periods import Days, said_days
from chainteller.domain.transfers import Direction, TransferStatus, type_of
from chainteller.tui.queries import created_within, query, records_found

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.funding import Transfer
    from chainteller.service.models.pages import ListQuery, Page

_KINDS = frozenset(map(str, Direction))
_LEAST_LETTERS = 3
"""Shorter beginnings are searched for, so that the list doesn't jump while a name is typed."""
_NAMES = {
    **{f"{each}": ("type", type_of(each)) for each in Direction},
    **{f"{each}s": ("type", type_of(each)) for each in Direction},
    **{f"{each}": ("status", f"{each}") for each in TransferStatus},
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A parsed filter; ``text`` is what the service searches for."""

    type: str | None = None
    status: str | None = None
    text: str = ""
    days: Days | None = None


def wanted(typed: str, today: date | None = None) -> Wanted:
    """Parse a typed filter: a word that begins one direction or status only stands for it. With
    ``today``, it may name a day or a period.
    """
    found: dict[str, str] = {}
    words = []
    rest, days = said_days(typed, today)
    for word in rest.split():
        meant = {_NAMES[name] for name in _NAMES if name.startswith(word.lower())}
        kind, value = next(iter(meant)) if len(meant) == 1 else ("", "")
        if len(word) >= _LEAST_LETTERS and kind and kind not in found:
            found[kind] = value
        else:
            words.append(word)
    return Wanted(**found, text=" ".join(words), days=days[0] if days else None)


def listed(service: "Service", account_id: str | None, asked: "ListQuery") -> "Page[Transfer]":
    """Transfers of one account, or of all accounts; if none has the text, those that a search of
    everything finds by it: by a misspelt name, an id or a day.
    """
    found = service.all_transfers(asked.model_copy(update={"trading_account_id": account_id}))
    if found.pagination.total or not asked.text:
        return found
    rows = records_found(
        service,
        asked.text,
        _KINDS,
        partial(_record, service),
        None if account_id else partial(_of_account, service, asked),
    )
    kept = tuple(row for row in rows if _is_asked(row, account_id, asked))
    counted = found.pagination.model_copy(update={"total": len(kept)})
    return found.model_copy(update={"data": kept, "pagination": counted})


def _record(service: "Service", _account_id: str, transfer_id: str) -> "Transfer":
    return cast("Transfer", service.transaction_by_id(transfer_id))


def _of_account(service: "Service", asked: "ListQuery", account_id: str) -> "tuple[Transfer, ...]":
    theirs = {"trading_account_id": account_id, "text": None, "page": 1}
    return service.all_transfers(asked.model_copy(update=theirs)).data


def _is_asked(row: "Transfer", account_id: str | None, asked: "ListQuery") -> bool:
    at = f"{row.created:%Y-%m-%dT%H:%M:%SZ}" if row.created is not None else ""
    if at and asked.created_gte and asked.created_lt:
        is_within = asked.created_gte <= at < asked.created_lt
    else:
        is_within = True
    return is_within and (
        account_id in {None, row.trading_account_id}
        and asked.type in {None, row.type}
        and asked.status in {None, row.status}
    )


def as_query(typed: Wanted, only: Wanted, sort: str, page: int, limit: int) -> "ListQuery":
    """The service's query; what was typed precedes ``only``."""
    return query(
        page=page,
        limit=limit,
        type=typed.type or only.type,
        status=typed.status or only.status,
        text=typed.text or None,
        sort=sort,
        **created_within(typed.days),
    )
