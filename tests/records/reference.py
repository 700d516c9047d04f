"""The reference of every record's fields, made from the models and the field lists.

``python -m tests.records.reference`` prints ``docs/reference/records.md``.
"""

import sys
import types
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import AwareDatetime

from chainteller.records.accounts import ACCOUNT, BALANCE, CUSTOMER, LIMIT
from chainteller.records.agents import AGENT
from chainteller.records.audit import AUDIT_ROW, EVENT
from chainteller.records.decisions import DECISION
from chainteller.records.fields import Field, FieldList, Interface
from chainteller.records.finding import FOUND
from chainteller.records.markets import MARKET, PRICE
from chainteller.records.notes import NOTE
from chainteller.records.trades import QUOTE, TRADE
from chainteller.records.transfers import DEPOSIT, WITHDRAWAL
from chainteller.records.wallets import BLOCKCHAIN_ACCOUNT, CHALLENGE, CLAIM, DIAGNOSIS, WALLET
from chainteller.records.webhooks import WEBHOOK
from chainteller.service.models.base import WireModel

LISTS: tuple[FieldList[Any], ...] = (
    ACCOUNT,
    BALANCE,
    LIMIT,
    CUSTOMER,
    FOUND,
    DEPOSIT,
    WITHDRAWAL,
    MARKET,
    PRICE,
    QUOTE,
    TRADE,
    BLOCKCHAIN_ACCOUNT,
    WALLET,
    CHALLENGE,
    CLAIM,
    DIAGNOSIS,
    DECISION,
    AGENT,
    NOTE,
    WEBHOOK,
    AUDIT_ROW,
    EVENT,
)
_HEAD = """\
# Records

The fields of every record, as `--json` and the HTTP service write them. *Label* is what the
console, the commands and receipts call a field. *Shown in* says where people see it: the console's
`detail`, the `command` that prints one record, the `list` command's table, the `receipt` and,
filled in, the `text` for the customer. What is `private` is masked while names and amounts are
hidden. A deployment may leave out whatever can be null.

This page is generated: `python -m tests.records.reference > docs/reference/records.md`.
"""
_TYPES: Mapping[object, str] = {
    str: "text",
    int: "number",
    bool: "true or false",
    AwareDatetime: "time",
}


def model_of(fields: FieldList[Any]) -> type[WireModel]:
    module, _, name = fields.model.rpartition(".")
    found: type[WireModel] = getattr(import_module(f"chainteller.service.models.{module}"), name)
    return found


def problems(fields: FieldList[Any], model: type[WireModel] | None = None) -> list[str]:
    """In what the list and its model differ, as sentences; empty when they agree."""
    model = model or model_of(fields)
    paths = {path for path, _, _ in _leaves(model)}
    known = paths | {path.rpartition(".")[0] for path in paths}
    found = [
        f"{fields.kind}: the field {field.name!r} reads {path!r}, which {model.__name__} "
        "does not have"
        for field in fields.fields
        for path in field.of
        if path not in known
    ]
    read = {path.partition(".")[0] for field in fields.fields for path in field.of}
    found += [
        f"{fields.kind}: {name!r} is for programs alone, but {model.__name__} does not have it"
        for name in fields.wire_only
        if name not in model.model_fields
    ]
    found += [
        f"{fields.kind}: {model.__name__} has {name!r}, which is in no field and not in wire_only"
        for name in model.model_fields
        if name not in read and name not in fields.wire_only
    ]
    return found


def reference() -> str:
    """The page of documentation."""
    return "\n".join([_HEAD, *(_section(fields) for fields in LISTS)])


def _section(fields: FieldList[Any]) -> str:
    rows = [
        f"## {fields.kind.capitalize()}",
        "",
        "| field | is | label | shown in |",
        "|---|---|---|---|",
    ]
    for path, wire, kind in _leaves(model_of(fields)):
        reading = [
            field
            for field in fields.fields
            if path in field.of or path.partition(".")[0] in field.of
        ]
        labels = ", ".join(dict.fromkeys(field.label for field in reading))
        places = ", ".join(
            dict.fromkeys(each for field in reading for each in _places(fields, field))
        )
        rows.append(f"| `{wire}` | {kind} | {labels} | {places} |")
    return "\n".join([*rows, ""])


def _places(fields: FieldList[Any], field: Field[Any]) -> Iterator[str]:
    names = {
        Interface.DETAIL: "detail",
        Interface.COMMAND: "command",
        Interface.RECEIPT: "receipt",
    }
    yield from (
        name for each, name in names.items() if each in field.interfaces & fields.interfaces
    )
    if field in fields.table:
        yield "list"
    if field.spoken_as:
        yield "text"
    if field.is_private:
        yield "private"


def _leaves(model: type[WireModel], parent: str = "") -> Iterator[tuple[str, str, str]]:
    """(attribute path, path on the wire, type) of everything that is not a record itself."""
    for name, field in model.model_fields.items():
        wire = f"{parent}{field.alias or name}"
        inner, kind = _type(field.annotation)
        if inner is None:
            yield name, wire, kind
            continue
        for path, deeper, deepest in _leaves(inner, f"{wire}."):
            yield f"{name}.{path}", deeper, deepest


def _type(annotation: object) -> tuple[type[WireModel] | None, str]:
    """A record within the record, or the name of a plain type."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type(inner[0])
    if origin in {Union, types.UnionType}:
        found, kind = _type(next(each for each in inner if each is not type(None)))
        return found, f"{kind} or null"
    if origin is tuple:
        _, kind = _type(inner[0])
        return None, f"list of {kind or 'records'}"
    if isinstance(annotation, type) and issubclass(annotation, WireModel):
        return annotation, ""
    return None, _TYPES.get(annotation, "object")


if __name__ == "__main__":
    sys.stdout.write(reference())
