"""Query which provider a gateway's database is in front of.

Every program that opens a database asks this, so it loads little.
"""

from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.storage.db import records
from chainteller.storage.db.query import Query, Session, Value
from chainteller.storage.db.sources import Finder

SUBJECT = "gateway"
"""What the entry is about that says which provider it is."""
find = Finder(records.Provider, "organisation_id")


def address(connection: Session) -> str:
    """The address of the provider; empty for a bank's own database."""
    row = find(connection, DEFAULT_ORGANISATION)
    return "" if row is None else str(row.address)


has_accounts = Query("SELECT count(*) AS value FROM trading_account", Value).value
