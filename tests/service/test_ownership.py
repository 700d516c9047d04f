"""Requests and replies about another account's records are refused, whatever the operation."""

from collections.abc import Iterator
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel

from chainteller.service import operations as op
from chainteller.service.errors import OutcomeMismatch, RecordOfAnotherAccount, ReplyMismatch
from chainteller.service.interface import Service
from chainteller.service.layers import layered
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.base import AccountRecord, Written
from chainteller.service.models.counterparties import ChallengeRequest, Counterparty
from chainteller.service.models.funding import Destination, WithdrawalRequest
from chainteller.service.models.pages import ListQuery, Page, Pagination
from chainteller.service.models.quotes import ExecuteRequest, Quote, QuoteRequest
from chainteller.service.models.trades import Trade
from chainteller.service.operations import (
    ACCOUNT_ID,
    OPERATIONS,
    RECORDS,
    WRITES,
    Call,
    Operation,
)
from chainteller.service.ownership import Ownership

Model = TypeVar("Model", bound=BaseModel)
MINE, THEIRS = "TDA_MINE", "TDA_THEIRS"


OF_NO_ACCOUNT = {"Agent", "CustomerImport", "Dispute", "ForgottenCustomer", "Note"} | {
    "Webhook", "WebhookTest", "WebhookWithSecret"
}  # fmt: skip
"""What writes answer that belongs to no trading account, or may be about anybody's record."""


def test_whatever_a_write_answers_belongs_to_an_account_unless_it_is_named() -> None:
    answered = {each.response for each in WRITES.values()}
    others = {each.__name__ for each in answered if not issubclass(each, AccountRecord)}
    assert others == OF_NO_ACCOUNT


class Deployment(Service):
    """Answers everything with ``answer`` and keeps the calls that arrive."""

    def __init__(self, answer: object = None) -> None:
        self.answer = answer
        self.calls: list[Call[Any]] = []

    def call(self, call: Call[Any]) -> Any:
        self.calls.append(call)
        return self.answer


def _made(model: type[Model], **values: Any) -> Model:
    """A model with these values, its defaults, and None for everything else."""
    fields = model.model_fields.items()
    given = {
        name: None if info.is_required() else info.get_default(call_default_factory=True)
        for name, info in fields
    }
    return model.model_construct(**(given | values))


def _named(operation: Operation[Any]) -> str:
    return operation.name


def _record_names(model: type[BaseModel]) -> Iterator[tuple[str, ...]]:
    """The paths of a model's fields that name records, also within its parts."""
    for field, info in model.model_fields.items():
        if info.alias in RECORDS:
            yield (field,)
        for part in getattr(info.annotation, "__args__", (info.annotation,)):
            if isinstance(part, type) and issubclass(part, BaseModel):
                yield from ((field, *rest) for rest in _record_names(part))


def _filled(model: type[BaseModel], foreign: tuple[str, ...] = ()) -> Any:
    """A model whose record names are of MINE, but the one at the path ``foreign``."""
    values: dict[str, Any] = {}
    for path in _record_names(model):
        field, rest = path[0], path[1:]
        if rest:
            part = next(
                each
                for each in getattr(model.model_fields[field].annotation, "__args__", ())
                if isinstance(each, type) and issubclass(each, BaseModel)
            )
            below = foreign[1:] if foreign[:1] == (field,) else ()
            values[field] = _filled(part, below)
        else:
            is_account = model.model_fields[field].alias == ACCOUNT_ID
            own, other = (MINE, THEIRS) if is_account else (f"{field}-1", f"{field}-2")
            values[field] = other if path == foreign else own
    return _made(model, **values)


def _ownership() -> Ownership:
    """Every record of ``_filled`` and ``_ids`` is MINE when it ends in 1, else THEIRS."""
    seen = Ownership()
    names = {*RECORDS, *(path[-1] for each in OPERATIONS for path in _paths(each))}
    for name in names:
        seen.learn(f"{name}-1", MINE)
        seen.learn(f"{name}-2", THEIRS)
    return seen


def _paths(operation: Operation[Any]) -> list[tuple[str, ...]]:
    return list(_record_names(operation.request)) if operation.request is not None else []


def _ids(operation: Operation[Any], foreign: str = "") -> tuple[str, ...]:
    made = []
    for name in operation.path_names:
        if name == ACCOUNT_ID:
            made.append(THEIRS if name == foreign else MINE)
        else:
            made.append(f"{name}-2" if name == foreign else f"{name}-1")
    return tuple(made)


def _calls(operation: Operation[Any]) -> Iterator[tuple[str, Call[Any]]]:
    """Calls of an operation that name one record of THEIRS each, with that name."""
    body = _filled(operation.request) if operation.request is not None else None
    for name in operation.path_names:
        if name in RECORDS:
            yield name, Call(operation, _ids(operation, name), body)
    for path in _paths(operation):
        assert operation.request is not None
        yield ".".join(path), Call(operation, _ids(operation), _filled(operation.request, path))


@pytest.mark.parametrize("operation", OPERATIONS, ids=_named)
def test_no_request_with_another_accounts_record_is_sent(operation: Operation[Any]) -> None:
    deployment = Deployment()
    service = layered(deployment, _ownership().bind(lambda _: MINE))
    for name, call in _calls(operation):
        with pytest.raises(RecordOfAnotherAccount, match=THEIRS):
            service.call(call)
        assert deployment.calls == [], name
    body = _filled(operation.request) if operation.request is not None else None
    service.call(Call(operation, _ids(operation), body))
    assert len(deployment.calls) == 1


@pytest.mark.parametrize("operation", [*op.WRITES.values()], ids=_named)
def test_nothing_of_anyone_is_written_while_nobody_is_served(operation: Operation[Any]) -> None:
    deployment = Deployment()
    service = layered(deployment, _ownership().bind(lambda _: ""))
    body = _filled(operation.request) if operation.request is not None else None
    call = Call(operation, _ids(operation), body)
    if any(True for _ in _calls(operation)):
        with pytest.raises(RecordOfAnotherAccount, match="no account is selected"):
            service.call(call)
        assert deployment.calls == []
    else:
        service.call(call)


def test_a_read_of_any_account_names_one_account_only() -> None:
    deployment = Deployment()
    service = layered(deployment, _ownership().bind(lambda _: ""))
    service.trade(THEIRS, "tradeId-2")
    with pytest.raises(RecordOfAnotherAccount, match=f"the request is for {MINE}"):
        service.trade(MINE, "tradeId-2")
    assert len(deployment.calls) == 1


# -- what is learned -------------------------------------------------------------------------------

QUOTE = _made(
    Quote, id="QTE_1", market_name="sol-usd", side="buy", trading_account_id=None, trade_id=None
)
TRADE = _made(Trade, id="TXN_1", trading_account_id=None, quote_id=None)
ASKED = QuoteRequest(amount="100.00", side="buy", trading_account_id=MINE)


def _page(*records: Any) -> Page[Any]:
    shown = Pagination(total=len(records), page=1, limit=20)
    return Page[Any].model_construct(data=records, pagination=shown)


def test_a_quote_that_names_no_account_belongs_to_the_one_that_asked_for_it() -> None:
    seen, deployment = Ownership(), Deployment(Written(QUOTE))
    service = layered(deployment, seen.bind(lambda _: MINE))
    service.create_quote("sol-usd", ASKED)
    unnamed = QuoteRequest(amount="100.00", side="buy")
    deployment.answer = Written(QUOTE.model_copy(update={"id": "QTE_2"}))
    service.create_quote("sol-usd", unnamed)
    assert (seen.owner_of("QTE_1"), seen.owner_of("QTE_2")) == (MINE, MINE)
    other = layered(deployment, seen.bind(lambda _: THEIRS))
    for quote_id in ("QTE_1", "QTE_2"):
        with pytest.raises(RecordOfAnotherAccount, match=f"quote {quote_id} belongs to {MINE}"):
            other.execute_quote(quote_id, ExecuteRequest(trading_account_id=THEIRS))
    assert len(deployment.calls) == 2


def test_records_of_a_list_belong_to_its_account_and_one_more_link_further_too() -> None:
    seen = Ownership()
    trade = TRADE.model_copy(update={"quote_id": "QTE_7"})
    layered(Deployment(_page(trade)), seen.check_reply).trades(MINE)
    assert seen.owner_of("TXN_1") == seen.owner_of("QTE_7") == MINE
    seen.learn("BCA_1", MINE)
    wallet = _made(Counterparty, id="CPT_1", address="0x1", verification=None)
    linked = layered(Deployment(_page(wallet)), seen.check_reply)
    linked.linked_counterparties("BCA_1")
    assert seen.owner_of("CPT_1") == MINE


def test_a_wallet_may_be_of_several_accounts_once_each_of_them_was_seen_with_it() -> None:
    seen = Ownership()
    seen.learn("BCA_1", MINE)
    seen.learn("BCA_2", THEIRS)
    wallet = _made(Counterparty, id="CPT_1", address="0x1", verification=None)
    deployment = Deployment(_page(wallet))
    layered(deployment, seen.check_reply).linked_counterparties("BCA_1")
    theirs = layered(deployment, seen.bind(lambda _: THEIRS))
    asked = ChallengeRequest(counterparty_id="CPT_1")
    with pytest.raises(RecordOfAnotherAccount, match=f"wallet CPT_1 belongs to {MINE}"):
        theirs.create_challenge("BCA_2", asked)
    layered(deployment, seen.check_reply).linked_counterparties("BCA_2")
    theirs.create_challenge("BCA_2", asked)
    theirs.withdraw(
        THEIRS,
        _made(
            WithdrawalRequest,
            amount="1.00",
            currency=None,
            destination=Destination(type="counterparty", counterparty_id="CPT_1"),
        ),
    )


def test_an_account_is_opened_whoever_is_served() -> None:
    opened = TradingAccount(id=THEIRS, bank_account_id="DDA-2", bank_account_type="checking")
    seen = Ownership()
    service = layered(Deployment(Written(opened)), seen.bind(lambda _: MINE), seen.check_reply)
    body = op.OPEN_TRADING_ACCOUNT.request
    assert body is not None
    call = Call(op.OPEN_TRADING_ACCOUNT, (), _made(body, bank_account_id="DDA-2"))
    assert service.call(call).value is opened


# -- replies ---------------------------------------------------------------------------------------


def test_a_list_that_holds_another_accounts_record_is_refused() -> None:
    mine, theirs = (
        TRADE.model_copy(update={"id": f"TXN_{number}", "trading_account_id": account_id})
        for number, account_id in enumerate((MINE, THEIRS))
    )
    service = layered(Deployment(_page(mine, theirs)), Ownership().check_reply)
    with pytest.raises(ReplyMismatch, match=f"trade TXN_1 of {THEIRS}, not {MINE}"):
        service.trades(MINE)
    service.all_trades()


def test_a_filter_that_a_deployment_ignores_is_noticed() -> None:
    theirs = QUOTE.model_copy(update={"trading_account_id": THEIRS})
    service = layered(Deployment(_page(theirs)), Ownership().check_reply)
    with pytest.raises(ReplyMismatch, match=THEIRS):
        service.quotes(ListQuery(trading_account_id=MINE))


def test_an_unnamed_record_that_was_seen_under_another_account_is_refused() -> None:
    seen = Ownership()
    seen.learn("TXN_1", THEIRS)
    service = layered(Deployment(_page(TRADE)), seen.check_reply)
    with pytest.raises(ReplyMismatch, match=f"trade TXN_1 of {THEIRS}, not {MINE}"):
        service.trades(MINE)


def test_a_write_with_a_reply_of_another_account_has_an_unknown_outcome() -> None:
    seen = Ownership()
    theirs = TRADE.model_copy(update={"trading_account_id": THEIRS})
    call = Call(op.EXECUTE_QUOTE, ("QTE_1",), ExecuteRequest(trading_account_id=MINE), key="k")
    service = layered(Deployment(Written(theirs)), seen.check_reply)
    with pytest.raises(OutcomeMismatch, match=f"trade TXN_1 of {THEIRS}, not {MINE}") as refused:
        service.call(call)
    assert refused.value.idempotency_key == "k"
    assert seen.owner_of(TRADE.id) == "", "nothing is learned from it"


def test_a_record_seen_under_another_account_is_refused_though_the_client_named_this_one() -> None:
    """The client puts the account that was asked for into a record that names none."""
    seen = Ownership()
    seen.learn("TXN_1", THEIRS)
    named = TRADE.model_copy(update={"trading_account_id": MINE})
    service = layered(Deployment(_page(named)), seen.check_reply)
    with pytest.raises(ReplyMismatch, match=f"trade TXN_1 of {THEIRS}, not {MINE}"):
        service.trades(MINE)
