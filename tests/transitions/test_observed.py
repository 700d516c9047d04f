"""Simulated deployments go no other way from one status to the next than the table's."""

from collections.abc import Mapping
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest
from tests.simulation.run import simulated, steps_of
from tests.transitions.table import NONE, TABLE

from chainteller.sqlite import sqlite3

_STORED = {
    "quote": "SELECT id, status FROM quote",
    "trade": "SELECT id, status FROM trade",
    "deposit": "SELECT id, status FROM transfer WHERE direction = 'deposit'",
    "withdrawal": "SELECT id, status FROM transfer WHERE direction = 'withdrawal'",
    "decision": "SELECT id, status FROM decision",
    "challenge": "SELECT id, status FROM challenge",
    "claim": "SELECT id, status FROM claim",
    "statement": "SELECT id, status FROM ownership_statement",
    "agent": "SELECT id, CASE WHEN revoked_at IS NOT NULL THEN 'revoked'"
    " WHEN approved_at IS NOT NULL THEN 'approved' ELSE 'waiting' END FROM agent",
}
"""The statuses that are stored, by record."""
Found = Mapping[tuple[str, str], str]


def _statuses(path: Path) -> Found:
    with closing(sqlite3.connect(path)) as reading:
        return {
            (record, name): status
            for record, query in _STORED.items()
            for name, status in reading.execute(query)
        }


def _reachable() -> set[tuple[str, str, str]]:
    """(record, from, to) of every way in the table, of one transition or of several."""
    found = {(row.record, row.before, row.after) for row in TABLE}
    while True:
        longer = {
            (record, before, after)
            for (record, before, between), (other, again, after) in product(found, found)
            if (record, between) == (other, again)
        }
        if longer <= found:
            return found
        found |= longer


@pytest.mark.forms(1)
@pytest.mark.parametrize("seed", ["ways-1", "ways-2", "ways-3"])
def test_a_simulation_goes_no_way_that_the_table_lacks(seed: str) -> None:
    reachable, seen = _reachable(), set[tuple[str, str, str]]()
    with simulated(seed) as simulation:
        before = _statuses(simulation.bank.path)
        for step in steps_of(seed, 200):
            simulation.do(step)
            after = _statuses(simulation.bank.path)
            seen |= {
                (record, before.get((record, name), NONE), status)
                for (record, name), status in after.items()
                if before.get((record, name)) != status
            }
            before = after
    assert seen <= reachable, seen - reachable
    assert len(seen) > 8
