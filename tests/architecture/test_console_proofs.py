"""The table of the console's promises names tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "development" / "console_proofs.md").read_text(encoding="utf-8")


def test_every_proof_named_is_a_test() -> None:
    for row in PAGE.splitlines():
        file = ""
        for said in re.findall(r"`([^`]*(?:\.py|::)[^`]*)`", row):
            name, _, test = said.partition(" ")[0].partition("::")
            file = name or file
            path = ROOT / (file if file.startswith("tests/") else f"tests/tui/{file}")
            assert path.exists(), said
            assert not test or f"def {test}(" in path.read_text(encoding="utf-8"), said


def test_every_promise_names_its_proof() -> None:
    rows = [row for row in PAGE.splitlines() if row.startswith("| ") and "---" not in row]
    promises = [row for row in rows if "| proof |" not in row and "| what |" not in row]
    assert len(promises) > 50
    unproved = [row for row in promises if ".py" not in row.split(" | ")[1] and "tests/" not in row]
    assert unproved == []
