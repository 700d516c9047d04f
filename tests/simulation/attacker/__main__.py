"""Attack the bank: ``python -m tests.simulation.attacker --seeds 1-1000 [--postgres URL]``.

``--bank ports`` has a core bank, a custody and a venue to send requests to, ``--bank gateway`` a
provider. What these are asked for without anybody's wish has left, also where it's named later.
It prints what was reached, how much of it was named, and what stayed unseen. ``--seed N`` shows one
seed. Ctrl-C ends the run with what it has so far. With ``--postgres`` the bank is on that server,
whose user may create databases.
"""

import argparse
import logging
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.postgres import PostgresServer
from tests.simulation.attacker.bank import Bank, lived
from tests.simulation.attacker.outward import Gateway, Ported
from tests.simulation.attacker.scoring import Outcome, Trial
from tests.world import core

BANKS: dict[str, type[Bank]] = {"alone": Bank, "ports": Ported, "gateway": Gateway}


class Score:
    """What came of many seeds."""

    def __init__(self) -> None:
        self.seeds = self.attacks = self.harmless = 0
        self.reached: Counter[str] = Counter()
        self.only_payout_check: Counter[str] = Counter()
        self.faults: list[str] = []
        self.left: list[str] = []
        """Payouts that left and keys that opened, named by verification only afterwards."""
        self.successes: list[str] = []
        self.unseen: Counter[str] = Counter()
        self.examples: list[str] = []

    def add(self, number: int, outcomes: list[Outcome]) -> None:
        self.seeds += 1
        for each in outcomes:
            self.attacks += sum(map(len, each.plan.attacks.values()))
            self.harmless += not each.reached
            aims = {aim.partition(":")[0] for aim in each.reached}
            self.reached.update(aims)
            if aims & {"payout", "key"} and not each.is_success:
                self.left.append(f"seed {number} {each}")
            if each.is_success:
                self.successes.append(f"seed {number} {each}")
            if each.named == each.alarms:
                self.only_payout_check.update(aims if each.named else ())
            self.faults += [f"seed {number} {told}" for told in each.named if "FAULT" in told]
            if not each.named and each.plan.restores_at is None:
                self.unseen.update(each.unseen)
                if each.unseen and not each.reached:
                    self.examples.append(f"seed {number} {each.unseen} {each}")

    def __str__(self) -> str:
        return "\n".join((
            f"{self.seeds} seeds, {self.attacks} attacks; {self.harmless} runs reached nothing",
            f"reached: {dict(self.reached.most_common())}",
            f"of these named by the payout's check alone: {dict(self.only_payout_check)}",
            f"verification ended with an error: {len(self.faults)}",
            *self.faults[:20],
            f"reached without a named breach: {len(self.successes)}",
            *self.successes[:40],
            f"payouts that left and keys that opened, named afterwards: {len(self.left)}",
            *self.left[:40],
            *self.examples[:30],
            f"left unseen, and nothing reached: {dict(self.unseen.most_common())}",
        ))  # fmt: skip


@contextmanager
def trial(server: PostgresServer | None = None, kind: type[Bank] = Bank) -> Iterator[Trial]:
    """Seeds on SQLite, or on PostgreSQL."""
    folder = Path(tempfile.mkdtemp(prefix="attacked-template-"))
    if server is None:
        yield Trial(lived(f"sqlite:///{folder / 'template.db'}", folder, kind))
        return
    place, copies = server.fresh(), list[str]()

    def copy() -> str:
        for each in copies:
            server.drop(each)
        copies[:] = [server.fresh(place)]
        return copies[0]

    yield Trial(lived(place, folder, kind), copy)


def _count(score: Score, number: int, outcomes: list[Outcome]) -> None:
    before = len(score.successes)
    score.add(number, outcomes)
    for said in score.successes[before:]:
        sys.stdout.write(f"SUCCESS {said}\n")
    if number % 100 == 0:
        sys.stdout.write(f"... {number}, {len(score.successes)} successes\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.attacker")
    parser.add_argument("--seeds", default="1-100", help="the first and the last")
    parser.add_argument("--seed", type=int, help="this one alone")
    parser.add_argument("--bank", choices=BANKS, default="alone", help="what it's connected to")
    parser.add_argument("--postgres", default="", help="the URL of a server")
    given = parser.parse_args()
    os.environ["CHAINTELLER_HOME"] = tempfile.mkdtemp(prefix="attacked-home-")
    core.install()
    logging.disable()
    first, last = (int(each) for each in given.seeds.split("-"))
    score, began = Score(), time.monotonic()
    server = PostgresServer(given.postgres) if given.postgres else None
    with trial(server, BANKS[given.bank]) as made:
        if given.seed is not None:
            for each in made.seed(given.seed):
                sys.stdout.write(f"{each}\n{each.unseen}\n")
            return 0
        with suppress(KeyboardInterrupt):
            for number in range(first, last + 1):
                _count(score, number, made.seed(number))
    sys.stdout.write(f"{score}\n{time.monotonic() - began:.0f} s\n")
    return 1 if score.successes else 0


if __name__ == "__main__":
    sys.exit(main())
