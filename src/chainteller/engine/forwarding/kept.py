"""Records of what a provider answered: accounts, quotes, trades, transfers and wallets.

Each keeps what was answered (``told``), which counts; the columns repeat it, so that lists, filters
and the search work as for a bank's own records. What they can't hold exactly isn't listed: a market
or a currency that this version doesn't know, an amount with more decimals than the asset has. An
answer that nothing here could be named or found by is as good as none (``ReplyUnusable``).
"""

import re
from collections.abc import Mapping
from decimal import Context, Decimal

from chainteller.domain.assets import ASSETS_BY_KEY, MARKETS_BY_NAME, USD, Asset
from chainteller.domain.clock import LAST_INSTANT, from_datetime
from chainteller.domain.ids import Prefix, plausible
from chainteller.domain.limits import DestinationClass
from chainteller.domain.money import MAX_ATOMS, Amount, atoms_of_cents, ceil_div
from chainteller.domain.provider_requests import LATE
from chainteller.domain.quoting import Side
from chainteller.domain.trades import QuoteStatus
from chainteller.domain.transfers import Direction, TransferStatus
from chainteller.engine.core import outcome, reading
from chainteller.engine.core.outcome import Event, Insert, Outcome, Row, Update, next_version
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import accounts, currencies, transfers
from chainteller.engine.operations.currencies import Resolved
from chainteller.service.errors import ReplyUnusable, ServiceError
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.base import WireModel
from chainteller.service.models.counterparties import Counterparty
from chainteller.service.models.funding import (
    Currency,
    DepositRequest,
    Transfer,
    WithdrawalRequest,
)
from chainteller.service.models.quotes import AssetAmount, Quote
from chainteller.service.models.trades import Trade
from chainteller.storage.db.query import Record
from chainteller.storage.db.records import Tables
from chainteller.storage.queries import accounts as account_rows
from chainteller.storage.queries import trades as trade_rows
from chainteller.storage.queries.quotes import to_model as quote_model
from chainteller.wallets.addresses import InvalidAddress, parse_address
from chainteller.wallets.networks import UnknownNetwork, resolve_network

TRANSFER = Tables.transfer
UNSAID = "{}"
"""What a provider hasn't said anything about yet."""


_EXACT = Context(prec=100)
"""More digits than any amount has: the usual context would round those beyond 28."""
_LARGEST = 2**63 - 1
_LARGEST_BPS = 2**31 - 1
_WORD = re.compile(r"[ -~]{1,64}", re.ASCII)


def has_form(record: WireModel) -> bool:
    """Whether a provider's record can be named and found here: by its id, its status and type."""
    identifier = getattr(record, "id", None)
    has_none = identifier is None or (not identifier and isinstance(record, Transfer))
    words = (getattr(record, name, None) for name in ("status", "bank_account_type"))
    is_named = has_none or plausible(str(identifier))
    return is_named and all(_WORD.fullmatch(word) for word in words if word is not None)


def of_another(record: str) -> ReplyUnusable:
    """The error for an answer with the id of a record that was made for something else."""
    return ReplyUnusable(f"The answer names a {record} that was made for another request.")


def atoms(text: str, asset: Asset) -> int | None:
    """The atoms of an amount; None where it has more decimals than the asset."""
    scaled = _scaled(text, asset.decimals)
    found = int(scaled)
    return found if found == scaled and 0 <= found <= MAX_ATOMS else None


def _scaled(text: str, decimals: int) -> Decimal:
    return _EXACT.scaleb(Decimal(text), decimals)


def _cents(text: str, scale: int = 2) -> int:
    return _counted(int(_scaled(text, scale).to_integral_value(context=_EXACT)))


def _counted(number: int, largest: int = _LARGEST) -> int:
    """Raises ReplyUnusable: no price, fee or time can be as large."""
    if abs(number) > largest:
        raise ReplyUnusable("The answer has a number that is too large.")
    return number


# Accounts


def find_account(tx: UnitOfWork, account_id: str | None) -> Record | None:
    """The row of a provider's account, locked, if it's known here."""
    if account_id is None:
        return None
    reading.checked_id(accounts.RESOURCE, account_id)
    return account_rows.find(tx.connection, tx.organisation_id, account_id, lock=True)


def account(tx: UnitOfWork, account_id: str) -> Record:
    """As ``find_account``. One that wasn't opened through here is added when the provider has done
    something for it, without what the provider doesn't tell."""
    if find_account(tx, account_id) is None:
        add_account(tx, TradingAccount(id=account_id, bank_account_id="", bank_account_type=""))
    return accounts.locked(tx, account_id)


def add_account(tx: UnitOfWork, opened: TradingAccount) -> None:
    """Keep an account that the provider opened. Its customer is whoever has the bank account here,
    or a new one without a name."""
    known = account_rows.find_bank_account(
        tx.connection, tx.organisation_id, opened.bank_account_id, lock=True
    )
    rows: list[Insert | Update] = []
    if known is None:
        customer = {
            "id": tx.new_id(Prefix.CUSTOMER),
            "organisation_id": tx.organisation_id,
            "name": "",
            "search_name": "",
            "reference": opened.bank_account_id or opened.id,
            "kyc_level": "",
        }
        rows.append(Insert(Tables.customer, (customer,)))
        customer_id = str(customer["id"])
    else:
        customer_id = known.customer_id
        key = {"organisation_id": tx.organisation_id, "id": known.id}
        rows.append(
            Update(Tables.bank_account, key, {"trading_account_id": opened.id}, before=known)
        )
    row = {
        "id": opened.id,
        "organisation_id": tx.organisation_id,
        "bank_account_id": opened.bank_account_id,
        "bank_account_type": opened.bank_account_type,
        "customer_id": customer_id,
        "created": tx.now,
        "version": 0,
        **dict.fromkeys(account_rows.COUNTERS, 0),
        "last_activity": tx.now,
        "last_activity_type": "opened",
    }
    rows.append(Insert(Tables.trading_account, (row,)))
    told = {"bankAccountId": opened.bank_account_id}
    event = Event("trading_account.created", opened.id, told)
    outcome.apply(tx, Outcome(opened.id, rows=tuple(rows), events=(event,)))
    tx.audited_account = opened.id


def account_model(row: Record) -> TradingAccount:
    """What is known of an account here; its balances are the provider's."""
    return TradingAccount(
        id=row.id,
        bank_account_id=row.bank_account_id,
        bank_account_type=row.bank_account_type,
        controls=tuple(dict.fromkeys(each for each in (row.control, row.customer_control) if each)),
        customer_id=row.customer_id,
        customer_name=row.customer_name or None,
        created=row.created,
        last_activity=row.last_activity,
        last_activity_type=row.last_activity_type,
    )


# Quotes and trades


def add_quote(tx: UnitOfWork, quote: Quote, body: str, account_id: str | None) -> None:
    """Keep a quote. Its life is counted by our clock, whatever the provider's says."""
    row = _quote_row(tx, quote, body, account_id)
    if row is None:
        return
    told = {"market": quote.market_name, "side": quote.side, "tradingAccountId": account_id}
    event = Event("quote.created", quote.id, told)
    outcome.apply_if_new(
        tx, Outcome(quote.id, rows=(Insert(Tables.quote, (row,)),), events=(event,))
    )


def _quote_row(tx: UnitOfWork, quote: Quote, body: str, account_id: str | None) -> Row | None:
    market = MARKETS_BY_NAME.get(quote.market_name)
    if market is None or quote.side not in set(Side):
        return None
    buys = quote.side == Side.BUY
    sold = _of(quote.asset_sold, USD if buys else market.base)
    bought = _of(quote.asset_bought, market.base if buys else USD)
    if sold is None or bought is None:
        return None
    fee = _cents(quote.fees.total or "0")
    window = max(0, from_datetime(quote.expires) - from_datetime(quote.created))
    expires = tx.now + _counted(window, LAST_INSTANT - tx.now)
    return {
        "id": quote.id,
        "organisation_id": tx.organisation_id,
        "trading_account_id": account_id,
        "market": market.name,
        "side": quote.side,
        "status": QuoteStatus.OPEN.value,
        "price_cents": _cents(quote.price),
        "sold": sold,
        "bought": bought,
        "fee_cents": fee,
        "usd_leg_cents": _counted(sold if buys else bought + fee),
        "fee_flat_cents": _cents(quote.fees.flat),
        "fee_bps": _counted(quote.fees.bps, _LARGEST_BPS),
        "mid_micros": _cents(quote.price, 6),
        "half_spread_bps": 0,
        "hold_premium_bps": 0,
        "window": window,
        "created": tx.now,
        "expires": expires,
        "told": body,
    }


def _of(amount: AssetAmount, asset: Asset) -> int | None:
    return atoms(amount.amount, asset) if amount.symbol.upper() == asset.symbol else None


def has_terms(trade: Trade, quote: Record) -> bool:
    """Whether a trade has the market, side, price and amount of a quote that is kept here."""
    base = MARKETS_BY_NAME[quote.market].base
    wanted = quote.bought if quote.side == Side.BUY else quote.sold
    price = Decimal(quote_model(quote, 0).price)
    is_same = (trade.market, trade.side) == (quote.market, quote.side)
    return is_same and atoms(trade.amount, base) == wanted and Decimal(trade.price) == price


def could_be_of(trade: Trade, quote: Record) -> bool:
    """Whether a trade has a quote's terms, and was created in its life, by the provider's clock."""
    told = quote_model(quote, 0)
    return has_terms(trade, quote) and told.created <= trade.created


def is_like(trade: Trade, quote: Record) -> bool:
    """Whether a trade has the market and side of a quote, and isn't clearly older."""
    is_same = (trade.market, trade.side) == (quote.market, quote.side)
    told = from_datetime(quote_model(quote, 0).created)
    return is_same and from_datetime(trade.created) + LATE >= told


def are_alike(one: Record, other: Record) -> bool:
    """Whether nothing of a trade would say which of two quotes it was."""
    names = ("market", "side", "price_cents", "sold", "bought")
    return all(getattr(one, name) == getattr(other, name) for name in names)


def add_trade(tx: UnitOfWork, of: Record, quote: Record, trade: Trade, body: str) -> None:
    """Keep the trade that a quote of ours became."""
    activity = accounts.activity(
        of, f"trade.{trade.side}", tx.now, "trade_count", "transaction_count"
    )
    base = MARKETS_BY_NAME[quote.market].base
    row = {
        "id": trade.id,
        "organisation_id": tx.organisation_id,
        "trading_account_id": of.id,
        "ordinal": activity.values["trade_count"],
        "transaction_ordinal": activity.values["transaction_count"],
        "quote_id": quote.id,
        "market": quote.market,
        "side": quote.side,
        "status": trade.status,
        "price_cents": _cents(trade.price),
        "amount": atoms(trade.amount, base) or 0,
        "sold": quote.sold,
        "bought": quote.bought,
        "fee_cents": quote.fee_cents,
        "fee_flat_cents": quote.fee_flat_cents,
        "fee_bps": quote.fee_bps,
        "provider_cents": 0,
        "hold": "[]",
        "created": tx.now,
        "updated": tx.now,
        "version": 1,
        "told": body,
    }
    executed = {"status": QuoteStatus.EXECUTED.value, "trade_id": trade.id, "executed_at": tx.now}
    told = {"tradingAccountId": of.id, "status": trade.status}
    outcome.apply(
        tx,
        Outcome(
            trade.id,
            rows=(
                activity,
                Update(Tables.quote, {"id": quote.id}, executed, before=quote),
                Insert(Tables.trade, (row,)),
            ),
            events=(
                Event("quote.executed", quote.id, {"tradeId": trade.id}),
                Event(f"trade.{trade.status}", trade.id, told),
            ),
        ),
    )


def update_trade(tx: UnitOfWork, row: Record, trade: Trade, body: str) -> None:
    """Keep what a provider says of a trade now. A new status is told."""
    values: dict[str, object] = {"told": body, "updated": tx.now}
    events: tuple[Event, ...] = ()
    if trade.status != row.status:
        values["status"] = trade.status
        told = {"tradingAccountId": row.trading_account_id, "status": trade.status}
        events = (Event(f"trade.{trade.status}", trade.id, told),)
    update = next_version(Tables.trade, row, **values)
    tx.audited_account = row.trading_account_id
    outcome.apply(tx, Outcome(trade.id, rows=(update,), events=events))


# Deposits and withdrawals


def currency(asked: Currency) -> Resolved | None:
    """The currency of a request; None for one that this version doesn't know."""
    try:
        return currencies.resolve(asked, crypto=False)
    except ServiceError:
        return None


def order(request: object) -> tuple[Resolved, Amount] | None:
    """What a deposit or a withdrawal asks for; None where this version can't count it."""
    if not isinstance(request, DepositRequest | WithdrawalRequest):
        return None
    resolved = currency(request.currency)
    found = None if resolved is None else atoms(request.amount, resolved.asset)
    return None if resolved is None or not found else (resolved, Amount(found, resolved.asset))


def worth_cents(amount: Amount) -> int:
    """What an amount of a cash equivalent is worth in USD; a fraction of a cent counts as one."""
    return ceil_div(amount.atoms, atoms_of_cents(1, amount.asset))


def new_transfer(  # noqa: PLR0913 - what a transfer is, declared by name
    tx: UnitOfWork,
    direction: Direction,
    of: Record,
    order: tuple[Resolved, Amount],
    *,
    transfer_id: str,
    status: str,
    hold: tuple[Amount, ...] = (),
    **told: object,
) -> Outcome:
    """A deposit or a withdrawal in the status that the provider's answer gives it; ``told`` are
    further columns."""
    resolved, amount = order
    moment = outcome.moment(tx)
    activity = accounts.activity(
        of, direction.value, tx.now, f"{direction}_count", "transaction_count"
    )
    row = transfers.new_row(direction, of, activity, resolved, moment) | {
        "id": transfer_id,
        "status": status,
        "amount": amount.atoms,
        "notional_cents": worth_cents(amount),
        "hold": trade_rows.hold_text(hold),
        "destination_class": DestinationClass.OWN_BANK.value
        if direction is Direction.WITHDRAWAL
        else None,
        "completed_at": tx.now if status == TransferStatus.COMPLETED else None,
        "told": UNSAID,
        **told,
    }
    event = transfers.event(direction, transfer_id, of.id, status)
    return Outcome(transfer_id, rows=(activity, Insert(TRANSFER, (row,))), events=(event,))


# Wallets


def add_wallet(tx: UnitOfWork, wallet: Counterparty, network: str) -> None:
    """Keep a wallet on a network that this version knows; it's found by its address then. One that
    is known isn't new, whatever status the provider registers it again with."""
    try:
        on = resolve_network(network, test_networks=True)
        address = parse_address(wallet.address, on)
    except (UnknownNetwork, InvalidAddress):
        return
    row = {
        "id": wallet.id,
        "organisation_id": tx.organisation_id,
        "network": on.name,
        "canonical": address.canonical,
        "address": address.display,
        "kind": address.kind,
        "created": tx.now,
    }
    told = {"network": on.name, "address": address.display}
    event = Event("counterparty.registered", wallet.id, told)
    made = Outcome(wallet.id, (Insert(Tables.counterparty, (row,)),), events=(event,))
    tx.created &= outcome.apply_if_new(tx, made)


def known_balances(told: Mapping[str, str]) -> dict[Asset, int]:
    """The available balances of assets that this version knows, by ``SYMBOL@network``."""
    found: dict[Asset, int] = {}
    for key, text in told.items():
        asset = ASSETS_BY_KEY.get(key)
        if asset is not None:
            found[asset] = max(0, int(_scaled(text, asset.decimals)))
    return found
