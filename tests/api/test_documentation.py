"""The written description mentions everything that there is.

The tables of calls and of events are made of the declarations; ``python -m
tests.api.test_documentation`` writes them into the page.
"""

from itertools import groupby
from pathlib import Path

import pytest
from tests.cli.all_commands import WITHOUT_COMMAND, commands

from chainteller.domain.actors import SCOPES
from chainteller.domain.event_types import EVENT_TYPES
from chainteller.service.error_codes import ERRORS
from chainteller.service.operations import ENDPOINTS, OPERATIONS, Operation

FILE = Path(__file__).parents[2] / "docs" / "reference" / "http_api.md"
PAGE = FILE.read_text(encoding="utf-8")
BEGIN = "<!-- calls: made of the declarations in service/operations/ -->\n"
END = "\n<!-- end of calls -->"
BEGIN_EVENTS = "<!-- events: made of domain/event_types.py -->\n"
END_EVENTS = "\n<!-- end of events -->"


def calls() -> str:
    """Every call with its scope, its command and what it does, by tag."""
    named: dict[str, list[str]] = {}
    for path, command in commands().items():
        for called in command.calls:
            named.setdefault(called.operation_id, []).append(f"`{path}`")
    reasons = {each.operation_id: reason for each, reason in WITHOUT_COMMAND.items()}
    for each in OPERATIONS:
        for further in each.endpoints[1:]:
            named[further.operation_id] = named[each.operation_id]
    routed = [
        endpoint
        for each in ENDPOINTS
        for endpoint in (each.endpoints if isinstance(each, Operation) else (each,))
    ]
    sections = []
    for tag, endpoints in groupby(routed, key=lambda each: each.tag):
        rows = [
            f"| `{each.route}` | {each.scope} | {each.summary} | "
            f"{', '.join(named.get(each.operation_id, ())) or reasons[each.operation_id]} |"
            for each in endpoints
        ]
        head = ["| call | scope | does | command |", "|---|---|---|---|"]
        sections.append("\n".join([f"\n### {tag}\n", *head, *rows]))
    return "\n".join(sections) + "\n"


def events() -> str:
    """The types of events, by record."""
    rows = [
        f"| `{record}.*` | {', '.join(f'`{each}`' for each in found)} |"
        for record, found in groupby(sorted(EVENT_TYPES), key=lambda each: each.partition(".")[0])
    ]
    return "\n".join(["| record | types |", "|---|---|", *rows])


def test_the_tables_are_made_of_the_declarations() -> None:
    assert PAGE.partition(BEGIN)[2].partition(END)[0] == calls()
    assert PAGE.partition(BEGIN_EVENTS)[2].partition(END_EVENTS)[0] == events()


def test_every_operation_has_a_command_or_a_reason_why_not() -> None:
    called = {operation for command in commands().values() for operation in command.calls}
    assert called | WITHOUT_COMMAND.keys() == {*ENDPOINTS}
    assert not called & WITHOUT_COMMAND.keys()


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
    page = before + BEGIN + calls() + END + rest.partition(END)[2]
    before, _, rest = page.partition(BEGIN_EVENTS)
    page = before + BEGIN_EVENTS + events() + END_EVENTS + rest.partition(END_EVENTS)[2]
    FILE.write_text(page, encoding="utf-8")
