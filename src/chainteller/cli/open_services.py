"""Opening what a command talks to, and closing it again."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from chainteller.bootstrap import OpenedService, open_service, workspace_file
from chainteller.cli.options import options
from chainteller.service.interface import Service
from chainteller.workspace.recording import Recorder
from chainteller.workspace.store import Workspace


@contextmanager
def opened() -> Iterator[OpenedService]:
    """The place that flags, environment and settings name, with what is due already applied."""
    configured = options().configured
    found = open_service(configured, configured.place())
    try:
        found.run_due()
        yield found
    finally:
        found.close()


@contextmanager
def service() -> Iterator[Service]:
    """For commands that only read."""
    with opened() as found:
        yield found.service


@contextmanager
def writing() -> Iterator[Recorder]:
    """For commands that write: each request is on disk, with its key, before it is sent."""
    with opened() as found, recording(found.service) as recorder:
        yield recorder


@contextmanager
def recording(inner: Service) -> Iterator[Recorder]:
    with workspace() as own:
        yield Recorder(inner, own)


@contextmanager
def workspace() -> Iterator[Workspace]:
    """This desk's own notes for the place; where they cannot be kept, notes that are forgotten."""
    configured = options().configured
    try:
        own = Workspace(workspace_file(configured.settings.paths, configured.place()))
    except (OSError, sqlite3.Error):
        own = Workspace(None)
    try:
        yield own
    finally:
        own.close()
