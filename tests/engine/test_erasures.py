"""Forgetting customers: nothing names them any more, and the books hold."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select, text
from tests.refusals import refusal
from tests.tampering.altering import unguarded
from tests.world.engines import USDC_ETHEREUM, World

from chainteller.domain.actors import DEFAULT_ORGANISATION, Actor
from chainteller.domain.clock import DAY
from chainteller.domain.signing_pages import hash_of
from chainteller.engine.engine import Engine
from chainteller.engine.operations import signing_pages, transfer_reports
from chainteller.engine.operations.transfer_reports import Report
from chainteller.engine.upkeep import archiving
from chainteller.engine.verification.full_pass import verify, verify_books
from chainteller.service.errors import AccountRestricted, BooksDisputed, Conflict, NotFound
from chainteller.service.models.counterparties import (
    ChallengeRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
    StatementRequest,
)
from chainteller.service.models.customers import (
    CustomerLine,
    ForgetCustomer,
    ForgottenCustomer,
    ImportCustomers,
)
from chainteller.service.models.decisions import Approval, OpenDecision
from chainteller.service.models.funding import Destination, WithdrawalRequest
from chainteller.service.models.notes import AddNote
from chainteller.service.models.pages import ListQuery
from chainteller.storage.log import entry
from chainteller.storage.log.marks import derived_deployment
from chainteller.storage.schema import guards
from chainteller.storage.schema.columns import Atoms
from chainteller.storage.schema.wallet_tables import declared
from chainteller.storage.upkeep import archives

WORD = "Zwetschgenbaum"
ERASED = {
    "challenge": {"page_signature"},
    "customer": {"name", "search_name"},
    "decision": {"words", "answer", "asked"},
    "entry": {"body"},
    "idempotency": {"body"},
    "note": {"content"},
    "ownership_statement": {"statement"},
    "trade": {"failure_message"},
    "transfer": {"failure_message"},
}
"""Texts of any length that forgetting a customer erases."""
NAMES_NOBODY = {
    "agent": {"roles"},
    "api_key": {"scopes"},
    "challenge": {"text", "page_text"},
    "checkpoint": {"note"},
    "claim": {"signature"},
    "claim_evidence": {"body"},
    "dispute": {"what"},
    "entry": {"leaf", "mark"},
    "log": {"mark"},
    "organisation": {"name"},
    "rule": {"body"},
    "trade": {"hold"},
    "transfer": {"hold"},
    "webhook": {"url", "types", "ahead"},
}
"""Texts of the bank and of its programs, and what proves whose a wallet is."""
OF_GATEWAYS = {
    "provider_challenge": {"text", "page_signature"},
    "provider_request": {"call", "before", "after", "answer"},
    "quote": {"told"},
    "trade": {"told"},
    "transfer": {"told"},
}
"""Texts that a gateway keeps of its provider's records."""


@pytest.fixture
def world(empty_world: World) -> World:
    """With pages for signing."""
    options = replace(empty_world.context.options, public_url="https://sign.bank.example")
    context = replace(empty_world.context, options=options)
    return replace(empty_world, context=context, engine=Engine(context, empty_world.engine.actor))


def name_of(number: int) -> str:
    return f"Adelheid {WORD}{number}"


def line_of(number: int) -> CustomerLine:
    return CustomerLine(
        line=number,
        reference=f"C-{number}",
        name=name_of(number),
        kyc_level="enhanced",
        terms_accepted=True,
        bank_account_id=f"ACC-{number}",
        bank_account_type="checking",
        bank_account_balance="500.00",
    )


def live(world: World, number: int) -> str:
    """A customer with a past that names them wherever people write."""
    account, service, name = world.open(f"ACC-{number}"), world.engine, name_of(number)
    world.deposit("100.00", account=account)
    withdrawn = world.withdraw("100.00", account=account)
    world.settle()
    returned = Report(withdrawn.id, "returned", f"The bank account of {name} is closed.")
    transfer_reports.record(service.context, Actor(name="core bank"), returned)
    world.withdraw("100.00", account=account)
    world.settle()
    frozen = OpenDecision(
        kind="control",
        subject=account,
        control="FROZEN",
        reason="COMPLIANCE_REVIEW",
        words=f"The police called about {name}",
    )
    frozen_by = service.open_decision(frozen, idempotency_key=f"freeze-{number}").value
    service.approve_decision(frozen_by.id, Approval(answer=f"{name} is somebody else."))
    for about in (account, service.trading_account(account).customer_id):
        note = AddNote(subject=str(about), content=f"{name} calls on Mondays.")
        service.add_note(note, idempotency_key=f"note-{about}")
    custody = service.open_blockchain_account(
        OpenBlockchainAccount(trading_account_id=account, network="ethereum")
    ).value
    wallet = service.register_counterparty(
        RegisterCounterparty(address=f"0x{number:08x}{0:08x}{number:024x}", network="ethereum")
    ).value
    on_phone = AddNote(subject=wallet.id, content=f"{name} has it on a phone.")
    service.add_note(on_phone, idempotency_key=f"note-{wallet.id}")
    token = f"{number:022}"
    hashed = hash_of(token)
    asked = ChallengeRequest(counterparty_id=wallet.id, page_token_hash=hashed)
    message = service.create_challenge(custody.id, asked).value
    signing_pages.receive(service.context, token, message.id, f"Yours, {name}")
    stated = StatementRequest(
        counterparty_id=wallet.id, reason="OTHER", statement=f"I, {name}, own it."
    )
    made = service.create_ownership_statement(custody.id, stated, idempotency_key=f"state-{number}")
    (waits,) = service.decisions(ListQuery(text=made.value.id)).data
    service.approve_decision(
        waits.id, Approval(answer=f"Seen {name}."), idempotency_key=f"{number}"
    )
    return account


def forget(world: World, number: int) -> ForgottenCustomer:
    return world.engine.forget_customer(ForgetCustomer(reference=f"C-{number}")).value


def texts(world: World) -> Iterator[str]:
    """Everything that the database says, and the bytes of every file beside it."""
    with world.database.read() as connection:
        for table in declared():
            for row in connection.execute(select(table)).mappings():
                for name, value in row.items():
                    is_body = isinstance(value, bytes) and name == "body"
                    yield entry.unpack(value).decode() if is_body else str(value)
    if world.database.path is not None:
        for file in world.database.path.parent.rglob("*"):
            if file.is_file():
                yield file.read_bytes().decode("latin-1")


def hits(world: World) -> int:
    return sum(text.casefold().count(WORD.casefold()) for text in texts(world))


def people(world: World, count: int) -> None:
    for begin in range(1, count + 1, 100):
        numbers = range(begin, min(begin + 100, count + 1))
        world.engine.import_customers(ImportCustomers(lines=tuple(map(line_of, numbers))))
    for number in range(1, count + 1):
        live(world, number)
    world.clock.advance(DAY)  # messages to sign expire


def prove(world: World, count: int) -> None:
    people(world, count)
    assert hits(world) > 5 * count
    for number in range(1, count + 1):
        done = forget(world, number)
        assert (done.texts, done.answers > 1, done.entries > 5) == (8, True, True)
    assert hits(world) == 0
    assert verify(world.database) == ()


def test_every_text_is_erased_or_known_to_stay() -> None:
    """A new table or column with a text of any length, or with bytes, has to be named here."""
    found = {
        (table.name, column.name)
        for table in declared()
        for column in table.columns
        if not isinstance(column.type, Atoms)
        and column.type.python_type in (str, object, bytes)
        and getattr(column.type, "length", None) is None
    }
    named = [
        (table, column)
        for each in (ERASED, NAMES_NOBODY, OF_GATEWAYS)
        for table, columns in each.items()
        for column in columns
    ]
    assert sorted(named) == sorted(found)


def test_nothing_names_a_forgotten_customer_and_the_books_hold(world: World) -> None:
    prove(world, 3)
    assert world.engine.customers(ListQuery(text=WORD)).data == ()
    (found,) = world.engine.customers(ListQuery(text="ACC-2")).data
    assert (found.name, found.controls) == ("Erased customer", ("CLOSED",))
    again = world.engine.forget_customer(ForgetCustomer(reference="C-2"))
    assert (again.created, again.value.texts, again.value.entries) == (False, 0, 1)
    imported = world.engine.import_customers(ImportCustomers(lines=(line_of(2),))).value
    assert [each.error for each in imported.refused] == ["CUSTOMER_FORGOTTEN"]
    assert isinstance(refusal(world.deposit), AccountRestricted)
    assert hits(world) == 0


def test_a_note_about_a_wallet_that_was_only_paid_is_erased(world: World) -> None:
    people(world, 1)
    service, (account,) = world.engine, world.engine.trading_accounts().data
    (custody,) = service.blockchain_accounts().data
    asked = RegisterCounterparty(address=f"0x{'ab' * 20}", network="ethereum")
    wallet = service.register_counterparty(asked).value
    world.clock.advance(DAY)  # a new wallet isn't paid
    world.deposit("50.00", USDC_ETHEREUM, account=account.id)
    paid = Destination(
        type="counterparty", counterparty_id=wallet.id, blockchain_account_id=custody.id
    )
    order = WithdrawalRequest(amount="50.00", currency=USDC_ETHEREUM, destination=paid)
    service.withdraw(account.id, order)
    world.clock.advance(DAY)  # held for a while, then sent
    world.settle()
    service.add_note(AddNote(subject=wallet.id, content=f"{name_of(1)} says it's a friend's."))
    forget(world, 1)
    assert hits(world) == 0
    assert verify(world.database) == ()


@pytest.mark.slow
def test_a_thousand_erasures(world: World) -> None:
    prove(world, 1_000)


def test_a_customer_with_something_open_is_not_forgotten(world: World) -> None:
    world.engine.import_customers(ImportCustomers(lines=(line_of(1),)))
    account = world.open("ACC-1")
    world.deposit("100.00")
    quote = world.quote("10.00", trading_account_id=account)
    trade = world.execute(world.quote("20.00"))
    error = refusal(forget, world, 1)
    assert isinstance(error, Conflict)
    assert error.details["reason"] == "CUSTOMER_ACTIVE"
    standing = set(error.details["standing"])
    assert {f"quote {quote.id} open", f"trade {trade.id} processing"} < standing
    assert f"balance BUSD1@bank in {account}" in standing
    assert hits(world) > 0
    assert isinstance(refusal(forget, world, 2), NotFound)


def test_a_remembered_answer_that_was_altered_is_named_and_nothing_is_erased(
    world: World,
) -> None:
    people(world, 1)
    altered = "UPDATE idempotency SET body = :no WHERE key = 'state-1'"
    with unguarded(world) as connection:
        connection.execute(text(altered), {"no": b"x"})
        guards.create(connection)
        connection.commit()
    with pytest.raises(BooksDisputed):
        forget(world, 1)
    (dispute,) = world.engine.disputes().data
    assert dispute.where == "idempotency default create_ownership_statement state-1"
    assert world.engine.customers(ListQuery(text=name_of(1))).data


def test_archives_are_named_and_erased_too(world: World, tmp_path: Path) -> None:
    people(world, 2)
    world.clock.advance(31 * DAY)
    file = tmp_path / "old.archive"
    assert sum(archiving.archive(world.context, file, 30)) > 10
    done = forget(world, 1)
    assert [(each.kind, each.name) for each in done.copies] == [("archive", "old.archive")]
    assert name_of(1) in told(world, file)
    assert archiving.erase(world.context, file, DEFAULT_ORGANISATION, done.id) > 5
    assert name_of(1) not in told(world, file)
    assert name_of(2) in told(world, file)
    with archives.opened(world.database, [file], deployment_of(world)) as past:
        assert verify_books(world.database, past) == ()


def deployment_of(world: World) -> str:
    with world.database.read() as connection:
        return derived_deployment(connection)


def told(world: World, file: Path) -> str:
    with (
        archives.opened(world.database, [file], deployment_of(world)) as past,
        world.database.read() as connection,
    ):
        found = past.entries(connection, DEFAULT_ORGANISATION)
        return "".join((each.body or b"").decode() for each, _, _ in found)
