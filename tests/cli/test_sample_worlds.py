"""The kept worlds of sample data, and the process of its own that makes them."""

import sys
from pathlib import Path

import pytest

from chainteller import sample_worlds
from chainteller.bootstrap import start_demo
from chainteller.domain.clock import SystemClock
from chainteller.paths import locate
from chainteller.service.errors import ServiceUnavailable
from chainteller.settings.place import Place, sqlite_url
from chainteller.sqlite import sqlite3
from chainteller.storage.upkeep.worlds import sample_world

pytestmark = pytest.mark.thorough

SEED = "7"


def demo(folder: Path) -> Path:
    """Start and end a demo that finds no world; the world it made."""
    paths = locate({"CHAINTELLER_HOME": str(folder)})
    place = Place(remote=False, address=sqlite_url(folder / "b.db"), label="", chosen_by="test")
    start_demo(paths, place, SEED).close()
    return sample_world(paths, SEED, SystemClock())


def audit_head(file: Path) -> tuple[int, str]:
    with sqlite3.connect(file) as connection:
        found = connection.execute("SELECT audit_seq, audit_hash FROM head").fetchone()
    assert found[0] > 5_000
    return found[0], found[1]


def test_a_console_leaves_the_making_to_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here: list[Path] = []
    monkeypatch.setitem(sample_worlds.MAKERS, "past", lambda file, _seed: here.append(file))
    made = demo(tmp_path)
    assert here == []
    monkeypatch.undo()
    sample_worlds.make_past(tmp_path / "here.db", SEED)
    assert audit_head(made) == audit_head(tmp_path / "here.db")
    assert [file.name for file in made.parent.iterdir()] == [made.name]


@pytest.mark.parametrize("python", ["/nonexistent/python", "/bin/false"])
def test_where_no_other_process_can_make_it_this_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: str
) -> None:
    monkeypatch.setattr(sys, "executable", python)
    assert audit_head(demo(tmp_path))


def test_a_world_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ServiceUnavailable):
        sample_worlds.make_past(tmp_path / "file" / "world.db", SEED)
