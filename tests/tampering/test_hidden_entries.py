"""Nothing is paid after rows were put back to an earlier state, and the entries that changed them
were hidden: filed under another record, or taken out of the middle of the log.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from sqlalchemy import delete, insert, select, update
from tests.payouts.bank import LINK, Pair, PayoutBank, make_bank
from tests.tampering.altering import unguarded

from chainteller.domain.actors import Actor
from chainteller.domain.clock import DAY, HOUR, MINUTE
from chainteller.engine.operations.disputes import clear_any
from chainteller.engine.operations.keys import ApiKeys
from chainteller.service.errors import BooksDisputed, NotFound
from chainteller.service.models.counterparties import ReverificationRequest
from chainteller.service.models.decisions import OpenDecision
from chainteller.storage.log import views
from chainteller.storage.schema import guards
from chainteller.storage.schema.wallet_tables import Tables

_LOG = "default"
_PUT_BACK = (
    Tables.trading_account, LINK, Tables.ledger_account, Tables.transfer, Tables.api_key,
)  # fmt: skip


@pytest.fixture
def bank(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PayoutBank]:
    is_postgres = request.param == "postgres"
    place = request.getfixturevalue("postgres_server").fresh() if is_postgres else tmp_path / "b.db"
    made = make_bank(place)
    yield made
    made.world.close()


def freeze(bank: PayoutBank, pair: Pair) -> None:
    asked = OpenDecision(
        kind="control", subject=pair.account_id, reason="COMPLIANCE_REVIEW", control="FROZEN"
    )
    bank.world.engine.open_decision(asked)


def end_verification(bank: PayoutBank, pair: Pair) -> None:
    why = ReverificationRequest(reason="SUSPICIOUS_ACTIVITY")
    bank.world.engine.require_reverification(pair.custody_id, pair.wallet_id, why)


def pay(bank: PayoutBank, pair: Pair) -> None:
    paid = bank.request(pair)
    bank.pass_time(DAY)
    assert bank.is_paid(paid.id)


@contextmanager
def undone(bank: PayoutBank, way: str) -> Iterator[None]:
    """Whatever was done is undone, and its entries are hidden."""
    entry, size = Tables.entry, partial(_size, bank)
    with bank.world.database.read() as connection:
        before = {table: connection.execute(select(table)).mappings().all() for table in _PUT_BACK}
    first = size() + 1
    yield
    hidden = (entry.c.organisation_id == _LOG) & entry.c.number.between(first, size())
    with pytest.raises(NotFound):  # its entry, which follows the hidden ones, stays
        bank.world.open("DDA-other")
    with unguarded(bank.world) as connection:
        for table in reversed(_PUT_BACK):
            connection.execute(delete(table))
        for table, rows in before.items():
            for row in rows:
                connection.execute(insert(table).values(dict(row)))
        elsewhere = update(entry).values(object="TXN_elsewhere", trading_account_id="TDA_elsewhere")
        change = delete(entry) if way == "removed" else elsewhere
        assert connection.execute(change.where(hidden)).rowcount
        guards.create(connection)
        connection.commit()


def _size(bank: PayoutBank) -> int:
    with bank.world.database.read() as connection:
        return views.head(connection, _LOG).size


@pytest.mark.parametrize(
    ("bank", "way", "is_read"),
    [
        *product(["sqlite"], ["removed", "filed elsewhere"], [False, True]),
        ("postgres", "filed elsewhere", False),
    ],
    indirect=["bank"],
)
@pytest.mark.parametrize("act", [freeze, end_verification, pay])
def test_nothing_is_paid_by_a_row_whose_newest_entry_is_hidden(
    bank: PayoutBank, way: str, act: Callable[[PayoutBank, Pair], None], *, is_read: bool
) -> None:
    pair, world = bank.pairs[0], bank.world
    with undone(bank, way):
        act(bank, pair)
        if is_read:
            with world.database.read() as connection:
                world.context.state.follow(connection, _LOG)
    withdrawal = bank.request(pair)
    for _ in range(2):
        bank.pass_time(HOUR)
    assert not bank.is_paid(withdrawal.id)
    disputes = world.engine.disputes().data
    assert [each.where for each in disputes] == ([] if is_read else [f"log {_LOG}"])
    for each in disputes:
        clear_any(world.context, Actor(name="root"), each.id, "looked at")
    bank.pass_time(MINUTE)
    bank.pass_time(HOUR)
    is_known = is_read or act is pay or way == "filed elsewhere"  # a payout reads the log
    assert bank.is_paid(withdrawal.id) != is_known


@pytest.mark.parametrize("bank", ["sqlite"], indirect=True)
def test_no_key_is_made_of_one_whose_end_is_hidden(bank: PayoutBank) -> None:
    keys = ApiKeys(bank.world.context, Actor(name="operator"))
    ended = keys.create("branch").key_id
    with undone(bank, "filed elsewhere"):
        keys.revoke(ended)
    with pytest.raises(BooksDisputed):
        keys.rotate(ended)
    assert [each.where for each in bank.world.engine.disputes().data] == [f"api_key {ended}"]
