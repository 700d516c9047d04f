"""An answer about something else than its call is refused, whatever the operation."""

from typing import Any, TypeVar

import pytest
from pydantic import BaseModel

from chainteller.remote.answers import AnotherRecord, complete
from chainteller.service import operations as op
from chainteller.service.models.funding import (
    Currency,
    DepositRequest,
    Destination,
    Transfer,
    TransferDestination,
    WithdrawalRequest,
)
from chainteller.service.models.quotes import ExecuteRequest, Quote, QuoteRequest
from chainteller.service.models.trades import Trade
from chainteller.service.operations import Call

Model = TypeVar("Model", bound=BaseModel)


def _made(model: type[Model], **values: Any) -> Model:
    """A model with these fields and no others."""
    return model.model_construct(**values)


USD = Currency(type="deposit-token-currency", id="DPT_USD")
TRADE = _made(Trade, id="TXN_1", trading_account_id=None, quote_id=None, market="sol-usd")
QUOTE = _made(Quote, id="QTE_1", side="buy", trading_account_id=None, market_name="a-b")
TRANSFER = _made(
    Transfer,
    id="TXN_9",
    amount="1.50",
    trading_account_id=None,
    destination=TransferDestination(type="counterparty", counterparty_id="CPT_1"),
)
EXECUTE: Call[Any] = Call(
    op.EXECUTE_QUOTE, ("QTE_1",), ExecuteRequest(trading_account_id="TDA_MINE")
)
ASKED: Call[Any] = Call(op.CREATE_QUOTE, ("a-b",), QuoteRequest(amount="1", side="buy"))


def _withdrawal(amount: str = "1.5", wallet_id: str = "CPT_1") -> Call[Any]:
    destination = Destination(type="counterparty", counterparty_id=wallet_id)
    asked = WithdrawalRequest(amount=amount, currency=USD, destination=destination)
    return Call(op.WITHDRAW, ("TDA_MINE",), asked)


@pytest.mark.parametrize(
    ("call", "answer", "field"),
    [
        (Call(op.SHOW_TRADE, ("TDA_MINE", "TXN_2")), TRADE, "id"),
        (Call(op.CANCEL_TRADE, ("TDA_MINE", "TXN_2")), TRADE, "id"),
        (EXECUTE, TRADE.model_copy(update={"quote_id": "QTE_2"}), "quote_id"),
        (EXECUTE, TRADE.model_copy(update={"trading_account_id": "TDA_O"}), "trading_account_id"),
        (ASKED, QUOTE.model_copy(update={"side": "sell"}), "side"),
        (ASKED, QUOTE.model_copy(update={"market_name": "btc-usd"}), "market_name"),
        (Call(op.DEPOSIT, ("TDA_MINE",), DepositRequest(amount="15", currency=USD)), TRANSFER,
         "amount"),
        (_withdrawal(wallet_id="CPT_2"), TRANSFER, "counterparty_id"),
    ],
)  # fmt: skip
def test_an_answer_about_something_else_is_refused(
    call: Call[Any], answer: Any, field: str
) -> None:
    with pytest.raises(AnotherRecord, match=rf"\({field}\)"):
        complete(call, answer)


@pytest.mark.parametrize(
    ("call", "answer"), [(EXECUTE, TRADE), (ASKED, QUOTE), (_withdrawal(), TRANSFER)]
)
def test_an_answer_that_repeats_its_call_is_completed(call: Call[Any], answer: Any) -> None:
    completed = complete(call, answer)
    assert completed.id == answer.id
    named = {"TDA_MINE"} if call is not ASKED else {None}
    assert {completed.trading_account_id} == named


def test_a_quote_is_of_the_account_that_it_was_asked_for() -> None:
    asked = QuoteRequest(amount="1", side="buy", trading_account_id="TDA_MINE")
    assert complete(Call(op.CREATE_QUOTE, ("a-b",), asked), QUOTE).trading_account_id == "TDA_MINE"
