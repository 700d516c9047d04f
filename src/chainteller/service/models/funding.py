"""Deposits and withdrawals, with the currency object of specification 2.2."""

from typing import Literal

from chainteller.service.models.base import Amount, RequestModel, Timestamp, WireModel


class Currency(RequestModel):
    """Discriminated by ``type``: stablecoin-currency and crypto-currency carry ``symbol`` and
    ``network``, deposit-token-currency carries ``id``. Answers resolve all that is known.
    """

    type: Literal["stablecoin-currency", "deposit-token-currency", "crypto-currency"]
    id: str | None = None
    symbol: str | None = None
    network: str | None = None


class Destination(RequestModel):
    """Where a withdrawal goes: left out, the customer's bank account."""

    type: Literal["bank-account", "counterparty"]
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
    type: str
    id: str | None = None
    symbol: str | None = None
    network: str | None = None


class TransferDestination(WireModel):
    type: str
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
    """``eta`` is None where a person decides, whenever that may be."""

    reason: str
    eta: Timestamp | None = None


class Transfer(WireModel):
    """A deposit or a withdrawal; ``type`` is deposit-transaction or withdrawal-transaction."""

    type: str
    id: str
    status: str
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
        """When a status that can't be asked for again was answered; None for a current one."""
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
        return self.answered_at


class LimitUsage(WireModel):
    """One withdrawal rule; ``period_seconds`` 0 is the limit of a single withdrawal."""

    rule_id: str
    destination_class: str
    period_seconds: int
    limit: Amount
    used: Amount
    remaining: Amount
    resets_at: Timestamp | None = None
