"""Faults on the way to the bank: slow answers, refusals, lost answers, outages.

Only a training session builds ``Faults``; there is no setting, flag or variable for it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from chainteller.domain.clock import ManualClock
from chainteller.service.error_codes import from_wire
from chainteller.service.errors import OutcomeUnknown, ServiceError, ServiceUnreachable
from chainteller.service.interface import Service
from chainteller.training.scenarios import Fault


@dataclass(slots=True)
class Armed:
    """A fault that waits for its call; an outage ends at ``ends_at``."""

    fault: Fault
    left: int
    ends_at: int = 0


@dataclass(slots=True)
class Arsenal:
    """The faults that are armed now; part of what a checkpoint keeps."""

    armed: list[Armed] = field(default_factory=list)

    def arm(self, fault: Fault, now: int) -> None:
        self.armed.append(Armed(fault, fault.times, now + fault.lasts))

    def strike(self, method: str, now: int) -> Fault | None:
        """The fault that this call meets, used up by one."""
        for each in self.armed:
            if each.fault.kind == "outage":
                if now < each.ends_at:
                    return each.fault
            elif each.fault.method == method and each.left > 0:
                each.left -= 1
                return each.fault
        return None


class Faults:
    """Wraps a service; calls meet whatever the arsenal holds for them."""

    def __init__(
        self,
        inner: Service,
        arsenal: Callable[[], Arsenal],
        clock: ManualClock,
        spend: Callable[[int], None],
    ) -> None:
        self._inner = inner
        self._arsenal = arsenal
        self._clock = clock
        self._spend = spend

    @classmethod
    def over(
        cls,
        inner: Service,
        arsenal: Callable[[], Arsenal],
        clock: ManualClock,
        spend: Callable[[int], None],
    ) -> Service:
        """``spend`` lets microseconds of the session's own time pass."""
        return cast(Service, cls(inner, arsenal, clock, spend))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method: Callable[..., Any] = getattr(self._inner, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            fault = self._arsenal().strike(name, self._clock.now())
            if fault is None:
                return method(*args, **kwargs)
            return self._meet(fault, lambda: method(*args, **kwargs), kwargs)

        return call

    def _meet(self, fault: Fault, send: Callable[[], Any], given: dict[str, Any]) -> Any:
        key = str(given.get("idempotency_key") or "")
        if fault.kind == "outage":
            raise ServiceUnreachable("The service does not answer; nothing was sent.")
        if fault.kind == "latency":
            self._spend(fault.lasts)
            return send()
        if fault.kind == "refusal":
            raise from_wire(fault.code, "The service cannot do this now.", {}, 503)
        if fault.kind == "dropped-reply":
            _sent(send)
        raise OutcomeUnknown("The request was sent, and no answer came.", key)


def _sent(send: Callable[[], Any]) -> None:
    """Let the bank do it; whatever it answers is lost on the way, a refusal too."""
    try:
        send()
    except ServiceError:
        return
