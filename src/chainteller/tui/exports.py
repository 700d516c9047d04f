"""What a screen hands out: text to copy and files to keep, always saying where they went."""

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

from pydantic_core import to_jsonable_python

from chainteller.records.formats import clean
from chainteller.records.spreadsheets import csv_text
from chainteller.tui import clipboard as copying
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.boxes import CopyBox
from chainteller.tui.dialogs.choice import Choice
from chainteller.tui.service_calls import call_service
from chainteller.workspace import receipts
from chainteller.workspace.forms import FORMS, label

if TYPE_CHECKING:
    from textual.app import App


@dataclass(frozen=True, slots=True)
class Export:
    """One file that can be written; ``make`` may raise TellerError. ``note`` is told with it."""

    title: str
    file: str
    make: Callable[[], Awaitable[str | bytes]]
    note: Callable[[], str] = str


async def ready(text: str) -> str:
    """For what needs no work: ``partial(ready, text)``."""
    return text


class Source(Protocol):
    """A screen, as far as files are made from it."""

    KEY: ClassVar[str]
    desk: Desk

    @property
    def app(self) -> "App[object]":
        """The console."""

    async def ready(self) -> None:
        """Return when what the screen shows has come."""

    def exports(self) -> Sequence[Export]:
        """The files of this screen, most wanted first."""

    def main_text(self) -> str:
        """What ``c`` copies."""

    def object_id(self) -> str:
        """The id of what is selected."""

    def record(self) -> object:
        """What is shown in detail, or None."""


async def export(source: Source) -> None:
    """Let one of the screen's files be chosen and write it."""
    await source.ready()
    offered = source.exports()
    if offered:
        await write_one(source, "EXPORT", offered)
    else:
        source.desk.notify("nothing to export here", "muted")


async def write_one(source: Source, title: str, offered: Sequence[Export]) -> None:
    """Let one of several files be chosen and write it."""
    desk, exports = source.desk, {export.title: export for export in offered}
    folder = desk.settings.export_folder or Path.cwd()
    chosen = await source.app.push_screen_wait(Choice(title, f"into {folder}", tuple(exports)))
    if chosen is not None:
        desk.shell.opening.end()
        export = exports[chosen]
        await save(desk, folder, export.file, await export.make(), export.note())


async def save(desk: Desk, folder: Path, name: str, text: str | bytes, note: str = "") -> None:
    """Write a file of the agent's and say where it is; what is hidden asks first."""
    if not await desk.shell.may_leave(text):
        desk.notify("Not saved: names and balances are hidden", "warn")
        return
    try:
        path = await call_service(copying.write_file, folder, name, text)
    except OSError as error:
        desk.notify(f"not written: {error.strerror}  {folder / name}", "bad")
    else:
        told = f"{path.name}, {note}" if note else path.name
        desk.notify(f"written: {told}  in {path.parent}", "good", f"{path.name}\n{path}")
        if desk.session is not None:
            await call_service(desk.session.workspace.note_file, "export", path)


async def copy_menu(source: Source, offered: Mapping[str, str]) -> None:
    """Copy one of the texts, chosen by its name, and show it as selectable text."""
    if not offered:
        source.desk.notify("nothing to copy here", "muted")
        return
    choice = Choice("COPY", "copies it and shows it", tuple(offered))
    name = await source.app.push_screen_wait(choice)
    if name is None:
        return
    said = await copying.copy(source.app, offered[name])
    source.desk.notify(f"{said}: {name}", "muted")
    save_here = partial(save, source.desk, source.desk.settings.export_folder or Path.cwd())
    source.app.push_screen(CopyBox(name, offered[name], said, save_here))


async def copy_now(source: Source, text: str) -> None:
    said = await copying.copy(source.app, text)
    source.desk.notify(f"{said}: {copying.first_line(text)}", "muted")


@dataclass(slots=True)
class Table:
    """A list to be written: ``gather`` fetches its rows and answers them with how many the
    deployment counts.
    """

    name: str
    titles: Sequence[str]
    gather: Callable[[], Awaitable[tuple[Sequence[Sequence[str]], int]]]
    _told: str = ""

    def exports(self, counted: str) -> list[Export]:
        """As CSV and JSON; ``counted`` says of how many rows."""
        forms = {"csv": as_csv, "json": as_json}
        return [
            Export(
                f"{self.name}: {counted}, {ending.upper()}",
                f"chainteller-{self.name}.{ending}",
                partial(self._write, form),
                lambda: self._told,
            )
            for ending, form in forms.items()
        ]

    async def _write(self, form: Callable[[Sequence[str], Sequence[Sequence[str]]], str]) -> str:
        rows, total = await self.gather()
        all_of_them = f"all {len(rows):,} rows"
        self._told = all_of_them if len(rows) >= total else f"{len(rows):,} of {total:,} rows"
        return form(self.titles, rows)


def exports_here(screen: Source) -> list[Export]:
    """What stands on a screen as text, and the record behind it as the wire has it."""
    text, found = screen.main_text(), []
    if text:
        name = f"chainteller-{screen.KEY}.txt"
        found.append(Export("Copy screen as text", name, partial(ready, text + "\n")))
    record, about = screen.record(), screen.object_id() or screen.KEY
    if record is not None:
        for ending, form in {"json": record_json, "csv": record_csv}.items():
            made = partial(_made, form, record)
            title = f"{about} in full, {ending.upper()}"
            found.append(Export(title, f"chainteller-{about}.{ending}", made))
    return found


async def _made(form: Callable[[object], str], record: object) -> str:
    return form(record)


def record_json(record: object) -> str:
    """A record of the service, or a screen's dataclass of some, in the names of the wire."""
    return json.dumps(_plain(record), ensure_ascii=False, indent=2) + "\n"


def record_csv(record: object) -> str:
    """One line for each field: its dotted path and its value."""
    return as_csv(["FIELD", "VALUE"], list(_fields("", _plain(record))))


def _plain(record: object) -> object:
    return _cleaned(to_jsonable_python(record, by_alias=True))


def _cleaned(value: object) -> object:
    """Texts of a faulty deployment write no control character into a file either."""
    if isinstance(value, dict):
        return {clean(str(name)): _cleaned(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_cleaned(each) for each in value]
    return "\n".join(map(clean, value.split("\n"))) if isinstance(value, str) else value


def _fields(path: str, value: object) -> Iterator[list[str]]:
    if isinstance(value, dict | list) and value:
        items = value.items() if isinstance(value, dict) else enumerate(value, start=1)
        for name, each in items:
            yield from _fields(f"{path}.{name}" if path else str(name), each)
    elif value is not None and value not in ([], {}):
        yield [path, value if isinstance(value, str) else json.dumps(value)]


def as_csv(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return csv_text([titles, *(map(clean, row) for row in rows)])


def as_json(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    names = [title.lower() for title in titles]
    found = [dict(zip(names, map(clean, row), strict=False)) for row in rows]
    return json.dumps({"rows": found}, ensure_ascii=False, indent=2) + "\n"


def document(title: str, file: str, make: Callable[[str], str | bytes]) -> list[Export]:
    """A document in each form, which ``make`` writes in a thread; the command line writes the same
    bytes.
    """
    return [
        Export(
            f"{title}, {label(form)}",
            f"chainteller-{file}.{ending}",
            partial(call_service, make, form),
        )
        for form, ending in FORMS.items()
    ]


def receipt_exports(desk: Desk, account_id: str, record_id: str) -> list[Export]:
    """The receipt of a trade, deposit or withdrawal."""

    def make(form: str) -> str | bytes:
        service, bank_name = desk.service_for(account_id), desk.settings.bank_name
        return receipts.render(receipts.receipt_of(service, account_id, record_id, bank_name), form)

    return document(f"receipt of {record_id}", f"receipt-{record_id}", make)
