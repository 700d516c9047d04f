"""What a client can check of an audit log from the rows that it is shown."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.world.bank import World, build, sqlite_url
from tests.world.files import open_fresh

from chainteller.domain import merkle
from chainteller.domain.clock import DAY, SECOND
from chainteller.engine.core.unit_of_work import act
from chainteller.engine.upkeep import archiving
from chainteller.service.audit_segment import check_segment
from chainteller.service.errors import TellerError
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.records import AuditRow
from chainteller.storage.log import entry, views

Rows = list[AuditRow]


@pytest.fixture
def rows(tmp_path: Path) -> Iterator[Rows]:
    """Six rows as a deployment shows them, oldest first, refusals among them."""
    world: World = build(sqlite_url(tmp_path))
    for number in (1, 2, 3, 4, 5, 98):
        asked = OpenTradingAccount(
            bank_account_id=f"DDA-{number}",
            bank_account_type="checking" if number % 2 else "savings",
        )
        with contextlib.suppress(TellerError):  # a refusal is a row too
            world.engine.open_trading_account(asked)
    shown = world.engine.audit(ListQuery(limit=100)).data[::-1]
    # As they come over the wire: text, not the engine's own values.
    yield [AuditRow.model_validate_json(row.to_json()) for row in shown]
    world.engine.close()


def head_of(rows: Rows) -> tuple[int, bytes]:
    """Size and root of a log with these rows."""
    return len(rows), merkle.Tree().append(bytes.fromhex(row.hash) for row in rows).root


def test_all_rows_of_a_log_give_its_signed_head(rows: Rows) -> None:
    size, root = head_of(rows)
    report = check_segment(rows, head=(size, root))
    assert report.intact
    assert (report.rows, report.proven) == (len(rows), size)
    earlier = head_of(rows[:4])
    assert check_segment(rows, head=earlier).proven == 4, "newer rows follow the head"


def test_rows_without_the_first_ones_prove_nothing_and_contradict_nothing(rows: Rows) -> None:
    report = check_segment(rows[1:], head=head_of(rows))
    assert (report.intact, report.proven) == (True, 0)
    report = check_segment(rows[:-1], head=head_of(rows))
    assert (report.intact, report.proven) == (True, 0), "the head may be newer than the rows"


def test_a_row_with_another_hash_or_in_anothers_place_is_found(rows: Rows) -> None:
    told = "rows don't give the signed head"
    head = head_of(rows)
    forged = rows[2].model_copy(update={"hash": "0" * 64})
    report = check_segment([*rows[:2], forged, *rows[3:]], head=head)
    assert not report.intact
    assert told in report.problem
    swapped = [rows[1].model_copy(update={"seq": 1}), rows[0].model_copy(update={"seq": 2})]
    assert told in check_segment([*swapped, *rows[2:]], head=head).problem


def test_a_row_that_is_left_out_is_found(rows: Rows) -> None:
    report = check_segment([rows[0], *rows[2:]])
    assert report.first_broken == rows[2].seq
    assert report.problem == f"row {rows[1].seq} is missing"


def test_a_log_that_was_written_again_does_not_hold_the_row_seen_earlier(rows: Rows) -> None:
    assert check_segment(rows, (rows[1].seq, rows[1].hash)).intact
    report = check_segment(rows, (rows[1].seq, "0" * 64))
    assert (report.first_broken, report.problem) == (
        rows[1].seq,
        "it is not the row that was seen here earlier",
    )


def test_a_row_says_what_the_entry_of_its_proof_says(tmp_path: Path, rows: Rows) -> None:
    """The hash of a row is that of an entry, and its proof shows the entry."""
    database = open_fresh(sqlite_url(tmp_path))
    with database.read() as connection:
        for row in rows:
            body = views.body_of(connection, row.organisation, row.seq)
            shown = entry.shown(body or b"")
            assert merkle.leaf_hash(shown).hex() == row.hash
            told = json.loads(shown)
            assert (told["by"], told["action"], told["object"]) == (
                row.actor,
                row.action,
                row.object,
            )
            assert (told.get("error"), told["log"]) == (row.error, row.organisation)
    database.close()


def test_rows_are_whole_where_older_ones_were_archived(tmp_path: Path) -> None:
    """Entries about the database stay beside archived ones; they'd leave gaps in the list."""
    world = build(sqlite_url(tmp_path))
    act(world.context, world.engine.actor, lambda tx: tx.audit("tried", "database"))
    opened = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    world.engine.open_trading_account(opened)
    world.advance(2 * DAY / SECOND)
    second = OpenTradingAccount(bank_account_id="DDA-3", bank_account_type="checking")
    kept = world.engine.open_trading_account(second).value
    assert sum(archiving.archive(world.context, tmp_path / "old.archive", 1))
    shown = world.engine.audit(ListQuery(limit=100))
    rows = shown.data[::-1]
    assert check_segment(rows).intact
    assert len(rows) == shown.pagination.total
    assert rows[-1].object == kept.id
    of_database = world.engine.audit(ListQuery(text="database")).data
    assert [row.action for row in of_database] == ["tried"]
    world.engine.close()
