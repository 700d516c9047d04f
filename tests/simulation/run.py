"""One simulation: a list of steps, done to a deployment and to its model, compared after each.

A step is a kind and a number. Everything about it is drawn from that number and the model's state
when its turn comes, so the same list always does the same, and a shorter list still makes sense.
"""

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any, NamedTuple, Self

from tests.simulation import acts, views, waiting
from tests.simulation.bank import ORGANISATIONS, Bank, World
from tests.simulation.calls import Answered, Asked, Client
from tests.simulation.generators import GENERATORS, READ_WEIGHT, WEIGHTS, Draw, Maker
from tests.simulation.model import Model, Pending
from tests.simulation.records import (
    OWN,
    UNVERIFIED,
    VERIFIED,
    Anything,
    ApiKey,
    Settings,
)
from tests.simulation.turns import Killed
from tests.world.customers import CustomerSeed

from chainteller.domain.clock import ManualClock
from chainteller.service.errors import Unauthorized
from chainteller.service.operations import (
    CUSTOMERS_FEATURE,
    OPERATIONS,
    WEBHOOKS_FEATURE,
    WRITES,
    Operation,
)

START = 1_763_700_000_000_000
OPENING_CENTS = 1_000_000
_NEVER_CHANGES = ("kind", "subject", "control", "reason", "created", "openedBy", "amount")
"""Of a decision: another one may have replaced it before its id is asked for."""
_OF_ACCOUNTS = ("token_balances", "limits", "transactions", "statement")
_LISTS = (
    *("trading_accounts", "customers", "all_trades", "all_transfers", "quotes", "decisions"),
    *("counterparties", "blockchain_accounts"),
)
_OF_CUSTODIES = (
    *("linked_counterparties", "challenges"),
    *("small_transfers", "ownership_statements"),
)
_UNREACHABLE = "SERVICE_UNAVAILABLE"
_MEMORY, _ROOM = Path("/dev/shm"), 2**30  # noqa: S108 - a folder of our own in it
_DISK = ("STORAGE_FULL", "STORAGE_FAULT")


class Step(NamedTuple):
    kind: str
    number: int


class Difference(AssertionError):
    """The deployment and its model part; ``what`` names the place, without any ids."""

    def __init__(self, what: str, told: str) -> None:
        super().__init__(f"{what}: {told}")
        self.what = what


@dataclass
class Tally:
    """What was done."""

    steps: int = 0
    operations: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Tally") -> None:
        self.steps += other.steps
        self.operations += other.operations
        self.kinds += other.kinds
        self.refusals += other.refusals


BEGINNING = (
    *["open_trading_account"] * 4,
    *["deposit"] * 6,
    *["register_counterparty"] * 3,
    *["open_blockchain_account"] * 3,
    *["create_challenge"] * 2,
    *["create_quote"] * 3,
)


def is_modelled(operation: Operation[Any]) -> bool:
    return operation.feature not in {CUSTOMERS_FEATURE, WEBHOOKS_FEATURE}


def kinds() -> list[tuple[str, int]]:
    """Every kind of step with its weight: operations that are modelled, then what isn't a call."""
    calls = [
        (each.name, WEIGHTS.get(each.name, READ_WEIGHT)) for each in OPERATIONS if is_modelled(each)
    ]
    return [*calls, *acts.WEIGHTS.items()]


def steps_of(seed: str, operations: int) -> list[Step]:
    draw = Draw(_number(seed))
    drawn = [name for name, weight in kinds() for _ in range(weight)]
    names = [*BEGINNING, *(draw.pick(drawn) for _ in range(operations))][:operations]
    return [Step(name, draw.below(2**63)) for name in names]


def _number(seed: str) -> int:
    return int.from_bytes(seed.encode(), "big")


def first_settings(seed: str) -> Settings:
    """Narrow limits and, in some seeds, delays and windows unlike the usual ones."""
    draw = Draw(_number(seed) + 1)
    narrow = {
        OWN: (100_000, 200_000, 500_000),
        UNVERIFIED: (20_000, 40_000, 90_000),
        VERIFIED: (150_000, 300_000, 700_000),
    }
    delay = draw.pick((0, 3_000_000))
    medium = (60_000, 100_000, 250_000)
    settings = Settings(limits=narrow, open_quotes=4, deposit_delay=delay, medium=medium)
    settings = replace(settings, review=draw.pick(acts.REVIEWS), two=draw.pick(acts.TWOS))
    if draw.chance(2):
        settings = acts.drawn_settings(draw, settings)
    return settings


def customers(letters: tuple[str, str] = ("DDA", "ODA")) -> list[CustomerSeed]:
    """Some of each organisation, among them those who may not trade."""
    return [
        CustomerSeed(
            bank_account_id=f"{prefix}-{number}",
            balance_cents=OPENING_CENTS,
            type="checking" if number % 2 else "savings",
            kyc_level="basic" if number == 6 else "enhanced",
            terms_version=None if number == 7 else "2026-01",
            organisation=organisation,
            name=f"Customer {number}",
            reference=f"REF-{prefix}-{number}",
        )
        for organisation, prefix in zip(ORGANISATIONS, letters, strict=True)
        for number in range(1, 8)
    ]


class Simulation:
    """A deployment, its model, and the steps so far."""

    def __init__(self, bank: Bank, model: Model, *, kills_processes: bool = False) -> None:
        self.bank: Bank = bank
        self.model: Model = model
        model.rule = bank.context.rule.id
        self.kills_processes = kills_processes
        bank.chains.sent = model.sent
        self.compares = self.looks = True
        """Whether answers are compared, and whether balances are looked at after each write."""
        self.tally = Tally()
        self.said: list[str] = []
        self.seen = {name: [0, 0] for name in ORGANISATIONS}
        """Cursor of the events, and how many of the model's were compared."""

    @classmethod
    def begun(cls, path: Path, seed: str, url: str = "", *, kills_processes: bool = False) -> Self:
        """A new deployment with its customers."""
        settings, world = first_settings(seed), World(seed)
        bank = Bank(path, seed, ManualClock(START), settings, world, url)
        model = Model(world.mid, world.rejects, settings, START)
        simulation = cls(bank, model, kills_processes=kills_processes)
        acts.admit(simulation, customers())
        return simulation

    def close(self) -> None:
        self.bank.close()

    # -- steps -----------------------------------------------------------------------------------

    def do(self, step: Step) -> None:
        """One step, after which nothing waits for nobody. Raises Difference."""
        draw = Draw(step.number)
        self.tally.steps += 1
        self.tally.kinds[step.kind] += 1
        if step.kind in acts.ACTS:
            acts.ACTS[step.kind](self, draw)
        else:
            asked = self.asked(draw, step.kind)
            client = self.client(draw, asked[0])
            if client is not None:
                self.call(client, asked[1], self._fault(draw, asked[1]), draw)
        self.require_waiting()

    def require_waiting(self, done_until: int | None = None) -> None:
        """Everything that waits has a time or an open decision, and what was due until an instant
        was done. Raises Difference."""
        with self.bank.raw() as reading:
            found = waiting.wrong(reading, done_until)
        if found:
            raise Difference(found[0].partition(":")[0], "; ".join(found[:5]))

    def asked(self, draw: Draw, kind: str) -> tuple[str, Asked]:
        """(organisation, call)."""
        organisation = ORGANISATIONS[draw.chance(5)]
        asked = GENERATORS[kind](Maker(self.model, draw, organisation))
        if kind in WRITES and draw.chance(3):
            asked = replace(asked, key=f"k{draw.below(10**9)}")
        used = [each for each in self.model.kept if each[:2] == (organisation, kind)]
        if kind in WRITES and used and draw.chance(25):
            slot = draw.recent(used)
            asked = replace(asked, key=slot[2])
            if draw.chance(2):
                asked = self.model.kept[slot].asked
        return organisation, asked

    def client(self, draw: Draw, organisation: str) -> Client | None:
        """Who asks: by a key, which the deployment must judge as the model does; None where it
        opens nothing."""
        mine = [each for each in self.model.api_keys.values() if each.organisation == organisation]
        if not draw.chance(4):
            return mine[draw.chance(5)].client
        return self.authenticated(draw.recent(mine) if draw.chance(3) else mine[0])

    def desk(self, organisation: str) -> Client:
        """Who asks by the first key, which never ends."""
        keys = self.model.api_keys.values()
        return next(each.client for each in keys if each.organisation == organisation)

    def authenticated(self, key: ApiKey) -> Client | None:
        expected = key.refusal(self.model.now)
        try:
            found = self.bank.keys.principal(key.text)
        except Unauthorized as error:
            if error.details["reason"] != expected:
                raise Difference("a key", f"{error.details}, expected {expected}") from None
            return None
        if expected:
            raise Difference("a key", f"{key.id} holds, expected {expected}")
        client = key.client
        if (found.actor, found.scopes) != (client.actor, frozenset(key.scopes)):
            raise Difference("a key", f"{found}, expected {client} with {key.scopes}")
        return client

    def _fault(self, draw: Draw, asked: Asked) -> str:
        if asked.operation not in WRITES or not draw.chance(6):
            return ""
        faults = ["lost", "lost", "before", "after"]
        if not self.bank.url:
            faults += ["disk", "process"] if self.kills_processes else ["disk"]
        return draw.pick(faults)

    # -- calls -----------------------------------------------------------------------------------

    def call(self, client: Client, asked: Asked, fault: str, draw: Draw) -> None:
        """Send a call through a fault, and again where its outcome is unknown; compare."""
        if fault and asked.key is None:
            asked = replace(asked, key=f"f{draw.below(10**9)}")
        self.said.append(f"{client.organisation}: {asked}{fault and f' [{fault}]'}")
        self.tally.operations += 1
        if not fault:
            self._once(client, asked)
        else:
            self.tally.kinds[f"fault: {fault}"] += 1
            landed = self._faulty(client, asked, fault, draw)
            if landed is None:
                return
            again = self._send(client, asked)
            if landed:
                self.model.call(client, asked, again)
            self._compare(client, asked, again)
        account = self.model.named_account(client, asked)
        if asked.operation in WRITES and account is not None and self.looks:
            balances = Asked("token_balances", (account.id,))
            self._once(client, balances)

    def _send(self, client: Client, asked: Asked) -> Answered:
        return asked.send(self.bank.service(client))

    def _once(self, client: Client, asked: Asked) -> None:
        self._compare(client, asked, self._send(client, asked))

    def _compare(self, client: Client, asked: Asked, answered: Answered) -> None:
        self.said.append(f"    {str(answered)[:300]}")
        if asked.operation in WRITES:
            expected = self.model.call(client, asked, answered)
            self.learn_decisions()
        else:
            expected = views.answer(self.model, client, asked)
        self.compare(asked.operation, expected, answered)

    def learn_decisions(self) -> None:
        """Ask for the ids of the decisions that were opened and not answered."""
        while self.model.undisclosed:
            decision = self.model.undisclosed.pop(0)
            query = {"text": decision.subject, "sort": "-created", "limit": 100}
            asked = Asked("decisions", query=query)
            rows = self._send(Client(decision.organisation, "auditor"), asked).value["data"]
            told = decision.wire()
            wanted = {name: told[name] for name in _NEVER_CHANGES}
            new = [each for each in rows if each["id"] not in self.model.decisions]
            found = [each["id"] for each in new if _agree(wanted, each)]
            if found:
                self.model.disclosed(decision, found[0])
            elif self.compares:
                raise Difference("a decision", f"{new}, expected {wanted}")

    def compare(self, name: str, expected: Answered, answered: Answered) -> None:
        """Raises Difference."""
        if answered.code:
            self.tally.refusals[answered.code] += 1
        if not self.compares:
            return
        if expected.code != answered.code:
            told = f"{answered}\n  expected {expected}"
            raise Difference(f"{name} {answered.code or 'done'} {expected.code or 'done'}", told)
        if expected.code == "NOT_FOUND":
            return  # which of several unknown names is told first is nobody's concern
        if expected.code:
            differing("details", expected.details, answered.details, name)
            return
        if name in WRITES:
            marks = (answered.created, answered.replayed)
            wanted = (expected.created, expected.replayed)
            if marks != wanted:
                raise Difference(f"{name} marks", f"{marks}, expected {wanted}")
        differing("", expected.value, answered.value, name)

    def _faulty(self, client: Client, asked: Asked, fault: str, draw: Draw) -> bool | None:
        """Whether the call had its effect without an answer; None where it was answered."""
        if fault == "lost":
            self._send(client, asked)
            return True
        if fault == "process":
            return self._in_dying_process(client, asked, draw)
        if fault == "disk":
            return self._on_full_disk(client, asked, draw)
        turns = self.bank.turns
        turns.dies = fault
        try:
            answered = self._send(client, asked)
        except Killed:
            self.restart()
            return turns.died == "after"
        finally:
            turns.dies = ""
        self._compare(client, asked, answered)
        return None

    def _on_full_disk(self, client: Client, asked: Asked, draw: Draw) -> bool | None:
        room = draw.below(self.bank.path.stat().st_size + 20_000)
        before = self.bank.trail_length(client.organisation)
        with self.bank.full_disk(room):
            answered = self._send(client, asked)
        if answered.code != _UNREACHABLE:
            self._compare(client, asked, answered)
            return None
        if answered.details["reason"] not in _DISK:
            raise Difference("full disk", str(answered))
        if self.bank.trail_length(client.organisation) > before:
            raise Difference("full disk", f"{asked} was done and refused: {answered}")
        return False

    def _in_dying_process(self, client: Client, asked: Asked, draw: Draw) -> bool | None:
        room = draw.below(self.bank.path.stat().st_size + 20_000)
        before = self.bank.trail_length(client.organisation)
        answered = self.bank.in_dying_process(client, asked, room)
        if answered is None:
            self.tally.kinds["killed by the kernel"] += 1
            return self.bank.trail_length(client.organisation) > before
        self._compare(client, asked, answered)
        return None

    def restart(self, settings: Settings | None = None) -> None:
        self.bank.restart(settings)
        self.model.settings, self.model.rule = self.bank.settings, self.bank.context.rule.id
        self.said.append("restarted")

    # -- concurrent clients ----------------------------------------------------------------------

    def burst(self, draw: Draw) -> None:
        """Several writes at once, sometimes the same one twice, sometimes with a death."""
        chosen = self._at_once(draw)
        self.said += [f"at once, {client.organisation}: {asked}" for client, asked in chosen]
        self.tally.operations += len(chosen)
        turns = self.bank.turns
        turns.dies = "" if self.bank.url else draw.pick(("", "", "", "before", "after"))
        results = turns.together(
            [lambda pair=pair: self._send(*pair) for pair in chosen],  # type: ignore[misc]
            draw.shuffle,
        )
        turns.dies = ""
        for each in results:
            if isinstance(each, BaseException) and not isinstance(each, Killed):
                raise each
        again = self._after_death(chosen, results) if turns.died else {}
        answers = [again.get(place, each) for place, each in enumerate(results)]
        self._judge_burst(chosen, results, answers)
        for place in again:
            self._compare(*chosen[place], again[place])

    def _at_once(self, draw: Draw) -> list[tuple[Client, Asked]]:
        writes = [name for name in WRITES for _ in range(WEIGHTS.get(name, 0))]
        chosen: list[tuple[Client, Asked]] = []
        for number in range(2 + draw.below(5)):
            organisation, asked = self.asked(draw, draw.pick(writes))
            client = self.client(draw, organisation)
            if chosen and draw.chance(4):
                chosen.append(chosen[-1])
            elif client is not None:
                key = asked.key or f"b{draw.below(10**9)}-{number}"
                chosen.append((client, replace(asked, key=key)))
        return chosen

    def _after_death(
        self, chosen: list[tuple[Client, Asked]], results: list[Any]
    ) -> dict[int, Answered]:
        """Whoever got no answer asks again, one after another."""
        self.ran = [*self.bank.turns.ran]
        if self.bank.turns.died == "before":
            undone = {id(each) for each in self.bank.turns._open}
            self.ran = [each for each in self.ran if id(each) not in undone]
        self.restart()
        return {
            place: self._send(*chosen[place])
            for place, each in enumerate(results)
            if isinstance(each, Killed)
        }

    def _judge_burst(
        self, chosen: list[tuple[Client, Asked]], results: list[Any], answers: list[Answered]
    ) -> None:
        """Follow the units in the order in which they ran."""
        ran = self.ran if any(isinstance(each, Killed) for each in results) else self.bank.turns.ran
        decided: dict[int, Answered | Pending] = {}
        for unit in ran:
            client, asked = chosen[unit.client]
            if not unit.is_refusal:
                decided[unit.client] = self.model.decide(client, asked, answers[unit.client])
            else:
                pending = decided[unit.client]
                if isinstance(pending, Answered) and pending.replayed:
                    continue  # it looked for what its key was answered first
                if not isinstance(pending, Pending):
                    raise Difference("at once", f"{asked} was refused, expected {pending}")
                decided[unit.client] = self.model.refuse(pending)
        self.learn_decisions()
        for place, expected in decided.items():
            if isinstance(results[place], Killed):
                continue
            if isinstance(expected, Pending):
                raise Difference("at once", f"{chosen[place][1]} {answers[place]}")
            self.said.append(f"    {str(answers[place])[:300]}")
            self.compare(chosen[place][1].operation, expected, answers[place])

    # -- checks ----------------------------------------------------------------------------------

    def check(self) -> None:
        """Everything that can be seen, against the model."""
        for organisation in ORGANISATIONS:
            client = Client(organisation, "auditor")
            for kind in _LISTS:
                self._once(client, Asked(kind, query={"limit": 100}))
            accounts = views.own(client, self.model.accounts.values())
            custodies = [
                each.id for each in self.model.custodies.values() if each.account in accounts
            ]
            self._each(client, _OF_ACCOUNTS, [each.id for each in accounts])
            self._each(client, _OF_CUSTODIES, custodies)
            self._check_trail(client)
            self._check_events(client)

    def _each(self, client: Client, reads: Sequence[str], ids: Sequence[str]) -> None:
        for name in ids:
            for kind in reads:
                self._once(client, Asked(kind, (name,)))

    def _check_trail(self, client: Client) -> None:
        self._once(client, Asked("audit", query={"limit": 100}))

    def _check_events(self, client: Client) -> None:
        """Every event since the last check, in its order."""
        if not self.compares:
            return
        cursor, compared = self.seen[client.organisation]
        rows = views.own(client, self.model.events)
        compared = max(compared, len(rows) - len(views.kept_events(self.model, client)))
        while True:
            asked = Asked("events", query={"after": cursor, "limit": 100})
            page = self._send(client, asked).value
            if not page["data"]:
                break
            for found in page["data"]:
                if found["seq"] <= cursor:
                    raise Difference("events", f"{found['seq']} after {cursor}")
                if compared == len(rows):
                    raise Difference("events", f"one too many: {found}")
                differing(f"event {rows[compared].type}", rows[compared].wire(), found, "events")
                cursor, compared = found["seq"], compared + 1
        if compared < len(rows):
            raise Difference("events", f"missing: {rows[compared]}")
        self.seen[client.organisation] = [cursor, compared]

    def verify(self) -> None:
        breaches = self.bank.breaches()
        if breaches:
            raise Difference(f"verify {breaches[0].invariant}", "; ".join(map(str, breaches[:5])))


def differing(path: str, expected: Any, found: Any, name: str) -> None:
    """Raises Difference at the first part of an answer that isn't as expected."""
    if not _agree(expected, found):
        _tell(path, expected, found, name)


def _tell(path: str, expected: Any, found: Any, name: str) -> None:
    """As ``differing``, also of parts that are as expected."""
    if isinstance(expected, Anything):
        _chosen(path, expected, found, name)
        return
    if isinstance(expected, dict) and isinstance(found, dict):
        for key, value in expected.items():
            _tell(f"{path}.{key}", value, found.get(key), name)
        return
    if isinstance(expected, (list, tuple)) and isinstance(found, (list, tuple)):
        if len(expected) != len(found):
            told = f"{len(found)} rows, expected {len(expected)}\n  {found}\n  {expected}"
            raise Difference(f"{name}{path}", told[:2_000])
        for one, other in zip(expected, found, strict=True):
            _tell(path, one, other, name)
        return
    if expected != found:
        raise Difference(f"{name}{path}", f"{found!r}, expected {expected!r}")


def _agree(expected: Any, found: Any) -> bool:
    """Whether an answer is as expected, without a word about where it isn't."""
    kind = expected.__class__
    if kind is dict:
        return isinstance(found, dict) and all(
            _agree(value, found.get(name)) for name, value in expected.items()
        )
    if kind is list or kind is tuple:
        return (
            isinstance(found, (list, tuple))
            and len(expected) == len(found)
            and all(_agree(*pair) for pair in zip(expected, found, strict=True))
        )
    if isinstance(expected, Anything):
        return not expected.wrong(found)
    return bool(expected == found)


def _chosen(path: str, expected: Anything, found: Any, name: str) -> None:
    """Raises Difference where the deployment can't have chosen this."""
    if wrong := expected.wrong(found):
        raise Difference(f"{name}{path}", f"{wrong}\n  {found}"[:2_000])


@cache
def _folder() -> Path:
    """Where the simulations of this process have their file, one after another: in memory where
    there is room, for the disk isn't the subject. A full one is made by a limit of file size."""
    has_room = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ROOM
    folder = Path(tempfile.mkdtemp(prefix="simulation-", dir=_MEMORY if has_room else None))
    Finalize(None, shutil.rmtree, (folder,), {"ignore_errors": True}, exitpriority=1)
    return folder


def cleared() -> Path:
    """Where a database is about to be made; the one before is gone."""
    path = _folder() / "bank.db"
    for name in ("bank.db", "bank.db-journal", "bank.db-wal", "bank.db-shm"):
        path.with_name(name).unlink(missing_ok=True)
    return path


Place = Callable[[], str]
"""Where the next simulation has its database: the URL of an empty one on a server, or ""."""


def in_a_file() -> str:
    return ""


@contextmanager
def simulated(seed: str, url: str = "", *, kills_processes: bool = False) -> Iterator[Simulation]:
    path = cleared()
    simulation = Simulation.begun(path, seed, url, kills_processes=kills_processes)
    try:
        yield simulation
    finally:
        simulation.close()


@dataclass
class Failure:
    """Where a simulation parted from its model."""

    seed: str
    steps: list[Step]
    what: str
    told: str
    said: list[str]

    def __str__(self) -> str:
        lines = [f"seed {self.seed}: {self.what} after {len(self.steps)} steps", self.told]
        return "\n".join([*lines, "the last of what was done:", *self.said[-40:]])


def run(
    seed: str,
    steps: Sequence[Step],
    tally: Tally | None = None,
    place: Place = in_a_file,
    *,
    kills_processes: bool = False,
) -> Failure | None:
    """Do the steps; None where nothing differs."""
    done = 0
    with simulated(seed, place(), kills_processes=kills_processes) as simulation:
        try:
            for step in steps:
                done += 1
                simulation.do(step)
            simulation.check()
            simulation.verify()
        except Exception as error:  # noqa: BLE001 - whatever ends a simulation is its finding
            what = error.what if isinstance(error, Difference) else type(error).__name__
            told = str(error)[:3_000]
            return Failure(seed, [*steps[:done]], what, told, simulation.said)
        finally:
            if tally is not None:
                tally.add(simulation.tally)
    return None


def shrunk(
    failure: Failure, place: Place = in_a_file, *, kills_processes: bool = False, tries: int = 400
) -> Failure:
    """The same difference with as few steps as can be found."""
    size = max(1, len(failure.steps) // 2)
    while size and tries > 0:
        at, shorter = 0, False
        while at < len(failure.steps) and tries > 0:
            fewer = failure.steps[:at] + failure.steps[at + size :]
            tries -= 1
            found = run(failure.seed, fewer, None, place, kills_processes=kills_processes)
            if found is not None and found.what == failure.what:
                failure, shorter = found, True
            else:
                at += size
        if size == 1 and not shorter:
            break
        size = max(1, size // 2) if size > 1 else int(shorter)
    return failure


def replayed(failure: Failure, place: Place = in_a_file, *, kills_processes: bool = False) -> bool:
    """Whether the same steps give the same difference again, to the letter."""
    again = run(failure.seed, failure.steps, None, place, kills_processes=kills_processes)
    return again is not None and (again.what, again.said) == (failure.what, failure.said)
