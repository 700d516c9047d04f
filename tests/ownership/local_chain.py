"""A chain of its own for released contracts: deploys them, calls them and asks them by JSON-RPC.

Needs ``CHAINTELLER_EVM_PYTHON``, an interpreter with eth-tester and py-evm;
docs/development/proofs.md has the commands.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from eth_abi.abi import encode
from eth_account import Account
from eth_hash.auto import keccak
from tests.world.waiting import PATIENCE_S

from chainteller.adapters.evm_rpc import EvmRpc
from chainteller.wallets import contracts
from chainteller.wallets.addresses import Address, parse_address
from chainteller.wallets.contracts import ChainAnswer
from chainteller.wallets.families.evm import Evm
from chainteller.wallets.family import Network

PYTHON = os.environ.get("CHAINTELLER_EVM_PYTHON", "")
TEXT = "Example Bank: I, customer C-1001, control ethereum wallet 0x1 for withdrawals."


class LocalChain:
    """A node with one funded account, which sends and pays for every transaction."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.chain_id = int(self.rpc("eth_chainId"), 16)
        self.network = Network("local", f"eip155:{self.chain_id}", Evm(), main=False)
        self.chain = EvmRpc({"local": (url, url)}, 60)
        self.payer = str(self.rpc("test_payer"))

    def rpc(self, method: str, *parameters: Any) -> Any:
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        found = httpx.post(self.url, json=asked, timeout=PATIENCE_S).json()
        assert "error" not in found, found["error"]
        return found["result"]

    def send(self, to: str, data: str) -> dict[str, Any]:
        found: dict[str, Any] = self.rpc("test_send", {"to": to, "data": data})
        assert found["status"] == 1
        return found

    def deploy(self, code: bytes) -> str:
        return str(self.send("", "0x" + code.hex())["address"])

    def call(self, to: str, data: str) -> bytes:
        newest = self.rpc("eth_getBlockByNumber", "latest", False)["number"]
        return bytes.fromhex(self.rpc("eth_call", {"to": to, "data": data}, newest)[2:])

    def address(self, text: str) -> Address:
        return parse_address(text, self.network)

    def ask(self, signature: bytes, wallet: Address, text: str = TEXT) -> ChainAnswer:
        return self.chain.ask(self.network, contracts.question(text, signature, wallet))

    def typed(self, wallet: Address, domain: tuple[str, ...], kind: str, inner: bytes) -> bytes:
        """The digest of typed data that binds a hash to this wallet on this chain.

        ``domain`` is empty, or the name and version of the domain.
        """
        types, values = ["uint256", "address"], [self.chain_id, wallet.display]
        names = "uint256 chainId,address verifyingContract"
        if domain:
            names = f"string name,string version,{names}"
            types = ["bytes32", "bytes32", *types]
            values = [*(keccak(part.encode()) for part in domain), *values]
        separator = keccak(
            encode(["bytes32", *types], [keccak(f"EIP712Domain({names})".encode()), *values])
        )
        message = keccak(encode(["bytes32", "bytes32"], [keccak(kind.encode()), inner]))
        return keccak(b"\x19\x01" + separator + message)


@contextmanager
def local_chain() -> Iterator[LocalChain]:
    node = subprocess.Popen(
        [PYTHON, str(Path(__file__).with_name("evm_node.py"))],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert node.stdout is not None
        port = node.stdout.readline().strip()
        yield LocalChain(f"http://127.0.0.1:{port}")
    finally:
        node.kill()
        node.communicate()


def selector(signature: str, types: list[str], values: list[Any]) -> str:
    return "0x" + (keccak(signature.encode())[:4] + encode(types, values)).hex()


def personal(text: str = TEXT) -> bytes:
    """The digest of a text as personal_sign frames it."""
    message = text.encode()
    return keccak(b"\x19Ethereum Signed Message:\n" + str(len(message)).encode() + message)


def signed(digest: bytes, key: bytes) -> bytes:
    return bytes(Account.unsafe_sign_hash(digest, key).signature)


def not_deployed_yet(factory: str, deployment: str, signature: bytes) -> bytes:
    """A signature in the envelope of ERC-6492."""
    types = ["address", "bytes", "bytes"]
    values = [factory, bytes.fromhex(deployment[2:]), signature]
    return encode(types, values) + bytes.fromhex("6492" * 16)


def released(record: Path, address: str) -> bytes:
    """The code that a project's record of its deployments put at the address it published.

    The address follows from the code (CREATE2), so a record with other code is refused.
    """
    for entry in json.loads(record.read_text(encoding="utf-8"))["transactions"]:
        sent = entry["transaction"]
        data = bytes.fromhex(str(sent.get("input") or sent.get("data"))[2:])
        maker, salt, code = bytes.fromhex(sent["to"][2:]), data[:32], data[32:]
        if keccak(b"\xff" + maker + salt + keccak(code))[12:].hex() == address[2:].lower():
            return code
    raise LookupError(f"{record} puts nothing at {address}")
