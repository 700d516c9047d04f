"""Recovery phrases in the ten languages of BIP-39.

A phrase needn't be complete or correct: a run of words of one list, with at most one of twelve
missing or unknown, is no accident. Up to half of the words may be misread or mistyped by a letter,
and words may follow each other without spaces. English words are also recognised by their form,
whichever list they are of (Electrum, Monero, SLIP-39), but prose may have that form.

The lists are loaded when a text has twelve words, or letters enough for them.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote_plus

_OWN = Path(__file__).parent / "wordlists"
_SHORTEST = 12
_SHORTEST_WORD = 3
_MISTYPED = _MISSING = 1
_EXACT = 5
"""Words of twelve that must be right where others are misread."""
_FEW_WRONG, _MOST_AROUND = 2, 6
"""Wrong words of twelve in any text, and other words where more are wrong."""
_LEAST_LETTERS = 4
"""Of a misread word: nearly all three letters are a letter away from some word."""
# A word that stands so often is no recovery word but something around them.
_REPEATED = 6

_DISTINCT, _SAME = 9, 3
"""Distinct words of twelve, which most phrases have, and which those of examples have."""
_MOST_BETWEEN = 5
"""Words for each character of Chinese, such as the time and the name in a chat."""
_COUNTS = (12, 15, 18, 21, 24)
_LISTED = 2_048
"""Words of a list."""
_OTHER_COUNTS = frozenset({*_COUNTS, 13, 20, 25, 33})
"""With Electrum's older phrases, Monero's and SLIP-39's."""
_JOINED, _LONGEST_JOINED = 33, 400
"""Letters of twelve words without spaces: at least, and at most with what is around them."""
_MOST_JOINED = 8
_COVERED = 0.85
_ABBREVIATION = 4
"""Letters that tell a word of a list with an alphabet from all others; people engrave no more."""
_MOST_COMMON_RANK, _UNCOMMON_RANK = 500, 800
"""The lists of Chinese begin with the most common characters: the mean number of a sentence's is
below, and that of twelve which chance drew is 1,023. The latter also where the checksum is wrong.
"""
_MOST_LETTERS = 200
"""Of an alphabet or syllabary; the lists of Chinese have 2,048."""
_LETTERS = re.compile(r"[^\W\d_]+")
_AROUND = re.compile(r"^\d{1,2}[.):]|[.:!?]$")
_ACCENTS = re.compile("[\u0300-\u036f]")
_SIGNS = re.compile(r"[^\W_]+")
_NUMBERING = re.compile(r"\d{1,2}[.):]?", re.ASCII)
_WORD = re.compile(r"(?:\d{1,2}[.):])?[A-Za-z]{3,8}\.?", re.ASCII)
_LOWER_WORD = re.compile("[a-z]{3,8}", re.ASCII)
_LONG_WORD = re.compile("[a-z\u00df-\u024f\u0430-\u044f\u0451]{3,12}")
"""Of a list with an alphabet that isn't known here."""
_LONG_RUN = 20
"""Words of no sentence, which no prose has in a row."""
# In no list of Electrum, Monero and SLIP-39.
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "the and for our his her its are was were had has not but from which their does that this "
        "with have will you can who why how der das und ist nicht ein eine mit von dem des auf für "
        "wir sie ihr hat wird los las una por para con del que como les est pour dans pas sur avec "
        "vous nous qui che per non della una sono alla não com uma dos het een van niet voor met "
        "jsem není pro aby byl",
    )
)
_IDEOGRAPH = re.compile("[\u4e00-\u9fff]")
_IDEOGRAPHS = re.compile("[\u4e00-\u9fff]+")
_SEPARATORS = re.compile(r"[\s,;_\-\u3000\u3001/|\"'\[\]{}<>()=]+")
_MISREAD = str.maketrans("01345789|!$@", "oleastbglisa")
"""Signs that are read from a photograph, or written, in place of letters."""
_LABEL = re.compile(r"[^\W_]+\s*:")
_ORDINALS = frozenset(
    (
        *("first", "second", "third", "fourth", "fifth", "sixth"),
        *("seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"),
    )
)
_AROUND_ORDINALS = frozenset(("the", "word", "is", "and", "then", "next", "last", "number"))
_LEAST_ORDINALS = 6
_LETTER = r"[^\W\d_]"
_APART = re.compile(
    rf"(?<=(?<!{_LETTER}){_LETTER})[\s.,/|_*\u00b7\"'-]{{1,12}}(?={_LETTER}(?!{_LETTER}))"
)
"""What stands between letters that were written one by one."""
_STROKES = (("rn", "m"), ("cl", "d"), ("vv", "w"), ("nn", "m"), ("ii", "u"), ("li", "h"))
"""Letters that look like another one beside each other, in either direction."""


class WordList(NamedTuple):
    """A list of 2,048 words in NFKD.

    ``plain`` are those without accents, ``known`` both: those of ``words`` itself where none has
    an accent, of which a copy would take as much memory again; ``starts`` are their first letters,
    ``signs`` all that occur, and ``longest`` is the length of the longest.
    """

    words: dict[str, int]
    plain: Set[str]
    known: Set[str]
    starts: frozenset[str]
    signs: str
    longest: int


def is_recovery_phrase(text: str) -> bool:
    """Whether the text holds a run of twelve recovery words, numbered, listed, bare or joined, with
    their letters together or one by one, forwards or backwards."""
    together = _APART.sub("", text)
    return (
        _is_phrase(text)
        or (together != text and _is_joined(together))
        or _in_one_list([_normal(word) for word in _LETTERS.findall(text[::-1])])
    )


def _is_phrase(text: str) -> bool:
    tokens = _tokens(text)
    if _IDEOGRAPH.search(text) is not None and _is_chinese_phrase(text, tokens):
        return True
    if len(tokens) >= _SHORTEST - _MISSING:
        normal = [_normal(each) for each in tokens]
        if _in_one_list(normal) or _is_abbreviated(normal):
            return True
    return (
        any(_in_one_list(words) for words in _bare_words(text))
        or _is_joined(text)
        or _is_partly_joined(text)
    )


def looks_like_recovery_phrase(text: str) -> bool:
    """Whether twelve words of 3 to 8 letters follow each other, of whatever list: some prose has
    them too.
    """
    tokens = _tokens(text)
    return (
        (len(tokens) >= _SHORTEST and _has_run_of_words(tokens))
        or _has_long_run(text)
        or any(_is_drawn(run, known, _MOST_COMMON_RANK) for run, known in _chinese_runs(text))
    )


def is_list_of_words(text: str) -> bool:
    """Whether the text is nothing but as many short words as phrases have, none of a sentence; or
    has so many words of none in a row as no prose has."""
    tokens = [re.sub(r"^\d{1,2}[.):]", "", each) for each in _tokens(text)]
    is_whole = len(tokens) in _OTHER_COUNTS and _COMMON.isdisjoint(tokens)
    return (is_whole and all(map(_LOWER_WORD.fullmatch, tokens))) or _has_long_run(text)


def _has_long_run(text: str) -> bool:
    """Whether words without signs, but for numbers and commas, follow each other for long."""
    composed = unicodedata.normalize("NFC", text.lower())
    run: list[str] = []
    for token in composed.split():
        word = re.sub(r"^\d{1,2}[.):]|[,;]$", "", token)
        if not word or _is_number(word):
            continue
        is_of_phrase = _LONG_WORD.fullmatch(word) and word not in _COMMON
        run = [*run, word] if is_of_phrase else []
        if len(run) == _LONG_RUN:
            return len({*run}) > _LONG_RUN // 2
    return False


def is_sentence(text: str) -> bool:
    """Whether one of the first words of a text is in sentences, and in no list."""
    return not _COMMON.isdisjoint(map(_normal, _tokens(text)[: _SHORTEST - _MISSING]))


def is_valid_phrase(numbers: Sequence[int]) -> bool:
    """Whether the numbers of words, from 0, are a phrase with its checksum."""
    if len(numbers) not in _COUNTS or not all(0 <= each < _LISTED for each in numbers):
        return False
    bits = "".join(f"{number:011b}" for number in numbers)
    size = len(bits) * 32 // 33
    entropy = int(bits[:size], 2).to_bytes(size // 8, "big")
    check = f"{hashlib.sha256(entropy).digest()[0]:08b}"
    return bits[size:] == check[: len(bits) - size]


def _tokens(text: str) -> list[str]:
    return [token for token in _SEPARATORS.split(text) if token and not _is_number(token)]


def _bare_words(text: str) -> Iterator[list[str]]:
    """The words without whatever signs, numbers and tags stand between them; then also without
    those that stand before each of them, such as a name in a chat or a label; then with the digits
    that were read in place of letters.
    """
    composed = unicodedata.normalize("NFC", unquote_plus(text))
    words = [_normal(word) for word in _LETTERS.findall(composed)]
    if len(words) < _SHORTEST - _MISSING:
        return
    yield words
    counts = Counter(words)
    rare = [word for word in words if counts[word] < _REPEATED]
    if len(rare) < len(words):
        yield rare
    if len(_ORDINALS.intersection(words)) >= _LEAST_ORDINALS:
        yield [word for word in words if word not in _ORDINALS and word not in _AROUND_ORDINALS]
    if words[::2] == words[1::2]:
        yield words[::2]
    if ":" in composed:
        yield [_normal(word) for word in _LETTERS.findall(_LABEL.sub(" ", composed))]
    mixed = [word for word in composed.split() if _LETTERS.search(word)]
    if any(not word.isalpha() for word in mixed):
        yield [_normal("".join(_SIGNS.findall(word.translate(_MISREAD)))) for word in mixed]


def _is_number(token: str) -> bool:
    return _NUMBERING.fullmatch(token) is not None


def _has_run_of_words(tokens: list[str]) -> bool:
    """Sentences are saved by their short words and their signs."""
    run = 0
    for token in tokens:
        is_of_phrase = _WORD.fullmatch(token) and token.lower() not in _COMMON
        run = run + 1 if is_of_phrase else 0
        if run == _SHORTEST:
            return True
    return False


def _normal(token: str) -> str:
    bare = _AROUND.sub("", token)
    return unicodedata.normalize("NFKD", bare.lower())


def _plain(word: str) -> str:
    """The word without its accents. Marks of other scripts stay, which make other letters."""
    return _ACCENTS.sub("", word)


def _in_one_list(words: list[str]) -> bool:
    """Whether a run of the words is of one list."""
    return any(_in_list(words, known) for known in word_lists())


def _in_list(words: list[str], known: WordList) -> bool:
    hits = [word in known.known for word in words]
    if sum(hits) < _EXACT:
        return False
    may_be = [hit or len(word) >= _LEAST_LETTERS for hit, word in zip(hits, words, strict=True)]
    size = min(_SHORTEST, len(words))
    misread: set[str] | None = None  # of all words, once a run asks for it
    for end in range(size, len(words) + 1):
        right = sum(hits[end - size : end])
        if right < _EXACT or sum(may_be[end - size : end]) < _SHORTEST - _MISTYPED:
            continue
        run = words[end - size : end]
        is_varied = len(set(run)) >= _DISTINCT or len(set(run)) <= _SAME
        if is_varied and right >= _SHORTEST - _MISTYPED:
            return True
        if is_varied:
            if misread is None:
                misread = {word for word in set(words) if _is_misread(word, known)}
            if _is_misread_run(run, words, known, misread):
                return True
    return False


def _is_misread_run(run: list[str], words: list[str], known: WordList, misread: set[str]) -> bool:
    """Whether twelve words are a phrase's, some of them misread: two in any text, and more where
    hardly anything else is around them, as sentences are full of words like those of a list.
    """
    wrong = [word for word in run if word not in known.known]
    read = sum(word in misread for word in wrong)
    if len(run) - len(wrong) + read < _SHORTEST - _MISTYPED:
        return False
    around = {word for word in words if word not in known.known and word not in misread}
    return len(wrong) <= _FEW_WRONG or len(around) <= _MOST_AROUND


def _is_misread(word: str, known: WordList) -> bool:
    """Whether the word is a letter away from one of the list."""
    if not _LEAST_LETTERS <= len(word) <= known.longest + 1:
        return False
    return not known.known.isdisjoint(_one_letter_away(word, known.signs))


@lru_cache(256)
def _one_letter_away(word: str, signs: str) -> frozenset[str]:
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    found = {head + tail[1:] for head, tail in cuts if tail}
    found |= {head + tail[1] + tail[0] + tail[2:] for head, tail in cuts if len(tail) > 1}
    found |= {head + sign + tail[1:] for head, tail in cuts if tail for sign in signs}
    found |= {head + sign + tail for head, tail in cuts for sign in signs}
    for two, one in _STROKES:
        found |= {word.replace(two, one), word.replace(one, two)}
    return frozenset(found)


def _is_abbreviated(words: list[str]) -> bool:
    """Whether twelve words in a row are the first letters of words of one list."""
    plain = [_plain(word) for word in words]
    for known in word_lists():
        run = 0
        for word in plain:
            run = run + 1 if len(word) <= _ABBREVIATION and word in known.starts else 0
            if run == _SHORTEST:
                return True
    return False


def _is_joined(text: str) -> bool:
    """Whether the letters of the text are words of one list without spaces between them."""
    words = _LETTERS.findall(unicodedata.normalize("NFC", text))
    longest = max(map(len, words), default=0)
    has_digits = sum(map(str.isdigit, text)) > _MISTYPED
    if len(words) < _SHORTEST - _MISSING and longest >= _ABBREVIATION and not has_digits:
        words.append("".join(words))
    long = (_normal(word) for word in words if len(word) >= _JOINED // 2)
    return any(map(_is_of_joined_words, islice(long, _MOST_JOINED)))


def _is_partly_joined(text: str) -> bool:
    """Whether words of one list follow each other of which some have grown together in pairs, as
    at the ends of lines."""
    words = [_normal(each) for each in _LETTERS.findall(unicodedata.normalize("NFC", text))]
    long = {word for word in words if len(word) >= 2 * _SHORTEST_WORD}
    for known in word_lists() if long and len(words) >= _SHORTEST // 2 else ():
        pairs = {word: _parted(word, known) for word in long}
        parted = [part for word in words for part in pairs.get(word, (word,))]
        hits = [part in known.known for part in parted] if len(parted) > len(words) else []
        for end in range(_SHORTEST, len(hits) + 1):
            run = slice(end - _SHORTEST, end)
            is_full = sum(hits[run]) >= _SHORTEST - _MISTYPED
            if is_full and len({*parted[run]}) >= _DISTINCT:
                return True
    return False


def _parted(word: str, known: WordList) -> Sequence[str]:
    """The two words of the list that a word is made of, or the word."""
    is_pair = word not in known.known and len(word) <= 2 * known.longest
    places = range(_SHORTEST_WORD, len(word) - _SHORTEST_WORD + 1) if is_pair else ()
    pairs = ((word[:at], word[at:]) for at in places)
    whole = (pair for pair in pairs if pair[0] in known.known and pair[1] in known.known)
    return next(whole, (word,))


def _is_of_joined_words(word: str) -> bool:
    if not _JOINED <= len(word) <= _LONGEST_JOINED or _IDEOGRAPH.match(word):
        return False
    plain = _plain(word)
    return any(
        _covers(plain, known.plain, known.longest) or _covers(plain, known.starts, _ABBREVIATION)
        for known in word_lists()
        if len(known.signs) <= _MOST_LETTERS
    )


def _covers(word: str, known: Set[str], longest: int) -> bool:
    """Whether eleven or more of some words make up nearly all of a word."""
    best: list[tuple[int, list[str]]] = [(0, [])]
    for end in range(1, len(word) + 1):
        found = best[end - 1]
        for size in range(3, min(longest, end) + 1):
            last, (covered, before) = word[end - size : end], best[end - size]
            # Of two that cover as much, the one of fewer words.
            if last in known and (covered + size, -len(before)) > (
                found[0],
                1 - len(found[1]),
            ):
                found = covered + size, [*before, last]
        best.append(found)
    covered, words = best[-1]
    is_phrase = len(words) >= _SHORTEST - _MISSING and len({*words}) >= _DISTINCT
    return is_phrase and covered >= _COVERED * len(word)


def _is_chinese_phrase(text: str, tokens: list[str]) -> bool:
    """Characters one by one, or exactly so many as a phrase has, of which a sentence has others:
    nearly all of any sentence are in the lists.
    """
    alone = [at for at, token in enumerate(tokens) if _IDEOGRAPH.fullmatch(token)]
    for first, last in zip(alone, alone[_SHORTEST - _MISSING - 1 :], strict=False):
        run = [each for each in tokens[first : last + 1] if _IDEOGRAPH.fullmatch(each)]
        if last - first < _MOST_BETWEEN * _SHORTEST and _in_one_list(run):
            return True
    return any(_is_drawn(run, known, _UNCOMMON_RANK) for run, known in _chinese_runs(text))


def _chinese_runs(text: str) -> Iterator[tuple[str, WordList]]:
    """As many characters in a row as a phrase has, with each list that they may be of."""
    runs = [run for run in _IDEOGRAPHS.findall(text) if len(run) in _COUNTS]
    for known in word_lists() if runs else ():
        yield from ((run, known) for run in runs if len(known.signs) > _MOST_LETTERS)


def _is_drawn(run: str, known: WordList, rank: int) -> bool:
    numbers = [known.words[sign] for sign in run if sign in known.words]
    if len(numbers) < len(run) - _MISTYPED:
        return False
    mean = sum(numbers) / len(numbers)
    return mean >= rank or (mean >= _MOST_COMMON_RANK and is_valid_phrase(numbers))


@cache
def word_lists() -> tuple[WordList, ...]:
    """The lists; loaded when a paste has twelve words."""
    spec = find_spec("eth_account")
    folders = [Path(place) / "hdaccount" / "wordlist" for place in _places(spec)]
    files = [path for folder in (*folders, _OWN) for path in sorted(folder.glob("*.txt"))]
    return tuple(_word_list(path.read_text(encoding="utf-8").split()) for path in files)


def _word_list(words: Iterable[str]) -> WordList:
    numbers = {unicodedata.normalize("NFKD", each): at for at, each in enumerate(words)}
    bare = frozenset(map(_plain, numbers))
    has_accents = bare != numbers.keys()
    plain: Set[str] = bare if has_accents else numbers.keys()
    every: Set[str] = bare | numbers.keys() if has_accents else plain
    has_alphabet = all(map(str.isascii, plain))
    starts = {each[:_ABBREVIATION] for each in plain} if has_alphabet else set()
    signs = "".join(sorted({*"".join(numbers)}))
    longest = max(map(len, numbers))
    return WordList(numbers, plain, every, frozenset(starts), signs, longest)


def _places(spec: object) -> list[str]:
    return list(getattr(spec, "submodule_search_locations", None) or ())
