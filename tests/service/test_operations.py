"""Every operation is declared once, and whole."""

import inspect
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import create_model

from chainteller.service import operations
from chainteller.service.errors import NotFound, ValidationFailed
from chainteller.service.interface import Service
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.base import _ANOTHER, RequestModel, read_request
from chainteller.service.operations import (
    _SECTION_OF,
    ENDPOINTS,
    FEATURES,
    OPERATIONS,
    Call,
    Endpoint,
    Operation,
    Read,
    Section,
    Write,
    features_of,
)

THINGS = Section("Things", "accounts:read", "accounts:write")
WHOLE = (THINGS, "thing", "GET /things/{quoteId}", "Show a thing", TradingAccount)


def test_what_a_declaration_leaves_out_follows_from_the_rest() -> None:
    shown = Read[TradingAccount](*WHOLE)
    assert (shown.operation_id, shown.scope, shown.errors) == (
        "getThing",
        "accounts:read",
        (NotFound,),
    )
    made = Write[TradingAccount](THINGS, "make_thing", "POST /things", "", TradingAccount)
    assert (made.operation_id, made.scope, made.errors) == ("makeThing", "accounts:write", ())


def test_a_scope_that_no_key_can_have_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown scope: things:read"):
        Read[TradingAccount](*WHOLE, scope="things:read")


def test_an_id_that_nobody_declared_to_be_a_records_or_not_is_refused() -> None:
    with pytest.raises(ValueError, match="getThing names thingId, which isn't declared"):
        Read[TradingAccount](THINGS, "thing", "GET /things/{thingId}", "", TradingAccount)
    body = create_model("Body", __base__=RequestModel, thing_id=(str, ...))
    with pytest.raises(ValueError, match="thing names thingId, which isn't declared"):
        Write[TradingAccount](*WHOLE, request=body)


class Asked(Service):
    """Keeps the call that a method makes."""

    def call(self, call: Call[Any]) -> Any:
        self.made = call


def named(operation: Operation[Any]) -> str:
    return operation.name


@pytest.mark.parametrize("operation", OPERATIONS, ids=named)
def test_the_typed_method_makes_the_declared_call(operation: Operation[Any]) -> None:
    service = Asked()
    method = getattr(service, operation.name)
    hints = method.__annotations__
    parameters = inspect.signature(method).parameters
    ids = [f"ID_{number}" for number in range(len(operation.path_names))]
    given: list[Any] = list(ids)
    if operation.request is not None:
        assert hints["request"] == operation.request.__name__
        given.append(operation.request.model_construct())
    needed = [each for each in parameters.values() if each.default is inspect.Parameter.empty]
    given += ["words"] * (len(needed) - len(given))
    named_key = {"idempotency_key": "key"} if operation.writes else {}
    assert ("idempotency_key" in parameters) == operation.writes
    method(*given, **named_key)
    call = service.made
    assert (call.operation, list(call.ids)) == (operation, ids)
    assert call.key == ("key" if operation.writes else None)
    assert (call.request is None) == (operation.request is None)
    assert (type(call.query) if call.query is not None else None) is (
        operation.query.model if operation.query is not None else None
    )


@pytest.mark.parametrize("operation", OPERATIONS, ids=named)
def test_every_parameter_fills_a_field_of_its_query(operation: Operation[Any]) -> None:
    fields = operation.query.model.model_fields if operation.query is not None else {}
    assert {each.field for each in operation.parameters} <= set(fields)


@pytest.mark.parametrize("operation", OPERATIONS, ids=named)
def test_what_is_created_can_be_shown(operation: Operation[Any]) -> None:
    if isinstance(operation, Write) and operation.creates is not None:
        shown = [each for each in OPERATIONS if each.path == operation.creates]
        assert any(each.method == "GET" for each in shown)


@pytest.mark.parametrize("operation", OPERATIONS, ids=named)
def test_its_name_is_that_of_its_constant(operation: Operation[Any]) -> None:
    (constant,) = [each for each in _SECTION_OF if getattr(operations, each) is operation]
    assert constant.removeprefix("SHOW_") == operation.name.upper()


def test_the_features_are_those_of_the_endpoints_in_their_order() -> None:
    """``idempotency`` is of all writes; what is only over HTTP comes last."""
    found = dict.fromkeys(feature for each in ENDPOINTS for feature in features_of(each))
    in_order = [each for each in found if each != FEATURES[-1]]
    assert [operations.IDEMPOTENCY, *in_order, FEATURES[-1]] == list(FEATURES)


def test_an_operation_of_a_feature_that_isnt_listed_is_refused() -> None:
    with pytest.raises(ValueError, match="getThing is of a feature that isn't in FEATURES"):
        Read[TradingAccount](*WHOLE, feature="things")


def test_every_endpoint_is_in_the_table_of_its_section() -> None:
    """Who asks for one operation gets the same as who asks for all."""
    listed = [getattr(operations, name) for name in _SECTION_OF]
    assert {each for each in listed if isinstance(each, Endpoint)} == {*ENDPOINTS}


_ASKED = """
import sys
from chainteller.service import operations
operations.SHOW_TRADE
print([each for each in sys.modules if each.startswith("chainteller.service.models.")])
"""


def test_an_operation_imports_its_section_and_no_other() -> None:
    ran = subprocess.run([sys.executable, "-c", _ASKED], capture_output=True, text=True, check=True)
    assert "models.trades" in ran.stdout
    for other in ("counterparties", "customers", "decisions", "notes", "statements", "webhooks"):
        assert f"models.{other}'" not in ran.stdout


def test_no_two_operations_share_a_route_or_an_id() -> None:
    endpoints = [endpoint for each in OPERATIONS for endpoint in each.endpoints]
    assert len({each.route for each in endpoints}) == len(endpoints)
    assert len({each.operation_id for each in endpoints}) == len(endpoints)


def _requests(kind: type[RequestModel]) -> Iterator[type[RequestModel]]:
    for each in kind.__subclasses__():
        yield each
        yield from _requests(each)


def test_numbers_and_flags_of_a_body_are_never_read_from_texts_or_each_other() -> None:
    asked = 0
    for kind in _requests(RequestModel):
        for name, field in kind.model_fields.items():
            kinds = {field.annotation, *get_args(field.annotation)}
            for right, wrong in ((int, ["5", True, 5.0]), (bool, ["true", 1])):
                if right not in kinds and not any(right in get_args(each) for each in kinds):
                    continue
                asked += 1
                for value in wrong:
                    with pytest.raises(ValidationFailed) as refused:
                        read_request(kind, {field.alias or name: value})
                    named = {
                        each["field"]: each["code"] for each in refused.value.details["errors"]
                    }
                    assert named.get(field.alias or name) == "INVALID", (kind, name, value)
    assert asked > 5


def test_what_is_wrong_with_a_field_is_said_in_plain_words() -> None:
    """Of every request and every field: pydantic speaks of tuples and dictionaries."""
    wrong: tuple[object, ...] = (None, -1, 2**60, 1.5, "x", [], [1], {}, True, [{}], {"type": "x"})
    said: set[str] = set()
    for operation in OPERATIONS:
        model = operation.request
        if model is None:
            continue
        names = [field.alias or name for name, field in model.model_fields.items()]
        for body in (*wrong, *({name: value} for name in names for value in wrong)):
            try:
                read_request(model, body)
            except ValidationFailed as refused:
                said.update(each["message"] for each in refused.details["errors"])
    assert {each for each in said if "{" in each or "nput" in each or each == _ANOTHER} == set()
    assert {"Send an array in brackets.", "Send 'bank-account' or 'counterparty'."} <= said
