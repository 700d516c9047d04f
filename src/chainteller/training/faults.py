"""Fault injection: slow answers, refusals, lost answers, outages.

Only training sessions use it; no setting, flag or environment variable enables it.
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from chainteller.domain.clock import ManualClock
from chainteller.service.error_codes import from_wire
from chainteller.service.errors import OutcomeUnknown, ServiceError, ServiceUnreachable
from chainteller.service.layers import Next
from chainteller.service.operations import Call
from chainteller.training.scenarios import Fault

Answer = TypeVar("Answer")


@dataclass(slots=True)
class Armed:
    """A fault waiting for its call; an outage ends at ``ends_at``."""

    fault: Fault
    left: int
    ends_at: int = 0


@dataclass(slots=True)
class ArmedFaults:
    armed: list[Armed] = field(default_factory=list)

    def arm(self, fault: Fault, now: int) -> None:
        self.armed.append(Armed(fault, fault.times, now + fault.lasts))

    def take(self, operation: str, now: int) -> Fault | None:
        """Take the fault for this call, or None; reduces its count by one."""
        for each in self.armed:
            if each.fault.kind == "outage":
                if now < each.ends_at:
                    return each.fault
            elif each.fault.method == operation and each.left > 0:
                each.left -= 1
                return each.fault
        return None


class Faults:
    """A service layer that applies the armed faults to calls.

    ``spend`` advances the session's clock by microseconds.
    """

    def __init__(
        self,
        armed: Callable[[], ArmedFaults],
        clock: ManualClock,
        spend: Callable[[int], None],
    ) -> None:
        self._armed, self._clock, self._spend = armed, clock, spend

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        fault = self._armed().take(call.operation.name, self._clock.now())
        if fault is None:
            return onward(call)
        if fault.kind == "outage":
            raise ServiceUnreachable("The service does not answer; nothing was sent.")
        if fault.kind == "latency":
            self._spend(fault.lasts)
            return onward(call)
        if fault.kind == "refusal":
            raise from_wire(fault.code, "The service cannot do this now.", {}, 503)
        if fault.kind == "dropped-reply":
            with contextlib.suppress(ServiceError):  # a refusal is lost too
                onward(call)
        raise OutcomeUnknown("The request was sent, and no answer came.", call.key or "")
