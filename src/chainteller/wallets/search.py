"""Looks for the text that was signed among what our texts may have become, within a budget.

The budget is the number of candidate texts that a probe can be asked about in the time of one
diagnosis. It never looks at a clock, so the same paste gets the same answer on every machine with
the same libraries. Where a signature gives away its key, one candidate is held against every known
address at once; Ed25519 has to be asked about each address. A longer search looks at the same
candidates first, and at many more, in a few seconds.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, product, zip_longest

from chainteller.domain.json_depth import parse_json
from chainteller.wallets.alterations import Stage
from chainteller.wallets.cases import KnownAddress, KnownChallenge
from chainteller.wallets.family import Address, Family, Probe
from chainteller.wallets.transit import Journey, journeys

# Candidates for all texts together, however many a probe can be asked about; for this challenge's
# own text before the others'; and the part of all for other texts.
_ALL, _FIRST, _PART_OF_OTHERS = 10_000, 800, 0.3
_MOST_PER_TEXT = 300
# A longer search: how many times as many candidates, and the part of them for other texts.
_TIMES_LONGER, _LONGER_PART_OF_OTHERS, _LONGER_PER_TEXT = 14, 0.5, 900
# What happens often is found soon; larger batches cost less for each candidate.
_FIRST_BATCH, _BATCH = 60, 300
# How many candidates are tried in a family's rarer ways of signing: this text's, and each other's.
_THOROUGH, _FEW = 24, 1
# Candidates that are held against the customer's wallets of other families.
_FOREIGN = 60
# Forms that are compared with a text from the customer's wallet, of texts of usual length; signed
# texts of a form that it may show; and the gaps between words that may have been line breaks.
_COMPARED, _USUAL_LENGTH, _SHOWN_FORMS, _GAPS, _MOST_GAPS = 6000, 300, 2000, 6, 60
# The part of these for a text that a paste happens to show.
_UNASKED = 0.1
# Parts of a paste, and what a wallet may have made of the likeliest; of the n-th, 1/n as much.
_LIKELY_PARTS, _OF_LIKELIEST = 24, 600
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
    is_cancelled: Callable[[], bool] = bool,
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
    own = ((challenge, journey) for journey in journeys(challenge.text))
    return (
        _find(probe_as, islice(own, _FIRST), everybody)
        or _look_at_others(probe_as, groups, per_text)
        or _look(probe, _until(is_cancelled, islice(own, rest)), reachable)
    )


def search_shown(
    probe_as: Callable[[Family], Probe],
    challenge: KnownChallenge,
    shown: str,
    addresses: Sequence[Address],
    *,
    longer: bool,
    asked: bool = True,
) -> Found | None:
    """Who signed the text that a wallet shows as signed, or what it shows alike.

    `addresses` begin with the registered one, which is asked about most. Where the customer wasn't
    `asked` for the text, a paste happens to show it, and fewer are tried.
    """
    steps = (_TIMES_LONGER if longer else 1) if asked else _UNASKED
    forms = dict.fromkeys(_shown_as(challenge.text, shown, steps))
    return find_signed(probe_as, challenge, islice(forms, int(_SHOWN_FORMS * steps)), addresses)


def search_stated(
    probe_as: Callable[[Family], Probe],
    challenge: KnownChallenge,
    parts: Sequence[str],
    addresses: Sequence[Address],
    *,
    longer: bool,
) -> Found | None:
    """Who signed what a wallet may have made of a part of a paste; the likeliest part is first."""
    number = _OF_LIKELIEST * (_TIMES_LONGER if longer else 1)
    made = (
        form
        for rank, part in enumerate(parts[:_LIKELY_PARTS], 1)
        for form in islice(_made_by_wallets(part), number // rank)
    )
    return find_signed(probe_as, challenge, dict.fromkeys(made), addresses)


def _made_by_wallets(given: str) -> Iterator[bytes]:
    """What a tool or a wallet signs that is given this text, the likeliest first."""
    yield given.encode("utf-8", "replace")
    for journey in journeys(given, since=Stage.PASSED_ON):
        yield journey.signed


def find_signed(
    probe_as: Callable[[Family], Probe],
    challenge: KnownChallenge,
    messages: Iterable[bytes],
    addresses: Sequence[Address],
) -> Found | None:
    """Which of the messages was signed, and by whom; `addresses` begin with the registered one.

    Keys that a signature doesn't give away are asked about the first messages alone.
    """
    candidates = ((challenge, Journey(message, ())) for message in messages)
    return _find(probe_as, candidates, addresses)


def is_shown_as(shown: str, message: bytes) -> bool:
    """Whether a wallet may show the message so: white space and invisible characters get lost."""
    return _visible(shown) == _visible(message.decode("utf-8", "replace"))


_HEX = re.compile(r"(?:0x)?((?:[0-9a-fA-F]{2})+)", re.ASCII)
_UNSEEN = re.compile(r"[\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+")


_UNSEEN_CHANGES = frozenset(
    {
        "INVISIBLE_CHARACTERS", "LEADING_SPACE", "LINE_BREAKS_ADDED", "LINE_ENDINGS",
        "SPACES_CHANGED", "SURROUNDING_SPACE", "TRAILING_NEWLINE", "TRAILING_SPACE",
    }
)  # fmt: skip
"""What a text may have been through that a wallet shows as before."""


def _visible(text: str) -> str:
    return _UNSEEN.sub("", text)


def _shown_as(ours: str, shown: str, steps: float) -> Iterator[bytes]:
    """What may have been signed where a wallet shows this, the likeliest first."""
    yield shown.encode("utf-8", "replace")
    found = _HEX.fullmatch(shown.strip())
    if found:
        yield bytes.fromhex(found[1])
    yield from (each.encode("utf-8", "replace") for each in _with_other_blanks(shown))
    expected = _visible(shown)
    for text, findings in ((shown, _UNSEEN_CHANGES), (ours, None)):
        number = int(steps * _COMPARED * _USUAL_LENGTH) // max(len(text), _USUAL_LENGTH)
        for journey in islice(journeys(text, findings), number):
            if _visible(journey.signed.decode("utf-8", "replace")) == expected:
                yield journey.signed


def _with_other_blanks(shown: str) -> Iterator[str]:
    """The text with other white space at its ends, and in gaps that a page shows as one space."""
    yield shown.replace(" ", "\u00a0")
    for start, end in product(("", " ", "\n", "\t", "     "), _ENDS):
        yield start + shown.strip() + end
    yield shown.replace("\n", "\r\n")
    # Signs that end a line or begin one, and an object that a program wrote over several lines.
    for sign, end in product("=->|<", ("", "\n")):
        yield shown.replace(f"{sign} ", f"{sign}\n") + end
        yield shown.replace(f" {sign}", f"\n{sign}") + end
    with suppress(ValueError):
        value = parse_json(shown)
        yield from (json.dumps(value, indent=indent) for indent in (2, 4))
    words = shown.split()
    gaps = len(words) - 1
    for at, joint in product(range(min(gaps, _MOST_GAPS)), _BLANKS):
        yield _joined(words, {at: joint})
    for first in (0, max(gaps - _GAPS, 0)):
        places = range(first, min(first + _GAPS, gaps))
        for joints in product((" ", "\n", "\n\n"), repeat=len(places)):
            yield _joined(words, dict(zip(places, joints, strict=True)))


_ENDS = ("", "\n", "\r\n", " ", "\n\n", " \n", " \r\n", "\t", "\u00a0")
_BLANKS = ("\t", "  ", "\u00a0", "\r\n", "\r\n\r\n", "\n\n\n")


def _joined(words: Sequence[str], joints: Mapping[int, str]) -> str:
    return "".join(word + joints.get(at, " ") for at, word in enumerate(words))[:-1]


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
) -> Found | None:
    """The customer's other wallets, which the registered one is the first of, are asked about the
    first candidates, and about all of them where it costs nothing.
    """
    first, (registered, *others) = list(islice(candidates, _FOREIGN)), addresses
    probe = probe_as(registered.network.family)
    reachable = addresses if probe.names_its_key else [registered]
    found = _look(probe, first, reachable, thorough=_THOROUGH)
    for family in dict.fromkeys(each.network.family for each in others):
        if found is None and not (family is registered.network.family and probe.names_its_key):
            theirs = [each for each in others if each.network.family is family]
            number = _FOREIGN if probe_as(family).names_its_key else max(6, 240 // len(theirs))
            found = _look(probe_as(family), first[:number], theirs, thorough=_FEW)
    return found or (_look(probe, candidates, reachable) if probe.tries else None)


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
