"""The table of the desk's promises names tests that exist."""

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


def test_every_promise_has_its_row() -> None:
    wanted = [f"M{number}" for number in range(1, 23)]
    wanted += [f"B{number}" for number in range(1, 18) if number not in {6, 7}]
    assert [row for row in wanted if f"| {row} |" not in PAGE] == []
