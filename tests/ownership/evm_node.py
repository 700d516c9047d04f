"""A chain in memory behind JSON-RPC: run by an interpreter that has eth-tester and py-evm.

Prints its port. Besides the methods of a node it has test_send, which mines a transaction,
and test_payer, which names the account that pays for it.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from eth_tester import (  # type: ignore[import-not-found]  # of the interpreter that runs it
    EthereumTester,
    PyEVMBackend,
)

BACKEND = PyEVMBackend()
TESTER = EthereumTester(BACKEND)
GAS = 12_000_000


def answer(method: str, parameters: list[Any]) -> Any:
    chain = BACKEND.chain
    if method == "test_payer":
        return TESTER.get_accounts()[0]
    if method == "eth_chainId":
        return hex(BACKEND.chain.chain_id)
    if method == "eth_getBlockByNumber":
        newest = chain.get_canonical_head().block_number
        number = newest if parameters[0] == "latest" else int(parameters[0], 16)
        header = chain.get_canonical_block_by_number(number).header
        return {"number": hex(number), "hash": "0x" + header.hash.hex()}
    if method == "eth_getCode":
        return TESTER.get_code(parameters[0], block_number=int(parameters[1], 16))
    sender = TESTER.get_accounts()[0]
    transaction = {"from": sender, "gas": GAS, "to": "", "data": "0x", **parameters[0]}
    if method == "eth_call":
        return TESTER.call(transaction, block_number=int(parameters[1], 16))
    if method != "test_send":
        raise ValueError(method)
    receipt = TESTER.get_transaction_receipt(TESTER.send_transaction(transaction))
    return {"status": receipt["status"], "address": receipt["contract_address"]}


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        found: dict[str, Any] = {"jsonrpc": "2.0", "id": asked["id"]}
        try:
            found["result"] = answer(asked["method"], asked["params"])
        except Exception as error:  # noqa: BLE001 - a node reports whatever went wrong
            is_reverted = type(error).__name__ == "TransactionFailed"
            found["error"] = {"code": 3 if is_reverted else -32000, "message": repr(error)[:300]}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(found).encode())

    def log_message(self, *_: object) -> None:
        pass


if __name__ == "__main__":
    server = HTTPServer(("127.0.0.1", 0), Handler)
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()
