"""The written description mentions everything that there is.

The table of calls is made of the declarations; ``python -m tests.api.test_documentation`` writes
it into the page.
"""

from itertools import groupby
from pathlib import Path

import pytest

from chainteller.domain.actors import SCOPES
from chainteller.service.error_codes import ERRORS
from chainteller.service.operations import ENDPOINTS, OPERATIONS, Operation

FILE = Path(__file__).parents[2] / "docs" / "reference" / "http_api.md"
PAGE = FILE.read_text(encoding="utf-8")
BEGIN = "<!-- calls: made of the declarations in service/operations.py -->\n"
END = "\n<!-- end of calls -->"


def calls() -> str:
    """Every call with its scope and what it does, by tag."""
    routed = [
        endpoint
        for each in ENDPOINTS
        for endpoint in (each.endpoints if isinstance(each, Operation) else (each,))
    ]
    sections = []
    for tag, endpoints in groupby(routed, key=lambda each: each.tag):
        rows = [f"| `{each.route}` | {each.scope} | {each.summary} |" for each in endpoints]
        head = ["| call | scope | does |", "|---|---|---|"]
        sections.append("\n".join([f"\n### {tag}\n", *head, *rows]))
    return "\n".join(sections) + "\n"


def test_the_table_of_calls_is_made_of_the_declarations() -> None:
    assert PAGE.partition(BEGIN)[2].partition(END)[0] == calls()


@pytest.mark.parametrize("code", ERRORS)
def test_every_error_stands_with_its_status(code: str) -> None:
    assert f"| `{code}` | {ERRORS[code].status} |" in PAGE


def test_every_scope_and_every_filter_is_named() -> None:
    filters = {
        name
        for each in OPERATIONS
        for parameter in each.parameters
        for name in parameter.names
        if name.startswith("filter")
    }
    for word in (*SCOPES, *filters):
        assert f"`{word}`" in PAGE


if __name__ == "__main__":
    before, _, rest = PAGE.partition(BEGIN)
    FILE.write_text(before + BEGIN + calls() + END + rest.partition(END)[2], encoding="utf-8")
