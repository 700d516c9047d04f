"""The bank's policy: a TOML file that says what waits for a person, who may do what, and more."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from chainteller.domain.agents import Permission
from chainteller.domain.assets import USD
from chainteller.domain.clock import DAY, MINUTE, SECOND
from chainteller.domain.decisions import AtDeadline, ReviewCondition, ReviewLine
from chainteller.domain.keys import duration_of
from chainteller.domain.money import parse_atoms, ungrouped
from chainteller.domain.policy import CasePolicy, CaseWanted, Needing, Policy, TwoPersons
from chainteller.given_files import read_text
from chainteller.settings import values
from chainteller.settings.values import SettingsInvalid, did_you_mean, why_unreadable

Word = TypeVar("Word", bound=StrEnum)

_WORDS = ("over", "within", "then", "to")
_SHORTEST, _LONGEST = MINUTE, 30 * DAY
_ROLE = re.compile(r"[a-z][a-z0-9_-]{0,31}", re.ASCII)


def read_policy(path: str) -> Policy:
    """What the file says; nothing without a file. Raises SettingsInvalid: the file can't be read,
    or what it says isn't a policy; each problem with its line."""
    if not path:
        return Policy()
    file = Path(path).expanduser()
    try:
        text = read_text(file)
    except (OSError, UnicodeDecodeError) as error:
        told = f"the policy {file} can't be read: {why_unreadable(error)}"
        raise SettingsInvalid([told]) from None
    return parse_policy(text, str(file))


def parse_policy(text: str, name: str) -> Policy:
    """As ``read_policy``, of the file's contents. Raises SettingsInvalid."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsInvalid([f"{name}: {error}"]) from None
    reading = _Reading(text, name)
    for section in found:
        if section not in Policy._fields:
            reading.wrong(section, f"there is no section {section!r}", Policy._fields)
    review = [reading.line(condition, told) for condition, told in reading.section(found, "review")]
    roles = [reading.role(role, may) for role, may in reading.section(found, "roles")]
    groups = reading.section(found, "sign_in")
    sign_in = [reading.group(group, role, dict(roles)) for group, role in groups]
    case = reading.case(dict(reading.section(found, "case")))
    two = reading.two(dict(reading.section(found, "two")))
    reading.check_deciding(review, dict(roles))
    if reading.problems:
        raise SettingsInvalid(reading.problems)
    lines = tuple(each for each in review if each is not None)
    return Policy(lines, tuple(roles), case, two, tuple(sign_in))


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

    def unknown(self, section: str, told: Iterable[str], known: tuple[str, ...]) -> None:
        """Note each word of a section or a line that it doesn't have."""
        for word in told:
            if word not in known:
                self.wrong(word, f"{section} has no {word!r}", known)

    def section(self, found: Mapping[str, Any], name: str) -> Iterable[tuple[str, Any]]:
        told = found.get(name, {})
        if isinstance(told, dict):
            return told.items()
        self.wrong(name, f"{name} is a section: [{name}]")
        return ()

    def role(self, name: str, told: Any) -> tuple[str, tuple[Permission, ...]]:
        """What a role may do; nothing where that is wrong, which is noted."""
        if not _ROLE.fullmatch(name):
            self.wrong(name, "a role is up to 32 lower-case letters, digits, hyphens and _")
        return name, tuple(self._words_of(name, told, Permission))

    def group(self, name: str, role: Any, roles: Mapping[str, Any]) -> tuple[str, str]:
        """The role of a group of the issuer; one that isn't a role is noted."""
        if str(role) not in roles:
            self.wrong(name, f"the group {name!r} gives a role of [roles]", tuple(roles))
        return name, str(role)

    def case(self, told: dict[str, Any]) -> CasePolicy:
        """Raises nothing: what is wrong is noted."""
        self.unknown("case", told, CasePolicy._fields)
        wanted, pattern = str(told.get("wanted", CaseWanted.OFF)), told.get("pattern", "")
        if wanted not in set(CaseWanted):
            self.wrong("wanted", f"case.wanted is {' or '.join(CaseWanted)}", tuple(CaseWanted))
            wanted = CaseWanted.OFF
        try:
            re.compile(pattern)
        except (re.error, TypeError) as error:
            self.wrong("pattern", f"case.pattern is no regular expression: {error}")
            pattern = ""
        return CasePolicy(CaseWanted(wanted), pattern)

    def two(self, told: dict[str, Any]) -> TwoPersons:
        self.unknown("two", told, ("withdrawal", "within", "always"))
        over = None
        if "withdrawal" in told:
            over = self._amount("withdrawal", "two.withdrawal", told["withdrawal"])
        always = self._words_of("always", told.get("always", []), Needing)
        within = self._within("within", "two.within", told.get("within", "1h"))
        return TwoPersons(over, within, frozenset(always))

    def _words_of(self, key: str, told: Any, kind: type[Word]) -> list[Word]:
        """Words of a list, each of which is known; those that aren't are noted."""
        names = tuple(each.value for each in kind)
        if not isinstance(told, list):
            self.wrong(key, f"{key} is a list of words, such as {[names[0]]}")
            return []
        for word in told:
            if word not in names:
                self.wrong(str(word), f"{key} can't be {word!r}", names)
        return [kind(word) for word in dict.fromkeys(each for each in told if each in names)]

    def line(self, condition: str, told: Any) -> ReviewLine | None:
        """One line of the section; None if it's wrong, which is noted."""
        before = len(self.problems)
        names = tuple(each.value for each in ReviewCondition)
        if condition not in names:
            self.wrong(condition, f"there is no condition {condition!r}", names)
        if not isinstance(told, Mapping):
            self.wrong(condition, f'{condition} is written {{ over = "0", within = "2h" }}')
            return None
        self.unknown(condition, told, _WORDS)
        over = self._amount(condition, f"{condition}.over", told.get("over", "0"))
        within = self._within(condition, f"{condition}.within", told.get("within", ""))
        then = str(told.get("then", AtDeadline.REFUSE))
        if then not in set(AtDeadline):
            self.wrong(then, f"{condition}.then is {' or '.join(AtDeadline)}", tuple(AtDeadline))
        to = str(told.get("to", ""))
        if (then == AtDeadline.ESCALATE) is not bool(to):
            self.wrong(condition, f'{condition}: then = "escalate" goes with to = "supervisor"')
        if len(self.problems) > before:
            return None
        return ReviewLine(ReviewCondition(condition), over, within, AtDeadline(then), to)

    def check_deciding(
        self, lines: Iterable[ReviewLine | None], roles: Mapping[str, tuple[Permission, ...]]
    ) -> None:
        """Note roles none of which may decide, and each line that goes to one which can't."""
        deciding = tuple(name for name, may in roles.items() if Permission.DECIDE in may)
        if roles and not deciding and not self.problems:
            self.wrong("roles", 'no role may decide: give one "decide"')
        for line in lines:
            if line is not None and line.to and line.to not in deciding:
                told = f"{line.condition}.to is a role that may decide"
                self.wrong(line.to, told, deciding)

    def _amount(self, key: str, name: str, told: Any) -> int:
        try:
            return parse_atoms(ungrouped(values.text(told)), USD, allow_zero=True)
        except ValueError:
            self.wrong(key, f'{name} is an amount in USD in quotes, such as "5000"')
            return 0

    def _within(self, key: str, name: str, told: Any) -> int:
        """Seconds."""
        try:
            within = duration_of(str(told))
        except ValueError:
            self.wrong(key, f'{name} is a time in quotes, such as "30m" or "2h"')
            return 0
        if not _SHORTEST <= within <= _LONGEST:
            self.wrong(key, f"{name} is from 1m to 30d")
        return within // SECOND
