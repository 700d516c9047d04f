"""Session reports for screen and file; the same session gives the same bytes."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from chainteller.domain.clock import SECOND
from chainteller.records.formats import countdown
from chainteller.training.reactions import executed_without_consent, served_another
from chainteller.training.scenarios import PARTS
from chainteller.training.score import (
    MOST_FOR_ANOTHER,
    MOST_UNOPENED,
    MOST_UNSAFE,
    MOST_WITHOUT_CONSENT,
    Judged,
    judge,
    score,
)
from chainteller.training.session import Session
from chainteller.training.timeline import DONE, TOLD, Moment

FORMAT = 1


def make_report(session: Session) -> dict[str, Any]:
    """Report a session as plain values: goals, refusals and times."""
    judged = judge(session)
    result, scenario = score(session, judged), session.scenario
    no_consent = executed_without_consent(session.progress.moments)
    another = served_another(session.progress.moments, session.account_ids)
    return {
        "format": FORMAT,
        "scenario": scenario.name,
        "title": scenario.title,
        "digest": scenario.digest,
        "seed": session.seed,
        "score": result.total,
        "parts": {part: {"points": result.points[part], "of": result.of[part]} for part in PARTS},
        "helpCosts": result.help_costs,
        "withoutConsent": "" if no_consent is None else _since(session, no_consent.at),
        "forAnother": "" if another is None else _since(session, another.at),
        "recordOpened": session.is_record_open,
        "goals": [_goal(session, each) for each in judged],
        "refusals": [_refusal(session, each) for each in session.progress.moments if _fails(each)],
        "told": [
            {"at": _since(session, each.at), "text": each.text}
            for each in session.progress.moments
            if each.name == TOLD
        ],
        "time": {
            "used": clock(session.elapsed),
            "par": clock(scenario.par_time),
            "limit": clock(scenario.time_limit),
        },
        "keys": {"used": session.keys, "par": scenario.par_keys},
        "hints": session.hints,
        "book": list(scenario.book),
    }


def to_json(report: Mapping[str, Any]) -> str:
    """One line per field, in a fixed order, ending in a line break."""
    rows = (
        f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
        for name, value in report.items()
    )
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _evidence(goal: Mapping[str, Any]) -> str:
    """The fact and time in parentheses, or nothing if there is neither."""
    words = [goal["fact"]] if goal["fact"] else []
    words += [f"at {goal['at']}"] if goal["at"] else []
    return f" ({', '.join(words)})" if words else ""


def to_lines(report: Mapping[str, Any]) -> list[str]:
    """Format a report for reading: goals, refusals, references."""
    parts = ", ".join(
        f"{part} {each['points']} of {each['of']}" for part, each in report["parts"].items()
    )
    time, keys = report["time"], report["keys"]
    lines = [
        f"{report['title']}",
        f"SCORE {report['score']} of 100",
        parts,
        f"time {time['used']} (par {time['par']}, limit {time['limit']})   "
        f"keys {keys['used']} (par {keys['par']})   "
        f"hints {report['hints']}",
        "",
        "GOALS",
    ]
    for goal in report["goals"]:
        lines.append(f"{'[ok]' if goal['met'] else '[x] '} {goal['part']}: {goal['says']}")
        if not goal["met"]:
            lines.append(f"       {goal['reason']}{_evidence(goal)}")
            if goal["book"]:
                lines.append(f"       {goal['book']}")
    lines += _limits(report)
    if report["refusals"]:
        lines += ["", "Refused by the service"]
        lines += [f"{each['at']}  {each['call']}  {each['code']}" for each in report["refusals"]]
    if report["book"]:
        lines += ["", "Reference", *(f"- {each}" for each in report["book"])]
    return lines


def _limits(report: Mapping[str, Any]) -> Iterator[str]:
    """What limits the score, each with its reason."""
    if report.get("withoutConsent"):
        yield from [
            "",
            f"The quote was executed at {report['withoutConsent']} without the customer's consent: "
            f"at most {MOST_WITHOUT_CONSENT} points.",
            "Guide: Serve customers, Buy and sell",
        ]
    if report.get("forAnother"):
        yield from [
            "",
            f"The request at {report['forAnother']} was for an account of another customer: "
            f"at most {MOST_FOR_ANOTHER} points.",
            "Guide: Serve customers, Find a customer",
        ]
    if not report.get("recordOpened", True):
        yield from [
            "",
            f"The caller's record was never opened: at most {MOST_UNOPENED} points.",
            "Guide: Serve customers, Find a customer",
        ]
    if any(goal["part"] == "safety" and not goal["met"] for goal in report["goals"]):
        yield from ["", f"A safety goal was missed: at most {MOST_UNSAFE} points."]


def _goal(session: Session, judged: Judged) -> dict[str, Any]:
    goal, finding = judged.goal, judged.finding
    return {
        "id": goal.id,
        "part": goal.part,
        "says": goal.says,
        "met": finding.met,
        "reason": "" if finding.met else goal.missed,
        "fact": finding.fact,
        "at": "" if finding.at is None else _since(session, finding.at),
        "book": goal.book,
    }


def _fails(moment: Moment) -> bool:
    """Whether a moment is a refused action; diagnoses don't count."""
    return moment.outcome not in {"", DONE} and moment.method != "diagnose_signature"


def _refusal(session: Session, moment: Moment) -> dict[str, str]:
    return {
        "at": _since(session, moment.at),
        "call": moment.method,
        "code": moment.outcome,
        "message": moment.text,
    }


def _since(session: Session, at: int) -> str:
    return clock(max(0, at - session.started_at))


def clock(microseconds: int) -> str:
    """A time that was taken or is allowed, in whole seconds."""
    return countdown(microseconds // SECOND)
