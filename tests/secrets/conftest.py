"""The bank and the service's log of the tests of the HTTP service."""

from tests.api.conftest import log_file, world

__all__ = ["log_file", "world"]
