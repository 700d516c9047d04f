"""Deposits and withdrawals, with the currency object of specification 2.2."""

from typing import Annotated, Literal, get_args

from chainteller.domain.evidence import EvidenceLevel
from chainteller.domain.limits import DestinationClass
from chainteller.domain.transfers import DEPOSIT_TYPE, FINAL, WITHDRAWAL_TYPE, TransferStatus
from chainteller.service.models.base import (
    AccountRecord,
    Amount,
    OneOf,
    RequestModel,
    Timestamp,
    WireModel,
)

CurrencyType = Literal["stablecoin-currency", "deposit-token-currency", "crypto-currency"]
DestinationType = Literal["bank-account", "counterparty"]


class Currency(RequestModel):
    """Discriminated by ``type``: stablecoin-currency and crypto-currency carry ``symbol`` and
    ``network``, deposit-token-currency carries ``id``. Answers resolve all that is known.
    """

    type: CurrencyType
    id: str | None = None
    symbol: str | None = None
    network: str | None = None


class Destination(RequestModel):
    """Where a withdrawal goes: left out, the customer's bank account."""

    type: DestinationType
    counterparty_id: str | None = None
    blockchain_account_id: str | None = None


class DepositRequest(RequestModel):
    amount: str
    currency: Currency


class WithdrawalRequest(RequestModel):
    amount: str
    currency: Currency
    destination: Destination | None = None


class TransferCurrency(WireModel):
    type: Annotated[str, OneOf("CurrencyType", get_args(CurrencyType))]
    id: str | None = None
    symbol: str | None = None
    network: str | None = None


class TransferDestination(WireModel):
    type: Annotated[str, OneOf("DestinationType", get_args(DestinationType))]
    bank_account_id: str | None = None
    counterparty_id: str | None = None
    blockchain_account_id: str | None = None
    network: str | None = None
    address: str | None = None
    verified: bool | None = None


class Reason(WireModel):
    code: str
    message: str


class Review(WireModel):
    """``eta`` is None where nothing but a cancellation ends it so far."""

    reason: str
    eta: Timestamp | None = None


class Transfer(AccountRecord):
    """A deposit or a withdrawal; ``type`` is deposit-transaction or withdrawal-transaction."""

    type: Annotated[str, OneOf("TransferType", (DEPOSIT_TYPE, WITHDRAWAL_TYPE))]
    id: str
    status: Annotated[str, OneOf("TransferStatus", TransferStatus)]
    trading_account_id: str | None = None
    amount: Amount
    currency: TransferCurrency
    bank_account_id: str | None = None
    destination: TransferDestination | None = None
    fee: Amount | None = None
    notional_usd: Amount | None = None
    created: Timestamp | None = None
    updated: Timestamp | None = None
    completed_at: Timestamp | None = None
    cancellable: bool | None = None
    failure_reason: Reason | None = None
    review: Review | None = None
    network_tx_hash: str | None = None

    @property
    def key(self) -> str:
        """What identifies it among others on this desk: its id, wherever it has one."""
        return self.id

    @property
    def as_of(self) -> Timestamp | None:
        """When a status that may be another one by now was answered; None for a current one."""
        return None


class KeptTransfer(Transfer):
    """A transfer as it was answered to this desk, on a deployment that can't show it again."""

    answered_at: Timestamp
    request_key: str = ""
    """The idempotency key that it was requested with."""

    @property
    def key(self) -> str:
        return self.id or self.request_key

    @property
    def as_of(self) -> Timestamp | None:
        return None if self.status in FINAL else self.answered_at


class LimitUsage(WireModel):
    """One withdrawal rule; ``period_seconds`` 0 is the limit of a single withdrawal.

    With ``evidence_level``, it is about verified wallets of that level, besides those of the class.
    """

    rule_id: str
    destination_class: Annotated[str, OneOf("DestinationClass", DestinationClass)]
    period_seconds: int
    limit: Amount
    used: Amount
    remaining: Amount
    resets_at: Timestamp | None = None
    evidence_level: Annotated[str, OneOf("EvidenceLevel", EvidenceLevel)] | None = None
