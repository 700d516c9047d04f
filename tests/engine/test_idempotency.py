"""One effect a key; refusals leave the key free; the audit trail has them all."""

from dataclasses import replace
from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel, StrictInt
from sqlalchemy import text
from tests.refusals import details, refusal
from tests.tampering.altering import unguarded
from tests.world.engines import DPT, START, World

from chainteller.domain.clock import DAY, format_instant
from chainteller.engine.core import unit_of_work
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.upkeep import upkeep
from chainteller.engine.verification.full_pass import verify
from chainteller.service.errors import BooksDisputed, Conflict
from chainteller.service.models.base import WireModel
from chainteller.service.models.counterparties import RegisterCounterparty
from chainteller.service.models.customers import CustomerLine, ImportCustomers
from chainteller.service.models.funding import DepositRequest
from chainteller.service.models.quotes import ExecuteRequest
from chainteller.service.operations import DEPOSIT, OPERATIONS, TEST_WEBHOOK, Call, Write
from chainteller.storage.schema import guards


def deposit(world: World, amount: str, key: str) -> object:
    request = DepositRequest(amount=amount, currency=DPT)
    return world.engine.deposit(world.account, request, idempotency_key=key)


def test_the_same_key_gives_the_first_outcome_again(world: World) -> None:
    quote = world.quote()
    request = ExecuteRequest(trading_account_id=world.account)
    first = world.engine.execute_quote(quote.id, request, idempotency_key="k-1")
    world.settle()
    again = world.engine.execute_quote(quote.id, request, idempotency_key="k-1")
    assert (first.created, first.replayed) == (True, False)
    assert (again.created, again.replayed) == (True, True)
    assert again.value == first.value
    assert world.engine.trades(world.account).pagination.total == 1


def test_a_repetition_says_whether_the_first_request_created_something(world: World) -> None:
    address = "DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy"
    wallet = RegisterCounterparty(address=address, network="solana")
    made, known, again = (
        world.engine.register_counterparty(wallet, idempotency_key=key) for key in "abb"
    )
    assert (made.created, known.created, again.created) == (True, False, False)
    assert (made.replayed, known.replayed, again.replayed) == (False, False, True)


@pytest.mark.parametrize("name", ["Ernst Baum", "Ada Baum"])
def test_imports_under_two_keys_are_no_breach(world: World, name: str) -> None:
    """An import names no record; the second one of the pair changes the first one's customer."""
    for number, each in enumerate(("Ernst Baum", name)):
        line = CustomerLine(
            line=1, reference="C-77", name=each, kyc_level="basic", terms_accepted=True
        )
        done = world.engine.import_customers(
            ImportCustomers(lines=(line,)), idempotency_key=f"file-{number}"
        )
        assert not done.replayed
    assert verify(world.database) == ()


def test_the_same_key_for_another_request_is_refused(world: World) -> None:
    deposit(world, "1.00", "k")
    error = refusal(deposit, world, "2.00", "k")
    assert error.code == "IDEMPOTENCY_KEY_REUSED"
    assert details(error) == {"key": "k", "firstUsedAt": format_instant(START)}
    assert world.balances() == {"BUSD1@bank": ("5001.00", "0.00", "0.00")}


@pytest.mark.parametrize("body", [b"x", b""])
def test_an_answer_that_was_altered_is_named_and_nothing_is_done_again(
    world: World, body: bytes
) -> None:
    deposit(world, "1.00", "k")
    with unguarded(world) as connection:
        connection.execute(text("UPDATE idempotency SET body = :no WHERE key = 'k'"), {"no": body})
        guards.create(connection)
        connection.commit()
    assert isinstance(refusal(deposit, world, "1.00", "k"), BooksDisputed)
    assert world.balances() == {"BUSD1@bank": ("5001.00", "0.00", "0.00")}


def test_a_key_belongs_to_one_operation(world: World) -> None:
    deposit(world, "1.00", "k")
    assert world.execute(world.quote(), key="k").status == "processing"


def test_a_refusal_leaves_the_key_free(empty_world: World) -> None:
    world = empty_world
    world.open()
    quote = world.quote("50.00")
    assert refusal(world.execute, quote, key="k").code == "INSUFFICIENT_FUNDS"
    world.deposit("50.00")
    assert world.execute(quote, key="k").status == "processing"


@pytest.mark.parametrize("key", ["", " ", "a b", "\u00e9", "x" * 256, "\x7f", "a\n"])
def test_a_key_is_visible_ascii(world: World, key: str) -> None:
    error = refusal(deposit, world, "1.00", key)
    assert error.details["errors"][0]["field"] == "Idempotency-Key"


def test_every_visible_character_stands_in_a_key(world: World) -> None:
    key = "".join(map(chr, range(0x21, 0x7F)))
    deposit(world, "1.00", key)
    assert refusal(deposit, world, "2.00", key).code == "IDEMPOTENCY_KEY_REUSED"


def test_quotes_around_a_key_are_no_part_of_it(world: World) -> None:
    deposit(world, "1.00", '"k"')
    assert refusal(deposit, world, "2.00", "k").code == "IDEMPOTENCY_KEY_REUSED"


def test_keys_are_forgotten_after_a_day_and_the_quote_still_protects(world: World) -> None:
    quote = world.quote()
    world.execute(quote, key="k")
    world.clock.advance(DAY)
    while upkeep.forget_keys(world.context):
        pass
    assert world.execute(quote, key="k").quote_id == quote.id
    world.clock.advance(1)
    while upkeep.forget_keys(world.context):
        pass
    assert refusal(world.execute, quote, key="k").code == "QUOTE_ALREADY_USED"


def test_every_write_and_every_refusal_is_audited(world: World) -> None:
    before = world.engine.audit().pagination.total
    world.deposit("1.00")
    refusal(world.deposit, "nothing")
    refusal(world.execute, world.quote("90000.00"))
    rows = world.engine.audit().data[: world.engine.audit().pagination.total - before]
    assert [(row.action, row.outcome, row.error) for row in rows] == [
        ("execute_quote", "refused", "INSUFFICIENT_FUNDS"),
        ("create_quote", "done", None),
        ("deposit", "refused", "VALIDATION_ERROR"),
        ("deposit", "done", None),
    ]
    assert verify(world.database) == ()


def test_time_never_runs_back(world: World) -> None:
    """An expired quote stays expired when the wall clock is set back."""
    quote = world.quote()
    world.clock.advance(301 * 1_000_000)
    world.deposit("1.00")
    world.clock.advance(-301 * 1_000_000)
    assert refusal(world.execute, quote).code == "QUOTE_EXPIRED"


def _filled(model: type[BaseModel]) -> dict[str, Any]:
    """The least that a model takes."""
    return {
        field.alias or name: _value(field.annotation)
        for name, field in model.model_fields.items()
        if field.is_required()
    }


def _value(kind: Any) -> object:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return _filled(kind)
    if get_origin(kind) is tuple:
        return [_value(get_args(kind)[0])]
    if kind is bool:
        return True
    if kind in {int, StrictInt}:
        return 1
    return get_args(kind)[0] if get_origin(kind) is Literal else "1"


@pytest.mark.parametrize(
    ("operation", "place"),
    [
        pytest.param(each, place, id=f"{each.name} {name}")
        for each in OPERATIONS
        if isinstance(each, Write) and each is not TEST_WEBHOOK
        for place, name in enumerate(each.path_names)
    ],
)
def test_a_key_belongs_to_the_records_that_the_path_names(
    world: World, operation: Write[WireModel], place: int
) -> None:
    """Otherwise a repeated key would answer with what was done to another record. A test of a
    webhook sends before it writes, and looks for the endpoint first."""
    request = None
    if operation.request is not None:
        request = operation.request.model_validate(_filled(operation.request))
    ids = tuple(f"TDA_{number}" for number in range(len(operation.path_names)))
    first = Call(operation, ids, request, key="k")
    context, actor = world.context, world.engine.actor
    done = operation.response.model_construct()
    assert not unit_of_work.write(context, actor, first, lambda _: done).replayed
    other = Call(operation, (*ids[:place], "TDA_9", *ids[place + 1 :]), request, key="k")
    error = refusal(world.engine.call, other)
    assert error.code == "IDEMPOTENCY_KEY_REUSED"
    assert details(error) == {"key": "k", "firstUsedAt": format_instant(START)}


def test_a_key_belongs_to_everything_that_is_asked_for() -> None:
    """Also to what no trail keeps, as a signature and what somebody says in their own words."""
    left_out, compared = list[str](), set[str]()
    for operation in OPERATIONS:
        if not isinstance(operation, Write) or operation.request is None:
            continue
        request = operation.request.model_validate(_filled(operation.request))
        asked = unit_of_work.fingerprint(Call(operation, (), request))
        for name, value in request:
            if isinstance(value, str | tuple) and value:
                other = request.model_copy(update={name: value * 2})
                compared.add(name)
                if unit_of_work.fingerprint(Call(operation, (), other)) == asked:
                    left_out.append(f"{operation.name} {name}")
    assert left_out == []
    assert compared >= {"amount", "completed_challenge", "content", "lines", "statement"}


def test_a_key_of_another_request_leaves_nothing_of_a_refusal(world: World) -> None:
    """Otherwise a wrong signature counted though it was told that nothing was done."""
    asked = DepositRequest(amount="1.00", currency=DPT)
    first = Call(DEPOSIT, (world.account,), asked, key="k")
    world.engine.call(first)
    other = replace(first, request=asked.model_copy(update={"amount": "2.00"}))
    left = list[str]()

    def refuse(tx: UnitOfWork, *_: object) -> WireModel:
        tx.when_refused(lambda _: left.append("counted"))
        raise Conflict("Refused.", {})

    context, actor = world.context, world.engine.actor
    error = refusal(unit_of_work.write, context, actor, other, refuse)
    assert (error.code, left) == ("IDEMPOTENCY_KEY_REUSED", [])
    error = refusal(unit_of_work.write, context, actor, replace(other, key="l"), refuse)
    assert (error.code, left) == ("CONFLICT", ["counted"])
