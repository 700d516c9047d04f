"""Every write is on disk before it is sent, and can be found again by its key."""

from dataclasses import replace
from typing import TypeVar

import pytest
from tests.contract.test_trading import TOKEN, opened, quoted
from tests.world.bank import World

from chainteller.service.errors import (
    InsufficientFunds,
    NotOffered,
    OutcomeMismatch,
    OutcomeUnknown,
    ServiceUnreachable,
    TellerError,
)
from chainteller.service.layers import Layer, Next, layered
from chainteller.service.models.base import Written
from chainteller.service.models.funding import DepositRequest
from chainteller.service.models.quotes import ExecuteRequest
from chainteller.service.models.trades import Trade
from chainteller.service.operations import Call
from chainteller.workspace.recording import Recorder
from chainteller.workspace.store import Kind, SentState, Workspace

Answer = TypeVar("Answer")


def losing(fault: TellerError) -> Layer:
    """Does what it is asked, then fails as it is told to."""

    def lose(call: Call[Answer], onward: Next) -> Answer:
        onward(call)
        raise fault

    return lose


def test_a_write_is_recorded_with_its_outcome(world: World, workspace: Workspace) -> None:
    account = opened(world.engine)
    recorder = Recorder(world.engine, workspace)
    request = DepositRequest(amount="5.00", currency=TOKEN)
    made = recorder.deposit(account.id, request, idempotency_key="mine").value
    [sent] = workspace.sent_requests()
    assert (sent.key, sent.state, sent.answer) == ("mine", SentState.DONE, made.id)
    assert sent.arguments["request"] == {
        "amount": "5.00",
        "currency": {"type": "deposit-token-currency", "id": "DPT_USD"},
    }
    [known] = workspace.known(Kind.TRANSACTION)
    assert (known.id, known.parent) == (made.id, account.id)


def test_a_refusal_is_recorded_and_told(world: World, workspace: Workspace) -> None:
    account, quote = opened(world.engine), quoted(world.engine)
    recorder = Recorder(world.engine, workspace)
    with pytest.raises(InsufficientFunds):
        recorder.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))
    [sent] = workspace.sent_requests()
    assert (sent.state, sent.answer) == (SentState.REFUSED, "INSUFFICIENT_FUNDS")
    assert workspace.in_doubt() == []


def test_a_trade_has_to_have_the_terms_of_a_quote_that_was_only_looked_up(
    world: World, workspace: Workspace
) -> None:
    account, quote = opened(world.engine), quoted(world.engine)
    world.engine.deposit(account.id, DepositRequest(amount="5000.00", currency=TOKEN))

    def twist(call: Call[Answer], onward: Next) -> Answer:
        answer = onward(call)
        if isinstance(answer, Written) and isinstance(answer.value, Trade):
            other = answer.value.model_copy(update={"price": "1.00"})
            twisted: Answer = replace(answer, value=other)
            return twisted
        return answer

    recorder = Recorder(layered(world.engine, twist), workspace)
    assert recorder.quote(quote.id) == quote
    with pytest.raises(OutcomeMismatch, match=r"at 1\.00, not buy sol-usd"):
        recorder.execute_quote(quote.id, ExecuteRequest(trading_account_id=account.id))
    assert [row.state for row in workspace.in_doubt()] == [SentState.UNKNOWN]


def test_the_key_is_saved_before_anything_is_sent(world: World, workspace: Workspace) -> None:
    account = opened(world.engine)
    seen: list[SentState] = []

    def look(call: Call[Answer], onward: Next) -> Answer:
        saved = workspace.sent_request(call.key or "")
        assert saved is not None
        seen.append(saved.state)
        return onward(call)

    Recorder(layered(world.engine, look), workspace).deposit(
        account.id, DepositRequest(amount="5.00", currency=TOKEN)
    )
    assert seen == [SentState.SENT]


def test_what_is_unknown_is_found_under_its_key_and_not_done_twice(
    world: World, workspace: Workspace
) -> None:
    account = opened(world.engine)
    lossy = layered(world.engine, losing(OutcomeUnknown("no answer", "k")))
    request = DepositRequest(amount="5.00", currency=TOKEN)
    with pytest.raises(OutcomeUnknown):
        Recorder(lossy, workspace).deposit(account.id, request, idempotency_key="k")
    [doubtful] = workspace.in_doubt()
    found = Recorder(world.engine, workspace).settle(doubtful.key)
    assert found.replayed
    assert world.engine.deposits(account.id).pagination.total == 1
    assert workspace.in_doubt() == []


def test_what_was_not_sent_is_not_in_doubt(world: World, workspace: Workspace) -> None:
    account = opened(world.engine)
    lossy = layered(world.engine, losing(ServiceUnreachable("no connection")))
    with pytest.raises(ServiceUnreachable):
        Recorder(lossy, workspace).deposit(
            account.id, DepositRequest(amount="5.00", currency=TOKEN)
        )
    assert [sent.state for sent in workspace.sent_requests()] == [SentState.NOT_SENT]


def test_what_was_never_sent_is_not_sent_again(world: World, workspace: Workspace) -> None:
    with pytest.raises(NotOffered):
        Recorder(world.engine, workspace).settle("never")


def test_reads_are_not_recorded(world: World, workspace: Workspace) -> None:
    assert Recorder(world.engine, workspace).markets().data
    assert workspace.sent_requests() == []


def test_a_request_that_cannot_be_recorded_is_not_sent(world: World, workspace: Workspace) -> None:
    service = world.engine
    account = opened(service).id
    desk = Recorder(service, workspace)
    workspace.close()
    with pytest.raises(ServiceUnreachable, match="own record"):
        desk.deposit(account, DepositRequest(amount="5.00", currency=TOKEN))
    assert service.deposits(account).data == ()


def test_an_answer_that_cannot_be_recorded_is_still_the_answer(
    world: World, workspace: Workspace
) -> None:
    def close(call: Call[Answer], onward: Next) -> Answer:
        answer = onward(call)
        workspace.close()
        return answer

    account = opened(world.engine).id
    desk = Recorder(layered(world.engine, close), workspace)
    done = desk.deposit(account, DepositRequest(amount="5.00", currency=TOKEN))
    assert done.value.amount == "5.00"
