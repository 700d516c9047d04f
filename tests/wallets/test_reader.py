import base64
import time
from contextlib import suppress

import base58
import pytest
from tests.wallets.customers import customers, family, text_for
from tests.wallets.matrix_damage import secrets

from chainteller.wallets.family import Family
from chainteller.wallets.pasted_secrets import SecretPasted
from chainteller.wallets.reader import Unreadable, read_signature

ETHEREUM_LIKE, SOLANA_LIKE, BITCOIN_LIKE = family("evm"), family("solana"), family("bitcoin")
READERS = (ETHEREUM_LIKE, SOLANA_LIKE, BITCOIN_LIKE, family("xrp"))
"""One for each way in which a family decides how a paste is read."""
EVM = customers("evm")[0].sign(b"text")
SOLANA = customers("solana")[0].sign(b"text")


def finding(text: str, reader: Family = ETHEREUM_LIKE) -> str:
    with pytest.raises(Unreadable) as refused:
        read_signature(text, reader)
    return refused.value.finding


def first(text: str, reader: Family) -> bytes:
    return read_signature(text, reader).candidates[0].data


def test_prefers_base58_for_the_solana_signatures_that_are_also_base64_of_65_bytes() -> None:
    customer = customers("solana")[0]
    short = next(
        signature
        for signature in (customer.sign(f"text {n}".encode()) for n in range(200))
        if len(base58.b58encode(signature)) == 87
    )
    text = base58.b58encode(short).decode()
    assert first(text, SOLANA_LIKE) == short
    # Another family's reader starts with 65 bytes, and still has the other reading.
    readings = read_signature(text, BITCOIN_LIKE).candidates
    assert len(readings[0].data) == 65
    assert short in [reading.data for reading in readings]


@pytest.mark.parametrize("prefix", ["smp", "ful", "pof"])
def test_reads_the_prefixes_of_bip322_only_for_bitcoin(prefix: str) -> None:
    text = prefix + base64.b64encode(b"\x02" * 108).decode()
    assert read_signature(text, BITCOIN_LIKE).prefix == prefix
    assert read_signature(text, SOLANA_LIKE).prefix == ""


def test_keeps_what_the_wallets_own_block_says_was_signed() -> None:
    block = (
        "-----BEGIN BITCOIN SIGNED MESSAGE-----\r\nsome text\r\n"
        "-----BEGIN BITCOIN SIGNATURE-----\r\n"
        "1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA\r\n\r\n"
        f"{base64.b64encode(EVM).decode()}\r\n-----END BITCOIN SIGNATURE-----"
    )
    reading = read_signature(block, BITCOIN_LIKE)
    assert reading.candidates[0].data == EVM
    assert reading.stated_text == "some text"


@pytest.mark.parametrize(
    "text",
    [
        "{signature: '0x%s', account: 'x'}", '[{"result": "%s"}]', '{"data": {"signature": "%s"}}',
        "sig=%s", "signed: %s", "Message: hello\nSignature: %s", '"\\"%s\\""', "<%s>", "%s\\n",
    ],
)  # fmt: skip
def test_finds_the_signature_in_what_consoles_and_mails_wrap_around_it(text: str) -> None:
    assert first(text % EVM.hex(), ETHEREUM_LIKE) == EVM


def test_reads_percent_encoded_base64_and_console_arrays() -> None:
    encoded = base64.b64encode(SOLANA).decode().replace("+", "%2B").replace("=", "%3D")
    assert first(encoded.replace("/", "%2F"), SOLANA_LIKE) == SOLANA
    console = f"Uint8Array(64) [{', '.join(map(str, SOLANA))}, buffer: ArrayBuffer(64)]"
    assert first(console, SOLANA_LIKE) == SOLANA


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "EMPTY"), ("\u200b \ufeff", "EMPTY"), ("0x", "CONTRACT_WALLET"),
        ("0xabc\u2026def", "TRUNCATED"), ("see attachment", "NOT_A_SIGNATURE"),
        ("\u0430\u0431\u0432", "NOT_A_SIGNATURE"),
        ("!", "NOT_A_SIGNATURE"), ("{}", "NOT_A_SIGNATURE"),
        ('{"a": ' * 2000, "TEXT_PASTED"), ("[" * 19_000, "NOT_A_SIGNATURE"),
        ("null", "NOT_A_SIGNATURE"),
        ("[1e999]", "NOT_A_SIGNATURE"), ("[256, 1]", "NOT_A_SIGNATURE"), ("x" * 20_001, "TOO_LONG"),
        (text_for(customers("evm")[0].registered), "TEXT_PASTED"),
    ],
)  # fmt: skip
def test_says_what_was_pasted_instead(text: str, expected: str) -> None:
    assert finding(text) == expected


@pytest.mark.parametrize("reader", READERS)
def test_refuses_every_kind_of_secret_and_carries_nothing_of_it(reader: Family) -> None:
    for name, secret in secrets():
        with pytest.raises(SecretPasted) as refused:
            read_signature(secret, reader)
        shown = repr(refused.value) + str(refused.value) + str(vars(refused.value))
        assert all(piece not in shown for piece in secret.split() if len(piece) > 5), name


def test_a_signature_broken_into_lines_of_64_digits_is_no_private_key() -> None:
    digits = EVM.hex()
    assert first(f"0x{digits[:64]}\n{digits[64:128]}\n{digits[128:]}", ETHEREUM_LIKE) == EVM


def test_twelve_words_of_a_normal_sentence_with_signs_are_not_called_a_secret() -> None:
    sentence = "I can't find the button, where is it in the app? Please call me back."
    assert finding(sentence) == "TEXT_PASTED"


@pytest.mark.parametrize("length", [31, 32, 40])
def test_a_text_in_hex_is_a_text_and_no_secret(length: int) -> None:
    said = b"EXAMPLEBANK-C1001-7Q2M9K4T8X1B6N3D5F0H2J"[:length]
    assert finding(said.hex()) == "TEXT_PASTED"
    assert finding(f"0x{said.hex()}") == "TEXT_PASTED"


HOSTILE = (
    "1", "z", "ab ", "[", '{"a":', "Signature: ", "%41", "1,", "0x", "a1b2", "word ",
    "Uint8Array [",    "signature: '", "5" + "K" * 50 + " ", "private ", "xprv", "1. ",
    "-----BEGIN SIGNED MESSAGE-----\n",
    "-----BEGIN SIGNED MESSAGE-----\n-----BEGIN SIGNATURE-----", "recovery\t", '\\"', "\ufdfa",
)  # fmt: skip


@pytest.mark.parametrize("filler", HOSTILE)
def test_no_paste_takes_long_to_read(filler: str) -> None:
    text = (filler * 10_000)[:10_000]
    for reader in READERS:
        assert any(seconds_to_read(text, reader) < 0.3 for _ in range(3))


def seconds_to_read(text: str, reader: Family) -> float:
    """Processor time of this thread alone: other tests' threads may still be ending."""
    started = time.thread_time()
    with suppress(Unreadable, SecretPasted):
        read_signature(text, reader)
    return time.thread_time() - started
