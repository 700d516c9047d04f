"""What a text may have become on its way into a wallet, the likeliest first.

A journey is up to three alterations. `journeys` walks over all of them by cost, each only when it
is asked for the next: a caller stops when its budget is used up.
"""

import math
from collections.abc import Iterator
from functools import cache
from heapq import heappop, heappush, heapreplace
from typing import NamedTuple

from chainteller.wallets.alterations import NEAR, Alteration, Stage, alterations, usual_length

# How much less likely one more step is, after a step of an earlier, the same and a later stage.
_ANOTHER, _SAME_STAGE, _BACKWARDS = 0.0, -math.log(0.5), -math.log(0.15)
_LONGEST, _MOST_STEPS = 2000, 3
_Steps = tuple[Alteration, ...]
_Way = list[tuple[float, Alteration]]
_Place = tuple[str, float, _Steps, tuple[str, ...], _Way]
"""A text on its way, its cost, the steps that made it, their kinds, and what may follow."""


class Journey(NamedTuple):
    """The bytes that a text became, the steps that made them, in order, and their cost."""

    signed: bytes
    steps: _Steps
    cost: float = 0


def journeys(
    text: str,
    *,
    since: Stage = Stage.SPELLED,
    without: frozenset[str] = frozenset(),
    farthest: float = NEAR,
) -> Iterator[Journey]:
    """What the text may have become, likeliest first; never the text itself, nothing twice.

    Of the alterations since a stage, without those of some findings, that cost at most `farthest`.
    """
    first, *later = _ways(usual_length(text), since, without, farthest)
    seen, useless = {text.encode("utf-8", "replace")}, set[Alteration]()
    place: _Place = (text, 0.0, (), (), first)
    queue = [(first[0][0], 0, 0, place)]
    number = 0
    while queue:
        cost, _, index, place = queue[0]
        before, so_far, steps, kinds, following = place
        step = following[index][1]
        number += 1
        index += 1
        if index < len(following):
            heapreplace(queue, (so_far + following[index][0], number, index, place))
        else:
            heappop(queue)
        # What changes nothing in our own text, which was asked first, does so rarely in another.
        if step.kind in kinds or step in useless:
            continue
        made = step.apply(before)
        data = made.encode("utf-8", "replace") if isinstance(made, str) else made
        if data in seen or not data:
            if not steps and not step.is_late:
                useless.add(step)
            continue
        seen.add(data)
        steps = (*steps, step)
        yield Journey(data, steps, cost)
        if isinstance(made, str) and len(steps) < _MOST_STEPS and len(made) <= _LONGEST:
            following = later[step.stage]
            place = (made, cost, steps, (*kinds, step.kind), following)
            heappush(queue, (cost + following[0][0], -number, 0, place))


@cache
def _ways(length: int, since: Stage, without: frozenset[str], farthest: float) -> list[_Way]:
    """What happens to a text at first, and after a step of each stage, by cost."""
    everything = [
        each for each in alterations(length, farthest)
        if each.stage >= since and each.finding not in without
    ]  # fmt: skip
    found: list[_Way] = [[(each.cost, each) for each in everything]]
    for before in Stage:
        rows = [(each.cost + _further(before, each.stage), each) for each in everything]
        found.append(sorted(rows, key=lambda row: row[0]))
    return found


def _further(before: Stage, after: Stage) -> float:
    if after > before:
        return _ANOTHER
    return _SAME_STAGE if after == before else _BACKWARDS


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
