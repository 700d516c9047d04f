"""The man page, made of the commands: ``python -m tests.cli.man_page`` writes it."""

from collections.abc import Iterator
from pathlib import Path

import click
from tests.cli.all_commands import commands, loaded_program

from chainteller import __version__

FILE = Path(__file__).parents[2] / "docs" / "reference" / "chainteller.1"
_ENVIRONMENT = (
    ("CHAINTELLER_HOME", "Folder with configuration, data and state, in place of the system's."),
    ("CHAINTELLER_API_KEY", "API key for a remote deployment."),
    ("CHAINTELLER_PROFILE", "Profile in the configuration file."),
)
_EXIT = (
    ("0", "Success."),
    ("1", "The service refused, or a check found a problem."),
    ("2", "Wrong usage or configuration."),
    ("3", "The service can't be reached."),
    ("4", "Outcome unknown: the request was sent and no answer came."),
    ("130", "Interrupted."),
)


def man_page() -> str:
    """The page in the man macros of groff."""
    return "\n".join([*_head(), *_commands(), *_tail()]) + "\n"


def _head() -> Iterator[str]:
    yield f'.TH CHAINTELLER 1 "" "chainteller {__version__}" "User commands"'
    yield ".SH NAME"
    yield "chainteller \\- serve customers who trade crypto assets and verify their wallets"
    yield ".SH SYNOPSIS"
    yield ".B chainteller"
    yield ".RI [ OPTIONS ]"
    yield ".RI [ COMMAND ]"
    yield ".SH DESCRIPTION"
    yield "Without a command, it opens the console. Commands print tables, and with"
    yield ".B \\-\\-json"
    yield "what the HTTP service answers."


def _commands() -> Iterator[str]:
    yield ".SH COMMANDS"
    context = click.Context(loaded_program())
    for path, command in sorted(commands().items()):
        if command.hidden:
            continue
        yield f".SS {_escaped(path)}"
        yield _escaped(_paragraph(command.help or ""))
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                yield from _parameter(parameter.get_help_record(context))


def _parameter(shown: tuple[str, str] | None) -> Iterator[str]:
    if shown is not None:
        names, told = shown
        yield ".TP"
        yield f".B {_escaped(names)}"
        yield _escaped(_paragraph(told)) or "\\&"


def _tail() -> Iterator[str]:
    for title, pairs in (("ENVIRONMENT", _ENVIRONMENT), ("EXIT STATUS", _EXIT)):
        yield f".SH {title}"
        for name, told in pairs:
            yield ".TP"
            yield f".B {_escaped(name)}"
            yield _escaped(told)


def _paragraph(text: str) -> str:
    return " ".join(text.split("\f", maxsplit=1)[0].split())


def _escaped(text: str) -> str:
    """Text that roff prints as it is (groff_man(7), groff_char(7))."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    escaped = "".join(each if each.isascii() else f"\\[u{ord(each):04X}]" for each in escaped)
    return f"\\&{escaped}" if escaped[:1] == "." else escaped


if __name__ == "__main__":
    FILE.write_text(man_page(), encoding="utf-8")
