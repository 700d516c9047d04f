"""The configured database itself, for commands that work on it without the service."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from chainteller.bootstrap import database_url, open_engine, writer_keys
from chainteller.cli.error_output import Usage
from chainteller.cli.options import options
from chainteller.service.errors import TellerError, ValidationFailed

if TYPE_CHECKING:
    from chainteller.engine.engine import Engine
    from chainteller.storage.log.writer_keys import WriterKeys

Outcome = dict[str, object]


@contextmanager
def engine() -> Iterator["Engine"]:
    """The engine on the configured database, without its due work applied."""
    configured = options().configured
    found = open_engine(configured.settings, configured.database())
    try:
        yield found
    finally:
        found.close()


@contextmanager
def existing() -> Iterator["Engine"]:
    """As ``engine``, without making a database that isn't there.

    Raises:
        ServiceUnavailable: NO_DATABASE, or as opening it does.
    """
    from chainteller.storage.upkeep import maintenance

    maintenance.require_database(address())
    with engine() as found:
        yield found


def address() -> str:
    configured = options().configured
    return database_url(configured.settings, configured.database())


def keys_of_place() -> "WriterKeys":
    return writer_keys(options().configured.settings)


def signing_problem() -> str:
    """Why no heads of the audit log are signed; empty if they are. Never raises TellerError."""
    try:
        with existing() as found, found.context.database.read() as connection:
            return found.context.signers.standing(connection).problem
    except TellerError as error:
        return error.message


@contextmanager
def judged() -> Iterator[None]:
    """Report an invalid option as a usage error."""
    try:
        yield
    except ValidationFailed as error:
        raise Usage("; ".join(f"--{line}" for line in error.lines)) from None
