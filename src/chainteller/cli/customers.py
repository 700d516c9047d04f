"""The bank's customers: find, import and forget them."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO, NamedTuple

import click

from chainteller.bootstrap import operator
from chainteller.cli import customer_files
from chainteller.cli.administration import engine
from chainteller.cli.customer_files import Found, Refused
from chainteller.cli.error_output import Exit, Usage, say
from chainteller.cli.lists import Selection, list_options
from chainteller.cli.open_services import opened, service, workspace
from chainteller.cli.options import FILE, group, options, or_samples
from chainteller.cli.output import document, line, pairs, text_of
from chainteller.domain.customer_lines import FORGOTTEN_NAME
from chainteller.domain.search_texts import NAMES_ALONE, is_too_short
from chainteller.private_files import open_private
from chainteller.records.accounts import CUSTOMER
from chainteller.service import operations as op
from chainteller.service.errors import TellerError
from chainteller.service.interface import Service
from chainteller.service.models.accounts import Customer
from chainteller.service.models.customers import (
    MOST_LINES,
    Copy,
    CustomerImport,
    ForgetCustomer,
    ImportCustomers,
    LineFinding,
)
from chainteller.service.models.pages import ListQuery

_MOST_BYTES = 48 * 1024
"""Of the lines of one request, whose body may have 64 KiB."""
_OF_LINE = 200
"""Bytes of a line's names and numbers in a request."""
_MOST_KEPT = 1_000
"""Findings that are printed; a report has all of them."""
_COUNTS = {
    "created": "new customers",
    "changed": "changed customers",
    "bank_accounts": "new bank accounts",
    "unchanged": "lines without effect",
}
_TELL_EVERY = 10_000
_NOBODY = "no customers yet; import them: chainteller customers import FILE"


@group("customers")
def customers() -> None:
    """The bank's customers: find, import, forget."""


@customers.command("find", calls=[op.CUSTOMERS], example="customers find DDA-1001")
@click.argument("text")
@list_options(op.CUSTOMERS, CUSTOMER, given=["text"])
def find(text: str, selection: Selection[Customer]) -> None:
    """Find customers by name, reference or bank account."""
    with service() as bank:
        if not bank.customers(ListQuery(limit=1)).data:
            nothing = f"{_NOBODY}{or_samples()}"
        elif is_too_short(text):
            nothing = f"no matches; {NAMES_ALONE}"
        else:
            nothing = "no matches; try a name, a reference or a bank account"
        selection.show(
            bank,
            lambda query: bank.customers(query.model_copy(update={"text": text})),
            nothing=nothing,
        )


@customers.command(
    "import",
    calls=[op.IMPORT_CUSTOMERS, op.CHECK_CUSTOMER_IMPORT],
    takes_key=False,
    unless=("check",),
    example=(
        "customers import customers.csv --check",
        "customers import customers.csv --report refused.jsonl",
    ),
)
@click.argument("file", type=FILE)
@click.option("--check", is_flag=True, help="Only show what would change.")
@click.option(
    "--report",
    type=FILE,
    metavar="FILE",
    help="Write every refused line and every difference to FILE, one JSON object per line.",
)
def import_(*, file: Path, check: bool, report: Path | None) -> int:
    """Create and change customers and bank accounts as a CSV file says.

    The first line names the columns. Lines are imported in batches; refused ones are reported and
    don't stop the others. Importing the same file again changes nothing, and finishes an import
    that was interrupted. Customers that the file doesn't name stay as they are.
    """
    found = _Result()
    with ExitStack() as stack:
        bank = stack.enter_context(service())
        kept = None if report is None else stack.enter_context(_created(report, file))

        checked = _Check(bank)

        def send(lines: Sequence[Found]) -> CustomerImport:
            return checked.take(lines) if check else bank.import_customers(_request(lines)).value

        try:
            for batch in _batches(customer_files.read(file)):
                found.take(batch, send, kept)
        except TellerError:
            if found.lines:
                count, done = found.lines - found.refused, "checked" if check else "imported"
                say(f"{count:,} lines were {done} before this. Run it again to finish it.")
            raise
    found.show(report, is_check=check)
    return Exit.REFUSED if found.refused else Exit.DONE


@customers.command(
    "forget",
    calls=[op.FORGET_CUSTOMER],
    takes_key=False,
    example="customers forget C-10042 --archive audit.archive",
)
@click.argument("reference")
@click.option(
    "--archive",
    "files",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="Erase it in this archive, too; of a database only.",
)
def forget(*, reference: str, files: Sequence[Path]) -> None:
    """Erase a customer's name, and what was written about them; it can't be undone.

    Their accounts are closed. The books, ids and wallet addresses stay, so that everything can
    still be verified. Refused while the customer has a balance or an open record. Names the
    archives, and the backups and exports written on this machine, that have earlier copies.
    """
    place = options().configured.place()
    if files and place.remote:
        raise Usage("--archive needs the database itself.", "Run it where the database is.")
    with opened() as found:
        bank = found.service
        known = bank.customers(ListQuery(text=reference)).data
        names = {each.name for each in known if each.reference == reference} - {FORGOTTEN_NAME}
        with workspace() as own:
            name = own.forgetting(reference, next(iter(names), ""))
        done = bank.forget_customer(ForgetCustomer(reference=reference)).value
    erased = {file.name: _erase_in_archive(file, done.id) for file in files}
    with workspace() as own:
        own.forget((done.id, *done.trading_accounts), name)
        here = tuple(_copy(kind, path) for kind, path in own.files())
    kept = [each for each in done.copies if each.name not in erased]
    done = done.model_copy(
        update={"entries": done.entries + sum(erased.values()), "copies": (*kept, *here)}
    )
    if options().json:
        document(done)
        return
    pairs(
        [
            ("customer", f"{done.id} {done.reference}"),
            ("accounts closed", done.trading_accounts),
            ("texts erased", done.texts),
            ("kept answers erased", done.answers),
            ("entries of the log erased", done.entries),
        ]
    )
    for each in done.copies:
        line(f"{each.kind} {each.name}  {text_of(each.at)}")
    if done.copies:
        say("These files are older and may name the customer. Delete them when they may go.")
    say("Files that were moved, or written on other machines, aren't known here.")


def _erase_in_archive(file: Path, customer_id: str) -> int:
    """Erase the inputs of a customer's entries in an archive; returns of how many."""
    from chainteller.engine.upkeep import archiving

    with engine() as found:
        organisation = operator(options().configured.settings).organisation
        return archiving.erase(found.context, file, organisation, customer_id)


def _copy(kind: str, path: Path) -> Copy:
    return Copy(kind=kind, name=str(path), at=path.stat().st_mtime_ns // 1_000)


class _Batch(NamedTuple):
    """Lines of one request, and those before its end that were refused here."""

    lines: list[Found]
    refused: list[LineFinding]


def _request(lines: Iterable[Found]) -> ImportCustomers:
    return ImportCustomers(lines=tuple(each.line for each in lines))


class _Check:
    """What lines would do. The service doesn't know what earlier ones would have done, so those
    about a customer again only count for their bank accounts. A line that is refused is no earlier
    one: the customer's next line takes its place."""

    def __init__(self, bank: Service) -> None:
        self._bank = bank
        self._refused: set[str] = set()
        """References of customers whose lines were all refused."""

    def take(self, lines: Sequence[Found]) -> CustomerImport:
        done = CustomerImport()
        while first := self._first(lines):
            found = self._bank.check_customer_import(_request(first))
            refused = {each.line for each in found.refused}
            self._refused -= {each.line.reference for each in first}
            self._refused |= {each.line.reference for each in first if each.line.line in refused}
            done = _sum(done, found)
            lines = [each for each in lines if each not in first]
        if not lines:
            return done
        more = self._bank.check_customer_import(_request(lines))
        unchanged = len(lines) - len(more.refused) - more.bank_accounts
        return _sum(
            done, more.model_copy(update={"created": 0, "changed": 0, "unchanged": unchanged})
        )

    def _first(self, lines: Sequence[Found]) -> list[Found]:
        """Of each customer, the line that no earlier one was imported of."""
        found: dict[str, Found] = {}
        for each in lines:
            if not each.is_again or each.line.reference in self._refused:
                found.setdefault(each.line.reference, each)
        return list(found.values())


def _sum(one: CustomerImport, other: CustomerImport) -> CustomerImport:
    return CustomerImport(
        **{name: getattr(one, name) + getattr(other, name) for name in _COUNTS},
        refused=(*one.refused, *other.refused),
        differences=(*one.differences, *other.differences),
    )


def _batches(found: Iterable[Found | Refused]) -> Iterator[_Batch]:
    batch, size = _Batch([], []), 0
    for each in found:
        if isinstance(each, Refused):
            batch.refused.append(LineFinding.of(each.line, each.finding))
        else:
            batch.lines.append(each)
            size += _OF_LINE + len(each.line.name.encode())
        if size > _MOST_BYTES or len(batch.lines) + len(batch.refused) >= MOST_LINES:
            yield batch
            batch, size = _Batch([], []), 0
    if batch.lines or batch.refused:
        yield batch


class _Result:
    """What an import did so far; of its findings, as many as can be shown."""

    def __init__(self) -> None:
        self.lines = self.refused = self.differences = 0
        self._done = CustomerImport()

    def take(
        self,
        batch: _Batch,
        send: Callable[[Sequence[Found]], CustomerImport],
        kept: IO[str] | None,
    ) -> None:
        """Import a batch, and write its findings into the report."""
        done = send(batch.lines) if batch.lines else CustomerImport()
        refused = sorted((*batch.refused, *done.refused), key=lambda each: each.line)
        if kept is not None:
            for kind, found in (("refused", refused), ("differs", done.differences)):
                for each in found:
                    kept.write(json.dumps({"kind": kind} | each.model_dump(by_alias=True)) + "\n")
        before = self.lines
        self.lines += len(batch.lines) + len(batch.refused)
        self.refused += len(refused)
        self.differences += len(done.differences)
        if self.lines // _TELL_EVERY > before // _TELL_EVERY:
            say(f"{self.lines:,} lines")
        room = _MOST_KEPT - len(self._done.refused) - len(self._done.differences)
        kept_refused = tuple(refused[:room])
        kept_differences = done.differences[: room - len(kept_refused)]
        told = {"refused": kept_refused, "differences": kept_differences}
        self._done = _sum(self._done, done.model_copy(update=told))

    def show(self, report: Path | None, *, is_check: bool) -> None:
        """Print what was done, or would be; findings go to stderr."""
        done = self._done
        if options().json:
            document(done)
        else:
            facts = [(word, f"{getattr(done, name):,}") for name, word in _COUNTS.items()]
            facts += [("lines refused", f"{self.refused:,}")]
            facts += [("other balances", f"{self.differences:,}")]
            pairs([("lines", f"{self.lines:,}"), *facts])
            if is_check:
                line("Nothing was changed.")
            self._complain()
        if self.refused + self.differences > _MOST_KEPT and report is None:
            say(f"These are the first {_MOST_KEPT:,}. Next: --report FILE writes all of them.")

    def _complain(self) -> None:
        for each in (*self._done.refused, *self._done.differences):
            say(f"line {each.line}: {each.error}: {each.message} Next: {each.suggestion}")


@contextmanager
def _created(path: Path, imported: Path) -> Iterator[IO[str]]:
    """A report, which replaces an earlier one. Raises Usage."""
    try:
        if path.exists() and imported.exists() and path.samefile(imported):
            raise Usage("--report names the file to import.", "Name another file.")
        raw = open_private(path, "wb")
    except OSError as error:
        raise Usage(f"--report: {error.strerror}.", "Name a file that can be written.") from None
    with workspace() as own:
        own.note_file("export", path)
    with TextIOWrapper(raw, encoding="utf-8") as file:
        yield file


COMMANDS = (customers,)
