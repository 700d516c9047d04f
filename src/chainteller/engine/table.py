"""The engine's table: which function answers an operation, and in what kind of transaction.

The modules of the engine register their functions with these decorators, which return them
unchanged. A function takes the arguments that its decorator names, then the call's ids and its
request or query.
"""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy import Connection

from chainteller.domain.actors import Actor
from chainteller.engine import transaction
from chainteller.engine.bank import Bank
from chainteller.engine.transaction import Transaction
from chainteller.service.layers import Answers
from chainteller.service.models.base import WireModel, Written
from chainteller.service.operations import Call, Operation, Read, Write

Answer = TypeVar("Answer")
Record = TypeVar("Record", bound=WireModel)
Rest = ParamSpec("Rest")


class Acting(Protocol):
    """The bank that an operation runs on, and the actor in whose name."""

    @property
    def bank(self) -> Bank: ...
    @property
    def actor(self) -> Actor: ...


TABLE: Answers[Acting] = Answers()

_Reader = Callable[Concatenate[Connection, str, Rest], Answer]
_ContextReader = Callable[Concatenate[Bank, Connection, str, Rest], Answer]
_Writer = Callable[Concatenate[Transaction, Rest], Record]
_Free = Callable[Concatenate[Bank, Actor, Rest], Answer]


def reads(
    operation: Read[Answer],
) -> Callable[[_Reader[Rest, Answer]], _Reader[Rest, Answer]]:
    """Answer from one read transaction: (connection, organisation id, ...)."""

    def enter(function: _Reader[Rest, Answer]) -> _Reader[Rest, Answer]:
        plain: Callable[..., Answer] = function

        def answer(on: Acting, call: Call[Answer]) -> Answer:
            with on.bank.database.read() as connection:
                return plain(connection, on.actor.organisation, *call.arguments)

        TABLE.add(operation, answer)
        return function

    return enter


def reads_in_context(
    operation: Read[Answer],
) -> Callable[[_ContextReader[Rest, Answer]], _ContextReader[Rest, Answer]]:
    """As ``reads``, with the bank: (bank, connection, organisation id, ...)."""

    def enter(function: _ContextReader[Rest, Answer]) -> _ContextReader[Rest, Answer]:
        plain: Callable[..., Answer] = function

        def answer(on: Acting, call: Call[Answer]) -> Answer:
            with on.bank.database.read() as connection:
                return plain(on.bank, connection, on.actor.organisation, *call.arguments)

        TABLE.add(operation, answer)
        return function

    return enter


def writes(
    operation: Write[Record], prepare: Callable[..., object] | None = None
) -> Callable[[_Writer[Rest, Record]], _Writer[Rest, Record]]:
    """Answer in one write transaction, once per idempotency key: (transaction, ...).

    ``prepare`` does slow work before the transaction: (bank, organisation id, ...). The function
    takes its result as the last argument.
    """

    def enter(function: _Writer[Rest, Record]) -> _Writer[Rest, Record]:
        plain: Callable[..., Record] = function

        def answer(on: Acting, call: Call[Written[Record]]) -> Written[Record]:
            arguments = call.arguments
            if prepare is not None:
                arguments += (prepare(on.bank, on.actor.organisation, *arguments),)
            asked = transaction.Call(
                operation.name, operation.response, call.ids, call.request, call.key
            )
            return transaction.write(on.bank, on.actor, asked, lambda tx: plain(tx, *arguments))

        TABLE.add(operation, answer)
        return function

    return enter


def answers(
    operation: Operation[Answer],
) -> Callable[[_Free[Rest, Answer]], _Free[Rest, Answer]]:
    """Answer without a transaction, or in ones that the function opens: (bank, actor, ...)."""

    def enter(function: _Free[Rest, Answer]) -> _Free[Rest, Answer]:
        plain: Callable[..., Answer] = function
        TABLE.add(operation, lambda on, call: plain(on.bank, on.actor, *call.arguments))
        return function

    return enter
