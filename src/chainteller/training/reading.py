"""Read the tables of a scenario file; collects all problems with file, table and key."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from chainteller.domain.clock import HOUR, MINUTE, SECOND
from chainteller.domain.spelling import nearest
from chainteller.service.errors import TellerError

Value = TypeVar("Value")
_DURATION = re.compile(r"(\d{1,6})([smh])", re.ASCII)
_UNITS = {"s": SECOND, "m": MINUTE, "h": HOUR}


class ScenarioInvalid(TellerError):
    """A scenario file is invalid; lists every problem."""

    code = "SCENARIO"
    next_step = "Correct the file, then: chainteller scenarios validate FILE"

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))


def duration(text: str) -> int:
    """Parse ``90s``, ``5m`` or ``1h`` into microseconds; raises ValueError."""
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ValueError('a time such as "90s", "5m" or "1h"')
    return int(found[1]) * _UNITS[found[2]]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    meant = nearest(word, known)
    return f" (did you mean {meant}?)" if meant else ""


class Table:
    """One table of a file. Read its keys, then call ``finish``.

    ``place`` identifies the table in problem messages.
    """

    def __init__(self, place: str, data: Mapping[str, Any], problems: list[str]) -> None:
        self._place = place
        self._data = data
        self._problems = problems
        self._known: set[str] = set()

    @classmethod
    def of_file(cls, path: Path, data: Mapping[str, Any]) -> "Table":
        return cls(path.name, data, [])

    @property
    def problems(self) -> tuple[str, ...]:
        return tuple(self._problems)

    def wrong(self, key: str, what: str) -> None:
        self._problems.append(f"{self._place}: {key}: {what}")

    def finish(self) -> None:
        """Report every key that wasn't read."""
        for key in self._data:
            if key not in self._known:
                self.wrong(key, f"unknown key{did_you_mean(key, sorted(self._known))}")

    def has(self, key: str) -> bool:
        return key in self._data

    def text(self, key: str, default: str | None = None) -> str:
        """A text; runs of white space become single spaces."""
        value = self._take(key, default, "text in quotes", lambda found: type(found) is str)
        return " ".join(value.split()) if isinstance(value, str) else ""

    def texts(self, key: str) -> tuple[str, ...]:
        def listed(found: object) -> bool:
            return isinstance(found, list) and all(type(each) is str for each in found)

        values = self._take(key, [], "a list of texts", listed)
        return tuple(" ".join(each.split()) for each in values)

    def number(self, key: str, default: int | None = None, *, least: int = 0) -> int:
        def whole(found: object) -> bool:
            return type(found) is int and found >= least

        value = self._take(key, default, f"a whole number, {least} or more", whole)
        return value if isinstance(value, int) else least

    def signed(self, key: str) -> int:
        value = self._take(key, None, "a whole number", lambda found: type(found) is int)
        return value if isinstance(value, int) else 0

    def flag(self, key: str) -> bool:
        return bool(self._take(key, None, "true or false", lambda found: type(found) is bool))

    def duration(self, key: str, default: str | None = None) -> int:
        """Microseconds."""
        return self.parsed(key, duration, default) or 0

    def choice(self, key: str, allowed: Iterable[str], default: str | None = None) -> str:
        options = sorted(allowed)
        value = self.text(key, default)
        if value and value not in options and value != default:
            meant = did_you_mean(value, options)
            self.wrong(key, f"{value!r} is none of {', '.join(options)}{meant}")
        return value

    def parsed(
        self, key: str, parse: Callable[[str], Value], default: str | None = None
    ) -> Value | None:
        """A text converted by ``parse``, whose ValueError says what is expected."""
        before = len(self._problems)
        value = self.text(key, default)
        if len(self._problems) > before:
            return None
        try:
            return parse(value)
        except ValueError as error:
            self.wrong(key, f"{value!r} is not {error}")
            return None

    def table(self, key: str, *, required: bool = True) -> "Table":
        found = self._take(
            key, None if required else {}, f"a table [{key}]", lambda each: isinstance(each, dict)
        )
        return Table(f"{self._place}: [{key}]", found or {}, self._problems)

    def tables(self, key: str) -> list["Table"]:
        def listed(found: object) -> bool:
            return isinstance(found, list) and all(isinstance(each, dict) for each in found)

        found = self._take(key, [], f"tables [[{key}]]", listed)
        return [
            Table(f"{self._place}: [[{key}]] {number}{_named(each)}", each, self._problems)
            for number, each in enumerate(found, start=1)
        ]

    def _take(self, key: str, default: object, wanted: str, fits: Callable[[object], bool]) -> Any:
        self._known.add(key)
        if key not in self._data:
            if default is None:
                self.wrong(key, f"missing; it needs {wanted}")
            return default
        value = self._data[key]
        if not fits(value):
            self.wrong(key, f"needs {wanted}")
            return default
        return value


def _named(data: Mapping[str, Any]) -> str:
    name = data.get("id")
    return f" ({name})" if isinstance(name, str) else ""
