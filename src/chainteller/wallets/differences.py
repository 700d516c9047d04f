"""Says how the text that was signed differs from ours, in words that an agent can act on."""

import unicodedata
from difflib import SequenceMatcher

_NAMES = {
    "\n": "a line break (LF)", "\r\n": "a line break (CR LF)", "\r": "a line break (CR)",
    " ": "a space", "\t": "a tab", "\u00a0": "a no-break space", "\0": "a zero byte",
}  # fmt: skip
# Where our text changed from and to, and the same places in the other text.
_Change = tuple[int, int, int, int]
# Characters that changed on both sides for each one between them.
_CHANCE = 8
_MOST, _LEAST_ALIKE = 4, 0.4
_SHOWN = 40


def describe(ours: str, signed: bytes) -> tuple[str, ...]:
    """At most four sentences, in the order of the text; equal changes are counted together.

    Positions are of characters of our text, from 1.
    """
    theirs = signed.decode("utf-8", "backslashreplace")
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    if len(theirs) > 4 * len(ours) + 400 or not _alike(matcher, ours, theirs):
        return (
            f"The signed text is another one, of {len(theirs)} characters instead of {len(ours)}.",
        )
    changes: dict[tuple[str, str], list[int]] = {}
    for start, end, other_start, other_end in _changed(matcher):
        change = (ours[start:end], theirs[other_start:other_end])
        changes.setdefault(change, []).append(start + 1)
    sentences = [_sentence(*change, places, len(ours)) for change, places in changes.items()]
    if len(sentences) > _MOST:
        rest = sum(map(len, list(changes.values())[_MOST - 1 :]))
        sentences = [*sentences[: _MOST - 1], f"{rest} more differences."]
    return tuple(sentences)


def _changed(matcher: SequenceMatcher[str]) -> list[_Change]:
    """What differs, in order. A few characters between long changes are alike by chance, such as
    the full stop of our text and a dot that stands for all that was cut off.
    """
    found: list[_Change] = []
    for kind, *places in matcher.get_opcodes():
        start, end, other_start, other_end = places
        if kind == "equal":
            continue
        change = (start, end, other_start, other_end)
        if found and _CHANCE * (start - found[-1][1]) <= _size(found[-1]) + _size(change):
            first, _, other_first, _ = found.pop()
            change = (first, end, other_first, other_end)
        found.append(change)
    return found


def _size(change: _Change) -> int:
    return max(change[1] - change[0], change[3] - change[2])


def _alike(matcher: SequenceMatcher[str], ours: str, theirs: str) -> bool:
    """In any case of letters; where they are alike as they are, that isn't compared."""
    if matcher.quick_ratio() > _LEAST_ALIKE and matcher.ratio() > _LEAST_ALIKE:
        return True
    folded = SequenceMatcher(None, ours.lower(), theirs.lower(), autojunk=False)
    return folded.quick_ratio() > _LEAST_ALIKE and folded.ratio() > _LEAST_ALIKE


def _sentence(ours: str, theirs: str, places: list[int], length: int) -> str:
    where = _where(places, ours, length)
    if not ours:
        return f"{_named(theirs)} was added {where}."
    if not theirs:
        return f"{_named(ours)} is missing {where}."
    return f"{_named(ours)} became {_NAMES.get(theirs) or _named(theirs)} {where}."


def _where(places: list[int], ours: str, length: int) -> str:
    if len(places) > 1:
        first = ", ".join(map(str, places[:3]))
        return f"in {len(places)} places (characters {first}{', ...' if len(places) > 3 else ''})"
    if not ours and places[0] == 1:
        return "before the text"
    if not ours and places[0] > length:
        return "after the text"
    return f"at character {places[0]}"


def _named(piece: str) -> str:
    if piece in _NAMES:
        return "A" + _NAMES[piece][1:]
    if len(piece) == 1 and not piece.isalnum() and not piece.isascii():
        return f"{unicodedata.name(piece, 'A control character').capitalize()} (U+{ord(piece):04X})"
    shown = "".join(_visible(character) for character in piece)
    if len(shown) > _SHOWN:
        return f'"{shown[:_SHOWN]}..." ({len(piece)} characters)'
    return f'"{shown}"'


def _visible(character: str) -> str:
    escapes = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    if character.isprintable():
        return character
    return escapes.get(character, f"\\u{ord(character):04x}")
