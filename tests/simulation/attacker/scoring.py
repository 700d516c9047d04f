"""One attacked life of the bank, what the attacker reached by it, and what named it."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tests.simulation.attacker.attacks import FORGED, Attack, Attacker, forged, replaced_wallet
from tests.simulation.attacker.bank import (
    AFTER_REVOCATION,
    DEFAULT,
    OTHER,
    REVOCATION,
    Asked,
    Bank,
    Seen,
    Template,
    copied,
    seen,
)
from tests.simulation.attacker.raw import Key, Raw, RawTable, Row, Rows, Statement, attacking
from tests.simulation.generators import Draw
from tests.world.logs import entries

from chainteller.domain.clock import parse_instant
from chainteller.domain.timekeeping import TOLERANCE
from chainteller.engine.core.breaches import UNREADABLE
from chainteller.engine.verification.full_pass import verify_all, verify_heads
from chainteller.service.errors import ServiceError
from chainteller.storage.db import errors
from chainteller.storage.log.rows import DEPLOYMENT

_ALARMS = ("payout.refused", "dispute_books", "clock_uncertain")
_FAULTS = (AssertionError, *UNREADABLE, errors.DatabaseError)
Payment = tuple[str, ...]
"""Account, asset, amount and address."""


@dataclass
class Life:
    """What came of the script."""

    answers: dict[str, str] = field(default_factory=dict)
    paid: dict[str, Payment] = field(default_factory=dict)
    """What left, by the id of the withdrawal."""
    forged: set[Key] = field(default_factory=set)
    """Rows of the journal that an attacker wrote: nothing left by them."""
    asked: list[Asked] = field(default_factory=list)
    """What the bank's other systems were asked for."""
    seen: Seen = field(default_factory=dict)
    rows: Rows = field(default_factory=dict)
    named: list[str] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)
    """What the service itself said or refused to do."""


@dataclass(frozen=True)
class Plan:
    """Attacks, each before a step of the script. ``restores_at``: everything is put back before
    that step, or after the last one; None if it's left as it is."""

    attacks: Mapping[int, Sequence[Attack]]
    restores_at: int | None = None
    steps: tuple[str, ...] = ()
    """The names of the script's steps."""


@dataclass
class Outcome:
    """What an attack reached, and by what it was named."""

    plan: Plan
    reached: list[str]
    named: list[str]
    alarms: list[str]
    unseen: list[str]
    """Cells that differ in the end and that nothing named."""

    @property
    def is_success(self) -> bool:
        """What another system was asked for has left: naming it afterwards is too late."""
        has_left = any(each.startswith("asked") for each in self.reached)
        return has_left or (bool(self.reached) and not self.named)

    def __str__(self) -> str:
        steps = self.plan.steps
        told = [
            f"  before {steps[at]!r}: {attack.what}"
            for at, attacks in self.plan.attacks.items()
            for attack in attacks
        ]
        at = self.plan.restores_at
        kind = "left as it is" if at is None else f"put back before {[*steps, 'the end'][at]!r}"
        return "\n".join((f"reached {self.reached} ({kind})", *told, f"  named: {self.named[:4]}"))


def live(bank: Bank, raw: Raw, plan: Plan | None, draw: Draw | None = None) -> tuple[Life, Plan]:
    """Live through the script with attacks: those of a plan, or such as are drawn now."""
    life, tables, script = Life(), raw.tables(), bank.script()
    moments = plan.attacks if plan is not None else _moments(draw, len(script))
    restores_at = plan.restores_at if plan is not None else _restores_at(moments, draw, len(script))
    made: dict[int, list[Attack]] = {}
    changed: list[tuple[Rows, Rows]] = []
    for at, (name, step) in enumerate(script.items()):
        if at == restores_at:
            _restore(raw, tables, changed)
        if at in moments:
            before = raw.read(tables)
            made[at] = _attack(raw, tables, moments[at], draw, bank)
            changed.append(
                (before, raw.read(tables)) if raw.tables() == tables else (before, before)
            )
            before, after = changed[-1]
            life.forged |= {
                key for key, row in after["journal"].items() if row != before["journal"].get(key)
            }
        attempt(bank, life, name, step)
        _note_payments(raw, tables, bank, life)
    if restores_at == len(script):
        _restore(raw, tables, changed)
    life.asked = bank.asked
    _look(bank, raw, tables, life)
    return life, Plan(made, restores_at, tuple(script))


def _moments(draw: Draw | None, steps: int) -> Mapping[int, Sequence[Attack]]:
    if draw is None:
        return {}
    times = draw.pick((1, 1, 1, 1, 2, 3))
    return {draw.below(steps): () for _ in range(times)}


def _restores_at(moments: Mapping[int, object], draw: Draw | None, steps: int) -> int | None:
    if draw is None or not draw.chance(3):
        return None
    last = max(moments)
    return last + 1 + draw.below(steps - last)


def _attack(
    raw: Raw, tables: list[RawTable], given: Sequence[Attack], draw: Draw | None, bank: Bank
) -> list[Attack]:
    if given:
        chosen = list(given)
    else:
        assert draw is not None
        attacker = Attacker(raw, draw, bank.facts)
        chosen = [attacker.attack()]
        while draw.chance(4):
            chosen.append(attacker.attack())
    guards = raw.guards()
    for drop, _ in guards:
        raw.run(drop)
    done = [Attack(each.what, tuple(_run(raw, tables, each.statements))) for each in chosen]
    for _, create in guards:
        raw.run(create)
    return done


def _run(raw: Raw, tables: list[RawTable], statements: Sequence[Statement]) -> Iterator[Statement]:
    """Those that were accepted."""
    before = raw.read(tables) if FORGED in statements else {}
    for each in statements:
        for made in forged(raw, tables, before) if each == FORGED else (each,):
            if raw.run(made):
                yield made


def attempt(bank: Bank, life: Life, name: str, step: Any) -> None:
    """Take a step of the script, and note how it ended."""
    try:
        life.answers[name] = step(bank)
    except ServiceError as error:
        life.answers[name] = f"{error.code} {error.details.get('reason', '')}".strip()
    except _FAULTS as error:
        life.answers[name] = f"FAULT {type(error).__name__}"


def _note_payments(raw: Raw, tables: list[RawTable], bank: Bank, life: Life) -> None:
    """What has left, at the moment in which it does."""
    names = {table.name for table in tables}
    wanted = [table for table in raw.tables() if table.name in ("journal", "transfer")]
    if len(wanted) != 2 or not names.issuperset(table.name for table in wanted):
        return
    rows = raw.read(wanted)
    life.forged &= rows["journal"].keys()
    transfers = {str(row.get("id")): row for row in rows["transfer"].values()}
    for key, row in rows["journal"].items():
        if row.get("kind") == "sent" and row["record"] not in life.paid and key not in life.forged:
            found = transfers.get(row["record"])
            if found is None:
                continue
            parts = ("trading_account_id", "asset", "amount", "address")
            life.paid[row["record"]] = tuple(str(found.get(part)) for part in parts)


def _restore(raw: Raw, tables: list[RawTable], changed: list[tuple[Rows, Rows]]) -> None:
    """Put back whatever is still as the attacker left it."""
    guards = raw.guards()
    for drop, _ in guards:
        raw.run(drop)
    for before, after in reversed(changed):
        now = raw.read(tables)
        for table in tables:
            for key in before[table.name].keys() | after[table.name].keys():
                old, new = before[table.name].get(key), after[table.name].get(key)
                if old != new:
                    _put_back(raw, table, old, new, now[table.name].get(key))
    for _, create in guards:
        raw.run(create)


def _put_back(raw: Raw, table: RawTable, old: Row | None, new: Row | None, now: Row | None) -> None:
    if new is None and old is not None and now is None:
        raw.run(table.insert(old))
    elif old is None and new is not None and now == new:
        raw.run(table.delete(table.key_of(new)))
    elif old is not None and new is not None and now is not None:
        cells = {
            name: old[name] for name in old if old[name] != new[name] and now[name] == new[name]
        }
        if cells:
            raw.run(table.update(table.key_of(now), cells))


def _look(bank: Bank, raw: Raw, tables: list[RawTable], life: Life) -> None:
    """What the service gives out in the end, and what verification names."""
    database = bank.context.database
    try:
        life.seen = seen(bank)
    except _FAULTS as error:
        life.answers["reading"] = f"FAULT {error!r}"[:200]
    try:
        life.named = [f"{each.where}: {each.what}" for each in verify_all(database)]
        life.named += [
            f"{each.where}: {each.what}" for each in verify_heads(bank.context.kept, database)
        ]
    except (ServiceError, *_FAULTS) as error:
        life.named.append(f"FAULT {error!r}"[:300])
    with suppress(ServiceError, *_FAULTS):
        for name in (DEFAULT, OTHER, DEPLOYMENT):
            for action in _ALARMS:
                life.alarms += [
                    f"{action} {each.object} {each.inputs}"
                    for each in entries(database, name, action)
                ]
    if raw.tables() == tables:
        life.rows = raw.read(tables)


# -- what was reached ----------------------------------------------------------------------------


def reached(honest: Life, life: Life, *, restored: bool = False) -> list[str]:
    """The aims that an attacked life reached, beside an honest one.

    What was altered for a while and is ``restored`` delayed and hid things only for that while,
    which nothing shows afterwards.
    """
    found = [*_payments(honest, life), *_asked(honest, life)]
    for name, answer in honest.answers.items():
        now = life.answers.get(name, "")
        opens = now.startswith((f"{DEFAULT} ", f"{OTHER} "))
        if name == AFTER_REVOCATION and life.answers.get(REVOCATION):
            continue  # whoever wanted to revoke the key was told that it couldn't be done
        if name.startswith("key ") and now != answer and opens:
            found.append(f"key: {name[4:]} opens {now[:40]}")
    lasting = sorted(set(_records(honest, life))) if life.seen else []
    if restored:
        is_same = _refusals(honest) == _refusals(life)
        is_late = any(each.startswith(("delay", "deletion")) for each in lasting)
        lasting = [each for each in lasting if each == "balance" and is_same and not is_late]
    return found + lasting


def _refusals(life: Life) -> list[str]:
    """Which steps were refused: what wasn't done changes balances too."""
    return [name for name, told in life.answers.items() if not told.startswith("TXN_")]


def _payments(honest: Life, life: Life) -> Iterator[str]:
    """Those that differ. An id is another payment's once a request came that hadn't, or didn't."""
    differ = {*(Counter(life.paid.values()) - Counter(honest.paid.values()))}
    if _refusals(honest) == _refusals(life):
        paid_before = honest.paid
        differ |= {paid for id_, paid in life.paid.items() if paid_before.get(id_, paid) != paid}
    for paid in sorted(differ):
        yield f"payout: {' '.join(paid)}"


def _asked(honest: Life, life: Life) -> Iterator[str]:
    """What other systems were asked for while nothing was named, and nobody wanted, or twice. The
    same request with its key again isn't another."""
    wanted = Counter(what for what, _ in {(each.what, each.key) for each in honest.asked})
    keys: dict[str, set[str]] = {}
    for each in life.asked:
        keys.setdefault(each.what, set()).add(each.key)
        if len(keys[each.what]) > wanted[each.what] and not each.is_named:
            yield f"asked: {each.what} ({len(keys[each.what])}. key)"


def _records(honest: Life, life: Life) -> Iterator[str]:
    owners = {
        place[3]: place[0]
        for place, told in honest.seen.items()
        if told.startswith("{") and place[1] != "token_balances"
    }
    for place, told in life.seen.items():
        of = owners.get(place[3])
        if not told.startswith("{") or of is None:
            continue
        if of != place[0]:
            yield f"record: {place[1]} of {of} to {place[0]}"
        elif place[2] and place not in honest.seen:
            yield f"record: {place[1]} of another account of {of}"
    ignored = _OF_RETRIES if honest.asked else frozenset()
    for place, told in honest.seen.items():
        now = life.seen.get(place, life.seen.get((*place[:3], ""), ""))
        if now != told and told.startswith("{") and not now.startswith("ERROR"):
            yield from _difference(place[1], told, now, ignored)


def _difference(kind: str, honest: str, now: str, ignored: frozenset[str]) -> Iterator[str]:
    if not now.startswith("{"):
        yield f"deletion: {kind}"
    elif kind == "token_balances":
        yield "balance"
    else:
        yield from _differences(kind, json.loads(honest), json.loads(now), ignored)


_OF_RETRIES = frozenset({"completedAt", "updated"})
"""What follows from when something is tried again, which nothing seals."""


def _is_same(honest: Any, now: Any) -> bool:
    """Whether two values are equal, but for the seconds that clocks are allowed to differ by."""
    if isinstance(honest, dict) and isinstance(now, dict):
        return honest.keys() == now.keys() and all(_is_same(honest[at], now[at]) for at in honest)
    if not isinstance(honest, str) or not isinstance(now, str) or honest == now:
        return bool(honest == now)
    with suppress(ValueError):
        return abs(parse_instant(honest) - parse_instant(now)) <= TOLERANCE
    return False


def _differences(
    kind: str, honest: Any, now: Any, ignored: frozenset[str] = frozenset()
) -> Iterator[str]:
    every = honest.keys() | now.keys()
    names = {name for name in every if not _is_same(honest.get(name), now.get(name))}
    names -= {"networkTxHash"}  # drawn anew
    if names - ignored:
        word = "delay" if "status" in names else "alteration"
        yield f"{word}: {kind} {' '.join(sorted(names))}"


def differing(honest: Life, life: Life) -> list[str]:
    """The tables and columns that differ from those of an honest life."""
    found = set()
    for name, rows in honest.rows.items():
        now = life.rows.get(name, {})
        for key in rows.keys() | now.keys():
            one, other = rows.get(key), now.get(key)
            if one is None or other is None:
                found.add(f"{name}: a row {'more' if one is None else 'less'}")
            else:
                found |= {f"{name}.{each}" for each in one if one[each] != other.get(each)}
    return sorted(found)


# -- seeds ---------------------------------------------------------------------------------------


class Trial:
    """Seeds on copies of one bank. ``copies`` gives the URL of the next copy."""

    def __init__(self, template: Template, copies: Any = lambda: "sqlite") -> None:
        self.template, self.copies = template, copies
        self.honest, _ = self._lived(Plan({}), None)
        assert (self.honest.named, self.honest.alarms) == ([], [])
        again, _ = self._lived(Plan({}), None)
        assert reached(self.honest, again) == []
        self._random = set(differing(self.honest, again))
        """Columns that hold what is drawn anew in each life."""

    def _lived(self, plan: Plan | None, draw: Draw | None) -> tuple[Life, Plan]:
        with copied(self.template, self.copies()) as bank, attacking(bank.url) as raw:
            return live(bank, raw, plan, draw)

    def of(self, plan: Plan | None, draw: Draw | None) -> Outcome:
        life, done = self._lived(plan, draw)
        named = [*life.named, *life.alarms]
        rest = [] if named else sorted(set(differing(self.honest, life)) - self._random)
        found = reached(self.honest, life, restored=done.restores_at is not None)
        return Outcome(done, found, named, life.alarms, rest)

    def first(self) -> Outcome:
        """Seed 1: a verified wallet is replaced before the script begins."""
        with copied(self.template, self.copies()) as bank, attacking(bank.url) as raw:
            attack = replaced_wallet(raw, bank.facts)
        return self.of(Plan({0: (attack,)}), None)

    def seed(self, number: int) -> list[Outcome]:
        """A seed; where it reached something by several attacks, each of them alone too, because
        one may be named for another."""
        is_wallet = number == 1 and "victim custody" in self.template.facts.ids
        first = self.first() if is_wallet else self.of(None, Draw(number))
        found = [first]
        single = [(at, attack) for at, attacks in first.plan.attacks.items() for attack in attacks]
        if first.reached and first.named and len(single) > 1:
            for at, attack in single:
                alone = Plan({at: (attack,)}, first.plan.restores_at, first.plan.steps)
                found.append(self.of(alone, None))
        return found
