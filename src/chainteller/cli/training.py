"""Training at the command line: listing, checking, playing and summing up.

No configuration is read: whatever is configured, training runs on a bank of its own making.
"""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from chainteller.cli.complaints import Exit, Usage, complain, say
from chainteller.domain.clock import MINUTE
from chainteller.domain.untrusted import printable
from chainteller.paths import Paths, locate, shipped
from chainteller.training.playing import play_log, play_steps
from chainteller.training.reading import ScenarioInvalid, did_you_mean
from chainteller.training.reports import from_json, make_report, summarise_lines, to_json, to_lines
from chainteller.training.scenarios import Scenario, find_scenarios, load
from chainteller.wallets.simulated import SampleWallet, sample_wallets

if TYPE_CHECKING:
    from chainteller.training.session import Session

PASSED = 80
"""From this score on a session counts as passed: the exit code is 0."""


def show_list() -> int:
    """List the scenarios, easiest first; one that cannot be read is named and left out."""
    lines = [f"{'SCENARIO':<22} {'LEVEL':>5} {'PAR':>6}  TITLE"]
    for path in _files(locate(os.environ)).values():
        try:
            each = load(path, _wallets())
        except ScenarioInvalid as error:
            complain(error)
            continue
        lines.append(
            f"{each.name:<22} {each.level:>5} {each.par_time // MINUTE:>4} m  {each.title}"
        )
    _print([*lines, "", "chainteller train SCENARIO begins one."])
    return Exit.DONE


def run(scenario: str, *, seed: str, report: Path | None) -> int:
    """Run a scenario in the console; its report is printed, and written where asked for."""
    from chainteller.cli.desk import training_look
    from chainteller.tui.training.console import run_training

    given = _scenario(scenario)

    def at_the_desk(session: "Session") -> int:
        return run_training(session, training_look(locate(os.environ), given.title))

    return _session(given, seed, report, at_the_desk)


def play(scenario: str, steps: TextIO, *, seed: str, report: Path | None) -> int:
    """Play written steps; each is shown with what the service said."""

    def played(session: "Session") -> int:
        play_steps(session, steps, say)
        return Exit.DONE

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
    return code if outcome[0].startswith("the same") else Exit.REFUSED


def validate(file: Path) -> int:
    """Check a scenario file."""
    try:
        found = load(file, _wallets())
    except ScenarioInvalid as error:
        say(f"{error.code}: {file.name} cannot be used", *(f"  {each}" for each in error.problems))
        say(f"Next: {error.suggestion}")
        return Exit.REFUSED
    _print([f"{found.name}: good ({len(found.goals)} goals, {len(found.story)} sayings)"])
    return Exit.DONE


def summarise(files: Iterable[Path]) -> int:
    """Sum up reports, in the order given."""
    reports = []
    for file in files:
        try:
            reports.append(from_json(file.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise Usage(f"{file.name}: {error}") from None
    _print(summarise_lines(reports))
    return Exit.DONE


def _session(
    scenario: Scenario, seed: str, report: Path | None, run_it: Callable[["Session"], int]
) -> int:
    from chainteller.bootstrap import training_session
    from chainteller.cli.throwaway import Throwaway

    with Throwaway() as folder:
        bank = folder.path / "bank"
        bank.mkdir()
        session = training_session(locate(os.environ), scenario, bank, seed)
        try:
            code = run_it(session)
            made = make_report(session)
        finally:
            session.close()
    _print(to_lines(made))
    if report is not None:
        try:
            report.write_text(to_json(made), encoding="utf-8")
        except OSError as error:
            raise Usage(f"{report}: {error.strerror}") from None
        say(f"report written to {report}")
    return code or (Exit.DONE if made["score"] >= PASSED else Exit.REFUSED)


def _scenario(name: str) -> Scenario:
    files = _files(locate(os.environ))
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


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(printable(line))
