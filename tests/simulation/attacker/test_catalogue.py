"""Whatever is changed in the catalogue is named by the look that is taken every minute."""

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.postgres import PostgresServer
from tests.simulation.attacker.catalogue import Change, changes
from tests.simulation.attacker.raw import Raw, Statement, attacking
from tests.simulation.generators import Draw
from tests.world.files import KEYS, open_fresh

from chainteller.engine.verification.full_pass import verify_since
from chainteller.service.errors import ServiceUnavailable
from chainteller.storage.database import open_database

DAMAGED = "The database file is damaged."


def named(url: str, draw: Draw) -> tuple[Change, str] | None:
    """One change, and what names it: a breach, or that the database can't be read any more. None
    where nothing was changed."""
    database = open_database(url, KEYS)
    try:
        with attacking(url) as raw:
            change = draw.pick(changes(raw, draw))
            before = _definitions(raw)
            for each in change:
                if not raw.run(Statement(each)):
                    break
            if _definitions(raw) == before:
                return None
        try:
            found = verify_since(database, {}).breaches
        except ServiceUnavailable as error:
            return change, error.message if error.message == DAMAGED else ""
        return change, "; ".join(map(str, found))
    finally:
        database.close()


def _definitions(raw: Raw) -> list[object]:
    """Everything that says how the schema is; read by queries of the test's own."""
    if not raw.is_postgres:
        definition = "replace(sql, char(34), '')"  # quotes say nothing
        sql = f"SELECT type, name, tbl_name, {definition} FROM sqlite_master ORDER BY 1, 2"  # noqa: S608 - our own words
        return raw.all(sql)
    return [raw.all(each) for each in _DEFINITIONS]


_OURS = "current_schema()::regnamespace"
_DEFINITIONS = [
    text.replace("@ours", _OURS)
    for text in (
        "SELECT relname, relkind, relpersistence, relrowsecurity, relreplident, relhassubclass"
        " FROM pg_class WHERE relnamespace = @ours ORDER BY 1",
        "SELECT table_name, column_name, column_default, is_nullable, data_type,"
        " character_maximum_length, collation_name FROM information_schema.columns"
        " WHERE table_schema = current_schema() ORDER BY 1, 2",
        "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE connamespace = @ours AND contype <> 'n' ORDER BY 1",
        "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1",
        "SELECT tgname, tgenabled, pg_get_triggerdef(oid) FROM pg_trigger ORDER BY 1, 3",
        "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = @ours ORDER BY 1, 2",
        "SELECT typname FROM pg_type WHERE typnamespace = @ours ORDER BY 1",
        "SELECT collname FROM pg_collation WHERE collnamespace = @ours ORDER BY 1",
        "SELECT polname FROM pg_policy ORDER BY 1",
        "SELECT rulename, ev_class::regclass::text FROM pg_rewrite ORDER BY 1, 2",
    )
]


def require_all_named(copy: Callable[[], str], count: int) -> Counter[str]:
    """Make so many changes, each in a database of its own; how many there were of each kind."""
    made, missed, number = Counter[str](), [], 0
    while made.total() < count:
        number += 1
        found = named(copy(), Draw(number))
        if found is None:
            continue
        change, said = found
        made[" ".join(change[-1].split()[:2])] += 1
        if not said:
            missed.append(f"{number} {change}")
    assert missed == [], "\n".join(missed)
    return made


def on_sqlite(folder: Path) -> Callable[[], str]:
    """Copies of an empty bank."""
    first = folder / "first.db"
    open_fresh(f"sqlite:///{first}").close()

    def copy() -> str:
        shutil.copyfile(first, folder / "copy.db")
        return f"sqlite:///{folder / 'copy.db'}"

    return copy


def test_some_changes_of_the_catalogue_are_all_named(tmp_path: Path) -> None:
    assert len(require_all_named(on_sqlite(tmp_path), 60)) >= 8


@pytest.mark.slow
def test_a_thousand_changes_of_the_catalogue_are_all_named(tmp_path: Path) -> None:
    assert len(require_all_named(on_sqlite(tmp_path), 1_000)) >= 9


@pytest.mark.slow
def test_changes_of_postgresqls_catalogue_are_all_named(postgres_server: PostgresServer) -> None:
    first, copies = postgres_server.fresh(), list[str]()
    open_database(first, KEYS).close()

    def copy() -> str:
        for each in copies:
            postgres_server.drop(each)
        copies[:] = [postgres_server.fresh(first)]
        return copies[0]

    assert len(require_all_named(copy, 300)) > 12
