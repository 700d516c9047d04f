"""Run simulations: ``python -m tests.simulation --seeds 1-1000 --operations 1000 --state FILE``.

Each seed is a part: ``--state`` keeps those that are done, and the same command goes on after them.
``--seed S`` runs one seed alone; where it differs, it's replayed and shrunk to a few steps.
``--kill-processes`` adds calls in processes that the kernel kills in the middle of a write.
With ``--postgres URL``, each seed has a database of its own on that server, whose user may create
some: no full disks there, and what runs at once comes one after another.
"""

import argparse
import json
import sys
import time
from functools import partial
from pathlib import Path

from tests.postgres import PostgresServer
from tests.simulation import parts
from tests.simulation.run import (
    Failure,
    Place,
    Tally,
    in_a_file,
    replayed,
    run,
    shrunk,
    steps_of,
)
from tests.world.files import open_fresh


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation")
    parser.add_argument("--seed", help="run this seed alone, and shrink what it finds")
    parser.add_argument("--seeds", default="1-10", help="the first and the last, such as 1-1000")
    parser.add_argument("--operations", type=int, default=1_000, help="steps of each seed")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--state", type=Path, help="where finished seeds are kept")
    parser.add_argument("--kill-processes", action="store_true")
    parser.add_argument("--postgres", default="", help="the URL of a server")
    given = parser.parse_args()
    place = _on(PostgresServer(given.postgres)) if given.postgres else in_a_file
    if given.seed is not None:
        return _one(given.seed, given.operations, place, kills=given.kill_processes)
    first, last = (int(each) for each in given.seeds.split("-"))
    done = _done(given.state)
    named = {
        f"{number}/{given.operations}{'/killed' * given.kill_processes}": number
        for number in range(first, last + 1)
    }
    missing = [name for name in named if name not in done]
    for name, result in parts.done(partial(_part, place), missing, given.processes):
        done[name] = result
        if given.state is not None:
            with given.state.open("a", encoding="utf-8") as file:
                file.write(json.dumps([name, *result]) + "\n")
    total = sum(done[name][0] for name in named)
    seconds = sum(done[name][1] for name in named)
    failures = sum(bool(done[name][2]) for name in named)
    _say(
        f"{len(named)} seeds, {total} operations in {seconds:.0f} s of processor time "
        f"({total / max(seconds, 0.001):.0f} a second), {failures} with a difference"
    )
    return 1 if failures else 0


def _part(place: Place, name: str) -> tuple[int, float, str]:
    """(operations, seconds of processor time, what differed) of a seed, named with its length."""
    seed, operations, *killed = name.split("/")
    tally, began = Tally(), time.process_time()
    steps = steps_of(seed, int(operations))
    failure = run(seed, steps, tally, place, kills_processes=bool(killed))
    took = time.process_time() - began
    what = "" if failure is None else failure.what
    _say(f"seed {seed}: {tally.operations} operations, {took:.1f} s {what and f'DIFFERS: {what}'}")
    if failure is not None:
        _say(failure.told)
    return tally.operations, took, what


def _on(server: PostgresServer) -> Place:
    """A database after the other on a server, copies of an empty bank; one at a time is kept."""
    template = server.fresh()
    open_fresh(template).close()
    made: list[str] = []

    def place() -> str:
        while made:
            server.drop(made.pop())
        made.append(server.fresh(template))
        return made[0]

    return place


def _one(seed: str, operations: int, place: Place, *, kills: bool) -> int:
    failure = run(seed, steps_of(seed, operations), None, place, kills_processes=kills)
    if failure is None:
        _say(f"seed {seed}: no difference")
        return 0
    same = replayed(failure, place, kills_processes=kills)
    _say(str(failure), f"replayed: {'the same again' if same else 'NOT THE SAME'}")
    _shrink(failure, place, kills=kills)
    return 1


def _shrink(failure: Failure, place: Place, *, kills: bool) -> None:
    small = shrunk(failure, place, kills_processes=kills)
    _say(f"shrunk from {len(failure.steps)} to {len(small.steps)} steps:", str(small))


def _done(state: Path | None) -> dict[str, tuple[int, float, str]]:
    if state is None or not state.exists():
        return {}
    rows = [json.loads(row) for row in state.read_text(encoding="utf-8").splitlines()]
    return {name: (operations, took, what) for name, operations, took, what in rows}


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
