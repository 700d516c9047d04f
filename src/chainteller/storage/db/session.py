"""What begins transactions on a database."""

from abc import ABC, abstractmethod
from typing import Any

from chainteller.storage.db.pool import Pool
from chainteller.storage.db.query import Dialect, Session, Shared


class Sessions(ABC):
    """Begins sessions on one database. Each is closed by whoever asked for it."""

    dialect: Dialect
    pool: Pool

    def __init__(self, shared: Shared) -> None:
        self.shared = shared

    @abstractmethod
    def connect(self) -> Any:
        """Open a connection of the driver, for its own use. Raises DatabaseError."""

    @abstractmethod
    def reading(self, *, patient: bool = False) -> Session:
        """A transaction that writes nothing; without timeouts if ``patient``."""

    @abstractmethod
    def writing(self) -> Session:
        """A transaction that may write."""

    @abstractmethod
    def looking(self) -> Session:
        """Single statements, each of which sees what is committed."""
