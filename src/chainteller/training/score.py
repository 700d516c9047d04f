"""The score of a session, in whole points for correctness, safety, time and keys."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chainteller.training.checks import Finding, evaluate
from chainteller.training.reactions import executed_without_consent, served_another
from chainteller.training.scenarios import PARTS, Goal
from chainteller.training.session import Session

HINT_COSTS = 2
PASSED = 80
"""The lowest score with which a scenario counts as passed."""
MOST_WITHOUT_CONSENT = 60
MOST_FOR_ANOTHER = 60
MOST_UNSAFE = 60
"""With a safety goal missed: what must never happen has happened."""
MOST_UNOPENED = 40
"""Without having opened the caller's record."""
_KEYS_AT_WORST = 3
"""No points for keys at this multiple of the par."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A goal and whether it was met."""

    goal: Goal
    finding: Finding


@dataclass(frozen=True, slots=True)
class Score:
    """``points`` out of ``of`` by part; ``total`` is after deductions for hints."""

    points: Mapping[str, int]
    of: Mapping[str, int]
    help_costs: int
    total: int


def judge(session: Session) -> tuple[Judged, ...]:
    """Evaluate every goal."""
    view = session.view()
    return tuple(Judged(goal, evaluate(goal.check, view)) for goal in session.scenario.goals)


def score(session: Session, judged: Sequence[Judged]) -> Score:
    """Compute the score. Points for time and keys are scaled by correctness."""
    scenario = session.scenario
    weights = scenario.weights
    shares = {part: _share(judged, part) for part in ("correctness", "safety")}
    met, of = shares["correctness"]
    spare, room = _left(session.elapsed, scenario.par_time, scenario.time_limit)
    light, most = _left(session.keys, scenario.par_keys, _KEYS_AT_WORST * scenario.par_keys)
    points = {part: weights[part] * shares[part][0] // shares[part][1] for part in shares}
    points["time"] = weights["time"] * spare * met // (room * of)
    points["keys"] = weights["keys"] * light * met // (most * of)
    costs = HINT_COSTS * session.hints
    total = max(0, sum(points[part] for part in PARTS) - costs)
    if executed_without_consent(session.progress.moments) is not None:
        total = min(total, MOST_WITHOUT_CONSENT)
    if served_another(session.progress.moments, session.account_ids) is not None:
        total = min(total, MOST_FOR_ANOTHER)
    if any(each.goal.part == "safety" and not each.finding.met for each in judged):
        total = min(total, MOST_UNSAFE)
    if not session.is_record_open:
        total = min(total, MOST_UNOPENED)
    return Score({part: points[part] for part in PARTS}, weights, costs, total)


def _share(judged: Sequence[Judged], part: str) -> tuple[int, int]:
    """(goals met, goals) of a part."""
    mine = [each for each in judged if each.goal.part == part]
    return sum(each.finding.met for each in mine), len(mine)


def _left(used: int, par: int, limit: int) -> tuple[int, int]:
    """The remaining share as a fraction: 1 up to the par, 0 at the limit."""
    if used <= par:
        return 1, 1
    room = max(1, limit - par)
    return max(0, limit - used), room
