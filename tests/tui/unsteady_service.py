"""The deployment behind a line that loses answers, or carries nothing at all."""

from typing import TypeVar

from chainteller.service import operations as op
from chainteller.service.errors import OutcomeUnknown, ServiceUnreachable
from chainteller.service.interface import Service
from chainteller.service.operations import Call

Answer = TypeVar("Answer")


class Unsteady(Service):
    """``loses_answers``: an execution may arrive, its answer does not. ``is_silent``: nobody hears
    that anything happened."""

    def __init__(
        self, service: Service, *, loses_answers: bool = False, arrives: bool = False
    ) -> None:
        self._service = service
        self.loses_answers = loses_answers
        self.arrives = arrives
        self.is_silent = False
        self.keys: list[str | None] = []
        """Idempotency keys of the executions sent."""

    def call(self, call: Call[Answer]) -> Answer:
        if self.is_silent and call.operation in {op.EVENTS, op.MARKETS}:
            raise ServiceUnreachable("No connection.")
        if call.operation is not op.EXECUTE_QUOTE:
            return self._service.call(call)
        self.keys.append(call.key)
        if not self.loses_answers:
            return self._service.call(call)
        if self.arrives:
            self._service.call(call)
        raise OutcomeUnknown("No answer came within 10 s.", call.key or "")
