"""Run the program and turn every error into three lines and an exit code."""

import os
import re
import sys
from collections.abc import Sequence
from itertools import pairwise

import click

from chainteller.cli.crash_files import write_crash_file
from chainteller.cli.error_output import Exit, OutputLost, Usage, is_of_output, report_error, say
from chainteller.domain.pasted_secrets import Digits
from chainteller.service.entered_secrets import require_no_secret
from chainteller.service.errors import SecretEntered, TellerError

_OPTION = re.compile("--[a-z][a-z-]*=", re.ASCII)
_OWN_WORDS = re.compile(
    r"(?<!\S)--(?:(?:scope|columns|type)[\s=]\S+|[a-z][a-z-]*(?:=|(?!\S)))", re.ASCII
)
"""Names of options, and values of those that take words of this program."""


def run_program(program: click.Command, arguments: Sequence[str], typed: Sequence[str] = ()) -> int:
    """Run one command line; returns the exit code and never raises.

    ``typed`` is the line as a person types it, where that isn't the program with its arguments.
    """
    try:
        return _run(program, list(arguments), typed or ("chainteller", *arguments))
    except BrokenPipeError:
        # Whoever read our output has gone; nothing more can be told to them.
        _drop_output()
        return Exit.REFUSED
    except OutputLost as error:
        _drop_output()
        return report_error(error)
    except (KeyboardInterrupt, click.Abort):
        return _interrupted()
    except OSError as error:
        if not is_of_output(error):
            return _report(write_crash_file(error), arguments)
        _drop_output()
        return report_error(OutputLost(error, is_change=False))
    except Exception as error:  # noqa: BLE001 - the outermost loop: a fault becomes a crash file
        if _is_interrupt(error):
            return _interrupted()
        return _report(write_crash_file(error), arguments)


def _interrupted() -> int:
    say("interrupted")
    return Exit.INTERRUPTED


def _is_interrupt(error: Exception) -> bool:
    """Whether it's ctrl-c, pressed in a function that pydantic called to write JSON: pydantic makes
    an error of its own of it."""
    from pydantic_core import PydanticSerializationError

    return isinstance(error, PydanticSerializationError) and "KeyboardInterrupt" in str(error)


def _drop_output() -> None:
    """What is still buffered can't be written either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def require_no_secrets(words: Sequence[str], line: str = "") -> None:
    """Check a command line before anything reads it: each word, all of them together, and the line
    that they were read from.

    Whether 64 hex digits are a hash depends on what they are given for, so that is judged there.
    Names of options, scopes, columns and types of events are words, too, but no phrase's.

    Raises:
        SecretEntered: a word is a wallet's secret, or they are a recovery phrase.
    """
    values = (_OPTION.sub("", word) for word in words)
    for text in (*values, *(_OWN_WORDS.sub("", each) for each in (" ".join(words), line))):
        require_no_secret("command line", text, Digits.HASH)


def _run(program: click.Command, arguments: list[str], typed: Sequence[str]) -> int:
    try:
        require_no_secrets(arguments)
        answer = program.main(arguments, prog_name="chainteller", standalone_mode=False)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.UsageError as error:
        failure: TellerError = _usage(error)
    except click.ClickException as error:
        failure = Usage(error.format_message())
    except OutputLost:
        raise
    except TellerError as error:
        failure = error
    else:
        return answer if isinstance(answer, int) else Exit.DONE
    return _report(failure, arguments, typed)


def _report(error: TellerError, arguments: Sequence[str], typed: Sequence[str] = ()) -> int:
    """As ``report_error``, and on stdout with ``--json``."""
    code = report_error(error, typed)
    if _wants_json(arguments):
        _print_body(error)
    return code


def _print_body(error: TellerError) -> None:
    """Print an error's body. Where it can't be written, stderr and the exit code say it all."""
    from chainteller.cli.output import document

    try:
        document(error.to_wire())
    except OSError:
        _drop_output()


def _usage(error: click.UsageError) -> TellerError:
    """The error as it's told; a value that it would repeat may be a wallet's secret."""
    message = " ".join(error.format_message().split())  # choices stand on lines of their own
    try:
        require_no_secret("command line", message)
    except SecretEntered as entered:
        return entered
    path = error.ctx.command_path if error.ctx else "chainteller"
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        # Its message is the whole help page; the next step leads there.
        return Usage("Missing command.", f"{path} --help")
    return Usage(message, f"{path} --help")


def _wants_json(arguments: Sequence[str]) -> bool:
    return bool({"--json", "--format=json"} & {*arguments}) or ("--format", "json") in pairwise(
        arguments
    )
