"""Where the writer's key of a database is (``marks``)."""

from typing import Protocol

from chainteller.service.errors import WriterKeyMissing

KEY_BYTES = 32


class WriterKeys(Protocol):
    """Where the writer's key of a deployment is."""

    def place(self, deployment: str) -> str:
        """Where it is, in words."""

    def load(self, deployment: str) -> bytes:
        """Read it. Raises WriterKeyMissing."""

    def create(self, deployment: str) -> bytes:
        """Make one, or read one that was put there before. Raises as ``load``."""

    def replace(self, deployment: str) -> bytes:
        """Make another one in its place. Raises as ``load``."""


class PublicKey:
    """A key that anybody can know, for databases that are thrown away: demos and training."""

    def place(self, _deployment: str) -> str:
        return "the program itself: this database is thrown away"

    def load(self, _deployment: str) -> bytes:
        return bytes(KEY_BYTES)

    create = replace = load


class NoKey:
    """No key: nobody writes to the logs."""

    def place(self, _deployment: str) -> str:
        return "no place"

    def load(self, _deployment: str) -> bytes:
        raise missing_key("this command doesn't write")

    create = replace = load


OTHER_KEY, NO_KEY = "OTHER_KEY", "NO_KEY"
"""Why a key can't be used."""


def other_key() -> WriterKeyMissing:
    """The key is there, and the log wasn't marked with it."""
    return WriterKeyMissing(
        "The writer's key isn't the one that marked this database, or the first entry of the "
        "deployment's log was altered. Nothing was written.",
        OTHER_KEY,
    )


def missing_key(why: str) -> WriterKeyMissing:
    """There is no key that can be used."""
    said = f"The writer's key can't be read: {why.rstrip('.')}. Nothing was written."
    return WriterKeyMissing(said, NO_KEY)
