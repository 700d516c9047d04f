"""What a client can check of an audit log from the rows that it is shown."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.world.bank import World, build, sqlite_url
from tests.world.files import open_fresh

from chainteller.domain import merkle
from chainteller.service.audit_segment import check_segment
from chainteller.service.errors import TellerError
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.records import AuditRow
from chainteller.storage.log import entry, views

Rows = list[AuditRow]


@pytest.fixture
def rows(tmp_path: Path) -> Iterator[Rows]:
    """All rows as a deployment shows them, oldest first, refusals among them."""
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


def head(rows: Rows, size: int) -> tuple[int, bytes]:
    """The head of the first rows, as the log signs it."""
    return size, merkle.root(bytes.fromhex(row.hash) for row in rows[:size])


@pytest.mark.parametrize("unsigned", [0, 2])
def test_all_rows_give_the_head_that_was_signed(rows: Rows, unsigned: int) -> None:
    size = len(rows) - unsigned
    report = check_segment(rows, head=head(rows, size))
    assert report.intact
    assert (report.rows, report.proven) == (len(rows), size)


def test_a_row_with_another_hash_does_not_give_the_head(rows: Rows) -> None:
    signed = head(rows, len(rows))
    rows[2] = rows[2].model_copy(update={"hash": rows[3].hash})
    report = check_segment(rows, head=signed)
    assert (report.first_broken, report.proven) == (1, 0)
    assert f"the first {len(rows)} rows don't give the signed head" in report.problem


def test_a_missing_row_is_named(rows: Rows) -> None:
    report = check_segment([*rows[:2], *rows[3:]])
    assert (report.first_broken, report.problem) == (rows[3].seq, f"row {rows[2].seq} is missing")


def test_without_the_first_rows_nothing_is_proven(rows: Rows) -> None:
    report = check_segment(rows[1:], head=head(rows, len(rows)))
    assert report.intact
    assert report.proven == 0


def test_a_log_that_was_written_anew_does_not_hold_the_row_seen_earlier(rows: Rows) -> None:
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
