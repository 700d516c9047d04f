"""Fields that deposits, withdrawals and trades have in common, for lists of all three."""

from typing import TYPE_CHECKING, Any

from chainteller.domain.assets import base_symbol
from chainteller.records.fields import (
    IDENTIFIER,
    MOMENT,
    NOWHERE,
    STATUS,
    TEXT,
    Field,
    FieldList,
    Format,
)
from chainteller.records.formats import transferred
from chainteller.records.trades import TRADE, is_trade
from chainteller.records.transfers import transfer_fields

if TYPE_CHECKING:
    from chainteller.service.models.trades import Transaction


def fields_of(record: "Transaction") -> FieldList[Any]:
    """The fields of its own kind, those of a trade, a deposit or a withdrawal."""
    return TRADE if is_trade(record) else transfer_fields(record)


class TransactionAmount(Format["Transaction"]):
    """What a transfer moves; of a trade the quantity of the market's asset."""

    align = "right"
    is_amount = True

    def plain(self, value: "Transaction") -> str:
        if is_trade(value):
            return f"{value.amount} {_currency(value)}"
        return transferred(value, str)

    def csv(self, value: "Transaction") -> str:
        return value.amount


def _currency(transaction: "Transaction") -> str:
    if is_trade(transaction):
        return base_symbol(transaction.market)
    return transaction.currency.symbol or transaction.currency.id or ""


TRANSACTION: "FieldList[Transaction]" = FieldList(
    "transaction",
    "trades.Trade",
    (
        Field("id", "transaction", IDENTIFIER),
        Field("type", "type", TEXT, value=lambda each: each.type.removesuffix("-transaction")),
        Field("status", "status", STATUS),
        Field("amount", "amount", TransactionAmount(), value=lambda each: each, is_private=True),
        Field("currency", "currency", TEXT, value=_currency),
        Field("trading_account_id", "account", IDENTIFIER),
        Field("created", "created", MOMENT),
    ),
    interfaces=NOWHERE,
    table=("id", "type", "status", "amount", "created"),
)  # fmt: skip
