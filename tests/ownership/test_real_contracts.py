"""Safe's released contracts on a local chain: verified, and refused after an owner is removed.

Needs ``CHAINTELLER_EVM_PYTHON`` (see ``local_chain.py``) and ``CHAINTELLER_SAFE_CONTRACTS``, the
unpacked package @safe-global/safe-contracts; docs/development/proofs.md has the commands.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from eth_abi.abi import decode
from eth_account import Account
from eth_hash.auto import keccak
from tests.ownership.local_chain import (
    PYTHON,
    TEXT,
    LocalChain,
    local_chain,
    not_deployed_yet,
    personal,
    selector,
    signed,
)

from chainteller.wallets.addresses import Address

_SAFE = os.environ.get("CHAINTELLER_SAFE_CONTRACTS", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (PYTHON and _SAFE), reason="needs CHAINTELLER_SAFE_CONTRACTS"),
]
KEYS = sorted(
    (bytes([number]) * 32 for number in range(1, 5)),
    key=lambda key: int(Account.from_key(key).address, 16),
)
"""In the order of their addresses, as Safe wants its signatures."""
OWNERS = [Account.from_key(key).address for key in KEYS]
NOBODY = "0x" + "00" * 20
FIRST = "0x" + "00" * 19 + "01"


class Safes:
    """Safe's singleton, factory and fallback handler on a chain."""

    def __init__(self, local: LocalChain, package: Path) -> None:
        self.local = local
        self.built = package / "build" / "artifacts" / "contracts"
        self.singleton = self.deployed("Safe.sol/Safe.json")
        self.factory = self.deployed("proxies/SafeProxyFactory.sol/SafeProxyFactory.json")
        self.handler = self.deployed(
            "handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler.json"
        )

    def deployed(self, artifact: str) -> str:
        found = json.loads((self.built / artifact).read_text(encoding="utf-8"))
        return self.local.deploy(bytes.fromhex(found["bytecode"][2:]))

    def deployment(self, owners: list[str], threshold: int) -> str:
        """The factory's call that makes a Safe of these owners."""
        types = ["address[]", "uint256", "address", "bytes", "address", "address", "uint256",
                 "address"]  # fmt: skip
        setup = selector(
            "setup(address[],uint256,address,bytes,address,address,uint256,address)",
            types,
            [owners, threshold, NOBODY, b"", self.handler, NOBODY, 0, NOBODY],
        )
        return selector(
            "createProxyWithNonce(address,bytes,uint256)",
            ["address", "bytes", "uint256"],
            [self.singleton, bytes.fromhex(setup[2:]), 7],
        )

    def owners_sign(self, safe: Address, *keys: bytes, text: str = TEXT) -> bytes:
        """What a Safe's owners sign for a message: typed data of that Safe on this chain."""
        inner = keccak(personal(text))
        digest = self.local.typed(safe, (), "SafeMessage(bytes message)", inner)
        return _signed(digest, keys)

    def execute(self, safe: Address, data: str, *keys: bytes) -> None:
        """Have the owners let the Safe call itself."""
        rest = [0, bytes.fromhex(data[2:]), 0, 0, 0, 0, NOBODY, NOBODY]
        types = ["address", "uint256", "bytes", "uint8", "uint256", "uint256", "uint256",
                 "address", "address"]  # fmt: skip
        name = ",".join(types)
        nonce = int.from_bytes(self.local.call(safe.display, selector("nonce()", [], [])), "big")
        asked = selector(
            f"getTransactionHash({name},uint256)", [*types, "uint256"], [safe.display, *rest, nonce]
        )
        signatures = _signed(self.local.call(safe.display, asked), keys)
        done = selector(
            f"execTransaction({name},bytes)", [*types, "bytes"], [safe.display, *rest, signatures]
        )
        self.local.send(safe.display, done)


def _signed(digest: bytes, keys: tuple[bytes, ...]) -> bytes:
    return b"".join(signed(digest, key) for key in keys)


@pytest.fixture(scope="module")
def safes() -> Iterator[Safes]:
    with local_chain() as local:
        yield Safes(local, Path(_SAFE))


def made(safes: Safes, owners: list[str], threshold: int) -> tuple[Address, str]:
    """A Safe's address before it exists, and what deploys it."""
    deployment = safes.deployment(owners, threshold)
    (address,) = decode(["address"], safes.local.call(safes.factory, deployment))
    return safes.local.address(address), deployment


@pytest.mark.parametrize(("owners", "threshold"), [(1, 1), (3, 2)])
def test_a_safe_is_verified_and_refused_after_an_owner_is_removed(
    safes: Safes, owners: int, threshold: int
) -> None:
    safe, deployment = made(safes, OWNERS[:owners], threshold)
    safes.local.send(safes.factory, deployment)
    signers = KEYS[:threshold]
    signature = safes.owners_sign(safe, *signers)
    verified = safes.local.ask(signature, safe)
    assert (verified.is_valid, verified.problems, verified.question.scheme) == (True, {}, "erc1271")
    assert not safes.local.ask(signature, safe, TEXT + " ").is_valid
    strangers = safes.owners_sign(safe, *KEYS[-threshold:])
    assert not safes.local.ask(strangers, safe).is_valid
    if threshold > 1:
        assert not safes.local.ask(safes.owners_sign(safe, signers[0]), safe).is_valid
    swap = selector(
        "swapOwner(address,address,address)",
        ["address"] * 3,
        [_before(safes, safe, OWNERS[0]), OWNERS[0], OWNERS[3]],
    )
    safes.execute(safe, swap, *signers)
    refused = safes.local.ask(signature, safe)
    assert refused.is_usable
    assert not refused.is_valid
    assert verified.block is not None
    assert refused.block is not None
    assert refused.block.number > verified.block.number


def _before(safes: Safes, safe: Address, owner: str) -> str:
    """The owner before another one in the Safe's list."""
    asked = selector("getOwners()", [], [])
    (owners,) = decode(["address[]"], safes.local.call(safe.display, asked))
    at = [each.lower() for each in owners].index(owner.lower())
    return owners[at - 1] if at else FIRST


def test_a_safe_that_is_not_deployed_yet_is_verified_and_nothing_stays(safes: Safes) -> None:
    safe, deployment = made(safes, [OWNERS[1], OWNERS[2]], 2)
    inner = safes.owners_sign(safe, *KEYS[1:3])
    assert not safes.local.ask(inner, safe).is_valid
    wrapped = not_deployed_yet(safes.factory, deployment, inner)
    verified = safes.local.ask(wrapped, safe)
    assert (verified.is_valid, verified.has_code) == (True, False)
    assert verified.question.scheme == "erc6492"
    assert not safes.local.ask(wrapped, safe, TEXT + " ").is_valid
    assert not safes.local.ask(wrapped, safes.local.address(OWNERS[0])).is_valid
    safes.local.send(safes.factory, deployment)
    assert safes.local.ask(inner, safe).is_valid
    assert safes.local.ask(wrapped, safe).is_valid
