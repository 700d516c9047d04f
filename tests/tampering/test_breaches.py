"""What ``verify`` says of a damaged row, word for word; each word of a finding is tried here.

Of the statements with the same words, all but the first are thorough.
"""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.tampering.altering import unguarded
from tests.tampering.breaches import STATEMENTS, kept, said
from tests.tampering.words import words
from tests.world.engines import World

from chainteller.engine.checks import seals
from chainteller.storage import log, packing

KEPT = kept()
WORDS = words()
ROOT = Path(__file__).parents[2]
ELSEWHERE: Mapping[str, str] = {
    "it is missing": "tampering/test_every_cell.py::test_a_missing_table_and_a_missing_column",
    "its column X is missing": (
        "tampering/test_every_cell.py::test_a_missing_table_and_a_missing_column"
    ),
    "and X more rows": "tampering/test_every_cell.py::test_rows_beyond_the_first_are_counted",
    "X; then written over by X": "tampering/test_written_over.py::test_what_was_altered_is_named",
    "it names another entry or log": "tampering/test_breaches.py::test_an_entry_that_says",
    "it cannot be read": "tampering/test_breaches.py::test_an_entry_that_says",
    "its beginning is not what the checkpoint says": "engine/test_log.py::test_",
    "it had X entries at the checkpoint and has X": "engine/test_log.py::test_",
    "the hashes of its archived entries were altered": "engine/test_archiving.py::test_",
    "X microseconds": "engine/test_due_times.py::test_work_that_was_put_off_is_named",
    "work is scheduled on a record that says no time for it": (
        "engine/test_due_times.py::test_a_review_without_an_end_is_not_ended_by_a_job"
    ),
    "The claim is missing.": "payouts/test_payouts.py::test_each_fact_of_a_claim_is_compared",
    "The link rests on a claim for another pair.": (
        "payouts/test_payouts.py::test_each_fact_of_a_claim_is_compared"
    ),
    "The wallet's records hold a value that can't be read.": (
        "payouts/test_payouts.py::test_a_payout_whose_cells_cannot_be_read_is_not_made"
    ),
}
"""Words whose damage isn't one statement on this bank, with the test that has it."""
NEVER_SAID: Mapping[str, str] = {
    "invariant X: X (X)": "how a finding is written, not what is found",
    "the audit chain is broken": "every break of the chain has its own words",
    "The challenge had expired before it was completed.": (
        "the signed text names the expiry, so that is contradicted first"
    ),
}


def _shown(expression: str) -> str:
    return re.sub(r"\\(.)", r"\1", expression.replace(".+", "X"))


def _first_statements() -> dict[str, str]:
    """For each word the first statement after which it's found."""
    found: dict[str, str] = {}
    for statement, lines in KEPT.items():
        for word in WORDS:
            if word not in found and any(re.search(word, line) for line in lines):
                found[word] = statement
    return found


FIRST = _first_statements()
FORMS = [
    pytest.param(each, marks=() if each in FIRST.values() else pytest.mark.thorough)
    for each in STATEMENTS
]


def test_what_is_kept_belongs_to_the_statements() -> None:
    assert tuple(KEPT) == STATEMENTS


def test_every_word_of_a_finding_has_its_damage() -> None:
    untried = {_shown(each) for each in WORDS if each not in FIRST}
    assert untried - NEVER_SAID.keys() <= ELSEWHERE.keys()
    for word in untried - NEVER_SAID.keys():
        file, _, test = ELSEWHERE[word].partition("::")
        assert f"def {test}" in (ROOT / "tests" / file).read_text(encoding="utf-8"), word


@pytest.mark.parametrize("statement", FORMS)
def test_a_finding_names_its_invariant_the_row_and_what_is_wrong(
    bank: World, statement: str
) -> None:
    assert said(bank, statement) == KEPT[statement]


@pytest.mark.parametrize(
    ("number", "what"), [(0, "it cannot be read"), (21, "it names another entry or log")]
)
def test_an_entry_that_says_nothing_or_what_another_says_is_named(
    bank: World, number: int, what: str
) -> None:
    """Its hash is right: whoever writes it can compute that."""
    change = "UPDATE entry SET body = :body, leaf = :leaf WHERE number = 20"
    change += " AND organisation_id = 'default'"
    with unguarded(bank) as connection:
        entry_id = connection.scalar(
            text("SELECT id FROM entry WHERE number = 20 AND organisation_id = 'default'")
        )
        others = {each.number: each.body for each in log.entries(connection, "default", 0)}
        body = others.get(number, "{")
        stored = {
            "body": packing.pack(body, entry_id, "default"),
            "leaf": log.leaf_of(body.encode()),
        }
        connection.execute(text(change), stored)
        found = [each.what for each in seals.check(connection) if each.where.startswith("entry 20")]
    assert found == [what]
