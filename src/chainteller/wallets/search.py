"""Looks for the text that was signed among what our texts may have become, within a budget.

The budget counts candidate texts, never time, so that the same paste gets the same answer on every
machine. Where a signature gives away its key, one candidate is held against every known address at
once; Ed25519 has to be asked about each address.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from chainteller.wallets.cases import KnownAddress, KnownChallenge
from chainteller.wallets.family import Address, Family, Probe
from chainteller.wallets.transit import Journey, journeys

# Candidates for this challenge's text, first and later, and for all other texts together; where
# each address is asked for itself, this part of them.
_FIRST, _LATER, _OTHERS = 900, 1500, 600
_PART = 0.5
_NEWEST, _LEAST_PER_TEXT, _MOST_PER_TEXT = 8, 6, 300
# Candidates that are held against the customer's wallets of other families.
_FOREIGN = 60


@dataclass(frozen=True, slots=True)
class Found:
    """Who signed what the text of which challenge had become."""

    challenge: KnownChallenge
    journey: Journey
    signer: Address


def search(
    probe_as: Callable[[Family], Probe],
    challenge: KnownChallenge,
    others: Sequence[KnownChallenge],
    known: Sequence[KnownAddress],
) -> Found | None:
    """The likeliest journey of one of the texts that one of the addresses signed, or None."""
    registered = challenge.address
    addresses = [registered, *(each.address for each in known), *(each.address for each in others)]
    family = registered.network.family
    probe = probe_as(family)
    everybody = list({each.canonical: each for each in addresses}.values())
    reachable = everybody if probe.names_its_key else [registered]
    part = 1.0 if probe.names_its_key else _PART
    first, later = int(_FIRST * part), int(_LATER * part)
    own = _candidates(challenge.text, first + later)
    return (
        _look(probe, challenge, own[:first], reachable)
        or _look_elsewhere(probe_as, challenge, own[:_FOREIGN], everybody)
        or _look_at_others(probe_as, registered, others, everybody)
        or _look(probe, challenge, own[first:], reachable)
    )


@lru_cache(64)
def _candidates(text: str, number: int) -> tuple[Journey, ...]:
    """Kept because an answer is often checked before it is submitted, or sent twice."""
    return tuple(islice(journeys(text), number))


def _look(
    probe: Probe,
    challenge: KnownChallenge,
    candidates: Sequence[Journey],
    addresses: Sequence[Address],
) -> Found | None:
    for start in range(0, len(candidates), _BATCH):
        batch = candidates[start : start + _BATCH]
        match = probe.find([each.signed for each in batch], addresses)
        if match is not None:
            return Found(challenge, batch[match.index], match.address)
    return None


_BATCH = 100


def _look_elsewhere(
    probe_as: Callable[[Family], Probe],
    challenge: KnownChallenge,
    candidates: Sequence[Journey],
    addresses: Sequence[Address],
) -> Found | None:
    """The customer's other wallets: those that the first search couldn't ask for free."""
    own = challenge.address.network.family
    for family in dict.fromkeys(each.network.family for each in addresses):
        probe = probe_as(family)
        if family is own and probe.names_its_key:
            continue
        theirs = [each for each in addresses if each.network.family is family]
        number = len(candidates) if probe.names_its_key else max(6, 240 // len(theirs))
        found = _look(probe, challenge, candidates[:number], theirs)
        if found is not None:
            return found
    return None


def _look_at_others(
    probe_as: Callable[[Family], Probe],
    registered: Address,
    others: Sequence[KnownChallenge],
    everybody: Sequence[Address],
) -> Found | None:
    part = 1.0 if all(probe_as(each).names_its_key for each in _families(others)) else _PART / 2
    budget = int(_OTHERS * part)
    for place, other in enumerate(others):
        # The newest texts are the likeliest.
        share = budget // (2 * min(len(others), _NEWEST)) if place < _NEWEST else 0
        number = min(max(share, _LEAST_PER_TEXT), _MOST_PER_TEXT)
        candidates = _candidates(other.text, number)
        for family in dict.fromkeys((other.address.network.family, registered.network.family)):
            probe = probe_as(family)
            likely = everybody if probe.names_its_key else [registered, other.address]
            found = _look(probe, other, candidates, list(dict.fromkeys(likely)))
            if found is not None:
                return found
    return None


def _families(others: Sequence[KnownChallenge]) -> set[Family]:
    return {other.address.network.family for other in others}
