"""Names that say nothing about what a file holds."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
GRAB_BAGS = {"utils.py", "util.py", "helpers.py", "helper.py", "manager.py", "misc.py", "common.py"}


def test_no_file_is_named_for_a_grab_bag() -> None:
    files = [file for top in ("src", "tests", "benchmarks") for file in (ROOT / top).rglob("*.py")]
    assert files
    assert not [file for file in files if file.name in GRAB_BAGS]
