"""Commands that are killed in the middle of their work are finished by the next run."""

import shutil
from pathlib import Path

import pytest
from tests.cli.middle_kills import CASES, kills


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("name", CASES)
def test_a_command_killed_anywhere_is_finished_by_the_next_run(tmp_path: Path, name: str) -> None:
    assert kills(tmp_path, name, 20) == []
