"""An organisation is shown its own numbers and its own chain, which say nothing of the others."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert, text, update
from tests.storage import released
from tests.world.bank import OTHER, World, build, sqlite_url
from tests.world.engines import make_world
from tests.world.released_rows import add_audit_row

from chainteller.domain.actors import Actor
from chainteller.domain.clock import DAY
from chainteller.engine.engine import Engine
from chainteller.engine.verification import Breach, breaches, verify
from chainteller.service.audit_segment import check_segment
from chainteller.service.interface import Service
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import QuoteRequest
from chainteller.service.models.records import AuditRow, Event
from chainteller.storage import chain, inspection, maintenance, own_numbers
from chainteller.storage.database import Database
from chainteller.storage.tables import Tables

BASE = 1_000_000


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    on_postgres = request.param == "postgres"
    return str(request.getfixturevalue("postgres_url") if on_postgres else sqlite_url(tmp_path))


def quote(service: Service) -> None:
    service.create_quote("sol-usd", QuoteRequest(amount="10.00", side="buy"))


def events(service: Service, after: int = 0, at_once: int = 7) -> Iterator[Event]:
    """All events after a cursor, page by page."""
    while True:
        page = service.events(after, at_once)
        assert not page.reset
        yield from page.data
        if not page.data:
            return
        assert page.next >= page.data[-1].seq
        after = page.next


def trail(service: Service) -> list[AuditRow]:
    """All audit rows, oldest first."""
    return [*service.audit(ListQuery(limit=100)).data][::-1]


def test_numbers_and_hashes_count_the_own_rows_alone(url: str) -> None:
    world = build(url)
    mine = world.engine
    theirs = Engine(world.context, Actor(name="theirs", organisation=OTHER))
    try:
        for _ in range(2):
            quote(mine)
            quote(theirs)
        shown = mine.events(-1), mine.events(0), mine.audit(ListQuery())
        for _ in range(3):
            quote(theirs)
        assert (mine.events(-1), mine.events(0), mine.audit(ListQuery())) == shown
        quote(mine)
        for service, count in ((mine, 3), (theirs, 5)):
            assert [each.seq for each in events(service, at_once=2)] == [*range(1, count + 1)]
            assert [each.seq for each in events(service, 2)] == [*range(3, count + 1)]
            rows = trail(service)
            assert [row.seq for row in rows] == [*range(1, count + 1)]
            report = check_segment(rows)
            assert (report.intact, report.links) == (True, count - 1)
            assert service.events(count + 1).reset
        assert verify(world.context.database) == ()
        for statement in (
            "UPDATE event SET number = 4 WHERE seq = 7",
            "UPDATE audit SET number = 9 WHERE seq = 8",
            "UPDATE audit SET follows = hash WHERE seq = 8",
            "UPDATE log SET event_number = 6 WHERE organisation_id = 'other'",
            "UPDATE log SET audit_hash = 'f' WHERE organisation_id = 'other'",
            "UPDATE head SET audits_owned = 7",
        ):
            assert {each.invariant for each in found_after(world, statement)} == {16}, statement
    finally:
        mine.close()


def found_after(world: World, statement: str) -> tuple[Breach, ...]:
    """What verification finds after a change, which is then undone."""
    with world.context.database.write() as connection:
        assert connection.execute(text(statement)).rowcount == 1
        return breaches(connection)


def test_a_database_of_the_released_build_goes_on_with_every_number_and_cursor(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server of that build writes beside this one, and whatever its clients keep stays good."""
    released.restore(url)
    maintenance.upgrade(url)
    monkeypatch.setattr(own_numbers, "STEP", 5)
    world = make_world(url, customers=(), seed="4")
    bank = world.engine
    old, rows = [*events(bank)], trail(bank)
    last = old[-1].seq
    assert [each.seq for each in old] == [*range(1, last + 1)]
    assert bank.events(-1).next == BASE
    released.write_beside(url)
    world.clock.advance(2 * DAY)
    shown, shown_rows = [*events(bank)], trail(bank)
    beside = len(shown) - last
    assert beside > 2 * own_numbers.STEP
    for _ in range(beside // own_numbers.STEP):
        quote(bank)  # each numbers some of what was written beside, and is numbered later
        assert [*events(bank)][: len(shown)] == shown
        assert trail(bank)[: len(shown_rows)] == shown_rows
    assert verify(world.database) == ()
    write_as_released(world.database)
    quote(bank)
    every = [*events(bank)]
    assert [each.seq for each in every] == [
        *range(1, last + 1), *range(BASE + 1, BASE + len(every) - last + 1),
    ]  # fmt: skip
    assert check_segment(trail(bank), (rows[-1].seq, rows[-1].hash)).intact
    assert trail(bank)[len(rows)].previous_hash == rows[-1].hash
    with world.database.read() as connection:
        numbers = [row.seq for row in inspection.event_numbers(connection)]
        shared = own_numbers._standing(connection, "default").shared
    assert numbers == [*range(1, len(every) + 1)]
    for cursor in range(last, shared + 1):
        assert [*events(bank, cursor)] == every[cursor:], "a cursor that the released build gave"
    for cursor in (shared + 1, BASE - 1):
        page = bank.events(cursor, 1_000)
        assert (page.reset, [*page.data]) == (True, every[last:]), "none is lost"
    assert bank.events(every[-1].seq + 1).reset
    for cursor in range(BASE, every[-1].seq + 1):
        assert [*events(bank, cursor)] == every[last + cursor - BASE :]
    assert verify(world.database) == ()
    world.close()


def write_as_released(database: Database) -> None:
    """Write an event and an audit row with the columns that the released build knows."""
    with database.write() as connection:
        head = chain.head(connection)
        row = add_audit_row(connection, head.last_at)
        event = {
            "seq": head.event_seq + 1,
            "organisation_id": "default",
            "at": head.last_at,
            **chain.event_row("EVT_1", "quote.created", row.object, {}),
        }
        connection.execute(insert(Tables.event), event)
        connection.execute(update(Tables.head).values(event_seq=event["seq"]))
        connection.commit()
