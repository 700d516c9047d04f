"""Erasing the inputs of entries about a person. Their leaves, and so the log, stay as they are."""

from chainteller.storage.db.query import Query, Session, row_of
from chainteller.storage.log import entry

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
ERASE = Query(
    "UPDATE entry SET body = :body WHERE organisation_id = :organisation AND number = :number"
)


def archived(connection: Session, organisation_id: str, customer_id: str) -> list[int]:
    """The numbers of entries about a customer's records whose bodies are in archives."""
    place = {"organisation": organisation_id, "customer": customer_id}
    return sorted(row.number for row in connection.execute(_ABOUT, place) if row.body is None)


def erase_inputs(connection: Session, organisation_id: str, customer_id: str) -> int:
    """Erase the inputs of every entry about a customer's records that is here; returns of how many.

    Raises:
        ValueError: an entry can't be read.
    """
    erased = 0
    place = {"organisation": organisation_id, "customer": customer_id}
    for row in connection.execute(_ABOUT, place):
        shorter = None if row.body is None else without_inputs(row.body)
        if shorter is not None:
            found = {"organisation": organisation_id, "number": row.number, "body": shorter}
            connection.later(ERASE, found)
            erased += 1
    return erased


def without_inputs(stored: bytes) -> bytes | None:
    """The stored form of an entry without its inputs; None if they were erased before.

    Raises:
        ValueError: it can't be read.
    """
    body = entry.unpack(stored)
    erased = entry.erased(body)
    return None if erased == body else entry.pack(erased)
