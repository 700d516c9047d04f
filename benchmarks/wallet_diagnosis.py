"""How long a diagnosis takes: `PYTHONPATH=src:. python benchmarks/wallet_diagnosis.py`.

Every attempt carries 48 other texts and 24 other addresses of the customer, and most fail to match
anything, which is the dearest outcome. The first signature of a process, which loads the
libraries, is measured apart. A diagnosis waits for nothing, so processor time is what counts.
Then what one candidate text of a search costs: to make it, and to hold it against a signature. The
`cost` of each probe and the tries of a search follow from these figures.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from chainteller.wallets.addresses import parse_address
from chainteller.wallets.curve import curve
from chainteller.wallets.diagnose import Case, KnownChallenge, diagnose
from chainteller.wallets.ed25519 import signs
from chainteller.wallets.families.solana import public_key
from chainteller.wallets.networks import resolve_network
from chainteller.wallets.reader import read_signature
from chainteller.wallets.transit import journeys

if TYPE_CHECKING:
    from tests.wallets.customers import Customer

ROOT = Path(__file__).resolve().parents[1]


def attempts() -> list[tuple[str, Case]]:
    from tests.wallets.customers import (  # noqa: PLC0415 - it loads the signers' libraries
        Customer,
        address,
        case,
        challenge,
        customers,
        known,
        recorded,
    )

    everyone = [c for family in ("evm", "solana", "bitcoin", "tron") for c in customers(family)]
    rows = [row for row in recorded("bitcoin") if row["library"].startswith("bip322")]
    taproot = [row for row in rows if row["form"].startswith("p2tr bip-322")]
    others = known(
        *(address(row["address"], "bitcoin") for row in {r["address"]: r for r in rows}.values()),
        *(c.registered for c in everyone),
    )
    made: list[tuple[str, Case]] = []

    def add(name: str, customer: Customer, paste: str) -> None:
        texts = tuple(
            challenge(other.registered, challenge_id=f"CHG_{n:022d}")
            for n, other in enumerate([customer, *everyone] * 5)
        )
        attempt = case(
            customer.registered, paste, other_challenges=texts[:48], known_addresses=others[:24]
        )
        made.append((name, attempt))

    for customer in everyone:
        add(f"{customer.family}: unknown text", customer, customer.answer("gm"))
        for foreign in everyone:
            if foreign.family != customer.family:
                add(f"{customer.family}: {foreign.family} paste", customer, foreign.answer("gm"))
        add(f"{customer.family}: 64 bytes", customer, ("9a" * 31 + "01") * 2 + "02")
        for row in taproot[:3]:
            add(f"{customer.family}: taproot proof", customer, row["signature"])
    for row in {r["address"]: r for r in taproot}.values():
        registered = Customer("bitcoin", b"", address(row["address"], "bitcoin"))
        legacy = customers("bitcoin")[0].answer("gm")
        add("taproot: unknown text", registered, row["signature"])
        add("taproot: legacy signature", registered, legacy)
        add("taproot: legacy without header", registered, customers("evm")[0].answer("gm")[:-2])
    return made


def measure() -> None:
    times: list[tuple[float, str]] = []
    for name, attempt in attempts() * 3:
        started = time.process_time()
        answer = diagnose(attempt)
        times.append((time.process_time() - started, f"{name} -> {answer.finding}"))
    times.sort()
    worst, what = times[-1]
    middle, high = times[len(times) // 2][0], times[len(times) * 95 // 100][0]
    print(
        f"{type(curve()).__name__}: {len(times)} diagnoses, p50 {middle * 1e3:.1f} ms,"
        f" p95 {high * 1e3:.1f} ms, worst {worst * 1e3:.1f} ms ({what})"
    )


_TRIES = 3000


def measure_tries() -> None:
    """What it takes to make a candidate text, and to hold it against a signature."""
    from tests.wallets.customers import customers, text_for  # noqa: PLC0415 - as above

    for name in ("evm", "solana", "bitcoin", "tron"):
        customer = customers(name)[0]
        registered, paste = customer.registered, customer.answer("gm")
        text, family = text_for(registered), registered.network.family
        probe = family.probe(read_signature(paste, family))
        signed = [each.signed for each in islice(journeys(text), _TRIES)]
        # The tables of multiples are made before.
        probe.find(signed[:300], [registered], thorough=0)
        made = _microseconds(partial(_exhaust, text))
        asked = _microseconds(partial(probe.find, signed, [registered], thorough=0))
        print(f"{name}: cost {probe.cost}, {made:.1f} us for a text, {asked:.1f} us to ask")
        if name == "solana":
            print(f"one by one {_microseconds(partial(_verify_each, signed, customer)):.1f} us")


def _exhaust(text: str) -> None:
    for _ in islice(journeys(text), _TRIES):
        pass


def _verify_each(messages: list[bytes], customer: "Customer") -> None:
    signature = customer.sign(b"gm")
    key = public_key(customer.registered)
    for message in messages:
        signs(message, signature, key)


def _microseconds(ask: Callable[[], object]) -> float:
    """For each of the candidates, at best of three times."""
    times = []
    for _ in range(3):
        started = time.process_time()
        ask()
        times.append(time.process_time() - started)
    return min(times) / _TRIES * 1e6


def measure_first() -> None:
    """The first accepted Ethereum signature of a process, whose imports are most of it."""
    row = json.loads((ROOT / "tests/wallets/recorded/evm.json").read_text())[0]
    registered = parse_address(row["address"], resolve_network(row["network"]))
    known = KnownChallenge("CHG_1", "CPT_1", registered, row["text"], "open", "")
    started = time.perf_counter()
    answer = diagnose(Case(known, row["signature"]))
    print(f"first, with imports: {(time.perf_counter() - started) * 1e3:.0f} ms ({answer.finding})")


def main() -> None:
    if len(sys.argv) == 1:
        for argument in ("first", "fast", "pure"):
            path = f"{ROOT / 'src'}{os.pathsep}{ROOT}"
            environment = {**os.environ, "PYTHONPATH": path}
            command = [sys.executable, __file__, argument]
            subprocess.run(command, check=True, env=environment)
    elif sys.argv[1] == "first":
        measure_first()
    else:
        if sys.argv[1] == "pure":
            # As if coincurve were not installed, for this project and for eth_keys.
            blocked: dict[str, object] = {"chainteller.wallets.secp256k1_fast": None}
            sys.modules.update(blocked)  # type: ignore[arg-type]  # None blocks an import
            os.environ["ECC_BACKEND_CLASS"] = "eth_keys.backends.NativeECCBackend"
        if sys.argv[-1] != "tries":
            measure()
        measure_tries()


if __name__ == "__main__":
    main()
