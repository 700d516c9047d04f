"""An account's page of the audit trail is read from its index, however long the trail is."""

from pathlib import Path

from sqlalchemy import insert
from tests.world.bank import sqlite_url
from tests.world.told import statements

from chainteller.service.models.pages import ListQuery
from chainteller.storage import chain
from chainteller.storage.database import open_database
from chainteller.storage.tables import Tables


def test_an_accounts_page_and_its_total_come_from_the_index(tmp_path: Path) -> None:
    database = open_database(sqlite_url(tmp_path))
    with database.write() as connection:
        connection.execute(insert(Tables.audit), [_row(seq) for seq in range(1, 501)])
        connection.commit()
    with database.read() as connection:
        query = ListQuery(trading_account_id="TDA_1", page=3, limit=20)
        with statements(database) as asked:
            rows, total = chain.audit_page(connection, "default", query)
        plans = [
            str(connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", given).all())
            for statement, given in list(asked)
        ]
    database.close()
    assert ([row.seq for row in rows], total.total) == ([*range(337, 257, -4)], 125)
    assert len(plans) == 2
    for plan in plans:
        assert "ix_audit_account (organisation_id=? AND trading_account_id=?)" in plan
        assert "TEMP B-TREE" not in plan
    assert "COVERING INDEX" in plans[0]


def _row(seq: int) -> dict[str, object]:
    return {
        "seq": seq,
        "at": seq,
        "organisation_id": "default",
        "actor": "op01",
        "action": "trade.fill",
        "object": f"TXN_{seq}",
        "inputs": "{}",
        "outcome": "done",
        "error": None,
        "previous_hash": "0" * 64,
        "hash": "1" * 64,
        "number": seq,
        "follows": "0" * 64,
        "trading_account_id": f"TDA_{seq % 4}" if seq % 4 else None,
    }
