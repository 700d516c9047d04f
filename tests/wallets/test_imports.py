"""What costs start time is loaded when it is needed, and not before."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WALLETS = ROOT / "src" / "chainteller" / "wallets"
MODULES = sorted(
    ".".join(path.relative_to(WALLETS).with_suffix("").parts) for path in WALLETS.rglob("[a-z]*.py")
)


def loaded_after(program: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", program + "\nimport sys; print(*sys.modules)"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {name.partition(".")[0] for name in done.stdout.split()}


HEAVY = {"eth_account", "eth_keys", "eth_utils", "coincurve", "pydantic", "sqlmodel", "textual"}


def test_importing_the_layer_loads_nothing_heavy() -> None:
    # The backends, and the modules that speak the service's models.
    heavy = ("secp256k1_", "judging", "attestation", "matching")
    light = [name for name in MODULES if not name.startswith(heavy)]
    loaded = loaded_after("\n".join(f"import chainteller.wallets.{name}" for name in light))
    assert not loaded & (HEAVY | {"eth_hash"})


def test_a_solana_signature_and_an_evm_address_load_keccak_at_most() -> None:
    solana = loaded_after(
        "from chainteller.wallets.addresses import parse_address\n"
        "from chainteller.wallets.networks import resolve_network\n"
        "from chainteller.wallets.verify import verify_signature\n"
        "sol = resolve_network('sol')\n"
        "a = parse_address('FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z', sol)\n"
        "assert verify_signature('x', '2z' * 44, a) is None"
    )
    assert not solana & (HEAVY | {"eth_hash"})
    evm = loaded_after(
        "from chainteller.wallets.addresses import parse_address\n"
        "from chainteller.wallets.networks import resolve_network\n"
        "parse_address('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', resolve_network('eth'))"
    )
    assert "eth_hash" in evm
    assert not evm & HEAVY
