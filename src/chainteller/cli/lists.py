"""List commands: which records are listed, in which form, and where the list goes.

The options follow from two declarations: the operation's query parameters become filters, and the
record's field list becomes the columns of tables and CSV files.
"""

import contextlib
import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Generic, TypeVar

import click

from chainteller import __version__
from chainteller.cli.error_output import Usage
from chainteller.cli.open_services import workspace
from chainteller.cli.options import FILE, options
from chainteller.cli.output import json_text, table_text, text_of
from chainteller.private_files import open_private
from chainteller.records.fields import TEXT, Field, FieldList
from chainteller.records.formats import clean
from chainteller.records.spreadsheets import csv_text
from chainteller.service import operations as op
from chainteller.service.interface import Service
from chainteller.service.models.pages import (
    DEFAULT_LIMIT,
    MAXIMUM_LIMIT,
    MAXIMUM_PAGE,
    ListQuery,
    Page,
)
from chainteller.service.models.records import Capabilities
from chainteller.service.operations import PAGE, Operation, Parameter
from chainteller.service.paging import Fetch, every
from chainteller.settings.values import did_you_mean

Item = TypeVar("Item")
Row = Mapping[str, Any]
"""A record without a model, by the names of its columns."""
Function = TypeVar("Function", bound=Callable[..., Any])


FORMS = ("table", "json", "csv")
_DATED = ("created", "at")
"""Attributes that ``--from`` and ``--to`` look at, whichever a record has."""
_ABSENT = object()
_DAYS = frozenset({"created_gte", "created_lt"})


class _Day(click.ParamType[date]):
    """A day in UTC, as YYYY-MM-DD."""

    name = "day"

    def convert(self, value: object, param: click.Parameter | None, ctx: Any) -> date:
        text = str(value)
        with contextlib.suppress(ValueError):
            if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII):
                return date.fromisoformat(text)
        raise click.BadParameter("write a day as YYYY-MM-DD, such as 2026-11-20.", ctx, param)


class _Status(click.Choice[str]):
    """A status: any word, until the place says whose records are listed."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: Any) -> str:  # noqa: ARG002 - click's signature
        return str(value)

    def possible(self, word: str, offered: Capabilities, param: click.Parameter) -> str:
        """A status that records of a deployment can have. Those of another program aren't known.

        Raises:
            BadParameter: this version of the engine has no such status.
        """
        is_ours = offered.version == __version__ and {*op.ENGINE_FEATURES} <= {*offered.features}
        return super().convert(word, param, click.get_current_context()) if is_ours else word


# -- the form -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Output(Generic[Item]):
    """How a list is written (``table``, ``json`` or ``csv``), with which columns, and where to."""

    form: str
    columns: Sequence[Field[Item]]
    file: Path | None

    def write(self, body: object, rows: Sequence[Item], *, nothing: str, more: str = "") -> None:
        """Print the list, or write it to a new file.

        Args:
            body: what ``json`` writes, as the HTTP service answers it.
            rows: the records in the body, for the other forms.
            nothing: printed instead of an empty table.
            more: printed under a table that isn't the whole list.

        Raises:
            Usage: the file exists or can't be written.
        """
        if self.form == "json":
            text = json_text(body) + "\n"
        elif self.form == "csv":
            text = self.csv(rows)
        else:
            text = self._table(rows, nothing, more)
        if self.file is None:
            click.echo(text, nl=False)
        else:
            write_new_file(self.file, text)

    def _table(self, rows: Sequence[Item], nothing: str, more: str) -> str:
        if not rows:
            return f"{nothing}\n"
        columns = [
            (f"{each.heading}>" if each.align == "right" else each.heading, each.column)
            for each in self.columns
        ]
        return table_text(rows, columns) + (f"{more}\n" if more else "")

    def csv(self, rows: Iterable[Item], *, heading: bool = True) -> str:
        """The rows as CSV, below the names of their columns."""
        names = [column_name(each) for each in self.columns]
        written = (self._cells(names, row) for row in rows)
        return csv_text([*([names] if heading else []), *written])

    def _cells(self, names: Sequence[str], row: Item) -> Iterator[str]:
        """What the record's JSON has under a column's name; where it has no such text, the
        column's own."""
        record = json.loads(json_text(row))
        for name, field in zip(names, self.columns, strict=True):
            cell = _wire_cell(record, name)
            yield field.csv(row) if cell is None else clean(cell)


def _wire_cell(record: Any, name: str) -> str | None:
    """The text of a value on the wire: of an amount with its currency, the digits; of several
    texts, all of them. None if there is none."""
    for part in name.split("."):
        record = record.get(part, _ABSENT) if isinstance(record, dict) else _ABSENT
    if isinstance(record, dict):
        record = record.get("amount", _ABSENT)
    if isinstance(record, list) and all(isinstance(each, str) for each in record):
        return ", ".join(record)
    if record is None:
        return ""
    if isinstance(record, bool):
        return str(record).lower()
    return str(record) if isinstance(record, str | int) else None


def columns_of(fields: FieldList[Item]) -> tuple[Field[Item], ...]:
    """The fields that can be columns: all but those that only texts for customers use."""
    return tuple(
        each
        for each in fields.fields
        if each.interfaces or not each.spoken_as or each in fields.table
    )


def column_name(field: Field[Any]) -> str:
    """The name of a field's column, as on the wire: ``tradingAccountId``, ``fees.total``."""
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), field.name)


def write_new_file(file: Path, content: str | bytes) -> None:
    """Write a file that only its owner may read, and remember where it is. Raises Usage: the file
    exists, or it can't be written; nothing of it is left."""
    is_made = False
    try:
        with open_private(file, "xb") as out:
            is_made = True
            out.write(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        if is_made:
            file.unlink(missing_ok=True)
        step = "Name a new file in a folder that exists and has space."
        raise Usage(f"{file}: {error.strerror}.", step) from None
    with workspace() as own:
        own.note_file("export", file)


def row_fields(kind: str, table: Sequence[str] = (), /, **labels: str) -> FieldList[Row]:
    """The fields of rows, each with its label; without ``table`` a table has all of them."""

    def field(name: str, label: str) -> Field[Row]:
        return Field(name, label, TEXT, value=lambda row: _known(row[name]))

    fields = [field(name, label) for name, label in labels.items()]
    return FieldList(kind, "", fields, table=table or tuple(labels))


def _known(value: object) -> str | None:
    text = text_of(value)
    return None if text == "-" else text


def output_options(fields: FieldList[Any]) -> Callable[[Function], Function]:
    """Give a command ``--format``, ``--columns`` and ``--output``; it receives an ``Output``."""

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def wrapped(
            *args: Any, form: str | None, columns: str | None, file: Path | None, **values: Any
        ) -> Any:
            return function(*args, output=_output(fields, form, columns, file), **values)

        for option in reversed(_output_options(fields)):
            wrapped = option(wrapped)
        return wrapped  # type: ignore[return-value]  # takes what the options give besides

    return decorate


def _output_options(fields: FieldList[Any]) -> list[Callable[..., Any]]:
    names = ", ".join(map(column_name, columns_of(fields)))
    return [
        click.option("--format", "form", type=click.Choice(FORMS), help="table is the default."),
        click.option("--columns", metavar="NAMES", help=f"Of the table or CSV: {names}."),
        click.option(
            "--output",
            "file",
            type=FILE,
            metavar="FILE",
            help="Write to a new file.",
        ),
    ]


def _output(
    fields: FieldList[Item], form: str | None, columns: str | None, file: Path | None
) -> Output[Item]:
    if options().json:
        if form not in {None, "json"}:
            raise Usage(f"--json and --format {form} exclude each other.", "Leave one of them out.")
        form = "json"
    if columns is None:
        return Output(form or "table", columns_of(fields) if form == "csv" else fields.table, file)
    if form == "json":
        raise Usage("JSON has no columns: it is the service's own answer.", "Leave --columns out.")
    return Output(form or "table", tuple(_columns(fields, columns)), file)


def _columns(fields: FieldList[Item], given: str) -> Iterator[Field[Item]]:
    known = {column_name(each): each for each in columns_of(fields)}
    for name in given.split(","):
        found = known.get(name.strip())
        if found is None:
            meant = did_you_mean(name.strip(), known) or "."
            raise Usage(
                f"A {fields.kind} has no column {name.strip()!r}{meant}",
                f"Choose from {', '.join(known)}.",
            )
        yield found


# -- the records ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Selection(Generic[Item]):
    """Which records a list command shows, and how."""

    operation: Operation[Any]
    query: ListQuery
    is_everything: bool
    output: Output[Item]

    def show(self, bank: Service, fetch: Fetch[Item], *, nothing: str) -> None:
        """Fetch the page, or with ``--all`` every page, and write it.

        The answers are filtered here where the service wouldn't: by day where the operation has
        no such filter, and by anything on a deployment of the bare specification, which has none.
        """
        chosen = replace(self, query=self._possible(bank))
        is_bare = bool(self._filters) and not bank.capabilities().features
        if is_bare or self._filters & self._unknown:
            is_sorted = not is_bare and self.query.sort in {None, "-created"}
            self.write(chosen.selected(fetch, is_sorted=is_sorted), nothing=nothing)
        elif self.is_everything:
            self.write(Page.whole(tuple(every(fetch, chosen.query))), nothing=nothing)
        else:
            self.write(fetch(chosen.query), nothing=nothing)

    def write(self, page: Page[Item], *, nothing: str) -> None:
        """Write a page, or a list that has only one."""
        seen, more = page.pagination, ""
        total = f"more than {seen.more_than}" if seen.more_than else str(seen.total)
        shown = f"page {seen.page}, {len(page.data)} of {total}"
        if seen.total > len(page.data) and PAGE not in self.operation.parameters:
            more = f"{shown}; this deployment shows no more"
        elif seen.total > len(page.data) and not self.is_everything:
            more = f"{shown}; more with --page and --limit, or --all"
        if seen.total:
            nothing = f"page {seen.page} is empty: there are {total}"
        elif self._filters:
            nothing = "no matches"
        self.output.write(page, page.data, nothing=nothing, more=more)

    @property
    def _filters(self) -> frozenset[str]:
        """The query's filters: what it has beyond paging and order."""
        asked = self.query.model_dump(exclude={"page", "limit", "sort"}, exclude_none=True)
        return frozenset(asked)

    @property
    def _unknown(self) -> frozenset[str]:
        """The bounds in time that the operation doesn't know."""
        return _DAYS - {each.field for each in self.operation.parameters}

    def _possible(self, bank: Service) -> ListQuery:
        """The query, with a status that the place can have. Raises BadParameter."""
        for param in click.get_current_context().command.params:
            if isinstance(param.type, _Status) and self.query.status is not None:
                status = param.type.possible(self.query.status, bank.capabilities(), param)
                return self.query.model_copy(update={"status": status})
        return self.query

    def selected(self, fetch: Fetch[Item], *, is_sorted: bool) -> Page[Item]:
        """The records that the query selects; ``is_sorted`` is newest first."""
        query = self.query.model_copy(update=dict.fromkeys(self._unknown))
        earliest = self.query.created_gte
        rows: list[Item] = []
        for row in every(fetch, query):
            if is_sorted and earliest and not _is_selected(row, ListQuery(created_gte=earliest)):
                break
            if _is_selected(row, self.query):
                rows.append(row)
        found = Page.whole(tuple(rows))
        return found if self.is_everything else found.cut(self.query.page, self.query.limit)


def _is_selected(row: object, query: ListQuery) -> bool:
    market = getattr(row, "market", getattr(row, "market_name", None))
    read = {"status": getattr(row, "status", None), "side": getattr(row, "side", None)}
    if not all(query.takes(*each) for each in (read | {"market": market}).items()):
        return False
    moment = next((getattr(row, name) for name in _DATED if hasattr(row, name)), None)
    return all(
        moment is not None and is_within(moment, datetime.fromisoformat(bound))
        for bound, is_within in (
            (query.created_gte, datetime.__ge__),
            (query.created_lt, datetime.__lt__),
        )
        if bound is not None
    )


def list_options(
    operation: Operation[Any], fields: FieldList[Any], *, given: Sequence[str] = ()
) -> Callable[[Function], Function]:
    """Give a command the options of a list; it receives a ``Selection``.

    Args:
        operation: its query parameters become options.
        fields: of the records, for ``--columns``; a time among them gives ``--from`` and ``--to``.
        given: fields of the query that the command takes as arguments and fills in itself.
    """
    own = [each for each in operation.parameters if each.field not in {*given, *_DAYS}]
    chosen = [_option_of(each) for each in own]
    if op.PAGE in own and any(each.name in _DATED for each in fields.fields):
        chosen += _DAY_OPTIONS
    chosen.append(click.option("--all", "is_everything", is_flag=True, help="All pages."))
    names = (*(each.field for each in own), "first", "last", "is_everything")

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def wrapped(*args: Any, output: Output[Any], **values: Any) -> Any:
            asked = {name: values.pop(name) for name in names if name in values}
            is_everything = bool(asked["is_everything"])
            selection = Selection(operation, _query(asked), is_everything, output)
            return function(*args, selection=selection, **values)

        listed = output_options(fields)(wrapped)
        for option in reversed(chosen):
            listed = option(listed)
        return listed  # type: ignore[return-value]  # as above

    return decorate


DAY = _Day()
_DAY_OPTIONS = [
    click.option("--from", "first", type=DAY, metavar="DAY", help="From this day on, in UTC."),
    click.option("--to", "last", type=DAY, metavar="DAY", help="Up to and with this day, UTC."),
]
_OPTIONS: Mapping[str, tuple[str, str]] = {
    "page": ("--page", "Page number."),
    "limit": ("--limit", "Rows per page."),
    "sort": ("--sort", "Sort order, instead of the one above."),
    "filter[query]": ("--text", "Only those that match: an id, a name, an address."),
    "filter[object]": ("--object", "Only those about this record."),
    "filter[bankAccountId]": ("--bank-account", "Only that of this bank account."),
    "filter[tradingAccountId]": ("--account", "Only those of this trading account."),
    "filter[status]": ("--status", "Only those in this status."),
    "filter[side]": ("--side", "Only purchases (buy) or sales (sell)."),
    "filter[market]": ("--market", "Only those of this market."),
    "filter[case]": ("--of-case", "Only those of this case."),
    "filter[kind]": ("--kind", "Only those of this kind."),
    "filter[type]": ("--type", "Only those of this type."),
}
"""Flag and help of each query parameter, by its name on the wire."""


def _option_of(parameter: Parameter) -> Callable[..., Any]:
    kind: click.ParamType[Any] | None = None
    if parameter is op.PAGE:
        kind = click.IntRange(1, MAXIMUM_PAGE)
    elif parameter is op.LIMIT:
        kind = click.IntRange(1, MAXIMUM_LIMIT)
    elif parameter.field == "status":
        kind = _Status(parameter.known, case_sensitive=False)
    elif parameter.known:
        kind = click.Choice(parameter.known, case_sensitive=False)
    elif "enum" in parameter.schema:
        kind = click.Choice(parameter.schema["enum"])
    flag, text = _OPTIONS[parameter.name]
    return click.option(flag, parameter.field, type=kind, help=text)


def _query(asked: dict[str, Any]) -> ListQuery:
    first, last = asked.pop("first", None), asked.pop("last", None)
    if first and last and first > last:
        raise Usage(f"--from {first} is after --to {last}.", "Give the earlier day first.")
    if asked.pop("is_everything", False) and (asked.get("page") or asked.get("limit")):
        raise Usage("--all is every page.", "Leave --page and --limit out.")
    asked["page"], asked["limit"] = asked.get("page") or 1, asked.get("limit") or DEFAULT_LIMIT
    if first:
        asked["created_gte"] = _midnight(first)
    if last and last < date.max:
        asked["created_lt"] = _midnight(last + timedelta(days=1))
    return ListQuery.model_validate(asked)


def _midnight(day: date) -> str:
    return f"{day.isoformat()}T00:00:00Z"
