"""An organisation is shown its own numbers and its own chain, which say nothing of the others."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.world.bank import OTHER, World, build, sqlite_url

from chainteller.domain.actors import Actor
from chainteller.engine.engine import Engine
from chainteller.engine.verification import Breach, breaches, verify
from chainteller.service.audit_segment import check_segment
from chainteller.service.interface import Service
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import QuoteRequest
from chainteller.service.models.records import AuditRow, Event


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
            "UPDATE event SET number = 9 WHERE seq = 7",
            "UPDATE audit SET number = 9 WHERE seq = 8",
            "UPDATE audit SET follows = hash WHERE seq = 8",
            "UPDATE log SET event_number = 6 WHERE organisation_id = 'other'",
            "UPDATE log SET audit_hash = 'f' WHERE organisation_id = 'other'",
        ):
            assert {each.invariant for each in found_after(world, statement)} == {16}, statement
    finally:
        mine.close()


def found_after(world: World, statement: str) -> tuple[Breach, ...]:
    """What verification finds after a change, which is then undone."""
    with world.context.database.write() as connection:
        assert connection.execute(text(statement)).rowcount == 1
        return breaches(connection)
