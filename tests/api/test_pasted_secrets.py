"""No request to the service leaves a wallet secret in its database or in its log."""

import itertools
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin
from urllib.parse import quote, urlencode

from pydantic import BaseModel
from tests.api.conftest import Caller
from tests.secrets.generated import FEW_OR_MANY, Secret
from tests.secrets.leaks import Parts
from tests.world.bank import World
from tests.world.serving import deployment, served

from chainteller.domain.actors import SCOPES
from chainteller.service.operations import ACCOUNT_ID, OPERATIONS, Operation, Write

KNOWN: Mapping[str, Any] = {"amount": "1.00", "side": "buy", "network": "ethereum"}
HEADERS = (
    "Idempotency-Key", "X-Request-Id", "Authorization", "User-Agent", "Api-Version", "Accept",
    "Content-Type", "Forwarded", "X-Forwarded-For", "Last-Event-Id", "Referer",
)  # fmt: skip
Request = tuple[str, dict[str, Any] | None, dict[str, str]]
"""Path with its query, body and headers."""


def _model(kind: Any) -> type[BaseModel] | None:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind
    models = map(_model, get_args(kind)) if get_origin(kind) in {Union, types.UnionType} else ()
    return next(filter(None, models), None)


def _body(model: type[BaseModel], ids: Mapping[str, str]) -> dict[str, Any]:
    """A body that the operation takes, as far as its fields say."""
    body: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        named, inner = field.alias or name, _model(field.annotation)
        if field.is_required() and inner is not None:
            body[named] = _body(inner, ids)
        elif field.is_required():
            is_choice = get_origin(field.annotation) is Literal
            first = get_args(field.annotation)[0] if is_choice else "1"
            body[named] = ids.get(named) or KNOWN.get(named, first)
    return body


def _with_secret(
    model: type[BaseModel], body: dict[str, Any], secret: str
) -> Iterator[dict[str, Any]]:
    """The body once for each field of the model, which is the secret."""
    for name, field in model.model_fields.items():
        named, inner = field.alias or name, _model(field.annotation)
        yield {**body, named: secret}
        if inner is not None:
            for each in _with_secret(inner, body.get(named) or {}, secret):
                yield {**body, named: each}
    yield {**body, secret: "x"}


def _requests(operation: Operation[Any], ids: Mapping[str, str], secret: str) -> Iterator[Request]:
    """Requests of an operation with a secret in each place that takes a text."""
    names = {name: ids.get(name, "TXN_1") for name in operation.path_names}
    path = operation.path.format_map(names)
    model = operation.request
    body = None if model is None else _body(model, ids)
    for name in names:
        yield operation.path.format_map({**names, name: quote(secret, safe="")}), body, {}
    for parameter in operation.query.parameters if operation.query else ():
        for name in parameter.names:
            yield f"{path}?{urlencode({name: secret})}", body, {}
    yield f"{path}?{urlencode({secret: 'x'})}", body, {}
    yield f"{path}/{quote(secret, safe='')}", body, {}
    if model is not None:
        for each in _with_secret(model, body or {}, secret):
            yield path, each, {}
    if isinstance(operation, Write):
        yield path, body, {"Idempotency-Key": secret}


def _records(call: Caller) -> dict[str, str]:
    """Ids of records that are there, by their names in paths and bodies."""
    account = call.account()
    asked = {"tradingAccountId": account, "network": "ethereum"}
    custody = call("POST", "/blockchain-accounts", asked).json["id"]
    address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
    wallet = call("POST", "/counterparties", {"address": address, "network": "ethereum"}).json["id"]
    return {
        ACCOUNT_ID: account,
        "blockchainAccountId": custody,
        "counterpartyId": wallet,
        "market": "sol-usd",
        "bankAccountId": "DDA-3",
    }


def _sent(call: Caller, method: str, request: Request) -> None:
    path, body, headers = request
    """Without what no header can hold."""
    sendable = {
        name: " ".join(value.split()).encode().decode("latin-1") for name, value in headers.items()
    }
    call(method, path, body, headers=sendable)


@FEW_OR_MANY
def test_no_request_leaves_a_secret(
    tmp_path: Path, world: World, log_file: Path, entered: Sequence[Secret]
) -> None:
    """64 bare hex digits may be the hash that a program has made its key."""
    turns = itertools.cycle(entered)
    keys = [each.text for each in entered if not each.is_hex]
    tried = 0
    with served(deployment(world)) as address:
        call = Caller(address, world.key(*SCOPES))
        ids = _records(call)
        for operation in OPERATIONS:
            for _ in range(max(1, len(entered) // 15)):
                secret = next(turns)
                for request in _requests(operation, ids, secret.text):
                    if not (request[2] and secret.is_hex):
                        _sent(call, operation.method, request)
                        tried += 1
        for header, text in itertools.product(HEADERS, keys):
            _sent(call, "GET", ("/trading-accounts", None, {header: text}))
        token = {"type": "deposit-token-currency", "id": "DPT_USD"}
        for number, text in enumerate(keys):
            deposit = {"amount": f"{number + 1}.00", "currency": token}
            deposits = f"/trading-accounts/{ids[ACCOUNT_ID]}/deposits"
            _sent(call, "POST", (deposits, deposit, {"Idempotency-Key": text}))
    assert tried > 200
    assert log_file.stat().st_size
    assert Parts(entered).found_in(tmp_path) == set()
