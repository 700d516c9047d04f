"""The deployment behind a line that loses answers, or carries nothing at all."""

from typing import Any

from chainteller.service.errors import OutcomeUnknown, ServiceUnreachable
from chainteller.service.interface import Service


class Unsteady:
    """``loses_answers``: an execution may arrive, its answer does not. ``is_silent``: nobody hears
    that anything happened."""

    def __init__(
        self, service: Service, *, loses_answers: bool = False, arrives: bool = False
    ) -> None:
        self._service = service
        self.loses_answers = loses_answers
        self.arrives = arrives
        self.is_silent = False
        self.executions = 0

    def __getattr__(self, name: str) -> Any:
        if self.is_silent and name == "events":
            raise ServiceUnreachable("No connection.")
        return getattr(self._service, name)

    def execute_quote(self, quote_id: str, request: Any, *, idempotency_key: str) -> Any:
        self.executions += 1
        if not self.loses_answers:
            return self._service.execute_quote(quote_id, request, idempotency_key=idempotency_key)
        if self.arrives:
            self._service.execute_quote(quote_id, request, idempotency_key=idempotency_key)
        raise OutcomeUnknown("No answer came within 10 s.", idempotency_key)
