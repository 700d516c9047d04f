"""Nodes of a chain for tests: JSON-RPC over HTTP, honest or not. Their contracts are simple."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from eth_account.messages import _hash_eip191_message, encode_defunct

VALID = "0x1626ba7e" + "0" * 56
INVALID = "0xffffffff" + "0" * 56
CHAIN_ID = 1


@dataclass
class Chain:
    """What is true: the newest block, and the signatures that each wallet accepts of each text.

    What accepts any is a contract; ``codes`` has the code of other addresses.
    """

    number: int = 100
    accepted: dict[str, set[tuple[str, bytes]]] = field(default_factory=dict)
    codes: dict[str, str] = field(default_factory=dict)
    young: int = 0
    """From which block on the signatures are accepted."""

    def accept(self, wallet: str, text: str, signature: bytes) -> None:
        digest = bytes(_hash_eip191_message(encode_defunct(text=text))).hex()
        self.accepted.setdefault(wallet.lower(), set()).add((digest, signature))

    def call(self, wallet: str, data: str) -> str:
        """isValidSignature(bytes32 hash, bytes signature)."""
        raw = bytes.fromhex(data[2:])
        assert raw[:4].hex() == "1626ba7e"
        digest, at = raw[4:36].hex(), int.from_bytes(raw[36:68], "big") + 4
        size = int.from_bytes(raw[at : at + 32], "big")
        signature = raw[at + 32 : at + 32 + size]
        known = self.accepted.get(wallet.lower(), set())
        return VALID if (digest, signature) in known else INVALID


@dataclass
class Node:
    """A provider of a chain. ``fault`` is how it misbehaves; empty for an honest one. ``tags`` are
    how many blocks lie between the newest one and those that it calls finalized or safe."""

    chain: Chain
    fault: str = ""
    behind: int = 0
    host: str = "127.0.0.1"
    tags: dict[str, int] = field(default_factory=lambda: {"finalized": 64, "safe": 32})
    calls: list[str] = field(default_factory=list)
    url: str = ""

    def result(self, method: str, parameters: list[Any]) -> Any:
        self.calls.append(method)
        chain = self.chain
        if method == "eth_chainId":
            return hex(5 if self.fault == "other chain" else CHAIN_ID)
        if method == "eth_getBlockByNumber":
            tag = parameters[0]
            before = {**self.tags, "latest": 0}.get(tag)
            if before is None and not tag.startswith("0x"):
                return None
            newest = chain.number - self.behind
            number = int(tag, 16) if before is None else newest - before
            fork = b"fork" if self.fault == "other block" else b""
            return {"number": hex(number), "hash": "0x" + sha256(b"%d" % number + fork).hexdigest()}
        if method == "eth_getCode":
            wallet = parameters[0].lower()
            return chain.codes.get(wallet, "0x6001" if wallet in chain.accepted else "0x")
        assert method == "eth_call", method
        if self.fault == "lies":
            return VALID
        if self.fault == "short answer":
            return VALID[:10]
        if int(parameters[1], 16) < chain.young:
            return INVALID
        return chain.call(parameters[0]["to"], parameters[0]["data"])


@contextmanager
def running(*nodes: Node) -> Iterator[tuple[str, ...]]:
    """Serve the nodes on real ports; yields their addresses, whose paths hold a key."""
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), _handler(node)) for node in nodes]
    for node, server in zip(nodes, servers, strict=True):
        node.url = f"http://{node.host}:{server.server_address[1]}/secret-key"
        threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield tuple(node.url for node in nodes)
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


def _handler(node: Node) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if node.fault == "hangs":
                time.sleep(1.0)
            body = _body(node, asked)
            self.send_response(302 if node.fault == "redirects" else 200)
            if node.fault == "redirects":
                self.send_header("Location", "http://127.0.0.1:1/")
            self.end_headers()
            try:
                self.wfile.write(body)
                while node.fault == "endless":
                    self.wfile.write(b" " * 65_536)
            except OSError:
                pass

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def _body(node: Node, asked: dict[str, Any]) -> bytes:
    """What a node replies to a call."""
    if node.fault in {"garbage", "redirects"}:
        return b"<html>"
    if node.fault == "nested":
        return b"[" * 100_000
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": asked["id"]}
    if node.fault == "refuses":
        answer["error"] = {"code": -32005, "message": "bu\x1b\u202esy"}
    elif node.fault == "reverts" and asked["method"] == "eth_call":
        answer["error"] = {"code": 3, "message": "execution reverted"}
    else:
        answer["result"] = node.result(asked["method"], asked["params"])
    return json.dumps(answer).encode()
