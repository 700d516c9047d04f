"""Errors on stderr in three parts (code, meaning, next step) and their exit codes."""

import errno
import os
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum

from chainteller.domain.untrusted import printable
from chainteller.service.error_codes import step_at_desk
from chainteller.service.errors import (
    CannotListen,
    OutcomeUnknown,
    PdfUnavailable,
    ServiceError,
    ServiceUnavailable,
    ServiceUnreachable,
    SignInRequired,
    TellerError,
    ValidationFailed,
)
from chainteller.settings.values import SettingsInvalid


class Exit(IntEnum):
    """The program's exit codes; scripts rely on them."""

    DONE = 0
    REFUSED = 1
    USAGE = 2
    UNREACHABLE = 3
    UNKNOWN = 4
    INTERRUPTED = 130


class Usage(TellerError):
    """The command line is invalid or incomplete; by default, the command's help says more."""

    code = "USAGE"

    def __init__(self, message: str, next_step: str = "") -> None:
        super().__init__(message)
        self._suggestion = next_step or _help()

    @property
    def suggestion(self) -> str:
        return self._suggestion


def _help() -> str:
    import click

    context = click.get_current_context(silent=True)
    return f"{context.command_path if context else 'chainteller'} --help"


class OutputLost(TellerError):
    """What a command prints can't be written. With ``is_change``, it may have changed something."""

    code = "OUTPUT_LOST"

    def __init__(self, error: OSError, *, is_change: bool) -> None:
        super().__init__(f"The output couldn't be written: {error.strerror}.")
        self.is_change = is_change

    @property
    def suggestion(self) -> str:
        if self.is_change:
            return "Look whether the change went through before you repeat it."
        return "Free space, or write to another place, and run the command again."


_OUTPUT_FAULTS = {errno.EBADF, errno.EPIPE, errno.ENOSPC, errno.EFBIG, errno.EDQUOT}


def is_of_output(error: OSError) -> bool:
    """Whether it says that what is printed can't be written."""
    return error.filename is None and error.errno in _OUTPUT_FAULTS


_KEY_OPTION = "--idempotency-key"
_BY_REASON = {
    "BAD_URL": Exit.USAGE,
    "DRIVER_MISSING": Exit.USAGE,
    "UNSUPPORTED_SCHEMA": Exit.USAGE,
    "EXISTS": Exit.REFUSED,
    "NOT_EMPTY": Exit.REFUSED,
}
_EXITS: tuple[tuple[type[TellerError], Exit], ...] = (
    (Usage, Exit.USAGE),
    (SettingsInvalid, Exit.USAGE),
    (PdfUnavailable, Exit.USAGE),
    (CannotListen, Exit.USAGE),
    (SignInRequired, Exit.USAGE),
    (ServiceUnreachable, Exit.UNREACHABLE),
    (OutcomeUnknown, Exit.UNKNOWN),
)


def exit_code(error: TellerError) -> Exit:
    if isinstance(error, OutputLost):
        return Exit.UNKNOWN if error.is_change else Exit.REFUSED
    if isinstance(error, ServiceUnavailable):
        return _BY_REASON.get(str(error.details.get("reason")), Exit.UNREACHABLE)
    return next((code for kind, code in _EXITS if isinstance(error, kind)), Exit.REFUSED)


def report_error(error: TellerError, typed: Sequence[str] = ()) -> Exit:
    """Print an error on stderr and return its exit code.

    ``typed`` is the command line as it was typed: repeated with the idempotency key, it settles a
    request that wasn't answered.
    """
    details = error.details if isinstance(error, ServiceError) else {}
    said = error.lines if isinstance(error, ValidationFailed) else []
    told = [f"  {line}" for line in said] or _described(details)
    lines = [f"{error.code}: {error.message}", *told]
    step = step_at_desk(error)
    if isinstance(error, OutcomeUnknown):
        key = error.idempotency_key
        lines += [f"  idempotency key: {key}"] if key else []
        is_new = not key or error.is_harmless
        if typed:
            step = shlex.join(typed) if is_new else _repeated(typed, key)
        if typed and not is_new:
            lines.append("  The same command with this key can't do it a second time.")
    lines.append(f"Next: {step or 'chainteller --help'}")
    say(*lines)
    return exit_code(error)


def _repeated(typed: Sequence[str], key: str) -> str:
    """The command line with its idempotency key."""
    given = any(word.partition("=")[0] == _KEY_OPTION for word in typed)
    return shlex.join(typed if given else [*typed, _KEY_OPTION, key])


def say(*lines: str) -> None:
    """Print lines for a person on stderr: progress and errors.

    Where they can't be written, as on a full disk, they are dropped: what a command does, and its
    exit code, don't depend on them.
    """
    if sys.stderr is None:  # it was closed, and print would take stdout
        return
    try:
        for line in lines:
            print(printable(line), file=sys.stderr)  # noqa: T201 - the command line's answer
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _described(details: Mapping[str, object]) -> Iterable[str]:
    for name, value in details.items():
        if name == "suggestion":
            continue
        if isinstance(value, list | tuple):
            yield from (f"  {name}: {_one(item)}" for item in value)
        else:
            yield f"  {name}: {_one(value)}"


def _one(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {item}" for name, item in value.items())
    return "-" if value is None else str(value)
