"""Every scenario with many seeds: ``python -m tests.training.seeds --seeds 1-100 --state FILE``.

Each seed of a scenario is a part: a right run scores at least 95, and the same run without the
customer's consent at most 60. ``--state`` keeps the parts that are done, and the same command goes
on after them. In the end, person, money and cause have to differ between the seeds.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.training.test_runs import NAMES, assert_money_and_cause_differ, play_seed
from tests.training.worlds import SCENARIOS, SEED, WALLETS

from chainteller.sample_worlds import make_base
from chainteller.training.scenarios import load

TEMPERAMENTS = 4
Done = dict[tuple[str, int], tuple[str, str]]
"""By scenario and seed: the caller's temperament, and what was wrong."""


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.training.seeds")
    parser.add_argument("--seeds", default="1-100", help="the first and the last, such as 1-100")
    parser.add_argument("--scenarios", default="", help="names, with commas; all without them")
    parser.add_argument("--state", type=Path, required=True, help="where finished parts are kept")
    chosen = parser.parse_args(given)
    first, last = (int(each) for each in chosen.seeds.split("-"))
    names = chosen.scenarios.split(",") if chosen.scenarios else NAMES
    parts = [(name, seed) for seed in range(first, last + 1) for name in names]
    done = _done(chosen.state)
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / "base.db"
        make_base(base, SEED)
        for part in parts:
            if part not in done:
                done[part] = _played(Path(folder), base, *part)
                with chosen.state.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([*part, *done[part]]) + "\n")
    wrong = [(part, done[part][1]) for part in parts if done[part][1]]
    for (name, seed), what in wrong:
        sys.stdout.write(f"{name}, seed {seed}: {what}\n")
    for name in names:
        _check_what_differs(name, range(first, last + 1), done)
    sys.stdout.write(f"{len(parts)} runs of {len(names)} scenarios, {len(wrong)} wrong\n")
    return 1 if wrong else 0


def _done(state: Path) -> Done:
    if not state.exists():
        return {}
    rows = map(json.loads, state.read_text(encoding="utf-8").splitlines())
    return {(name, seed): (caller, what) for name, seed, caller, what in rows}


def _played(folder: Path, base: Path, name: str, seed: int) -> tuple[str, str]:
    with tempfile.TemporaryDirectory(dir=folder) as place:
        try:
            return play_seed(Path(place), base, name, str(seed)).caller.name, ""
        except AssertionError as error:
            return "", f"{error}" or "a run without consent scored more than 60"


def _check_what_differs(name: str, seeds: range, done: Done) -> None:
    """Raises AssertionError where temperaments, amounts or causes are always the same."""
    tempers = {done[name, seed][0] for seed in seeds}
    assert len(tempers) > min(len(seeds) // 10, TEMPERAMENTS - 1), (name, tempers)
    assert_money_and_cause_differ([load(SCENARIOS[name], WALLETS, str(seed)) for seed in seeds])


if __name__ == "__main__":
    sys.exit(main())
