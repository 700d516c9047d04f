"""Wallet flows return what to do next; they run here without a console."""

from tests.tui.conftest import Bench
from tests.tui.wallet_case import ALICE, SECRET, Case, signed

from chainteller.service.errors import InvalidSignature, NotFound
from chainteller.service.models.counterparties import BlockchainAccount
from chainteller.tui.customer import CustomerRequest
from chainteller.tui.failures import Failure
from chainteller.tui.steps import Choose, LookUp, OpenField, Result, Step, Write
from chainteller.tui.wallets import flow
from chainteller.tui.wallets.book import Book, Session, Verdict, Wallet, read_book
from chainteller.tui.wallets.paste import judge

NETWORKS = ("ethereum", "polygon", "solana")


def _know(identifier: str) -> BlockchainAccount:
    raise NotFound("blockchain account", identifier)


def the_wallet(case: Case, session: Session) -> tuple[Book, Wallet]:
    book = read_book(case.service, case.account.trading_account_id, session)
    return book, book.wallets[0]


def look_up(case: Case, step: Step) -> Step:
    """The step after a lookup under a write's lock."""
    assert isinstance(step, Write)
    assert isinstance(step.step, LookUp)
    return step.step.call(case.service)


def send(case: Case, step: Step) -> Step:
    """The step after a request, without the agent's confirmation."""
    assert isinstance(step, CustomerRequest)
    following: Step = step.call(case.service, "key-of-the-test")
    return following


def test_an_address_of_several_networks_is_asked_about_before_it_is_sent(bench: Bench) -> None:
    case, session = Case(bench), Session()
    owner_id = case.account.trading_account_id
    asked = look_up(case, flow.register(ALICE, owner_id, case.account, NETWORKS, session))
    assert isinstance(asked, Choose)
    assert asked.options == ("ethereum", "polygon")
    request = asked.then("polygon")
    assert case.service.counterparties().data == ()
    done = send(case, request)
    assert isinstance(done, Result)
    (made,) = case.service.counterparties().data
    assert (made.network, made.address) == ("polygon", ALICE)
    assert done.record == f"{case.account.id}/{made.id}"
    assert session.registered == {case.account.id: [made]}


def test_a_secret_is_refused_without_a_request(bench: Bench) -> None:
    case = Case(bench)
    owner_id = case.account.trading_account_id
    refused = look_up(case, flow.register(SECRET, owner_id, case.account, NETWORKS, Session()))
    assert isinstance(refused, Result)
    assert isinstance(refused.refusal, Failure)
    assert refused.refusal.code == flow.SECRET
    assert SECRET not in repr(refused)


def test_a_registration_without_customer_or_account_says_what_is_missing(bench: Bench) -> None:
    case = Case(bench)
    account_id = case.account.trading_account_id
    nobody = flow.begin_registration("", Book(), NETWORKS, _know)
    assert isinstance(nobody, Result)
    assert nobody.notice is not None
    adding = flow.begin_registration(account_id, Book(), (), _know)
    assert isinstance(adding, OpenField)
    assert adding.purpose == "blockchain-account"
    first = flow.begin_registration(account_id, Book(), NETWORKS, _know)
    assert isinstance(first, OpenField)
    assert first.purpose == flow.ADDRESS, "the account is opened with the address"
    known = flow.begin_registration(
        account_id, Book((case.account,)), NETWORKS, _know, address=ALICE
    )
    assert isinstance(known, OpenField)
    assert known.value == ALICE


def test_an_accepted_signature_becomes_a_claim_and_then_a_link(bench: Bench) -> None:
    case, session = Case(bench, "alice-ethereum"), Session()
    book, wallet = the_wallet(case, session)
    text = signed("alice-ethereum", case.newest())
    now = bench.settings.clock.now()
    assert isinstance(flow.next_step(wallet, session, now), OpenField)
    verdict = judge(case.service, book, wallet, text, now)
    session.verdicts[verdict.challenge_id] = verdict
    step = flow.next_step(wallet, session, now)
    assert isinstance(step, Write)
    link = send(case, step.step)
    assert session.verdicts == {}
    assert case.types == []
    done = send(case, link)
    assert isinstance(done, Result)
    assert case.types == ["VerifiedCounterparty1P"]
    assert done.record == wallet.key


def test_a_claim_that_is_refused_drops_the_verdict_and_shows_the_wallet(bench: Bench) -> None:
    case, session = Case(bench, "alice-ethereum"), Session()
    book, wallet = the_wallet(case, session)
    now = bench.settings.clock.now()
    right = judge(case.service, book, wallet, signed("alice-ethereum", case.newest()), now)
    wrong = signed("bob-ethereum", case.newest())
    session.verdicts[right.challenge_id] = Verdict(
        right.challenge_id, right.paste, right.diagnosis, wrong
    )
    step = flow.next_step(wallet, session, now)
    assert isinstance(step, Write)
    refused = send(case, step.step)
    assert isinstance(refused, Result)
    assert isinstance(refused.refusal, InvalidSignature)
    assert refused.record == wallet.key
    assert session.verdicts == {}
