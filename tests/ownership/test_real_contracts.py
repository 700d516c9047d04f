"""Safe's released contracts on a local chain: verified, and refused after an owner is removed.

Needs ``CHAINTELLER_EVM_PYTHON``, an interpreter with eth-tester and py-evm, and
``CHAINTELLER_SAFE_CONTRACTS``, the unpacked package @safe-global/safe-contracts;
docs/development/proofs.md has the commands.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from eth_abi.abi import decode, encode
from eth_account import Account
from eth_hash.auto import keccak

from chainteller.adapters.evm_rpc import EvmRpc
from chainteller.wallets import contracts
from chainteller.wallets.addresses import Address, parse_address
from chainteller.wallets.contracts import ChainAnswer
from chainteller.wallets.families.evm import Evm
from chainteller.wallets.family import Network

_PYTHON = os.environ.get("CHAINTELLER_EVM_PYTHON", "")
_SAFE = os.environ.get("CHAINTELLER_SAFE_CONTRACTS", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not _PYTHON, reason="needs CHAINTELLER_EVM_PYTHON"),
]
TEXT = "Example Bank: I, customer C-1001, control ethereum wallet 0x1 for withdrawals."
KEYS = sorted(
    (bytes([number]) * 32 for number in range(1, 5)),
    key=lambda key: int(Account.from_key(key).address, 16),
)
"""In the order of their addresses, as Safe wants its signatures."""
OWNERS = [Account.from_key(key).address for key in KEYS]
NOBODY = "0x" + "00" * 20
FIRST = "0x" + "00" * 19 + "01"


def selector(signature: str, types: list[str], values: list[Any]) -> str:
    return "0x" + (keccak(signature.encode())[:4] + encode(types, values)).hex()


class Local:
    """The chain, with Safe's singleton, factory and fallback handler."""

    def __init__(self, url: str, package: Path) -> None:
        self.url = url
        chain_id = int(self.rpc("eth_chainId"), 16)
        self.network = Network("local", f"eip155:{chain_id}", Evm(), main=False)
        self.chain = EvmRpc({"local": (url, url)}, 60)
        artifacts = package / "build" / "artifacts" / "contracts"
        self.singleton = self.deploy(artifacts / "Safe.sol" / "Safe.json")
        self.factory = self.deploy(artifacts / "proxies" / "SafeProxyFactory.sol"
                                   / "SafeProxyFactory.json")  # fmt: skip
        self.handler = self.deploy(artifacts / "handler" / "CompatibilityFallbackHandler.sol"
                                   / "CompatibilityFallbackHandler.json")  # fmt: skip

    def rpc(self, method: str, *parameters: Any) -> Any:
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(parameters)}
        found = httpx.post(self.url, json=asked, timeout=60).json()
        assert "error" not in found, found["error"]
        return found["result"]

    def send(self, to: str, data: str) -> dict[str, Any]:
        found: dict[str, Any] = self.rpc("test_send", {"to": to, "data": data})
        assert found["status"] == 1
        return found

    def deploy(self, artifact: Path) -> str:
        code = json.loads(artifact.read_text(encoding="utf-8"))["bytecode"]
        return str(self.send("", code)["address"])

    def call(self, to: str, data: str) -> bytes:
        newest = self.rpc("eth_getBlockByNumber", "latest", False)["number"]
        return bytes.fromhex(self.rpc("eth_call", {"to": to, "data": data}, newest)[2:])

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

    def address(self, text: str) -> Address:
        return parse_address(text, self.network)

    def ask(self, signature: bytes, safe: Address, text: str = TEXT) -> ChainAnswer:
        return self.chain.ask(self.network, contracts.question(text, signature, safe))

    def owners_sign(self, safe: Address, *keys: bytes, text: str = TEXT) -> bytes:
        """What a Safe's owners sign for a message: typed data of that Safe on this chain."""
        message = f"\x19Ethereum Signed Message:\n{len(text)}{text}".encode()
        domain_type = keccak(b"EIP712Domain(uint256 chainId,address verifyingContract)")
        domain = keccak(
            encode(
                ["bytes32", "uint256", "address"],
                [domain_type, int(self.network.reference), safe.display],
            )
        )
        inner = keccak(encode(["bytes32"], [keccak(message)]))
        typed = keccak(
            encode(["bytes32", "bytes32"], [keccak(b"SafeMessage(bytes message)"), inner])
        )
        return _signed(keccak(b"\x19\x01" + domain + typed), keys)

    def execute(self, safe: Address, data: str, *keys: bytes) -> None:
        """Have the owners let the Safe call itself."""
        rest = [0, bytes.fromhex(data[2:]), 0, 0, 0, 0, NOBODY, NOBODY]
        types = ["address", "uint256", "bytes", "uint8", "uint256", "uint256", "uint256",
                 "address", "address"]  # fmt: skip
        name = ",".join(types)
        nonce = int.from_bytes(self.call(safe.display, selector("nonce()", [], [])), "big")
        asked = selector(
            f"getTransactionHash({name},uint256)", [*types, "uint256"], [safe.display, *rest, nonce]
        )
        signatures = _signed(self.call(safe.display, asked), keys)
        done = selector(
            f"execTransaction({name},bytes)", [*types, "bytes"], [safe.display, *rest, signatures]
        )
        self.send(safe.display, done)


def _signed(digest: bytes, keys: tuple[bytes, ...]) -> bytes:
    return b"".join(bytes(Account.unsafe_sign_hash(digest, key).signature) for key in keys)


@pytest.fixture(scope="module")
def local() -> Iterator[Local]:
    node = subprocess.Popen(
        [_PYTHON, str(Path(__file__).with_name("evm_node.py"))],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert node.stdout is not None
        port = node.stdout.readline().strip()
        yield Local(f"http://127.0.0.1:{port}", Path(_SAFE))
    finally:
        node.kill()
        node.communicate()


def made(local: Local, owners: list[str], threshold: int) -> tuple[Address, str]:
    """A Safe's address before it exists, and what deploys it."""
    deployment = local.deployment(owners, threshold)
    (address,) = decode(["address"], local.call(local.factory, deployment))
    return local.address(address), deployment


@pytest.mark.parametrize(("owners", "threshold"), [(1, 1), (3, 2)])
def test_a_safe_is_verified_and_refused_after_an_owner_is_removed(
    local: Local, owners: int, threshold: int
) -> None:
    safe, deployment = made(local, OWNERS[:owners], threshold)
    local.send(local.factory, deployment)
    signers = KEYS[:threshold]
    signature = local.owners_sign(safe, *signers)
    verified = local.ask(signature, safe)
    assert (verified.is_valid, verified.problems, verified.question.scheme) == (True, {}, "erc1271")
    assert not local.ask(signature, safe, TEXT + " ").is_valid
    strangers = local.owners_sign(safe, *KEYS[-threshold:])
    assert not local.ask(strangers, safe).is_valid
    if threshold > 1:
        assert not local.ask(local.owners_sign(safe, signers[0]), safe).is_valid
    swap = selector(
        "swapOwner(address,address,address)",
        ["address"] * 3,
        [_before(local, safe, OWNERS[0]), OWNERS[0], OWNERS[3]],
    )
    local.execute(safe, swap, *signers)
    refused = local.ask(signature, safe)
    assert refused.is_usable
    assert not refused.is_valid
    assert verified.block is not None
    assert refused.block is not None
    assert refused.block.number > verified.block.number


def _before(local: Local, safe: Address, owner: str) -> str:
    """The owner before another one in the Safe's list."""
    (owners,) = decode(["address[]"], local.call(safe.display, selector("getOwners()", [], [])))
    at = [each.lower() for each in owners].index(owner.lower())
    return owners[at - 1] if at else FIRST


def test_a_safe_that_is_not_deployed_yet_is_verified_and_nothing_stays(local: Local) -> None:
    safe, deployment = made(local, [OWNERS[1], OWNERS[2]], 2)
    inner = local.owners_sign(safe, *KEYS[1:3])
    assert not local.ask(inner, safe).is_valid
    wrapped = encode(
        ["address", "bytes", "bytes"], [local.factory, bytes.fromhex(deployment[2:]), inner]
    ) + bytes.fromhex("6492" * 16)
    verified = local.ask(wrapped, safe)
    assert (verified.is_valid, verified.has_code) == (True, False)
    assert verified.question.scheme == "erc6492"
    assert not local.ask(wrapped, safe, TEXT + " ").is_valid
    assert not local.ask(wrapped, local.address(OWNERS[0])).is_valid
    local.send(local.factory, deployment)
    assert local.ask(inner, safe).is_valid
    assert local.ask(wrapped, safe).is_valid
