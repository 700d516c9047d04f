"""What people type to find a record: words, ids, amounts and days, and names without accents."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from chainteller.domain.ids import Prefix
from chainteller.domain.periods import Days, said_days
from chainteller.domain.trades import QuoteStatus, TradeStatus
from chainteller.domain.transfers import TransferStatus

LEAST_OF_KEY = 3
"""Characters at which a part of an id or an address is looked for."""
NAMES_ALONE = "references and bank accounts are found from three letters or digits on"
"""Why a shorter text finds nothing."""
_MOST_WORD = 64
_MOST_KEY = 128
_REMEMBERED = 4_096
_MOST_TOGETHER = 8
"""Groups of an id that people type with spaces in between."""
_PARTICLE = 3
"""Letters of a word that people write together with the next one: Mc Cabe, De la Cruz."""
_SINGLE = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ß": "ss"}
    | {"\N{LATIN SMALL LETTER DOTLESS I}": "i"}
)
_DOUBLE = str.maketrans({"ø": "oe", "å": "aa", "ä": "ae", "ö": "oe", "ü": "ue"})
_RECORDS = "|".join(prefix.value for prefix in Prefix)
_RECORD_ID = re.compile(
    rf"\b({_RECORDS})[_\-\s]?([0-9A-Z]{{2,}}(?:[\-\s][0-9A-Z]{{2,}})*)"
    r"(?:\s?(?:\.{2,3}|…)\s?([0-9A-Z]{2,}))?",
    re.ASCII | re.IGNORECASE,
)
_MISREAD = str.maketrans("OILU", "011V")
"""Letters that no generated id has, and what was meant."""
_NUMBER = re.compile(r"(?:0|[1-9][0-9]{0,37}|[1-9][0-9]{0,2}(?:,[0-9]{3})+)(?:\.[0-9]{1,18})?")
_DECIMAL = re.compile(r"[$€£]?[0-9,]+\.[0-9]+|[$€£][0-9,]+")
"""Numbers that are amounts and no part of an id."""


@lru_cache(_REMEMBERED)
def folded(text: str) -> tuple[str, ...]:
    """A text in lower case without accents, in each way that people write such letters: ö as o
    and oe. The first is the shorter one."""
    lower = unicodedata.normalize("NFC", text.casefold())
    forms = (lower.translate(_SINGLE), lower.translate(_DOUBLE).translate(_SINGLE))
    bare = (
        "".join(
            sign for sign in unicodedata.normalize("NFKD", form) if not unicodedata.combining(sign)
        )
        for form in forms
    )
    return tuple(dict.fromkeys(bare))


def is_too_short(text: str) -> bool:
    """Whether a text is looked for among names alone."""
    return 0 < len(key_of(text)) < LEAST_OF_KEY


def words_of(text: str) -> list[str]:
    """The words of a text as they stand in it: Seán, O, Brien."""
    return re.findall(r"[^\W_]+", text)


@lru_cache(_REMEMBERED)
def name_words(name: str) -> frozenset[str]:
    """Every word under which a name is found, folded: its words, and those that people write
    together (obrien, mccabe, delacruz)."""
    found: set[str] = set()
    for form in folded(name):
        for written in form.split():
            parts = words_of(written)
            found.update(parts)
            found.add("".join(parts))
        words = words_of(form)
        for at, word in enumerate(words):
            together = word
            for following in words[at + 1 :]:
                if len(together) > 2 * _PARTICLE:
                    break
                if len(together) > _PARTICLE and len(word) > _PARTICLE:
                    break
                together += following
                found.add(together)
    return frozenset(word[:_MOST_WORD] for word in found if word)


def search_name(name: str) -> str:
    """The name as a text in a list is searched in it: caseless, and once more without its accents
    if it has any."""
    caseless = name.casefold()
    plain = "".join(
        sign for sign in unicodedata.normalize("NFKD", caseless) if not unicodedata.combining(sign)
    )
    return caseless if plain == caseless else f"{caseless} {plain}"


def key_of(text: str) -> str:
    """An id, a reference or an address without separators, in lower case."""
    return re.sub(r"[\W_]+", "", text.casefold())[:_MOST_KEY]


def keys_of(text: str) -> tuple[str, ...]:
    """The keys under which an id or an address is found from its beginning: whole, and without
    the letters or the 0x that it begins with."""
    whole = key_of(text)
    bare = whole.removeprefix("0x").lstrip("abcdefghijklmnopqrstuvwxyz")
    number = re.sub(r"^[a-z]+", "", whole)
    if whole.startswith("0x"):
        bare = whole[2:]
    elif number.startswith("0"):
        bare = number
    kept = [each for each in (whole, bare) if len(each) >= LEAST_OF_KEY]
    return tuple(dict.fromkeys(kept)) or ((whole,) if whole else ())


_KINDS: Mapping[str, tuple[str, ...]] = {
    "withdrawal": ("withdrawal", "withdrawals", "withdraw", "withdrew", "withdrawn", "payout"),
    "deposit": ("deposit", "deposits", "deposited"),
    "trade": (
        "trade",
        "trades",
        "order",
        "orders",
        "buy",
        "bought",
        "purchase",
        "sell",
        "sold",
        "sale",
    ),
    "quote": ("quote", "quotes", "quoted"),
}
_TRANSFERS = frozenset({"transfer", "transfers", "transferred"})
_MONEY = frozenset({"dollar", "dollars", "usd", "busd1", "usdc", "money", "paid"})


_STATUSES = frozenset(
    status.value for status in (*TradeStatus, *TransferStatus) if status.facts.is_searched
) | {QuoteStatus.EXPIRED.value}
"""Statuses that say nothing else in a sentence, as ``sent`` does."""


class Subject(NamedTuple):
    """What kinds of records a sentence speaks of and of which statuses, and whether its numbers are
    rather amounts than parts of ids."""

    kinds: frozenset[str]
    statuses: frozenset[str]
    is_money: bool


def subject_of(words: Iterable[str]) -> Subject:
    """The subject of the words of a text, in lower case."""
    said = frozenset(words)
    kinds = {kind for kind, names in _KINDS.items() if not said.isdisjoint(names)}
    if not said.isdisjoint(_TRANSFERS):
        kinds |= {"deposit", "withdrawal"}
    is_money = bool(kinds) or not said.isdisjoint(_MONEY)
    return Subject(frozenset(kinds), said & _STATUSES, is_money)


class Ends(NamedTuple):
    """The beginning and the end of an id or an address as lists abbreviate it."""

    begin: str
    end: str


class Wanted(NamedTuple):
    """What a text asks for.

    ``ids`` are of records as they may be stored, abbreviated ones with both ends. ``keys`` are
    parts of other ids, references and addresses, and ``ends`` those that are abbreviated.
    ``amounts`` are decimals without separators.
    ``words`` are the rest, in lower case, and ``numbers`` the words with a digit, which a name may
    have, too.
    """

    ids: tuple[Ends, ...] = ()
    keys: tuple[str, ...] = ()
    ends: tuple[Ends, ...] = ()
    amounts: tuple[str, ...] = ()
    days: tuple[Days, ...] = ()
    words: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()


def read(text: str, today: date | None = None) -> Wanted:
    """What a text asks for, whatever else it says; with ``today``, also the days that it names."""
    rest, ids = _take_ids(text)
    rest, days = said_days(rest, today)
    ends = tuple(_abbreviated(rest))
    rest = _ABBREVIATED.sub(" ", rest)
    tokens = rest.split()
    amounts = tuple(dict.fromkeys(_amounts(tokens)))
    plain = [w for token in tokens if not _DECIMAL.fullmatch(token) for w in words_of(token)]
    keys = tuple(dict.fromkeys(_keys(tokens, plain)))
    words = tuple(word.casefold() for word in _words(tokens))
    numbers = tuple(dict.fromkeys(word.casefold() for word in plain if _has_digit(word)))
    return Wanted(ids, keys, ends, amounts, days, words, numbers)


def _take_ids(text: str) -> tuple[str, tuple[Ends, ...]]:
    found: list[Ends] = []
    rest = []
    last = 0
    for match in _RECORD_ID.finditer(text):
        prefix, begin, end = match[1].upper(), match[2], (match[3] or "")
        groups = re.split(r"[\-\s]", begin)
        if not _is_of_id(prefix, match[0]):
            continue
        rest.append(text[last : match.start()])
        last = match.end()
        for count in range(min(len(groups), _MOST_TOGETHER), 0, -1):
            if end and count < len(groups):
                break
            written = "".join(groups[:count]).upper()
            for form in dict.fromkeys((written, written.translate(_MISREAD))):
                ending = end.upper()
                found += [Ends(f"{prefix}_{form}", ending)]
                if ending.translate(_MISREAD) != ending:
                    found += [Ends(f"{prefix}_{form}", ending.translate(_MISREAD))]
        # What follows an id with spaces in between may be words of a sentence.
        rest.append(" ".join(["", *groups[1:], ""]) if not end else " ")
    rest.append(text[last:])
    return "".join(rest), tuple(dict.fromkeys(found))


def _is_of_id(prefix: str, written: str) -> bool:
    """Whether a match is an id: three letters that begin a word are not enough."""
    separator = written[len(prefix) : len(prefix) + 1]
    return separator in "_-" or any(sign.isdigit() for sign in written) or ".." in written


_ABBREVIATED = re.compile(r"\b([0-9A-Za-z][\w\-]*)\s?(?:\.{2,3}|…)\s?([0-9A-Za-z]{2,})\b")


def _abbreviated(text: str) -> Iterator[Ends]:
    """Addresses and ids that are abbreviated: their keys."""
    for match in _ABBREVIATED.finditer(text):
        yield Ends(key_of(match[1]), key_of(match[2]))


def _amounts(tokens: list[str]) -> Iterator[str]:
    """Numbers that may be amounts, with or without a currency sign."""
    for token in tokens:
        bare = token.strip("$€£()[]?!;:'\"").rstrip(".,")
        if _NUMBER.fullmatch(bare):
            yield bare.replace(",", "")


def _keys(tokens: list[str], words: list[str]) -> Iterator[str]:
    """Parts of ids: tokens with a digit, and neighbours that one of them is written with."""
    for token in tokens:
        key = key_of(token)
        if len(key) >= LEAST_OF_KEY and _has_digit(key) and not _DECIMAL.fullmatch(token):
            yield key
    for at in range(len(words)):
        together = words[at]
        for word in words[at + 1 : at + _MOST_TOGETHER]:
            together += word
            if _has_digit(together):
                yield key_of(together)


def _has_digit(text: str) -> bool:
    return any(sign.isdigit() for sign in text)


def _words(tokens: list[str]) -> Iterator[str]:
    """The words of a text without those that have a digit in or beside them."""
    for token in tokens:
        if not _has_digit(token):
            yield from words_of(token)
