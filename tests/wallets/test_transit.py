"""What is tried of a text: composed alterations, each form once, the likeliest first."""

from base64 import b64encode
from dataclasses import replace
from itertools import islice
from quopri import encodestring

import pytest
from tests.wallets.customers import case, challenge, customers, known, text_for

from chainteller.wallets.checker import proves
from chainteller.wallets.diagnose import diagnose
from chainteller.wallets.transit import journeys, simplest

TEXT = text_for(customers("evm")[0].registered)


@pytest.mark.parametrize(
    "signed",
    [
        f"> {TEXT}\n",
        f"Text to sign: {TEXT}\n",
        f'"{TEXT}"\n\nBest regards',
        f"\ufeff{TEXT.lower()}",
        f"{TEXT[:160]}\r\n",
        TEXT.replace(" ", "\u00a0") + "\n",
        TEXT.replace(" ", "\u00a0").replace("-", "\u2013"),
        f'*"{TEXT}"*',
        f"\ufeff{TEXT}\u200b",
        encodestring(b64encode(TEXT.encode())).decode(),
    ],
)
def test_two_usual_alterations_are_among_the_first_forms(signed: str) -> None:
    first = [journey.signed for journey in islice(journeys(TEXT), 3000)]
    assert signed.encode() in first
    assert len(set(first)) == len(first)
    assert TEXT.encode() not in first


def test_what_one_step_explains_is_said_as_one() -> None:
    signed = f"{TEXT}\r\n".encode()
    made = [simplest(TEXT, each) for each in islice(journeys(TEXT), 3000) if each.signed == signed]
    assert [len(each.steps) for each in made] == [1]


def test_a_longer_search_finds_what_is_less_likely_and_ends() -> None:
    customer = customers("evm")[0]
    signed = customer.answer(f"> {TEXT[:140]}...")
    about = case(customer.registered, signed)
    answer = diagnose(about)
    assert (answer.finding, answer.can_search_longer) == ("UNKNOWN_SIGNER", True)
    answer = diagnose(replace(about, search_longer=True))
    assert (answer.finding, answer.certain, answer.can_search_longer) == (
        "ALTERED_TEXT", True, False,
    )  # fmt: skip
    assert answer.witness is not None
    assert proves(answer.witness)
    assert [each.split('"')[-1] for each in answer.differences] == [
        " was added before the text.", " at character 141.",
    ]  # fmt: skip


def test_a_longer_search_is_offered_where_a_text_may_still_be_found() -> None:
    customer, other, *_ = customers("evm")
    found = {
        paste: diagnose(case(customer.registered, paste, known_addresses=known(other.registered)))
        for paste in (customer.answer(f"{TEXT}\n"), other.answer(TEXT), customer.answer("gm"), "0x")
    }
    assert [each.can_search_longer for each in found.values()] == [False, False, True, False]


def test_a_cut_that_makes_an_open_and_an_expired_text_alike_proves_neither() -> None:
    customer = customers("evm")[0]
    ids = {"expired": "CHG_000000000000000000000A", "open": "CHG_000000000000000000000B"}
    others = tuple(
        challenge(customer.registered, challenge_id=each, state=state)
        for state, each in ids.items()
    )
    signed = customer.answer(others[1].text[:140])
    answer = diagnose(case(customer.registered, signed, other_challenges=others))
    assert (answer.cause, answer.certain) == ("WRONG_MESSAGE_FORMAT", False)
    alone = diagnose(case(customer.registered, signed, other_challenges=others[:1]))
    assert (alone.cause, alone.certain) == ("EXPIRED_CHALLENGE", True)
    own = customer.answer(text_for(customer.registered)[:100])
    answer = diagnose(case(customer.registered, own, other_challenges=others))
    assert (answer.cause, answer.certain) == ("WRONG_MESSAGE_FORMAT", False)
    alone = diagnose(case(customer.registered, own, other_challenges=others[1:]))
    assert (alone.cause, alone.certain) == ("WRONG_MESSAGE_FORMAT", True)
