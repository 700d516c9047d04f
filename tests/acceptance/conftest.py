"""The real service on a port of its own, as a stranger's HTTP client meets it."""

from tests.api.conftest import call, world

__all__ = ["call", "world"]
