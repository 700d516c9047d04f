"""What becomes of a request that the provider gave no usable answer to.

It's settled by its key, where the provider honours keys: the same request again. Otherwise it's
settled by what the provider lists: a trade with the quote's terms, a cancelled trade, a verified
wallet. Anything else is unknown: it's never sent again, and a person decides about it.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from chainteller.domain.actors import WORKER, Actor
from chainteller.domain.provider_requests import (
    LATE,
    LOOKED_FOR,
    LOOKED_FOR_EVERY,
    NO_ANSWER,
    RequestStatus,
)
from chainteller.domain.trades import TradeStatus
from chainteller.domain.transfers import Direction, TransferStatus
from chainteller.engine.core import outcome
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.unit_of_work import UnitOfWork, act, now, work_unit
from chainteller.engine.forwarding import kept, requests
from chainteller.engine.forwarding.requests import Plan, provider_of
from chainteller.engine.operations import logged_rows, provider_requests, transfers
from chainteller.engine.operations.provider_requests import GATEWAY, SETTLE
from chainteller.service import operations, paging
from chainteller.service.error_codes import is_conclusive
from chainteller.service.errors import (
    ReplyUnusable,
    ServiceError,
    ServiceUnavailable,
    TellerError,
)
from chainteller.service.models.base import Written
from chainteller.service.models.counterparties import VERIFIED_FIRST_PARTY
from chainteller.service.models.pages import MAXIMUM_LIMIT, ListQuery, Page
from chainteller.service.models.trades import Trade
from chainteller.service.operations import WRITES, Call
from chainteller.service.told import Told
from chainteller.storage.db.query import Record, Session
from chainteller.storage.queries import jobs, quotes, trades
from chainteller.storage.queries import provider_requests as rows
from chainteller.storage.queries import transfers as transfer_rows

SEVERAL = "SEVERAL_RECORDS_FIT"


class Found(NamedTuple):
    """What became of a request: what was answered to it, why it was refused, that a list shows that
    it certainly wasn't carried out, or that several records could be it."""

    told: Told | None = None
    refusal: ServiceError | None = None
    is_not_done: bool = False
    are_several: bool = False


def unanswered(
    context: EngineContext,
    actor: Actor,
    call: Call[Any],
    plan: Plan,
    request: Record,
    words: str,
) -> Written[Any]:
    """Right after a request got no usable answer: answered, if a list shows its outcome already.

    Raises:
        ProviderUnanswered: its outcome isn't known.
    """
    find = _FINDERS.get(request.operation)
    found = Found()
    if find is not None:
        with suppress(TellerError):
            found = find(context, request)
    if found.told is not None:
        try:
            return requests.finish(context, actor, call, plan, request, found.told)
        except ReplyUnusable as fault:
            make_unknown(context, actor, request.id, NO_ANSWER, fault.message)
    elif find is None and not provider_of(context).honours_keys:
        make_unknown(context, actor, request.id, NO_ANSWER, words)
    with context.database.read() as connection:
        raise requests.unanswered(connection, request)


def settle(context: EngineContext, request_id: str, plans: Mapping[str, Plan]) -> None:
    """Due work: look for the outcome of a request that got no answer. Raises Altered."""
    sending: list[tuple[Record, int]] = []
    if work_unit(context, WORKER, lambda tx: _is_dropped(tx, request_id, sending)):
        return
    request, present = sending[0]
    actor = Actor(request.organisation_id, request.actor)
    call, plan = call_of(request), plans[request.operation]
    found = _look(context, request, call)
    if found.told is not None:
        try:
            requests.finish(context, actor, call, plan, request, found.told)
        except ReplyUnusable as fault:
            make_unknown(context, actor, request.id, NO_ANSWER, fault.message)
    elif found.refusal is not None:
        requests.end(context, actor, call, request, RequestStatus.REFUSED, found.refusal)
    elif found.is_not_done:
        said = "The provider's list shows that it wasn't carried out."
        error = ServiceUnavailable(said, {"reason": provider_requests.NOT_DONE})
        requests.end(context, actor, call, request, RequestStatus.NOT_DONE, error)
    elif found.are_several:
        make_unknown(context, actor, request.id, SEVERAL, "More than one record could be it.")
    elif _is_settleable(context, request) and present < request.updated + LOOKED_FOR:
        work_unit(context, actor, lambda tx: _look_again(tx, request_id))
    else:
        make_unknown(context, actor, request.id, NO_ANSWER, "The provider gave no answer.")


def _is_dropped(tx: UnitOfWork, request_id: str, sending: list[tuple[Record, int]]) -> bool:
    """Whether a request has its outcome, so that there's no more work on it; ``sending`` gets one
    that has none, and the present instant. Raises Altered."""
    row = rows.find(tx.connection, request_id)
    if row is None or row.status != RequestStatus.SENDING:
        return provider_requests.drop(tx, request_id)
    tx.actor = Actor(row.organisation_id, WORKER.name)
    provider_requests.require_request_as_logged(tx, row)
    sending[:] = [(row, tx.now)]
    return False


def call_of(request: Record) -> Call[Any]:
    """The call that a request was; one with a signature isn't whole."""
    operation = WRITES[request.operation]
    said = json.loads(request.call)
    body = None
    if operation.request is not None and request.operation != operations.SUBMIT_CLAIM.name:
        body = operation.request.model_validate(said["request"])
    return Call(operation, tuple(said["ids"]), body, key=request.key, case_id=request.case_id)


def _is_settleable(context: EngineContext, request: Record) -> bool:
    return provider_of(context).honours_keys or request.operation in _FINDERS


def _look(context: EngineContext, request: Record, call: Call[Any]) -> Found:
    """Repeat a request with its key, or look for it in a list. Raises Altered."""
    is_whole = request.operation != operations.SUBMIT_CLAIM.name
    if provider_of(context).honours_keys and is_whole:
        try:
            return Found(requests.ask(context, request.organisation_id, call))
        except logged_rows.Altered:
            raise
        except ServiceError as refusal:
            if is_conclusive(refusal):
                return Found(refusal=refusal)
        except TellerError:
            pass
    find = _FINDERS.get(request.operation)
    with suppress(TellerError):
        return Found() if find is None else find(context, request)
    return Found()


def _look_again(tx: UnitOfWork, request_id: str) -> bool:
    row = provider_requests.locked(tx, request_id)
    due = tx.now + LOOKED_FOR_EVERY
    if row.status == RequestStatus.SENDING:
        provider_requests.wait(tx, row, due)
    tx.audited_account = row.trading_account_id
    tx.audit("provider.looked_for", row.id)
    return True


def make_unknown(
    context: EngineContext, actor: Actor, request_id: str, reason: str, words: str
) -> None:
    """Give a request to a person, with the balances before and after it as evidence; a transfer is
    listed as unknown and holds its amount."""
    with context.database.read() as connection:
        request = rows.find(connection, request_id)
    after: dict[str, str] = {}
    if request is not None and request.before is not None:
        with suppress(TellerError):
            after = requests.balances(context, request.trading_account_id)

    def work(tx: UnitOfWork) -> None:
        account = None
        if request is not None and request.trading_account_id is not None:
            account = kept.account(tx, request.trading_account_id)
        row = provider_requests.locked(tx, request_id)
        if row.status != RequestStatus.SENDING:
            return
        tx.case_id = row.case_id
        told = evidence(words, json.loads(row.before or "{}"), after)
        values = {"after": json.dumps(after, sort_keys=True) if after else None}
        moment = outcome.moment(tx)
        decided = provider_requests.decide_unknown(row, reason, told, moment, GATEWAY, **values)
        if account is not None:
            _list_unknown(tx, row, account)
        outcome.apply(tx, decided)
        jobs.remove(tx.rows, SETTLE, row.id)
        tx.audit(f"{row.operation}.unknown", row.id, {"reason": reason})

    act(context, actor, work)


def evidence(words: str, before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """What is known of a request, in words: what came, and the balances before and after it."""
    told = [words.rstrip(".") + "."]
    for when, balances in (("before", before), ("after", after)):
        listed = ", ".join(f"{amount} {key}" for key, amount in sorted(balances.items()))
        told.append(f"Balances {when}: {listed or 'not known'}.")
    return " ".join(told)


def _list_unknown(tx: UnitOfWork, request: Record, account: Record) -> None:
    """List a deposit or a withdrawal whose outcome isn't known."""
    direction = _DIRECTIONS.get(request.operation)
    if direction is None:
        return
    known = transfer_rows.find_any(tx.connection, request.id, lock=True)
    if known is not None:
        outcome.apply(tx, transfers.moved(known, TransferStatus.UNKNOWN, tx.now))
        return
    order = kept.order(call_of(request).request)
    if order is not None:
        is_withdrawal = direction is Direction.WITHDRAWAL
        made = kept.new_transfer(
            tx,
            direction,
            account,
            order,
            transfer_id=request.id,
            status=TransferStatus.UNKNOWN,
            hold=(order[1],) if is_withdrawal else (),
        )
        outcome.apply(tx, made)


_DIRECTIONS = {
    operations.DEPOSIT.name: Direction.DEPOSIT,
    operations.WITHDRAW.name: Direction.WITHDRAWAL,
}


# -- what lists show ------------------------------------------------------------------------------


def _execution(context: EngineContext, request: Record) -> Found:
    """The only trade of the account with the terms of the quote that isn't another quote's. One
    that is like it may be it all the same: clocks differ, and providers round."""
    with context.database.read() as connection:
        quote = quotes.find(connection, request.organisation_id, _quote_of(request))
        pending = rows.unsettled(connection, request.organisation_id)
        rivals = _alike(connection, request, quote, pending)
        present = now(context, connection)
    if quote is None:
        return Found()
    unknown, is_whole = _unknown_trades(context, request)
    fitting = [trade for trade in unknown if kept.could_be_of(trade, quote)]
    if len(fitting) == 1 and not rivals:
        return Found(_trade(fitting[0]))
    if fitting:
        return Found(are_several=True)
    has_none = is_whole and not any(kept.is_like(trade, quote) for trade in unknown)
    return Found(is_not_done=has_none and present > quote.expires + LATE)


def trade_of(context: EngineContext, request: Record, done: Sequence[Record]) -> Told | None:
    """The trade of an execution that was carried out, as a person says: one of those that can be
    it, if they aren't more than what was carried out; ``done`` are all such executions."""
    with context.database.read() as connection:
        quote = quotes.find(connection, request.organisation_id, _quote_of(request))
        pending = rows.unsettled(connection, request.organisation_id)
        are_open = bool(_alike(connection, request, quote, pending))
        others = _alike(connection, request, quote, done)
    if quote is None or are_open:
        return None
    unknown, _ = _unknown_trades(context, request)
    fitting = [trade for trade in unknown if kept.could_be_of(trade, quote)]
    fitting = fitting or [trade for trade in unknown if kept.is_like(trade, quote)]
    if not 1 <= len(fitting) <= 1 + len(others):
        return None
    return _trade(min(fitting, key=lambda trade: trade.created))


def _trade(found: Trade) -> Told:
    return Told(found, found.to_json(), created=True)


def _unknown_trades(context: EngineContext, request: Record) -> tuple[list[Trade], bool]:
    """The newest trades of the account that the provider lists and that aren't kept here; and
    whether it lists no others."""
    of, query = (str(request.trading_account_id),), ListQuery(limit=MAXIMUM_LIMIT)
    page = provider_of(context).ask(Call(operations.TRADES, of, query=query)).value
    with context.database.read() as connection:
        unknown = [trade for trade in page.data if trades.find_any(connection, trade.id) is None]
    return unknown, len(page.data) >= page.pagination.total


def _alike(
    connection: Session, request: Record, quote: Record | None, others: Iterable[Record]
) -> list[Record]:
    """The other executions in the account whose quotes nothing of a trade tells from the quote."""
    own = (request.operation, request.trading_account_id)
    return [
        each
        for each in others
        if each.id != request.id
        and (each.operation, each.trading_account_id) == own
        and (other := quotes.find(connection, request.organisation_id, _quote_of(each)))
        and quote is not None
        and kept.are_alike(other, quote)
    ]


def _quote_of(request: Record) -> str:
    return call_of(request).ids[0]


def _cancellation(context: EngineContext, request: Record) -> Found:
    """A cancellation is visible on its trade. A second one can't cancel twice, and a trade that
    was filled or failed can't be cancelled any more."""
    told = provider_of(context).ask(Call(operations.SHOW_TRADE, call_of(request).ids))
    if told.value.status == TradeStatus.CANCELLED:
        return Found(told)
    return Found(is_not_done=told.value.status in set(TradeStatus) - {TradeStatus.PROCESSING})


def _link(context: EngineContext, request: Record) -> Found:
    """The wallet as the blockchain account lists it. One that was linked before, to be verified
    again, was listed then, too."""
    call = call_of(request)
    with context.database.read() as connection:
        if call.ids[0] in rows.linked(connection, request.organisation_id, str(request.subject)):
            return Found()
    address = str(getattr(call.request, "address", "")).casefold()

    def page(query: ListQuery) -> Page[Any]:
        asked: Call[Any] = Call(operations.LINKED_COUNTERPARTIES, call.ids, query=query)
        found: Page[Any] = provider_of(context).ask(asked).value
        return found

    for wallet in paging.every(page, ListQuery()):
        if wallet.address.casefold() == address and wallet.type == VERIFIED_FIRST_PARTY:
            return Found(Told(wallet, wallet.to_json()))
    return Found()


_FINDERS: Mapping[str, Callable[[EngineContext, Record], Found]] = {
    operations.EXECUTE_QUOTE.name: _execution,
    operations.CANCEL_TRADE.name: _cancellation,
    operations.LINK_COUNTERPARTY.name: _link,
}
