"""Random tampering with the log and its heads, each judged against what was really changed.

``python -m tests.witnessing.tampering --cases 1000 --state tampering.jsonl`` runs cases 0 to 999
and goes on where an interrupted run ended; ``--case N`` runs one.

A case is a bank with a few signed and witnessed heads, entries after the last of them, and one
attack by somebody who owns the database file but neither the key nor the witness. The attack is
consistent: leaves, bodies and the row of the log fit each other afterwards, and in half of the
cases the database's own checkpoints that would tell are gone, too.
"""

import argparse
import atexit
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.witnessing import places
from tests.witnessing.places import Place, open_place
from tests.witnessing.witnesses import RunningWitness, running_witness

from chainteller.adapters.witness_http import HttpWitness
from chainteller.domain.randomness import SeededRandomness, below
from chainteller.engine.heads import signing_keys
from chainteller.engine.heads.signed_heads import HeadsReport, describe, heads_of, judge_heads
from chainteller.storage.upkeep import maintenance
from chainteller.witnessing.checkpoints import Head
from chainteller.witnessing.comparing import compare_file
from chainteller.witnessing.errors import AuditContradicted, CheckpointRefused
from chainteller.witnessing.folders import FolderWitness
from chainteller.witnessing.judging import Judgement
from chainteller.witnessing.remembering import HeadConflict, SeenHead, follow
from chainteller.witnessing.submissions import Witness

KINDS = ("cut", "rewrite", "rollback", "split")
WITNESSES = ("folder", "http", "both")
_MOST_ROUNDS = 4
_MOST_ENTRIES = 3


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a case did and whether everything was found; ``wrong`` is empty where it was."""

    case: int
    kind: str
    witnesses: str
    size: int
    witnessed: int
    intact: int
    """How many entries from the beginning were left as they were."""
    wrong: str = ""


@cache
def _template() -> Path:
    """A bank with a key and a few entries; nothing was signed."""
    folder = Path(tempfile.mkdtemp(prefix="chainteller-tampering-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    place = open_place(folder / "bank.db", folder / "keys", is_new=True)
    place.open_accounts(1, 3)
    place.close()
    return folder


class Case:
    """One attack in ``folder``, which is empty."""

    def __init__(self, number: int, folder: Path, running: RunningWitness) -> None:
        self.number, self.folder, self.running = number, folder, running
        self.chance = SeededRandomness(f"tampering {number}")
        self.kind = KINDS[number % len(KINDS)]
        self.witnesses = WITNESSES[self._below(len(WITNESSES))]
        self.heads: list[Head] = []
        self.snapshots: list[tuple[int, Path]] = []
        self.file = folder / "bank.db"

    def _below(self, bound: int) -> int:
        return below(self.chance, bound)

    def open(self, file: Path | None = None) -> Place:
        found: list[Witness] = []
        if self.witnesses != "http":
            found.append(FolderWitness(self.folder / "witness"))
        if self.witnesses != "folder":
            found.append(HttpWitness(self.running.address, (self.running.key,)))
        return open_place(file or self.file, self.folder / "keys", found)

    def run(self) -> Verdict:
        shutil.copytree(_template(), self.folder, dirs_exist_ok=True)
        self.running.behave(forget=True)
        size, seen = self._grow()
        witnessed = self.heads[-1].size
        intact = self._attack(size)
        forgets = self._below(2) == 0
        if forgets:
            places.forget_checkpoints(self.file, above=intact if self._below(2) else -1)
        place = self.open()
        try:
            wrong = self._judged(place, witnessed, intact, seen, forgets=forgets)
        finally:
            place.close()
        return Verdict(self.number, self.kind, self.witnesses, size, witnessed, intact, wrong)

    def _grow(self) -> tuple[int, SeenHead]:
        """Write entries in rounds, each but perhaps the last one witnessed; returns the size, and
        the head that a console saw at the end."""
        place, account = self.open(), 4
        try:
            for _ in range(2 + self._below(_MOST_ROUNDS - 1)):
                account = self._write(place, account)
                assert not [each for each in place.make_heads() if each.problems]
                self.heads.append(heads_of(place.engine.context)["default"])
                self._take_snapshot(place)
            if self._below(2):
                self._write(place, account)
                self._take_snapshot(place)
            seen = follow(place.engine, {}, "", "")
            assert isinstance(seen, SeenHead)
            return heads_of(place.engine.context)["default"].size, seen
        finally:
            place.close()

    def _write(self, place: Place, account: int) -> int:
        count = 1 + self._below(_MOST_ENTRIES)
        place.open_accounts(account, count)
        return account + count

    def _take_snapshot(self, place: Place) -> None:
        """Keep the file as it is between two writes."""
        size = heads_of(place.engine.context)["default"].size
        copy = self.folder / f"snapshot-{len(self.snapshots)}.db"
        maintenance.backup(place.database, copy)
        self.snapshots.append((size, copy))

    def _attack(self, size: int) -> int:
        """Tamper with the file; returns how many entries are as they were."""
        if self.kind == "cut":
            intact = 1 + self._below(size - 1)
            places.cut(self.file, intact)
            return intact
        if self.kind == "rewrite":
            number = 1 + self._below(size)
            places.rewrite(self.file, number)
            return number - 1
        intact, older = self.snapshots[self._below(len(self.snapshots) - 1)]
        if self.kind == "split":
            self._fork(older, intact)
        shutil.copy(older, self.file)
        return intact

    def _fork(self, older: Path, intact: int) -> None:
        """Let the older file grow in another way: the view that the second console gets."""
        place = open_place(older, self.folder / "keys")
        place.engine.open_trading_account(places.opening(20 - self._below(5)))
        place.close()
        assert places.size_of(older) > intact

    # -- what must be found -----------------------------------------------------------------------

    def _judged(
        self, place: Place, witnessed: int, intact: int, seen: SeenHead, *, forgets: bool
    ) -> str:
        report = judge_heads(place.engine.context)
        found = next(each for each in report.judgements if each.origin == place.origin())
        if intact < witnessed:
            wrong = self._found(report, found, intact, forgets=forgets)
        else:
            wrong = self._named_as_unwitnessed(found, witnessed, places.size_of(self.file))
        return wrong or self._consoles(place, seen, intact)

    def _found(self, report: HeadsReport, found: Judgement, intact: int, *, forgets: bool) -> str:
        """The attack reached below the last witnessed head."""
        if not report.breaches:
            return "not found"
        honest = max((each for each in self.heads if each.size <= intact), default=None)
        keeps_notes = self.witnesses != "http" or not forgets
        if keeps_notes and found.honest != honest:
            return f"the last honest head is {honest}, and {found.honest} was named"
        if honest and keeps_notes and str(honest) not in "\n".join(report.breaches):
            return f"the breach doesn't name {honest}"
        return ""

    def _named_as_unwitnessed(self, found: Judgement, witnessed: int, size: int) -> str:
        """Only what no head covers was changed."""
        if found.contradictions:
            return f"false alarm: {found.contradictions[0]}"
        wanted = witnessed + 1 if size > witnessed else None
        if found.first_unwitnessed != wanted:
            return f"entry {wanted} is the first unwitnessed one, not {found.first_unwitnessed}"
        if wanted and f"from entry {wanted} on nothing is witnessed" not in describe(found):
            return "the first unwitnessed entry isn't named"
        return ""

    def _consoles(self, place: Place, seen: SeenHead, intact: int) -> str:
        """A console that saw the true head notices; with a split view, the two compare heads."""
        if intact >= seen.size:
            return ""
        if not isinstance(follow(place.engine, {"default": seen}, "default", ""), HeadConflict):
            return "the console that saw the true log noticed nothing"
        if self.kind != "split":
            return ""
        second = _signed_without_looking(self, place)
        first = self.open(self.snapshots[-1][1])
        context = first.engine.context
        try:
            compare_file(
                first.engine, second, "", lambda origin: signing_keys.known(context, origin)
            )
        except (AuditContradicted, CheckpointRefused):
            return ""
        finally:
            first.close()
        return "the heads of the two consoles seem to be of one log"


def _signed_without_looking(case: Case, place: Place) -> bytes:
    """The head that the second console is given: signed by a server that asks no witness."""
    blind = open_place(case.file, case.folder / "keys")
    places.forget_checkpoints(case.file)
    try:
        return blind.engine.audit_checkpoint().note.encode()
    finally:
        blind.close()


@contextmanager
def judge_of_cases() -> Iterator[RunningWitness]:
    """The witness over HTTP that all cases of a run use; it knows the template's logs."""
    place = open_place(_template() / "bank.db", _template() / "keys")
    keys = signing_keys.keys_of(place.engine.context)
    known = [keys.verifiers(place.origin(each))[0] for each in ("*", "default", "other")]
    place.close()
    with running_witness(known) as running:
        yield running


def run_case(number: int, running: RunningWitness) -> Verdict:
    with tempfile.TemporaryDirectory(prefix="chainteller-tampering-") as folder:
        return Case(number, Path(folder), running).run()


def _done(state: Path | None) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    if state is not None and state.exists():
        for line in state.read_text(encoding="utf-8").splitlines():
            with suppress(ValueError):  # the last line of a run that was killed
                each = json.loads(line)
                found[each["case"]] = each
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--case", type=int)
    parser.add_argument("--state", type=Path)
    chosen = parser.parse_args()
    done = _done(chosen.state)
    numbers = range(chosen.cases) if chosen.case is None else [chosen.case]
    with judge_of_cases() as running:
        for number in numbers:
            if number in done:
                continue
            verdict = run_case(number, running)
            done[number] = {name: getattr(verdict, name) for name in Verdict.__slots__}
            if chosen.state is not None:
                with chosen.state.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(done[number]) + "\n")
            if verdict.wrong:
                sys.stdout.write(f"{verdict}\n")
    wrong = [each for each in done.values() if each["wrong"]]
    below_head = [
        each for each in done.values() if int(str(each["intact"])) < int(str(each["witnessed"]))
    ]
    sys.stdout.write(
        f"{len(done)} cases, {len(below_head)} at or before the last witnessed head; "
        f"{len(wrong)} not found or named wrongly\n"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
