"""What a log says, entry by entry."""

from sqlalchemy import select

from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.storage.database import Database
from chainteller.storage.log.entry import Entry, opened
from chainteller.storage.tables import Tables


def entries(
    database: Database, organisation: str = DEFAULT_ORGANISATION, action: str = ""
) -> list[Entry]:
    """The entries of a log whose bodies are there, or those with one action; the oldest first."""
    table = Tables.entry
    mine = select(table).where(table.c.organisation_id == organisation, table.c.body.is_not(None))
    if action:
        mine = mine.where(table.c.action == action)
    with database.read() as connection:
        rows = connection.execute(mine.order_by(table.c.number)).all()
    return [opened(row.number, row.body) for row in rows]
