"""Archives: the bodies of old entries leave the database, and nothing of them can be altered."""

from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from random import Random  # noqa: TID251 - histories that can be made again from a seed
from typing import Any

import pytest
from sqlalchemy import delete, func, insert, select, update
from tests.tampering.altering import unguarded
from tests.world.engines import USDC_ETHEREUM, World, make_world
from tests.world.files import KEYS

from chainteller.domain import merkle
from chainteller.domain.actors import WORKER
from chainteller.domain.clock import DAY, HOUR, format_instant, from_datetime
from chainteller.domain.keys import new_key
from chainteller.domain.limits import UNVERIFIED_HOLD
from chainteller.domain.options import EngineOptions
from chainteller.domain.randomness import SeededRandomness
from chainteller.engine.core.signers import Trees
from chainteller.engine.core.unit_of_work import act
from chainteller.engine.heads import writer_key
from chainteller.engine.operations import transfer_reports
from chainteller.engine.operations.keys import ApiKeys, Authenticator
from chainteller.engine.operations.transfer_reports import Report
from chainteller.engine.upkeep import archiving, upkeep
from chainteller.engine.verification.full_pass import (
    Breach,
    breaches,
    recent_ends,
    verify_books,
    verify_since,
)
from chainteller.service.errors import ServiceUnavailable, Unauthorized, ValidationFailed
from chainteller.service.models.counterparties import OpenBlockchainAccount, RegisterCounterparty
from chainteller.service.models.funding import Destination, WithdrawalRequest
from chainteller.service.models.pages import ListQuery
from chainteller.sqlite import sqlite3
from chainteller.storage.database import Database, open_database
from chainteller.storage.db.errors import DatabaseError
from chainteller.storage.lists import tallies
from chainteller.storage.log import entry, views
from chainteller.storage.log.marks import derived_deployment
from chainteller.storage.log.moved import DATABASE
from chainteller.storage.schema import guards
from chainteller.storage.schema.wallet_tables import Tables
from chainteller.storage.upkeep import archives, standing
from chainteller.storage.upkeep.copying import copy
from chainteller.workspace.receipts import receipt_of
from chainteller.writer_keys import ConfiguredKeys

KEPT = 30
WALLET = "0x52908400098527886E0F7030069857D2E4169EE7"


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
        return verify_books(world.database, past)


def bodies(world: World) -> int:
    """How many entries have their bodies in the database."""
    there = select(func.count()).select_from(Tables.entry).where(Tables.entry.c.body.is_not(None))
    with world.database.read() as connection:
        found: int = connection.execute(there).scalar_one()
    return found


def staying(world: World, log: str) -> list[int]:
    """The numbers of old entries that rows or balances rest on."""
    now = world.clock.now()
    with world.database.read() as connection:
        size = views.head(connection, log).size
        every = [views.entry_row(connection, log, number + 1) for number in range(size)]
        old = [row for row in every if row is not None and row.at < now - KEPT * DAY]
        return standing.among(connection, old, now)


def a_busy_month(world: World) -> None:
    world.clock.advance((KEPT + 1) * DAY)
    world.buy("20.00")


def a_busy_month_without_trades(world: World) -> None:
    world.clock.advance((KEPT + 1) * DAY)
    world.deposit("1.00")


def test_what_is_old_moves_and_everything_is_still_proved(world: World, tmp_path: Path) -> None:
    path = tmp_path / "audit.archive"
    a_busy_month(world)
    kept = select(*(column for column in Tables.entry.columns if column.name != "body"))
    with world.database.read() as connection:
        before = connection.execute(kept).all()
        sizes = views.sizes(connection)
        pinned = views.about(connection, "*", "database")
        heads = {name: Trees().of(connection, name)[1] for name in sizes}
    full = bodies(world)
    moved = archive(world, path)
    assert moved > 8
    assert bodies(world) < full
    with world.database.read() as connection:
        after = connection.execute(kept).all()
        assert set(before) <= set(after)
        archived = {name: views.head(connection, name).archived for name in sizes}
        assert archived["default"] > 5
        assert views.about(connection, "*", "database")[: len(pinned)] == pinned
        there = [views.body_of(connection, "default", n + 1) for n in range(sizes["default"])]
        gone = archived["default"]
        assert [n + 1 for n in range(gone) if there[n]] == staying(world, "default")
        assert len(staying(world, "default")) < gone / 2
        assert all(there[gone:])
        assert archives.name_of(connection, "default", 1) == path.name
        for name, old in heads.items():
            tree, now = Trees().of(connection, name)
            proof = tree.consistency_proof(old.size, now.size)
            assert merkle.verify_consistency(old.size, now.size, old.root, now.root, proof)
            for row in before:
                if row.organisation_id == name:
                    place = row.number - 1
                    proof = tree.inclusion_proof(place, now.size)
                    assert merkle.verify_inclusion(row.leaf, place, now.size, proof, now.root)

    assert verify(world) == ()
    assert verify(world, path) == ()
    world.buy("10.00")
    assert verify(world, path) == ()


@pytest.mark.parametrize("seed", [7, 8, 9])
def test_random_histories_with_purges_and_archives_are_always_verified(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(upkeep, "AT_ONCE", 3)
    monkeypatch.setattr(tallies, "_LEAST", 1)
    chosen = Random(seed)  # noqa: S311 - as above
    paths: list[Path] = []
    for _ in range(4):
        for _ in range(chosen.randrange(1, 3)):
            world.quote()  # which is removed when it's old
            world.execute(world.quote(f"{chosen.randrange(1, 9)}.00"), key=f"k{world.clock.now()}")
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
    list(upkeep.round_of_steps(world.context))
    archive(world, paths[-1])
    assert verify(world, *reversed(paths)) == ()
    with world.database.read() as connection:
        removals = select(Tables.entry.c.at).where(Tables.entry.c.action == upkeep.REMOVED)
        assert len(connection.execute(removals).all()) > 1
        assert len(archives.names(connection)) == len(paths)
    url = f"sqlite:///{tmp_path / 'copy.db'}"
    copy(world.database, url)
    copied = open_database(url, KEYS)
    with archives.opened(copied, paths, deployment_of(copied)) as past:
        assert verify_books(copied, past) == ()
    copied.close()


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_an_old_entry_that_stays_isnt_the_last_word_on_all_that_it_says(
    world: World, tmp_path: Path, *, is_cancelled: bool
) -> None:
    """The trade stays for what was bought, the cancellation for what is held. The account's row,
    and the balance from which the money came, were written since by an entry that the archive has,
    and then again."""
    path = tmp_path / "audit.archive"
    if is_cancelled:
        world.engine.cancel_withdrawal(world.account, world.withdraw("1.00").id)
    world.deposit("1.00")
    a_busy_month_without_trades(world)
    archive(world, path)
    assert verify(world) == ()
    assert verify(world, path) == ()
    world.deposit("1.00")
    assert verify(world) == ()


@pytest.mark.parametrize("later", [World.deposit, World.withdraw])
def test_a_withdrawal_that_an_archive_has_stops_no_later_one(
    world: World, tmp_path: Path, later: Callable[[World], object]
) -> None:
    world.withdraw("1.00")
    world.settle()
    world.clock.advance((KEPT + 1) * DAY)
    later(world)
    archive(world, tmp_path / "audit.archive")
    world.withdraw("5.00")
    assert verify(world) == ()


def test_a_withdrawal_that_waits_is_paid_though_its_hold_is_of_archived_time(
    tmp_path: Path,
) -> None:
    """A later entry has written its row and what is held, and nothing but its hold says how much
    it may be."""
    options = EngineOptions(withdrawal_delay_s=(KEPT + 1) * 86_400)
    world = make_world(tmp_path / "bank.db", options=options)
    account = world.open()
    world.deposit("500.00", USDC_ETHEREUM)
    wallet = RegisterCounterparty(address=WALLET, network="ethereum")
    named = world.engine.register_counterparty(wallet).value.id
    of = OpenBlockchainAccount(trading_account_id=account, network="ethereum")
    custody = world.engine.open_blockchain_account(of).value.id
    world.clock.advance(UNVERIFIED_HOLD)
    to = Destination(type="counterparty", counterparty_id=named, blockchain_account_id=custody)
    asked = WithdrawalRequest(amount="10.00", currency=USDC_ETHEREUM, destination=to)
    waiting = world.engine.withdraw(account, asked).value
    assert waiting.status == "reviewing"
    world.clock.advance(3 * HOUR)
    world.engine.run_due()
    assert world.engine.withdrawal_record(account, waiting.id).status == "processing"
    world.withdraw("3.00", USDC_ETHEREUM)
    world.clock.advance(KEPT * DAY + HOUR)
    assert archive(world, tmp_path / "audit.archive")
    world.clock.advance(DAY)
    world.engine.run_due()
    assert world.engine.withdrawal_record(account, waiting.id).status == "sent"
    assert verify(world) == ()
    world.close()


def test_what_only_archived_entries_say_of_a_record_is_read_there(
    world: World, tmp_path: Path
) -> None:
    """Of a deposit that was returned, the journals say how much could be taken back."""
    path = tmp_path / "audit.archive"
    for paid_in in [world.deposit("10.00").id for _ in range(2)]:
        told = Report(paid_in, "returned", "It was recalled.")
        transfer_reports.record(world.context, WORKER, told)
    world.clock.advance((KEPT + 1) * DAY)
    archive(world, path)
    assert verify(world) == ()
    assert verify(world, path) == ()


OF_DEFAULT = "organisation_id = 'default'"


def change(path: Path, statement: str, *values: object) -> int:
    """Alter a file behind the program's back; how many rows."""
    with closing(sqlite3.connect(path)) as connection:
        count: int = connection.execute(statement, values).rowcount
        connection.commit()
    return count


def one(path: Path, query: str) -> Any:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchone()


SECOND = f"WHERE number = 2 AND {OF_DEFAULT}"


@pytest.mark.parametrize(
    "cell",
    [
        "body = x'00'",
        "body = NULL",
        "body = 'x'",
        f"body = (SELECT body FROM entry WHERE number = 3 AND {OF_DEFAULT})",  # noqa: S608
        "leaf = x'00'",
        "at = at + 1",
        "action = 'x'",
        "object = 'x'",
        "trading_account_id = 'x'",
    ],
)
def test_an_altered_cell_of_an_archive_is_named(world: World, tmp_path: Path, cell: str) -> None:
    path = tmp_path / "audit.archive"
    a_busy_month(world)
    archive(world, path)
    assert verify(world, path) == ()
    assert change(path, f"UPDATE entry SET {cell} {SECOND}") == 1  # noqa: S608
    places = {each.where for each in verify(world, path)}
    assert f"entry 2 of default in {path.name}" in places
    assert not any(f"entry {n} of default in {path.name}" in places for n in (1, 3))


def test_a_forged_and_a_removed_entry_of_an_archive_are_named(world: World, tmp_path: Path) -> None:
    path = tmp_path / "audit.archive"
    a_busy_month(world)
    archive(world, path)
    whole = path.read_bytes()
    (stored,) = one(path, f"SELECT body FROM entry {SECOND}")  # noqa: S608
    forged = entry.unpack(stored).replace(b'"by":"', b'"by":"x', 1)
    values = (entry.pack(forged), entry.leaf_of(forged))  # with the hash that it then has
    change(path, f"UPDATE entry SET body = ?, leaf = ? {SECOND}", *values)  # noqa: S608
    assert f"entry 2 of default in {path.name}" in {each.where for each in verify(world, path)}
    for gone in (f"UPDATE entry SET number = 77777 {SECOND}", f"DELETE FROM entry {SECOND}"):  # noqa: S608
        path.write_bytes(whole)
        assert change(path, gone) == 1
        assert "entry 2 of default" in {each.where for each in verify(world, path)}
    path.write_bytes(whole)
    assert verify(world, path) == ()


def test_a_copy_that_an_archive_has_beside_another_is_compared_too(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of entries whose bodies stay in the database, and of a step that another file took over."""
    first, second = tmp_path / "first.archive", tmp_path / "second.archive"
    act(world.context, world.engine.actor, lambda tx: tx.audit("tried", DATABASE))
    a_busy_month(world)
    with monkeypatch.context() as killing:
        killing.setattr(archiving, "work_unit", killed)
        with pytest.raises(KeyboardInterrupt):
            archive(world, first)
    archive(world, second)
    with world.database.read() as connection:
        (tried,) = views.about(connection, "default", DATABASE)
    assert verify(world, first, second) == ()
    (number,) = one(first, "SELECT max(number) FROM entry WHERE organisation_id = '*'")
    for path, log, altered in ((second, "default", tried.number), (first, "*", number)):
        whole = path.read_bytes()
        here = f"WHERE organisation_id = '{log}' AND number = {altered}"
        assert change(path, f"UPDATE entry SET body = x'00' {here}") == 1  # noqa: S608
        (found,) = verify(world, first, second)
        assert found.where == f"entry {altered} of {log} in {path.name}"
        path.write_bytes(whole)


def test_what_the_database_keeps_of_archived_entries_is_compared(
    world: World, tmp_path: Path
) -> None:
    path = tmp_path / "audit.archive"
    a_busy_month(world)
    archive(world, path)
    mine = (Tables.entry.c.organisation_id == "default", Tables.entry.c.number == 2)
    log = Tables.log.c.organisation_id == "default"
    with (
        archives.opened(world.database, [path], deployment_of(world.database)) as past,
        unguarded(world) as connection,
    ):
        before = connection.execute(select(Tables.entry).where(*mine)).mappings().one()
        assert before["body"] is None
        for values in (
            {"leaf": b"\1" * 32},
            {"mark": b"\1" * 32},
            {"at": before["at"] + 1},
            {"action": "withdraw"},
            {"object": "x"},
            {"trading_account_id": "x"},
        ):
            connection.execute(update(Tables.entry).where(*mine).values(values))
            found = {e.where.split(" in ")[0]: e.what for e in breaches(connection, past)}
            is_hashed = "leaf" in values or "mark" in values
            told = "its mark doesn't hold" if is_hashed else "its columns aren't what it says"
            assert found["entry 2 of default"].startswith(told), values
            connection.execute(update(Tables.entry).where(*mine).values(dict(before)))
        assert {each.where for each in breaches(connection)} == {"catalogue"}
        for values in ({"leaf": b"\1" * 32}, {"mark": b"\1" * 32}):  # without the archive
            connection.execute(update(Tables.entry).where(*mine).values(values))
            assert "entry 2 of default" in {each.where for each in breaches(connection)}
            connection.execute(update(Tables.entry).where(*mine).values(dict(before)))
        state = connection.execute(select(Tables.log).where(log)).mappings().one()
        for name in ("size", "last_at", "archived", "moved", "mark"):
            changed = b"\1" * 32 if name == "mark" else state[name] - 1
            connection.execute(update(Tables.log).where(log).values({name: changed}))
            for known in (past, None):
                assert "log default" in {e.where for e in breaches(connection, known)}, name
            connection.execute(update(Tables.log).where(log).values(dict(state)))


def test_two_processes_archive_at_once(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one moves everything while this one has only written to the file."""
    path = tmp_path / "audit.archive"
    a_busy_month(world)
    add, others = archives.Archive.add, [lambda: archive(world, path)]

    def interrupted(archive_: archives.Archive, *rows: Any) -> archives.Part:
        part = add(archive_, *rows)
        if others:
            others.pop()()
        return part

    monkeypatch.setattr(archives.Archive, "add", interrupted)
    archive(world, path)
    assert verify(world, path) == ()


def killed(*_: object) -> bool:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("place", "step"),
    [
        (Path, "hardlink_to"),
        (archives, "_extend"),
        (archives.Archive, "add"),
        (archives, "give_away"),
        (archiving, "work_unit"),
        (archives.Archive, "keep_checkpoints"),
    ],
)
def test_archiving_that_was_killed_after_any_step_goes_on(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Any, step: str
) -> None:
    path = tmp_path / "audit.archive"
    a_busy_month(world)
    done = getattr(place, step)
    stay = len(staying(world, "default")) + len(staying(world, "*"))
    due = bodies(world) - 2 - stay  # but what was just bought
    for count in range(1, 4):
        left = [count]

        def interrupted(*given: Any) -> Any:
            found = done(*given)
            left[0] -= 1  # noqa: B023 - called in this turn
            return found if left[0] else killed()  # noqa: B023

        with monkeypatch.context() as killing:
            killing.setattr(place, step, interrupted)
            if count == 1:
                with pytest.raises(KeyboardInterrupt):
                    archive(world, path)
            else:
                with suppress(KeyboardInterrupt):
                    archive(world, path)
        assert verify(world) == ()
        assert verify(world, path) == ()
    archive(world, path)
    assert verify(world, path) == ()
    with world.database.read() as connection:
        assert views.head(connection, "default").moved + views.head(connection, "*").moved == due


def test_a_killed_step_goes_on_under_another_writers_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The marks of the entries that are in the file already are made again meanwhile."""
    keys = ConfiguredKeys(str(tmp_path / "keys" / "writer.key"), tmp_path, {}, tmp_path)
    url, path = f"sqlite:///{tmp_path / 'bank.db'}", tmp_path / "audit.archive"
    open_database(url, keys).close()
    world = make_world(url, keys=keys)
    world.open()
    a_busy_month_without_trades(world)
    with monkeypatch.context() as killing:
        killing.setattr(archiving, "work_unit", killed)
        with pytest.raises(KeyboardInterrupt):
            archive(world, path)
    writer_key.replace(world.context, world.engine.actor, "the old one was shown")
    assert archive(world, path)
    with world.database.read() as connection:
        assert views.body_of(connection, "*", 1) is None
    assert verify(world, path) == ()
    world.close()


def test_archiving_goes_on_only_with_the_rows_that_are_in_both(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the file and the database, where rows are in both."""
    path = tmp_path / "audit.archive"
    a_busy_month(world)
    for step in range(3):
        with monkeypatch.context() as killing:
            killing.setattr("chainteller.engine.upkeep.archiving.work_unit", killed)
            with pytest.raises(KeyboardInterrupt):
                archive(world, path)
        assert verify(world, *([path] if step else [])) == ()
        whole = path.read_bytes()
        with closing(sqlite3.connect(path)) as connection:
            newest = "(SELECT max(number) FROM entry)"
            connection.execute(f"UPDATE entry SET object = 'x' WHERE number = {newest}")  # noqa: S608
            connection.commit()
        assert refusal(world, path) == "ARCHIVE_DIFFERS"
        path.write_bytes(whole)
        next(archiving.archive(world.context, path, KEPT))
    archive(world, path)
    assert verify(world, path) == ()
    with closing(
        sqlite3.connect(path)
    ) as connection:  # an older copy of the file isn't gone on with
        connection.execute("UPDATE archive SET upto = upto - 1")
        connection.commit()
    assert refusal(world, path) == "ARCHIVE_BEHIND"


def refusal(world: World, path: Path) -> str:
    before = bodies(world)
    with pytest.raises(ServiceUnavailable) as refused:
        archive(world, path)
    assert bodies(world) == before
    return str(refused.value.details["reason"])


@pytest.mark.parametrize("left", [0.1, 0.5, 0.9, 0.99999])
def test_an_archive_that_was_cut_off_is_damaged_and_no_breach(
    world: World, tmp_path: Path, left: float
) -> None:
    """SQLite itself reads what is missing of the last page as zeros."""
    path = tmp_path / "audit.archive"
    a_busy_month(world)
    archive(world, path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * left)])
    with pytest.raises(ServiceUnavailable) as refused:
        verify(world, path)
    assert refused.value.details["reason"] == "ARCHIVE_UNUSABLE"
    assert "it's damaged" in refused.value.message
    assert "from a backup" in refused.value.suggestion


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


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_bodies_leave_by_a_step_alone(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    on_postgres = kind == "postgres"
    world = make_world(
        request.getfixturevalue("postgres_bank") if on_postgres else tmp_path / "bank.db"
    )
    world.open()
    a_busy_month_without_trades(world)
    table = Tables.entry
    for statement in (
        delete(table),
        update(table).values(body=None),
        update(table).values(leaf=b"\0" * 32),
        update(table).values(object="x"),
    ):
        with (
            pytest.raises(DatabaseError, match="append-only"),
            world.database.write() as connection,
        ):
            connection.execute(statement)
    assert archive(world, tmp_path / "audit.archive")
    with world.database.read() as connection:
        assert archives.names(connection) == ["audit.archive"]
    with pytest.raises(DatabaseError, match="append-only"), world.database.write() as connection:
        connection.execute(update(table).where(table.c.body.is_not(None)).values(body=None))
    assert verify(world) == ()
    world.close()


def test_what_only_bodies_say_is_refused_or_left_out_for_archived_time(
    world: World, tmp_path: Path
) -> None:
    act(world.context, world.engine.actor, lambda tx: tx.audit("tried", DATABASE))
    world.deposit("1.00")
    world.clock.advance((KEPT + 1) * DAY)
    since = format_instant(world.clock.now())
    world.buy("20.00")
    until = format_instant(world.clock.now())
    before = world.engine.statement(world.account, from_time=since, to_time=until)
    shown = world.engine.audit().data
    (deposit, *_) = world.engine.deposits(world.account).data[::-1]
    assert archive(world, tmp_path / "audit.archive")
    assert receipt_of(world.engine, world.account, deposit.id).record == deposit
    with world.database.read() as connection:
        archived = views.head(connection, "default").archived
        (ended,) = connection.execute(
            select(Tables.entry.c.at).where(
                Tables.entry.c.organisation_id == "default", Tables.entry.c.number == archived
            )
        ).one()
        (tried,) = views.about(connection, "default", DATABASE)
        assert tried.number < archived
    for start in (None, format_instant(ended)):
        with pytest.raises(ValidationFailed) as refused:
            world.engine.statement(world.account, from_time=start, to_time=until)
        (error,) = refused.value.details["errors"]
        assert (error["field"], error["code"]) == ("from", "ARCHIVED")
        assert format_instant(ended) in error["message"]
        assert "audit.archive" in error["message"]
    assert world.engine.statement(world.account, from_time=since, to_time=until) == before
    first = world.engine.statement(world.account, from_time=format_instant(ended + 1))
    assert from_datetime(first.from_time) == ended + 1
    left = world.engine.audit()
    assert left.data == tuple(row for row in shown if row.seq > archived)
    assert left.pagination.total == len(left.data)
    assert [row.seq for row in world.engine.audit(ListQuery(text="database")).data] == [
        tried.number
    ]
    page = world.engine.events(0)
    assert page.reset
    assert min(entry.number_of(each.seq) for each in page.data) == archived + 1


def test_the_worker_archives_where_a_file_is_set_and_goes_on_without_it(
    world: World, tmp_path: Path
) -> None:
    a_busy_month(world)
    before = bodies(world)
    for place in (tmp_path / "nowhere" / "audit.archive", tmp_path / "audit.archive"):
        options = replace(world.context.options, archive=str(place), archive_after_days=KEPT)
        left = bodies(world)
        list(upkeep.round_of_steps(replace(world.context, options=options)))
        assert (bodies(world) < left) == place.exists()
    assert bodies(world) < before
    assert verify(world, tmp_path / "audit.archive") == ()


def test_no_row_or_balance_that_somebody_made_up_counts_once_there_is_an_archive(
    world: World, tmp_path: Path
) -> None:
    """An archive has the entries of others: of these, too, the database has what they rest on."""
    a_busy_month_without_trades(world)
    world.settle()
    honest = ApiKeys(world.context).create("till")
    world.clock.advance((KEPT + 1) * DAY)
    archive(world, tmp_path / "audit.archive")
    made, door = new_key(SeededRandomness("made up"), "test"), Authenticator(world.context)
    code = f"customer:{world.account}:available"
    with unguarded(world) as connection:
        of_key = {"key_id": made.key_id, "secret_hash": made.secret_hash}
        stored = connection.execute(select(Tables.api_key)).mappings().one()
        connection.execute(insert(Tables.api_key).values({**stored, **of_key}))
        balance = {"code": code, "asset": "USDC@solana", "balance": 10**10, "version": 4}
        row = {**balance, "organisation_id": "default"}
        connection.execute(insert(Tables.ledger_account).values(row))
        guards.create(connection)
        connection.commit()
    door.principal(honest.text)
    with pytest.raises(Unauthorized):
        door.principal(made.text)
    named = {each.where for each in verify(world)}
    assert {f"api_key {made.key_id}", f"{code} USDC@solana"} <= named
    withdrawal = world.withdraw("900.00")
    with world.database.read() as reading:
        number = views.head(reading, "default").size
    seen = verify_since(world.database, recent_ends(world.database, 5)).breaches
    assert f"entry {number} of default" in {each.where for each in seen}
    world.settle()
    paid = world.engine.withdrawal_record(world.account, withdrawal.id)
    assert paid.failure_reason is not None
    assert f"no entry made {code} USDC@solana" in paid.failure_reason.message
