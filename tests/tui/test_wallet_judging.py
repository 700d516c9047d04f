"""A paste is judged alike by a deployment that explains it and by a desk that has to itself."""

from typing import TypeVar

import pytest
from tests.tui.conftest import Bench
from tests.tui.wallet_case import SECRET, WALLETS, Case, signed

from chainteller.engine.operations import claims
from chainteller.service import operations as op
from chainteller.service.errors import NotOffered
from chainteller.service.layers import Next, layered
from chainteller.service.operations import Call
from chainteller.tui.wallets.book import Session, Verdict, Wallet, read_book
from chainteller.tui.wallets.paste import judge, look_at
from chainteller.wallets.simulated import MISTAKES, UnknownMistake, sign_sample

Answer = TypeVar("Answer")
NAMES = ("alice-ethereum", "alice-tron", "alice-solana", "bob-bitcoin-taproot")


def _no_diagnosis(call: Call[Answer], onward: Next) -> Answer:
    if call.operation is op.DIAGNOSE_SIGNATURE:
        raise NotOffered("This deployment does not offer diagnoses.")
    return onward(call)


class Desk:
    """One customer's wallets, each with an earlier and a newer challenge."""

    def __init__(self, bench: Bench) -> None:
        self.case = Case(bench, *NAMES, "bob-ethereum", "bob-tron", *NAMES)
        self.now = bench.settings.clock.now()
        trading_account = self.case.account.trading_account_id
        self.book = read_book(bench.service, trading_account, Session())
        self.bare = layered(bench.service, _no_diagnosis)

    def wallet(self, name: str) -> Wallet:
        address = next(wallet.address.display for wallet in WALLETS if wallet.name == name)
        return next(row for row in self.book.wallets if row.counterparty.address == address)

    def verdicts(self, name: str, paste: str, *, longer: bool = False) -> tuple[Verdict, Verdict]:
        """By the deployment, and by the desk alone."""
        about = (self.book, self.wallet(name), paste, self.now)
        offered = judge(self.case.service, *about, longer=longer)
        return offered, judge(self.bare, *about, longer=longer)

    def paste(self, name: str, mistake: str | None) -> str:
        wallet = self.wallet(name)
        assert wallet.challenge is not None
        assert wallet.earlier is not None
        return sign_sample(
            name,
            wallet.challenge.challenge,
            wallets=WALLETS,
            mistake=mistake,
            earlier_text=wallet.earlier.challenge,
        )


@pytest.mark.forms(1)
@pytest.mark.parametrize("name", NAMES)
def test_the_desk_says_what_the_deployment_says(bench: Bench, name: str) -> None:
    desk, judged = Desk(bench), set()
    for mistake in (None, *MISTAKES):
        try:
            paste = desk.paste(name, mistake)
        except UnknownMistake:
            continue
        by_deployment, by_desk = desk.verdicts(name, paste)
        assert by_desk == by_deployment, mistake
        judged.add(by_desk.diagnosis.finding)
    assert {"ACCEPTED", "EARLIER_CHALLENGE", "TRAILING_NEWLINE", "SECRET_PASTED"} <= judged


def test_a_flood_and_a_secret_are_judged_on_the_desk(bench: Bench) -> None:
    desk = Desk(bench)
    for paste, finding in ((SECRET, "SECRET_PASTED"), ("0x" + "ab" * 50_000, "TOO_LONG")):
        for verdict in desk.verdicts("alice-tron", paste):
            assert verdict.diagnosis.finding == finding
            assert verdict.diagnosis.challenge_id == verdict.challenge_id
            assert verdict.signature == ""
            assert paste not in repr(verdict)


@pytest.mark.usefixtures("a_longer_search")
@pytest.mark.forms(1)
def test_a_longer_search_is_made_alike_and_one_at_a_time(bench: Bench) -> None:
    desk = Desk(bench)
    challenge = desk.wallet("alice-ethereum").challenge
    assert challenge is not None
    marked = sign_sample("alice-ethereum", f"Hello,\n{challenge.challenge}\n", wallets=WALLETS)
    offered, by_desk = desk.verdicts("alice-ethereum", marked)
    assert offered == by_desk
    assert offered.can_search_longer
    found = desk.verdicts("alice-ethereum", marked, longer=True)
    assert [each.diagnosis.finding for each in found] == ["ALTERED_TEXT"] * 2
    with claims._SEARCHING:
        assert desk.verdicts("alice-ethereum", marked, longer=True) == (offered, found[1])


@pytest.mark.parametrize("length", range(60, 88))
def test_a_part_of_a_solana_signature_is_read_as_base58(bench: Bench, length: int) -> None:
    case = Case(bench, "alice-solana")
    whole = signed("alice-solana", case.newest("alice-solana"))
    assert look_at(whole[:length], "solana").form.endswith("base58")
