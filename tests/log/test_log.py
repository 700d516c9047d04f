"""The log of each organisation: what its entries bind, their order, numbers, times and marks."""

import json
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random  # noqa: TID251 - histories that can be made again from a seed

import pytest
from sqlalchemy import delete, select, text, update
from tests.tampering.altering import unguarded
from tests.world.engines import World, make_world
from tests.world.logs import entries

from chainteller.domain.actors import Actor
from chainteller.domain.clock import DAY, MINUTE
from chainteller.domain.limits import DEFAULT_LIMITS, DestinationClass
from chainteller.domain.options import EngineOptions
from chainteller.domain.rules import Rule
from chainteller.engine.core.signers import Trees
from chainteller.engine.core.unit_of_work import act
from chainteller.engine.engine import Engine
from chainteller.engine.operations.keys import ApiKeys
from chainteller.engine.upkeep import upkeep
from chainteller.engine.verification.full_pass import breaches, verify
from chainteller.service.errors import NotFound, ServiceError
from chainteller.service.models.quotes import ExecuteRequest
from chainteller.storage.db import records
from chainteller.storage.log import append, entry, last_writes, marks, views
from chainteller.storage.log.entry import Act, Stamp
from chainteller.storage.log.last_writes import Kept, Trail
from chainteller.storage.log.rows import DEPLOYMENT, Writer
from chainteller.storage.log.views import Age
from chainteller.storage.schema.wallet_tables import Tables
from chainteller.storage.upkeep import maintenance

ALL = Age(0, 2**62)
_E = Tables.entry


@pytest.fixture(params=["sqlite", "postgres"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    on_postgres = request.param == "postgres"
    place = request.getfixturevalue("postgres_bank") if on_postgres else tmp_path / "bank.db"
    made = make_world(place)
    made.open()
    made.deposit("1000.00")
    yield made
    made.close()


# What an entry binds


def test_an_execution_binds_its_terms_and_whoever_asked(world: World) -> None:
    quote = world.quote("100.00")
    agent = Engine(world.context, Actor("default", "m.okafor", "KEY_1"))
    request = ExecuteRequest(trading_account_id=world.account)
    trade = agent.execute_quote(quote.id, request, idempotency_key="secret-key").value
    found = entries(world.database)[-1]
    assert (found.actor, found.key_id, found.at) == ("m.okafor", "KEY_1", world.clock.now())
    assert (found.action, found.object, found.account) == (
        "execute_quote", trade.id, world.account,
    )  # fmt: skip
    told = [each for each in world.engine.events(limit=1_000).data if each.resource == trade.id]
    assert {each.actor for each in told} == {"m.okafor"}
    rows = {row[0]: row for row in found.rows}
    terms = rows["trade"][3]
    assert terms["quote_id"] == quote.id
    assert (terms["market"], terms["side"], terms["sold"]) == ("sol-usd", "buy", 100_00)
    assert {"price_cents", "bought", "fee_cents"} <= terms.keys()
    assert rows["quote"][3] == {"status": "executed", "trade_id": trade.id}
    assert {"idempotency", "job", "trading_account", "ledger_account"} >= rows.keys() - {
        "quote", "trade",
    }  # fmt: skip
    assert [(each.kind, each.record) for each in found.journals] == [("hold", trade.id)]
    with world.database.read() as connection:
        stored = connection.execute(select(Tables.rule)).mappings().one()
        (body,) = connection.execute(
            select(_E.c.body).where(_E.c.object == trade.id, _E.c.action == "execute_quote")
        ).scalars()
    assert json.loads(entry.shown(entry.unpack(body)))["rule"] == stored["id"]


def test_no_personal_data_and_no_secret_stands_in_an_entry(world: World) -> None:
    key = ApiKeys(world.context).create("desk", organisation="default")
    everything = str([entries(world.database, name) for name in ("default", DEPLOYMENT)])
    with world.database.read() as connection:
        (customer,) = connection.execute(select(Tables.customer)).mappings()
        (stored,) = connection.execute(select(Tables.api_key)).mappings()
    for word in (customer["name"], customer["reference"], stored["secret_hash"], key.text):
        assert word not in everything
    assert key.key_id in everything


def test_a_refusal_is_an_entry_and_names_its_subject_unless_that_may_be_a_secret(
    world: World,
) -> None:
    request = ExecuteRequest(trading_account_id=world.account)
    for subject in ("QTE_UNKNOWN", "correct horse battery staple " * 2):
        with pytest.raises(NotFound):
            world.engine.execute_quote(subject, request, idempotency_key=None)
    refused = [each for each in entries(world.database) if each.error]
    assert [(each.object, each.error, each.rows) for each in refused] == [
        ("QTE_UNKNOWN", "NOT_FOUND", []),
        ("", "NOT_FOUND", []),
    ]


def test_an_entry_stores_the_version_of_the_settings_that_decided(world: World) -> None:
    """Each withdrawal is judged by the rule of its day."""
    for _ in range(3):
        world.withdraw("100.00")
    lowered = {**DEFAULT_LIMITS, DestinationClass.OWN_BANK: (5_000, 10_000, 20_000)}
    world.engine = Engine(replace(world.context, options=EngineOptions(limits=lowered)))
    with pytest.raises(ServiceError, match="limit"):
        world.withdraw("1.00")
    assert verify(world.database) == ()
    world.clock.advance(31 * DAY)
    world.withdraw("50.00")
    assert verify(world.database) == ()
    with world.database.read() as connection:
        assert len(connection.execute(select(Tables.rule)).all()) == 2
        assert Rule("RUL_1", "{}").id == "RUL_1"


# Logs, numbers, times


def test_each_organisation_has_a_log_and_a_new_one_stands_in_the_deployments(world: World) -> None:
    ApiKeys(world.context).create("desk", organisation="second")
    with world.database.read() as connection:
        assert views.sizes(connection).keys() == {DEPLOYMENT, "default", "second"}
    tables = {row[0] for each in entries(world.database, DEPLOYMENT) for row in each.rows}
    assert "organisation" in tables
    written = [row[0] for each in entries(world.database, "second") for row in each.rows]
    assert written == ["api_key"]


def test_a_note_stands_in_the_deployments_log_alone(world: World) -> None:
    before = len(entries(world.database))
    act(world.context, Actor(name="operator"), lambda tx: tx.note("drilled", "database", old=1))
    assert len(entries(world.database)) == before
    newest = entries(world.database, DEPLOYMENT)[-1]
    assert (newest.action, newest.object, newest.inputs) == ("drilled", "database", {"old": 1})
    assert verify(world.database) == ()


def test_numbers_have_no_gaps_whoever_writes_at_the_same_time(world: World) -> None:
    """Eight writers, some of whose writes are refused, in two organisations."""
    ApiKeys(world.context).create("desk", organisation="second")

    def write(number: int) -> None:
        for turn in range(6):
            with suppress(ServiceError):
                if number % 4 == 3:
                    act(world.context, Actor("second", "x"), lambda tx: tx.audit("seen", "x"))
                elif turn % 3 == 2:
                    world.withdraw("999999.00")
                else:
                    world.buy("1.00")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(8)))
    with world.database.read() as connection:
        sizes = views.sizes(connection)
        for name, size in sizes.items():
            mine = select(_E.c.number, _E.c.at).where(_E.c.organisation_id == name)
            rows = connection.execute(mine.order_by(_E.c.number)).all()
            assert [row.number for row in rows] == list(range(1, size + 1))
            assert [row.at for row in rows] == sorted(row.at for row in rows)
    assert sizes["default"] > 6 * 6
    assert verify(world.database) == ()


def test_time_goes_back_only_where_a_person_accepted_it(world: World) -> None:
    def write(action: str, at: int) -> None:
        with world.database.write() as connection:
            rows = Writer(connection)
            append.append(rows, {}, {"default": [Act(action, "x")]}, at, Stamp())
            connection.commit()

    newest = entries(world.database)[-1].at
    write("seen", newest + MINUTE)
    write("seen", newest)
    write(next(iter(append.GOES_BACK)), newest + 1)
    write("seen", newest)
    assert [each.at - newest for each in entries(world.database)[-4:]] == [MINUTE, MINUTE, 1, 1]
    assert verify(world.database) == ()
    with unguarded(world) as connection:
        last = select(Tables.log.c.size).where(Tables.log.c.organisation_id == "default")
        number = connection.execute(last).scalar_one()
        here = (_E.c.organisation_id == "default", _E.c.number == number - 3)
        connection.execute(update(_E).where(*here).values(at=newest - 1))
        found = {each.where for each in breaches(connection)}
    assert f"entry {number - 3} of default" in found


def test_events_are_those_of_entries_in_their_order(world: World) -> None:
    world.buy()
    world.settle()
    with world.database.read() as connection:
        events, cursor, is_ahead = views.events_after(connection, "default", 0, 1_000, ALL)
        newest = events[-1].seq
        size = views.sizes(connection)["default"]
        last = entry.seq_of(size, entry.EVENTS_PER_ACT - 1)
        found = {
            after: views.events_after(connection, "default", after, 1_000, ALL)
            for after in (-1, newest - 1, newest, last, last + 1)
        }
        leaves = {
            row.number: row.leaf
            for row in connection.execute(select(_E).where(_E.c.organisation_id == "default"))
        }
    assert (cursor, is_ahead) == (last, False)
    assert [each.seq for each in events] == sorted({each.seq for each in events})
    for each in events:
        number, place = divmod(each.seq, entry.EVENTS_PER_ACT)
        assert each.id == entry.event_id(leaves[number], place)
    told = {after: (len(each), next_, ahead) for after, (each, next_, ahead) in found.items()}
    assert told == {
        -1: (0, last, False),
        newest - 1: (1, last, False),
        newest: (0, last, False),
        last: (0, last, False),
        last + 1: (0, last, True),
    }


@pytest.mark.parametrize("seed", range(3))
def test_honest_histories_have_no_breaches(world: World, seed: int) -> None:
    chosen = Random(seed)  # noqa: S311 - as above
    for _ in range(25):
        world.clock.advance(chosen.choice([0, 1, MINUTE, DAY, 40 * DAY]))
        amount = f"{chosen.randrange(1, 90)}.00"
        acts: list[Callable[[], object]] = [
            partial(world.buy, amount),
            partial(world.withdraw, amount),
            partial(world.deposit, amount),
            partial(world.quote, amount),
            world.settle,
            partial(deque, upkeep.round_of_steps(world.context)),
        ]
        with suppress(ServiceError):
            chosen.choice(acts)()
    assert verify(world.database) == ()


def test_an_entry_without_its_inputs_proves_the_same(world: World) -> None:
    """What may have to be erased is on a line of its own."""
    world.buy()
    with world.database.read() as connection:
        _, before = Trees().of(connection, "default")
    with unguarded(world) as connection:
        for row in connection.execute(select(_E).where(_E.c.organisation_id == "default")).all():
            rest = entry.pack(entry.erased(entry.unpack(row.body)))
            here = (_E.c.organisation_id == "default", _E.c.number == row.number)
            connection.execute(update(_E).where(*here).values(body=rest))
        _, after = Trees().of(connection, "default")
        assert after == before
        assert {each.where for each in breaches(connection)} == {"catalogue"}


# Marks


def test_a_mark_needs_the_key_and_holds_in_its_place_alone(world: World) -> None:
    with world.database.read() as connection:
        marker = marks.of(connection)
        marker.require(connection)
        mine = select(_E).where(_E.c.organisation_id == "default").order_by(_E.c.number)
        rows = connection.execute(mine).all()
    before = b""
    for row in rows:
        assert row.mark == marker.mark("default", row.number, row.leaf, before)
        others = (
            marker.mark("default", row.number + 1, row.leaf, before),
            marker.mark("other", row.number, row.leaf, before),
            marker.mark("default", row.number, row.leaf[::-1], before),
            marker.mark("default", row.number, row.leaf, row.mark),
        )
        assert row.mark not in others
        before = row.mark


def test_an_entry_that_somebody_without_the_key_wrote_is_named(world: World) -> None:
    with unguarded(world) as connection:
        mine = select(_E).where(_E.c.organisation_id == "default").order_by(_E.c.number.desc())
        newest = connection.execute(mine.limit(1)).mappings().one()
        forged = dict(newest) | {"number": newest["number"] + 1}
        connection.execute(_E.insert().values(forged))
        log = Tables.log
        here = log.c.organisation_id == "default"
        connection.execute(update(log).where(here).values(size=log.c.size + 1))
        found = [each for each in breaches(connection) if each.where == "entry 4 of default"]
    assert forged["number"] == 4
    assert [each.what for each in found] == [
        "its mark doesn't hold: nobody with the writer's key wrote it here"
    ]


# What the log says of a row


def test_what_the_log_says_of_a_row_is_compared_before_a_payout(world: World) -> None:
    trade = world.buy()
    table, trail = Tables.trade, Trail("default", world.account, [trade.id])
    row = Kept(records.Tables.trade, trade.id)
    with world.database.read() as connection:
        assert last_writes.contradicted(connection, trail, row) == ""
    here = table.c.id == trade.id
    for change, said in (
        (update(table).where(here).values(sold=1), "isn't as entry"),
        (update(table).where(here).values(salt="x"), "isn't as entry"),
        (delete(table).where(here), "isn't as entry"),
        (update(_E).where(_E.c.object == trade.id).values(mark=b"\1" * 32), "was altered"),
        (update(_E).where(_E.c.object == trade.id).values(at=1), "was altered"),
        (update(_E).where(_E.c.object == trade.id).values(action="x"), "was altered"),
        (update(_E).where(_E.c.object == trade.id).values(body=b"\1x"), "no entry wrote"),
        (delete(_E).where(_E.c.object == trade.id), "no entry wrote"),
    ):
        with unguarded(world) as connection:
            assert connection.execute(change).rowcount == 1
            assert said in last_writes.contradicted(connection, trail, row)
    with world.database.read() as connection:
        unknown = Kept(records.Tables.trade, "TXN_2")
        said = last_writes.contradicted(connection, trail, unknown)
    assert said == "no entry wrote trade TXN_2"


# Guards


def test_missing_guards_are_named_by_check_and_verify(world: World) -> None:
    url = world.database.url
    is_postgres = world.database.is_postgres
    names = ["entry_append_only", "entry_keeps_body"]
    if not is_postgres:
        names = ["entry_refuses_update", "entry_refuses_delete", "entry_keeps_body"]
    definition = text(
        "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname = :name"
        if is_postgres
        else "SELECT sql FROM sqlite_master WHERE name = :name"
    )
    assert maintenance.check(url).healthy
    kept = {}
    with world.database.write() as connection:
        for name in names:
            kept[name] = connection.execute(definition, {"name": name}).scalar_one()
            connection.execute(text(f"DROP TRIGGER {name}{' ON entry' if is_postgres else ''}"))
        connection.commit()
    try:
        report = maintenance.check(url)
        found = verify(world.database)
    finally:
        with world.database.write() as connection:
            for statement in kept.values():
                connection.execute(text(statement))
            connection.commit()
    expected = [f"the trigger {name} is missing" for name in names]
    assert not report.healthy
    assert set(expected) <= set(report.problems)
    assert sorted((each.invariant, each.what) for each in found) == sorted(
        (21, each) for each in expected
    )


def test_a_trigger_that_does_nothing_is_not_ours(tmp_path: Path) -> None:
    world = make_world(tmp_path / "bank.db")
    with unguarded(world) as connection:
        made = "CREATE TRIGGER entry_refuses_update BEFORE UPDATE ON entry BEGIN SELECT 1; END"
        connection.execute(text(made))
        found = {each.what for each in breaches(connection)}
    assert "the trigger entry_refuses_update was altered or disabled" in found
    world.close()
