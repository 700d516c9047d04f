"""The bank's policy: a TOML file that says which withdrawals wait for a person."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chainteller.domain.assets import USD
from chainteller.domain.clock import DAY, MINUTE, SECOND
from chainteller.domain.decisions import AtDeadline, Review, ReviewCondition, ReviewLine
from chainteller.domain.keys import duration_of
from chainteller.domain.money import parse_atoms, ungrouped
from chainteller.settings import values
from chainteller.settings.values import SettingsInvalid, did_you_mean

_SECTION = "review"
_WORDS = ("over", "within", "then")
_SHORTEST, _LONGEST = MINUTE, 30 * DAY


def read_policy(path: str) -> Review:
    """The lines of the file's section ``review``; none without a file.

    Raises:
        SettingsInvalid: the file can't be read, or what it says isn't a policy; each problem with
            its line.
    """
    if not path:
        return ()
    file = Path(path).expanduser()
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsInvalid([f"engine.policy: {file} can't be read: {error}"]) from None
    return parse_policy(text, str(file))


def parse_policy(text: str, name: str) -> Review:
    """As ``read_policy``, of the file's contents. Raises SettingsInvalid."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsInvalid([f"{name}: {error}"]) from None
    reading = _Reading(text, name)
    for section in found:
        if section != _SECTION:
            reading.wrong(section, f"there is no section {section!r}", (_SECTION,))
    lines = found.get(_SECTION, {})
    if not isinstance(lines, dict):
        reading.wrong(_SECTION, f"{_SECTION} is a section: [{_SECTION}]")
        lines = {}
    review = [reading.line(condition, told) for condition, told in lines.items()]
    if reading.problems:
        raise SettingsInvalid(reading.problems)
    return tuple(line for line in review if line is not None)


class _Reading:
    """What is read of a policy, with the problems in it."""

    def __init__(self, text: str, name: str) -> None:
        self._rows, self._name = text.splitlines(), name
        self.problems: list[str] = []

    def wrong(self, key: str, problem: str, known: tuple[str, ...] = ()) -> None:
        """Note a problem with the place where its key stands."""
        meant = did_you_mean(key, known) or (f"; known: {', '.join(known)}" if known else "")
        self.problems.append(f"{self._place(key)}: {problem}{meant}")

    def _place(self, key: str) -> str:
        for number, row in enumerate(self._rows, 1):
            found = re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", row.partition("#")[0])
            if found is not None:
                return f"{self._name}:{number}:{found.start() + 1}"
        return self._name

    def line(self, condition: str, told: Any) -> ReviewLine | None:
        """One line of the section; None if it's wrong, which is noted."""
        before = len(self.problems)
        names = tuple(each.value for each in ReviewCondition)
        if condition not in names:
            self.wrong(condition, f"there is no condition {condition!r}", names)
        if not isinstance(told, Mapping):
            self.wrong(condition, f'{condition} is written {{ over = "0", within = "2h" }}')
            return None
        for word in told:
            if word not in _WORDS:
                self.wrong(word, f"{condition} has no {word!r}", _WORDS)
        over, within = self._over(condition, told), self._within(condition, told)
        then = str(told.get("then", AtDeadline.REFUSE))
        if then not in set(AtDeadline):
            self.wrong(then, f"{condition}.then is {' or '.join(AtDeadline)}", tuple(AtDeadline))
        if len(self.problems) > before:
            return None
        return ReviewLine(ReviewCondition(condition), over, within, AtDeadline(then))

    def _over(self, condition: str, told: Mapping[str, Any]) -> int:
        try:
            written = ungrouped(values.text(told.get("over", "0")))
            return parse_atoms(written, USD, allow_zero=True)
        except ValueError:
            self.wrong(condition, f'{condition}.over is an amount in USD in quotes, such as "5000"')
            return 0

    def _within(self, condition: str, told: Mapping[str, Any]) -> int:
        try:
            within = duration_of(str(told.get("within", "")))
        except ValueError:
            self.wrong(condition, f'{condition}.within is a time in quotes, such as "30m" or "2h"')
            return 0
        if not _SHORTEST <= within <= _LONGEST:
            self.wrong(condition, f"{condition}.within is from 1m to 30d")
        return within // SECOND
