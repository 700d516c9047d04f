"""Context managers that open the service and the workspace for one command."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from chainteller.bootstrap import OpenedService, open_service, workspace_file
from chainteller.cli.options import options
from chainteller.service.interface import Service
from chainteller.service.layers import layered
from chainteller.workspace.recording import Recorder
from chainteller.workspace.registry import Remembering
from chainteller.workspace.store import Workspace


@contextmanager
def opened() -> Iterator[OpenedService]:
    """The service that flags, environment and settings name, after its due work is applied."""
    configured = options().configured
    found = open_service(configured, configured.place())
    try:
        found.run_due()
        yield found
    finally:
        found.close()


@contextmanager
def service() -> Iterator[Service]:
    """A service for commands that only read."""
    with opened() as found:
        yield found.service


@contextmanager
def writing() -> Iterator[Recorder]:
    """A recorder for commands that write: saves each request with its key before sending it."""
    with opened() as found, recording(found.service) as recorder:
        yield recorder


@contextmanager
def recording(inner: Service) -> Iterator[Recorder]:
    with workspace() as own:
        yield Recorder(layered(inner, Remembering(own)), own)


@contextmanager
def workspace() -> Iterator[Workspace]:
    """The workspace of the place; kept in memory only where its file cannot be opened."""
    configured = options().configured
    try:
        own = Workspace(workspace_file(configured.settings.paths, configured.place()))
    except (OSError, sqlite3.Error):
        own = Workspace(None)
    try:
        yield own
    finally:
        own.close()
