"""What is tried of a text: composed alterations, each form once, the likeliest first."""

import re
from base64 import b64encode, encodebytes
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from itertools import chain, islice
from json import dumps
from textwrap import wrap

import coincurve
import pytest
from eth_hash.auto import keccak
from tests.wallets.checker import proves
from tests.wallets.customers import (
    EVERY_FAMILY,
    Customer,
    case,
    challenge,
    customers,
    known,
    text_for,
)

from chainteller.wallets.diagnose import diagnose
from chainteller.wallets.ed25519 import is_well_formed
from chainteller.wallets.transit import journeys

TEXT = text_for(customers("evm")[0].registered)
SHORT = "EXAMPLEBANK-CU001001-7Q2M9K4T8X1B6N3D5F0H2J"


@pytest.mark.parametrize(
    "signed",
    [
        f"> {TEXT}\n",
        f"Message: {TEXT}\n",
        f'"{TEXT}"\n',
        TEXT.replace(" ", "\u00a0") + "\n",
        TEXT.replace("2026-11-20T14:00:00Z", "20.11.2026 14:00"),
        TEXT.replace("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "0xf39F...2266"),
        f'{{"message": "{SHORT}"}}',
        f"`{SHORT}`\n",
        f"Message: {SHORT.lower()}",
        SHORT.replace("-", "\u2013") + " ",
        SHORT[1:] + "\r\n",
        "0x" + f"{SHORT}\n".encode().hex(),
        "7Q2M9K4T8X1B6N3D5F0H2J\n",
    ],
)
def test_usual_alterations_of_both_forms_are_among_the_first(signed: str) -> None:
    text = TEXT if TEXT[:7] in signed else SHORT
    first = [journey.signed for journey in islice(journeys(text), 4600)]
    assert signed.encode() in first
    assert len(set(first)) == len(first)
    assert text.encode() not in first


def test_the_likeliest_come_first() -> None:
    costs = [
        sum(step.cost for step in each.steps)
        for each in islice(journeys(SHORT), 2000)
        if len(each.steps) == 1
    ]
    assert costs == sorted(costs)


@pytest.mark.parametrize(
    ("family", "signed", "shown"),
    [
        (
            "evm",
            f"Maria wrote: {SHORT}\n\nRegards,\nMaria",
            f"Maria wrote: {SHORT} Regards, Maria",
        ),
        ("solana", f"for my bank {SHORT} \r\n", f"for my bank {SHORT}"),
        ("bitcoin", f"my text:\t{SHORT}", f"my text: {SHORT}"),
        ("tron", b"\xff" + SHORT.encode(), "0xff" + SHORT.encode().hex()),
    ],
)
def test_the_text_that_the_wallet_shows_proves_the_cause(
    family: str, signed: str | bytes, shown: str
) -> None:
    customer, other, *_ = customers(family)
    mine = challenge(customer.registered, text=SHORT)
    about = case(customer.registered, customer.answer(signed), challenge=mine)
    first = diagnose(about)
    assert (first.certain, first.asks_for_text) == (False, True)
    answer = diagnose(replace(about, signed_text=shown))
    assert (answer.finding, answer.cause, answer.certain, answer.asks_for_text) == (
        "EDITED_TEXT", "WRONG_MESSAGE_FORMAT", True, False,
    )  # fmt: skip
    assert answer.witness is not None
    assert proves(answer.witness)
    strange = replace(about, signature=other.answer(signed), signed_text=shown)
    answer = diagnose(strange)
    assert (answer.finding, answer.certain) == ("SHOWN_TEXT_NOT_SIGNED", False)
    answer = diagnose(replace(strange, known_addresses=known(other.registered)))
    assert (answer.finding, answer.certain) == ("OTHER_REGISTERED_ADDRESS", True)


@pytest.mark.parametrize(
    ("signed", "shown"),
    [
        ("{}", "{}"),
        ("{} \r\n", "{}"),
        ("{}\n\nMaria\n-- \nExample Town", "{}\n\nMaria\n-- \nExample Town"),
        ("> {}\n> and more\n", "> {} > and more"),
        ("{}\u00a0and more", "{} and more"),
    ],
)
@pytest.mark.parametrize("family", ["evm", "solana"])
def test_a_mail_around_the_signature_shows_what_was_signed(
    family: str, signed: str, shown: str
) -> None:
    """Exactly, in several paragraphs, and where the mail lost what can't be seen."""
    customer, ours = customers(family)[0], f"for my bank, from Maria: {SHORT}"
    mail = (
        f"Hello,\n\nI signed this:\n{shown.format(ours)}\n\n{customer.answer(signed.format(ours))}"
        "\n\nRegards, Maria"
    )
    mine = challenge(customer.registered, text=SHORT)
    answer = diagnose(case(customer.registered, mail, challenge=mine))
    assert (answer.finding, answer.cause, answer.certain) == (
        "EDITED_TEXT", "WRONG_MESSAGE_FORMAT", True,
    )  # fmt: skip
    assert answer.witness is not None
    assert proves(answer.witness)


def test_a_text_in_another_case_beside_the_signature_is_found_among_plain_words() -> None:
    """The whole paste is base64, too: no sign in it is any other."""
    customer, signed = customers("evm")[0], f"my word {SHORT.lower()}\r\n"
    paste = f"I signed\n\n{signed.strip()}\n\n{customer.answer(signed)}"
    mine = challenge(customer.registered, text=SHORT)
    answer = diagnose(case(customer.registered, paste, challenge=mine))
    assert (answer.finding, answer.cause, answer.certain) == (
        "EDITED_TEXT", "WRONG_MESSAGE_FORMAT", True,
    )  # fmt: skip


SIGN_IN = (
    "shop.example wants you to sign in with your account:\n\n{}\n\nURI: https://shop.example\n"
    "Version: 1\nNonce: a1b2c3d4\nIssued At: 2026-11-20T13:05:00Z"
)


@pytest.mark.parametrize("family", ["evm", "solana"])
@pytest.mark.parametrize(
    ("signed", "shown"),
    [
        (SIGN_IN, SIGN_IN),
        (SIGN_IN, " ".join(SIGN_IN.split())),
        ("Written on Friday:\n> {}\n", "Written on Friday: > {}"),
        (lambda text: sha256(f"({text})".encode()).digest(), "({})"),
        (lambda text: dumps({"message": f"<pre>{text}</pre>"}), "<pre>{}</pre>"),
    ],
    ids=["sign-in", "sign-in on one line", "reply on one line", "hash", "JSON"],
)
def test_a_part_of_a_mail_is_found_whatever_a_page_or_a_tool_made_of_it(
    family: str, signed: str | Callable[[str], str | bytes], shown: str
) -> None:
    customer = customers(family)[0]
    message = signed.format(SHORT) if isinstance(signed, str) else signed(SHORT)
    answer_of_wallet = customer.answer(message)
    mine = challenge(customer.registered, text=SHORT)
    mail = f"I signed \u201c{shown.format(SHORT)}\u201d.\nThe result is {answer_of_wallet}"
    for about in (
        case(customer.registered, mail, challenge=mine),
        case(
            customer.registered, answer_of_wallet, challenge=mine,
            signed_text=f"Message: {shown.format(SHORT)}",
        ),
    ):  # fmt: skip
        answer = diagnose(about)
        assert (answer.cause, answer.certain) == ("WRONG_MESSAGE_FORMAT", True)
        assert answer.witness is not None
        assert proves(answer.witness)


QUESTION = "Am 20.11.2026 um 13:02 schrieb Support:"


@pytest.mark.parametrize(
    "signed",
    [
        f"{QUESTION}\n> {{0}}\n{QUESTION}\n> {{0}}",
        SIGN_IN.format("{0}\n{0}"),
        SIGN_IN.format(f"{QUESTION}\n> {{0}}"),
        " {0}\n",
        "[20/11/2026, 1:02:41\u202fPM] Bank: {0}",
        "\u00ab\u00a0{0}\u00a0\u00bb",
    ],
    ids=["mail twice", "text twice", "reply in a sign-in", "both ends", "time", "French"],
)
@pytest.mark.parametrize("family", ["evm", "solana"])
def test_a_text_that_a_wallet_shows_on_one_line_is_found(family: str, signed: str) -> None:
    """White space is put back where programs and rules of spelling have it."""
    _assert_found_by_text(family, SHORT, signed.format(SHORT))


@pytest.mark.parametrize("family", ["evm", "xrp", "cosmos"])
@pytest.mark.parametrize(
    "respell",
    [
        lambda text: "\n".join(wrap(text, 36)),
        lambda text: SIGN_IN.format("> " + "\n> ".join(wrap(text, 74))),
        lambda text: SIGN_IN.format(f"{text[:90].rstrip()}\u2026"),
        lambda text: text.replace(" ", "\u00a0").encode().decode("cp1252"),
        lambda text: re.sub(r"([:?])(?= )", "\u00a0\\1", text).replace("CHG", "CHANGE"),
    ],
    ids=["filled lines", "quoted lines", "cut", "misdecoded", "French"],
)
def test_a_long_text_that_a_wallet_shows_on_one_line_is_found(
    family: str, respell: Callable[[str], str]
) -> None:
    """Breaks that are seen within our words say how it was laid out."""
    text = text_for(customers(family)[0].registered)
    _assert_found_by_text(family, text, respell(text))


def test_the_text_is_asked_for_where_a_compact_signature_looks_like_one_of_solana() -> None:
    """The first bits of its end are those of one in fifteen."""
    customer = customers("evm")[0]
    texts = (f"I agree to {SHORT}, {number}" for number in range(400))
    signed, compact = next(
        (text, data)
        for text in texts
        if is_well_formed(data := _compact(customer.sign(text.encode())))
    )
    mine = challenge(customer.registered, text=SHORT)
    first = case(customer.registered, f"0x{compact.hex()}", challenge=mine)
    answer = diagnose(first)
    assert (answer.finding, answer.asks_for_text) == ("LOOKS_LIKE_SOLANA", True)
    answer = diagnose(replace(first, signed_text=signed))
    assert (answer.finding, answer.certain) == ("EDITED_TEXT", True)


def _compact(signature: bytes) -> bytes:
    """As EIP-2098 has it."""
    r, s, v = signature[:32], signature[32:64], signature[64]
    return r + bytes([s[0] | (v - 27) << 7]) + s[1:]


def _assert_found_by_text(family: str, text: str, signed: str) -> None:
    customer = customers(family)[0]
    about = case(
        customer.registered, customer.answer(signed), signed_text=" ".join(signed.split()),
        challenge=challenge(customer.registered, text=text),
    )  # fmt: skip
    answer = diagnose(about)
    assert (answer.cause, answer.certain) == ("WRONG_MESSAGE_FORMAT", True)
    assert answer.witness is not None
    assert proves(answer.witness)


def _lines_of(text: str, width: int, joint: str) -> str:
    return joint.join(wrap(text, width, break_on_hyphens=False))


@pytest.mark.parametrize("family", ["evm", "solana"])
@pytest.mark.parametrize(
    ("given", "made"),
    [
        (lambda text: _lines_of(text, 72, " \n"), bytes),
        (lambda text: _lines_of(text, 66, "\n"), lambda given: given + b"\n"),
        (lambda text: text.replace(". ", ".  "), lambda given: b"0x" + given.hex().encode()),
        (lambda text: text.replace(" ", "\u00a0"), lambda given: sha256(given).digest()),
    ],
    ids=["flowed", "wrapped and ended", "blanks and hex", "no-break and hashed"],
)
def test_lost_white_space_of_a_long_text_is_found_with_what_a_tool_made_of_it(
    family: str, given: Callable[[str], str], made: Callable[[bytes], bytes]
) -> None:
    customer = customers(family)[0]
    mine = challenge(customer.registered)
    text = given(mine.text)
    answer_of_wallet, shown = customer.answer(made(text.encode())), " ".join(text.split())
    mail = f"Message: {shown}\nSignature: {answer_of_wallet}"
    for about in (
        case(customer.registered, mail, challenge=mine),
        case(customer.registered, answer_of_wallet, challenge=mine, signed_text=shown),
    ):
        answer = diagnose(about)
        assert (answer.cause, answer.certain) == ("WRONG_MESSAGE_FORMAT", True)
        assert answer.witness is not None
        assert proves(answer.witness)


@pytest.mark.parametrize(
    "paste",
    [
        "Nachricht:\n{}\n\nSignatur:\n{}",
        "Jane, [20.11.2026 13:09]\n{}\n\nJane, [20.11.2026 13:10]\n{}",
        "<p>I signed this:<br>\n{}<br>\n<br>\nSignature: {}</p>",
        "-----BEGIN SIGNED MESSAGE-----\n{}\n-----BEGIN SIGNATURE-----\n{}\n-----END-----",
        "> {}\n> \n> {}\n> \n> Sent from my iPhone",
    ],
    ids=["labels", "chat", "page", "armour", "quoted"],
)
@pytest.mark.parametrize(
    "given",
    [
        SIGN_IN.format(SHORT),
        f"~{TEXT}~",
        encodebytes(TEXT.encode()).decode().strip(),
    ],
    ids=["sign-in", "marks", "base64"],
)
def test_what_is_around_text_and_signature_is_told_from_the_text(paste: str, given: str) -> None:
    """Labels, heads of messages and the marks that a program put before all lines."""
    customer, asked = customers("evm")[0], TEXT if SHORT not in given else SHORT
    if paste.startswith(">"):
        given = given.replace("\n", "\n> ")
    signed = sha256(given.replace("\n> ", "\n").encode()).digest()
    mine = challenge(customer.registered, text=asked)
    text = paste.format(
        given.replace("\n", "<br>\n") if "<" in paste else given, customer.answer(signed)
    )
    answer = diagnose(case(customer.registered, text, challenge=mine))
    assert (answer.cause, answer.certain) == ("WRONG_MESSAGE_FORMAT", True)
    assert answer.witness is not None
    assert proves(answer.witness)


def _wrapped(paste: str) -> str:
    lines = (wrap(line, 76, break_on_hyphens=False) or [""] for line in paste.split("\n"))
    return "\n".join(chain.from_iterable(lines))


@pytest.mark.parametrize(
    ("signed", "paste"),
    [
        (
            b64encode(SIGN_IN.format(TEXT).encode()),
            _wrapped("I signed this:\n\n" + SIGN_IN.format(TEXT) + "\n\n{}\n\nBest\nJane"),
        ),
        (SIGN_IN.format(SHORT), _wrapped(" ".join(SIGN_IN.format(SHORT).split()) + "\n\n{}")),
        (
            SIGN_IN.format(f"\u200e{TEXT}") + "\n",
            '{{"message": '
            + dumps(SIGN_IN.format(f"\u200e{TEXT}"), ensure_ascii=False)
            + ', "signature": "{}"}}',
        ),
        (
            keccak(encodebytes(TEXT.encode()).strip()),
            "Jane, 13:09\n" + encodebytes(TEXT.encode()).decode() + "\nJane, 13:10\n{}",
        ),
        (f"Please sign: {TEXT}", f"I got {{}} for Please sign: {TEXT}\tThanks"),
        (
            sha256(f"```\n{SHORT}\n```".encode()).digest(),
            f"Message: ``` {SHORT} ```\nSignature: {{}}",
        ),
        (f"{TEXT}\n\n-- \nJane Example\n", f"Message: {TEXT} -- Jane Example\nSignature: {{}}"),
        (" \n".join(wrap(TEXT, 61)), "\n".join(wrap(TEXT, 61)) + "\n\n{}"),
    ],
    ids=[
        "wrapped",
        "on one line and wrapped",
        "JSON",
        "base64",
        "label",
        "fence",
        "signature of a mail",
        "flowed",
    ],
)
def test_what_programs_did_to_a_paste_is_undone(signed: str | bytes, paste: str) -> None:
    customer = customers("evm")[0]
    mine = challenge(customer.registered, text=SHORT if SHORT in paste else TEXT)
    about = case(customer.registered, paste.format(customer.answer(signed)), challenge=mine)
    answer = diagnose(about)
    assert (answer.cause, answer.certain) == ("WRONG_MESSAGE_FORMAT", True)
    assert answer.witness is not None
    assert proves(answer.witness)


def test_the_text_that_was_asked_for_is_taken_with_its_line_ends() -> None:
    customer = customers("evm")[0]
    shown = f"Dear bank,\r\n\r\n{TEXT}\r\n\nSince you ask"
    answer_of_wallet = customer.answer(b64encode(shown.encode()))
    answer = diagnose(case(customer.registered, answer_of_wallet, signed_text=shown))
    assert (answer.finding, answer.certain) == ("EDITED_TEXT", True)


def test_an_envelope_of_an_altered_text_in_a_mail_is_found() -> None:
    customer = customers("solana")[0]
    hashed = sha256(SHORT.encode()).hexdigest().encode()
    envelope = b"\xffsolana offchain\0\0" + len(hashed).to_bytes(2, "little") + hashed
    mail = f"I signed\n\n{SHORT}\n\nand got\n\n{customer.answer(envelope)}\n\nBest\nJane"
    mine = challenge(customer.registered, text=SHORT)
    answer = diagnose(case(customer.registered, mail, challenge=mine))
    assert (answer.cause, answer.certain) == ("WRONG_MESSAGE_FORMAT", True)


def test_a_text_in_hex_beside_the_signature_is_no_signature() -> None:
    customer = customers("bitcoin")[0]
    signed = f"for my bank: {SHORT}".encode("utf-16")
    mail = f"0x{signed.hex()}\n\n{customer.answer(signed)}"
    mine = challenge(customer.registered, text=SHORT)
    answer = diagnose(case(customer.registered, mail, challenge=mine))
    assert (answer.finding, answer.certain) == ("EDITED_TEXT", True)


def test_rules_reach_what_no_table_lists() -> None:
    thai = {0x30 + digit: 0xE50 + digit for digit in range(10)}
    signed = [
        SHORT.replace("-", "\ufe58"), SHORT.translate(thai), f'const message = "{SHORT}";',
        f"[code]{SHORT}[/code]", SHORT.replace("-C", "-\nC"), f"{SHORT[:12]}...{SHORT[-8:]}",
        b64encode(SHORT.encode("utf-16-le")).decode(), f"{SHORT} \u2705", f"1. {SHORT}",
    ]  # fmt: skip
    first = {journey.signed for journey in islice(journeys(SHORT), 4600)}
    assert [each for each in signed if each.encode() not in first] == []


@pytest.mark.parametrize(
    "customer",
    [each for name in EVERY_FAMILY for each in customers(name)],
    ids=lambda each: each.registered.display,
)
def test_the_text_that_stands_beside_a_signature_in_a_mail_proves_the_cause(
    customer: Customer,
) -> None:
    """Whatever size the family's signatures have."""
    signed = f"For my bank, again: {SHORT}"
    mail = f"Hello,\n\nI signed this:\n{signed}\n\n{customer.answer(signed)}\n\nRegards"
    answer = diagnose(case(customer.registered, mail))
    assert (answer.cause, answer.certain) == ("WRONG_MESSAGE_FORMAT", True), answer.finding
    assert answer.witness is not None
    assert proves(answer.witness)


@pytest.mark.parametrize(
    ("signed", "paste"),
    [
        (lambda given: sha256(given).digest(), "> Message: {}\n> Signature: {}"),
        (lambda given: b"0x" + given.hex().encode(), "I signed \u201c{}\u201d. The result is {}"),
        (
            lambda given: given + b"\r\n",
            "[20.11.26, 13:09:12] Jane: {}\n[20.11.26, 13:09:40] Jane: {}",
        ),
        (lambda given: given, "I got this: {1} for {0}\tThanks"),
    ],
)
def test_what_a_wallet_made_of_a_part_of_the_paste_proves_the_cause(
    signed: Callable[[bytes], bytes], paste: str
) -> None:
    """The part is between other words, and the bytes that were signed are nowhere in the paste."""
    customer, given = customers("evm")[0], f"Your code: {SHORT.lower()}"
    text = paste.format(given, customer.answer(signed(given.encode())))
    mine = challenge(customer.registered, text=SHORT)
    answer = diagnose(case(customer.registered, text, challenge=mine))
    assert (answer.finding, answer.certain) == ("EDITED_TEXT", True)
    assert answer.witness is not None
    assert proves(answer.witness)


def test_a_part_of_the_paste_that_was_hashed_in_an_old_way_is_found() -> None:
    customer, given = customers("tron")[0], f"Your code: {SHORT}"
    digest = keccak(b"\x19TRON Signed Message:\n32" + given.encode())
    packed = coincurve.PrivateKey(customer.key).sign_recoverable(digest, hasher=None)
    paste = f"Message: {given}\nSignature: {packed[:64].hex()}{27 + packed[64]:02x}"
    mine = challenge(customer.registered, text=SHORT)
    answer = diagnose(case(customer.registered, paste, challenge=mine))
    assert (answer.finding, answer.cause) == ("OLD_TRON_SIGN", "WRONG_MESSAGE_FORMAT")


def test_our_own_text_in_another_wallet_says_that_another_wallet_signed() -> None:
    customer, other, *_ = customers("evm")
    about = case(customer.registered, other.answer(TEXT), signed_text=f"{TEXT}\n")
    answer = diagnose(about)
    assert (answer.finding, answer.cause, answer.certain) == (
        "OUR_TEXT_BY_ANOTHER", "WRONG_WALLET_ADDRESS", False,
    )  # fmt: skip
    assert answer.recovered_address is None


def test_the_text_of_an_expired_challenge_with_words_around_it_is_named() -> None:
    customer = customers("evm")[0]
    old = challenge(customer.registered, challenge_id="CHG_0A1B2C3D4E5F6G7H8J9K0M", state="expired")
    signed = f"For my bank, again: {old.text}"
    about = case(
        customer.registered, customer.answer(signed), other_challenges=(old,), signed_text=signed
    )
    answer = diagnose(about)
    assert (answer.finding, answer.cause, answer.certain) == (
        "EARLIER_CHALLENGE", "EXPIRED_CHALLENGE", True,
    )  # fmt: skip


def test_a_paste_that_names_the_registered_wallet_is_not_called_another_wallets() -> None:
    customer = customers("solana")[0]
    paste = dumps(
        {"signature": customer.answer("gm, my friends"), "publicKey": customer.registered.display}
    )
    answer = diagnose(case(customer.registered, paste))
    assert (answer.finding, answer.cause, answer.certain, answer.asks_for_text) == (
        "UNKNOWN_TEXT", "WRONG_MESSAGE_FORMAT", False, True,
    )  # fmt: skip


@pytest.mark.usefixtures("little_is_tried")
@pytest.mark.parametrize("shown", ["x" * 1_000_000, "- " * 1500, "0x" + "00" * 9000])
def test_a_hostile_text_costs_no_more_than_another(shown: str) -> None:
    customer = customers("evm")[0]
    answer = diagnose(case(customer.registered, customer.answer("gm"), signed_text=shown))
    assert (answer.finding, answer.certain) == ("SHOWN_TEXT_NOT_SIGNED", False)


def test_a_longer_search_ends_when_nobody_waits_for_it() -> None:
    customer, asked = customers("evm")[0], list[bool]()

    def is_cancelled() -> bool:
        asked.append(True)
        return len(asked) > 2

    about = case(
        customer.registered, customer.answer("gm"), search_longer=True, is_cancelled=is_cancelled
    )
    assert not diagnose(about).certain
    assert len(asked) == 3


def test_a_longer_search_finds_what_is_less_likely_and_ends() -> None:
    customer = customers("evm")[0]
    signed = customer.answer(f"Hello,\n{TEXT}\n")
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
        " was added before the text.", "A line break (LF) was added after the text.",
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


def test_a_mail_that_shows_no_text_leaves_most_tries_to_ours() -> None:
    customer = customers("evm")[0]
    signed = next(islice(journeys(TEXT), 900, None)).signed
    paste = f"Hello,\n\nhere is my signature:\n{customer.answer(signed)}\n\nBest regards\nJane"
    assert diagnose(case(customer.registered, paste)).certain
