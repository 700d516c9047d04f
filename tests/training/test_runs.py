"""Every shipped scenario is solved by a right run and failed, with its reason, by a wrong one."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.training.conftest import OpenSession
from tests.training.worlds import SCENARIOS, scenario

from chainteller.training.playing import play_log, play_steps
from chainteller.training.reports import make_report, to_json, to_lines

RUNS: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("runs.toml").read_text(encoding="utf-8")
)
NAMES = sorted(SCENARIOS)


def test_every_scenario_has_its_runs() -> None:
    assert sorted(RUNS) == NAMES
    assert len(NAMES) >= 12


@pytest.mark.parametrize("name", NAMES)
def test_the_right_run_scores_a_hundred(name: str, begin: OpenSession) -> None:
    session = begin(scenario(name))
    play_steps(session, RUNS[name]["right"])
    report = make_report(session)
    assert report["score"] == 100, "\n".join(to_lines(report))


@pytest.mark.parametrize("name", NAMES)
def test_the_wrong_run_is_failed_and_the_reason_named(name: str, begin: OpenSession) -> None:
    given = scenario(name)
    session = begin(given)
    play_steps(session, RUNS[name]["wrong"])
    report = make_report(session)
    missed = [goal["id"] for goal in report["goals"] if not goal["met"]]
    assert missed == [goal.id for goal in given.goals if goal.id in RUNS[name]["misses"]]
    text = "\n".join(to_lines(report))
    for goal in given.goals:
        assert (goal.missed in text) == (goal.id in missed)
    assert report["score"] < 80


@pytest.mark.parametrize("name", ["no-answer", "wrong-account", "deposit-returned"])
def test_seed_and_log_give_the_same_report_byte_for_byte(name: str, begin: OpenSession) -> None:
    first = begin(scenario(name))
    play_steps(first, ["hint", "checkpoint", *RUNS[name]["wrong"], "undo", *RUNS[name]["right"]])
    report = to_json(make_report(first))
    again = begin(scenario(name))
    play_log(again, json.loads(report)["log"])
    assert to_json(make_report(again)) == report


def test_the_same_steps_give_the_same_report(begin: OpenSession) -> None:
    reports = set()
    for _ in range(2):
        session = begin(scenario("first-steps"))
        play_steps(session, RUNS["first-steps"]["right"])
        reports.add(to_json(make_report(session)))
    assert len(reports) == 1
