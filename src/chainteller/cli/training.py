"""What the training commands ask of the training part."""

from pathlib import Path
from typing import TYPE_CHECKING

from chainteller.cli.complaints import Exit, PartMissing, Usage, say
from chainteller.cli.options import options
from chainteller.cli.output import document, line, table
from chainteller.paths import shipped
from chainteller.settings.values import did_you_mean

if TYPE_CHECKING:
    from chainteller.training.scenarios import Scenario

OWN_FOLDER = "scenarios"


def show_list() -> int:
    """List the scenarios, the shipped ones and those beside the user's configuration."""
    found = [_load(path) for path in _files().values()]
    if options().json:
        shown = [{"name": each.name, "title": each.title, "level": each.level} for each in found]
        document({"data": shown})
    elif found:
        table(
            sorted(found, key=lambda each: (each.level, each.name)),
            [
                ("SCENARIO", lambda each: each.name),
                ("LEVEL>", lambda each: each.level),
                ("TITLE", lambda each: each.title),
            ],
        )
    else:
        line("no scenarios are installed")
    return Exit.DONE


def run(scenario: str, *, seed: str, report: Path | None) -> int:
    """Run a scenario in the console."""
    files = _files()
    if scenario not in files:
        close = did_you_mean(scenario, files)
        raise Usage(f"There is no scenario {scenario!r}{close}", "chainteller train --list")
    written = f", reporting to {report}" if report else ""
    raise PartMissing(f"console for {scenario} with the seed {seed}{written}")


def validate(file: Path) -> int:
    """Check a scenario file and name every problem."""
    from chainteller.training.reading import ScenarioInvalid

    try:
        found = _load(file)
    except ScenarioInvalid as error:
        if options().json:
            document({"ok": False, "problems": list(error.problems)})
        say(*(f"SCENARIO: {problem}" for problem in error.problems))
        say(f"Next: {error.suggestion}")
        return Exit.REFUSED
    if options().json:
        document({"ok": True, "name": found.name, "title": found.title})
    else:
        line(f"ok: {found.name}, {found.title}")
    return Exit.DONE


def _files() -> dict[str, Path]:
    from chainteller.training.scenarios import find_scenarios

    own = options().configured.settings.paths.config_file.parent / OWN_FOLDER
    return find_scenarios((shipped("sample_data") / "scenarios", own))


def _load(path: Path) -> "Scenario":
    from chainteller.training.scenarios import load
    from chainteller.wallets.simulated import sample_wallets

    return load(path, sample_wallets(shipped("sample_data") / "wallets.toml"))
