"""The calls of ``Service`` that change something: those that take an idempotency key."""

from collections.abc import Mapping

from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.base import RequestModel
from chainteller.service.models.counterparties import (
    ChallengeRequest,
    ClaimRequest,
    LinkRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
    ReverificationRequest,
)
from chainteller.service.models.funding import DepositRequest, WithdrawalRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest

WRITES: Mapping[str, type[RequestModel] | None] = {
    "open_trading_account": OpenTradingAccount,
    "deposit": DepositRequest,
    "withdraw": WithdrawalRequest,
    "cancel_withdrawal": None,
    "create_quote": QuoteRequest,
    "execute_quote": ExecuteRequest,
    "cancel_trade": None,
    "open_blockchain_account": OpenBlockchainAccount,
    "register_counterparty": RegisterCounterparty,
    "create_challenge": ChallengeRequest,
    "submit_claim": ClaimRequest,
    "link_counterparty": LinkRequest,
    "require_reverification": ReverificationRequest,
}
"""Each by its name, with the model of its request; None where its ids say all."""
