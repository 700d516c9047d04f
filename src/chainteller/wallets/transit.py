"""A model of what happens to a text on its way into a wallet.

What happened may be two `Alteration`s, in any order. `journeys` tries them best first: the
likeliest sets of steps come first, and a caller stops when its budget is used up.
"""

import math
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from chainteller.wallets.alterations import Alteration, alterations

# How often one and two things happen to a text, as costs; two may be drawn either way round.
_ONE, _TWO = -math.log(0.5), -math.log(0.5 * 2)
_USUAL_ORDER, _OTHER_ORDER = -math.log(0.85), -math.log(0.15)
# Less likely sets of steps are beyond the budget of a search, and of a longer one.
_DEAREST, _DEAREST_OF_MANY = 5.1, 6.7
_ORDER = (
    "unicode", "case", "characters", "typography", "spaces", "cut", "quotes", "markdown", "prefix",
    "double", "tail", "mark", "wrap", "lines", "start", "end", "ends", "markup", "code", "file",
    "mail",
)  # fmt: skip
_Steps = tuple[Alteration, ...]


class Journey(NamedTuple):
    """The bytes that a text became, and the steps that made them, in order."""

    signed: bytes
    steps: _Steps


def journeys(text: str, most_steps: int = 2, *, many: bool = False) -> Iterator[Journey]:
    """What the text may have become, likeliest first; never the text itself, nothing twice.

    With `many` the same begin, and about three times as many follow.
    """
    seen = {text.encode()}
    once: dict[Alteration, str | bytes] = {}
    for recipe in _recipes(most_steps, _DEAREST_OF_MANY if many else _DEAREST):
        first = recipe[0]
        if first not in once:
            once[first] = first.apply(text)
        signed = once[first]
        if len(recipe) > 1:
            # What is no text any more is not rewritten, and a step that changes nothing is none.
            if signed == text or not isinstance(signed, str):
                continue
            before = signed
            signed = recipe[1].apply(before)
            if signed == before:
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


@cache
def _recipes(most_steps: int, dearest: float) -> tuple[_Steps, ...]:
    """One or two alterations of different kinds, the likeliest first."""
    singles = alterations()
    rows: list[tuple[float, _Steps]] = [(each.cost + _ONE, (each,)) for each in singles]
    if most_steps > 1:
        rows += _pairs(singles, dearest)
    rows.sort(key=lambda row: row[0])
    return tuple(recipe for _, recipe in rows)


def _pairs(singles: _Steps, dearest: float) -> Iterator[tuple[float, _Steps]]:
    places = {kind: place for place, kind in enumerate(_ORDER)}
    for index, first in enumerate(singles):
        for second in singles[index + 1 :]:
            cost = _TWO + first.cost + second.cost
            if cost > dearest:
                break
            if first.kind != second.kind:
                usual = places[first.kind] < places[second.kind]
                steps = (first, second) if usual else (second, first)
                yield cost + _USUAL_ORDER, steps
                yield cost + _OTHER_ORDER, steps[::-1]
