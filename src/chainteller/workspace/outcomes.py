"""Search for the outcome of a write that was sent and not answered.

For deployments without idempotency keys, where sending the request again could do it twice. A
record counts as the outcome only if it names what was asked for, or if all of the request's terms
and the time fit, and nothing else does.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, TypeVar

from chainteller.domain.clock import SECOND, from_datetime
from chainteller.domain.trades import LAPSED
from chainteller.records.formats import same_amount
from chainteller.service import operations as op
from chainteller.service.errors import NotOffered
from chainteller.service.interface import Service
from chainteller.service.models.base import WireModel
from chainteller.service.models.counterparties import VERIFIED_FIRST_PARTY, Challenge
from chainteller.service.models.funding import Transfer
from chainteller.service.models.pages import MAXIMUM_LIMIT, ListQuery, Page
from chainteller.service.models.quotes import Quote
from chainteller.service.models.trades import Trade
from chainteller.workspace import records
from chainteller.workspace.request_words import asked_of, id_of, words_of
from chainteller.workspace.store import Kind, SentRequest, SentState, Workspace
from chainteller.workspace.terms import has_terms

CLOCKS_APART = 120 * SECOND
"""How far the clocks of this machine and of the deployment may be apart."""
ANSWERED_WITHIN = 60 * SECOND
"""How long after it was sent, or after its quote expired, a request may still take effect."""
_MOST_PAGES = 20
Row = TypeVar("Row")
Moved = TypeVar("Moved", Trade, Transfer)
_CANCELLED = "cancelled"


class Fate(StrEnum):
    """What became of a request. ``UNKNOWN`` can still become any of the others; ``NOT_SHOWN``: this
    deployment has nothing that would show it.
    """

    DONE = "done"
    NOT_DONE = "not done"
    SEVERAL = "several records fit"
    NOT_SHOWN = "not shown by this deployment"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Outcome:
    """``text`` is a sentence for the agent; ``records`` are those that fit."""

    fate: Fate
    text: str
    records: tuple[WireModel, ...] = ()
    replayed: bool = False
    """The deployment had done it before this answer."""


def find_outcome(service: Service, workspace: Workspace, request: SentRequest) -> Outcome:
    """Search a deployment for what became of a request; sends nothing but reads. Raises
    TellerError: a read failed."""
    find = _FINDERS.get(request.operation)
    if find is None:
        return Outcome(Fate.NOT_SHOWN, _NO_LIST)
    try:
        return find(service, workspace, request)
    except NotOffered:
        return Outcome(Fate.NOT_SHOWN, _NOT_LISTED.get(request.operation, _NO_LIST))


# -- what was asked for --------------------------------------------------------------------------


def account_of(workspace: Workspace, request: SentRequest) -> str:
    """Id of the trading account that a request was for; empty when it's for none."""
    first = id_of(request, 0)
    if first.startswith("TDA_"):
        return first
    asked = asked_of(request)
    subject = str(asked.get("subject") or "")
    of_subject = subject if subject.startswith("TDA_") else ""
    named = str(asked.get("tradingAccountId") or of_subject)
    if named or not first.startswith("BCA_"):
        return named
    known = workspace.known_object(first, Kind.BLOCKCHAIN_ACCOUNT)
    return known.parent if known is not None else ""


def describe(workspace: Workspace, request: SentRequest) -> str:
    """A request in words, with its amount, record and account."""
    said, owner = words_of(workspace, request), account_of(workspace, request)
    return f"{said} for {owner}" if owner else said


def moves_nothing(request: SentRequest) -> bool:
    """Whether it can be asked for again without harm, whatever became of it."""
    operation = op.WRITES.get(request.operation)
    return operation is not None and operation.is_harmless


# -- executions ----------------------------------------------------------------------------------


def _find_execution(service: Service, workspace: Workspace, request: SentRequest) -> Outcome:
    quote_id, account_id = id_of(request, 0), account_of(workspace, request)
    if request.state is SentState.DONE and request.answer:
        trade = service.trade(account_id, request.answer)
        return Outcome(Fate.DONE, "It already had an answer.", (trade,))
    try:
        shown = service.quote(quote_id)
    except NotOffered:
        shown = None
    if shown is not None and shown.trade_id:
        trade = service.trade(account_id, shown.trade_id)
        return Outcome(Fate.DONE, "The quote has a trade.", (trade,))
    if shown is not None and shown.status in LAPSED:
        return Outcome(Fate.NOT_DONE, "The quote expired without a trade.")
    quote = shown or records.one(workspace, Quote, quote_id)
    if quote is None:
        return Outcome(Fate.NOT_SHOWN, "The terms of the quote are no longer known here.")
    if shown is not None and shown.status is not None:
        return Outcome(Fate.UNKNOWN, "The quote hasn't been executed so far.")
    return _match_execution(service, workspace, request, quote)


def _match_execution(
    service: Service, workspace: Workspace, request: SentRequest, quote: Quote
) -> Outcome:
    account_id = account_of(workspace, request)
    starts = from_datetime(quote.created)
    trades, is_whole = _since(lambda query: service.trades(account_id, query), starts)
    named = [trade for trade in trades if trade.quote_id == quote.id]
    if named:
        return Outcome(Fate.DONE, "The trade names the quote.", (named[0],))
    known = _answered_trades(workspace)
    fitting = [trade for trade in trades if trade.id not in known and fits(trade, quote)]
    rivals = _unanswered_alike(workspace, request, quote)
    if len(fitting) == 1 and not rivals:
        text = "One trade has this amount, side, market, price and time."
        return Outcome(Fate.DONE, text, (fitting[0],))
    if fitting:
        names = " and ".join(trade.id for trade in fitting)
        also = f", and {', '.join(rivals)} went unanswered too" if rivals else ""
        text = f"More than one execution fits these terms: {names}{also}. Ask the deployment."
        return Outcome(Fate.SEVERAL, text, tuple(fitting))
    if is_whole and workspace.now() > from_datetime(quote.expires) + ANSWERED_WITHIN:
        return Outcome(Fate.NOT_DONE, "The quote has expired and no trade has its terms.")
    return Outcome(Fate.UNKNOWN, "No trade has these terms so far. The quote can still execute.")


def fits(trade: Trade, quote: Quote) -> bool:
    """Whether a trade that doesn't name its quote has all terms of ``quote``, and was created while
    it was live.
    """
    at, late = from_datetime(trade.created), from_datetime(quote.expires) + ANSWERED_WITHIN
    is_in_time = from_datetime(quote.created) <= at <= late
    return trade.quote_id is None and is_in_time and has_terms(trade, quote)


def _answered_trades(workspace: Workspace) -> set[str]:
    """Ids of trades that are the answers of other executions sent from here."""
    return {
        row.answer
        for row in workspace.sent_requests(limit=1000)
        if row.operation == op.EXECUTE_QUOTE.name and row.state is SentState.DONE and row.answer
    }


def _unanswered_alike(workspace: Workspace, request: SentRequest, quote: Quote) -> list[str]:
    """Ids of other quotes with these terms, executed for the same account without an answer."""
    account_id, found = account_of(workspace, request), []
    for row in workspace.in_doubt():
        if row.key == request.key or row.operation != op.EXECUTE_QUOTE.name:
            continue
        other = records.one(workspace, Quote, id_of(row, 0))
        is_alike = other is not None and other.id != quote.id and _terms(other) == _terms(quote)
        if is_alike and account_of(workspace, row) == account_id:
            found.append(id_of(row, 0))
    return found


def _terms(quote: Quote) -> tuple[object, ...]:
    amounts = (Decimal(quote.asset_bought.amount), Decimal(quote.asset_sold.amount))
    return (quote.market_name, quote.side, Decimal(quote.price), *amounts)


# -- deposits and withdrawals --------------------------------------------------------------------


def _find_transfer(service: Service, workspace: Workspace, request: SentRequest) -> Outcome:
    """Match by amount, currency, destination and time; identical requests can't be told apart."""
    is_deposit = request.operation == op.DEPOSIT.name
    listed = service.deposits if is_deposit else service.withdrawals
    account_id, asked = id_of(request, 0), asked_of(request)
    starts = request.sent_at - CLOCKS_APART
    ends = request.sent_at + CLOCKS_APART + ANSWERED_WITHIN
    known = {row.answer for row in workspace.sent_requests(limit=1000) if row.key != request.key}
    transfers, is_whole = _since(lambda query: listed(account_id, query), starts)
    fitting = [
        transfer
        for transfer in transfers
        if transfer.id not in known
        and same_amount(transfer.amount, str(asked.get("amount")))
        and _is_same_money(transfer, asked)
        and (transfer.created is None or from_datetime(transfer.created) <= ends)
    ]
    rivals = [
        row
        for row in workspace.in_doubt()
        if row.key != request.key
        and (row.operation, row.arguments) == (request.operation, request.arguments)
    ]
    if len(fitting) == 1 and not rivals:
        text = "One record has this amount, currency, destination and time."
        return Outcome(Fate.DONE, text, (fitting[0],))
    if fitting:
        names = " and ".join(transfer.id for transfer in fitting)
        text = f"More than one request or record fits: {names}. Ask the deployment which is which."
        return Outcome(Fate.SEVERAL, text, tuple(fitting))
    if is_whole and workspace.now() > ends:
        return Outcome(Fate.NOT_DONE, "No record has this amount, currency and time.")
    return Outcome(Fate.UNKNOWN, "No record has this amount, currency and time so far.")


def _is_same_money(transfer: Transfer, asked: Mapping[str, Any]) -> bool:
    currency = asked.get("currency") or {}
    wanted = {name: currency[name] for name in ("id", "symbol", "network") if currency.get(name)}
    if any(getattr(transfer.currency, name) not in {None, value} for name, value in wanted.items()):
        return False
    wallet = (asked.get("destination") or {}).get("counterpartyId")
    to = transfer.destination.counterparty_id if transfer.destination is not None else None
    return wallet == to


# -- cancellations, accounts and wallets ---------------------------------------------------------


def _find_cancellation(service: Service, workspace: Workspace, request: SentRequest) -> Outcome:
    """A cancellation is visible on its record; asking for it again can't cancel twice."""
    is_trade = request.operation == op.CANCEL_TRADE.name
    show: Callable[[str, str], Trade | Transfer]
    show = service.trade if is_trade else service.withdrawal_record
    record = show(id_of(request, 0), id_of(request, 1))
    if record.status == _CANCELLED:
        return Outcome(Fate.DONE, "The record is cancelled.", (record,))
    text = (
        f"It isn't cancelled; its status is {record.status}. A second request can't cancel twice."
    )
    return _not_so_far(workspace, request, text)


def _find_account(service: Service, workspace: Workspace, request: SentRequest) -> Outcome:
    wanted = str(asked_of(request).get("bankAccountId"))
    found = service.trading_accounts(ListQuery(bank_account_id=wanted)).data
    for account in found:
        if account.bank_account_id == wanted:
            return Outcome(Fate.DONE, "The bank account has this trading account.", (account,))
    return _not_so_far(workspace, request, "The bank account has no trading account.")


def _find_registration(service: Service, workspace: Workspace, request: SentRequest) -> Outcome:
    asked = asked_of(request)
    address, network = asked.get("address"), asked.get("network")
    for wallet in service.counterparties(ListQuery(text=str(address))).data:
        if wallet.address == address and wallet.network in {None, network}:
            return Outcome(Fate.DONE, "The wallet is registered.", (wallet,))
    return _not_so_far(workspace, request, "The wallet isn't registered.")


def _find_link(service: Service, workspace: Workspace, request: SentRequest) -> Outcome:
    address = asked_of(request).get("address")
    wallets, _ = _all(lambda query: service.linked_counterparties(id_of(request, 0), query))
    for wallet in wallets:
        if wallet.address == address and wallet.type == VERIFIED_FIRST_PARTY:
            return Outcome(Fate.DONE, "The wallet is linked and verified.", (wallet,))
    return _not_so_far(workspace, request, "The wallet isn't linked and verified.")


def _find_claim(service: Service, workspace: Workspace, request: SentRequest) -> Outcome:
    challenge = service.challenge_by_id(str(asked_of(request).get("challengeId")))
    if challenge.status == "used":
        return Outcome(Fate.DONE, "The signature was accepted.", (challenge,))
    text = "The signature wasn't accepted. Submit it again: a challenge can be used only once."
    return _not_so_far(workspace, request, text)


def _find_reverification(service: Service, workspace: Workspace, request: SentRequest) -> Outcome:
    wallet = service.counterparty(id_of(request, 1))
    if wallet.type == VERIFIED_FIRST_PARTY:
        return _not_so_far(workspace, request, "The wallet is still verified.")
    return Outcome(Fate.DONE, "The wallet isn't verified any more.", (wallet,))


def _find_harmless(_service: Service, workspace: Workspace, request: SentRequest) -> Outcome:
    """What moves nothing: the first answer, if there was one; else it may be asked for again."""
    is_quote, answer = request.operation == op.CREATE_QUOTE.name, request.answer or ""
    kept: WireModel | None
    if is_quote:
        kept = records.one(workspace, Quote, answer)
    else:
        kept = records.one(workspace, Challenge, answer)
    if kept is not None:
        return Outcome(Fate.DONE, "It already had an answer.", (kept,))
    what = "A quote" if is_quote else "A message to sign"
    return Outcome(Fate.NOT_DONE, f"{what} moves no money: get a new one.")


_NO_LIST = "This deployment has no list to find it in. Ask the deployment before you retry."
_NOT_LISTED = {
    op.DEPOSIT.name: "This deployment lists no deposits. Compare the balance before you retry.",
    op.WITHDRAW.name: "This deployment lists no withdrawals. Compare the balance before you retry.",
    op.SUBMIT_CLAIM.name: "This deployment doesn't show challenges. Submitting the signature again "
    "is safe: a challenge can be used only once.",
}
_FINDERS: Mapping[str, Callable[[Service, Workspace, SentRequest], Outcome]] = {
    op.EXECUTE_QUOTE.name: _find_execution,
    op.DEPOSIT.name: _find_transfer,
    op.WITHDRAW.name: _find_transfer,
    op.CANCEL_TRADE.name: _find_cancellation,
    op.CANCEL_WITHDRAWAL.name: _find_cancellation,
    op.OPEN_TRADING_ACCOUNT.name: _find_account,
    op.REGISTER_COUNTERPARTY.name: _find_registration,
    op.LINK_COUNTERPARTY.name: _find_link,
    op.SUBMIT_CLAIM.name: _find_claim,
    op.REQUIRE_REVERIFICATION.name: _find_reverification,
    op.CREATE_QUOTE.name: _find_harmless,
    op.CREATE_CHALLENGE.name: _find_harmless,
}


def _not_so_far(workspace: Workspace, request: SentRequest, text: str) -> Outcome:
    """``text`` says what the record shows; a request that was just sent may still be under way."""
    is_late = workspace.now() > request.sent_at + ANSWERED_WITHIN
    return Outcome(Fate.NOT_DONE if is_late else Fate.UNKNOWN, text)


def _all(listed: Callable[[ListQuery], Page[Row]]) -> tuple[list[Row], bool]:
    """The records of a list, and whether these are all."""
    rows: list[Row] = []
    for page in range(1, _MOST_PAGES + 1):
        found = listed(ListQuery(page=page, limit=MAXIMUM_LIMIT))
        rows += found.data
        if not found.data or len(rows) >= found.pagination.total:
            return rows, True
    return rows, False


def _since(listed: Callable[[ListQuery], Page[Moved]], starts: int) -> tuple[list[Moved], bool]:
    """Records created at ``starts`` or later; in any order, as not every deployment sorts."""
    rows, is_whole = _all(listed)
    return [row for row in rows if _is_since(row, starts)], is_whole


def _is_since(row: Trade | Transfer, starts: int) -> bool:
    return row.created is None or from_datetime(row.created) >= starts
