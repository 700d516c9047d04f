"""Agreement with other implementations: bip322 (Rust), btclib and solders."""

import base64

import bip322
import pytest
from btclib.ecc import bms
from solders.pubkey import Pubkey
from solders.signature import Signature
from tests.wallets.customers import address, customers, recorded, text_for

from chainteller.wallets.bip137 import message_digest
from chainteller.wallets.bitcoin_signing import sign_bip322, sign_legacy
from chainteller.wallets.families.bitcoin import Bitcoin
from chainteller.wallets.sample_keys import public_key
from chainteller.wallets.verify import verify_signature


def bip322_accepts(text: str, signature: str, shown: str) -> bool:
    """The package returns None for a right proof and raises for a wrong one."""
    try:
        bip322.verify_simple_encoded(shown, text, signature)
    except Exception:  # noqa: BLE001 - the package raises an exception type of its own making
        return False
    return True


def simple_proofs() -> list[dict[str, str]]:
    return [
        row
        for row in recorded("bitcoin")
        if row["library"].startswith("bip322") and row["form"].startswith(("p2wpkh", "p2tr"))
        and row["form"].endswith("bip-322")
    ]  # fmt: skip


def test_bip322_in_rust_agrees_on_simple_proofs() -> None:
    rows = simple_proofs()
    assert len(rows) >= 12
    for row in rows:
        registered = address(row["address"], "bitcoin")
        for text in (row["text"], row["text"] + "x"):
            ours = verify_signature(text, row["signature"], registered) is not None
            assert ours == bip322_accepts(text, row["signature"], row["address"])


def test_bip322_in_rust_accepts_what_the_sample_wallet_signs() -> None:
    kinds = set()
    for row in simple_proofs():
        registered = address(row["address"], "bitcoin")
        for customer in customers("bitcoin"):
            if registered.display in _addresses(customer.key):
                kinds.add(registered.kind)
                made = sign_bip322(customer.key, row["text"].encode(), registered)
                encoded = base64.b64encode(made).decode()
                assert bip322_accepts(row["text"], encoded, row["address"])
                assert verify_signature(row["text"], encoded, registered)
    assert kinds == {"p2wpkh", "p2tr"}


def _addresses(key: bytes) -> list[str]:
    from chainteller.wallets.networks import resolve_network  # noqa: PLC0415 - only here

    bitcoin = resolve_network("bitcoin")
    return [
        Bitcoin().address_of_key(public_key(key), k, bitcoin).display for k in ("p2wpkh", "p2tr")
    ]


@pytest.mark.parametrize("customer", customers("bitcoin"), ids=lambda c: c.registered.kind)
def test_btclib_agrees_on_legacy_messages(customer: object) -> None:
    from tests.wallets.customers import Customer  # noqa: PLC0415 - for the narrowing alone

    assert isinstance(customer, Customer)
    text = text_for(customer.registered)
    digest = message_digest(text.encode(), Bitcoin.magic)
    named = sign_legacy(customer.key, digest, customer.registered.kind)
    for signature in (customer.sign(text.encode()), named):
        encoded = base64.b64encode(signature).decode()
        for signed in (text, text + " "):
            theirs = bms.verify(signed.encode(), customer.registered.display, encoded)
            ours = verify_signature(signed, encoded, customer.registered)
            assert theirs == (ours is not None)


def test_solders_agrees_on_solana_signatures() -> None:
    alice, bob, _ = customers("solana")
    text = text_for(alice.registered)
    signature = alice.sign(text.encode())
    for customer in (alice, bob):
        for signed in (text, text + "\n"):
            key = Pubkey.from_string(customer.registered.display)
            theirs = Signature(signature).verify(key, signed.encode())
            ours = verify_signature(signed, customer.spell(signature), customer.registered)
            assert theirs == (ours is not None)
