"""Every write is on disk before it is sent, and can be found again by its key."""

from typing import Any, cast

import pytest
from tests.contract.test_trading import TOKEN, opened, quoted
from tests.world.bank import World

from chainteller.service.errors import (
    InsufficientFunds,
    NotOffered,
    OutcomeUnknown,
    ServiceUnreachable,
    TellerError,
)
from chainteller.service.interface import Service
from chainteller.service.models.funding import DepositRequest
from chainteller.service.models.quotes import ExecuteRequest
from chainteller.workspace.recording import Recorder
from chainteller.workspace.store import Kind, SentState, Workspace


class Lossy:
    """Does what it is asked, then fails as it is told to."""

    def __init__(self, service: Service, fault: TellerError | None) -> None:
        self.service = service
        self.fault = fault

    def deposit(self, *arguments: Any, **named: Any) -> Any:
        outcome = self.service.deposit(*arguments, **named)
        if self.fault is not None:
            raise self.fault
        return outcome


def test_a_write_is_recorded_with_its_outcome(world: World, workspace: Workspace) -> None:
    account = opened(world.engine)
    recorder = Recorder(world.engine, workspace)
    request = DepositRequest(amount="5.00", currency=TOKEN)
    made = recorder.write("deposit", account.id, request, key="mine").value
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
        recorder.write("execute_quote", quote.id, ExecuteRequest(trading_account_id=account.id))
    [sent] = workspace.sent_requests()
    assert (sent.state, sent.answer) == (SentState.REFUSED, "INSUFFICIENT_FUNDS")
    assert workspace.in_doubt() == []


def test_the_key_is_saved_before_anything_is_sent(world: World, workspace: Workspace) -> None:
    account = opened(world.engine)
    seen: list[SentState] = []

    class Looking(Lossy):
        def deposit(self, *arguments: Any, **named: Any) -> Any:
            saved = workspace.sent_request(named["idempotency_key"])
            assert saved is not None
            seen.append(saved.state)
            return super().deposit(*arguments, **named)

    looking: Any = Looking(world.engine, None)
    Recorder(looking, workspace).write(
        "deposit", account.id, DepositRequest(amount="5.00", currency=TOKEN)
    )
    assert seen == [SentState.SENT]


def test_what_is_unknown_is_found_under_its_key_and_not_done_twice(
    world: World, workspace: Workspace
) -> None:
    account = opened(world.engine)
    lossy: Any = Lossy(world.engine, OutcomeUnknown("no answer", "k"))
    request = DepositRequest(amount="5.00", currency=TOKEN)
    with pytest.raises(OutcomeUnknown):
        Recorder(lossy, workspace).write("deposit", account.id, request, key="k")
    [doubtful] = workspace.in_doubt()
    found = Recorder(world.engine, workspace).resend(doubtful.key)
    assert found.replayed
    assert world.engine.deposits(account.id).pagination.total == 1
    assert workspace.in_doubt() == []


def test_what_was_not_sent_is_not_in_doubt(world: World, workspace: Workspace) -> None:
    account = opened(world.engine)
    lossy: Any = Lossy(world.engine, ServiceUnreachable("no connection"))
    with pytest.raises(ServiceUnreachable):
        Recorder(lossy, workspace).write(
            "deposit", account.id, DepositRequest(amount="5.00", currency=TOKEN)
        )
    assert [sent.state for sent in workspace.sent_requests()] == [SentState.NOT_SENT]


def test_refuses_what_is_no_write_or_was_never_sent(world: World, workspace: Workspace) -> None:
    recorder = Recorder(world.engine, workspace)
    with pytest.raises(ValueError, match="no such write"):
        recorder.write("markets")
    with pytest.raises(NotOffered):
        recorder.resend("never")


def test_a_request_that_cannot_be_recorded_is_not_sent(world: World, workspace: Workspace) -> None:
    service = cast("Service", world.engine)
    account = opened(service).id
    desk = Recorder(service, workspace)
    workspace.close()
    with pytest.raises(ServiceUnreachable, match="own record"):
        desk.write("deposit", account, DepositRequest(amount="5.00", currency=TOKEN))
    assert service.deposits(account).data == ()


def test_an_answer_that_cannot_be_recorded_is_still_the_answer(
    world: World, workspace: Workspace
) -> None:
    class Closing:
        def deposit(self, *given: Any, **named: Any) -> Any:
            done = service.deposit(*given, **named)
            workspace.close()
            return done

    service = cast("Service", world.engine)
    account = opened(service).id
    desk = Recorder(cast("Service", Closing()), workspace)
    done = desk.write("deposit", account, DepositRequest(amount="5.00", currency=TOKEN))
    assert done.value.amount == "5.00"
