"""Context managers that open the service and the workspace for one command."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from chainteller.bootstrap import OpenedService, open_service, workspace_file
from chainteller.cli.error_output import say
from chainteller.cli.options import idempotency_key, options
from chainteller.service.cases import ForCase
from chainteller.service.errors import NotOffered
from chainteller.service.interface import Service
from chainteller.service.layers import Next, layered
from chainteller.service.operations import Call
from chainteller.sqlite import sqlite3
from chainteller.workspace.store import Workspace

if TYPE_CHECKING:
    from chainteller.workspace.recording import Recorder

Answer = TypeVar("Answer")


@contextmanager
def opened(*, is_signed: bool = True) -> Iterator[OpenedService]:
    """The service that flags, environment and settings name, after its due work is applied; with
    this machine's agent, if it has one."""
    configured = options().configured
    found = open_service(configured, configured.place(), is_signed=is_signed)
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
def unsigned() -> Iterator[Service]:
    """A service for enrolling this machine, whose agent isn't known yet."""
    with opened(is_signed=False) as found:
        yield found.service


@contextmanager
def remembering() -> Iterator[Service]:
    """A service for commands that only read, which says so where it answers from this desk's own
    list what the deployment doesn't offer.
    """
    with opened() as found:
        yield layered(found.service, _OwnList())


class _OwnList:
    """A layer that opens the workspace only when it's needed."""

    def __init__(self) -> None:
        self._has_said = False

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        try:
            return onward(call)
        except NotOffered:
            from chainteller.workspace.registry import Remembering

            with workspace() as own:
                answer = Remembering(own)(call, onward)
        if not self._has_said:
            self._has_said = True
            say("This deployment doesn't offer this. You see only what this console has seen.")
        return answer


@contextmanager
def writing() -> Iterator["Recorder"]:
    """A recorder for commands that write: saves each request with its key before sending it."""
    with opened() as found, recording(found.service) as recorder:
        yield recorder


@contextmanager
def recording(inner: Service) -> Iterator["Recorder"]:
    from chainteller.workspace.recording import Recorder
    from chainteller.workspace.registry import Remembering

    with workspace() as own:
        remembered = layered(inner, Remembering(own), ForCase(lambda: options().case))
        yield Recorder(remembered, own, idempotency_key())


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
