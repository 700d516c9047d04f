"""The log: what an entry holds, that it continues from a checkpoint, and that honest histories
are no breaches."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from tests.tampering.altering import unguarded
from tests.world.engines import World, make_world
from tests.world.files import sealed

from chainteller.domain import merkle
from chainteller.domain.actors import Actor
from chainteller.domain.limits import DEFAULT_LIMITS, DestinationClass
from chainteller.domain.options import EngineOptions
from chainteller.domain.rules import Rule
from chainteller.engine.engine import Engine
from chainteller.engine.keys import ApiKeys
from chainteller.engine.unit_of_work import UnitOfWork, act
from chainteller.engine.verification import breaches, verify
from chainteller.service.errors import NotFound
from chainteller.service.models.quotes import ExecuteRequest
from chainteller.storage import chain, log, maintenance
from chainteller.storage.guards import APPEND_ONLY
from chainteller.storage.tables import Tables


@pytest.fixture(params=["sqlite", "postgres"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    on_postgres = request.param == "postgres"
    place = request.getfixturevalue("postgres_bank") if on_postgres else tmp_path / "bank.db"
    made = make_world(place)
    made.open()
    made.deposit("1000.00")
    yield made
    made.close()


def entries(world: World, organisation: str = "default") -> list[dict[str, Any]]:
    with world.database.read() as connection:
        return [log.read(each.body.encode()) for each in log.entries(connection, organisation)]


def test_an_execution_binds_its_terms_and_whoever_asked(world: World) -> None:
    quote = world.quote("100.00")
    agent = Engine(world.context, Actor("default", "m.okafor", "KEY_1"))
    request = ExecuteRequest(trading_account_id=world.account)
    trade = agent.execute_quote(quote.id, request, idempotency_key="secret-key").value
    entry = entries(world)[-1]
    assert (entry["by"], entry["key"], entry["at"]) == ("m.okafor", "KEY_1", world.clock.now())
    assert entry["v"] == log.VERSION == 3
    assert {
        each.actor for each in world.engine.events(limit=1_000).data if each.resource == trade.id
    } == {"m.okafor"}
    assert [(act["op"], act["object"], act["outcome"]) for act in entry["acts"]] == [
        ("execute_quote", trade.id, "done")
    ]
    rows = {row[0]: row for row in entry["rows"]}
    terms = rows["trade"][3]
    assert terms["quote_id"] == quote.id
    assert (terms["market"], terms["side"], terms["sold"]) == ("sol-usd", "buy", 100_00)
    assert {"price_cents", "bought", "fee_cents"} <= terms.keys()
    assert rows["quote"][3] == {"status": "executed", "trade_id": trade.id}
    assert {"journal", "posting", "event", "audit", "idempotency", "job"} <= rows.keys()
    with world.database.read() as connection:
        stored = connection.execute(Tables.rule.select()).mappings().one()
    assert entry["rule"] == stored["id"]


def test_no_personal_data_and_no_secret_stands_in_an_entry(world: World) -> None:
    key = ApiKeys(world.context).create("desk", organisation="default")
    everything = json.dumps(entries(world) + entries(world, log.DEPLOYMENT))
    with world.database.read() as connection:
        (customer,) = connection.execute(Tables.customer.select()).mappings()
        (stored,) = connection.execute(Tables.api_key.select()).mappings()
    for word in (customer["name"], customer["reference"], stored["secret_hash"], key.text):
        assert word not in everything
    assert key.key_id in everything


def test_each_organisation_has_a_log_and_a_new_one_stands_in_the_deployments(world: World) -> None:
    ApiKeys(world.context).create("desk", organisation="second")
    with world.database.read() as connection:
        heads = {head.organisation_id: head for head in log.heads(connection)}
        assert heads.keys() == {log.DEPLOYMENT, "default", "second"}
        for name, head in heads.items():
            leaves = log.leaves(connection, name)
            assert (len(leaves), merkle.root(leaves)) == (head.size, head.root)
            proof = log.inclusion(connection, name, head.size)
            assert merkle.verify_inclusion(leaves[-1], head.size - 1, head.size, proof, head.root)
    tables = {row[0] for entry in entries(world, log.DEPLOYMENT) for row in entry["rows"]}
    assert "organisation" in tables
    assert [entry["rows"][0][0] for entry in entries(world, "second")] == ["api_key"]


def test_a_head_grows_and_never_changes_its_beginning(world: World) -> None:
    with world.database.read() as connection:
        old = log.head(connection, "default")
    world.buy()
    world.settle()
    with world.database.read() as connection:
        new = log.head(connection, "default")
        proof = log.consistency(connection, "default", old.size)
        assert {n for n, _ in log.entries_about(connection, "default", 1, 1)} == {2}
        newest = connection.execute(text("SELECT max(seq) FROM audit")).scalar_one()
        numbers = [n for n, _ in log.entries_about(connection, "default", newest, newest)]
        assert numbers == sorted({*numbers})
        assert numbers[-1] == new.size
    assert old.size < new.size
    assert merkle.verify_consistency(old.size, new.size, old.root, new.root, proof)


def test_a_refusal_is_an_entry_too(world: World) -> None:
    with pytest.raises(Exception, match="insufficient"):
        world.withdraw("5000.00")
    (entry,) = [each for each in entries(world) if each["acts"] and "error" in each["acts"][0]]
    assert entry["acts"][0]["error"] == "INSUFFICIENT_FUNDS"


def test_a_refusal_names_its_subject_unless_that_may_be_a_secret(world: World) -> None:
    secret = "correct horse battery staple " * 2
    for subject in ("QTE_UNKNOWN", secret):
        with pytest.raises(NotFound):
            world.engine.execute_quote(
                subject, ExecuteRequest(trading_account_id=world.account), idempotency_key=None
            )
    refused = [act for each in entries(world) for act in each["acts"] if "error" in act]
    assert [(act["object"], act["error"]) for act in refused] == [
        ("QTE_UNKNOWN", "NOT_FOUND"),
        ("", "NOT_FOUND"),
    ]


def test_an_entry_is_read_in_its_one_form_alone() -> None:
    one_line = b'{"v":2,"acts":[{"n":7,"own":3,"op":"deposit"}],"rows":[["audit","7","s"]]}'
    _, written = log._body(log.Stamp("default", 1, "m.okafor"), [{"seq": 7, "n": 3}], ())
    body = written.encode()
    found = log.read(body)
    assert (found["numbers"], found["acts"]) == ([7], [{"n": 3}])
    assert b"numbers" not in log.shown(body)
    for wrong in (
        one_line,
        one_line + b"\n{}",
        written.replace('"v":3', '"v":2').encode(),
        body + b" ",
        body.partition(b"\n")[0],
        b"7",
        b"{",
    ):
        with pytest.raises(ValueError):
            log.read(wrong)


def test_an_entry_has_no_empty_parts_and_stores_its_rule(world: World) -> None:
    world.execute(world.quote("10.00"))
    rows = [row for each in entries(world) for row in each["rows"]]
    assert {len(row) for row in rows} == {3, 4, 5}
    assert [row for row in rows if (len(row) == 4 and not row[3]) or row[4:] == [None]] == []
    with sealed(world.database) as written:
        log.append(written, log.Stamp("default", 7, "operator", rule=Rule("RUL_1", "{}")))
    with world.database.read() as connection:
        found = connection.execute(Tables.rule.select().where(Tables.rule.c.id == "RUL_1")).one()
    assert (found.body, found.since) == ("{}", 7)


def test_a_cursor_of_events_is_ahead_only_after_the_newest(world: World) -> None:
    with world.database.read() as connection:
        newest = chain.newest_event(connection)
        found = {
            after: chain.events_after(connection, "default", after, newest)
            for after in (-1, 0, newest - 1, newest, newest + 1)
        }
    assert newest > 2
    told = {after: (len(events), cursor, ahead) for after, (events, cursor, ahead) in found.items()}
    assert told == {
        -1: (0, newest, False),
        0: (newest, newest, False),
        newest - 1: (1, newest, False),
        newest: (0, newest, False),
        newest + 1: (0, newest, True),
    }


def test_a_note_stands_in_the_deployments_log_alone(world: World) -> None:
    before = len(entries(world))

    def work(tx: UnitOfWork) -> None:
        tx.note("clock_accepted", old=1, new=2)

    act(world.context, Actor(name="operator"), work)
    assert len(entries(world)) == before
    assert entries(world, log.DEPLOYMENT)[-1]["acts"] == [
        {"op": "clock_accepted", "old": 1, "new": 2}
    ]
    assert verify(world.database) == ()


def test_a_lower_limit_makes_no_breach_of_what_it_would_have_refused(world: World) -> None:
    """Each withdrawal is judged by the rule of its day."""
    for _ in range(3):
        world.withdraw("100.00")
    lowered = {**DEFAULT_LIMITS, DestinationClass.OWN_BANK: (5_000, 10_000, 20_000)}
    world.engine = Engine(replace(world.context, options=EngineOptions(limits=lowered)))
    with pytest.raises(Exception, match="limit"):
        world.withdraw("1.00")
    assert verify(world.database) == ()
    world.clock.advance(31 * 86_400 * 1_000_000)
    world.withdraw("50.00")
    assert verify(world.database) == ()
    with world.database.read() as connection:
        assert len(connection.execute(Tables.rule.select()).all()) == 2


def test_verification_goes_on_from_a_checkpoint(world: World) -> None:
    """Older entries must give its root; rows that later ones wrote are compared."""
    world.buy()
    with world.database.read() as connection:
        heads = {head.organisation_id: head for head in log.heads(connection)}
    world.withdraw("10.00")
    assert verify(world.database, since=heads) == ()
    with unguarded(world) as connection:
        connection.execute(text("UPDATE transfer SET fee = 1 WHERE direction = 'withdrawal'"))
        found = {each.where.split()[0] for each in breaches(connection, heads)}
        assert "transfer" in found
    forged = {"default": heads["default"]._replace(root=b"\x00" * 32)}
    assert "its beginning is not what the checkpoint says" in str(verify(world.database, forged))
    longer = {"default": heads["default"]._replace(size=10_000)}
    assert "it had 10000 entries at the checkpoint" in str(verify(world.database, longer))
    gone = {"nobody": heads["default"]}
    assert "log nobody" in str(verify(world.database, gone))


def test_missing_guards_are_named_by_check_and_verify(world: World) -> None:
    url = world.database.engine.url.render_as_string(hide_password=False)
    is_postgres = world.database.is_postgres
    definition = text(
        "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname = :name"
        if is_postgres
        else "SELECT sql FROM sqlite_master WHERE name = :name"
    )
    kept = {}
    assert maintenance.check(url).healthy
    with world.database.write() as connection:
        for table in APPEND_ONLY:
            name = f"{table.name}_append_only" if is_postgres else f"{table.name}_refuses_delete"
            kept[name] = connection.execute(definition, {"name": name}).scalar_one()
            on = f" ON {table.name}" if is_postgres else ""
            connection.execute(text(f"DROP TRIGGER {name}{on}"))
        connection.commit()
    try:
        report = maintenance.check(url)
        breaches = verify(world.database)
    finally:
        with world.database.write() as connection:
            for statement in kept.values():
                connection.execute(text(statement))
            connection.commit()
    expected = [f"the trigger {name} is missing" for name in kept]
    assert not report.healthy
    assert set(expected) <= set(report.problems)
    assert sorted((each.invariant, each.what) for each in breaches) == sorted(
        (21, each) for each in expected
    )


def test_a_trigger_that_does_nothing_is_not_ours(tmp_path: Path) -> None:
    world = make_world(tmp_path / "bank.db")
    with unguarded(world) as connection:
        connection.execute(
            text("CREATE TRIGGER audit_refuses_update BEFORE UPDATE ON audit BEGIN SELECT 1; END")
        )
        found = {each.what for each in breaches(connection)}
    assert "the trigger audit_refuses_update was altered or disabled" in found
    world.close()
