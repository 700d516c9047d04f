"""What goes wrong with a database, whichever driver says it."""

LOST_STATES = ("08", "57P0")
"""PostgreSQL's codes of an ended connection begin so."""
SESSION_CHANGED = frozenset({"26000", "42P05"})
"""A prepared statement is missing or is there already: a pooler gave the transaction a session of
somebody else."""
NOT_PREPARED = SESSION_CHANGED | {"0A000"}
"""A prepared statement can't be used, also because it returns other columns since the schema
changed. In a new session it can."""


class DatabaseError(Exception):
    """What a driver raised: nothing of the statement was done. With the connection ``is_lost``, its
    transaction is rolled back."""

    def __init__(self, cause: Exception, *, is_lost: bool = False) -> None:
        super().__init__(str(cause))
        self.cause = cause
        self.is_lost = is_lost


class UnreadableValue(DatabaseError):
    """A cell of a SQLite file holds bytes that are no text, as text."""


class NoConnection(DatabaseError):
    """Every connection is in use, and none came free in time."""
