"""Fields of deposits and withdrawals."""

from typing import TYPE_CHECKING

from chainteller.records.fields import (
    DECIMALS,
    DOLLARS,
    IDENTIFIER,
    MOMENT,
    NOWHERE,
    STATUS,
    TEXT,
    YES_OR_NO,
    Field,
    FieldList,
    Format,
    Interface,
)
from chainteller.records.formats import Piece, transferred
from chainteller.records.trades import FAILURE

if TYPE_CHECKING:
    from chainteller.service.models.funding import Review, Transfer


class Transferred(Format["Transfer"]):
    """The amount; the bank's own deposit token is dollars to people."""

    is_amount = True

    def plain(self, value: "Transfer") -> str:
        return f"{value.amount} {value.currency.symbol or value.currency.id}"

    def line(self, value: "Transfer", now: int) -> Piece:  # noqa: ARG002
        return transferred(value), ""

    def spoken(self, value: "Transfer") -> str:
        return transferred(value)

    def secrets(self, value: "Transfer") -> tuple[str]:
        return (value.amount,)


class ReviewUntil(Format["Review"]):
    def plain(self, value: "Review") -> str:
        return f"{value.reason} until {MOMENT.plain(value.eta)}"


def _fields(kind: str) -> "FieldList[Transfer]":
    return FieldList(
        kind,
        "funding.Transfer",
        (
            Field("id", kind, IDENTIFIER, lambda each: each.id),
            Field("status", "status", STATUS, lambda each: each.status),
            Field("amount", "amount", Transferred(), lambda each: each,
                  of=("amount", "currency.type", "currency.symbol", "currency.id"),
                  is_private=True, spoken="amount"),
            Field("currency.network", "network", TEXT, lambda each: each.currency.network),
            Field("trading_account_id", "account", IDENTIFIER,
                  lambda each: each.trading_account_id),
            Field("bank_account_id", "bank account", TEXT, lambda each: each.bank_account_id),
            Field("destination", "to", TEXT, _target,
                  of=("destination.address", "destination.bank_account_id")),
            Field("destination.verified", "verified", YES_OR_NO,
                  lambda each: each.destination.verified if each.destination else None),
            Field("fee", "fee", DECIMALS, lambda each: each.fee, is_private=True),
            Field("notional_usd", "worth", DOLLARS, lambda each: each.notional_usd,
                  NOWHERE, is_private=True),
            Field("review", "review", ReviewUntil(), lambda each: each.review),
            Field("failure_reason", "failure", FAILURE, lambda each: each.failure_reason),
            Field("created", "created", MOMENT, lambda each: each.created, spoken="created"),
            Field("completed_at", "completed", MOMENT, lambda each: each.completed_at,
                  spoken="completed_at"),
            Field("network_tx_hash", "transaction", TEXT, lambda each: each.network_tx_hash),
        ),
        interfaces=Interface.COMMAND,
        wire_only=("type", "updated", "cancellable"),
    )  # fmt: skip


def _target(transfer: "Transfer") -> str | None:
    target = transfer.destination
    return (target.address or target.bank_account_id) if target else None


DEPOSIT, WITHDRAWAL = _fields("deposit"), _fields("withdrawal")


def transfer_fields(transfer: "Transfer") -> "FieldList[Transfer]":
    """The fields of a deposit or of a withdrawal, whichever it is."""
    return DEPOSIT if transfer.type == "deposit-transaction" else WITHDRAWAL
