"""Looks for the text that was signed among what our texts may have become, within a budget.

The budget is the number of candidate texts that a probe can be asked about in the time of one
diagnosis. It never looks at a clock, so the same paste gets the same answer on every machine with
the same libraries. Where a signature gives away its key, one candidate is held against every known
address at once; Ed25519 has to be asked about each address. A longer search looks at the same
candidates first, and at many more, in a few seconds.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, zip_longest

from chainteller.wallets.cases import MAX_OTHER_TEXTS, KnownAddress, KnownChallenge
from chainteller.wallets.family import Address, Family, Probe
from chainteller.wallets.transit import Journey, journeys, simplest

# Candidates for all texts together, however many a probe can be asked about; for this challenge's
# own text altered once; and the part of all for other texts.
_ALL, _FIRST, _PART_OF_OTHERS = 10_000, 800, 0.3
_MOST_PER_TEXT = 300
# More candidates of each other text than these aren't kept for the next diagnosis.
_KEPT_PER_TEXT = 2 * _MOST_PER_TEXT
# A longer search: how many times as many candidates, and the part of them for other texts, whose
# single alterations it looks through.
_TIMES_LONGER, _LONGER_PART_OF_OTHERS, _LONGER_PER_TEXT = 14, 0.5, 900
# What happens often is found soon; larger batches cost less for each candidate.
_FIRST_BATCH, _BATCH = 60, 300
# How many candidates are tried in a family's rarer ways of signing: this text's, and each other's.
_THOROUGH, _FEW = 24, 1
# Candidates that are held against the customer's wallets of other families.
_FOREIGN = 60
Candidate = tuple[KnownChallenge, Journey]


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
    *,
    longer: bool = False,
) -> Found | None:
    """The likeliest journey of one of the texts that one of the addresses signed, or None."""
    registered = challenge.address
    addresses = [registered, *(each.address for each in known), *(each.address for each in others)]
    family = registered.network.family
    probe = probe_as(family)
    everybody = list({each.canonical: each for each in addresses}.values())
    reachable = everybody if probe.names_its_key else [registered]
    groups = _grouped(probe_as, registered, others, everybody)
    tries = min(max(probe_as(each).tries for each in (family, *(each for each, _ in groups))), _ALL)
    asked = sum(len(texts) * _cost(probe_as(each), to) for (each, to), texts in groups.items())
    part, most = _PART_OF_OTHERS, _MOST_PER_TEXT
    if longer:
        tries, part, most = tries * _TIMES_LONGER, _LONGER_PART_OF_OTHERS, _LONGER_PER_TEXT
    per_text = min(int(tries * part) // max(asked, 1), most)
    rest = max(tries - per_text * asked - _FIRST, 0) if probe.tries else 0
    first = [(challenge, journey) for journey in _once_altered(challenge.text, _FIRST)]
    altered = _many_altered(challenge.text, rest) if longer else _altered(challenge.text, rest)
    return (
        _look(probe, first, reachable, thorough=_THOROUGH)
        or _look_elsewhere(probe_as, first[:_FOREIGN], everybody)
        or _look_at_others(probe_as, groups, per_text)
        or _look(probe, ((challenge, journey) for journey in altered), reachable)
    )


_Groups = dict[tuple[Family, tuple[Address, ...]], list[KnownChallenge]]


def _grouped(
    probe_as: Callable[[Family], Probe],
    registered: Address,
    others: Sequence[KnownChallenge],
    everybody: Sequence[Address],
) -> _Groups:
    """The other texts by the family as whose they may have been signed, and by whom."""
    groups: _Groups = {}
    for other in others:
        for family in dict.fromkeys((other.address.network.family, registered.network.family)):
            named = probe_as(family).names_its_key
            likely = everybody if named else dict.fromkeys((registered, other.address))
            groups.setdefault((family, tuple(likely)), []).append(other)
    return groups


def _cost(probe: Probe, addresses: Sequence[Address]) -> int:
    """How many tries one text takes."""
    return (1 if probe.names_its_key else len(addresses)) if probe.tries else 0


# Kept because an answer is often checked before it is submitted, or sent twice.
@lru_cache(4)
def _altered(text: str, number: int) -> tuple[Journey, ...]:
    """What is likeliest after `_once_altered`."""
    return tuple(islice(_after_the_first(text, journeys(text)), number))


def _many_altered(text: str, number: int) -> Iterator[Journey]:
    """As `_altered`, for a longer search; too many to be kept."""
    return islice(_after_the_first(text, journeys(text, many=True)), number)


def _after_the_first(text: str, found: Iterable[Journey]) -> Iterator[Journey]:
    tried = {journey.signed for journey in _once_altered(text, _FIRST)}
    return (each for each in found if each.signed not in tried)


@lru_cache(2 * MAX_OTHER_TEXTS)
def _once_altered(text: str, number: int) -> tuple[Journey, ...]:
    return tuple(_new_once_altered(text, number))


def _new_once_altered(text: str, number: int) -> Iterator[Journey]:
    return islice(journeys(text, most_steps=1), number)


def _look(
    probe: Probe,
    candidates: Iterable[Candidate],
    addresses: Sequence[Address],
    *,
    thorough: int = 0,
) -> Found | None:
    start, size, left = 0, _FIRST_BATCH, iter(candidates)
    while batch := list(islice(left, size)):
        signed = [journey.signed for _, journey in batch]
        match = probe.find(signed, addresses, thorough=max(thorough - start, 0))
        if match is not None:
            text_of, journey = batch[match.index]
            return Found(text_of, simplest(text_of.text, journey), match.address)
        start, size = start + size, _BATCH
    return None


def _look_elsewhere(
    probe_as: Callable[[Family], Probe],
    candidates: Sequence[Candidate],
    everybody: Sequence[Address],
) -> Found | None:
    """The customer's other wallets: those that the first search couldn't ask for free.

    `everybody` begins with the registered address.
    """
    own = everybody[0].network.family
    for family in dict.fromkeys(each.network.family for each in everybody):
        probe = probe_as(family)
        theirs = [each for each in everybody[1:] if each.network.family is family]
        if not theirs or (family is own and probe.names_its_key):
            continue
        number = len(candidates) if probe.names_its_key else max(6, 240 // len(theirs))
        found = _look(probe, candidates[:number], theirs, thorough=_FEW)
        if found is not None:
            return found
    return None


def _look_at_others(
    probe_as: Callable[[Family], Probe], groups: _Groups, number: int
) -> Found | None:
    """So many candidates of each other text, the likeliest of each text first."""
    for (family, addresses), texts in groups.items():
        candidates = islice(_of_each(texts, number * 5 // 4), number * len(texts))
        found = _look(probe_as(family), candidates, addresses, thorough=_FEW * len(texts))
        if found is not None:
            return found
    return None


def _of_each(texts: Sequence[KnownChallenge], number: int) -> Iterator[Candidate]:
    """The likeliest of each text first; what two texts have become alike, as when they were cut off
    before they differ, once.
    """
    tried = set[bytes]()
    altered = _once_altered if number <= _KEPT_PER_TEXT else _new_once_altered
    for rank in zip_longest(*(altered(text.text, number) for text in texts)):
        for text, journey in zip(texts, rank, strict=True):
            if journey is not None and journey.signed not in tried:
                tried.add(journey.signed)
                yield text, journey
