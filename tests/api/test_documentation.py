"""The written description mentions everything that there is."""

from pathlib import Path

import pytest

from chainteller.api.app import OPERATIONS
from chainteller.api.listing import FILTERS
from chainteller.api.operations import Operation
from chainteller.api.streaming import STREAM
from chainteller.domain.actors import SCOPES
from chainteller.service.error_codes import ERRORS

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "http_api.md").read_text(
    encoding="utf-8"
)


@pytest.mark.parametrize("operation", [*OPERATIONS, STREAM], ids=lambda each: each.name)
def test_every_operation_stands_with_its_scope(operation: Operation) -> None:
    scope = operation.scope or "any key"
    assert f"| `{operation.method} {operation.path}` | {scope} |" in PAGE


@pytest.mark.parametrize("code", ERRORS)
def test_every_error_stands_with_its_status(code: str) -> None:
    assert f"| `{code}` | {ERRORS[code].status} |" in PAGE


def test_every_scope_and_every_filter_is_named() -> None:
    names = [name for names in FILTERS.values() for name in names if name.startswith("filter")]
    for word in (*SCOPES, *names):
        assert f"`{word}`" in PAGE
