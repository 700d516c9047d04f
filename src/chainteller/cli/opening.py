"""Opening what a command talks to, and closing it again."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from chainteller.bootstrap import OpenedService, open_service
from chainteller.cli.options import options
from chainteller.service.interface import Service


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
    with opened() as found:
        yield found.service


def key_for(given: str | None) -> str:
    """The idempotency key of a write: the one given, or a new one."""
    return given or f"cli-{secrets.token_hex(16)}"
