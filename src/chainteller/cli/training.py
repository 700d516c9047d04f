"""Training at the command line: listing, checking and playing.

No configuration is read: whatever is configured, training runs on a bank of its own making.
"""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from chainteller.cli.error_output import Exit, Usage, report_error, say
from chainteller.cli.options import wants_json
from chainteller.cli.output import document, line, table, verbatim
from chainteller.given_files import read_text
from chainteller.paths import Paths, locate, shipped
from chainteller.settings.values import why_unreadable
from chainteller.training.coverage import coverage
from chainteller.training.playing import play_steps
from chainteller.training.reading import ScenarioInvalid, did_you_mean
from chainteller.training.reports import clock, make_report, to_json, to_lines
from chainteller.training.scenarios import Scenario, find_scenarios, load, number_of
from chainteller.training.score import PASSED
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


def run(scenario: str, *, seed: str, report: Path | None) -> int:
    """Run a scenario in the console; its report is printed, and written where asked for."""
    from chainteller.cli.desk import require_terminal, training_look

    require_terminal()
    from chainteller.tui.training.console import run_training

    def at_the_desk(session: "Session") -> int:
        return run_training(session, training_look(locate(os.environ)))

    return _session(_scenario(scenario), seed, report, at_the_desk)


def _by_ease(unreadable: Callable[[ScenarioInvalid], object]) -> list[Scenario]:
    """Every scenario, the easiest first; one that can't be read is told and left out."""
    found = []
    for path in _files(locate(os.environ)).values():
        try:
            found.append(load(path, _wallets()))
        except ScenarioInvalid as error:
            unreadable(error)
    return sorted(found, key=lambda each: each.ease)


def play(scenario: str, steps: Path, *, seed: str, report: Path | None) -> int:
    """Play written steps, those of stdin for ``-``; each is shown with what the service said.
    Raises Usage: the file can't be read.
    """
    try:
        lines = sys.stdin if str(steps) == "-" else read_text(steps).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Usage(f"{steps}: {why_unreadable(error)}.", "Name a file with steps.") from None

    def played(session: "Session") -> int:
        play_steps(session, lines, say)
        passed = make_report(session)["score"] >= PASSED
        return Exit.DONE if passed else Exit.REFUSED

    return _session(_scenario(scenario), seed, report, played)


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
        say(f"Next: chainteller train {_label_of_next(scenario, made['score'])}")
    if report is not None:
        try:
            report.write_text(to_json(made), encoding="utf-8")
        except OSError as error:
            raise Usage(f"{report}: {error.strerror}") from None
        say(f"report written to {report}")
    return code


def _label_of_next(scenario: Scenario, score: int) -> str:
    """The same scenario again until it's passed, then the one that is next easiest."""
    labels = [each.label for each in _by_ease(lambda _: None)]
    place = labels.index(scenario.label) + (score >= PASSED)
    return labels[place] if place < len(labels) else "--list"


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
