"""Log files: several processes write one, it's rotated once, and its owner alone reads it."""

import logging
from pathlib import Path

from chainteller.api.logs import LogFile

LINES, WRITERS = 80, 8
MOST_BYTES = 2_000


def _write(handler: LogFile, text: str) -> None:
    handler.handle(logging.makeLogRecord({"msg": text}))


def test_writers_of_one_file_rotate_it_once_and_lose_no_line(tmp_path: Path) -> None:
    """Each worker, and each server of one home, has the file open."""
    file = tmp_path / "serve.log"
    handlers = [LogFile(file, MOST_BYTES) for _ in range(WRITERS)]
    told = [f"{number:03d} {'x' * 95}" for number in range(LINES)]
    for number, text in enumerate(told):
        _write(handlers[number % WRITERS], text)
    for each in handlers:
        each.close()
    files = [*tmp_path.glob("serve.log*")]
    found = [line for each in files for line in each.read_text().splitlines()]
    assert sorted(found) == told
    assert all(each.stat().st_size <= MOST_BYTES for each in files)


def test_a_file_that_was_moved_away_is_begun_anew_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "serve.log"
    handler = LogFile(file, MOST_BYTES)
    _write(handler, "before")
    file.rename(tmp_path / "moved")
    _write(handler, "after")
    handler.close()
    assert (tmp_path / "moved").read_text() == "before\n"
    assert file.read_text() == "after\n"
    assert file.stat().st_mode & 0o777 == 0o600
