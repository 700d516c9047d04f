"""What a screen hands out: text to copy and files to keep, always saying where they went."""

import csv
import io
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from chainteller.domain.untrusted import spreadsheet_cell
from chainteller.tui import copying
from chainteller.tui.calls import ask
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.boxes import CopyBox
from chainteller.tui.dialogs.choice import Choice
from chainteller.tui.formats import clean

if TYPE_CHECKING:
    from textual.app import App


@dataclass(frozen=True, slots=True)
class Paper:
    """One file that can be written; ``make`` may raise TellerError. ``note`` is told with it."""

    title: str
    file: str
    make: Callable[[], Awaitable[str]]
    note: Callable[[], str] = str


async def ready(text: str) -> str:
    """For what needs no work: ``partial(ready, text)``."""
    return text


class Source(Protocol):
    """The part of a screen that papers are made from."""

    @property
    def app(self) -> "App[object]":
        """The console."""

    desk: Desk

    async def ready(self) -> None:
        """Return when what the screen shows has come."""

    def papers(self) -> Sequence[Paper]:
        """The files of this screen, most wanted first."""

    def copies(self) -> Sequence[tuple[str, str]]:
        """(name, text) of all that can be copied here."""


async def export(source: Source) -> None:
    """Let one of the screen's files be chosen and write it."""
    await source.ready()
    desk, offered = source.desk, {paper.title: paper for paper in source.papers()}
    if not offered:
        desk.tell("nothing to export here", "muted")
        return
    folder = desk.look.export_folder or Path.cwd()
    choice = Choice("EXPORT", f"into {folder}", tuple(offered))
    title = await source.app.push_screen_wait(choice)
    if title is not None:
        paper = offered[title]
        text = await paper.make()
        await save(desk, folder, paper.file, text, paper.note())


async def save(desk: Desk, folder: Path, name: str, text: str, note: str = "") -> None:
    """Write a file of the agent's and say where it is; what is hidden asks first."""
    if not await desk.shell.may_leave(text):
        desk.tell("not written: names and balances are hidden", "warn")
        return
    try:
        path = await ask(copying.write_file, folder, name, text)
    except OSError as error:
        desk.tell(f"not written: {error.strerror}  {folder / name}", "bad")
    else:
        told = f"{path.name}, {note}," if note else path.name
        desk.tell(f"{told} written to {path.parent}", "good", f"{path.name}\n{path}")


async def copy_menu(source: Source) -> None:
    """Everything that can be copied here, by name; shown as selectable text afterwards."""
    offered = {name: text for name, text in source.copies() if text}
    if not offered:
        source.desk.tell("nothing to copy here", "muted")
        return
    choice = Choice("COPY", "sends it to the clipboard and shows it", tuple(offered))
    name = await source.app.push_screen_wait(choice)
    if name is None:
        return
    said = await copying.copy(source.app, offered[name])
    source.desk.tell(f"{said}: {name}", "muted")
    save_here = partial(save, source.desk, source.desk.look.export_folder or Path.cwd())
    source.app.push_screen(CopyBox(name, offered[name], said, save_here))


async def copy_now(source: Source, text: str) -> None:
    said = await copying.copy(source.app, text)
    source.desk.tell(f"{said}: {copying.first_line(text)}", "muted")


@dataclass(slots=True)
class Table:
    """A list to be written: ``gather`` fetches its rows and answers them with how many the
    deployment counts.
    """

    name: str
    titles: Sequence[str]
    gather: Callable[[], Awaitable[tuple[Sequence[Sequence[str]], int]]]
    _told: str = ""

    def papers(self, counted: str) -> list[Paper]:
        """As CSV and JSON; ``counted`` says of how many rows."""
        forms = {"csv": as_csv, "json": as_json}
        return [
            Paper(
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


def as_csv(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(titles)
    writer.writerows([spreadsheet_cell(clean(text)) for text in row] for row in rows)
    return out.getvalue()


def as_json(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    names = [title.lower() for title in titles]
    found = [dict(zip(names, map(clean, row), strict=False)) for row in rows]
    return json.dumps({"rows": found}, ensure_ascii=False, indent=2) + "\n"


def receipt_papers(desk: Desk, account_id: str, trade_id: str) -> list[Paper]:
    """The trade's receipt in each form; the command line writes the same bytes."""
    endings = {"text": "txt", "json": "json", "csv": "csv"}

    def make(form: str) -> str:
        from chainteller.workspace import receipts  # noqa: PLC0415 - after the first frame

        return receipts.render(receipts.receipt_of(desk.service, account_id, trade_id), form)

    return [
        Paper(
            f"receipt of {trade_id}, {form if form == 'text' else form.upper()}",
            f"chainteller-receipt-{trade_id}.{ending}",
            partial(ask, make, form),
        )
        for form, ending in endings.items()
    ]
