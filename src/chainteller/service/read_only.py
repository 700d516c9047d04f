"""A service that refuses every change, whoever asks: the guard behind ``--read-only``."""

from collections.abc import Callable
from typing import Any, NoReturn, cast

from chainteller.service.errors import ReadOnlyProfile
from chainteller.service.interface import Service
from chainteller.service.writes import WRITES


class ReadOnly:
    """Wraps a service; while ``enabled``, its writes raise ``ReadOnlyProfile``."""

    def __init__(self, inner: Service, *, enabled: bool = True) -> None:
        self._inner = inner
        self.enabled = enabled

    @classmethod
    def over(cls, inner: Service) -> Service:
        return cast(Service, cls(inner))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if self.enabled and name in WRITES:
            return _refuse
        found: Callable[..., Any] = getattr(self._inner, name)
        return found


def _refuse(*_: object, **__: object) -> NoReturn:
    raise ReadOnlyProfile("This desk is read-only; nothing was sent.")
