"""The calls of a gateway: which go to its provider, and what is kept of their answers.

What isn't named here is answered by the engine from its own records. ``CAPABILITIES`` says what
both can do together, and nothing more: any other call isn't found.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from chainteller.domain.actors import DEFAULT_ORGANISATION, Actor
from chainteller.domain.assets import USD
from chainteller.domain.clock import format_instant
from chainteller.domain.decisions import NEVER
from chainteller.domain.ledger import buying_power
from chainteller.domain.money import format_atoms, format_cents
from chainteller.domain.preconditions import Act, act_of
from chainteller.domain.quoting import Side
from chainteller.domain.transfers import HOLDING, Direction, TransferStatus
from chainteller.engine.core import outcome, preconditions, reading
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.forwarding import challenges, kept, renewing, requests, reviews, sending
from chainteller.engine.forwarding.requests import Plan, provider_of
from chainteller.engine.operations import accounts, transfers
from chainteller.engine.operations import records as deployment_records
from chainteller.service import operations
from chainteller.service.errors import (
    Forbidden,
    InsufficientFunds,
    MarketUnavailable,
    NotFound,
    NotOffered,
    TellerError,
)
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.base import WireModel, Written
from chainteller.service.models.funding import Transfer
from chainteller.service.models.pages import ListQuery, MarketsQuery, Page
from chainteller.service.models.records import Capabilities
from chainteller.service.operations import Call, Operation, Write
from chainteller.service.told import Told, passed, plain
from chainteller.storage.db.query import Record
from chainteller.storage.queries import accounts as account_rows
from chainteller.storage.queries import markets as market_rows
from chainteller.storage.queries import provider_requests as rows
from chainteller.storage.queries import quotes, trades
from chainteller.storage.queries import transfers as transfer_rows
from chainteller.storage.queries import wallets as wallet_rows

op = operations
Answer = Callable[[EngineContext, Actor, Call[Any]], Any]


# -- reads ----------------------------------------------------------------------------------------


def _passed_on(context: EngineContext, _actor: Actor, call: Call[Any]) -> Any:
    return _as_told(provider_of(context).ask(call))


def _as_told(told: Told) -> Any:
    return told.value if isinstance(told.value, Page) else passed(told.value, told.body)


def _balances(context: EngineContext, actor: Actor, call: Call[Any]) -> Any:
    """The provider's balances, without what waits here."""
    page = _passed_on(context, actor, call)
    with context.database.read() as connection:
        held = rows.held(connection, call.ids[0])
    if not held:
        return page
    left = []
    for each in page.data:
        asset = rows.asset_of(each.token.symbol, each.token.network)
        on_hold = 0 if asset is None else held.get(asset, 0)
        if asset is not None and on_hold:
            has = kept.known_balances({asset.key: each.amount})[asset]
            each = plain(each).model_copy(  # noqa: PLW2901 - the same balance, with less
                update={
                    "amount": format_atoms(max(0, has - on_hold), asset),
                    "held": format_atoms(min(has, on_hold), asset),
                }
            )
        left.append(each)
    return page.model_copy(update={"data": tuple(left)})


def _trade(context: EngineContext, actor: Actor, call: Call[Any]) -> Any:
    told = provider_of(context).ask(call)
    renewing.renew(context, actor, call.ids[0], [(told.value, told.body)])
    return _as_told(told)


def _trades(context: EngineContext, actor: Actor, call: Call[Any]) -> Any:
    page = provider_of(context).ask(call).value
    found = ((each, each.to_json()) for each in page.data)
    renewing.renew(context, actor, call.ids[0], found)
    return page


def _linked(context: EngineContext, actor: Actor, call: Call[Any]) -> Any:
    """The provider's list, with the networks of wallets that are known here."""
    page = _passed_on(context, actor, call)
    ids = [each.id for each in page.data]
    with context.database.read() as connection:
        networks = wallet_rows.networks_of(connection, actor.organisation, ids)
    data = tuple(
        each.model_copy(update={"network": networks[each.id]}) if each.id in networks else each
        for each in page.data
    )
    return page.model_copy(update={"data": data})


def _accounts(context: EngineContext, actor: Actor, call: Call[Any]) -> Page[TradingAccount]:
    query = call.query if isinstance(call.query, ListQuery) else ListQuery()
    checked = reading.checked_query(query, operations.ACTIVITY_SORTS)
    with context.database.read() as connection:
        found, total = account_rows.page(connection, actor.organisation, checked)
    return reading.page(tuple(map(kept.account_model, found)), total, checked)


def _account(context: EngineContext, actor: Actor, call: Call[Any]) -> TradingAccount:
    with context.database.read() as connection:
        return kept.account_model(accounts.find(connection, actor.organisation, call.ids[0]))


def _capabilities(context: EngineContext, actor: Actor, _call: Call[Any]) -> Capabilities:
    """What the provider can do and the gateway adds. Without an answer of the provider its markets
    and networks are left out: what the gateway does alone works all the same."""
    own = deployment_records.capabilities(context, actor)
    asked: Call[Any] = Call(op.MARKETS, query=MarketsQuery())
    try:
        listed = provider_of(context).ask(asked, briefly=True).value.data
    except TellerError:
        listed = ()
    return own.model_copy(
        update={
            "features": FEATURES,
            "signing_page_messages": None if own.signing_pages is None else 1,
            "markets": tuple(each.market_name for each in listed),
            "networks": tuple(dict.fromkeys(each.network for each in listed)),
        }
    )


# -- writes that move nothing ---------------------------------------------------------------------


def _keep_quote(tx: UnitOfWork, call: Call[Any], told: Told, _row: Record | None) -> WireModel:
    account_id = getattr(call.request, "trading_account_id", None)
    kept.add_quote(tx, told.value, told.body, account_id)
    return told.value  # type: ignore[no-any-return]  # a quote


def _quote(context: EngineContext, actor: Actor, call: Call[Any]) -> Written[Any]:
    with context.database.read() as connection:
        control = market_rows.control(connection, call.ids[0])
    try:
        _require_open(control, call.ids[0])
    except MarketUnavailable as closed:
        return requests.refused(context, actor, call, closed)
    return sending.send_at_once(context, actor, call, _keep_quote)


def _require_open(control: Record | None, market: str) -> None:
    """Raises MarketUnavailable: somebody has closed the market here."""
    if control is not None:
        until = NEVER if control.until is None else control.until
        raise MarketUnavailable(market, control.reason, format_instant(until))


def _keep_wallet(tx: UnitOfWork, call: Call[Any], told: Told, _row: Record | None) -> WireModel:
    kept.add_wallet(tx, told.value, str(getattr(call.request, "network", "")))
    return told.value  # type: ignore[no-any-return]  # a counterparty


# -- writes that are sent once --------------------------------------------------------------------


def _keep_account(tx: UnitOfWork, _call: Call[Any], told: Told, _row: Record | None) -> WireModel:
    known = account_rows.find(tx.connection, tx.organisation_id, told.value.id, lock=True)
    if known is None:
        kept.add_account(tx, told.value)
    elif known.bank_account_id not in ("", told.value.bank_account_id):
        raise kept.of_another("trading account")
    tx.audited_account = told.value.id
    return told.value  # type: ignore[no-any-return]  # a trading account


def _keep_transfer(
    direction: Direction, tx: UnitOfWork, call: Call[Any], told: Told, row: Record | None
) -> WireModel:
    """A transfer with the provider's id, or with one of the gateway where there is a record of it
    already, or where the provider names none."""
    found: Transfer = told.value
    if row is None:
        raise AssertionError("a transfer is sent with a record of it")
    provider_id, status = found.id or None, found.status
    if provider_id is not None and transfer_rows.is_told(tx.connection, call.ids[0], provider_id):
        raise kept.of_another(direction.value)
    if direction is Direction.WITHDRAWAL and status in HOLDING:
        status = TransferStatus.SENT  # what is held here hasn't left yet
    known = transfer_rows.find_any(tx.connection, row.id, lock=True)
    if known is not None:
        values: dict[str, object] = {
            "told": told.body,
            "provider_id": provider_id,
            **dict.fromkeys(("failure_code", "failure_message")),  # of an earlier attempt
        }
        if status == TransferStatus.COMPLETED:
            values["completed_at"] = tx.now
        decided = transfers.moved(known, status, tx.now, **values)
        outcome.apply(tx, decided)
        return transfer_rows.to_model(decided.record(kept.TRANSFER, known))
    order = kept.order(call.request)
    if order is None:
        return found
    account = accounts.locked(tx, call.ids[0])
    made = kept.new_transfer(
        tx,
        direction,
        account,
        order,
        transfer_id=found.id or row.id,
        status=status,
        told=told.body,
        provider_id=provider_id,
    )
    outcome.apply(tx, made)
    return transfer_rows.to_model(made.record(kept.TRANSFER))


def _check_funds(
    tx: UnitOfWork, call: Call[Any], account: Record | None, before: dict[str, str]
) -> None:
    """What is bought isn't paid with what waits here. Raises ServiceError."""
    quote = quotes.find(tx.connection, tx.organisation_id, call.ids[0])
    if quote is None or account is None:
        return
    act = act_of(quote.side)
    preconditions.require_uncontrolled(account.control, account.control_reason, act)
    _require_open(market_rows.control(tx.connection, quote.market), quote.market)
    if quote.side != Side.BUY or not rows.held(tx.connection, account.id):
        return
    usable = reviews.free(tx, account.id, before)
    if buying_power(usable) < quote.sold:
        available, needed = format_cents(buying_power(usable)), format_cents(quote.sold)
        raise InsufficientFunds(available, needed, USD.symbol)


def _keep_cancellation(
    tx: UnitOfWork, _call: Call[Any], told: Told, _row: Record | None
) -> WireModel:
    row = trades.find_any(tx.connection, told.value.id, lock=True)
    if row is not None and row.status != told.value.status:
        kept.update_trade(tx, row, told.value, told.value.to_json())
    return told.value  # type: ignore[no-any-return]  # a trade


def _keep_link(tx: UnitOfWork, call: Call[Any], told: Told, _row: Record | None) -> WireModel:
    claim_id = getattr(call.request, "ownership_claim_id", "")
    about = {"blockchainAccountId": call.ids[0], "claimId": claim_id}
    tx.event("counterparty.linked", told.value.id, **about)
    return told.value  # type: ignore[no-any-return]  # a counterparty


PLANS: Mapping[str, Plan] = {
    op.OPEN_TRADING_ACCOUNT.name: Plan(_keep_account),
    op.DEPOSIT.name: Plan(partial(_keep_transfer, Direction.DEPOSIT), Act.DEPOSIT, evidenced=True),
    op.WITHDRAW.name: Plan(
        partial(_keep_transfer, Direction.WITHDRAWAL),
        Act.WITHDRAW,
        evidenced=True,
        prepare=reviews.require_free,
    ),
    op.EXECUTE_QUOTE.name: Plan(renewing.keep_trade, prepare=_check_funds),
    op.CANCEL_TRADE.name: Plan(_keep_cancellation),
    op.SUBMIT_CLAIM.name: Plan(challenges.keep_claim),
    op.LINK_COUNTERPARTY.name: Plan(_keep_link, prepare=reviews.require_links),
}
"""How each write is forwarded that moves something, by its name."""


def _sent(context: EngineContext, actor: Actor, call: Call[Any]) -> Written[Any]:
    return sending.send(context, actor, call, PLANS[call.operation.name])


_FORWARDED: Mapping[Operation[Any], Answer] = {
    op.OPEN_TRADING_ACCOUNT: _sent,
    op.TRADING_ACCOUNTS: _accounts,
    op.SHOW_TRADING_ACCOUNT: _account,
    op.TOKEN_BALANCES: _balances,
    op.DEPOSIT: _sent,
    op.WITHDRAW: lambda context, actor, call: reviews.withdraw(
        context, actor, call, PLANS[call.operation.name]
    ),
    op.MARKETS: _passed_on,
    op.SHOW_MARKET: _passed_on,
    op.CREATE_QUOTE: _quote,
    op.EXECUTE_QUOTE: _sent,
    op.TRADES: _trades,
    op.SHOW_TRADE: _trade,
    op.CANCEL_TRADE: _sent,
    op.REGISTER_COUNTERPARTY: partial(sending.send_at_once, keep=_keep_wallet),
    op.CREATE_CHALLENGE: challenges.create,
    op.CHALLENGES: challenges.page,
    op.CHALLENGE_BY_ID: challenges.show,
    op.DIAGNOSE_SIGNATURE: challenges.explain,
    op.CLAIM_BY_ID: challenges.show_claim,
    op.SUBMIT_CLAIM: _sent,
    op.LINK_COUNTERPARTY: lambda context, actor, call: reviews.link(
        context, actor, call, PLANS[call.operation.name]
    ),
    op.LINKED_COUNTERPARTIES: _linked,
    op.CAPABILITIES: _capabilities,
}
_OWN = frozenset(
    {
        op.FIND, op.DEPOSITS, op.DEPOSIT_RECORD, op.WITHDRAWALS, op.WITHDRAWAL_RECORD,
        op.CANCEL_WITHDRAWAL, op.ALL_TRANSFERS, op.TRANSACTIONS, op.SHOW_TRANSACTION,
        op.TRANSACTION_BY_ID, op.QUOTES, op.SHOW_QUOTE, op.ALL_TRADES, op.COUNTERPARTIES,
        op.SHOW_COUNTERPARTY, op.DECISIONS, op.DECISION, op.OPEN_DECISION, op.TAKE_DECISION,
        op.APPROVE_DECISION, op.REFUSE_DECISION, op.NOTE_DECISION, op.AGENTS, op.ENROL_AGENT,
        op.APPROVE_AGENT, op.REVOKE_AGENT, op.EVENTS, op.AUDIT, op.AUDIT_CHECKPOINT,
        op.AUDIT_CONSISTENCY, op.AUDIT_PROOF, op.DISPUTES, op.CLEAR_DISPUTE, op.NOTES, op.ADD_NOTE,
        op.ERASE_NOTE, op.WEBHOOKS, op.WEBHOOK, op.CREATE_WEBHOOK, op.DELETE_WEBHOOK,
        op.PAUSE_WEBHOOK, op.RESUME_WEBHOOK, op.ROTATE_WEBHOOK, op.REPLAY_WEBHOOK, op.TEST_WEBHOOK,
    }
)  # fmt: skip
"""Calls that the engine answers from the gateway's own records."""


def is_offered(operation: Operation[Any]) -> bool:
    return operation in _FORWARDED or operation in _OWN


FEATURES: tuple[str, ...] = (
    op.IDEMPOTENCY,
    *dict.fromkeys(
        feature for each in op.OPERATIONS if is_offered(each) for feature in op.features_of(each)
    ),
)
"""What a gateway offers beyond the specification."""


def is_forwarded(operation: Operation[Any]) -> bool:
    return operation not in _OWN


def answer(context: EngineContext, actor: Actor, call: Call[Any]) -> Any:
    """Answer a call that isn't answered by the engine alone. Every write gets a key, under which it
    is answered once.

    Raises:
        NotFound: neither the provider nor the gateway offers it, or it names what can't be an id.
        Forbidden: the provider's accounts are those of one organisation.
    """
    found = _FORWARDED.get(call.operation)
    if found is None:
        feature = call.operation.feature or call.operation.name
        refusal = NotFound("path", "", f"A gateway doesn't offer {feature}.")
        refusal.details["suggestion"] = NotOffered.next_step
        raise refusal
    if not all(map(str.isprintable, call.ids)):
        raise NotFound("path", "")
    if actor.organisation != DEFAULT_ORGANISATION:
        raise Forbidden(DEFAULT_ORGANISATION, actor.key_id)
    if isinstance(call.operation, Write):
        call = requests.keyed(context, actor, call)
        if requests.is_known(context, actor, call):
            return requests.replayed(context, actor, call)
    return found(context, actor, call)
