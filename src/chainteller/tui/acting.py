"""Which command of the agent makes a call: such calls are traced, unlike what the console reads by
itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_command: ContextVar[str] = ContextVar("command", default="")


@contextmanager
def as_command(command: str) -> Iterator[None]:
    """Calls that are made here, and in workers that begin here, are this command's."""
    before = _command.set(command)
    try:
        yield
    finally:
        _command.reset(before)


def forget_command() -> None:
    """What a screen does later isn't a part of the command that opened it."""
    _command.set("")


def command_here() -> str:
    """The command's id, or the screen and purpose of the field; empty for none."""
    return _command.get()
