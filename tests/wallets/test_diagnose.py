import base64
import string
from dataclasses import replace

import coincurve
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.wallets.checker import proves
from tests.wallets.customers import (
    EVM_KEYS,
    IDS,
    SIGN,
    Customer,
    address,
    case,
    challenge,
    customers,
    known,
    text_for,
)
from tests.wallets.matrix_damage import secrets
from tests.world.explaining import EVERYTHING, FEW, explaining

from chainteller.wallets.diagnose import Diagnosis, accept, diagnose
from chainteller.wallets.findings import FINDINGS
from chainteller.wallets.hashes import sha256
from chainteller.wallets.wording import (
    COPY_AGAIN,
    EXPIRED_CHALLENGE,
    NETWORK_MISMATCH,
    SIGN_AGAIN,
    WRONG_MESSAGE_FORMAT,
)

ALICE, BOB, _ = customers("evm")
EVERYONE = [
    customer for family in ("evm", "solana", "bitcoin", "tron") for customer in customers(family)
]


def texts_of(answer: Diagnosis) -> str:
    return f"{answer.explanation} {answer.ask_customer} {answer.suggestion}"


@pytest.mark.parametrize("length", range(20, 60))
def test_our_own_message_is_text_whatever_its_characters_could_stand_for(length: int) -> None:
    """43 of them are 32 bytes of base64, as a private key is."""
    ours = challenge(ALICE.registered, text="EXAMPLEBANKREF1234567890ABCDEFGHJKMNPQRSTVWXYZ" * 2)
    ours = replace(ours, text=ours.text[:length])
    for pasted in (ours.text, f'"{ours.text}"', f"{ours.text[:9]}\n{ours.text[9:]}\n"):
        assert diagnose(case(ALICE.registered, pasted, challenge=ours)).finding == "TEXT_PASTED"


def test_what_the_customer_is_asked_and_what_comes_next_are_one_instruction() -> None:
    for finding, words in FINDINGS.items():
        if words.suggestion == SIGN_AGAIN:
            assert words.ask_customer == COPY_AGAIN, finding


@pytest.mark.parametrize("customer", EVERYONE, ids=lambda c: c.registered.display)
def test_an_expired_challenge_is_certain_and_the_signature_is_still_judged(
    customer: Customer,
) -> None:
    late = challenge(customer.registered, state="expired")
    right = diagnose(case(customer.registered, customer.answer(late.text), challenge=late))
    assert (right.accepted, right.cause, right.certain) == (False, EXPIRED_CHALLENGE, True)
    assert "The signature itself is right." in right.explanation
    assert right.proof is None
    altered = diagnose(case(customer.registered, customer.answer(late.text + "\n"), challenge=late))
    assert altered.cause == EXPIRED_CHALLENGE
    assert "line break" in altered.explanation


@pytest.mark.parametrize(
    ("state", "finding"), [("used", "CHALLENGE_USED"), ("locked", "CHALLENGE_LOCKED")]
)
def test_a_right_signature_does_not_open_a_used_or_locked_challenge(
    state: str, finding: str
) -> None:
    closed = challenge(ALICE.registered, state=state)
    answer = diagnose(case(ALICE.registered, ALICE.answer(closed.text), challenge=closed))
    assert (answer.accepted, answer.finding, answer.cause) == (False, finding, None)
    assert "The signature itself is right." in answer.explanation


def test_names_the_challenge_to_which_the_signature_belongs() -> None:
    theirs = challenge(BOB.registered, challenge_id=IDS[1], counterparty_id="CPT_BOB")
    answer = diagnose(case(ALICE.registered, BOB.answer(theirs.text), other_challenges=(theirs,)))
    assert answer.finding == "OTHER_CHALLENGE"
    assert answer.other_challenge_id == IDS[1]
    assert answer.other_counterparty_id == "CPT_BOB"
    assert answer.suggestion.endswith(f"submit it to {IDS[1]}.")


@pytest.mark.parametrize("customer", [ALICE, customers("solana")[0]], ids=["evm", "solana"])
def test_another_wallet_that_signed_on_the_page_is_named(customer: Customer) -> None:
    """A wallet may tell the page one address and sign with another one's key."""
    other = customers(customer.family)[1]
    page_text = f"bank.example wants you to sign in:\n{customer.registered.display}"
    shown = replace(challenge(customer.registered), page_text=page_text)
    paste = other.answer(page_text)
    attempt = case(
        customer.registered, paste, challenge=shown, known_addresses=known(other.registered)
    )
    answer = diagnose(attempt)
    assert (answer.finding, answer.certain) == ("OTHER_REGISTERED_ADDRESS", True)
    assert answer.recovered_address == other.registered.display
    assert answer.witness is not None
    assert proves(answer.witness)


@pytest.mark.parametrize("v", [31, 32])
def test_one_owners_signature_of_a_safe_is_a_contract_wallets(v: int) -> None:
    signed = BOB.sign(text_for(ALICE.registered).encode())
    answer = diagnose(case(ALICE.registered, "0x" + signed[:64].hex() + f"{v:02x}"))
    assert (answer.finding, answer.certain) == ("CONTRACT_WALLET", False)


def test_looks_no_further_than_the_48th_other_challenge() -> None:
    others = tuple(challenge(ALICE.registered, challenge_id=f"CHG_{n:022d}") for n in range(49))
    last, beyond = others[47], others[48]
    found = diagnose(case(ALICE.registered, ALICE.answer(last.text), other_challenges=others))
    assert found.other_challenge_id == last.challenge_id
    lost = diagnose(case(ALICE.registered, ALICE.answer(beyond.text), other_challenges=others))
    assert (lost.finding, lost.certain) == ("UNKNOWN_SIGNER", False)


def test_a_wallet_seen_once_is_nobodys_and_seen_twice_is_named() -> None:
    paste = BOB.answer(text_for(ALICE.registered))
    once = diagnose(case(ALICE.registered, paste))
    assert (once.certain, once.recovered_address) == (False, None)
    assert BOB.registered.display[-6:] not in texts_of(once)
    assert once.unproven_signer == BOB.registered.display
    twice = diagnose(case(ALICE.registered, paste, earlier_strangers=(once.unproven_signer,)))
    assert (twice.finding, twice.recovered_address) == (
        "SAME_STRANGER_TWICE",
        BOB.registered.display,
    )
    # The registered address may be a contract whose owner Bob is.
    assert not twice.certain
    assert twice.witness is not None
    assert proves(twice.witness)


def test_two_unknown_signers_are_rather_one_wallet_and_a_changed_text() -> None:
    first = diagnose(case(ALICE.registered, ALICE.answer("my own words")))
    assert (first.finding, first.cause) == ("UNKNOWN_SIGNER", "WRONG_WALLET_ADDRESS")
    second = case(
        ALICE.registered,
        ALICE.answer("other words of mine"),
        earlier_strangers=(first.unproven_signer or "",),
    )
    answer = diagnose(second)
    assert (answer.finding, answer.cause, answer.certain, answer.asks_for_text) == (
        "SIGNER_CHANGED", WRONG_MESSAGE_FORMAT, False, True,
    )  # fmt: skip


def test_finds_the_text_that_the_wallets_own_block_shows() -> None:
    customer = customers("bitcoin")[0]
    edited = "My own words"
    block = (
        f"-----BEGIN BITCOIN SIGNED MESSAGE-----\n{edited}\n-----BEGIN BITCOIN SIGNATURE-----\n"
        f"{customer.answer(edited)}\n-----END BITCOIN SIGNATURE-----"
    )
    answer = diagnose(case(customer.registered, block))
    assert (answer.finding, answer.cause, answer.certain) == (
        "EDITED_TEXT",
        WRONG_MESSAGE_FORMAT,
        True,
    )
    assert edited not in texts_of(answer)


def test_the_same_key_on_two_evm_networks_is_accepted_for_the_exact_text() -> None:
    base = address(ALICE.registered.display, "base")
    answer = diagnose(
        case(base, ALICE.answer(text_for(base)), known_addresses=known(ALICE.registered))
    )
    assert answer.accepted


@pytest.mark.parametrize("customer", EVERYONE, ids=lambda c: c.registered.display)
def test_secrets_are_never_echoed_even_when_the_challenge_expired(customer: Customer) -> None:
    for state in ("open", "expired"):
        for name, secret in secrets():
            attempt = challenge(customer.registered, state=state)
            answer = diagnose(case(customer.registered, secret, challenge=attempt))
            assert answer.finding == "SECRET_PASTED", name
            assert answer.recovered_address is None
            pieces = [piece for piece in secret.split() if len(piece) > 9]
            assert all(piece not in repr(answer) for piece in pieces), name


def test_every_finding_has_plain_words_for_the_customer() -> None:
    for finding, wording in FINDINGS.items():
        assert wording.explanation.endswith((".", "}")), finding
        assert wording.ask_customer.endswith(("?", ".")), finding
        words = wording.ask_customer.replace("_end}", "}")
        assert not any(code in words for code in ("_", "{other", "EIP", "BIP", "sha"))
        assert "{recovered}" not in wording.ask_customer


ANYTHING = st.one_of(
    st.text(max_size=300),
    st.text(string.hexdigits, max_size=140),
    st.text(string.ascii_letters + string.digits + "+/=", max_size=200),
    st.binary(max_size=140).map(bytes.hex),
    st.binary(min_size=64, max_size=65).map(bytes.hex),
    st.lists(st.integers(-1, 300), max_size=70).map(str),
)


@settings(max_examples=150, deadline=None)
@given(paste=ANYTHING, customer=st.sampled_from(EVERYONE))
def test_never_accepts_never_raises_and_never_repeats_what_nobody_signed(
    paste: str, customer: Customer
) -> None:
    with explaining(FEW, EVERYTHING):
        answer = diagnose(case(customer.registered, paste))
    assert not answer.accepted
    assert answer.cause is not None
    if len(paste) > 40:
        shown = replace(answer, recovered_address=None, explanation="", ask_customer="")
        assert paste not in repr(shown)
        assert paste not in texts_of(answer)


@pytest.mark.usefixtures("little_is_tried")
@pytest.mark.parametrize(
    "paste",
    [
        "\ud800", "\udfff" * 50, '{"msg": "\\ud800", "sig": "' + "1b" * 65 + '"}',
        "{" + '"r": "1", ' * 50 + '"s": 1}', '{"r": "' + "9" * 79 + '", "s": "1", "v": 27}',
        "9" * 5000, "[" + "9" * 5000 + "]", '{"0": "x", "1": null}', "%ff%00%zz", "0x" + "0" * 130,
    ],
)  # fmt: skip
def test_strange_pastes_are_refused_and_not_choked_on(paste: str) -> None:
    for customer in EVERYONE:
        assert not diagnose(case(customer.registered, paste)).accepted


def test_a_bare_hash_signed_by_a_bitcoin_key_is_named() -> None:
    customer = customers("bitcoin")[0]
    digest = sha256(text_for(customer.registered).encode())
    packed = coincurve.PrivateKey(customer.key).sign_recoverable(digest, hasher=None)
    paste = customer.spell(bytes([31 + packed[64]]) + packed[:64])
    assert diagnose(case(customer.registered, paste)).finding == "RAW_HASH_SIGNED"


@pytest.mark.parametrize("family", ["evm", "tron", "bitcoin"])
def test_a_recovery_byte_at_the_wrong_end_is_no_other_network(family: str) -> None:
    customer = customers(family)[0]
    signature = customer.sign(text_for(customer.registered).encode())
    moved = signature[64:] + signature[:64] if family != "bitcoin" else signature[1:] + b"\1"
    for paste in (moved.hex(), base64.b64encode(moved).decode()):
        answer = diagnose(case(customer.registered, paste))
        assert (answer.cause, answer.certain) == (WRONG_MESSAGE_FORMAT, True)
        assert answer.finding == "WRONG_RECOVERY_BYTE"


def test_one_key_that_signs_as_another_networks_wallet_is_a_network_mismatch() -> None:
    electrum = SIGN["bitcoin"](ALICE.key, text_for(ALICE.registered).encode())
    answer = diagnose(case(ALICE.registered, base64.b64encode(electrum).decode()))
    assert (answer.finding, answer.cause) == ("SIGNED_AS_BITCOIN", NETWORK_MISMATCH)
    customer = customers("bitcoin")[1]
    metamask = SIGN["evm"](customer.key, text_for(customer.registered).encode())
    answer = diagnose(case(customer.registered, "0x" + metamask.hex()))
    assert (answer.finding, answer.cause) == ("SIGNED_AS_ETHEREUM", NETWORK_MISMATCH)


def test_the_same_wrong_text_is_never_a_network_mismatch_of_the_same_network() -> None:
    mine = challenge(ALICE.registered)
    again = diagnose(case(ALICE.registered, ALICE.answer(mine.text), other_challenges=(mine,)))
    assert again.accepted


ABI = bytes([32]).rjust(32, b"\0") + bytes(96)
WITNESS = b"\x02\x47" + b"\x30" * 71 + b"\x21" + b"\x02" * 33
PROOF = "smp" + base64.b64encode(WITNESS).decode()


@pytest.mark.parametrize(
    ("family", "paste", "finding"),
    [
        ("solana", "0x" + "ab" * 80, "WRONG_LENGTH"),
        ("solana", "0x" + ABI.hex(), "LOOKS_LIKE_ETHEREUM"),
        ("solana", "0x" + "9a" * 64 + "1c", "LOOKS_LIKE_ETHEREUM"),
        ("evm", PROOF, "LOOKS_LIKE_BITCOIN"),
        ("solana", PROOF, "LOOKS_LIKE_BITCOIN"),
        ("bitcoin", "0x" + "9a" * 31 + "01" + "22" * 32 + "1b", "LOOKS_LIKE_ETHEREUM"),
    ],
)  # fmt: skip
def test_shapes_speak_when_nothing_else_does_and_are_never_certain(
    family: str, paste: str, finding: str
) -> None:
    answer = diagnose(case(customers(family)[0].registered, paste))
    assert (answer.finding, answer.certain) == (finding, False)


@pytest.mark.parametrize("customer", EVERYONE, ids=lambda c: c.registered.display)
def test_a_right_signature_is_accepted_without_any_context(customer: Customer) -> None:
    attempt = case(customer.registered, customer.answer(text_for(customer.registered)))
    accepted = accept(attempt)
    assert accepted is not None
    assert accepted == diagnose(attempt)
    closed = challenge(customer.registered, state="expired")
    assert accept(replace(attempt, challenge=closed)) is None
    assert accept(replace(attempt, signature=customer.answer("gm"))) is None
    assert accept(replace(attempt, signature=EVM_KEYS[0])) is None


@pytest.mark.parametrize("name", ["evm", "tron", "solana", "bitcoin"])
def test_a_text_that_a_tool_framed_for_another_network_is_a_wrong_text(name: str) -> None:
    """The wallet signed as on the registered network; only what it signed isn't our text."""
    customer = customers(name)[0]
    text = text_for(customer.registered)
    network = "Ethereum" if name == "tron" else "TRON"
    framed = f"\x19{network} Signed Message:\n{len(text)}{text}"
    answer = diagnose(case(customer.registered, customer.answer(framed)))
    assert (answer.finding, answer.cause, answer.certain) == (
        "DOUBLE_PREFIX", WRONG_MESSAGE_FORMAT, True,
    )  # fmt: skip
