"""Upkeep: what is old goes in small steps and on record, and lists are counted ahead."""

import hashlib
from collections.abc import Mapping
from typing import Any

import pytest
from sqlalchemy import delete, select, update
from tests.world.engines import World
from tests.world.files import sealed
from tests.world.logs import entries

from chainteller.domain.clock import DAY, MINUTE, SECOND
from chainteller.engine.upkeep import upkeep
from chainteller.engine.verification.full_pass import verify
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.quotes import QuoteRequest
from chainteller.storage.db import records
from chainteller.storage.lists import tallies
from chainteller.storage.log.rows import DEPLOYMENT
from chainteller.storage.schema.wallet_tables import Tables


@pytest.fixture
def world(empty_world: World) -> World:
    empty_world.open()
    empty_world.deposit("500.00")
    return empty_world


def keep_up(world: World) -> int:
    """A whole round; how many steps it had."""
    return sum(1 for _ in upkeep.round_of_steps(world.context))


def acts(world: World) -> list[Mapping[str, Any]]:
    """What the deployment's log says of removals."""
    return [each.inputs or {} for each in entries(world.database, DEPLOYMENT, upkeep.REMOVED)]


def test_expired_quotes_without_a_trade_go_and_the_others_stay(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "AT_ONCE", 2)
    kept = world.buy("50.00").quote_id
    ids = []
    for _ in range(5):
        ids.append(world.quote("10.00").id)
        world.clock.advance(MINUTE)
    world.settle()
    world.clock.advance(upkeep.QUOTES_KEPT + DAY)
    fresh = world.quote("10.00").id
    keep_up(world)
    assert {each.id for each in world.engine.quotes().data} == {kept, fresh}
    assert world.engine.quotes().pagination.total == 2
    told = [act for act in acts(world) if act["table"] == "quote"]
    assert [act["rows"] for act in told] == [2, 2, 1]
    for act, some in zip(told, (ids[:2], ids[2:4], ids[4:]), strict=True):
        ordered = sorted(some)
        assert (act["from"], act["to"]) == (ordered[0], ordered[-1])
        assert act["hash"] == hashlib.sha256("\n".join(ordered).encode()).hexdigest()
    assert verify(world.database) == ()


def test_old_keys_go_in_steps_with_an_entry_each(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "AT_ONCE", 3)
    for number in range(7):
        request = QuoteRequest(amount="10.00", side="buy")
        world.engine.create_quote("sol-usd", request, idempotency_key=f"k{number}")
    world.clock.advance(upkeep.KEYS_KEPT + SECOND)
    keep_up(world)
    assert [act["rows"] for act in acts(world)] == [3, 3, 1]
    with world.database.read() as connection:
        assert connection.execute(select(Tables.idempotency)).all() == []
    assert verify(world.database) == ()


def test_a_removal_without_an_entry_is_a_finding(world: World) -> None:
    quote = world.quote("10.00").id
    with world.database.write() as connection:
        connection.execute(delete(Tables.quote).where(Tables.quote.c.id == quote))
        connection.commit()
    assert f"quote {quote}" in {breach.where for breach in verify(world.database)}


def test_a_list_is_counted_once_and_then_its_newest_rows(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tallies, "_LEAST", 3)
    monkeypatch.setattr(tallies, "STEP", 2)
    for _ in range(7):
        world.quote("10.00")
        world.clock.advance(6 * MINUTE)
    keep_up(world)
    with world.database.read() as connection:
        row = connection.execute(select(Tables.tally).where(Tables.tally.c.listed == "quote")).one()
        assert (row.total, tallies.total(connection, records.Tables.quote, "default")) == (7, 7)
    world.quote("10.00")
    assert world.engine.quotes().pagination.total == 8
    world.clock.advance(upkeep.QUOTES_KEPT + DAY)
    keep_up(world)
    assert world.engine.quotes().pagination.total == 0
    assert verify(world.database) == ()


def test_a_wrong_tally_is_a_finding(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallies, "_LEAST", 1)
    world.quote("10.00")
    world.clock.advance(6 * MINUTE)
    keep_up(world)
    with world.database.write() as connection:
        connection.execute(
            update(Tables.tally).where(Tables.tally.c.listed == "quote").values(total=5)
        )
        connection.commit()
    assert [breach.invariant for breach in verify(world.database)] == [22]


def test_rows_of_the_past_begin_the_count_anew(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the sample data is loaded into a bank that is in use."""
    monkeypatch.setattr(tallies, "_LEAST", 1)
    quote = world.quote("10.00")
    world.clock.advance(6 * MINUTE)
    keep_up(world)
    with sealed(world.database) as rows:
        row = rows.connection.execute(select(Tables.quote)).mappings().one()
        tallies.restart(rows.connection, "default")
        older = dict(row) | {"id": "QTE_OLDER", "created": row["created"] - DAY}
        rows.insert(records.Tables.quote, [older])
    assert world.engine.quotes(ListQuery()).pagination.total == 2
    keep_up(world)
    assert [each.id for each in world.engine.quotes().data] == [quote.id, "QTE_OLDER"]
    assert verify(world.database) == ()


def test_old_events_are_told_no_more_and_a_cursor_before_them_is_reset(world: World) -> None:
    world.buy("50.00")
    pending = world.quote("20.00")
    before = world.engine.events(0).data
    log = entries(world.database)
    world.clock.advance(world.context.options.keep_events_days * DAY)
    page = world.engine.events(0)
    assert (page.data, page.reset) == (before, False)
    world.clock.advance(1)
    world.settle()  # of a trade whose first event is old
    newer = world.engine.events(before[-1].seq).data
    assert len(newer) >= 2
    keep_up(world)

    page = world.engine.events(0)
    assert page.data == newer
    assert page.reset
    assert world.engine.events(before[-1].seq - 1).reset
    page = world.engine.events(before[-1].seq)
    assert (page.data, page.reset) == (newer, False)
    assert entries(world.database)[: len(log)] == log
    assert verify(world.database) == ()
    assert pending.id not in {each.id for each in world.engine.quotes().data}
