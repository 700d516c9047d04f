"""A model of what happens to a text on its way into a wallet.

What happened may be two `Alteration`s, in any order. `journeys` tries them best first: the
likeliest sets of steps come first, and a caller stops when its budget is used up.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from chainteller.wallets.alterations import Alteration, alterations

# How often one and two things happen to a text, as costs; two may be drawn either way round.
_ONE, _TWO = -math.log(0.5), -math.log(0.5 * 2)
_USUAL_ORDER, _OTHER_ORDER = -math.log(0.7), -math.log(0.3)
_TOGETHER = frozenset(
    frozenset(pair)
    for pair in (("prefix", "tail"), ("wrap", "tail"), ("wrap", "end"), ("prefix", "quotes"))
)
# What one mail or page does at once is twice as likely as two accidents.
_BONUS = math.log(2)
# Less likely sets of steps are beyond every budget.
_DEAREST = 6.2
_ORDER = (
    "unicode", "case", "characters", "spaces", "cut", "quotes", "prefix", "double", "tail", "mark",
    "wrap", "lines", "start", "end", "ends", "markup", "code",
)  # fmt: skip
_Steps = tuple[Alteration, ...]


@dataclass(frozen=True, slots=True)
class Journey:
    """The bytes that a text became, and the steps that made them, in order."""

    signed: bytes
    steps: _Steps


def journeys(text: str, most_steps: int = 2) -> Iterator[Journey]:
    """What the text may have become, likeliest first; never the text itself, nothing twice."""
    seen = {text.encode()}
    made: dict[_Steps, str | bytes | None] = {(): text}
    for recipe in _recipes(most_steps):
        signed = _applied(recipe, made)
        if signed is None:
            continue
        data = _encoded(signed)
        if data not in seen:
            seen.add(data)
            yield Journey(data, recipe)


def simplest(text: str, journey: Journey) -> Journey:
    """The same bytes by one step, where one explains them: a line break that became CR LF is a
    CR LF.
    """
    if len(journey.steps) > 1:
        for each in alterations():
            if _encoded(each.apply(text)) == journey.signed:
                return Journey(journey.signed, (each,))
    return journey


def makes(journey: Journey, text: str) -> bool:
    """Whether the same steps make the same bytes of this text: what was cut off may be all that
    two texts differ in.
    """
    made: str | bytes = text
    for step in journey.steps:
        if not isinstance(made, str):
            return False
        made = step.apply(made)
    return _encoded(made) == journey.signed


def _encoded(signed: str | bytes) -> bytes:
    return signed.encode("utf-8", "replace") if isinstance(signed, str) else signed


def _applied(recipe: _Steps, made: dict[_Steps, str | bytes | None]) -> str | bytes | None:
    """None when a step changes nothing, or would have to rewrite what is no text any more.

    `made` keeps what the first steps made of the text, which many recipes share.
    """
    if recipe in made:
        return made[recipe]
    before = _applied(recipe[:-1], made)
    after = recipe[-1].apply(before) if isinstance(before, str) else None
    made[recipe] = result = None if after == before else after
    return result


@cache
def _recipes(most_steps: int) -> tuple[_Steps, ...]:
    """One or two alterations of different kinds, the likeliest first."""
    singles = alterations()
    rows: list[tuple[float, _Steps]] = [(each.cost + _ONE, (each,)) for each in singles]
    if most_steps > 1:
        rows += _pairs(singles)
    rows.sort(key=lambda row: row[0])
    return tuple(recipe for _, recipe in rows)


def _pairs(singles: _Steps) -> Iterator[tuple[float, _Steps]]:
    places = {kind: place for place, kind in enumerate(_ORDER)}
    for index, first in enumerate(singles):
        for second in singles[index + 1 :]:
            cost = _TWO + first.cost + second.cost
            if cost > _DEAREST:
                break
            if first.kind != second.kind:
                if frozenset((first.kind, second.kind)) in _TOGETHER:
                    cost -= _BONUS
                usual = places[first.kind] < places[second.kind]
                steps = (first, second) if usual else (second, first)
                yield cost + _USUAL_ORDER, steps
                yield cost + _OTHER_ORDER, steps[::-1]
