"""Faster and slower ways are interchangeable: the same keys and the same verdicts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.wallets.customers import EVERY_FAMILY, customers, one_of_each_kind, recorded

from chainteller.wallets.curve import KeyRecovery, SchnorrCheck
from chainteller.wallets.hashes import tagged_hash
from chainteller.wallets.sample_keys import public_key
from chainteller.wallets.secp256k1 import ORDER, compress, decompress
from chainteller.wallets.secp256k1_fast import FastCurve
from chainteller.wallets.secp256k1_pure import PureCurve

pytestmark = pytest.mark.thorough

SCALARS = st.one_of(st.integers(0, ORDER + 2), st.integers(0, 2**128), st.integers(0, 3))
ROOT = Path(__file__).resolve().parents[2]


def _digest(number: int) -> bytes:
    return number.to_bytes(32, "big")


def key_of(recovery: KeyRecovery | None, digest: bytes) -> bytes | None:
    return recovery.public_key(digest) if recovery else None


@settings(max_examples=150, deadline=None)
@given(
    r=SCALARS, s=SCALARS, recovery_id=st.integers(0, 3), digest=st.binary(min_size=32, max_size=32)
)
def test_both_recover_the_same_key_or_none(r: int, s: int, recovery_id: int, digest: bytes) -> None:
    pure = key_of(PureCurve().recovery(r, s, recovery_id), digest)
    assert pure == key_of(FastCurve().recovery(r, s, recovery_id), digest)
    if pure is not None:
        assert decompress(compress(pure)) == pure


@settings(max_examples=60, deadline=None)
@given(
    r=SCALARS, s=SCALARS, recovery_id=st.integers(0, 3),
    digests=st.lists(
        st.one_of(st.binary(min_size=32, max_size=32), SCALARS.map(_digest)),
        min_size=1, max_size=9,
    ),
)  # fmt: skip
def test_both_recover_the_keys_of_many_digests_as_of_each(
    r: int, s: int, recovery_id: int, digests: list[bytes]
) -> None:
    # The same digest more than once, digests whose keys meet on the way, and enough for tables.
    digests = [*digests, digests[0], bytes(32)] * 3
    for backend in (PureCurve(), FastCurve()):
        recovery = backend.recovery(r, s, recovery_id)
        if recovery is not None:
            each = [FastCurve().recovery(r, s, recovery_id) for _ in digests]
            expected = [key_of(one, digest) for one, digest in zip(each, digests, strict=True)]
            assert recovery.public_keys(digests) == expected


def signs(check: SchnorrCheck | None, message: bytes) -> bool:
    return check is not None and check.signs(message)


@settings(max_examples=60, deadline=None)
@given(message=st.binary(min_size=32, max_size=32), flipped=st.integers(0, 800))
def test_both_judge_bip340_alike(message: bytes, flipped: int) -> None:
    import coincurve  # noqa: PLC0415 - the signer of this test alone

    secret = coincurve.PrivateKey(customers("bitcoin")[0].key)
    packed = bytearray(secret.sign_schnorr(message) + secret.public_key.format()[1:])
    if flipped < 768:
        packed[flipped // 8] ^= 1 << flipped % 8
    signature, x_only = bytes(packed[:64]), bytes(packed[64:])
    pure, fast = PureCurve().schnorr(signature, x_only), FastCurve().schnorr(signature, x_only)
    for asked in (message, bytes(32), message, message):
        assert signs(pure, asked) == signs(fast, asked)
    assert signs(fast, message) == (flipped >= 768)


def test_both_refuse_a_bip340_nonce_with_an_odd_y() -> None:
    """R and -R share their x; only the even one is a signature."""
    key = int.from_bytes(customers("bitcoin")[0].key, "big")
    key = ORDER - key if public_key(key.to_bytes(32, "big"))[63] & 1 else key
    x_only = public_key(key.to_bytes(32, "big"))[:32]
    verdicts = set()
    for nonce in range(2, 12):
        point = public_key(nonce.to_bytes(32, "big"))
        hashed = tagged_hash("BIP0340/challenge", point[:32] + x_only + bytes(32))
        s = (nonce + int.from_bytes(hashed, "big") * key) % ORDER
        signature = point[:32] + s.to_bytes(32, "big")
        even = point[63] % 2 == 0
        assert signs(PureCurve().schnorr(signature, x_only), bytes(32)) == even
        assert signs(FastCurve().schnorr(signature, x_only), bytes(32)) == even
        verdicts.add(even)
        pure = PureCurve().schnorr(signature, x_only)
        assert pure is not None
        assert pure.signed([bytes(32)] * 20 + [bytes([1]) * 32]) == [even] * 20 + [False]
    assert verdicts == {True, False}


def test_both_tweak_keys_alike() -> None:
    for customer in customers("bitcoin"):
        key = PureCurve().recovery(1, 7, 0)
        assert key is not None
        point = key.public_key(customer.key)
        assert point is not None
        order = ORDER.to_bytes(32, "big")
        for tweak in (customer.key, bytes(32), order):
            assert PureCurve().plus(point, tweak) == FastCurve().plus(point, tweak)
        assert PureCurve().plus(point, order) is None


def test_pure_python_judges_recorded_signatures_alike() -> None:
    """One of each library, form, network and finding, in a process that can't import coincurve."""
    program = (
        "import sys; sys.modules['coincurve'] = None\n"
        "from chainteller.wallets.curve import curve\n"
        "assert type(curve()).__name__ == 'PureCurve'\n"
        "import json\n"
        "from chainteller.wallets.addresses import parse_address\n"
        "from chainteller.wallets.diagnose import Case, KnownChallenge, diagnose\n"
        "from chainteller.wallets.networks import resolve_network\n"
        "for row in json.load(sys.stdin):\n"
        "    address = parse_address(row['address'], resolve_network(row['network']))\n"
        "    known = KnownChallenge('CHG', 'CPT', address, row['text'], 'open', '')\n"
        "    answer = diagnose(Case(known, row['signature']))\n"
        "    judged = 'accepted' if answer.accepted else answer.finding\n"
        "    assert judged == row['expect'], row\n"
    )
    rows = [row for family in EVERY_FAMILY for row in one_of_each_kind(recorded(family))]
    path = f"{ROOT / 'src'}{os.pathsep}{ROOT}"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env={**os.environ, "PYTHONPATH": path},
        input=json.dumps(rows), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
