"""Every shipped scenario is solved by a right run and failed, with its reason, by a wrong one."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import in_this_process
from tests.training.conftest import OpenSession
from tests.training.worlds import SCENARIOS, WALLETS, open_session, scenario

from chainteller.service.interface import Service
from chainteller.service.models.counterparties import (
    BlockchainAccount,
    OpenBlockchainAccount,
    ReverificationRequest,
)
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.training import coverage
from chainteller.training.playing import play_steps
from chainteller.training.reports import make_report, to_json, to_lines
from chainteller.training.scenarios import Caller, Scenario, filled, load
from chainteller.training.session import Session

RUNS: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("runs.toml").read_text(encoding="utf-8")
)
NAMES = sorted(SCENARIOS)
CALLER = Caller("Ada Quist", "DDA-1")
QUICK = frozenset(NAMES[::3])
EACH = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in NAMES]
"""Every scenario; every third is played without ``-m slow``, half of them in the quick line."""


def steps_of(session: Session, kind: str) -> list[str]:
    """The written steps of a run, with what the seed has drawn."""
    steps: list[str] = filled(RUNS[session.scenario.name][kind], session.scenario.drawn)
    return steps


def test_every_scenario_has_its_runs() -> None:
    assert sorted(RUNS) == NAMES
    assert len(NAMES) >= 30


@pytest.mark.forms(9)
@pytest.mark.parametrize("name", EACH)
def test_the_right_run_scores_at_least_95(name: str, begin: OpenSession) -> None:
    session = begin(scenario(name))
    play_steps(session, steps_of(session, "right"))
    report = make_report(session)
    assert report["score"] >= 95, "\n".join(to_lines(report))


@pytest.mark.forms(9)
@pytest.mark.parametrize("name", EACH)
def test_the_wrong_run_is_failed_and_the_reason_named(name: str, begin: OpenSession) -> None:
    session = begin(scenario(name))
    given = session.scenario
    play_steps(session, steps_of(session, "wrong"))
    report = make_report(session)
    missed = [goal["id"] for goal in report["goals"] if not goal["met"]]
    assert missed == [goal.id for goal in given.goals if goal.id in RUNS[name]["misses"]]
    text = "\n".join(to_lines(report))
    for goal in given.goals:
        assert (goal.missed in text) == (goal.id in missed)
    assert report["score"] <= 60


@pytest.mark.forms(9)
@pytest.mark.parametrize("name", EACH)
def test_words_without_the_record_never_pass(name: str, begin: OpenSession) -> None:
    session = begin(scenario(name))
    for statement in session.statements:
        session.say(statement.id)
    report = make_report(session)
    assert report["score"] < 60
    assert "The caller's record was never opened" in "\n".join(to_lines(report))


@pytest.mark.forms(9)
@pytest.mark.parametrize("name", EACH)
def test_a_wrong_thing_said_fails_even_the_right_run(name: str, begin: OpenSession) -> None:
    said = {step.split()[1] for step in RUNS[name]["right"] if step.startswith(("say", "agree"))}
    for each in scenario(name).statements:
        if each.id not in said:
            session = begin(scenario(name))
            play_steps(session, [*steps_of(session, "right"), f"say {each.id}"])
            assert make_report(session)["score"] <= 60, each.id


def test_the_same_steps_give_the_same_report(begin: OpenSession) -> None:
    reports = set()
    for _ in range(2):
        session = begin(scenario("first-steps"))
        play_steps(session, steps_of(session, "right"))
        reports.add(to_json(make_report(session)))
    assert len(reports) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_what_a_scenario_covers_happens_in_one_of_its_runs(name: str, begin: OpenSession) -> None:
    happened: set[str] = set()
    for kind in ("right", "wrong"):
        session = begin(scenario(name))
        play_steps(session, steps_of(session, kind))
        happened |= {moment.outcome for moment in session.progress.moments}
    assert {code for code in scenario(name).covers if code in coverage.OPERATION_ERRORS} <= happened


def test_the_scenarios_cover_every_error_state_and_daily_task() -> None:
    lines = coverage.coverage(scenario(name) for name in NAMES)
    assert [line.name for line in lines if not line.scenarios] == []
    known = {line.name for line in lines} | {"wallet revoked"}
    assert {name for each in NAMES for name in scenario(each).covers} <= known
    ended = in_this_process("scenarios", "coverage", "--json")
    assert ended.code == 0
    assert len(ended.body["data"]) == len(lines)


TRADING = sorted(name for name in NAMES if "execute" in RUNS[name]["right"])


@pytest.mark.slow
@pytest.mark.parametrize("name", TRADING)
def test_without_the_customers_consent_a_run_never_scores_above_60(
    name: str, begin: OpenSession
) -> None:
    session = begin(scenario(name))
    steps = [step for step in steps_of(session, "right") if not step.startswith("agree ")]
    play_steps(session, steps)
    report = make_report(session)
    assert report["score"] <= 60
    assert report["withoutConsent"]
    assert "without the customer's consent: at most 60 points" in "\n".join(to_lines(report))


def _deposit(service: Service, account: BlockchainAccount) -> None:
    token = Currency(type="deposit-token-currency", id="DPT_USD")
    service.deposit(account.trading_account_id, DepositRequest(amount="1.00", currency=token))


def _open_blockchain_account(service: Service, account: BlockchainAccount) -> None:
    network = "tron" if account.network != "tron" else "bitcoin"
    trading_account_id = account.trading_account_id
    asked = OpenBlockchainAccount(trading_account_id=trading_account_id, network=network)
    service.open_blockchain_account(asked)


def _ask_for_a_new_proof(service: Service, account: BlockchainAccount) -> None:
    (linked, *_) = service.linked_counterparties(account.id).data
    reason = ReverificationRequest(reason="AGENT_REQUEST")
    service.require_reverification(account.id, linked.id, reason)


@pytest.mark.parametrize("serve", [_deposit, _open_blockchain_account, _ask_for_a_new_proof])
def test_a_run_that_serves_another_customer_too_never_scores_above_60(
    begin: OpenSession, serve: Callable[[Service, BlockchainAccount], None]
) -> None:
    session = begin(scenario("first-steps"))
    play_steps(session, steps_of(session, "right"))
    assert make_report(session)["forAnother"] == ""
    others = (
        each
        for each in session.service.blockchain_accounts(ListQuery(limit=100)).data
        if each.trading_account_id not in session.account_ids
        and session.service.linked_counterparties(each.id).data
    )
    serve(session.service, next(others))
    report = make_report(session)
    assert report["score"] <= 60
    assert "was for an account of another customer: at most 60 points" in "\n".join(
        to_lines(report)
    )


def test_an_order_for_anybody_else_was_also_traded(begin: OpenSession) -> None:
    session = begin(scenario("first-steps"))
    play_steps(session, steps_of(session, "right"))
    other = next(
        each
        for each in session.service.trading_accounts(ListQuery(limit=100)).data
        if each.id not in session.account_ids and each.buying_power != "0.00"
    )
    quote = session.service.create_quote("sol-usd", QuoteRequest(amount="1.00", side="buy")).value
    session.service.execute_quote(quote.id, ExecuteRequest(trading_account_id=other.id))
    goals = {goal["id"]: goal["met"] for goal in make_report(session)["goals"]}
    assert (goals["one-trade"], goals["bought"]) == (False, True)


MONEY, CAUSES = ("percent", "amount", "typed"), ("why", "who", "spoken", "network")


def assert_money_and_cause_differ(drawn: list[Scenario]) -> None:
    for names in (MONEY, CAUSES):
        values = {tuple(each.drawn.get(name) for name in names) for each in drawn}
        assert len(values) > 1, (drawn[0].name, names)


def test_money_and_cause_differ_between_seeds_and_nothing_is_left_to_fill_in() -> None:
    for name in NAMES:
        drawn = [load(SCENARIOS[name], WALLETS, str(seed), CALLER) for seed in range(6)]
        assert_money_and_cause_differ(drawn)
        for each in drawn:
            said = [each.title, each.about, *each.setup, *each.hints]
            said += [story.says for story in each.story]
            said += [statement.text for statement in each.statements]
            said += [text for goal in each.goals for text in (goal.says, goal.missed)]
            assert not any("{" in text for text in said), name


def play_seed(folder: Path, base: Path, name: str, seed: str) -> Session:
    """A right run scores, a careless one and one without consent don't; the session of the right
    run."""
    session = open_session(folder / f"{seed}-right", base, scenario(name), seed)
    play_steps(session, steps_of(session, "right"))
    report = make_report(session)
    assert report["score"] >= 95, "\n".join([seed, *to_lines(report)])
    session.close()
    careless = open_session(folder / f"{seed}-careless", base, scenario(name), seed)
    play_steps(careless, steps_of(careless, "wrong"))
    assert make_report(careless)["score"] <= 60, seed
    careless.close()
    if name in TRADING:
        other = open_session(folder / f"{seed}-wrong", base, scenario(name), seed)
        steps = [each for each in steps_of(other, "right") if not each.startswith("agree ")]
        play_steps(other, steps)
        assert make_report(other)["score"] <= 60
        other.close()
    return session


def _check_seeds(folder: Path, base: Path, names: list[str], seeds: range) -> None:
    for name in names:
        drawn = [play_seed(folder, base, name, str(seed)) for seed in seeds]
        assert len({each.scenario.customer.bank_account for each in drawn}) > len(drawn) // 10
        assert len({each.caller.name for each in drawn}) > 1
        assert_money_and_cause_differ([each.scenario for each in drawn])


def test_person_money_and_temperament_differ_between_seeds(tmp_path: Path, base: Path) -> None:
    _check_seeds(tmp_path, base, ["first-steps"], range(6))


@pytest.mark.slow
def test_a_hundred_seeds_of_every_scenario(tmp_path: Path, base: Path) -> None:
    _check_seeds(tmp_path, base, NAMES, range(100))
