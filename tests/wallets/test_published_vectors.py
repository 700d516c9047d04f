"""The published vectors of this repository, every one of them.

docs/explanation/wallet_policy.md counts them; test_vectors.py has those that are kept elsewhere.
"""

import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import base58
import pytest
from eth_hash.auto import keccak
from tests.wallets.checker import proves
from tests.wallets.customers import address, case, challenge

from chainteller.wallets.addresses import Address, InvalidAddress, parse_address
from chainteller.wallets.bare_ecdsa import BareEcdsaFamily
from chainteller.wallets.curve import Curve
from chainteller.wallets.diagnose import diagnose
from chainteller.wallets.families.cosmos import Cosmos
from chainteller.wallets.families.xrp import Xrp
from chainteller.wallets.networks import NETWORKS, resolve_network
from chainteller.wallets.secp256k1 import HALF_ORDER
from chainteller.wallets.secp256k1_fast import FastCurve
from chainteller.wallets.secp256k1_pure import PureCurve
from chainteller.wallets.texts import SignIn, sign_in_text
from chainteller.wallets.verify import verify_bytes, verify_signature
from chainteller.wallets.witness import Witness
from chainteller.wallets.wording import WRONG_WALLET_ADDRESS

VECTORS = Path(__file__).parent / "vectors"
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "wallet_policy.md"
SOLANA = resolve_network("solana")


def rows(name: str) -> list[list[Any]]:
    found: list[list[Any]] = json.loads((VECTORS / name).read_text(encoding="utf-8"))["vectors"]
    return found


def signed(name: str) -> Iterator[tuple[bytes, int, bytes, bytes, bool]]:
    """The key x ‖ y, the number, digest, signature and verdict of each vector of ECDSA."""
    key = b""
    for row in rows(name):
        if row[0] == "key":
            key = bytes.fromhex(row[1])[1:]
        else:
            number, message, signature, valid = row
            digest = sha256(bytes.fromhex(message)).digest()
            yield key, number, digest, bytes.fromhex(signature), valid


def test_the_policy_counts_every_vector() -> None:
    counted = DOCUMENT.read_text(encoding="utf-8")
    for file in VECTORS.glob("*.json"):
        kinds = [row for row in rows(file.name) if row[0] != "key"]
        assert f"| {len(kinds)} | `{file.name}` |" in counted, file.name


def test_judges_ed25519_as_wycheproof_does() -> None:
    """By the whole way of a signature, and by the checker, which is told nothing else."""
    wrong = []
    for number, key, message, signature, valid in rows("wycheproof_ed25519.json"):
        raw, text, data = map(bytes.fromhex, (key, message, signature))
        shown = base58.b58encode(raw).decode()
        # Not parsed: some of these keys are refused at registration already.
        accepted = verify_bytes(text, data, "", Address(SOLANA, shown, shown, "ed25519"))
        proved = proves(Witness("ed25519", text, text, raw, data, shown, "solana"))
        if (accepted is not None, proved) != (valid, valid):
            wrong.append(number)
    assert wrong == []


@pytest.mark.forms(1)
@pytest.mark.parametrize("make", [FastCurve, PureCurve])
@pytest.mark.parametrize(
    ("name", "reader"),
    [("wycheproof_secp256k1_der.json", Xrp()), ("wycheproof_secp256k1_p1363.json", Cosmos())],
)
def test_judges_secp256k1_as_wycheproof_does(
    name: str, reader: BareEcdsaFamily, make: Callable[[], Curve]
) -> None:
    """DER as Bitcoin has it, strict and with low s, and r ‖ s, where the set allows any s."""
    curve, wrong = make(), []
    for key, number, digest, signature, valid in signed(name):
        numbers = reader.read_numbers(signature)
        reached = numbers is not None and any(
            recovery is not None and recovery.public_key(digest) == key
            for recovery in (curve.recovery(*numbers, recovery_id) for recovery_id in range(4))
        )
        if numbers is not None and reader.form == "XRP":
            reached = reached and numbers[1] <= HALF_ORDER
        if reached != valid:
            wrong.append(number)
    assert wrong == []


def address_of(text: str) -> Address | None:
    for network in NETWORKS:
        try:
            return parse_address(text, network)
        except InvalidAddress:
            continue
    return None


def test_judges_bip322_as_labelled_and_never_calls_a_shared_wallet_wrong() -> None:
    for shown, message, signature, expected in rows("bip322.json"):
        registered = address_of(shown)
        accepted = registered and verify_signature(message, signature, registered)
        assert (accepted is not None) == (expected == "valid"), (shown, message)
        if expected == "policy":
            assert registered is not None
            answer = diagnose(
                case(registered, signature, challenge=challenge(registered, text=message))
            )
            assert answer.finding == "BIP322_UNSUPPORTED", message
            assert answer.cause != WRONG_WALLET_ADDRESS


# EIP-4361's grammar, with RFC 3986's authority and URI, and RFC 3339's times.
_URI = r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+"
_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)"
_EIP4361 = re.compile(
    rf"(?:[A-Za-z][A-Za-z0-9+.-]*://)?[A-Za-z0-9._~!$&'()*+,;=:@\[\]%-]+"
    r" wants you to sign in with your Ethereum account:\n(?P<address>0x[0-9a-fA-F]{40})\n\n"
    r"(?:[A-Za-z0-9 ._~:/?#\[\]@!$&'()*+,;=-]+\n)?\n"
    rf"URI: {_URI}\nVersion: 1\nChain ID: \d+\nNonce: [A-Za-z0-9]{{8,}}\n"
    rf"Issued At: (?P<issued>{_TIME})(?:\nExpiration Time: (?P<expires>{_TIME}))?"
    rf"(?:\nNot Before: (?P<before>{_TIME}))?(?:\nRequest ID: [^\n]*)?"
    rf"(?:\nResources:(?:\n- {_URI})*)?"
)


def is_eip4361(text: str) -> bool:
    found = _EIP4361.fullmatch(text)
    if found is None:
        return False
    try:
        for name in ("issued", "expires", "before"):
            if found[name]:
                datetime.fromisoformat(found[name])
    except ValueError:
        return False
    digits = found["address"][2:]
    hashed = keccak(digits.lower().encode()).hex()
    return digits == "".join(
        each.upper() if int(nibble, 16) > 7 else each
        for each, nibble in zip(digits.lower(), hashed, strict=False)
    )


def test_the_grammar_of_eip4361_judges_as_siwe_does_and_our_messages_follow_it() -> None:
    texts = [row for row in rows("siwe.json") if row[0] == "text"]
    assert [name for _, name, text, valid in texts if is_eip4361(text) != valid] == []
    wallet = address("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "base")
    for url in ("https://bank.example/sign/x", "https://127.0.0.1:8080/sign/x", "https://[::1]/s"):
        made = sign_in_text(
            SignIn(
                url, 'B\u00e4nk "One"', "C-1001", wallet, "CHG_7Q2M9K4T8X1B6N3D5F0H2J",
                "2026-11-20T13:00:00.123Z", "2026-11-20T14:00:00Z",
            )
        )  # fmt: skip
        assert made is not None
        assert is_eip4361(made)


def test_judges_the_signatures_of_siwe_by_their_key_alone() -> None:
    """Times, domain and nonce aren't read from a text: the challenge's record has them."""
    wrong = []
    for kind, name, text, shown, *rest in rows("siwe.json"):
        if kind == "text":
            continue
        accepted = verify_signature(text, rest[0], address(shown, "ethereum"))
        # A contract's signature is for its chain to judge: no key made it.
        if (accepted is not None) != (rest[1:] == [True]):
            wrong.append(name)
    assert wrong == []
