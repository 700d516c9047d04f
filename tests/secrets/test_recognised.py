"""Of made secrets none passes, and ordinary texts do."""

import subprocess
import sys
from base64 import b64encode, encodebytes
from collections.abc import Callable
from quopri import encodestring
from random import Random  # noqa: TID251 - keys that can be made again from a seed

import pytest
from base58 import b58encode, b58encode_check
from nacl.bindings import crypto_sign_seed_keypair
from tests.secrets.generated import secrets, words_of
from tests.secrets.ordinary import ordinary

from chainteller.domain.bare_keys import has_hex_key
from chainteller.domain.pasted_secrets import Digits, find_secret

SEED = 2026
SIZES = pytest.mark.parametrize(
    "count", [600, pytest.param(10_000, marks=pytest.mark.thorough)], ids=["few", "many"]
)


@SIZES
@pytest.mark.parametrize("digits", Digits)
def test_every_secret_is_recognised(count: int, digits: Digits) -> None:
    """Only 64 bare hex digits pass, where they are a hash."""
    passed = [each for each in secrets(SEED, count) if find_secret(each.text, digits) is None]
    assert [each for each in passed if not each.is_hex] == []
    takes = digits in {Digits.HASH, Digits.DIGEST}
    assert bool(passed) == takes


@SIZES
@pytest.mark.parametrize("digits", Digits)
def test_ordinary_texts_pass(count: int, digits: Digits) -> None:
    """At most one in a thousand is refused, and no hash where one is expected."""
    refused = [each for each in ordinary(SEED, count) if find_secret(each.text, digits)]
    assert len([each for each in refused if not each.is_hash]) <= count / 1000, refused
    if digits is Digits.HASH:
        assert [each for each in refused if each.is_hash] == []


@pytest.mark.parametrize(
    ("text", "takes"),
    [
        ("{}", {Digits.HASH, Digits.DIGEST}),
        ("0x{}", {Digits.HASH}),
        ("tx {}", {*Digits}),
        ("https://etherscan.io/tx/0x{}", {*Digits}),
        ("customer gave me {} today", {Digits.HASH, Digits.DIGEST, Digits.SIGNATURE}),
        ("tx failed, her private key is {}", set()),
        ("{}.quote", {Digits.HASH, Digits.DIGEST, Digits.SIGNATURE}),
        ('{{"r": "0x{0}", "s": "0x{0}", "v": 27}}', {*Digits}),
    ],
)
def test_what_64_hex_digits_are_depends_on_the_entrance(text: str, takes: set[Digits]) -> None:
    """The table in docs/explanation/wallet_policy.md."""
    digits = "5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"
    said = text.format(digits)
    assert {each for each in Digits if find_secret(said, each) is None} == takes


@pytest.mark.parametrize("digits", Digits)
def test_raw_keys_of_xrp_are_told_from_public_ones(digits: Digits) -> None:
    """Both are ED and 32 bytes. A public key is a point of its curve, which most seeds are not;
    one that might be either is a key where no signature is beside it and no word of a public key.
    """
    rng = Random(5)  # noqa: S311 - no secret
    for seed in (rng.randbytes(32) for _ in range(100)):
        public = crypto_sign_seed_keypair(seed)[0]
        signed = f'{{"publicKey": "ED{public.hex()}", "signature": "{rng.randbytes(64).hex()}"}}'
        assert find_secret(f"ED{seed.hex()}".upper(), digits)
        assert find_secret(f"00{seed.hex()}", digits)
        assert find_secret(f"the wallet shows ED{seed.hex()} on its last page", digits)
        assert find_secret(signed, digits) is None
        if digits is Digits.SIGNATURE:
            beside = f"it shows ED{public.hex()} and {rng.randbytes(64).hex()}".upper()
            assert find_secret(beside, digits) is None
        assert find_secret(f"public key: ED{public.hex()}", digits) is None


def _pair(rng: Random) -> bytes:
    return crypto_sign_seed_keypair(rng.randbytes(32))[1]


@pytest.mark.parametrize("digits", Digits)
@pytest.mark.parametrize(
    "spell",
    [
        lambda octets: " ".join(map(str, octets)),
        lambda octets: "\n".join(f"{at}: {each}" for at, each in enumerate(octets)),
        lambda octets: str([each - 256 if each > 127 else each for each in octets]),
    ],
    ids=["spaces", "places", "signs"],
)
def test_a_key_in_numbers_is_recognised_however_they_are_listed(
    digits: Digits, spell: Callable[[bytes], str]
) -> None:
    rng = Random(6)  # noqa: S311 - no secret
    assert all(find_secret(spell(_pair(rng)), digits) for _ in range(20))
    assert all(find_secret(spell(rng.randbytes(32)), digits) for _ in range(20))


@pytest.mark.parametrize("length", [32, 41, 96, 160, 224])
def test_a_text_in_numbers_is_no_key(length: int) -> None:
    """Neither 32 of them nor what a list of more has left after each 64."""
    said = list((b"EXAMPLEBANK-C1001-7Q2M9K4T8X1B6N3D5F0H2J " * 6)[:length])
    assert [each for each in Digits if find_secret(str(said), each)] == []


@pytest.mark.parametrize("length", [31, 32])
@pytest.mark.parametrize("spell", [bytes.hex, lambda octets: " ".join(map(hex, octets))])
def test_a_text_that_a_wallet_shows_in_hex_is_no_key(
    length: int, spell: Callable[[bytes], str]
) -> None:
    said = b"EXAMPLEBANK-C1001-7Q2M9K4T8X1B6N3D5F0H2J"[:length]
    assert [each for each in Digits if find_secret(spell(said), each)] == []
    if length == 32:
        assert find_secret(spell(b"\xff" + said[1:]))


def test_numbers_that_are_in_no_list_are_no_phrase() -> None:
    text = "\n".join(["000 7ff 123 456 001 002 003 004 005 006 007 008"] * 2)
    assert [each for each in Digits if find_secret(text, each)] == []


@pytest.mark.parametrize("width", [16, 33, 40, 48, 60])
@pytest.mark.parametrize("start", ["", "0x"])
@pytest.mark.parametrize("between", ["\n", "\r\n> ", " | "])
def test_a_key_that_was_wrapped_is_recognised(width: int, start: str, between: str) -> None:
    key = start + Random(7).randbytes(32).hex()  # noqa: S311 - no secret
    wrapped = between.join(key[at : at + width] for at in range(0, len(key), width))
    assert find_secret(wrapped)
    if not start:
        assert find_secret(wrapped, Digits.SIGNATURE)


@pytest.mark.parametrize("around", ["{} 2026", "be {}", "2026-11-28 10:04 {}", "{} add me"])
def test_a_key_in_groups_is_recognised_beside_what_looks_like_hex(around: str) -> None:
    key = Random(8).randbytes(32).hex()  # noqa: S311 - no secret
    dates = "2026-01-02 10:00. On " * 9
    groups = around.format(" ".join(key[at : at + 4] for at in range(0, 64, 4)))
    assert find_secret(groups)
    assert find_secret(f"{dates}{groups}")


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-01 1500.00 fee 2.50\n" * 4,
        "0x52908400098527886E0F7030069857D2E4169EE7 1500.000000 2026-11-29 10:00",
        ":".join(["c0ffee15900df00d1234"[at : at + 2] for at in range(0, 20, 2)] * 6),
        "[4, 151, 239, 143, 147, 150, 248, 156, 251, 234, 143, 158, 151, 213, 100, 168, 83, 42]",
        "c1sGPSob5MMBHFUM6+p9D3+yUBCKVMoS+BMBZz3tJcV14aleg7KgwQ==",
        "IId0AeKz50BZ2a2d7Adcs3zAeepAflDGXpk+cx8IuSDTbNDdI1mTE2FFMELvw9p5XeXyw6bkh18=\niLP1omUlr42U=3D",
    ],
    ids=["amounts", "address", "signature", "octets", "half a signature", "a mail's signature"],
)
def test_numbers_and_hex_that_are_no_key_pass(text: str) -> None:
    assert find_secret(text) is None


@pytest.mark.parametrize(
    "address", ["1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA", "39oRj36VbCJdky8wsPCT5FMQNRUUekuoUr"]
)
def test_a_part_of_a_mail_in_base64_is_what_it_says(address: str) -> None:
    """The words before an address are no key, however its lines are cut."""
    rng = Random(SEED)  # noqa: S311 - texts
    for _ in range(60):
        name = f"customer {'of a long name '[: rng.randrange(16)]}{rng.randrange(10**6)}"
        text = f"Bank: I, {name}, control bitcoin wallet {address} for withdrawals. Not you?\n"
        assert find_secret(_in_base64(text), Digits.SIGNATURE) is None
        key = rng.randbytes(32).hex()
        assert find_secret(_in_base64(f"{text}The key: {key}\n"), Digits.SIGNATURE)


def test_base64_keeps_its_signs_beside_a_word_in_codes() -> None:
    start, rest = (
        "9zAy8czJXXVbDXRuKCsp1vjMmvB3jLoyLjI3nB7w",
        "yR+JcCuHVW6eQXr3qHZxyu1EZJ5fVKc/NIQ==",
    )
    signature = f"{start}+qQJmefzCVZ{rest}"
    assert find_secret(f"(DE89%203704), {signature}", Digits.SIGNATURE) is None


def _in_base64(text: str) -> str:
    return encodebytes(text.encode()).decode()


def test_octets_of_a_signature_in_a_mails_lines_are_no_key() -> None:
    rng = Random(SEED)  # noqa: S311 - texts
    for _ in range(60):
        signature, key = rng.randbytes(65), rng.randbytes(32)
        for octets, is_secret in ((signature, False), (key, True)):
            mail = encodestring(f"It is {list(octets)} for now.".encode()).decode()
            assert bool(find_secret(mail, Digits.SIGNATURE)) is is_secret


@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("size", [64, 65, 71])
@pytest.mark.parametrize(
    "spell",
    [bytes.hex, lambda octets: octets.hex().upper(), lambda octets: b58encode(octets).decode()],
    ids=["hex", "capitals", "base58"],
)
def test_a_part_of_a_signature_that_a_mail_broke_is_no_key(
    spell: Callable[[bytes], str], size: int, ends: str
) -> None:
    """What stands alone in a line belongs to the run that the soft line break broke."""
    rng = Random(SEED)  # noqa: S311 - texts
    for _ in range(300):
        # ED begins a key of the XRP Ledger, and 5, K and L one in WIF.
        octets = rng.randbytes(size - 34) + b"\xed" + rng.randbytes(33)
        mail = _broken(f"{'x' * rng.randrange(70)} {spell(octets)}", ends)
        assert find_secret(mail, Digits.SIGNATURE) is None, mail
        assert not has_hex_key(mail), mail


@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize(
    "spell",
    [
        bytes.hex,
        lambda octets: f"0x{octets.hex()}",
        lambda octets: f"ED{octets.hex().upper()}",
        lambda octets: b58encode_check(b"\x80" + octets + b"\1").decode(),
        lambda octets: b58encode(crypto_sign_seed_keypair(octets)[1]).decode(),
        lambda octets: crypto_sign_seed_keypair(octets)[1].hex(),
    ],
    ids=["hex", "0x", "XRP", "WIF", "pair", "pair in hex"],
)
def test_a_key_that_a_mail_broke_is_recognised(spell: Callable[[bytes], str], ends: str) -> None:
    rng = Random(SEED)  # noqa: S311 - no secret
    for _ in range(60):
        key = spell(rng.randbytes(32))
        before, after = "x" * rng.randrange(75), "x" * rng.randrange(40)
        mail = _broken(f"It is {before} {key} {after}", ends)
        assert find_secret(mail, Digits.KEY), mail
        assert find_secret(mail, Digits.SIGNATURE) or has_hex_key(mail), mail
        # A line in base64 ends as a broken one does.
        beside = f"{b64encode(rng.randbytes(32)).decode()}{ends}{key}"
        assert find_secret(beside, Digits.KEY), beside


def _broken(text: str, ends: str) -> str:
    return encodestring(text.encode()).decode().replace("\n", ends)


@pytest.mark.parametrize("digits", Digits)
@pytest.mark.parametrize("words_a_line", [2, 3, 4])
def test_a_phrase_is_recognised_where_the_spaces_at_line_ends_are_lost(
    digits: Digits, words_a_line: int
) -> None:
    rng = Random(9)  # noqa: S311 - no secret
    for _ in range(20):
        words = words_of(rng, "english")[:12]
        lines = (" ".join(words[at : at + words_a_line]) for at in range(0, 12, words_a_line))
        joined = "".join(lines)
        assert find_secret(joined, digits)
        assert find_secret(f"customer 12345 read out {joined} and asks what is wrong", digits)


@pytest.mark.parametrize(
    "text",
    [
        "the recovery phrase is never shared with anyone and customer knows that very well indeed",
        "told him that a private key is never needed and that nobody from the bank will ask for it",
        "private key is safe, address bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
        "seed phrase is not affected. Wallet TPBivseBCFmG8AEL38DJ4hxrFMQteENxDz is verified",
        "My private key is safe on the device. Signature: {signature}",
        "the seed phrase is with my wife, signature below\n{signature}",
        "passphrase: none\nof 0x52908400098527886E0F7030069857D2E4169EE7\nsignature: {signature}",
    ],
)
@pytest.mark.parametrize("digits", Digits)
def test_what_is_said_about_a_secret_is_none(text: str, digits: Digits) -> None:
    signature = "0x" + Random(10).randbytes(65).hex()  # noqa: S311 - no secret
    assert find_secret(text.format(signature=signature), digits) is None


@pytest.mark.parametrize("digits", Digits)
def test_what_a_label_names_is_a_secret_whatever_its_form(digits: Digits) -> None:
    value = "q8Zt2LwV9xNbR4mKpY7sHd3G"
    assert find_secret(f"private key is {value}\nsignature: none yet", digits)
    assert find_secret(f"secret key: 1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2 {value}", digits)
    assert find_secret("seed phrase: " + "gizmo oxidant batched rudder vexed " * 3, digits)


_ID = "TDA_0123456789ABCDEFGHJKMN"
_CHECKED = """
import sys
from chainteller.cli.runner import require_no_secrets
require_no_secrets(sys.argv[1:])
print("chainteller.domain.secret_search" in sys.modules)
"""


@pytest.mark.parametrize(
    "line",
    [
        f"trades list {_ID} --status processing",
        f"trade buy sol-usd --spend 2000 --account {_ID} --fund --yes",
        "accounts list --text DDA-1001",
        f"withdrawals cancel {_ID} --yes",
    ],
)
def test_a_usual_command_doesnt_import_the_search(line: str) -> None:
    program = [sys.executable, "-c", _CHECKED, *line.split()]
    assert subprocess.run(program, capture_output=True, text=True, check=True).stdout == "False\n"


_SEARCHED = """
import sys
from chainteller.domain.pasted_secrets import find_secret
assert find_secret(sys.argv[1]) is None
print("chainteller.domain.secret_search" in sys.modules)
"""


def test_the_key_of_a_step_of_a_command_doesnt_import_the_search() -> None:
    program = [sys.executable, "-c", _SEARCHED, f"{Random(8).randbytes(16).hex()}.quote"]  # noqa: S311 - no secret
    assert subprocess.run(program, capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.parametrize("between", [" ", "  ", "-"])
def test_an_id_and_hyphens_hide_no_secret_on_a_line(between: str) -> None:
    rng = Random(7)  # noqa: S311 - no secret
    key = rng.randbytes(32).hex()
    groups = between.join(key[at : at + 16] for at in range(0, 64, 16))
    phrase = between.join(words_of(rng, "english"))
    assert find_secret(f"notes add {_ID} {groups}", Digits.HASH)
    assert find_secret(f"notes add {_ID} {phrase}", Digits.HASH)
