"""Help pages and shell completion from the index of all commands, without loading the commands.

``commands.json`` has a line for each command: its help and what can be typed after it.
``python -m tests.cli.command_index`` writes it from the commands; a test compares.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from chainteller.cli.options import TellerCommand, TellerGroup
from chainteller.cli.runner import run_program

INDEX = Path(__file__).with_name("commands.json")


def read_index() -> Mapping[str, Mapping[str, Any]]:
    """What is known of each command, by its path without the program's name."""
    found: dict[str, Mapping[str, Any]] = json.loads(INDEX.read_text(encoding="utf-8"))
    return found


def run(arguments: Sequence[str]) -> int | None:
    """Print the help page or completion that is asked for, and return the exit code.

    Returns None where the words ask for something else, such as a search for "--help".
    """
    try:
        return run_program(indexed_program(), arguments)
    except _OtherThanHelpError:
        return None


def indexed_program() -> click.Command:
    """The program as far as help and completion need it."""
    return _command("", read_index())


class _OtherThanHelpError(BaseException):
    """The command line is complete without its help: the command itself is asked for."""


class _Command(TellerCommand):
    def invoke(self, ctx: click.Context) -> Any:  # noqa: ARG002 - the interface of click
        raise _OtherThanHelpError


class _Group(TellerGroup):
    """A group that makes its commands of the index when they are looked up."""

    def __init__(self, path: str, index: Mapping[str, Mapping[str, Any]], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._path, self._index = path, index

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as above
        inner = (each for each in self._index if each.rpartition(" ")[0] == self._path and each)
        return [each.rpartition(" ")[2] for each in inner]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands:
            path = f"{self._path} {cmd_name}".strip()
            if path not in self._index:
                return None
            self.add_command(_command(path, self._index), cmd_name)
        return super().get_command(ctx, cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        if not ctx._protected_args:  # noqa: SLF001 - click has no other way to see them
            raise _OtherThanHelpError
        return super().invoke(ctx)


class _Option(click.Option):
    def __init__(self, *args: Any, shown: Sequence[str] | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._shown, self.hidden = shown, shown is None

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:  # noqa: ARG002 - as above
        return (self._shown[0], self._shown[1]) if self._shown else None


class _Argument(click.Argument):
    def __init__(self, *args: Any, usage: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._usage = list(usage)

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as above
        return self._usage


def _command(path: str, index: Mapping[str, Mapping[str, Any]]) -> click.Command:
    entry = index[path]
    name = path.rpartition(" ")[2] or "chainteller"
    described: dict[str, Any] = {each: entry.get(each) for each in ("help", "epilog", "short_help")}
    described |= {
        "hidden": entry.get("hidden", False),
        "params": list(map(_parameter, entry.get("parameters", ()))),
    }
    if not entry.get("is_group"):
        return _Command(name, changes=False, **described)
    settings = {} if path else {"help_option_names": ["-h", "--help"]}
    return _Group(
        path,
        index,
        name=name,
        context_settings=settings,
        invoke_without_command=entry.get("runs_alone", False),
        **described,
    )


def _parameter(entry: Mapping[str, Any]) -> click.Parameter:
    common = {"type": _type(entry), "nargs": entry.get("nargs", 1), "expose_value": False}
    if "usage" in entry:
        return _Argument([entry["name"]], required=False, usage=entry["usage"], **common)
    if entry.get("is_flag"):
        common = {"is_flag": True, "expose_value": False}
    else:
        common["multiple"] = entry.get("multiple", False)
    return _Option([entry["name"], *entry["names"]], shown=entry.get("shown"), **common)


def _type(entry: Mapping[str, Any]) -> click.ParamType[Any] | None:
    choices: Iterable[str] | None = entry.get("choices")
    if choices is not None:
        return click.Choice(list(choices))
    return click.Path() if entry.get("is_file") else None
