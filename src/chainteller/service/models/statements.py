"""Statements of a trading account: balances and movements between two instants."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from chainteller.domain.ledger import JournalKind
from chainteller.service.models.accounts import BankAccountType, Token
from chainteller.service.models.base import Amount, Many, OneOf, Timestamp, WireModel
from chainteller.service.models.quotes import SideName


class MovementEvent(StrEnum):
    """What moved the balance of an account: the journals that don't move it within the account."""

    DEPOSIT = JournalKind.DEPOSIT.value
    DEPOSIT_RETURN = JournalKind.DEPOSIT_RETURN.value
    FILL = JournalKind.FILL.value
    SENT = JournalKind.SENT.value
    RETURN = JournalKind.RETURN.value
    FAILED = JournalKind.FAILED.value


class StatementQuery(WireModel):
    """The period: days (``2026-11-20``, each of them whole) or timestamps, the last one excluded.

    None for the account's beginning and for the present.
    """

    from_time: str | None = None
    to_time: str | None = None


class StatementBalance(WireModel):
    """One asset: ``opening`` plus ``credits`` minus ``debits`` is ``closing``.

    ``available``, ``held`` and ``incoming`` are the parts of ``closing``.
    """

    token: Token
    opening: Amount
    credits: Amount
    debits: Amount
    closing: Amount
    available: Amount
    held: Amount
    incoming: Amount


class StatementAmount(WireModel):
    token: Token
    amount: Amount


class StatementChange(StatementAmount):
    """``amount`` is negative where the balance fell; ``balance`` is the balance after it."""

    balance: Amount


class StatementMovement(WireModel):
    """One event of a trade, deposit or withdrawal that moved balances, or what is owed.

    ``owed_change_usd`` is negative where a deposit repaid what the customer owed. ``fee`` is part
    of what was paid. Fields that aren't of this kind of record are None.
    """

    at: Timestamp
    event: Annotated[str, OneOf("MovementEvent", MovementEvent)]
    type: str
    transaction_id: str
    changes: Many[StatementChange]
    market: str | None = None
    side: SideName | None = None
    price: Amount | None = None
    quote_id: str | None = None
    fee: StatementAmount | None = None
    bank_account_id: str | None = None
    counterparty_id: str | None = None
    address: str | None = None
    network_tx_hash: str | None = None
    owed_change_usd: Amount | None = None


class Statement(WireModel):
    """An account's statement. Movements at ``from`` or later and before ``to``, oldest first.

    A ``to`` that is still to come is replaced by ``asOf``, the instant of the statement itself.
    ``fees`` are the sums of the movements' fees. What the customer owes the bank since a deposit
    was taken back goes from ``opening_owed_usd`` to ``closing_owed_usd``.
    """

    trading_account_id: str
    bank: str
    customer_id: str
    customer_name: str
    customer_reference: str
    bank_account_id: str
    bank_account_type: BankAccountType
    from_time: Timestamp = Field(alias="from")
    to_time: Timestamp = Field(alias="to")
    as_of: Timestamp
    balances: Many[StatementBalance]
    movements: Many[StatementMovement]
    fees: Many[StatementAmount]
    opening_owed_usd: Amount | None = None
    closing_owed_usd: Amount | None = None
