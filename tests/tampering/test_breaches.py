"""What ``verify`` says of a damaged row, word for word; each word of a finding is tried here.

Of the statements with the same words, all but the first are thorough.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.tampering.altering import unguarded
from tests.tampering.breaches import STATEMENTS, kept, said
from tests.tampering.words import words
from tests.world.engines import World

from chainteller.domain.randomness import SystemRandomness
from chainteller.engine.verification.full_pass import breaches
from chainteller.storage.db.query import Session
from chainteller.storage.log import entry, marks, views
from chainteller.storage.log.entry import Act, Stamp
from chainteller.storage.log.sealing import Seal

KEPT = kept()
WORDS = words()
ROOT = Path(__file__).parents[2]
_DERIVED = "ownership/test_extended_keys.py"
ELSEWHERE: Mapping[str, str] = {
    "The wallet that signed for its key isn't verified any more.": (
        f"{_DERIVED}::test_it_ends_with_the_signature_that_it_rests_on_and_by_its_age"
    ),
    "Of the wallet that signed for its key: X": (
        f"{_DERIVED}::test_a_payout_on_an_altered_anchor_is_refused"
    ),
    "it waits for a decision that isn't open": (
        "engine/test_decisions.py::test_a_withdrawal_without_its_decision_is_named_and_not_paid"
    ),
    "it is missing": "tampering/test_every_cell.py::test_a_missing_table_and_a_missing_column",
    "its column X is missing": (
        "tampering/test_every_cell.py::test_a_missing_table_and_a_missing_column"
    ),
    "and X more rows": "tampering/test_every_cell.py::test_rows_beyond_the_first_are_counted",
    "the journal X has no postings": (
        "tampering/test_breaches.py::test_what_a_good_entry_says_wrongly_is_named"
    ),
    "the journal X is out of balance": (
        "tampering/test_breaches.py::test_what_a_good_entry_says_wrongly_is_named"
    ),
    "the journal X moves a balance of another account": (
        "tampering/test_breaches.py::test_what_a_good_entry_says_wrongly_is_named"
    ),
    "went from X to X": "tampering/test_breaches.py::test_what_a_good_entry_says_wrongly_is_named",
    "the database has it otherwise": (
        "engine/test_archiving.py::test_a_copy_that_an_archive_has_beside_another_is_compared_too"
    ),
    "the log says that X has the entries up to X": (
        "tampering/test_every_cell.py::test_an_altered_cell_of_what_is_recomputed"
    ),
    "its row says X entries, but X are there; or another mark": (
        "engine/test_recent_writes.py::test_what_is_altered_of_new_writes"
    ),
    "marks weren't checked: X": "engine/test_writer_key.py::test_",
    "it cannot be read": "tampering/test_breaches.py::test_an_entry_that_says",
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
    ("body", "what"),
    [
        (b"{", "it cannot be read"),
        (b"[]\n[]\n[]", "it cannot be read"),
        (None, "its columns aren't what it says"),
    ],
)
def test_an_entry_that_says_nothing_or_what_another_says_is_named(
    bank: World, body: bytes | None, what: str
) -> None:
    """Its hash and its mark are right, as if somebody with the writer's key had written it."""
    with unguarded(bank) as connection:
        write_entry(connection, 20, body or views.body_of(connection, "default", 21) or b"")
        found = [each.what for each in breaches(connection) if each.where.startswith("entry 20")]
    assert found == [what]


def write_entry(connection: Session, number: int, body: bytes) -> None:
    """Put a body in the place of an entry, with its hash, and mark the log as it is then."""
    change = "UPDATE entry SET body = :body, leaf = :leaf WHERE number = :number"
    change += " AND organisation_id = 'default'"
    stored = {"body": entry.pack(body), "leaf": entry.leaf_of(body), "number": number}
    connection.execute(text(change), stored)
    marks.of(connection).replace(connection)


def _moved(act: Act, *codes: str, atoms: int = 0, to: str = "") -> Act:
    """With other atoms, or another account, in the legs of some codes."""
    (posted,) = act.journals
    legs = tuple(
        leg._replace(change=leg.change + atoms, code=to or leg.code)
        if leg.code.startswith(codes)
        else leg
        for leg in posted.legs
    )
    return act._replace(journals=(posted._replace(legs=legs),))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (
            lambda act: act._replace(journals=(act.journals[0]._replace(legs=()),)),
            "has no postings",
        ),
        (lambda act: _moved(act, "income:fee", atoms=1), "is out of balance"),
        (lambda act: _moved(act, "customer:", to="customer:TDA_1:held"), "of another account"),
        (
            lambda act: act._replace(
                events=tuple(each._replace(type="trade.failed") for each in act.events)
            ),
            "went from failed to settled",
        ),
    ],
)
def test_what_a_good_entry_says_wrongly_is_named(
    bank: World, change: Callable[[Act], Act], what: str
) -> None:
    """As if the program itself had written it, so that its mark holds."""
    with unguarded(bank) as connection:
        number = connection.execute(
            text("SELECT min(number) FROM entry WHERE action = 'trade.fill'")
        ).scalar_one()
        found = entry.read(number, views.body_of(connection, "default", number) or b"")
        act = Act(
            found.action,
            found.actor,
            found.object,
            found.account,
            found.inputs or {},
            events=found.events,
            rows=tuple(Seal(*each[:3], *(each[3:] or [{}])) for each in found.rows),
            journals=found.journals,
            when=found.when,
        )
        body = entry.body("default", found.at, change(act), Stamp(), SystemRandomness())
        write_entry(connection, number, body)
        said = [each.what for each in breaches(connection)]
    assert any(what in each for each in said)
    assert not any("hash" in each or "mark" in each for each in said)
