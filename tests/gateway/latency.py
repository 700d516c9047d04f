"""Measure what a gateway adds to each call: ``python -m tests.gateway.latency FOLDER [REQUESTS]``.

The provider and the gateway are processes of their own on this machine, each on a SQLite file. Each
call is made directly and through the gateway in turns, from one client.
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
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
                for call, seconds in _round(client, trial.account).items():
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


def _round(client: httpx.Client, account: str) -> dict[str, float]:
    home, took = f"/trading-accounts/{account}", dict[str, float]()

    def timed(name: str, call: Callable[[], httpx.Response]) -> Any:
        began = time.perf_counter()
        reply = call()
        took[name] = time.perf_counter() - began
        assert reply.status_code < 300, reply.text
        return reply.json()

    money = {"amount": "10.00", "currency": TOKEN}
    timed("GET markets", lambda: client.get("/trading/markets"))
    timed("GET token-balances", lambda: client.get(f"{home}/token-balances"))
    timed("GET trades", lambda: client.get(f"{home}/trades"))
    timed("POST deposits", lambda: client.post(f"{home}/deposits", json=money))
    timed("POST withdrawals", lambda: client.post(f"{home}/withdrawals", json=money))
    asked = {"amount": "10.00", "side": "buy"}
    quoted = timed("POST quotes", lambda: client.post(_QUOTES, json=asked))["data"][0]["id"]
    body = {"tradingAccountId": account}
    trade = timed("POST execution", lambda: client.post(f"/trading/quotes/{quoted}", json=body))
    timed("GET trade", lambda: client.get(f"{home}/trades/{trade['id']}"))
    cancelled = f"{home}/trades/{trade['id']}/cancellations"
    timed("POST cancellations", lambda: client.post(cancelled))
    return took


_QUOTES = "/trading/markets/sol-usd/quotes?side=buy"

if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
