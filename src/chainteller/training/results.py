"""Results of sessions that ended, kept on this machine, and what they say about the next one."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from chainteller.domain.json_depth import parse_json
from chainteller.private_files import open_private
from chainteller.training.scenarios import Scenario

PASSED = 80
"""The lowest score with which a scenario counts as passed."""


@dataclass(frozen=True, slots=True)
class Result:
    """One session; ``at`` is when it ended, in microseconds since the epoch."""

    scenario: str
    seed: str
    score: int
    at: int


@dataclass(frozen=True, slots=True)
class Standing:
    """A scenario and the sessions of it so far; ``best`` and ``last`` are None without any."""

    name: str
    label: str
    title: str
    level: int
    runs: int
    best: int | None
    last: int | None

    @property
    def is_passed(self) -> bool:
        return self.best is not None and self.best >= PASSED


def read_results(file: Path) -> tuple[Result, ...]:
    """The results in a file, oldest first; a line that is none is left out."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ()
    return tuple(found for each in lines if (found := _result(each)) is not None)


def _result(text: str) -> Result | None:
    try:
        body = parse_json(text)
        found = Result(str(body["scenario"]), str(body["seed"]), body["score"], body["at"])
    except (ValueError, KeyError, TypeError):
        return None
    return found if type(found.score) is int and type(found.at) is int else None


def keep_result(file: Path, result: Result) -> None:
    """Add a result to a file that only its owner may read.

    Raises:
        OSError: the file can't be written.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open_private(file, "ab") as kept:
        kept.write(json.dumps(asdict(result)).encode() + b"\n")


def standings(scenarios: Iterable[Scenario], results: Sequence[Result]) -> tuple[Standing, ...]:
    """Where each scenario stands, in their order."""
    found = []
    for scenario in scenarios:
        scores = [each.score for each in results if each.scenario == scenario.name]
        found.append(
            Standing(
                scenario.name,
                scenario.label,
                scenario.title,
                scenario.level,
                len(scores),
                max(scores, default=None),
                scores[-1] if scores else None,
            )
        )
    return tuple(found)


def next_scenario(standing: Sequence[Standing], after: str = "") -> str:
    """The scenario to train next: ``after`` again until it's passed, then the first one behind it
    that isn't, then the first one of all; empty where all are passed.
    """
    names = [each.name for each in standing]
    place = names.index(after) if after in names else 0
    ordered = [*standing[place:], *standing[:place]]
    return next((each.name for each in ordered if not each.is_passed), "")
