"""What a client can check of an audit chain from the rows that it is shown."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.world.bank import World, build, sqlite_url

from chainteller.service.audit_segment import check_segment, row_hash
from chainteller.service.errors import TellerError
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.records import AuditRow

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


def test_every_row_has_the_hash_that_its_contents_give(rows: Rows) -> None:
    assert [row_hash(row) for row in rows] == [row.hash for row in rows]
    report = check_segment(rows)
    assert report.intact
    assert (report.rows, report.links) == (len(rows), len(rows) - 1)


def test_a_changed_row_is_found(rows: Rows) -> None:
    rows[2] = rows[2].model_copy(update={"actor": "nobody"})
    report = check_segment(rows)
    assert (report.first_broken, report.problem) == (
        rows[2].seq,
        "its contents do not match its hash",
    )


def test_a_row_that_was_hashed_anew_no_longer_fits_the_next(rows: Rows) -> None:
    forged = rows[2].model_copy(update={"actor": "nobody"})
    rows[2] = forged.model_copy(update={"hash": row_hash(forged)})
    assert check_segment(rows).first_broken == rows[3].seq


def test_numbers_of_other_organisations_in_between_break_nothing(rows: Rows) -> None:
    report = check_segment([rows[0], *rows[2:]])
    assert report.intact
    assert report.links == len(rows) - 3


def test_a_chain_that_was_written_anew_does_not_hold_the_row_seen_earlier(rows: Rows) -> None:
    assert check_segment(rows, (rows[1].seq, rows[1].hash)).intact
    report = check_segment(rows, (rows[1].seq, "0" * 64))
    assert (report.first_broken, report.problem) == (
        rows[1].seq,
        "it is not the row that was seen here earlier",
    )
