"""Events: what happened, from a cursor on."""

import sys
import time

import click

from chainteller.bootstrap import OpenedService
from chainteller.cli.error_output import Usage, say
from chainteller.cli.lists import Output, output_options
from chainteller.cli.open_services import opened
from chainteller.cli.options import command, options
from chainteller.cli.output import document, line
from chainteller.records.audit import EVENT
from chainteller.service import operations as op
from chainteller.service.errors import ServiceUnreachable
from chainteller.service.interface import Service
from chainteller.service.models.records import Event, EventPage

_AT_ONCE = op.EVENTS_AT_ONCE


@command(
    "events",
    calls=[op.EVENTS],
    example=(
        "events --after 1200 --json",
        "events --all --format csv --output events.csv",
        "events --follow",
    ),
)
@click.option(
    "--after",
    type=click.IntRange(-1, op.LAST_CURSOR),
    metavar="N",
    help="Those after this event's number; from the first one if left out.",
)
@click.option("--limit", type=click.IntRange(1, _AT_ONCE), metavar="N", help="Maximum number.")
@click.option("--all", "is_everything", is_flag=True, help="Every event after the cursor.")
@click.option(
    "--follow",
    is_flag=True,
    help="Keep printing events as they happen, from now on or after --after.",
)
@output_options(EVENT)
def events(
    after: int | None,
    limit: int | None,
    output: Output[Event],
    *,
    is_everything: bool,
    follow: bool,
) -> None:
    """Read events, oldest first."""
    if follow and (output.file or limit or is_everything):
        raise Usage("--follow has no end.", "Leave --output, --limit and --all out.")
    if is_everything and limit:
        raise Usage("--all is every event.", "Leave --limit out.")
    with opened() as found:
        if follow:
            _follow(found, after, output)
            return
        page = found.service.events(after or 0, limit or _AT_ONCE)
        if page.reset:
            _say_reset(after or 0)
        if is_everything:
            page = _all_after(found.service, page)
    more = "" if len(page.data) < (limit or _AT_ONCE) or is_everything else _next_step(page.next)
    output.write(page, page.data, nothing="no events", more=more)


def _next_step(cursor: int) -> str:
    return f"more with --after {cursor}, or --all"


def _all_after(bank: Service, page: EventPage) -> EventPage:
    """The page and all that come after it; one without a new event is the last."""
    rows: list[Event] = []
    reset = page.reset
    while new := [each for each in page.data if not rows or each.seq > rows[-1].seq]:
        rows += new
        page = bank.events(page.next, _AT_ONCE)
    return EventPage(data=tuple(rows), next=page.next, reset=reset)


def _say_reset(cursor: int) -> None:
    say(f"events after {cursor} may be missing: not in this log, or not kept any more")


def _follow(found: OpenedService, after: int | None, output: Output[Event]) -> None:
    """Print each event until ctrl-c; says on stderr where to go on when the service is lost."""
    cursor = found.service.events(-1).next if after is None else after
    interval_s = options().configured.settings.desk.poll_interval_s or 1
    if output.form == "csv":
        click.echo(output.csv(()), nl=False)
    try:
        while True:
            found.run_due()
            page = found.service.events(cursor, _AT_ONCE)
            for event in page.data:
                _print(event, output)
            sys.stdout.flush()
            if page.reset:
                _say_reset(cursor)
            cursor = page.next if page.reset else max(cursor, page.next)
            if len(page.data) < _AT_ONCE:
                time.sleep(interval_s)
    except ServiceUnreachable:
        say(f"events up to {cursor} were read; go on with: --after {cursor} --follow")
        raise


def _print(event: Event, output: Output[Event]) -> None:
    if output.form == "json":
        document(event)
    elif output.form == "csv":
        click.echo(output.csv((event,), heading=False), nl=False)
    else:
        line("  ".join(each.column(event) for each in output.columns))


COMMANDS = (events,)
