"""The 589 published vectors; docs/explanation/wallet_policy.md lists the cases of policy."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.wallets.customers import case, challenge

from chainteller.wallets.addresses import Address, InvalidAddress, parse_address
from chainteller.wallets.curve import Curve
from chainteller.wallets.diagnose import diagnose
from chainteller.wallets.families.solana import envelopes
from chainteller.wallets.hashes import sha256
from chainteller.wallets.networks import NETWORKS, resolve_network
from chainteller.wallets.pasted_secrets import SecretPasted
from chainteller.wallets.reader import Unreadable, read_signature
from chainteller.wallets.recoverable import signer
from chainteller.wallets.secp256k1_fast import FastCurve
from chainteller.wallets.secp256k1_pure import PureCurve
from chainteller.wallets.verify import verify_bytes, verify_reading
from chainteller.wallets.wording import WRONG_WALLET_ADDRESS

Vector = dict[str, Any]
_BESIDE_THE_CHECKOUT = Path(__file__).resolve().parents[3] / "shared" / "vectors"
_ALSO = Path(__file__).resolve().parents[4] / "shared" / "vectors"

# Right key, but the header names another type of the same key's addresses: accepted by policy.
LENIENT_HEADER = "a lenient verifier may accept (right key)"


def vectors(name: str) -> list[Vector]:
    folder = os.environ.get("CHAINTELLER_VECTORS")
    folders = [Path(folder)] if folder else [_BESIDE_THE_CHECKOUT, _ALSO]
    for candidate in folders:
        path = candidate / "wallet_vectors.json"
        if path.is_file():
            sets = json.loads(path.read_text())["sets"]
            return next(found["vectors"] for found in sets if found["name"] == name)
    pytest.skip("the published vectors are not here: set CHAINTELLER_VECTORS to their folder")


def message_of(vector: Vector) -> bytes:
    if "messageHex" in vector:
        return bytes.fromhex(vector["messageHex"])
    return str(vector["message"]).encode()


def address_of(vector: Vector) -> Address | None:
    for network in NETWORKS:
        try:
            return parse_address(vector["address"], network)
        except InvalidAddress:
            continue
    return None


def accepts(vector: Vector) -> bool:
    address = address_of(vector)
    if address is None:
        return False
    try:
        reading = read_signature(vector["signature"], address.network.family)
    except (Unreadable, SecretPasted):
        return False
    return verify_reading(message_of(vector), reading, address) is not None


@pytest.mark.parametrize(
    ("name", "count"), [("ed25519-wycheproof", 151), ("ed25519-speccheck", 12)]
)
def test_judges_ed25519_as_solana_validators_do(name: str, count: int) -> None:
    solana = resolve_network("solana")
    wrong = [
        vector["id"]
        for vector in vectors(name)
        if vector["valid"]
        != bool(
            verify_bytes(
                message_of(vector),
                bytes.fromhex(vector["signatureHex"]),
                "",
                # Not parsed: some of these keys are refused at registration already.
                Address(solana, vector["address"], vector["address"], "ed25519"),
            )
        )
    ]
    assert len(vectors(name)) == count
    assert wrong == []


@pytest.mark.forms(1)
@pytest.mark.parametrize("make", [PureCurve, FastCurve])
def test_recovers_the_key_of_every_valid_secp256k1_signature(make: Callable[[], Curve]) -> None:
    curve = make()

    def reached(vector: Vector) -> bool:
        packed = bytes.fromhex(vector["rsHex"])
        if len(packed) != 64:
            return False
        r, s = int.from_bytes(packed[:32], "big"), int.from_bytes(packed[32:], "big")
        digest = bytes.fromhex(vector["digestHex"])
        found = [signer(curve.recovery(r, s, recovery_id), digest) for recovery_id in range(4)]
        return bytes.fromhex(vector["address"][2:]) in found

    judged = vectors("secp256k1-wycheproof-p1363")
    assert len(judged) == 250
    assert [v["id"] for v in judged if reached(v) != v["valid"]] == []


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("eip191-trezor", 17),
        ("eip191-eth-account", 2),
        ("eip2098", 2),
        ("eip191-ledger-v01", 1),
        ("eip191-siwe-messages", 6),
        ("bitcoin-signmessage-trezor", 14),
        ("bitcoin-signmessage-electrum", 9),
        ("bitcoin-signmessage-core", 7),
        ("bitcoin-signmessage-bitcoinjs", 8),
    ],
)
def test_judges_message_signatures_as_labelled(name: str, count: int) -> None:
    judged = vectors(name)
    assert len(judged) == count
    for vector in judged:
        lenient = LENIENT_HEADER in vector.get("comment", "")
        assert accepts(vector) == (vector["valid"] or lenient), vector


def test_serialises_offchain_messages_as_the_solana_sdk_does() -> None:
    judged = vectors("solana-offchain-serialisation")
    assert len(judged) == 2
    for vector in judged:
        made = [data for _, data in envelopes(vector["message"].encode(), bytes(32))]
        assert bytes.fromhex(vector["serializedHex"]) in made
        assert len(sha256(made[1])) == 32


def test_judges_bip322_as_labelled_and_never_calls_a_shared_wallet_wrong() -> None:
    judged = vectors("bip322")
    assert len(judged) == 59
    for vector in judged:
        if vector["tier"] != "policy":
            assert accepts(vector) == vector["valid"], vector
            continue
        assert not accepts(vector)
        registered = address_of(vector)
        assert registered is not None
        known = challenge(registered, text=vector["message"])
        answer = diagnose(case(registered, vector["signature"], challenge=known))
        assert answer.finding == "BIP322_UNSUPPORTED", vector
        assert answer.cause != WRONG_WALLET_ADDRESS


def test_judges_segwit_addresses_as_bip350_does() -> None:
    judged = vectors("address-segwit-bip350")
    assert len(judged) == 23
    for vector in judged:
        network = resolve_network(vector["network"], test_networks=True)
        if vector["valid"] and vector["signable"]:
            assert parse_address(vector["address"], network).canonical == vector["normal"]
            continue
        with pytest.raises(InvalidAddress) as refused:
            parse_address(vector["address"], network)
        assert (refused.value.reason == "UNSUPPORTED_TYPE") == vector["valid"], vector


def test_judges_mixed_case_as_eip55_does() -> None:
    judged = vectors("address-eip55")
    assert len(judged) == 16
    for vector in judged:
        network = resolve_network(vector["network"])
        if vector["valid"]:
            assert parse_address(vector["address"], network).display == vector["normal"]
            continue
        with pytest.raises(InvalidAddress) as refused:
            parse_address(vector["address"], network)
        assert refused.value.reason == "CHECKSUM"


def test_unwraps_every_caip10_test_case() -> None:
    judged = vectors("address-caip10")
    assert len(judged) == 10
    for vector in judged:
        namespace, reference, bare = vector["caip10"].split(":")
        network = resolve_network(f"{namespace}:{reference}", test_networks=True)
        if vector["valid"] == "policy":
            with pytest.raises(InvalidAddress):
                parse_address(vector["caip10"], network)
        else:
            assert parse_address(vector["caip10"], network) == parse_address(bare, network)
