"""The calls and fields of the specification, read from its own text (``specification.md``).

Everything else about a deployment that offers only the specification is derived from these: which
requests it answers, which fields of a body it knows, and which fields its answers have.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

TEXT = (Path(__file__).parent / "specification.md").read_text(encoding="utf-8")
Fields = Mapping[str, "Fields"]
"""Names of fields; those of an object with their own, the others with none."""

_TABLE = re.compile(r"^\|.+\|\n\|[-|]+\|\n((?:\|.+\|\n)+)", re.MULTILINE)
_NAMED = re.compile(r"(\w+) \(")
_PARAMETER = re.compile(r"\{[^}]+\}")
_ENVELOPE: Fields = {"total": {}, "page": {}, "limit": {}}
_CURRENCY = "2.2"
_TRADE = "2.6"


@dataclass(frozen=True, slots=True)
class SpecifiedCall:
    """One of the calls of section 4.

    Attributes:
        path: with ``{}`` for each id.
        query: the query parameters it knows.
        request: the fields of its body.
        response: the fields of its answer; none where the specification doesn't show it.
        is_list: whether the answer is the envelope of section 2.
    """

    method: str
    path: str
    query: tuple[str, ...] = ()
    request: Fields = field(default_factory=dict)
    response: Fields = field(default_factory=dict)
    is_list: bool = False

    def answer(self, body: Any) -> Any:
        """An answer with the fields of the specification alone."""
        if self.is_list:
            rows = [only(self.response, row) for row in body["data"]]
            return {"data": rows, "pagination": only(_ENVELOPE, body["pagination"])}
        return only(self.response, body)


def only(fields: Fields, value: Any) -> Any:
    """An object's own fields of these names, without any other; a null is left out."""
    return {
        name: only(inner, value[name]) if inner and isinstance(value[name], dict) else value[name]
        for name, inner in fields.items()
        if value.get(name) is not None
    }


def unknown_fields(fields: Fields, body: Any) -> list[str]:
    """Names in a request's body that the specification doesn't have."""
    if not isinstance(body, dict):
        return []
    found = [name for name in body if name not in fields]
    for name, inner in fields.items():
        if inner and name in body:
            found += [f"{name}.{each}" for each in unknown_fields(inner, body[name])]
    return found


def section(number: str) -> str:
    """The text of a section, with its parts."""
    level = "###" if "." in number else "##"
    start = re.search(rf"^{level} {re.escape(number)}\.? .*$", TEXT, re.MULTILINE)
    if start is None:
        raise LookupError(number)
    after = TEXT[start.end() :]
    end = re.search(rf"^#{{2,{len(level)}}} ", after, re.MULTILINE)
    return after[: end.start()] if end else after


def rows(text: str) -> Iterator[list[str]]:
    """The rows of the tables in a text, without their headings."""
    for table in _TABLE.findall(text + "\n"):
        for row in table.splitlines():
            yield [cell.strip() for cell in row.strip("| ").split(" | ")]


@lru_cache
def fields_of(number: str) -> Fields:
    """The fields of a record, by the number of its section."""
    if number == _CURRENCY:
        told = " ".join(cells[1] for cells in rows(section(number)))
        return {name: {} for name in ("type", *_NAMED.findall(told))}
    tree: dict[str, Any] = {}
    for name, kind, notes in rows(section(number)):
        place, *inner = name.split(".")
        below = tree.setdefault(place, {})
        for each in inner:
            below = below.setdefault(each, {})
        if kind == "object":
            below |= {each.strip(): {} for each in notes.partition("(")[0].split(",")}
    return tree


@lru_cache
def error_details() -> Mapping[str, Fields]:
    """The fields of ``details`` of the errors that the specification names."""
    return {
        code: {name: {} for name in _NAMED.findall(named)} for code, _, named in rows(section("7"))
    }


@lru_cache
def specified_calls() -> tuple[SpecifiedCall, ...]:
    """The calls of section 4, in its order."""
    return tuple(_call(*cells) for cells in rows(section("4")))


def _call(method: str, path: str, request: str, response: str) -> SpecifiedCall:
    query, _, body = request.partition("body:")
    asked = {
        name: fields_of(_CURRENCY) if name == "currency" else {} for name in _NAMED.findall(body)
    }
    filters = re.findall(r"query ([\w\[\]]+)", query)
    listed = re.search(r"\{(.+)\}", response)
    numbered = re.search(r"2\.\d", response)
    answered: Fields = {}
    if listed is not None:
        answered = {name.strip(): {} for name in listed[1].split(",")}
    elif numbered is not None:
        answered = fields_of(numbered[0])
    is_list = response.startswith("envelope")
    if method == "GET" and path.endswith("/trades"):  # "not shown": a list is an envelope
        answered, is_list = fields_of(_TRADE), True
    return SpecifiedCall(
        method, _PARAMETER.sub("{}", path), tuple(filters), asked, answered, is_list
    )


def find_call(method: str, path: str) -> SpecifiedCall | None:
    """The call that a request's method and path name."""
    parts = path.split("/")
    for call in specified_calls():
        template = call.path.split("/")
        if call.method == method and len(template) == len(parts):
            pairs = zip(template, parts, strict=True)
            if all(own in {"{}", part} for own, part in pairs):
                return call
    return None
