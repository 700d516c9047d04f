"""Journeys of a text: delivered, handled and signed, with what the wallet's history shows of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random  # noqa: TID251 - cases that can be made again from a seed

from tests.wallets.travelled.steps import DELIVERY, FREE, HANDS, TOOLS

_HAPPENS = (0.55, 0.45, 0.40)
"""How often a delivery, a hand and a tool change a text."""
_SHORTEST = 8


@dataclass(frozen=True, slots=True)
class Journey:
    """`shown` is what the customer copies from the wallet's history; `is_knowable`, whether nothing
    in the text is anybody's own words."""

    steps: tuple[str, ...]
    signed: bytes
    shown: str
    is_knowable: bool


def journeys(rng: Random, text: str) -> Iterator[Journey]:
    """Endless journeys of one text, none of which leaves it as it was."""
    while True:
        journey = _journey(rng, text)
        if journey is not None:
            yield journey


def _journey(rng: Random, asked: str) -> Journey | None:
    text: str | bytes = asked
    taken = []
    for steps, happens in zip((DELIVERY, HANDS, TOOLS), _HAPPENS, strict=True):
        if rng.random() < happens:
            step = rng.choices(list(steps), list(steps.values()))[0]
            try:
                after = step(rng, str(text))
            except (IndexError, ValueError):
                continue
            if after != text:
                text = after
                taken.append(step.__name__)
    signed = text if isinstance(text, bytes) else text.encode()
    if len(signed.strip()) < _SHORTEST or signed == asked.encode():
        return None
    return Journey(tuple(taken), signed, shown(rng, signed), not FREE & set(taken))


def shown(rng: Random, signed: bytes) -> str:
    """What is copied from a wallet's history.

    Hexadecimal where it is no text; often without white space at the ends, and sometimes as a page
    shows it, with single spaces.
    """
    try:
        text = signed.decode()
    except UnicodeDecodeError:
        return "0x" + signed.hex()
    if "\0" in text:
        return "0x" + signed.hex()
    how = rng.random()
    if how < 0.5:
        return text
    return text.strip() if how < 0.75 else " ".join(text.split())
