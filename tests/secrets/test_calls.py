"""Every call with a secret is refused before it's kept or sent, whichever of its texts it is in."""

import itertools
import types
from collections.abc import Iterator
from typing import Any, Union, get_args, get_origin

import pytest
from pydantic import BaseModel
from tests.secrets.generated import FEW_OR_MANY, Secret
from tests.world.bank import World

from chainteller.domain.pasted_secrets import Digits
from chainteller.remote.client import RemoteService
from chainteller.service.entered_secrets import JUDGED_BY_ENGINE, MEANINGS, require_clean
from chainteller.service.errors import SecretEntered, ValidationFailed
from chainteller.service.operations import OPERATIONS, Call, Operation
from chainteller.workspace.recording import Recorder
from chainteller.workspace.store import Workspace

DIGITS = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"


def _texts(model: Any) -> Iterator[tuple[str, ...]]:
    """The names of the fields of a model that take texts, with those of the models around them."""
    if get_origin(model) in {Union, types.UnionType}:
        model = next((each for each in get_args(model) if each is not type(None)), None)
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        return
    for name, field in model.model_fields.items():
        kinds = {field.annotation, *get_args(field.annotation)}
        if str in kinds:
            yield (name,)
        else:
            yield from ((name, *inner) for inner in _texts(field.annotation))


def _filled(model: Any, names: tuple[str, ...], text: str) -> Any:
    """A model with one text, as if it had been read."""
    if get_origin(model) in {Union, types.UnionType}:
        model = next(each for each in get_args(model) if each is not type(None))
    name, *inner = names
    kind = model.model_fields[name].annotation
    value = _filled(kind, tuple(inner), text) if inner else text
    return model.model_construct(**{**dict.fromkeys(model.model_fields), name: value})


def _entrances(operation: Operation[Any]) -> Iterator[tuple[str, Any]]:
    """The name of each text of an operation, and what makes its call with a text in its place."""
    ids = ("TXN_1",) * len(operation.path_names)
    for at, name in enumerate(operation.path_names):
        yield name, lambda text, at=at: Call(operation, (*ids[:at], text, *ids[at + 1 :]))
    if operation.writes:
        yield "idempotency key", lambda text: Call(operation, ids, key=text)
    for part, model in (("request", operation.request), ("query", _query(operation))):
        for names in _texts(model):
            yield (
                names[-1],
                lambda text, part=part, model=model, names=names: Call(
                    operation, ids, **{part: _filled(model, names, text)}
                ),
            )


def _query(operation: Operation[Any]) -> Any:
    return operation.query.model if operation.query is not None else None


ENTRANCES = [
    (f"{operation.name}: {name}", name, made)
    for operation in OPERATIONS
    for name, made in _entrances(operation)
]


@FEW_OR_MANY
def test_no_call_with_a_secret_is_kept_or_sent(world: World, entered: list[Secret]) -> None:
    nobody = RemoteService("http://127.0.0.1:9", "chainteller_test_x")
    recorder = Recorder(world.engine, Workspace(None))
    turns = itertools.cycle(entered)
    assert len(ENTRANCES) > 120
    for entrance, name, made in ENTRANCES:
        for secret in itertools.islice(turns, max(1, len(entered) // 15)):
            call = made(secret.text)
            if secret.is_hex and _meaning(name) in {Digits.HASH, Digits.DIGEST}:
                continue
            with pytest.raises(SecretEntered) as refused:
                nobody.call(call)
            assert secret.text not in str(refused.value), entrance
            if call.operation.writes:
                with pytest.raises(SecretEntered):
                    recorder.call(call)
            if _wire(name) not in JUDGED_BY_ENGINE:
                with pytest.raises(ValidationFailed) as found:
                    world.engine.call(call)
                assert found.value.details["errors"][0]["code"] == "SECRET_PASTED", entrance
                assert secret.text not in str(found.value.to_wire()), entrance
    assert recorder.workspace.sent_requests() == []
    nobody.close()


def _wire(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(map(str.capitalize, rest))


def _meaning(name: str) -> Digits:
    return MEANINGS.get(_wire(name), Digits.KEY)


@pytest.mark.parametrize("digits", [DIGITS, f"0x{DIGITS}"])
def test_64_hex_digits_are_a_hash_where_one_is_looked_for_and_a_key_elsewhere(
    digits: str,
) -> None:
    """The table in docs/explanation/wallet_policy.md."""
    for _, name, made in ENTRANCES:
        takes = {Digits.HASH, Digits.DIGEST} if digits == DIGITS else {Digits.HASH}
        if _meaning(name) in takes:
            require_clean(made(digits))
        else:
            with pytest.raises(SecretEntered):
                require_clean(made(digits))
    assert {_meaning(name) for _, name, _ in ENTRANCES} == {*Digits}
