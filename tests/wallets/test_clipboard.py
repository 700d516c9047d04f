"""Whatever was copied: a right signature in it is found, and what stands beside it is used."""

import json
import time

import pytest
from tests.wallets.checker import proves
from tests.wallets.clipboards import clipboards
from tests.wallets.customers import (
    EVERY_FAMILY,
    SIGN,
    Customer,
    address,
    case,
    challenge,
    customers,
    family,
    recorded,
    text_for,
)
from tests.wallets.test_reader import HOSTILE

from chainteller.wallets.clipboard import read_clipboard
from chainteller.wallets.diagnose import Diagnosis, diagnose
from chainteller.wallets.matching import match

FAMILIES = ("evm", "solana", "bitcoin", "tron")
EVERYONE = [customer for name in FAMILIES for customer in customers(name)[:1]]


@pytest.mark.parametrize("customer", EVERYONE, ids=lambda c: c.registered.display)
def test_a_right_signature_is_accepted_in_every_form_that_arrives(customer: Customer) -> None:
    text = text_for(customer.registered)
    forms = clipboards(customer, text, customer.sign(text.encode()))
    assert len(forms) > 38
    refused = {}
    for name, paste in forms.items():
        answer = diagnose(case(customer.registered, paste))
        if not answer.accepted:
            refused[name] = answer.finding
    assert not refused


@pytest.mark.parametrize("family", EVERY_FAMILY)
@pytest.mark.parametrize("size", [4, 8])
def test_a_right_signature_that_was_typed_in_groups_or_wide_letters_is_accepted(
    family: str, size: int
) -> None:
    customer = customers(family)[0]
    signature = customer.answer(text_for(customer.registered))
    groups = " ".join(signature[at : at + size] for at in range(0, len(signature), size))
    wide = signature.translate({sign: sign + 0xFEE0 for sign in range(0x21, 0x7F)})
    for paste in (groups, f"Signature: {groups}", wide):
        assert diagnose(case(customer.registered, paste)).accepted, paste


@pytest.mark.usefixtures("little_is_tried")
@pytest.mark.forms(1)
@pytest.mark.parametrize("customer", EVERYONE, ids=lambda c: c.registered.display)
def test_nothing_is_accepted_from_a_paste_whose_signature_is_anothers(customer: Customer) -> None:
    text = text_for(customer.registered)
    other = next(each for each in customers(customer.family) if each is not customer)
    forms = clipboards(customer, text, other.sign(text.encode()))
    for name, paste in list(forms.items())[::5]:
        answer = diagnose(case(customer.registered, paste))
        assert not answer.accepted, name
        if answer.certain:
            assert answer.witness is not None, name
            assert proves(answer.witness), name


def named(answer: Diagnosis) -> tuple[str, bool, str | None]:
    assert answer.witness is not None
    assert proves(answer.witness)
    return answer.finding, answer.certain, answer.recovered_address


@pytest.mark.parametrize("customer", EVERYONE, ids=lambda c: c.registered.display)
def test_a_page_that_shows_another_text_proves_that_it_was_signed(customer: Customer) -> None:
    text = "Etherscan verifies that I own this address.\nToday."
    shown = customer.registered.display
    for paste in (
        json.dumps({"address": shown, "msg": text, "sig": customer.answer(text)}),
        f"Address: {shown}\nMessage: {text}\nSignature: {customer.answer(text)}",
    ):
        assert named(diagnose(case(customer.registered, paste))) == ("EDITED_TEXT", True, None)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_address_that_a_paste_names_is_proved_and_named(name: str) -> None:
    mine, theirs, _ = customers(name)
    text, shown = text_for(mine.registered), theirs.registered.display
    for paste in (
        json.dumps({"publicKey": shown, "signature": theirs.answer(text)}),
        f"{shown}\n{text}\n{theirs.answer(text)}",
        f"-----BEGIN BITCOIN SIGNED MESSAGE-----\n{text}\n-----BEGIN BITCOIN SIGNATURE-----\n"
        f"{shown}\n{theirs.answer(text)}\n-----END BITCOIN SIGNATURE-----",
    ):
        answer = diagnose(case(mine.registered, paste))
        assert named(answer) == ("STATED_ADDRESS", True, shown)


def test_an_address_beside_a_signature_that_it_did_not_make_is_not_named() -> None:
    mine, theirs, third = customers("evm")
    paste = json.dumps(
        {"address": theirs.registered.display, "signature": third.answer(text_for(mine.registered))}
    )
    answer = diagnose(case(mine.registered, paste))
    assert (answer.certain, answer.recovered_address) == (False, None)


def test_says_where_in_the_paste_the_signature_was_found() -> None:
    customer = customers("evm")[0]
    signature = customer.answer(text_for(customer.registered))
    answer = diagnose(case(customer.registered, f"> {signature}\n\nBest regards"))
    assert answer.read == "hex digits"
    assert diagnose(case(customer.registered, signature)).read == ""


@pytest.mark.parametrize("name", FAMILIES)
def test_recorded_signatures_are_found_in_a_mail(name: str) -> None:
    for row in recorded(name)[::9]:
        if row["expect"] == "accepted":
            registered = address(row["address"], row["network"])
            mail = f"Dear bank,\n\n> {row['signature']}\n\nBest regards"
            attempt = case(registered, mail)
            own = attempt.challenge.__class__("CHG", "CPT", registered, row["text"], "open", "")
            assert diagnose(case(registered, mail, challenge=own)).accepted, row["form"]


MORE = ("message: ", "r: 1 s: ", "> ", "ur:a-b/", "{'a': ", "ab:", "1 ", '{"r":', "<p>", "b'\\x00",
        "A" * 90 + "\n", "0x" + "ab" * 40 + "\n", "text:\nsignature:\n", "=3D", "%2",
        "*", "`")  # fmt: skip


@pytest.mark.parametrize("filler", [*HOSTILE, *MORE])
def test_no_paste_takes_long_to_read(filler: str) -> None:
    text = (filler * 10_000)[:10_000]
    for name in ("evm", "bitcoin"):
        started = time.thread_time()
        read_clipboard(text, family(name))
        assert time.thread_time() - started < 0.5


def test_a_foreign_signature_in_a_mail_is_still_a_network_mismatch_of_the_same_key() -> None:
    customer = customers("evm")[0]
    signed = SIGN["tron"](customer.key, text_for(customer.registered).encode()).hex()
    answer = diagnose(case(customer.registered, f"Here it is: 0x{signed}.\nThanks"))
    assert (answer.finding, answer.certain) == ("SIGNED_AS_TRON", True)


@pytest.mark.parametrize(
    "paste",
    [
        '{{"response": {{"data": {{"publicKey": "{key}", "signature": "{signature}"}}}}}}',
        "{key},{signature}",
        "Signed with {key}: {signature}",
    ],
    ids=["Crossmark", "columns", "sentence"],
)
def test_a_public_key_anywhere_in_the_paste_belongs_to_the_signature(paste: str) -> None:
    customer = customers("xrp")[2]
    signed = customer.answer(text_for(customer.registered))
    filled = paste.format(key=signed[:66], signature=signed[66:])
    answer = diagnose(case(customer.registered, filled))
    assert (answer.accepted, answer.finding) == (True, "ACCEPTED")


def test_several_signatures_are_found_in_a_paste_and_none_in_a_megabyte() -> None:
    """Each paragraph of it would be read as a signature of every family."""
    owners = [customers(name)[0] for name in ("evm", "solana")]
    open_ = [challenge(each.registered) for each in owners]
    signed = [each.answer(text_for(each.registered)) for each in owners]
    found = match("\n\n".join(signed), open_)
    assert [each.challenge for each in found.proved] == open_
    megabyte = "\n\n".join([*signed, *(f"paragraph {at} " * 5 for at in range(15_000))])
    assert match(megabyte, open_) == ((), (), tuple(open_))
