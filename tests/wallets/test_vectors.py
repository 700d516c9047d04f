"""Published vectors that are kept beside the checkout.

docs/explanation/wallet_policy.md lists the cases of policy; test_published_vectors.py has the
vectors that are in the repository.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from chainteller.wallets.addresses import Address, InvalidAddress, parse_address
from chainteller.wallets.families.solana import envelopes
from chainteller.wallets.hashes import sha256
from chainteller.wallets.networks import NETWORKS, resolve_network
from chainteller.wallets.pasted_secrets import SecretPasted
from chainteller.wallets.reader import Unreadable, read_signature
from chainteller.wallets.verify import verify_bytes, verify_reading

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


def test_judges_the_edge_cases_of_ed25519_as_solana_validators_do() -> None:
    judged, wrong = vectors("ed25519-speccheck"), []
    for vector in judged:
        # Not parsed: some of these keys are refused at registration already.
        registered = Address(
            resolve_network("solana"), vector["address"], vector["address"], "ed25519"
        )
        data = bytes.fromhex(vector["signatureHex"])
        if vector["valid"] != bool(verify_bytes(message_of(vector), data, "", registered)):
            wrong.append(vector["id"])
    assert len(judged) == 12
    assert wrong == []


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
