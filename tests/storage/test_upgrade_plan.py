"""What an upgrade says beforehand, and what it frees afterwards."""

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import event, text
from sqlalchemy.engine import Engine
from tests.storage import released
from tests.world.bank import sqlite_url

from chainteller.engine.verification import verify
from chainteller.service.errors import ServiceUnavailable
from chainteller.storage import log, maintenance, upgrade_ahead, upgrade_plan
from chainteller.storage.database import connect, open_database
from chainteller.storage.revision import REVISION

RELEASED = "0002"
_VISIT = re.compile(
    r"\s*(?:UPDATE (\w+)|ALTER TABLE (\w+) ADD CONSTRAINT"
    r"|CREATE (?:UNIQUE )?INDEX (?:CONCURRENTLY )?\w+ ON (\w+)"
    r"|(?:INSERT INTO \w+ \(.*\) )?SELECT .* FROM (\w+))",
    re.DOTALL,
)
_ON_POSTGRES = {"0008": {"ledger_account"}}
"""Tables that a migration visits on PostgreSQL only."""
_SMALL = {
    "head", "clock", "log", "organisation", "schema_revision", "alembic_version", "sqlite_master",
    "pg_index",
}  # fmt: skip
"""Tables with a few rows in any bank."""


class DiskUsage(NamedTuple):
    total: int
    used: int
    free: int


_HOLDER = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT 1 FROM head')"


def revision(url: str) -> str:
    database = connect(url)
    with database.read() as connection:
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
    database.close()
    return str(found)


def test_a_plan_names_every_step_and_changes_nothing(url: str, tmp_path: Path) -> None:
    path = tmp_path / "bank.db"
    before = hashlib.sha256(path.read_bytes()).digest() if path.exists() else b""
    planned = upgrade_plan.plan(url)
    steps = [step.step for step in planned.steps]
    assert (planned.before, planned.after) == (RELEASED, REVISION)
    assert steps[-3:] == ["search", "seal", "verify"]
    revisions = [each for each in steps[:-3] if each != "ahead"]
    assert [int(each) for each in revisions] == list(range(3, int(REVISION) + 1))
    building = {step.writers for step in planned.steps if step.indexes or step.rewrites}
    assert (building, steps[0]) == (
        ({"go on"}, "ahead") if url.startswith("postgresql") else ({"wait"}, "0003")
    )
    assert all(step.does.endswith(".") and step.does[0].isupper() for step in planned.steps)
    assert planned.rows == sum(step.rows for step in planned.steps)
    assert before == (hashlib.sha256(path.read_bytes()).digest() if path.exists() else b"")
    assert maintenance.upgrade(url) == (RELEASED, REVISION)
    after = {step.step: step for step in upgrade_plan.plan(url).steps}
    assert list(after) == ["verify"], "nothing is left to do"
    assert after["verify"].rows > planned.steps[-1].rows, "the log came to it"


def test_the_rows_without_a_seal_are_those_that_are_sealed(url: str) -> None:
    planned = {step.step: step.rows for step in upgrade_plan.plan(url).steps}
    database = connect(url)
    maintenance.upgrade(url)
    with database.read() as connection:
        logs = [each.organisation_id for each in log.heads(connection)]
        bodies = [each.body for name in logs for each in log.entries(connection, name)]
    sealed = sum(body.count('"op":"seal_rows"') for body in bodies)
    database.close()
    assert planned["seal"] > sealed > 0
    opened = open_database(url)
    assert maintenance.seal_rows(opened, 10**9) == 0
    opened.close()


def test_an_upgrade_without_enough_time_changes_nothing(url: str) -> None:
    planned = upgrade_plan.plan(url)
    assert planned.seconds >= planned.waiting_seconds > 0
    upgrade_plan.require_time(planned, planned.seconds)
    with pytest.raises(ServiceUnavailable, match="takes about") as refused:
        upgrade_plan.require_time(planned, planned.seconds - 1)
    assert refused.value.details["reason"] == "UPGRADE_TOO_LONG"
    assert refused.value.details["seconds"] == planned.seconds
    assert revision(url) == RELEASED


def test_each_migration_names_the_tables_that_it_visits(url: str) -> None:
    scripts = list(ScriptDirectory(str(upgrade_ahead.MIGRATIONS)).walk_revisions())
    on_postgres = url.startswith("postgresql")
    modules = {each.revision: each.module for each in scripts}

    def named(revision: str, *kinds: str) -> set[str]:
        return {name for kind in kinds for name in getattr(modules[revision], kind, ())}

    def indexed(revision: str) -> set[str]:
        return {each.table for each in getattr(modules[revision], "indexes", ())}

    statements: list[str] = []
    visited: dict[str, set[str]] = {}
    made: set[str] = set()
    early: set[str] = set()

    def visits_of(statements: list[str]) -> set[str]:
        made.update(re.findall(r"CREATE TABLE (\w+)", "".join(statements)))
        found = [match for each in statements if (match := _VISIT.match(each))]
        return {next(filter(None, match.groups())) for match in found} - _SMALL - made

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("LOCK TABLE"):  # what was done ahead is the part of one of them
            early.update(visits_of(statements))
            statements.clear()
        stamped = re.match(r"UPDATE schema_revision SET version_num='(\d+)'", statement)
        if stamped:
            visited[stamped[1]] = visits_of(statements)
            statements.clear()
        statements.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        maintenance.upgrade(url)
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    assert sorted(visited) == sorted(each for each in modules if each > RELEASED)
    if on_postgres:
        ahead = [each for each in visited if hasattr(modules[each], "ahead")]
        assert early == set().union(*map(indexed, visited), *(named(e, "visits") for e in ahead))
        assert visited == {each: named(each, "visits", "scans") for each in visited}
    else:
        assert early == set()
        assert visited == {
            each: (indexed(each) | named(each, "visits", "scans", "rewrites"))
            - made
            - _ON_POSTGRES.get(each, set())
            for each in visited
        }


def test_an_old_file_is_compacted_and_stays_sound(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path)
    released.restore(url)
    maintenance.upgrade(url)
    database = connect(url)
    with database.write() as connection:
        connection.execute(text("CREATE TABLE ballast (body TEXT)"))
        connection.execute(text("INSERT INTO ballast VALUES (hex(zeroblob(400000)))"))
        connection.execute(text("DROP TABLE ballast"))
        connection.commit()
    database.close()
    before, after = maintenance.compact(url)
    assert before - after >= 800_000
    opened = open_database(url)
    assert verify(opened) == ()
    opened.close()
    assert maintenance.check(url).healthy


def test_a_file_in_use_or_without_space_is_not_compacted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, path = sqlite_url(tmp_path), tmp_path / "bank.db"
    released.restore(url)
    with pytest.raises(ServiceUnavailable) as refused:
        maintenance.compact(url)
    assert refused.value.details["reason"] == "OUTDATED_SCHEMA"
    maintenance.upgrade(url)
    before = path.read_bytes()
    holding = [sys.executable, "-c", f"{_HOLDER}; print(flush=True); input()", str(path)]
    with subprocess.Popen(holding, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(ServiceUnavailable) as refused:
            maintenance.compact(url)
        assert refused.value.details["pids"] == [process.pid]
        process.communicate(b"\n")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: DiskUsage(9_000, 8_000, 1_000))
    with pytest.raises(ServiceUnavailable) as refused:
        maintenance.compact(url)
    assert refused.value.details["reason"] == "STORAGE_FULL"
    assert path.read_bytes() == before
