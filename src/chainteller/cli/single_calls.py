"""Commands of one call, in every group: list records, show one, change one."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from chainteller.cli.lists import Selection, list_options
from chainteller.cli.open_services import service, writing
from chainteller.cli.options import TellerGroup
from chainteller.cli.output import record
from chainteller.records.fields import FieldList
from chainteller.service.models.base import WireModel
from chainteller.service.operations import Call, Operation, Write

Shown = TypeVar("Shown", bound=WireModel)


def add_list(  # noqa: PLR0913 - one per part of a list
    to: TellerGroup,
    operation: Operation[Any],
    fields: FieldList[Any],
    about: str,
    *,
    example: str | Sequence[str],
    nothing: str,
    name: str = "list",
    within: Callable[..., Any] | None = None,
) -> None:
    """Add a command that lists records. ``nothing`` is printed where there are none; ``within`` is
    the argument or option with the id of the record that they are listed under."""

    def listed(selection: Selection[Any], **ids: str) -> None:
        path = tuple(ids.values())
        with service() as bank:
            selection.show(
                bank, lambda query: bank.call(Call(operation, path, query=query)), nothing=nothing
            )

    options = list_options(operation, fields)(listed)
    made = to.command(name, calls=[operation], example=example, help=about)
    made(within(options) if within is not None else options)


def add_show(
    to: TellerGroup,
    operation: Operation[Shown],
    fields: FieldList[Shown],
    about: str,
    *,
    example: str,
    metavar: str = "ID",
) -> None:
    """Add the command ``show``, which shows a record by its id."""

    @to.command("show", calls=[operation], example=example, help=about)
    @click.argument("identifier", metavar=metavar)
    def show(identifier: str) -> None:
        with service() as bank:
            record(bank.call(Call(operation, (identifier,))), fields)


def add_change(
    to: TellerGroup,
    name: str,
    operation: Write[Shown],
    fields: FieldList[Shown],
    about: str,
    *,
    example: str,
) -> None:
    """Add a command that changes a record, named by its id, and shows it."""

    @to.command(name, calls=[operation], example=example, help=about)
    @click.argument("identifier", metavar="ID")
    def change(identifier: str) -> None:
        with writing() as desk:
            record(desk.call(Call(operation, (identifier,))).value, fields)
