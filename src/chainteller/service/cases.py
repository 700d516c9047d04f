"""A layer that puts the number of a case on everything that a person asks for."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from chainteller.service.layers import Next
from chainteller.service.operations import Call

Answer = TypeVar("Answer")


class ForCase:
    """``case_id`` says which case is worked on now; empty for none."""

    def __init__(self, case_id: Callable[[], str]) -> None:
        self._case_id = case_id

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        case_id = self._case_id()
        if case_id and not call.case_id:
            call = replace(call, case_id=case_id)
        return onward(call)
