"""Rows as the writer writes them: exact amounts of any size, and seals of what is there."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from decimal import Decimal
from typing import Any

import pytest
from tests.world.customers import CustomerSeed, add_customers
from tests.world.files import open_fresh

from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.storage.database import Database
from chainteller.storage.db.records import Tables
from chainteller.storage.log import sealing
from chainteller.storage.log.rows import Writer
from chainteller.storage.log.sealing import Seal
from chainteller.storage.upkeep import inspection

_KEY = {"organisation_id": DEFAULT_ORGANISATION, "id": "DDA-1"}
_NAME = f"{DEFAULT_ORGANISATION} DDA-1"
_HUGE = 10**30 + 1


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Any) -> Iterator[Database]:
    url = f"sqlite:///{tmp_path}/bank.db"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_bank")
    with closing(open_fresh(url)) as opened:
        yield opened


@pytest.fixture
def writer(database: Database) -> Iterator[Writer]:
    """In a transaction that has a customer with a bank account, and is not committed."""
    with database.write() as connection:
        found = Writer(connection)
        add_customers(found, [CustomerSeed()])
        connection.flush()
        found.take()
        yield found


def seal_of(row: Mapping[str, Any]) -> str:
    return sealing.seal(row["salt"], sealing.form(Tables.bank_account).text(row))


def account(writer: Writer, key: str = _NAME) -> Mapping[str, Any]:
    found = inspection.row_by_key(writer.connection, Tables.bank_account, key)
    assert found is not None
    return found


def taken(writer: Writer, key: str = _NAME) -> Seal:
    """The seal of the account that was written."""
    writer.connection.flush()
    return writer.take()[DEFAULT_ORGANISATION]["bank_account", key]


def test_an_update_seals_what_it_found_and_what_it_leaves(writer: Writer) -> None:
    before = account(writer)
    writer.update(Tables.bank_account, _KEY, {"balance": _HUGE}, {"balance": before["balance"]})
    writer.update(Tables.bank_account, _KEY, {"type": "savings"}, {"balance": _HUGE})
    seal, after = taken(writer), account(writer)
    assert (after["balance"], after["type"]) == (_HUGE, "savings")
    assert after["salt"] != before["salt"]
    assert (seal.before, seal.seal) == (seal_of(before), seal_of(after))


def test_an_inserted_row_is_sealed_as_it_is_read(writer: Writer) -> None:
    row = {**account(writer), "id": "DDA-2", "balance": -_HUGE}
    row.pop("salt")
    assert writer.insert_if_new(Tables.bank_account, row)
    key = f"{DEFAULT_ORGANISATION} DDA-2"
    seal, found = taken(writer, key), account(writer, key)
    assert {name: found[name] for name in row} == row
    assert (seal.before, seal.seal) == (None, seal_of(found))
    assert not writer.insert_if_new(Tables.bank_account, row)
    assert not writer.take()


def test_a_deletion_seals_what_it_found(writer: Writer) -> None:
    before = account(writer)
    assert writer.delete(Tables.bank_account, "id IN :ids", {"ids": ["DDA-1", "DDA-7"]}) == [_NAME]
    seal = taken(writer)
    assert (seal.before, seal.seal) == (seal_of(before), None)


def test_a_row_that_moved_is_not_updated(writer: Writer) -> None:
    def update() -> None:
        writer.update(Tables.bank_account, _KEY, {"balance": 5}, {"balance": _HUGE})
        writer.connection.flush()

    with pytest.raises(AssertionError, match="moved while it was locked"):
        update()


@pytest.mark.parametrize("amount", [1.0, True, "1", Decimal(1)])
def test_amounts_are_whole_numbers(writer: Writer, amount: Any) -> None:
    before = account(writer)
    row = {**before, "id": "DDA-2", "balance": amount}
    row.pop("salt")
    with pytest.raises(TypeError, match="whole numbers"):
        writer.insert(Tables.bank_account, [row])
    with pytest.raises(TypeError, match="whole numbers"):
        writer.insert_if_new(Tables.bank_account, row)
    with pytest.raises(TypeError, match="whole numbers"):
        writer.update(Tables.bank_account, _KEY, {"balance": amount})
    assert account(writer) == before
