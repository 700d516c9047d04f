"""Run the walker: ``python -m tests.walker --seed 1 --steps 10000 --deployment own``.

The walk is made of parts of 500 steps, each with a bank and a console of its own. ``--state FILE``
keeps the parts without a violation: the same command again runs the others. A violation prints the
seed of its part; ``--part N`` replays that part alone.
"""

import argparse
import asyncio
import json
import sys
import time
from pathlib import Path

from tests.deployments import OWN, SPEC_ONLY
from tests.walker.run import Report, walk_part
from tests.walker.walker import Violation

PART = 500


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.walker")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--deployment", choices=(OWN, SPEC_ONLY), default=OWN)
    parser.add_argument("--part", type=int, help="replay this part alone")
    parser.add_argument("--state", type=Path, help="where finished parts are kept")
    parser.add_argument("--keep-going", action="store_true", help="go on after a violation")
    given = parser.parse_args()
    done = _done(given.state)
    wanted = [given.part] if given.part is not None else range(-(-given.steps // PART))
    failures, total = 0, Report()
    for part in wanted:
        seed = f"{given.seed}/{given.deployment}/{part}"
        if seed in done and given.part is None:
            total += Report(**done[seed])
            continue
        began = time.monotonic()
        found: list[Violation] | None = [] if given.keep_going else None
        try:
            report = asyncio.run(walk_part(seed, min(PART, given.steps), given.deployment, found))
        except Violation as violation:
            print(violation, flush=True)  # noqa: T201 - the program's answer
            failures += 1
            if not given.keep_going:
                return 1
            continue
        finally:
            for each in found or ():
                print(each, flush=True)  # noqa: T201
            failures += len(found or ())
        total += report
        print(f"{seed}  {report}  {time.monotonic() - began:.0f} s", flush=True)  # noqa: T201
        if given.state is not None and not found:
            with given.state.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"seed": seed, **report.__dict__}) + "\n")
    print(f"{total}  violations {failures}")  # noqa: T201
    return 1 if failures else 0


def _done(state: Path | None) -> dict[str, dict[str, int]]:
    if state is None or not state.exists():
        return {}
    rows = [json.loads(row) for row in state.read_text(encoding="utf-8").splitlines()]
    return {row.pop("seed"): row for row in rows}


if __name__ == "__main__":
    sys.exit(main())
