"""The session's clock, faults and words."""

from collections.abc import Callable
from typing import Any, cast

import pytest
from tests.training.conftest import OpenSession
from tests.training.test_scenarios import GOOD
from tests.training.worlds import scenario

from chainteller.domain.clock import MINUTE, SECOND
from chainteller.service.errors import OutcomeUnknown, ServiceUnreachable
from chainteller.service.models.counterparties import RegisterCounterparty
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.training.playing import play_steps
from chainteller.training.progress import DueWorkStuck, NothingToSign
from chainteller.training.reading import ScenarioInvalid
from chainteller.training.reports import make_report, to_json
from chainteller.training.scenarios import Scenario
from chainteller.training.session import Session
from chainteller.training.world import TrainingWorld

Write = Callable[[str], Scenario]
FUNDED = GOOD.replace(
    "par_keys = 10", 'par_keys = 10\nsetup = ["open checking", "deposit 1000.00"]'
)


def with_fault(fault: str) -> str:
    return f"{FUNDED}\n[[fault]]\n{fault}\n"


def execute(session: Session, key: str = "k1", quote: str = "") -> str:
    account = session.account_id or ""
    if not quote:
        request = QuoteRequest(amount="100.00", side="buy", trading_account_id=account)
        quote = session.service.create_quote("sol-usd", request, idempotency_key="q1").value.id
    request_ = ExecuteRequest(trading_account_id=account)
    session.service.execute_quote(quote, request_, idempotency_key=key)
    return quote


def count_trades(session: Session) -> int:
    return session.service.trades(session.account_id or "").pagination.total


def test_time_passes_only_when_it_is_moved(begin: OpenSession, write: Write) -> None:
    session = begin(write(FUNDED))
    before = session.clock.now()
    execute(session)
    assert session.clock.now() == before
    session.advance(40 * SECOND)
    assert session.elapsed == 40 * SECOND


class Stuck:
    """A bank whose due work is never done, or comes back each time."""

    def __init__(self, world: TrainingWorld, done: int) -> None:
        self._world, self._done = world, done

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world, name)

    def run_due(self) -> int:
        return self._done


@pytest.mark.parametrize("done", [0, 500], ids=["never taken", "always back"])
def test_due_work_that_is_never_done_ends_in_a_named_error(
    begin: OpenSession, write: Write, done: int
) -> None:
    session = begin(write(FUNDED))
    execute(session)
    session._world = cast("TrainingWorld", Stuck(session._world, done))
    for move in (lambda: session.advance(MINUTE), session.step):
        with pytest.raises(DueWorkStuck) as stuck:
            move()
        assert stuck.value.code == "DUE_WORK_STUCK"
        assert stuck.value.suggestion


def test_what_falls_due_happens_at_its_own_instant(begin: OpenSession, write: Write) -> None:
    session = begin(write(FUNDED))
    execute(session)
    session.advance(5 * MINUTE)
    trade = session.service.trades(session.account_id or "").data[0]
    assert trade.status == "settled"
    assert trade.executed_at is not None
    assert (trade.executed_at - trade.created).total_seconds() == 10
    assert trade.settled_at is not None
    assert (trade.settled_at - trade.created).total_seconds() == 30


def test_the_size_of_the_steps_changes_nothing(begin: OpenSession, write: Write) -> None:
    reports = []
    for step in (SECOND, 40 * SECOND):
        session = begin(write(FUNDED))
        execute(session)
        for _ in range(40 * SECOND // step):
            session.advance(step)
        reports.append(to_json(make_report(session)))
    assert reports[0] == reports[1]


def test_a_step_goes_to_the_next_thing_that_happens(begin: OpenSession, write: Write) -> None:
    story = '[[story]]\non = "execute_quote"\nafter = "7s"\nsays = "And?"\n'
    session = begin(write(FUNDED + story))
    execute(session)
    session.advance(SECOND)
    assert session.step() == 6 * SECOND
    assert session.progress.heard[-1][1] == "And?"


def test_a_dropped_reply_is_an_unknown_outcome_of_what_was_done(
    begin: OpenSession, write: Write
) -> None:
    session = begin(write(with_fault('kind = "dropped-reply"\nmethod = "execute_quote"')))
    with pytest.raises(OutcomeUnknown) as unknown:
        execute(session)
    assert unknown.value.idempotency_key == "k1"
    assert count_trades(session) == 1


def test_repeating_with_the_same_key_gives_the_trade_that_was_made(
    begin: OpenSession, write: Write
) -> None:
    session = begin(write(with_fault('kind = "dropped-reply"\nmethod = "execute_quote"')))
    with pytest.raises(OutcomeUnknown):
        execute(session)
    quote = session.service.quotes(ListQuery(trading_account_id=session.account_id)).data[0].id
    execute(session, quote=quote)
    assert count_trades(session) == 1


def test_a_lost_request_did_nothing(begin: OpenSession, write: Write) -> None:
    session = begin(write(with_fault('kind = "lost-request"\nmethod = "execute_quote"')))
    with pytest.raises(OutcomeUnknown):
        execute(session)
    assert count_trades(session) == 0


def test_an_outage_ends_by_itself(begin: OpenSession, write: Write) -> None:
    session = begin(write(with_fault('kind = "outage"\nlasts = "30s"')))
    with pytest.raises(ServiceUnreachable):
        session.service.markets()
    session.advance(30 * SECOND)
    assert session.service.markets().data


def test_latency_is_time_on_the_sessions_clock(begin: OpenSession, write: Write) -> None:
    session = begin(write(with_fault('kind = "latency"\nmethod = "create_quote"\nlasts = "9s"')))
    execute(session)
    assert session.elapsed == 9 * SECOND


@pytest.mark.parametrize("code", ["INTERNAL_ERROR", "RATE_LIMITED", "SERVICE_UNAVAILABLE"])
def test_a_refusal_comes_as_often_as_it_says(begin: OpenSession, write: Write, code: str) -> None:
    fault = f'kind = "refusal"\nmethod = "create_quote"\ncode = "{code}"\ntimes = 2'
    session = begin(write(with_fault(fault)))
    play_steps(session, ["quote sol-usd buy 100.00"] * 3)
    outcomes = [each.outcome for each in session.progress.moments if each.outcome]
    assert outcomes == [code, code, "done"]


def test_hints_cost_and_the_last_one_stays(begin: OpenSession, write: Write) -> None:
    text = FUNDED.replace("par_keys = 10", 'par_keys = 10\nhints = ["one", "two"]')
    session = begin(write(text))
    assert [session.hint() for _ in range(3)] == ["one", "two", "two"]


def test_a_customer_without_a_challenge_signs_nothing(begin: OpenSession, write: Write) -> None:
    with pytest.raises(NothingToSign):
        begin(write(FUNDED)).sign()


def test_a_pasted_secret_is_not_in_the_report(begin: OpenSession, write: Write) -> None:
    session = begin(write(FUNDED))
    secret = "abandon " * 11 + "about"  # the published example phrase
    play = RegisterCounterparty(address=secret, network="ethereum")
    with pytest.raises(Exception, match="isn't an address"):
        session.service.register_counterparty(play, idempotency_key="s1")
    assert "abandon" not in to_json(make_report(session))


def test_a_setup_that_cannot_be_done_is_the_scenarios_fault(
    begin: OpenSession, write: Write
) -> None:
    with pytest.raises(ScenarioInvalid, match="setup 1"):
        begin(write(FUNDED.replace("open checking", "deposit 5")))


def test_the_time_limit_ends_what_speed_can_earn(begin: OpenSession) -> None:
    session = begin(scenario("cancel-too-late"))
    play_steps(session, ["look", "say too-late", "wait 9m"])
    report = make_report(session)
    assert session.is_over
    assert report["parts"]["time"]["points"] == 0
    assert report["parts"]["correctness"]["points"] == 50


def test_what_the_trainee_has_made_impossible_does_not_happen(
    begin: OpenSession, write: Write
) -> None:
    change = '[[world]]\non = "cancel_withdrawal"\nafter = "1s"\nchange = "fail-withdrawal"\n'
    session = begin(write(FUNDED + change))
    play_steps(session, ["withdraw 10.00", "stop"])
    session.advance(10 * SECOND)
    (made,) = session.service.withdrawals(session.account_id or "").data
    assert made.status == "cancelled"
