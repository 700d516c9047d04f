"""Terms that the help explains, from a data file."""

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple


class Term(NamedTuple):
    """A term, the screens on which it appears, and what it means."""

    name: str
    screens: tuple[str, ...]
    means: str


def terms_for(path: Path | None, screen: str) -> tuple[Term, ...]:
    """Every term, those of the screen first; without a file there are none."""
    if path is None or not path.is_file():
        return ()
    return tuple(sorted(_read(path), key=lambda term: screen not in term.screens))


@lru_cache(maxsize=1)
def _read(path: Path) -> tuple[Term, ...]:
    return tuple(
        Term(each["name"], tuple(each["screens"]), " ".join(each["means"].split()))
        for each in tomllib.loads(path.read_text(encoding="utf-8"))["term"]
    )
