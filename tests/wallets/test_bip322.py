"""What a BIP-322 proof of one key must look like, down to the byte."""

import base64

import pytest
from tests.wallets.customers import Customer, address, case, customers, text_for

from chainteller.wallets.bech32 import BadBech32, decode_segwit, encode_segwit
from chainteller.wallets.bip137 import compact_size
from chainteller.wallets.bip322 import (
    Bip322Check,
    ToSign,
    Unsupported,
    legacy_digest,
    read_bip322,
    segwit_digest,
    spent_outpoint,
    taproot_digest,
)
from chainteller.wallets.bitcoin_keys import script_of
from chainteller.wallets.bitcoin_signing import sign_bip322
from chainteller.wallets.diagnose import diagnose
from chainteller.wallets.families.bitcoin import Bitcoin
from chainteller.wallets.hashes import hash160, ripemd160_without_openssl, sha256
from chainteller.wallets.networks import resolve_network
from chainteller.wallets.sample_keys import public_key, sign_digest
from chainteller.wallets.secp256k1 import ORDER, compress, decompress
from chainteller.wallets.verify import verify_bytes, verify_signature

KEY = customers("bitcoin")[0].key
PUBLIC = public_key(KEY)
PACKED = compress(PUBLIC)
BITCOIN = resolve_network("bitcoin")
FAMILY = Bitcoin()
NATIVE, NESTED, TAPROOT, LEGACY = (
    FAMILY.address_of_key(PUBLIC, kind, BITCOIN) for kind in ("p2wpkh", "p2sh", "p2tr", "p2pkh")
)
TEXT = b"text"
OUTPUT = bytes(8) + b"\x01\x6a"


def der(r: int, s: int, hash_type: int = 1) -> bytes:
    body = b""
    for number in (r, s):
        octets = number.to_bytes(number.bit_length() // 8 + 1, "big")
        body += b"\x02" + bytes([len(octets)]) + octets
    return b"\x30" + bytes([len(body)]) + body + bytes([hash_type])


def stack(*items: bytes) -> bytes:
    return bytes([len(items)]) + b"".join(compact_size(len(item)) + item for item in items)


def native_signature() -> tuple[int, int]:
    outpoint = spent_outpoint(TEXT, script_of(NATIVE))
    r, s, _ = sign_digest(KEY, segwit_digest(ToSign(()), outpoint, PACKED))
    return r, s


def passes(data: bytes, prefix: str = "smp", registered: object = None) -> bool:
    return verify_bytes(TEXT, data, prefix, registered or NATIVE) is not None  # type: ignore[arg-type]  # any address


def test_accepts_the_witness_of_the_key_with_or_without_a_prefix() -> None:
    for registered in (NATIVE, NESTED, TAPROOT):
        made = sign_bip322(KEY, TEXT, registered)
        assert passes(made, "smp", registered)
        assert passes(made, "", registered)
        assert not passes(made, "ful", registered)
        assert not passes(made, "pof", registered)


def test_refuses_every_witness_that_the_network_would_refuse() -> None:
    r, s = native_signature()
    good = der(r, s)
    assert passes(stack(good, PACKED))
    wrong = {
        "no witness": b"\x00",
        "trailing byte": stack(good, PACKED) + b"\x00",
        "cut short": stack(good, PACKED)[:-1],
        "a count of 4 billion": b"\xfe\xff\xff\xff\xff",
        "sighash none": stack(der(r, s, 2), PACKED),
        "high s": stack(der(r, ORDER - s), PACKED),
        "uncompressed key": stack(good, b"\x04" + PUBLIC),
        "key off the curve": stack(good, b"\x02" + bytes(31) + b"\x05"),
        "no DER": stack(b"\x31" + good[1:], PACKED),
        "length lies": stack(good[:1] + bytes([good[1] + 1]) + good[2:], PACKED),
        "needless zero": stack(
            good[:1] + bytes([good[1] + 1]) + b"\x02" + bytes([good[3] + 1]) + b"\x00" + good[4:],
            PACKED,
        ),
        "negative r": stack(b"\x30\x06\x02\x01\x80\x02\x01\x01\x01", PACKED),
        "one number only": stack(b"\x30\x07\x02\x02\x01\x01\x03\x01\x01\x01", PACKED),
        "zero r": stack(b"\x30\x06\x02\x01\x00\x02\x01\x01\x01", PACKED),
    }
    assert [name for name, data in wrong.items() if passes(data)] == []


def full(registered: object, **changes: bytes) -> bytes:
    """A full proof of KEY for p2wpkh, p2tr or p2pkh, with parts replaced."""
    script = script_of(registered)  # type: ignore[arg-type]  # one of the addresses above
    outpoint = changes.get("outpoint", spent_outpoint(TEXT, script))
    version = changes.get("version", bytes(4))
    lock = changes.get("lock", bytes(4))
    to_sign = ToSign((), b"", outpoint, version, lock, lock)
    script_sig, witness = b"", b""
    if registered is LEGACY:
        r, s, _ = sign_digest(KEY, legacy_digest(to_sign, outpoint, script))
        script_sig = b"".join(bytes([len(push)]) + push for push in (der(r, s), PACKED))
    else:
        r, s, _ = sign_digest(KEY, segwit_digest(to_sign, outpoint, PACKED))
        witness = stack(der(r, s), PACKED)
    script_sig = changes.get("script_sig", script_sig)
    return (
        version + (b"\x00\x01" if witness else b"") + changes.get("inputs", b"\x01") + outpoint
        + compact_size(len(script_sig)) + script_sig + lock + b"\x01"
        + changes.get("output", OUTPUT) + witness + lock
    )  # fmt: skip


def test_accepts_full_proofs_of_one_key_whatever_their_lock_time() -> None:
    for registered in (NATIVE, LEGACY):
        assert passes(full(registered), "ful", registered)
        assert passes(full(registered), "", registered)
        locked = full(registered, version=b"\x02\x00\x00\x00", lock=b"\xe0\x07\x00\x00")
        assert passes(locked, "ful", registered)


def test_refuses_full_proofs_that_spend_or_pay_anything_else() -> None:
    for registered in (NATIVE, LEGACY):
        for changes in (
            {"outpoint": bytes(36)}, {"version": b"\x05\x00\x00\x00"},
            {"output": b"\x01" + OUTPUT[1:]}, {"inputs": b"\x02"}, {"script_sig": b"\x51"},
        ):  # fmt: skip
            assert not passes(full(registered, **changes), "ful", registered), changes
    with pytest.raises(Unsupported):
        read_bip322(full(NATIVE, inputs=b"\x02"), "ful")


def test_a_taproot_witness_must_be_the_bare_key_path() -> None:
    made = sign_bip322(KEY, TEXT, TAPROOT)
    signature = made[2:66]
    assert passes(stack(signature), "smp", TAPROOT)
    assert not passes(stack(signature + b"\x00"), "smp", TAPROOT)
    assert not passes(stack(signature + b"\x03"), "smp", TAPROOT)
    assert not passes(stack(signature[:-1]), "smp", TAPROOT)
    outpoint = spent_outpoint(TEXT, script_of(TAPROOT))
    assert len(taproot_digest(ToSign(()), outpoint, script_of(TAPROOT), b"\x01")) == 32
    with pytest.raises(Unsupported):
        Bip322Check(ToSign((signature, b"\x50")), TAPROOT)
    with_script = ToSign((signature,), b"\x51", outpoint)
    assert not Bip322Check(with_script, TAPROOT).signs(TEXT)


def test_a_script_of_several_keys_is_not_supported_and_no_wrong_wallet() -> None:
    script = b"\x52\x21" + PACKED + b"\x21" + PACKED + b"\x52\xae"
    paste = "smp" + base64.b64encode(stack(b"", b"\x30" * 71, b"\x30" * 71, script)).decode()
    shared = address(encode_segwit("bc", 0, sha256(script)), "bitcoin")
    for registered in (shared, NATIVE, NESTED):
        assert diagnose(case(registered, paste)).finding == "BIP322_UNSUPPORTED"


def test_a_simple_proof_never_stands_for_a_p2pkh_address() -> None:
    customer = Customer("bitcoin", KEY, LEGACY)
    text = text_for(LEGACY)
    paste = "smp" + base64.b64encode(sign_bip322(KEY, text.encode(), NATIVE)).decode()
    assert verify_signature(text, paste, LEGACY) is None
    answer = diagnose(case(customer.registered, paste))
    assert (answer.finding, answer.recovered_address) == ("OTHER_ADDRESS_OF_KEY", NATIVE.display)


def test_keys_are_points_of_the_curve_in_either_form() -> None:
    assert decompress(PACKED) == decompress(b"\x04" + PUBLIC) == PUBLIC
    assert decompress(b"\x04" + PUBLIC[:63] + bytes([PUBLIC[63] ^ 1])) is None
    assert decompress(b"\x05" + PUBLIC[:32]) is None
    assert decompress(PACKED[:-1]) is None


def test_ripemd160_is_the_same_without_openssl() -> None:
    assert ripemd160_without_openssl(sha256(PACKED)) == hash160(PACKED)


def test_sizes_are_written_as_bitcoin_writes_them() -> None:
    assert compact_size(252) == b"\xfc"
    assert compact_size(253) == b"\xfd\xfd\x00"
    assert compact_size(65536) == b"\xfe\x00\x00\x01\x00"


def test_segwit_addresses_survive_the_way_there_and_back() -> None:
    for version, program in ((0, bytes(20)), (0, bytes(32)), (1, bytes(range(32))), (16, b"ab")):
        assert decode_segwit(encode_segwit("tb", version, program)) == ("tb", version, program)
    with pytest.raises(BadBech32, match="LENGTH"):
        decode_segwit(encode_segwit("bc", 1, bytes(60)))
