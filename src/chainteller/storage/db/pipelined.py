"""Statements that wait until a result is needed, and are sent together then."""

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple, NoReturn

from chainteller.storage.db.pipeline import Step
from chainteller.storage.db.query import (
    NONE,
    POSTGRESQL,
    Dialect,
    Form,
    Found,
    Given,
    Reader,
    Session,
    Shared,
    Statement,
    Then,
    Values,
)
from chainteller.storage.db.spans import statements_span
from chainteller.telemetry import tracing

DIALECT = Dialect(POSTGRESQL)
COMMIT = Step("COMMIT")
_Key = tuple[int, tuple[Any, ...]]


class Waiting(NamedTuple):
    """A statement that was not sent yet."""

    form: Form
    values: Sequence[Any]
    then: Then | None


def _waiting(query: Statement, values: Values, then: Then | None) -> Waiting:
    form = query.postgresql
    return Waiting(form, form.in_order(values), then)


class _Noted(Exception):
    """The first statement of a reader was noted."""


class PipelinedSession(Session):
    """A transaction on a server, of which nothing is sent before a result is needed. Raises
    DatabaseError."""

    dialect = DIALECT

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.waiting: list[Waiting] = []
        """What is sent before the next statement whose result is needed, or with the commit."""
        self.ahead_of_turn: list[Waiting] = []
        self._found: dict[_Key, Found] = {}
        self._is_noting = False
        """Whether statements are noted instead of run (``ahead``)."""

    def execute(self, query: Statement, values: Values = NONE) -> Found:
        if self._is_noting:
            self._note(query, values)
        if self._found:
            found = self._found.pop(_key(query, values), None)
            if found is not None:
                return found
        kept: list[Found] = []
        self.waiting.append(_waiting(query, values, kept.append))
        self._send()
        return kept[0]

    def later(self, query: Statement, values: Values, then: Then | None = None) -> None:
        self._found.clear()
        self.waiting.append(_waiting(query, values, then))

    def ahead(self, reader: Reader[Given], *values: Given.args, **named: Given.kwargs) -> None:
        was_noting, self._is_noting = self._is_noting, True
        try:
            reader(self, *values, **named)
        except _Noted:
            pass
        finally:
            self._is_noting = was_noting

    def _note(self, query: Statement, values: Values) -> NoReturn:
        """Put a statement among those that are sent ahead of their turn, and end its reader."""
        keep = partial(self._found.__setitem__, _key(query, values))
        self.ahead_of_turn.append(_waiting(query, values, keep))
        raise _Noted

    def flush(self) -> None:
        if self.waiting:
            self._send()

    def _send(self, *, commit: bool = False) -> None:
        sent = [*self.waiting, *self.ahead_of_turn]
        self.waiting, self.ahead_of_turn = [], []
        steps = [Step(each.form, each.values) for each in sent]
        if commit:
            steps.append(COMMIT)
        for each, result in zip(sent, self.answers(steps), strict=False):
            if each.then is not None:
                each.then(result)

    def answers(self, steps: Sequence[Step]) -> list[Found]:
        """Results of all steps, in one round trip."""
        if tracing.current() is None:
            return self.run(steps)
        texts = [each.sql for each in steps] or ["BEGIN"]
        with statements_span(POSTGRESQL, texts, self.server) as span:
            found = self.run(steps)
            span.put({"db.response.returned_rows": sum(len(each.rows) for each in found)})
        return found

    @property
    @abstractmethod
    def server(self) -> dict[str, str | int]:
        """Which database it is, for spans."""

    @abstractmethod
    def run(self, steps: Sequence[Step]) -> list[Found]:
        """As ``answers``, without a span."""


def _key(query: Statement, values: Values) -> _Key:
    """Which read it is; a list is compared by what it has."""
    found = (tuple(each) if isinstance(each, list) else each for each in values.values())
    return id(query), tuple(found)
