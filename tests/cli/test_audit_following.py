"""``audit export --follow`` appends rows as they are written, and goes on where it ended."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Teller
from tests.cli.program import environment
from tests.world.waiting import PATIENCE_S

from chainteller.service.models.records import AuditRow

pytestmark = pytest.mark.usefixtures("small_bank")


def following(file: Path, until: Callable[[], bool]) -> None:
    """Follow into a file until something is true of it, then end as ctrl-c does."""
    process = subprocess.Popen(
        [sys.executable, "-m", "chainteller", "audit", "export", str(file), "--follow"],
        stderr=subprocess.PIPE,
        env=environment(CHAINTELLER_DESK__POLL_INTERVAL_S="0.05"),
    )
    try:
        while not until():
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.05)
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
        if process.stderr is not None:
            process.stderr.close()


def rows(file: Path) -> list[AuditRow]:
    """The whole lines of a file."""
    text = file.read_text("utf-8") if file.exists() else ""
    return [AuditRow.model_validate_json(each) for each in text.split("\n")[:-1]]


def test_rows_are_appended_without_a_gap_or_a_repetition(teller: Teller, tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"

    def newest() -> int:
        return int(teller("audit", "list", "--limit", "1", "--json").body["data"][0]["seq"])

    wanted = newest()
    following(file, lambda: bool(rows(file)) and rows(file)[-1].seq >= wanted)
    with file.open("ab") as out:
        out.write(b'{"seq":99999,"at":"20')
    teller("accounts", "open", "DDA-1001", "--type", "checking")
    wanted = newest()
    following(file, lambda: rows(file)[-1].seq >= wanted)
    found = rows(file)
    assert [each.seq for each in found] == list(range(1, found[-1].seq + 1))
    teller("audit", "export", str(tmp_path / "whole.jsonl"))
    assert found == rows(tmp_path / "whole.jsonl")[: len(found)]
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("content", ["notes", "notes\n", '{"seq":1,"hash":"x"}\n', '{"a":1}\n'])
def test_a_file_of_something_else_is_left_as_it_is(
    teller: Teller, tmp_path: Path, content: str
) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(content, encoding="utf-8")
    ended = teller("audit", "export", str(file), "--follow")
    assert ended.code == 2
    assert "isn't a row of this audit trail" in ended.err
    assert file.read_text(encoding="utf-8") == content
    assert teller("audit", "export", str(file), "--follow", "--format", "csv").code == 2


def test_a_trail_that_cannot_be_read_makes_no_file(
    teller: Teller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINTELLER_API_KEY", "key")
    file = tmp_path / "audit.jsonl"
    assert teller("--url", "unix:/none", "audit", "export", str(file), "--follow").code == 3
    assert not file.exists()
