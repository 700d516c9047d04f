"""An account's page of the audit trail is read from its index, however long the trail is."""

from pathlib import Path

from tests.world.bank import sqlite_url
from tests.world.files import KEYS
from tests.world.told import statements

from chainteller.domain.randomness import SystemRandomness
from chainteller.service.models.pages import ListQuery
from chainteller.storage.database import open_database
from chainteller.storage.db import records
from chainteller.storage.db.sources import insert
from chainteller.storage.log import entry, views
from chainteller.storage.log.entry import Act, Stamp


def test_an_accounts_page_and_its_total_come_from_the_index(tmp_path: Path) -> None:
    database = open_database(sqlite_url(tmp_path), KEYS)
    with database.write() as connection:
        for number in range(1, 501):
            connection.execute(insert(records.Entry), _row(number))
        connection.commit()
    with database.read() as connection:
        query = ListQuery(trading_account_id="TDA_1", page=3, limit=20)
        with statements(database) as told:
            rows, total = views.audit_page(connection, "default", query)
        asked = [(statement, given) for statement, given in told if "FROM entry" in statement]
        plans = [
            str(connection.driver.execute(f"EXPLAIN QUERY PLAN {statement}", given).fetchall())
            for statement, given in list(asked)
        ]
    database.close()
    assert ([row.seq for row in rows], total.total) == ([*range(337, 257, -4)], 125)
    assert len(plans) == 2
    for plan in plans:
        assert "ix_entry_account (organisation_id=? AND trading_account_id=?)" in plan
        assert "TEMP B-TREE" not in plan
    assert "COVERING INDEX" in plans[0]


def _row(number: int) -> dict[str, object]:
    account = f"TDA_{number % 4}" if number % 4 else None
    act = Act("trade.fill", "op01", f"TXN_{number}", account)
    body = entry.body("default", number, act, Stamp(), SystemRandomness())
    return {
        "organisation_id": "default",
        "number": number,
        "at": number,
        "action": act.action,
        "object": act.object,
        "trading_account_id": account,
        "leaf": entry.leaf_of(body),
        "mark": b"",
        "body": entry.pack(body),
        "case_id": None,
    }
