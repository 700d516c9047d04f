"""Training at the command line: listing, checking, playing and summing up.

No configuration is read: whatever is configured, training runs on a bank of its own making.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from chainteller.cli.error_output import Exit, Usage, report_error, say
from chainteller.cli.options import wants_json
from chainteller.cli.output import document, line, table, verbatim
from chainteller.domain.clock import SystemClock
from chainteller.paths import Paths, locate, shipped
from chainteller.training.coverage import coverage
from chainteller.training.playing import play_log, play_steps
from chainteller.training.reading import ScenarioInvalid, did_you_mean
from chainteller.training.reports import (
    clock,
    from_json,
    make_report,
    summarise_lines,
    summarised,
    to_json,
    to_lines,
)
from chainteller.training.results import (
    PASSED,
    Result,
    Standing,
    keep_result,
    next_scenario,
    read_results,
    standings,
)
from chainteller.training.scenarios import Scenario, find_scenarios, load, number_of
from chainteller.wallets.simulated import SampleWallet, sample_wallets

if TYPE_CHECKING:
    from chainteller.training.session import Session


def show_list() -> int:
    """List the scenarios, easiest first; one that cannot be read is named and left out."""
    found = _by_ease(report_error)
    if wants_json():
        rows = [
            {"number": each.label, "name": each.name, "title": each.title, "level": each.level}
            for each in found
        ]
        document({"data": rows})
        return Exit.DONE
    table(
        found,
        [
            ("SCENARIO", lambda each: each.label),
            ("LEVEL>", lambda each: each.level),
            ("PAR>", lambda each: clock(each.par_time)),
            ("TITLE", lambda each: each.title),
        ],
    )
    say("Next: chainteller train SCENARIO")
    return Exit.DONE


def show_progress() -> int:
    """Show the results of every scenario so far, and offer the next one."""
    found = _standings()
    following = next_scenario(found, _newest())
    if wants_json():
        rows = [{**asdict(each), "passed": each.is_passed} for each in found]
        document({"data": rows, "next": following or None})
        return Exit.DONE
    table(
        found,
        [
            ("SCENARIO", lambda each: each.label),
            ("LEVEL>", lambda each: each.level),
            ("RUNS>", lambda each: each.runs),
            ("BEST>", lambda each: each.best),
            ("LAST>", lambda each: each.last),
            ("PASSED", lambda each: each.is_passed),
            ("TITLE", lambda each: each.title),
        ],
    )
    line(
        f"{sum(each.is_passed for each in found)} of {len(found)} passed ({PASSED} points or more)"
    )
    say(_next_line(following))
    return Exit.DONE


def run(scenario: str, *, seed: str, report: Path | None) -> int:
    """Run a scenario in the console, and then each that is chosen at the end of one.

    Its report is printed, written where asked for, and its result is kept.
    """
    from chainteller.cli.desk import require_terminal, training_look

    require_terminal()
    from chainteller.tui.training.console import run_training

    given, following = _scenario(scenario), ""

    def at_the_desk(session: "Session") -> int:
        nonlocal following
        look = training_look(locate(os.environ))
        code, following = run_training(session, look, _kept)
        return code

    code = _session(given, seed, report, at_the_desk)
    while following:
        given, following = _scenario(following), ""
        code = _session(given, seed, report, at_the_desk)
    return code


def _kept(report: Mapping[str, object]) -> tuple[tuple[Standing, ...], str]:
    """Keep the result of a session that ended; where everything stands, and the next scenario.

    A result that can't be kept is left out: the report is shown all the same.
    """
    name, score = str(report["scenario"]), report["score"]
    if isinstance(score, int):
        result = Result(name, str(report["seed"]), score, SystemClock().now())
        with contextlib.suppress(OSError):
            keep_result(_results(), result)
    found = _standings()
    return found, next_scenario(found, name)


def _standings() -> tuple[Standing, ...]:
    return standings(_by_ease(lambda _: None), read_results(_results()))


def _by_ease(unreadable: Callable[[ScenarioInvalid], object]) -> list[Scenario]:
    """Every scenario, the easiest first; one that can't be read is told and left out."""
    found = []
    for path in _files(locate(os.environ)).values():
        try:
            found.append(load(path, _wallets()))
        except ScenarioInvalid as error:
            unreadable(error)
    return sorted(found, key=lambda each: each.ease)


def _newest() -> str:
    """The scenario that was run last."""
    results = read_results(_results())
    return results[-1].scenario if results else ""


def _results() -> Path:
    return locate(os.environ).state / "training.jsonl"


def _next_line(following: str) -> str:
    if not following:
        return "You have passed every scenario. Next: chainteller train --list"
    return f"Next: chainteller train {number_of(_files(locate(os.environ))[following])}"


def play(scenario: str, steps: TextIO, *, seed: str, report: Path | None) -> int:
    """Play written steps; each is shown with what the service said."""

    def played(session: "Session") -> int:
        play_steps(session, steps, say)
        passed = make_report(session)["score"] >= PASSED
        return Exit.DONE if passed else Exit.REFUSED

    return _session(_scenario(scenario), seed, report, played)


def replay(source: TextIO, *, report: Path | None) -> int:
    """Play a report's log again; it says whether the same report came out.

    Raises:
        Usage: it is no report, or one of another version of the scenario.
    """
    text = source.read()
    try:
        first = from_json(text)
    except ValueError as error:
        raise Usage(f"{source.name}: {error}") from None
    given = _scenario(str(first["scenario"]))
    if given.digest != first["digest"]:
        raise Usage(f"{given.name} has changed since that report was made.")
    outcome: list[str] = []

    def again(session: "Session") -> int:
        play_log(session, first["log"])
        same = to_json(make_report(session)) == text
        outcome.append("the same report" if same else "ANOTHER report: it was changed")
        return Exit.DONE if same else Exit.REFUSED

    code = _session(given, str(first["seed"]), report, again)
    say(*outcome)
    return code


def validate(file: Path) -> int:
    """Check a scenario file and name every problem."""
    try:
        found = load(file, _wallets())
    except ScenarioInvalid as error:
        if wants_json():
            document({"ok": False, "problems": list(error.problems)})
        say(*(f"{error.code}: {problem}" for problem in error.problems))
        say(f"Next: {error.suggestion}")
        return Exit.REFUSED
    if wants_json():
        document({"ok": True, "name": found.name, "title": found.title})
    else:
        line(f"ok: {found.name}, {found.title}")
    return Exit.DONE


def show_coverage() -> int:
    """Show what the scenarios practise, one line per error, state and task."""
    found = coverage(load(path, _wallets()) for path in _files(locate(os.environ)).values())
    if wants_json():
        document({"data": [asdict(each) for each in found]})
    else:
        table(
            found,
            [
                ("KIND", lambda each: each.kind),
                ("PRACTISED", lambda each: each.name),
                ("SCENARIOS", lambda each: ", ".join(each.scenarios)),
            ],
        )
    return Exit.DONE if all(each.scenarios for each in found) else Exit.REFUSED


def summarise(files: Iterable[Path]) -> int:
    """Sum up reports, in the order given."""
    reports = []
    for file in files:
        try:
            reports.append(from_json(file.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise Usage(f"{file.name}: {error}") from None
    if wants_json():
        document(summarised(reports))
        return Exit.DONE
    for row in summarise_lines(reports):
        line(row)
    return Exit.DONE


def _session(
    scenario: Scenario, seed: str, report: Path | None, run_it: Callable[["Session"], int]
) -> int:
    from chainteller.bootstrap import training_session
    from chainteller.cli.temporary_database import TemporaryDatabase

    say(f"preparing the bank of scenario {scenario.label} ...")
    with TemporaryDatabase() as folder:
        bank = folder.path / "bank"
        bank.mkdir()
        session = training_session(locate(os.environ), scenario, bank, seed)
        try:
            code = run_it(session)
            made = make_report(session)
        finally:
            session.close()
    _show(made)
    if not wants_json():
        _offer_next(made)
    if report is not None:
        try:
            report.write_text(to_json(made), encoding="utf-8")
        except OSError as error:
            raise Usage(f"{report}: {error.strerror}") from None
        say(f"report written to {report}")
    return code


def _offer_next(report: Mapping[str, object]) -> None:
    """The same scenario again until it is passed, then the one that follows it."""
    name, score = str(report["scenario"]), report["score"]
    passed = isinstance(score, int) and score >= PASSED
    found = [
        replace(each, best=PASSED) if each.name == name and passed else each
        for each in _standings()
    ]
    say(_next_line(next_scenario(found, name)))


def _show(report: Mapping[str, object]) -> None:
    if wants_json():
        verbatim(to_json(report))
        return
    for row in to_lines(report):
        line(row)


def _scenario(name: str) -> Scenario:
    files = _files(locate(os.environ))
    if name.isdecimal():
        numbers = {number_of(path): each for each, path in files.items()}
        name = numbers.get(name.lstrip("0"), name)
    if name not in files:
        meant = did_you_mean(name, files)
        raise Usage(f"No scenario {name}{meant}.", "chainteller train --list")
    return load(files[name], _wallets())


def _files(paths: Paths) -> dict[str, Path]:
    """The shipped scenarios, then the user's own beside the configuration file."""
    own = paths.config_file.parent / "scenarios"
    return find_scenarios([shipped("sample_data") / "scenarios", own])


def _wallets() -> tuple[SampleWallet, ...]:
    return sample_wallets(shipped("sample_data") / "wallets.toml")
