"""Archives: old entries and audit rows leave the database, and nothing of them can be altered."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random  # noqa: TID251 - histories that can be made again from a seed
from typing import Any

import pytest
from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import DBAPIError
from tests.tampering.altering import unguarded
from tests.world.engines import World, make_world
from tests.world.files import KEYS

from chainteller.domain import merkle
from chainteller.domain.clock import DAY
from chainteller.engine import archiving, upkeep
from chainteller.engine.notary import Trees
from chainteller.engine.verification import Breach, breaches, verify_books, verify_chain
from chainteller.service.errors import ServiceUnavailable
from chainteller.sqlite import sqlite3
from chainteller.storage import archives, log, packing, removals, tallies
from chainteller.storage.checkpoints import derived_deployment
from chainteller.storage.copying import copy
from chainteller.storage.database import Database, open_database
from chainteller.storage.tables import Tables

KEPT = 30


@pytest.fixture
def world(empty_world: World) -> World:
    empty_world.open()
    empty_world.deposit("500.00")
    empty_world.buy("50.00")
    empty_world.settle()
    return empty_world


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archiving, "AT_ONCE", 5)


def archive(world: World, path: Path) -> int:
    return sum(archiving.archive(world.context, path, KEPT))


def deployment_of(database: Database) -> str:
    with database.read() as connection:
        return derived_deployment(connection)


def verify(world: World, *paths: Path) -> tuple[Breach, ...]:
    with archives.opened(world.database, paths, deployment_of(world.database)) as past:
        return verify_books(world.database, None, past)


def count(world: World, *tables: str) -> list[int]:
    with world.database.read() as connection:
        found = (select(func.count()).select_from(getattr(Tables, each)) for each in tables)
        return [connection.execute(each).scalar_one() for each in found]


def a_busy_month(world: World) -> None:
    world.clock.advance((KEPT + 1) * DAY)
    world.buy("20.00")


def test_what_is_old_moves_and_everything_is_still_proved(world: World, tmp_path: Path) -> None:
    path = tmp_path / "audit.archive"
    a_busy_month(world)
    before = count(world, "audit")
    with world.database.read() as connection:
        heads = log.heads(connection)
        names = [head.organisation_id for head in heads]
        leaves = {name: log.leaves(connection, name) for name in names}
    moved = archive(world, path)
    assert moved > 10
    assert count(world, "audit") < before
    with world.database.read() as connection:
        first = select(func.min(Tables.entry.c.number)).group_by(Tables.entry.c.organisation_id)
        assert min(connection.scalars(first)) > 1

    assert verify(world) == ()
    assert verify(world, path) == ()
    chain = verify_chain(world.database)
    assert chain.intact
    with world.database.read() as connection:
        assert Trees().of(connection, "default")[0].size == log.head(connection, "default").size
        for head in heads:
            found = log.leaves(connection, head.organisation_id, head.size)
            assert found == leaves[head.organisation_id]
            proof = log.consistency(connection, head.organisation_id, head.size)
            grown = log.head(connection, head.organisation_id)
            assert merkle.verify_consistency(head.size, grown.size, head.root, grown.root, proof)
    world.buy("10.00")
    assert verify(world, path) == ()


def test_random_histories_with_purges_and_archives_are_always_verified(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "AT_ONCE", 3)
    monkeypatch.setattr(tallies, "_LEAST", 1)
    chosen = Random(7)  # noqa: S311 - as above
    paths: list[Path] = []
    for _ in range(4):
        for _ in range(chosen.randrange(1, 3)):
            world.buy(f"{chosen.randrange(1, 9)}.00")
            world.clock.advance(chosen.randrange(1, 400) * DAY)
        world.settle()
        if not paths or chosen.random() < 0.5:
            paths.append(tmp_path / f"part-{len(paths)}.archive")
        steps = archiving.archive(world.context, paths[-1], KEPT)
        for _ in range(chosen.randrange(1, 9)):
            next(steps, None)
        steps.close()
        if chosen.random() < 0.5:
            list(upkeep.round_of_steps(world.context))
        assert verify(world) == ()
    archive(world, paths[-1])
    assert verify(world, *reversed(paths)) == ()
    url = f"sqlite:///{tmp_path / 'copy.db'}"
    copy(world.database, url)
    copied = open_database(url)
    with archives.opened(copied, paths, deployment_of(copied)) as past:
        assert verify_books(copied, None, past) == ()
    copied.close()


OF_DEFAULT = "organisation_id = 'default'"


def one(path: Path, query: str) -> Any:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchone()


def test_an_altered_row_of_an_archive_is_named(world: World, tmp_path: Path) -> None:
    path = tmp_path / "audit.archive"
    a_busy_month(world)
    archive(world, path)
    whole = path.read_bytes()
    with closing(sqlite3.connect(path)) as connection:
        cells = [
            (table, key, number, column)
            for table, key in (("entry", "number"), ("audit", "seq"))
            for (number,) in connection.execute(f"SELECT {key} FROM {table} WHERE {key} < 4")  # noqa: S608
            for column in (
                ("leaf", "body", "id", "number")
                if table == "entry"
                else ("number", "seq", "hash", "inputs", "actor", "at", "salt")
            )
        ]
    for table, key, number, column in cells:
        path.write_bytes(whole)
        with closing(sqlite3.connect(path)) as connection:
            value = "x'00'" if column in ("leaf", "body") else "'x'"
            value = "77777" if column in ("number", "seq", "at") else value
            connection.execute(
                f"UPDATE {table} SET {column} = {value} WHERE {key} = {number}"  # noqa: S608
                + (" AND organisation_id = 'default'" if table == "entry" else "")
            )
            connection.commit()
        found = verify(world, path)
        assert any(str(number) in each.where for each in found), (table, number, column, found)
    path.write_bytes(whole)
    second = f"WHERE number = 2 AND {OF_DEFAULT}"
    entry_id, found = one(path, f"SELECT id, body FROM entry {second}")  # noqa: S608
    forged = packing.body(found, entry_id, "default").replace('"by":"', '"by":"x', 1)
    with closing(sqlite3.connect(path)) as connection:  # with the hash that it then has
        connection.execute(
            f"UPDATE entry SET body = ?, leaf = ? {second}",  # noqa: S608
            (packing.pack(forged, entry_id, "default"), log.leaf_of(forged.encode())),
        )
        connection.commit()
    assert f"entry 2 of default in {path.name}" in {each.where for each in verify(world, path)}
    path.write_bytes(whole)
    assert verify(world, path) == ()


def test_what_the_database_keeps_of_archived_entries_is_compared(
    world: World, tmp_path: Path
) -> None:
    path = tmp_path / "audit.archive"
    a_busy_month(world)
    archive(world, path)
    table = Tables.archived_leaves
    with unguarded(world) as connection:
        kept = connection.execute(select(table).where(table.c.organisation_id == "default")).first()
        assert kept is not None
        for leaves in (bytes([kept.leaves[0] ^ 1]) + kept.leaves[1:], kept.leaves[:-1]):
            changed = update(table).where(
                table.c.organisation_id == "default", table.c.first == kept.first
            )
            assert connection.execute(changed.values(leaves=leaves)).rowcount == 1
            said = "the hashes of its archived entries were altered"
            assert Breach(21, said, "log default") in breaches(connection)


def test_two_processes_archive_at_once(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one moves everything while this one has only written to the file."""
    path = tmp_path / "audit.archive"
    a_busy_month(world)
    add, others = archives.Archive.add, [lambda: archive(world, path)]

    def interrupted(archive_: archives.Archive, *rows: Any) -> None:
        add(archive_, *rows)
        if others:
            others.pop()()

    monkeypatch.setattr(archives.Archive, "add", interrupted)
    archive(world, path)
    assert verify(world, path) == ()


def test_archiving_that_was_killed_goes_on(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the file and the database, where rows are in both."""
    path = tmp_path / "audit.archive"
    a_busy_month(world)

    def killed(*_: object) -> bool:
        raise KeyboardInterrupt

    for step in range(3):
        with monkeypatch.context() as killing:
            killing.setattr("chainteller.engine.archiving.work_unit", killed)
            with pytest.raises(KeyboardInterrupt):
                archive(world, path)
        assert verify(world, *([path] if step else [])) == ()
        whole = path.read_bytes()
        with closing(sqlite3.connect(path)) as connection:
            newest = "(SELECT max(number) FROM entry)"
            connection.execute(f"UPDATE entry SET id = 'x' WHERE number = {newest}")  # noqa: S608
            connection.commit()
        assert refusal(world, path) == "ARCHIVE_DIFFERS"
        path.write_bytes(whole)
        next(archiving.archive(world.context, path, KEPT))
    archive(world, path)
    assert verify(world, path) == ()
    with closing(
        sqlite3.connect(path)
    ) as connection:  # an older copy of the file isn't gone on with
        connection.execute("UPDATE removal SET upto = upto - 1")
        connection.commit()
    assert refusal(world, path) == "ARCHIVE_BEHIND"


def refusal(world: World, path: Path) -> str:
    before = count(world, "entry", "audit", "archived_leaves")
    with pytest.raises(ServiceUnavailable) as refused:
        archive(world, path)
    assert count(world, "entry", "audit", "archived_leaves") == before
    return str(refused.value.details["reason"])


def test_a_wrong_destination_is_refused_by_name(world: World, tmp_path: Path) -> None:
    a_busy_month(world)
    folder, text = tmp_path / "folder", tmp_path / "notes.txt"
    folder.mkdir()
    text.write_text("not an archive, but long enough")
    open_database(f"sqlite:///{tmp_path / 'other.db'}", KEYS).close()
    of_others = {}
    for name in ("other", "copied"):  # the latter one may begin as this world's database did
        other = make_world(tmp_path / f"{name}.db")
        other.open()
        other.clock.advance((KEPT + 1) * DAY)
        of_others[name] = tmp_path / f"{name}.archive"
        assert archive(other, of_others[name])
        other.close()
    assert refusal(world, folder) == "ARCHIVE_UNUSABLE"
    assert refusal(world, tmp_path / "nowhere" / "a.archive") == "ARCHIVE_UNUSABLE"
    assert refusal(world, text) == "NOT_AN_ARCHIVE"
    assert refusal(world, tmp_path / "other.db") == "NOT_AN_ARCHIVE"
    assert refusal(world, of_others["other"]) == "OTHER_ARCHIVE"
    assert refusal(world, of_others["copied"]) in {"OTHER_ARCHIVE", "ARCHIVE_DIFFERS"}
    first, second = tmp_path / "first.archive", tmp_path / "second.archive"
    next(archiving.archive(world.context, first, KEPT))
    archive(world, second)
    a_busy_month(world)
    archive(world, second)
    assert refusal(world, first) == "ARCHIVE_BEHIND"
    assert verify(world, first, second) == ()
    for paths, reason in (
        ([first], "ARCHIVE_INCOMPLETE"),
        ([second], "ARCHIVE_INCOMPLETE"),
        ([first, tmp_path / "gone.archive"], "ARCHIVE_MISSING"),
        ([first, second, of_others["other"]], "OTHER_ARCHIVE"),
    ):
        with pytest.raises(ServiceUnavailable) as refused:
            verify(world, *paths)
        assert refused.value.details["reason"] == reason
    second.unlink()
    assert refusal(world, second) == "ARCHIVE_MISSING"


def test_entries_are_deleted_by_a_step_alone(world: World, tmp_path: Path) -> None:
    a_busy_month(world)
    for table in (Tables.entry, Tables.audit):
        with pytest.raises(DBAPIError), world.database.write() as connection:
            connection.execute(delete(table))
    archive(world, tmp_path / "audit.archive")
    with world.database.write() as connection:
        moved = update(Tables.archived_leaves).where(
            Tables.archived_leaves.c.organisation_id == "default"
        )
        connection.execute(moved.values(leaves=b"\0" * 160))
        connection.commit()
    assert "log default" in {breach.where for breach in verify(world)}
    with world.database.read() as connection:
        assert removals.archives(connection) == ["audit.archive"]


def test_the_worker_archives_where_a_file_is_set_and_goes_on_without_it(
    world: World, tmp_path: Path
) -> None:
    a_busy_month(world)
    before = count(world, "audit")
    for place in (tmp_path / "nowhere" / "audit.archive", tmp_path / "audit.archive"):
        options = replace(world.context.options, archive=str(place), archive_after_days=KEPT)
        left = count(world, "audit")
        list(upkeep.round_of_steps(replace(world.context, options=options)))
        assert (count(world, "audit") < left) == place.exists()
    assert count(world, "audit") < before
    assert verify(world, tmp_path / "audit.archive") == ()
