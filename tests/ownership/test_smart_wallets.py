"""Coinbase Smart Wallet and Kernel on a local chain, from the code that their makers deployed.

Needs ``CHAINTELLER_EVM_PYTHON`` (see ``local_chain.py``), and ``CHAINTELLER_COINBASE_CONTRACTS``
and ``CHAINTELLER_KERNEL_CONTRACTS``, copies of the two projects' repositories;
docs/development/proofs.md has the commands.
"""

import base64
import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from Crypto.Hash import SHA256
from Crypto.PublicKey import ECC
from Crypto.Signature import DSS
from eth_abi.abi import decode, encode
from eth_account import Account
from tests.ownership.local_chain import (
    PYTHON,
    TEXT,
    LocalChain,
    local_chain,
    not_deployed_yet,
    personal,
    released,
    selector,
    signed,
)

from chainteller.wallets.addresses import Address
from chainteller.wallets.contracts import ChainAnswer, recognised

_COINBASE = os.environ.get("CHAINTELLER_COINBASE_CONTRACTS", "")
_KERNEL = os.environ.get("CHAINTELLER_KERNEL_CONTRACTS", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (PYTHON and _COINBASE and _KERNEL), reason="needs CHAINTELLER_COINBASE_CONTRACTS"
    ),
]
OWNER, ANOTHER = b"\x11" * 32, b"\x12" * 32
PASSKEY = ECC.construct(curve="P-256", d=7)
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


@pytest.fixture(scope="module")
def local() -> Iterator[LocalChain]:
    with local_chain() as chain:
        yield chain


def _is_verified(answer: ChainAnswer, scheme: str = "erc1271") -> bool:
    assert answer.is_usable, answer.problems
    assert answer.question.scheme == scheme
    return answer.is_valid


def _is_later(after: ChainAnswer, before: ChainAnswer) -> bool:
    assert after.block is not None
    assert before.block is not None
    return after.block.number > before.block.number


class Coinbase:
    """Coinbase Smart Wallet 1.0 as it was deployed to Base.

    Its owners are the account that pays, a key and a passkey.
    """

    def __init__(self, local: LocalChain) -> None:
        self.local = local
        record = Path(_COINBASE) / "broadcast/DeployFactory.s.sol/8453/run-latest.json"
        code = released(record, "0x000100abaad02f1cfC8Bbe32bD5a564817339E72")
        maker = released(record, "0x0BA5ED0c6AA8c49038F819E587E2633c4A9F428a")
        implementation = local.deploy(code)
        self.factory = local.deploy(maker[:-32] + encode(["address"], [implementation]))
        self.owners = [
            encode(["address"], [local.payer]),
            encode(["address"], [Account.from_key(OWNER).address]),
            encode(["uint256"] * 2, [int(PASSKEY.pointQ.x), int(PASSKEY.pointQ.y)]),
        ]

    def made(self, nonce: int) -> tuple[Address, str]:
        """A wallet's address before it exists, and what deploys it."""
        arguments = ["bytes[]", "uint256"], [self.owners, nonce]
        found = self.local.call(self.factory, selector("getAddress(bytes[],uint256)", *arguments))
        (address,) = decode(["address"], found)
        return self.local.address(address), selector("createAccount(bytes[],uint256)", *arguments)

    def digest(self, wallet: Address) -> bytes:
        domain = ("Coinbase Smart Wallet", "1")
        kind = "CoinbaseSmartWalletMessage(bytes32 hash)"
        return self.local.typed(wallet, domain, kind, personal())

    def by_key(self, wallet: Address, key: bytes = OWNER) -> bytes:
        return _named(1, signed(self.digest(wallet), key))

    def by_passkey(self, wallet: Address) -> bytes:
        """What a browser returns for navigator.credentials.get, packed for the contract."""
        challenge = base64.urlsafe_b64encode(self.digest(wallet)).decode().rstrip("=")
        asked = (
            f'{{"type":"webauthn.get","challenge":"{challenge}","origin":"https://keys.example"}}'
        )
        device = sha256(b"keys.example").digest() + b"\x05" + bytes(4)
        data = device + sha256(asked.encode()).digest()
        signature = DSS.new(PASSKEY, "fips-186-3").sign(SHA256.new(data))
        r, s = (int.from_bytes(part, "big") for part in (signature[:32], signature[32:]))
        places = [asked.index('"challenge"'), asked.index('"type"')]
        kind = "(bytes,string,uint256,uint256,uint256,uint256)"
        return _named(2, encode([kind], [(device, asked, *places, r, min(s, P256_ORDER - s))]))

    def remove(self, wallet: Address, owner: int) -> None:
        """By the first owner."""
        asked = selector(
            "removeOwnerAtIndex(uint256,bytes)", ["uint256", "bytes"], [owner, self.owners[owner]]
        )
        self.local.send(wallet.display, asked)


def _named(owner: int, signature: bytes) -> bytes:
    return encode(["(uint256,bytes)"], [(owner, signature)])


@pytest.mark.parametrize(("way", "owner"), [("by_key", 1), ("by_passkey", 2)])
def test_a_coinbase_wallet_is_verified_and_refused_after_its_owner_is_removed(
    local: LocalChain, way: str, owner: int
) -> None:
    coinbase = Coinbase(local)
    wallet, deployment = coinbase.made(owner)
    signature = getattr(coinbase, way)(wallet)
    envelope = not_deployed_yet(coinbase.factory, deployment, signature)
    assert not local.ask(signature, wallet).is_valid
    assert _is_verified(local.ask(envelope, wallet), "erc6492")
    assert not local.ask(envelope, wallet, TEXT + " ").is_valid
    local.send(coinbase.factory, deployment)
    before = local.ask(signature, wallet)
    assert _is_verified(before)
    assert _is_verified(local.ask(envelope, wallet), "erc6492")
    assert not local.ask(signature, wallet, TEXT + " ").is_valid
    assert not local.ask(coinbase.by_key(wallet, ANOTHER), wallet).is_valid
    found = recognised(signature)
    assert found is not None
    assert found.label == ("Coinbase Smart Wallet" if owner == 1 else "a wallet with a passkey")
    coinbase.remove(wallet, owner)
    after = local.ask(signature, wallet)
    assert not _is_verified(after)
    assert _is_later(after, before)
    assert not local.ask(envelope, wallet).is_valid


class Kernel:
    """Kernel 3.0 with its ECDSA validator, as they were deployed; the payer is its entry point."""

    def __init__(self, local: LocalChain) -> None:
        self.local = local
        scripts = Path(_KERNEL) / "broadcast"
        record = scripts / "Deploy.s.sol/100/run-1712924751.json"
        code = released(record, "0x94F097E1ebEB4ecA3AAE54cabb08905B239A7D27")
        maker = released(record, "0x6723b44Abeec4E71eBE3232BD5B455805baDD22f")
        record = scripts / "DeployECDSA.s.sol/11155111/run-1712847787.json"
        judge = released(record, "0x8104e3Ad430EA6d354d013A6789fDFc71E671c43")
        implementation = local.deploy(code[:-32] + encode(["address"], [local.payer]))
        self.factory = local.deploy(maker[:-32] + encode(["address"], [implementation]))
        self.validator = local.deploy(judge)
        self.root = b"\x01" + bytes.fromhex(self.validator[2:])

    def made(self) -> tuple[Address, str]:
        """A wallet's address before it exists, and what deploys it."""
        owner = bytes.fromhex(Account.from_key(OWNER).address[2:])
        nobody = "0x" + "00" * 20
        setup = selector(
            "initialize(bytes21,address,bytes,bytes)",
            ["bytes21", "address", "bytes", "bytes"],
            [self.root, nobody, owner, b""],
        )
        arguments = ["bytes", "bytes32"], [bytes.fromhex(setup[2:]), bytes(32)]
        found = self.local.call(self.factory, selector("getAddress(bytes,bytes32)", *arguments))
        (address,) = decode(["address"], found)
        return self.local.address(address), selector("createAccount(bytes,bytes32)", *arguments)

    def sign(self, wallet: Address, key: bytes = OWNER) -> bytes:
        domain = ("Kernel", "0.3.0-beta")
        return signed(self.local.typed(wallet, domain, "Kernel(bytes32 hash)", personal()), key)

    def execute(self, wallet: Address, to: str, data: str) -> None:
        """Have the wallet call a contract."""
        asked = bytes.fromhex(to[2:]) + bytes(32) + bytes.fromhex(data[2:])
        done = selector("execute(bytes32,bytes)", ["bytes32", "bytes"], [bytes(32), asked])
        self.local.send(wallet.display, done)


def test_a_kernel_wallet_is_verified_and_refused_after_its_owner_is_removed(
    local: LocalChain,
) -> None:
    kernel = Kernel(local)
    wallet, deployment = kernel.made()
    signature = kernel.sign(wallet)
    by_root, by_validator = b"\0" + signature, kernel.root + signature
    envelope = not_deployed_yet(kernel.factory, deployment, by_root)
    assert not local.ask(by_root, wallet).is_valid
    assert _is_verified(local.ask(envelope, wallet), "erc6492")
    local.send(kernel.factory, deployment)
    before = local.ask(by_root, wallet)
    assert _is_verified(before)
    assert _is_verified(local.ask(by_validator, wallet))
    assert not local.ask(by_root, wallet, TEXT + " ").is_valid
    assert not local.ask(b"\0" + kernel.sign(wallet, ANOTHER), wallet).is_valid
    for each, label in ((by_root, "Kernel or LightAccount"), (by_validator, "Kernel")):
        found = recognised(each)
        assert found is not None
        assert found.label == label
    kernel.execute(wallet, kernel.validator, selector("onUninstall(bytes)", ["bytes"], [b""]))
    after = local.ask(by_root, wallet)
    assert not _is_verified(after)
    assert _is_later(after, before)
    assert not local.ask(by_validator, wallet).is_valid
    assert not local.ask(envelope, wallet).is_valid
