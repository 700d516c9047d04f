"""The engine's table: which function answers an operation, and in what kind of transaction.

The modules of the engine register their functions with these decorators, which return them
unchanged. A function takes the arguments that its decorator names, then the call's ids and its
request or query.
"""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from chainteller.domain.actors import Actor
from chainteller.engine.core import reading, unit_of_work
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.service.errors import ServiceUnavailable
from chainteller.service.layers import Answers
from chainteller.service.models.base import WireModel, Written
from chainteller.service.models.pages import Page
from chainteller.service.operations import Call, Operation, Read, Write
from chainteller.storage.db.query import Record as Row
from chainteller.storage.db.query import Session
from chainteller.storage.lists.pages import Counted

Item = TypeVar("Item", bound=WireModel)
Answer = TypeVar("Answer")
Record = TypeVar("Record", bound=WireModel)
Rest = ParamSpec("Rest")


class Acting(Protocol):
    """The bank that an operation runs on, and the actor in whose name."""

    @property
    def context(self) -> EngineContext: ...
    @property
    def actor(self) -> Actor: ...


TABLE: Answers[Acting] = Answers()
SHORT: set[Operation[Any]] = set()
"""Operations whose answer costs the same however much there is, unless a filter is asked for."""

_Reader = Callable[Concatenate[Session, str, Rest], Answer]
_ContextReader = Callable[Concatenate[EngineContext, Session, str, Rest], Answer]
_Writer = Callable[Concatenate[UnitOfWork, Rest], Record]
_Free = Callable[Concatenate[EngineContext, Actor, Rest], Answer]


def reads(
    operation: Read[Answer],
) -> Callable[[_Reader[Rest, Answer]], _Reader[Rest, Answer]]:
    """Answer from one read transaction: (connection, organisation id, ...)."""

    def enter(function: _Reader[Rest, Answer]) -> _Reader[Rest, Answer]:
        _read(operation, function, in_context=False)
        return function

    return enter


def reads_in_context(
    operation: Read[Answer], *, is_short: bool = True
) -> Callable[[_ContextReader[Rest, Answer]], _ContextReader[Rest, Answer]]:
    """As ``reads``, with the context: (context, connection, organisation id, ...).

    ``is_short``: an answer without a filter costs the same however much there is.
    """

    def enter(function: _ContextReader[Rest, Answer]) -> _ContextReader[Rest, Answer]:
        _read(operation, function, is_short=is_short)
        return function

    return enter


def _read(
    operation: Read[Answer],
    function: Callable[..., Answer],
    *,
    in_context: bool = True,
    is_short: bool = True,
) -> None:
    def answer(on: Acting, call: Call[Answer]) -> Answer:
        given = (on.context,) if in_context else ()
        with on.context.database.read() as session:
            return function(*given, session, on.actor.organisation, *call.arguments)

    _add(operation, answer, is_short=is_short)


def lists(
    operation: Read[Page[Item]],
    page: Callable[..., tuple[tuple[Item, ...], Counted | int]],
    *,
    of: Callable[[Session, str, str], Row] | None = None,
    is_timed: bool = False,
    is_short: bool = True,
) -> None:
    """Answer a list from one read transaction, by pages of an organisation's records, or those of
    the record that ``of`` finds: (connection, its id, query), and the time if ``is_timed``."""

    @reads_in_context(operation, is_short=is_short)
    def answer(context: EngineContext, connection: Session, owner: str, *asked: Any) -> Page[Item]:
        *ids, query = asked
        checked = reading.checked_query(query)
        if of is not None:
            owner = of(connection, owner, *ids).id
        at = (unit_of_work.now(context, connection),) if is_timed else ()
        found, total = page(connection, owner, checked, *at)
        return reading.page(found, total, checked)


def writes(
    operation: Write[Record],
    prepare: Callable[..., object] | None = None,
    *,
    timeless: bool = False,
    after: Callable[[EngineContext], None] | None = None,
) -> Callable[[_Writer[Rest, Record]], _Writer[Rest, Record]]:
    """Answer in one write transaction, once per idempotency key: (transaction, ...).

    ``prepare`` does slow work before the transaction: (context, organisation id, ...). The
    function takes its result as the last argument. A ``timeless`` one neither pays, prices nor
    expires, and is allowed while time is uncertain. ``after`` is called once it was committed.
    """

    def enter(function: _Writer[Rest, Record]) -> _Writer[Rest, Record]:
        plain: Callable[..., Record] = function

        def answer(on: Acting, call: Call[Written[Record]]) -> Written[Record]:
            arguments = call.arguments
            try:
                if prepare is not None:
                    arguments += (prepare(on.context, on.actor.organisation, *arguments),)
                written = unit_of_work.write(
                    on.context, on.actor, call, plain, *arguments, timeless=timeless
                )
            except ServiceUnavailable:
                first = unit_of_work.repeated(on.context, on.actor, call)
                if first is None:
                    raise
                written = first
            if after is not None:
                after(on.context)
            return written

        TABLE.add(operation, answer)
        return function

    return enter


def answers(
    operation: Operation[Answer], *, is_short: bool = False
) -> Callable[[_Free[Rest, Answer]], _Free[Rest, Answer]]:
    """Answer without a transaction, or in ones that the function opens: (context, actor, ...)."""

    def enter(function: _Free[Rest, Answer]) -> _Free[Rest, Answer]:
        plain: Callable[..., Answer] = function

        def answer(on: Acting, call: Call[Answer]) -> Answer:
            return plain(on.context, on.actor, *call.arguments)

        _add(operation, answer, is_short=is_short)
        return function

    return enter


def _add(
    operation: Operation[Answer],
    answer: Callable[[Acting, Call[Answer]], Answer],
    *,
    is_short: bool,
) -> None:
    TABLE.add(operation, answer)
    if is_short:
        SHORT.add(operation)
