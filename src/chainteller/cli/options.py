"""Global options, accepted before or after the name of the subcommand."""

import errno
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chainteller.cli.error_output import OutputLost, Usage, is_of_output, say
from chainteller.paths import shipped
from chainteller.service.errors import OutcomeUnknown, ReadOnlyProfile
from chainteller.settings.values import did_you_mean

if TYPE_CHECKING:
    from chainteller.service.operations import Operation
    from chainteller.settings.place import Configured
    from chainteller.tui.customer_texts import CustomerTexts

_KEY = "chainteller.options"
_LONGEST_NAME = 15
"""Of a command that is repeated: a part of a secret may be longer, and isn't."""
_NEGATIVE = re.compile("--?[^A-Za-z-]")


@dataclass(frozen=True, slots=True)
class Options:
    """The global options of this call and the settings that they select."""

    configured: "Configured"
    json: bool
    case: str = ""
    """The number of the case that changes are for."""

    def customer_texts(self) -> "CustomerTexts":
        """The texts for customers, with the bank's own."""
        from chainteller.tui.customer_texts import CustomerTexts

        own = self.configured.settings.paths.customer_texts
        return CustomerTexts.load(shipped("sample_data") / "customer_texts.toml", own)


def _remember(context: click.Context, parameter: click.Parameter, value: object) -> None:
    if value is not None and parameter.name:
        context.meta.setdefault(_KEY, {})[parameter.name] = value
        if parameter.name == "no_color":
            os.environ["NO_COLOR"] = "1"  # what the console looks at, whichever command opens it


def _global_options(*, hidden: bool) -> list[click.Parameter]:
    def option(name: str, text: str, **more: Any) -> click.Option:
        return click.Option(
            [name], help=text, hidden=hidden, expose_value=False, callback=_remember, **more
        )

    def switch(name: str, text: str) -> click.Option:
        return option(name, text, is_flag=True, flag_value=True, default=None)

    return [
        option("--profile", "Use a profile of the configuration.", metavar="NAME"),
        option("--database", "Embedded engine: sqlite:///FILE or postgresql://…", metavar="URL"),
        option("--url", "Remote deployment: https://HOST or unix:/PATH.", metavar="URL"),
        option("--case", "The bank's number of the case, of every change.", metavar="CASE"),
        switch("--read-only", "Read-only: refuse every change."),
        switch("--json", "Print the HTTP body of the same call and nothing else."),
        switch("--no-color", "The console without colours."),
    ]


_KEY_OPTION = click.Option(
    ["--idempotency-key"],
    metavar="K",
    help="Repeat a call that may have gone through, safely.",
    expose_value=False,
    callback=_remember,
)


class TellerCommand(click.Command):
    """A command that also accepts the global options, and is refused read-only if it writes.

    Args:
        calls: the operations of the service that it makes available.
        changes: whether it changes data of the place without the service, as ``db`` does.
        unless: the parameters with which it only reads.
        example: it in use, without the program's name; several are several lines.
        takes_key: whether ``--idempotency-key`` is that of its first write.

    Raises:
        ValueError: neither is declared.
    """

    def __init__(
        self,
        *args: Any,
        calls: "Sequence[Operation[Any]]" = (),
        changes: bool | None = None,
        unless: "Sequence[str]" = (),
        example: str | Sequence[str] = (),
        takes_key: bool = True,
        **kwargs: Any,
    ) -> None:
        if example:
            kwargs["epilog"] = epilog(example)
        super().__init__(*args, **kwargs)
        if not calls and changes is None:
            raise ValueError(
                f"{self.name} is declared without its effect: name the operations that it calls, "
                "or whether it changes data of the place."
            )
        self.calls = tuple(calls)
        self.writes = bool(changes) or any(each.writes for each in calls)
        self.unless = unless
        self.takes_key = takes_key
        if takes_key and any(each.writes for each in calls):
            self.params.append(_KEY_OPTION)
        self.params += _global_options(hidden=True)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Raises ReadOnlyProfile: it writes, and ``--read-only`` or the profile
        forbids that."""
        only_reads = any(ctx.params[each] for each in self.unless)
        if self.writes and not only_reads and options().configured.is_read_only:
            raise ReadOnlyProfile("Read-only mode is on; nothing was changed.")
        return self._invoked(ctx, is_change=self.writes and not only_reads)

    def _invoked(self, ctx: click.Context, *, is_change: bool) -> Any:
        """Raises OutputLost: what it prints can't be written."""
        try:
            return super().invoke(ctx)
        except OutcomeUnknown as error:
            if not self.takes_key:
                error.idempotency_key = ""  # of one of its requests; all of it can be repeated
            raise
        except OSError as error:
            if is_of_output(error) and (is_change or not isinstance(error, BrokenPipeError)):
                raise OutputLost(error, is_change=is_change) from error
            raise

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read ``-7`` as an argument, to be refused as an amount, and not as an option."""
        if any(_NEGATIVE.match(each) for each in args):
            ctx.ignore_unknown_options = True
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        with formatter.section("Global options"):
            formatter.write_text("see chainteller --help; they stand before or after the command")


class TellerGroup(click.Group):
    """A group of commands; ``hidden`` keeps the global options out of a subgroup's help."""

    command_class = TellerCommand

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += _global_options(hidden=self.name != "chainteller")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            close = did_you_mean(name, self.list_commands(ctx))
            named = f" {name!r}" if len(name) <= _LONGEST_NAME else " of that name"
            ctx.fail(f"There is no command{named}{close or '.'}")
        return super().resolve_command(ctx, args)


TellerGroup.group_class = TellerGroup


def epilog(example: str | Sequence[str]) -> str:
    """What a help page says of a command in use."""
    lines = [example] if isinstance(example, str) else example
    return "\b\nExample:\n" + "\n".join(f"  chainteller {line}" for line in lines)


def command(name: str, **declared: Any) -> Callable[[Callable[..., Any]], TellerCommand]:
    """Declare a command of the program itself."""
    return click.command(name, cls=TellerCommand, **declared)


def group(name: str) -> Callable[[Callable[..., Any]], TellerGroup]:
    """Declare a group of commands."""
    return click.group(name, cls=TellerGroup)


class FileName(click.Path):
    """The name of a file, which may not exist; refuses what no file can be called, and no name, as
    a script's unset variable is."""

    def __init__(self, *, dir_okay: bool = False) -> None:
        super().__init__(path_type=Path, dir_okay=dir_okay)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            os.stat(value)  # noqa: PTH116 - not a path yet
        except ValueError:
            is_name = False
        except OSError as error:
            is_name = value != "" and error.errno != errno.ENAMETOOLONG
        else:
            is_name = True
        if not is_name:
            raise click.BadParameter("no file can have this name.", ctx, param)
        return super().convert(value, param, ctx)


FILE = FileName()
PLACE = FileName(dir_okay=True)


def options() -> Options:
    """The global options of the running command; reads the settings once and prints warnings.
    Raises SettingsInvalid: the configuration is invalid."""
    root = click.get_current_context().find_root()
    if not isinstance(root.obj, Options):
        root.obj = _read(root.meta.get(_KEY, {}))
        say(*(f"warning: {warning}" for warning in root.obj.configured.settings.warnings))
    found: Options = root.obj
    return found


def or_samples() -> str:
    """What else fills an empty bank; nothing more where it's another's."""
    if options().configured.place().remote:
        return ""
    return ", or load the sample data: chainteller db sample"


def refuse_a_place(what: str) -> None:
    """Refuse options that select a place, for commands that create their own database. Raises
    Usage: a place was named on the command line."""
    given = click.get_current_context().find_root().meta.get(_KEY, {})
    for name in ("profile", "database", "url"):
        if name in given:
            raise Usage(f"--{name} can't be used here: {what} on a temporary bank only.")


def wants_json() -> bool:
    """Whether ``--json`` was given, known even where the settings cannot be read."""
    return bool(click.get_current_context().meta.get(_KEY, {}).get("json"))


def idempotency_key() -> str | None:
    """What ``--idempotency-key`` names. Raises Usage: it names none, as a script's unset variable
    does."""
    found: str | None = click.get_current_context().meta.get(_KEY, {}).get("idempotency_key")
    if found == "":
        raise Usage("--idempotency-key is empty.", "Give a key, or leave the option out.")
    return found


def wants_read_only() -> bool:
    """Whether ``--read-only`` was given, for commands that read no settings."""
    return bool(click.get_current_context().find_root().meta.get(_KEY, {}).get("read_only"))


def _read(given: dict[str, Any]) -> Options:
    from chainteller.settings.flags import Flags
    from chainteller.settings.place import configure

    flags = Flags(
        profile=given.get("profile"),
        database=given.get("database"),
        url=given.get("url"),
        read_only=bool(given.get("read_only")),
    )
    return Options(
        configure(flags, os.environ),
        json=bool(given.get("json")),
        case=given.get("case") or os.environ.get("CHAINTELLER_CASE", ""),
    )
