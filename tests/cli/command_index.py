"""Write the index of all commands: ``python -m tests.cli.command_index``."""

import json
from collections.abc import Iterator
from typing import Any

import click

from chainteller.cli.command_index import INDEX
from chainteller.cli.main import loaded_program
from chainteller.cli.options import GLOBAL_OPTIONS


def entries() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every command's entry by its path, a group before its commands."""
    return _entries(loaded_program(), "", click.Context(loaded_program()))


def _entries(
    command: click.Command, path: str, context: click.Context
) -> Iterator[tuple[str, dict[str, Any]]]:
    callback = getattr(command, "callback", None)
    entry = {
        "help": command.help,
        "epilog": command.epilog,
        "short_help": command.short_help,
        "hidden": command.hidden,
        "is_group": isinstance(command, click.Group),
        "runs_alone": getattr(command, "invoke_without_command", False),
        "module": callback.__module__ if callback and " " not in path and path else None,
        "parameters": [
            _parameter(each, context) for each in command.params if each.name not in GLOBAL_OPTIONS
        ],
    }
    yield path, {name: value for name, value in entry.items() if value}
    if isinstance(command, click.Group):
        for name, each in sorted(command.commands.items()):
            yield from _entries(each, f"{path} {name}".strip(), context)


def _parameter(parameter: click.Parameter, context: click.Context) -> dict[str, Any]:
    kind = parameter.type
    entry: dict[str, Any] = {
        "name": parameter.name,
        "choices": list(kind.choices) if isinstance(kind, click.Choice) else None,
        "is_file": isinstance(kind, click.Path | click.File),
        "nargs": parameter.nargs if parameter.nargs != 1 else None,
    }
    if isinstance(parameter, click.Option):
        shown = parameter.get_help_record(context)
        entry |= {
            "names": [*parameter.opts, *parameter.secondary_opts],
            "shown": list(shown) if shown else None,
            "is_flag": parameter.is_flag or parameter.count,
            "multiple": parameter.multiple,
        }
    else:
        entry["usage"] = parameter.get_usage_pieces(context)
    return {name: value for name, value in entry.items() if value}


def text() -> str:
    """The whole file, a command a line."""
    lines = (
        f"{json.dumps(path)}: {json.dumps(entry, ensure_ascii=False)}" for path, entry in entries()
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    INDEX.write_text(text(), encoding="utf-8")
