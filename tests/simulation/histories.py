"""Histories that are permitted from end to end: ``db verify`` must find no breach in any.

``python -m tests.simulation.histories --count 20000 --state FILE`` goes on where it was. A history
is a copied database and thirty calls, settings changes and restarts; its number says all of it.
Of 40 histories, one begins with sample data that is loaded under drawn settings, the others with a
database that a simulation left.
"""

import argparse
import json
import pickle
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from tests.simulation import acts, parts
from tests.simulation.bank import Bank, World, copy_of
from tests.simulation.calls import Asked, Client, Wire
from tests.simulation.figures import DAY, SECOND
from tests.simulation.generators import READ_WEIGHT, WEIGHTS, Draw
from tests.simulation.model import Model
from tests.simulation.records import Custody, Settings, Wallet
from tests.simulation.run import (
    START,
    Difference,
    Simulation,
    Step,
    cleared,
    customers,
    first_settings,
    simulated,
    steps_of,
)
from tests.simulation.signing import signed
from tests.world.samples import FOLDER

from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.domain.clock import ManualClock
from chainteller.engine.samples.loading import load_past, load_samples
from chainteller.storage.db.query import Session
from chainteller.storage.queries import clock

LENGTH = 30
TEMPLATES = 6
_OWN, _SAMPLE = "own", "sample"
_BATCH = 50


@dataclass(frozen=True)
class Template:
    """A closed database and, pickled, the model that knows it."""

    path: Path
    model: bytes
    settings: Settings


def kind_of(number: int) -> str:
    return _SAMPLE if number % 40 == 1 else _OWN


def history(number: int) -> list[str]:
    """Live through a history; the breaches that are found in it, each as text.

    Raises:
        Difference: a deployment that the model knows whole did something else.
    """
    draw = Draw(number)
    begin: dict[str, Callable[[int, Draw], Simulation]] = {
        _OWN: _from_template,
        _SAMPLE: _with_samples,
    }
    simulation = begin[kind_of(number)](number, draw)
    simulation.looks = False
    try:
        for _ in range(LENGTH):
            _step(simulation, draw)
        return [f"{each.invariant}: {each}" for each in simulation.bank.breaches()]
    finally:
        simulation.close()


def _step(simulation: Simulation, draw: Draw) -> None:
    drawn = draw.pick(_kinds())
    if drawn in MACROS:
        MACROS[drawn](simulation, draw)
    else:
        simulation.do(Step(drawn, draw.below(2**63)))


@cache
def _kinds() -> tuple[str, ...]:
    """Writes, acts and macros by their weights, and few reads."""
    weighted = WEIGHTS | {name: weight for name, weight in acts.WEIGHTS.items() if weight > 2}
    weighted |= dict.fromkeys(("limits", "linked_counterparties", "audit"), READ_WEIGHT)
    weighted |= {"settings": 40, "fees": 15, "restart": 15, "check": 1, "verify": 0}
    weighted |= {"verify twice": 30, "limits changed": 30}
    return tuple(name for name, weight in weighted.items() for _ in range(weight))


# -- beginnings ---------------------------------------------------------------------------------


@cache
def template(number: int) -> Template:
    """What a simulation left after some time."""
    seed = f"template-{number}"
    with simulated(seed) as simulation:
        for step in steps_of(seed, 20 + 25 * number):
            simulation.do(step)
        simulation.close()
        kept = simulation.bank.path.with_name(f"{seed}.db")
        copy_of(simulation.bank.path, kept)
        model = pickle.dumps(simulation.model)
        return Template(kept, model, simulation.bank.settings)


def _from_template(number: int, draw: Draw) -> Simulation:
    left = template(draw.below(TEMPLATES))
    model: Model = pickle.loads(left.model)  # noqa: S301 - our own
    path = copy_of(left.path, cleared())
    world = model.mid.__self__  # type: ignore[attr-defined]
    bank = Bank(path, f"history-{number}", ManualClock(model.clock), left.settings, world)
    return Simulation(bank, model)


@cache
def _past(seconds: int) -> Path:
    """The sample data up to the last midnight, loaded under a quote's window."""
    settings = replace(first_settings("past"), window=seconds * SECOND)
    bank = Bank(cleared(), "past", ManualClock(START), settings, World("past"))
    assert load_past(bank.context, FOLDER, SimulatedPrices("42"))
    bank.close()
    return copy_of(bank.path, bank.path.with_name(f"past-{seconds}.db"))


def _with_samples(number: int, draw: Draw) -> Simulation:
    """Sample data whose day begins under settings that somebody chose."""
    settings = acts.drawn_settings(draw, Settings(window=draw.pick((5, 60, 300)) * SECOND))
    past = _past(draw.pick((5, 300)))
    path = copy_of(past, cleared())
    bank = Bank(path, f"history-{number}", ManualClock(START), settings, World("past"))
    bank.clock.advance(draw.below(DAY // 2))
    assert load_samples(bank.context, FOLDER, SimulatedPrices("42"))
    return _among_others(bank)


def _newest_instant(connection: Session) -> int:
    return int(clock.read(connection, server_clock=False).last_at)


def _among_others(bank: Bank) -> Simulation:
    """Customers whom the model knows join a database of which it knows nothing else."""
    model = Model(bank.world.mid, bank.world.rejects, bank.settings, bank.clock.now())
    model.last = bank.on(_newest_instant)
    simulation = Simulation(bank, model)
    simulation.compares = False
    acts.admit(simulation, customers(("XDA", "XOA")))
    return simulation


# -- macros -------------------------------------------------------------------------------------


def _verify_twice(simulation: Simulation, draw: Draw) -> None:
    """A wallet is verified, and again under other keys, as every re-verification is."""
    model = simulation.model
    for custody in [*model.custodies.values()][-3:]:
        for wallet in model.wallets.values():
            if wallet.organisation == custody.account.organisation:
                for number in range(2 + draw.below(2)):
                    _verified(simulation, custody, wallet, f"{draw.below(10**9)}-{number}")
                return


def _verified(simulation: Simulation, custody: Custody, wallet: Wallet, key: str) -> None:
    client = Client(wallet.organisation, "desk")

    def ask(operation: str, body: Wire) -> str:
        """The id of the answer; empty where it was refused."""
        asked = Asked(operation, (custody.id,), body, key=f"{operation}-{key}")
        answered = asked.send(simulation.bank.service(client))
        expected = simulation.model.call(client, asked, answered)
        simulation.compare(operation, expected, answered)
        return "" if answered.code else str(answered.value["id"])

    name = ask("create_challenge", {"counterpartyId": wallet.id})
    if not name:
        return
    challenge = simulation.model.challenges[name]
    answer = {
        "challengeId": name,
        "completedChallenge": signed(wallet.address, challenge.text),
        "counterpartyId": wallet.id,
    }
    claim = ask("submit_claim", answer)
    link = {"address": wallet.address, "network": wallet.network, "ownershipClaimId": claim}
    ask("link_counterparty", link)


def _limits_changed(simulation: Simulation, draw: Draw) -> None:
    """Every limit falls to a fraction of what it was, or rises again."""
    settings = simulation.bank.settings
    times, parts = draw.pick(((1, 10), (1, 3), (3, 1), (10, 1)))
    simulation.restart(replace(settings, limits=acts.scaled(settings, times, parts)))


MACROS: dict[str, Callable[[Simulation, Draw], None]] = {
    "verify twice": _verify_twice,
    "limits changed": _limits_changed,
}


# -- running ------------------------------------------------------------------------------------


def lived(first: int, last: int) -> tuple[Counter[str], dict[str, int]]:
    """(histories by kind, for each kind of breach the first history with it)."""
    kinds, found = Counter[str](), dict[str, int]()
    for number in range(first, last):
        kinds[kind_of(number)] += 1
        try:
            breaches = history(number)
        except Difference as difference:
            breaches = [f"differs: {difference.what}"]
        if breaches:
            kinds["with a breach"] += 1
            for each in breaches:
                found.setdefault(each.partition(" (")[0][:60], number)
    return kinds, found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.histories")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--state", type=Path, help="where finished histories are kept")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--one", type=int, help="live through this one alone")
    given = parser.parse_args()
    if given.one is not None:
        _say(*(history(given.one) or ["no breach"]))
        return 0
    known = _known(given.state)
    batches = range(0, given.count, _BATCH)
    missing = [(at, min(given.count, at + _BATCH)) for at in batches if at not in known]
    for (first, _), batch in parts.done(_lived, missing, given.processes):
        known[first] = batch
        if given.state is not None:
            with given.state.open("a", encoding="utf-8") as file:
                file.write(json.dumps([first, *batch]) + "\n")
        _say(f"{first}: {batch}")
    kinds, found = Counter[str](), dict[str, int]()
    for first in batches:
        kinds += Counter(known[first][0])
        found = known[first][1] | found
    seconds = sum(known[first][2] for first in batches)
    _say(
        f"{dict(kinds)} in {seconds:.0f} s of processor time",
        *(f"{each} (history {n})" for each, n in found.items()),
    )
    return 1 if found else 0


def _lived(batch: tuple[int, int]) -> tuple[dict[str, int], dict[str, int], float]:
    """As ``lived``, with the seconds of processor time."""
    began = time.process_time()
    kinds, found = lived(*batch)
    return dict(kinds), found, time.process_time() - began


def _known(state: Path | None) -> dict[int, tuple[dict[str, int], dict[str, int], float]]:
    if state is None or not state.exists():
        return {}
    rows = [json.loads(row) for row in state.read_text(encoding="utf-8").splitlines()]
    return {first: (kinds, found, took) for first, kinds, found, took in rows}


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
