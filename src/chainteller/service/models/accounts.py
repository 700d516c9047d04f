"""Trading accounts (specification 2.1), token balances (2.3) and the bank's customers."""

from typing import Annotated

from chainteller.domain.customer_lines import BANK_ACCOUNT_TYPES
from chainteller.domain.preconditions import Control
from chainteller.service.models.base import (
    AccountRecord,
    Amount,
    Many,
    OneOf,
    RequestModel,
    Timestamp,
    WireModel,
)

BankAccountType = Annotated[str, OneOf("BankAccountType", BANK_ACCOUNT_TYPES)]
ControlName = Annotated[str, OneOf("Control", Control)]


class OpenTradingAccount(RequestModel):
    bank_account_id: str
    bank_account_type: BankAccountType


class TradingAccount(AccountRecord):
    """``controls`` are FROZEN, SELL_ONLY, DORMANT or CLOSED; everything past the type is ours.

    ``crypto_value_usd`` is the worth of all crypto at ``valued_at``, on hold and incoming included.
    ``owed_usd`` is what the customer owes the bank since a deposit was taken back.
    """

    id: str
    bank_account_id: str
    bank_account_type: BankAccountType
    controls: Many[ControlName] = ()
    customer_id: str | None = None
    customer_name: str | None = None
    created: Timestamp | None = None
    buying_power: Amount | None = None
    crypto_value_usd: Amount | None = None
    valued_at: Timestamp | None = None
    owed_usd: Amount | None = None
    last_activity: Timestamp | None = None
    last_activity_type: str | None = None


class Token(WireModel):
    symbol: str
    network: str


class TokenBalance(WireModel):
    """``amount`` is what is available; ``total`` is available, held and incoming together, worth
    ``value_usd`` at ``valued_at``."""

    token: Token
    amount: Amount
    held: Amount | None = None
    incoming: Amount | None = None
    total: Amount | None = None
    value_usd: Amount | None = None
    valued_at: Timestamp | None = None


class BankAccount(WireModel):
    id: str
    type: BankAccountType
    balance: Amount
    trading_account_id: str | None


class Customer(WireModel):
    id: str
    name: str
    reference: str
    kyc_level: str
    terms_accepted: bool
    controls: Many[ControlName]
    bank_accounts: Many[BankAccount]
