"""Transfer filter: a typed direction or status filters by it; other words are searched for."""

from functools import partial
from typing import TYPE_CHECKING, cast

from chainteller.domain.transfers import Direction, TransferStatus, type_of
from chainteller.tui.queries import records_found
from chainteller.tui.typed_filter import Named

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.funding import Transfer
    from chainteller.service.models.pages import ListQuery, Page

_KINDS = frozenset(map(str, Direction))
NAMED = Named(
    {
        **{
            f"{each}{ending}": ("type", type_of(each)) for each in Direction for ending in ("", "s")
        },
        **{f"{each}": ("status", f"{each}") for each in TransferStatus},
    },
    least_letters=3,
)


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
