"""Deposits, withdrawals and the transactions of an account."""

from dataclasses import replace

from chainteller.domain.transfers import DEPOSIT_TYPE, WITHDRAWAL_TYPE, TransferStatus
from chainteller.service import errors
from chainteller.service.models.funding import DepositRequest, Transfer, WithdrawalRequest
from chainteller.service.models.pages import Page
from chainteller.service.models.trades import TRADE_TYPE, Transaction
from chainteller.service.operations.declaring import (
    ACCOUNT_PATH,
    CREATED,
    TEXT,
    TRADING_ACCOUNT,
    Read,
    Section,
    Write,
    listing,
    status_filter,
    text_parameter,
)

TRANSACTION_TYPES = (TRADE_TYPE, DEPOSIT_TYPE, WITHDRAWAL_TYPE)
TYPE = text_parameter("type", "filter[type]", enum=TRANSACTION_TYPES)
TRANSFER_TYPE = text_parameter("type", "filter[type]", enum=TRANSACTION_TYPES[1:])
_FUNDING = Section("Funding", "accounts:read", "transfers:write")
_TRANSFER_ERRORS = (
    errors.ExceedsPrecision,
    errors.UnsupportedCurrency,
    errors.TermsNotAccepted,
    errors.KycRequired,
    errors.AccountRestricted,
    errors.InsufficientFunds,
)

DEPOSIT = Write(
    _FUNDING,
    "deposit",
    f"POST {ACCOUNT_PATH}/deposits",
    "Move funds from the bank account into the trading account",
    Transfer,
    operation_id="createDeposit",
    request=DepositRequest,
    creates=f"{ACCOUNT_PATH}/deposits/{{depositId}}",
    is_shown=False,
    errors=_TRANSFER_ERRORS,
)
DEPOSITS = Read(
    _FUNDING,
    "deposits",
    f"GET {ACCOUNT_PATH}/deposits",
    "List an account's deposits",
    Page[Transfer],
    query=listing(status_filter(TransferStatus), CREATED),
    feature="deposits",
)
DEPOSIT_RECORD = Read(
    _FUNDING,
    "deposit_record",
    f"GET {ACCOUNT_PATH}/deposits/{{depositId}}",
    "Show a deposit",
    Transfer,
    operation_id="getDeposit",
    feature="deposits",
)
WITHDRAW = Write(
    _FUNDING,
    "withdraw",
    f"POST {ACCOUNT_PATH}/withdrawals",
    "Move funds out: to the bank account, or to a counterparty",
    Transfer,
    operation_id="createWithdrawal",
    request=WithdrawalRequest,
    creates=f"{ACCOUNT_PATH}/withdrawals/{{withdrawalId}}",
    additions={"destination": "withdrawals"},
    is_shown=False,
    errors=(
        *_TRANSFER_ERRORS,
        errors.AmountBelowMinimum,
        errors.LimitExceeded,
        errors.NetworkMismatch,
        errors.DestinationOnHold,
        errors.EvidenceExpired,
        errors.ClaimUnverifiable,
        errors.BooksDisputed,
    ),
)
WITHDRAWALS = Read(
    _FUNDING,
    "withdrawals",
    f"GET {ACCOUNT_PATH}/withdrawals",
    "List an account's withdrawals",
    Page[Transfer],
    query=listing(status_filter(TransferStatus), CREATED),
    feature="withdrawals",
)
WITHDRAWAL_RECORD = Read(
    _FUNDING,
    "withdrawal_record",
    f"GET {ACCOUNT_PATH}/withdrawals/{{withdrawalId}}",
    "Show a withdrawal",
    Transfer,
    operation_id="getWithdrawal",
    feature="withdrawals",
)
CANCEL_WITHDRAWAL = Write(
    _FUNDING,
    "cancel_withdrawal",
    f"POST {ACCOUNT_PATH}/withdrawals/{{withdrawalId}}/cancellations",
    "Cancel a withdrawal that hasn't been sent",
    Transfer,
    feature="withdrawal-cancellations",
    errors=(errors.WithdrawalNotCancellable,),
)
ALL_TRANSFERS = Read(
    _FUNDING,
    "all_transfers",
    "GET /trading/transfers",
    "Find deposits and withdrawals of every account",
    Page[Transfer],
    query=listing(
        replace(
            TEXT,
            description="Each word is an amount, part of the customer's name, or four or more "
            "characters from the beginning or the end of an id (also as abbreviated in lists), an "
            "address, a bank account or a reference.",
        ),
        TRADING_ACCOUNT,
        TRANSFER_TYPE,
        status_filter(TransferStatus),
        CREATED,
    ),
    feature="all-transfers",
)
TRANSACTIONS = Read(
    _FUNDING,
    "transactions",
    f"GET {ACCOUNT_PATH}/transactions",
    "List an account's deposits, withdrawals and trades",
    Page[Transaction],
    query=listing(TYPE),
    feature="transactions",
)
SHOW_TRANSACTION = Read[Transaction](
    _FUNDING,
    "transaction",
    f"GET {ACCOUNT_PATH}/transactions/{{transactionId}}",
    "Show a deposit, a withdrawal or a trade",
    Transaction,
    feature="transactions",
)
TRANSACTION_BY_ID = Read[Transaction](
    _FUNDING,
    "transaction_by_id",
    "GET /trading/transactions/{transactionId}",
    "Show a deposit, a withdrawal or a trade of any account",
    Transaction,
    operation_id="findTransaction",
    feature="transaction-by-id",
)
