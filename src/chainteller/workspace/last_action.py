"""The last money action of this console: for whom, how much, and with what outcome."""

from contextlib import suppress

from chainteller.domain.clock import to_datetime
from chainteller.records.formats import currency_name, grouped, money, transferred
from chainteller.service.errors import NotOffered, TellerError
from chainteller.service.interface import Service
from chainteller.service.models.quotes import Quote
from chainteller.service.models.trades import Trade, Transaction
from chainteller.workspace.store import SentRequest, SentState, Workspace

Fact = tuple[str, str]
"""A label and its value."""
NOTHING_SENT = "No deposit, withdrawal or trade has been sent from here."
_ACTIONS = {
    "deposit": "deposit",
    "withdraw": "withdrawal",
    "execute_quote": "execution of a quote",
    "cancel_trade": "cancellation of a trade",
    "cancel_withdrawal": "cancellation of a withdrawal",
}


def last_money_action(workspace: Workspace, service: Service | None) -> list[Fact]:
    """Facts about the newest request that moves money; empty when none was sent.

    The request comes from the desk's own record, its customer and its present status from the
    deployment. What the deployment doesn't tell is left out; without a ``service``, all of it.
    """
    request = workspace.last_sent(_ACTIONS)
    if request is None:
        return []
    record = _record(service, request)
    facts = [
        ("action", _ACTIONS[request.operation]),
        *_account(service, request),
        ("amount", _amount(service, request, record)),
        ("record", _record_id(request)),
        ("sent", f"{to_datetime(request.sent_at):%Y-%m-%d %H:%M:%S} UTC"),
        ("outcome", _outcome(request, record)),
    ]
    return [(label, value) for label, value in facts if value]


def _account(service: Service | None, request: SentRequest) -> list[Fact]:
    account_id = _account_id(request)
    if service is None:
        return [("account", account_id)]
    with suppress(TellerError):
        account = service.trading_account(account_id)
        bank = f"{account_id}, {account.bank_account_type} {account.bank_account_id}"
        return [("customer", account.customer_name or ""), ("account", bank)]
    return [("account", account_id)]


def _account_id(request: SentRequest) -> str:
    asked = request.arguments.get("request") or {}
    return str(asked.get("tradingAccountId") or request.arguments["ids"][0])


def _record_id(request: SentRequest) -> str:
    """The transaction, or what was to become or to be cancelled as one."""
    if request.state is SentState.DONE and request.answer:
        return request.answer
    return "" if request.operation in {"deposit", "withdraw"} else request.arguments["ids"][-1]


def _record(service: Service | None, request: SentRequest) -> Transaction | None:
    identifier = _record_id(request)
    if service is None or not identifier.startswith("TXN"):
        return None
    with suppress(TellerError):
        try:
            return service.transaction_by_id(identifier)
        except NotOffered:
            return service.trade(_account_id(request), identifier)
    return None


def _amount(service: Service | None, request: SentRequest, record: Transaction | None) -> str:
    if isinstance(record, Trade):
        return _traded(record)
    if record is not None:
        return transferred(record)
    if service is not None and request.operation == "execute_quote":
        with suppress(TellerError):
            return _traded(service.quote(request.arguments["ids"][0]))
    asked = request.arguments.get("request") or {}
    currency = asked.get("currency") or {}
    unit = currency_name(*(str(currency.get(each) or "") for each in ("type", "symbol", "id")))
    return money(str(asked["amount"]), unit) if "amount" in asked else ""


def _traded(order: Trade | Quote) -> str:
    market = order.market if isinstance(order, Trade) else order.market_name
    sold, bought = order.asset_sold, order.asset_bought
    if sold is None or bought is None:
        return f"{order.side} {market}"
    paid = f"{grouped(sold.amount)} {sold.symbol}"
    return f"{order.side} {market}, {paid} for {grouped(bought.amount)} {bought.symbol}"


def _outcome(request: SentRequest, record: Transaction | None) -> str:
    match request.state:
        case SentState.DONE:
            return record.status if record is not None else "accepted"
        case SentState.REFUSED:
            return f"refused, {request.answer}"
        case SentState.NOT_SENT:
            return f"not sent, {request.answer}"
        case _:
            return f"unknown, idempotency key {request.key}"
