"""Deposits, withdrawals and the account's transactions."""

from chainteller.api.accounts import ONE
from chainteller.api.limits import Bucket
from chainteller.api.operations import Call, Operation, Routes
from chainteller.service import errors
from chainteller.service.models.base import Written
from chainteller.service.models.funding import DepositRequest, Transfer, WithdrawalRequest
from chainteller.service.models.pages import Page
from chainteller.service.models.trades import Transaction

routes = Routes("Funding")

_REFUSALS = (
    errors.NotFound,
    errors.ExceedsPrecision,
    errors.UnsupportedCurrency,
    errors.TermsNotAccepted,
    errors.KycRequired,
    errors.AccountRestricted,
    errors.InsufficientFunds,
)


@routes.add(
    Operation(
        "createDeposit",
        "POST",
        f"{ONE}/deposits",
        "Move funds from the bank account into the trading account",
        "transfers:write",
        Transfer,
        Bucket.WRITE,
        DepositRequest,
        creates=f"{ONE}/deposits/{{id}}",
        made="depositId",
        errors=_REFUSALS,
    )
)
def create_deposit(call: Call) -> Written[Transfer]:
    return call.service.deposit(
        call.path["tradingAccountId"],
        call.read(DepositRequest),
        idempotency_key=call.idempotency_key,
    )


@routes.add(
    Operation(
        "listDeposits",
        "GET",
        f"{ONE}/deposits",
        "List an account's deposits",
        "accounts:read",
        Page[Transfer],
        filters=("status", "created"),
        errors=(errors.NotFound,),
    )
)
def list_deposits(call: Call) -> Page[Transfer]:
    return call.service.deposits(call.path["tradingAccountId"], call.listing)


@routes.add(
    Operation(
        "getDeposit",
        "GET",
        f"{ONE}/deposits/{{depositId}}",
        "Show a deposit",
        "accounts:read",
        Transfer,
        errors=(errors.NotFound,),
        brief=True,
    )
)
def get_deposit(call: Call) -> Transfer:
    return call.service.deposit_record(call.path["tradingAccountId"], call.path["depositId"])


@routes.add(
    Operation(
        "createWithdrawal",
        "POST",
        f"{ONE}/withdrawals",
        "Move funds out: to the bank account, or to a counterparty",
        "transfers:write",
        Transfer,
        Bucket.WRITE,
        WithdrawalRequest,
        creates=f"{ONE}/withdrawals/{{id}}",
        made="withdrawalId",
        errors=(
            *_REFUSALS,
            errors.AmountBelowMinimum,
            errors.LimitExceeded,
            errors.NetworkMismatch,
            errors.DestinationOnHold,
        ),
    )
)
def create_withdrawal(call: Call) -> Written[Transfer]:
    return call.service.withdraw(
        call.path["tradingAccountId"],
        call.read(WithdrawalRequest),
        idempotency_key=call.idempotency_key,
    )


@routes.add(
    Operation(
        "listWithdrawals",
        "GET",
        f"{ONE}/withdrawals",
        "List an account's withdrawals",
        "accounts:read",
        Page[Transfer],
        filters=("status", "created"),
        errors=(errors.NotFound,),
    )
)
def list_withdrawals(call: Call) -> Page[Transfer]:
    return call.service.withdrawals(call.path["tradingAccountId"], call.listing)


@routes.add(
    Operation(
        "getWithdrawal",
        "GET",
        f"{ONE}/withdrawals/{{withdrawalId}}",
        "Show a withdrawal",
        "accounts:read",
        Transfer,
        errors=(errors.NotFound,),
        brief=True,
    )
)
def get_withdrawal(call: Call) -> Transfer:
    return call.service.withdrawal_record(call.path["tradingAccountId"], call.path["withdrawalId"])


@routes.add(
    Operation(
        "cancelWithdrawal",
        "POST",
        f"{ONE}/withdrawals/{{withdrawalId}}/cancellations",
        "Cancel a withdrawal that has not left",
        "transfers:write",
        Transfer,
        Bucket.WRITE,
        errors=(errors.NotFound, errors.WithdrawalNotCancellable),
    )
)
def cancel_withdrawal(call: Call) -> Written[Transfer]:
    return call.service.cancel_withdrawal(
        call.path["tradingAccountId"],
        call.path["withdrawalId"],
        idempotency_key=call.idempotency_key,
    )


@routes.add(
    Operation(
        "listTransactions",
        "GET",
        f"{ONE}/transactions",
        "List an account's deposits, withdrawals and trades",
        "accounts:read",
        Page[Transaction],
        filters=("type",),
        errors=(errors.NotFound,),
    )
)
def list_transactions(call: Call) -> Page[Transaction]:
    return call.service.transactions(call.path["tradingAccountId"], call.listing)


@routes.add(
    Operation(
        "getTransaction",
        "GET",
        f"{ONE}/transactions/{{transactionId}}",
        "Show a deposit, a withdrawal or a trade",
        "accounts:read",
        Transaction,
        errors=(errors.NotFound,),
    )
)
def get_transaction(call: Call) -> Transaction:
    return call.service.transaction(call.path["tradingAccountId"], call.path["transactionId"])


@routes.add(
    Operation(
        "findTransaction",
        "GET",
        "/trading/transactions/{transactionId}",
        "Show a deposit, a withdrawal or a trade of any account",
        "accounts:read",
        Transaction,
        errors=(errors.NotFound,),
    )
)
def find_transaction(call: Call) -> Transaction:
    return call.service.transaction_by_id(call.path["transactionId"])
