"""Measure what a gateway adds to each of the specification's calls:
``python -m tests.gateway.latency FOLDER [REQUESTS]``.

The provider and the gateway are processes of their own on this machine, each on a SQLite file. Each
call is made directly and through the gateway in turns, from one client. An account is opened only
once: repetitions measure the refusal.
"""

import statistics
import sys
import time
from pathlib import Path
from typing import Any

import httpx
from eth_account import Account
from eth_account.messages import encode_defunct
from tests.gateway.kills import TOKEN, Trial


def main(folder: str, requests: str = "100") -> int:
    trial = Trial(Path(folder), 1)
    secret = (Path(folder) / "provider.key").read_text()
    both = {
        "provider": _client(f"http://127.0.0.1:{trial.provider.port}", secret),
        "gateway": _client(trial.address, trial.keys["system"]),
    }
    took: dict[str, dict[str, list[float]]] = {}
    try:
        for _ in range(int(requests)):
            for name, client in both.items():
                chain = trial.provider.lines[2]
                for call, seconds in _round(client, trial.account, chain).items():
                    took.setdefault(call, {}).setdefault(name, []).append(seconds * 1000)
    finally:
        trial.end()
    sys.stdout.write(f"{'call':34} provider p50  p99   gateway p50  p99   adds p50  p99 ms\n")
    for call, found in took.items():
        (one, rare), (two, seldom) = (_figures(found[name]) for name in both)
        sys.stdout.write(
            f"{call:34} {one:8.1f} {rare:8.1f} {two:8.1f} {seldom:8.1f} "
            f"{two - one:8.1f} {seldom - rare:8.1f}\n"
        )
    return 0


def _client(address: str, key: str) -> httpx.Client:
    return httpx.Client(base_url=address, headers={"Authorization": f"Bearer {key}"}, timeout=30)


def _figures(taken: list[float]) -> tuple[float, float]:
    return statistics.median(taken), sorted(taken)[int(len(taken) * 0.99) - 1]


def _round(client: httpx.Client, account: str, chain: str) -> dict[str, float]:
    home, took = f"/trading-accounts/{account}", dict[str, float]()

    def timed(name: str, path: str, body: object = None, expected: tuple[int, ...] = ()) -> Any:
        method = name.partition(" ")[0]
        began = time.perf_counter()
        reply = client.request(method, path, json=body)
        took[name] = time.perf_counter() - began
        assert reply.status_code < 300 or reply.status_code in expected, reply.text
        return reply.json()

    def executed() -> str:
        asked = {"amount": "10.00", "side": "buy"}
        quoted = timed("POST quote", _QUOTES, asked)["data"][0]["id"]
        body = {"tradingAccountId": account}
        made: str = timed("POST execution", f"/trading/quotes/{quoted}", body)["id"]
        return f"{home}/trades/{made}"

    money = {"amount": "10.00", "currency": TOKEN}
    opened = {"bankAccountId": "DDA-5", "bankAccountType": "checking"}
    timed("POST trading account", "/trading-accounts", opened, (409,))
    timed("POST deposit", f"{home}/deposits", money)
    timed("POST withdrawal", f"{home}/withdrawals", money)
    timed("GET token balances", f"{home}/token-balances")
    timed("GET markets", "/trading/markets")
    trade = executed()
    timed("GET trade", trade)
    timed("GET trades", f"{home}/trades")
    timed("POST cancellation", f"{trade}/cancellations")
    timed("DELETE trade", executed())

    owner, at = Account.create(), f"/blockchain-accounts/{chain}"
    named = {"address": owner.address, "network": "ethereum"}
    wallet = {"counterpartyId": timed("POST counterparty", "/counterparties", named)["id"]}
    ownership = f"{at}/1P-counterparty-ownership"
    challenge = timed("POST challenge", f"{ownership}-challenges", wallet)
    signed = owner.sign_message(encode_defunct(text=challenge["challenge"]))
    proof = {"challengeId": challenge["id"], "completedChallenge": f"0x{signed.signature.hex()}"}
    claim = timed("POST claim", f"{ownership}-claims", proof | wallet)
    link = named | {"ownershipClaimId": claim["id"]}
    timed("POST linked counterparty", f"{at}/counterparties", link)
    timed("GET counterparties", f"{at}/counterparties")
    return took


_QUOTES = "/trading/markets/sol-usd/quotes?side=buy"

if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
