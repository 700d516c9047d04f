"""Erasing the inputs of entries about a person. Their leaves, and so the log, stay as they are."""

from collections.abc import Iterable

from chainteller.storage.db.query import Query, Record, Session, row_of
from chainteller.storage.log import entry, views

_BODY = row_of("number", "body")
_OF_CUSTOMER = """
SELECT number, body FROM entry WHERE organisation_id = :organisation
 AND trading_account_id IN (SELECT id FROM trading_account WHERE customer_id = :customer)
UNION ALL
SELECT number, body FROM entry WHERE organisation_id = :organisation
 AND trading_account_id IS NULL AND object IN (
 SELECT decision.id FROM decision JOIN trading_account
 ON trading_account.id = decision.trading_account_id WHERE trading_account.customer_id = :customer
 UNION ALL SELECT id FROM ownership_statement WHERE customer_id = :customer
 UNION ALL SELECT id FROM challenge WHERE customer_id = :customer
 UNION ALL SELECT id FROM blockchain_account WHERE customer_id = :customer
 UNION ALL SELECT id FROM trading_account WHERE customer_id = :customer
 UNION ALL SELECT :customer)"""
_ABOUT = Query(_OF_CUSTOMER, _BODY)
_ERASE = Query(
    "UPDATE entry SET body = :body WHERE organisation_id = :organisation AND number = :number"
)


def archived(connection: Session, organisation_id: str, customer_id: str) -> list[int]:
    """The numbers of entries about a customer's records whose bodies are in archives, also those
    whose bodies are here, too."""
    upto = views.head(connection, organisation_id).archived
    about = _ABOUT.rows(connection, organisation_id, customer_id)
    return sorted(row.number for row in about if row.number <= upto)


def erase_inputs(connection: Session, organisation_id: str, customer_id: str) -> int:
    """Erase the inputs of every entry about a customer's records that is here; returns of how many.
    Raises ValueError: an entry can't be read."""
    return erase_of(
        connection, organisation_id, _ABOUT.run(connection, organisation_id, customer_id)
    )


def erase_of(connection: Session, organisation_id: str, rows: Iterable[Record]) -> int:
    """Erase the inputs of entries by ``number`` and ``body``; returns of how many. Those without a
    body, and those that were erased before, stay as they are.

    Raises:
        ValueError: an entry can't be read.
    """
    count = 0
    for row in rows:
        body = None if row.body is None else entry.unpack(row.body)
        erased = None if body is None else entry.erased(body)
        if erased is not None and erased != body:
            found = {"number": row.number, "body": entry.pack(erased)}
            connection.later(_ERASE, {"organisation": organisation_id, **found})
            count += 1
    return count
