"""Looks for the text that was signed among what our texts may have become, within a budget.

The budget is the number of candidate texts that a probe can be asked about in the time of one
diagnosis. It never looks at a clock, so the same paste gets the same answer on every machine with
the same libraries. Where a signature gives away its key, one candidate is held against every known
address at once; Ed25519 has to be asked about each address. A longer search looks at the same
candidates first, and at many more, in a few seconds.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from heapq import heappop, heappush, heapreplace
from itertools import chain, islice, product, zip_longest
from typing import TypeVar

from chainteller.wallets.alterations import FAR, NEAR, Stage, alterations, usual_length
from chainteller.wallets.cases import KnownAddress, KnownChallenge
from chainteller.wallets.family import Address, Family, Probe
from chainteller.wallets.stated import layouts, with_lost_breaks, without_copy
from chainteller.wallets.transit import Journey, journeys

# What a first answer may cost, in public keys that are recovered: with the making of as many texts,
# 150 ms, or 450 ms without coincurve. Candidates for this challenge's own text before the others',
# and the part of all for other texts.
_TRIES, _FIRST, _PART_OF_OTHERS, _MOST_PER_TEXT = 2400, 400, 0.3, 300
# A longer search: how many times as many candidates, and the part of them for other texts.
_TIMES_LONGER, _LONGER_PART_OF_OTHERS, _LONGER_PER_TEXT = 26, 0.5, 900
# What happens often is found soon; larger batches cost less for each candidate.
_FIRST_BATCH, _BATCH = 60, 300
# How many candidates are tried in a family's rarer ways of signing: this text's, and each other's.
_THOROUGH, _FEW = 24, 1
# Candidates that are held against the customer's wallets of other families, and against all those
# that each have to be asked.
_FOREIGN, _KEPT = 60, 300
# For each how many of the parts of a paste one is tried in the rarer ways of signing, too.
_ENVELOPED = 8
# What it costs that a wallet's page shows no white space, and how much more often a tool makes
# something of a text that is shown than journeys as a whole have it.
_SPACE_LOST, _BY_TOOL = 1.0, -3.0
_Root = TypeVar("_Root")
_Made = TypeVar("_Made", str, bytes)
Candidate = tuple[KnownChallenge, Journey]


@dataclass(frozen=True, slots=True)
class Found:
    """Who signed what the text of which challenge had become."""

    challenge: KnownChallenge
    journey: Journey
    signer: Address


def search(  # noqa: PLR0913 - what is looked among, and for how long
    probe_as: Callable[[Family], Probe],
    challenge: KnownChallenge,
    others: Sequence[KnownChallenge],
    known: Sequence[KnownAddress],
    *,
    share: float,
    longer: bool = False,
    is_cancelled: Callable[[], bool] = bool,
) -> Found | None:
    """The likeliest journey of one of the texts that one of the addresses signed, or None.

    `share` is the part of all tries that `search_stated` has left.
    """
    registered = challenge.address
    addresses = [registered, *(each.address for each in known), *(each.address for each in others)]
    family = registered.network.family
    probe = probe_as(family)
    everybody = list({each.canonical: each for each in addresses}.values())
    reachable = everybody if probe.names_its_key else [registered]
    groups = _grouped(probe_as, registered, others, everybody)
    tries = int(share * max(_tries(probe_as(each)) for each in (family, *(of for of, _ in groups))))
    asked = sum(len(texts) * _cost(probe_as(each), to) for (each, to), texts in groups.items())
    part, most, farthest = _PART_OF_OTHERS, _MOST_PER_TEXT, FAR if longer else NEAR
    if longer:
        tries, part, most = tries * _TIMES_LONGER, _LONGER_PART_OF_OTHERS, _LONGER_PER_TEXT
    per_text = min(int(tries * part) // max(asked, 1), most)
    first = min(_FIRST, tries or _FOREIGN)
    rest = max(tries - per_text * asked - first, 0) if probe.cost else 0
    own = ((challenge, journey) for journey in journeys(challenge.text, farthest=farthest))
    return (
        _find(probe_as, islice(own, first), everybody)
        or _look_at_others(probe_as, groups, per_text)
        or _look(probe, _until(is_cancelled, islice(own, rest)), reachable)
    )


def search_stated(
    probe_as: Callable[[Family], Probe],
    challenge: KnownChallenge,
    parts: Iterable[tuple[float, str]],
    addresses: Sequence[Address],
    *,
    share: float,
    longer: bool,
) -> Found | None:
    """Who signed what a wallet was given that shows one of these, or what a tool made of it.

    `addresses` begin with the registered one, which is asked about most. A part comes with its
    cost, to which that of what happened to it is added. `share` is the part of all tries.
    """
    tries = _tries(probe_as(challenge.address.network.family)) or _FOREIGN
    number = int(share * tries) * (_TIMES_LONGER if longer else 1)
    made = _cheapest_first(given_texts(challenge.text, parts), _made_by_wallets)
    messages = islice(_once(message for _, message in made), number)
    candidates = ((challenge, Journey(message, ())) for message in messages)
    return _find(probe_as, candidates, addresses, thorough=number // _ENVELOPED)


def _tries(probe: Probe) -> int:
    return int(_TRIES / probe.cost) if probe.cost else 0


def given_texts(ours: str, parts: Iterable[tuple[float, str]]) -> Iterator[tuple[float, str]]:
    """What a wallet may have been given that shows one of the parts, the likeliest first."""
    return _cheapest_first(parts, partial(_restored, ours=ours))


def _cheapest_first(
    roots: Iterable[tuple[float, _Root]], follow: Callable[[_Root], Iterator[tuple[float, _Made]]]
) -> Iterator[tuple[float, _Made]]:
    """What follows from each of the roots, which are in the order of their costs, by the sums of
    the costs of both."""
    queue: list[tuple[float, int, float, _Made, Iterator[tuple[float, _Made]]]] = []
    for number, (cost, root) in enumerate(chain(roots, [(math.inf, None)])):
        while queue and queue[0][0] <= cost:
            total, order, base, made, rest = queue[0]
            yield total, made
            following = next(rest, None)
            if following is None:
                heappop(queue)
            else:
                heapreplace(queue, (base + following[0], order, base, following[1], rest))
        if root is not None:
            rest = follow(root)
            for first, made in islice(rest, 1):
                heappush(queue, (cost + first, number, cost, made, rest))


def _restored(shown: str, ours: str) -> Iterator[tuple[float, str]]:
    """The text itself, and with the white space that got lost at its ends, and within where it's
    shown as one line."""
    return _cheapest_first(_laid_out(shown, ours), _with_ends)


def _laid_out(shown: str, ours: str) -> Iterator[tuple[float, str]]:
    yield 0, shown

    def follow(pieces: tuple[str, str, str]) -> Iterator[tuple[float, str]]:
        before, text, after = pieces
        return ((cost, before + each + after) for cost, each in layouts(text, ours))

    # Where other white space is shown, none was lost but that at the ends of lines.
    for blanks in (" ", "  ") if "\n" in shown else ():
        yield _SPACE_LOST + len(blanks), shown.replace("\n", f"{blanks}\n")
    if " " in shown and " ".join(shown.split()) == shown:
        once, with_copy = without_copy(shown, ours)
        texts = _cheapest_first(with_lost_breaks(once, ours), follow)
        for cost, text in _cheapest_first(texts, with_copy):
            if text != shown:
                yield cost + _SPACE_LOST, text


def _with_ends(text: str) -> Iterator[tuple[float, str]]:
    yield 0, text
    for cost, begin, end in _ends(usual_length(text)):
        yield cost, begin + text + end


def _made_by_wallets(given: str) -> Iterator[tuple[float, bytes]]:
    """What a tool or a wallet signs that is given this text, the likeliest first."""
    yield 0, given.encode("utf-8", "replace")
    found = _HEX.fullmatch(given)
    if found:
        yield 0, bytes.fromhex(found[1])
    for signed, _, cost in journeys(given, since=Stage.PASSED_ON, without=_AT_ENDS):
        yield max(cost + _BY_TOOL, 0), signed


def _once(messages: Iterable[bytes]) -> Iterator[bytes]:
    seen = set[bytes]()
    for each in messages:
        if each not in seen:
            seen.add(each)
            yield each


_AT_ENDS = frozenset({"TRAILING_NEWLINE", "TRAILING_SPACE", "LEADING_SPACE", "SURROUNDING_SPACE"})


@cache
def _ends(length: int) -> list[tuple[float, str, str]]:
    """The white space that gets lost at the ends of a text, each of which had it or hadn't."""
    kinds: dict[str, list[tuple[float, str, str]]] = {"first": [(0, "", "")], "last": [(0, "", "")]}
    for each in alterations(length, NEAR):
        if each.finding in _AT_ENDS:
            begin, _, end = str(each.apply("|")).partition("|")
            kinds[each.kind].append((max(each.cost + _BY_TOOL, 0), begin, end))
    pairs = product(kinds["first"], kinds["last"])
    found: dict[tuple[str, str], float] = {}
    for (one, a, b), (other, c, d) in pairs:
        if (a, b, c, d) != ("", "", "", ""):
            found[a + c, b + d] = min(one + other, found.get((a + c, b + d), math.inf))
    return sorted((cost, begin, end) for (begin, end), cost in found.items() if cost < NEAR)


_HEX = re.compile(r"(?:0x)?((?:[0-9a-fA-F]{2})+)", re.ASCII)
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
    return (1 if probe.names_its_key else len(addresses)) if probe.cost else 0


def _until(
    is_cancelled: Callable[[], bool], candidates: Iterator[Candidate]
) -> Iterator[Candidate]:
    for number, each in enumerate(candidates):
        if number % _BATCH == 0 and is_cancelled():
            return
        yield each


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
            return Found(text_of, journey, match.address)
        start, size = start + size, _BATCH
    return None


def _find(
    probe_as: Callable[[Family], Probe],
    candidates: Iterator[Candidate],
    addresses: Sequence[Address],
    *,
    thorough: int = _THOROUGH,
) -> Found | None:
    """The customer's other wallets, which the registered one is the first of, are asked about the
    first candidates, and about all of them where it costs nothing.
    """
    registered, *others = addresses
    probe = probe_as(registered.network.family)
    first, all_of = list[Candidate](), candidates if probe.cost else islice(candidates, _FOREIGN)
    reachable = addresses if probe.names_its_key else [registered]
    found = _look(probe, _kept(all_of, first), reachable, thorough=thorough)
    for family in dict.fromkeys(each.network.family for each in others):
        if found is None and not (family is registered.network.family and probe.names_its_key):
            theirs = [each for each in others if each.network.family is family]
            number = _FOREIGN if probe_as(family).names_its_key else max(6, _KEPT // len(theirs))
            found = _look(probe_as(family), first[:number], theirs, thorough=_FEW)
    return found


def _kept(candidates: Iterable[Candidate], first: list[Candidate]) -> Iterator[Candidate]:
    """The candidates, of which the first ones are kept."""
    for each in candidates:
        if len(first) < _KEPT:
            first.append(each)
        yield each


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
    for rank in zip_longest(*(islice(journeys(text.text), number) for text in texts)):
        for text, journey in zip(texts, rank, strict=True):
            if journey is not None and journey.signed not in tried:
                tried.add(journey.signed)
                yield text, journey
