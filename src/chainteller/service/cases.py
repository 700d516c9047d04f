"""A layer that puts the number of a case on every change that a person makes."""

from dataclasses import replace
from typing import TypeVar

from chainteller.service.layers import Next
from chainteller.service.operations import Call

Answer = TypeVar("Answer")


class ForCase:
    """The case that a person works on; empty for none."""

    def __init__(self, case_id: str = "") -> None:
        self.case_id = case_id

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        if self.case_id and call.operation.writes and not call.case_id:
            call = replace(call, case_id=self.case_id)
        return onward(call)
