"""Faults planted in a copy of the source: each must make the named tests fail.

This proves the proofs; docs/development/proofs.md lists what was planted and what caught it.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import chainteller

ROOT = Path(__file__).parents[2]
SOURCE = Path(chainteller.__file__).parent
SIMULATION = "tests/properties/test_simulation.py::test_a_seed_leaves_the_books_right"
MACHINE = "tests/properties/test_service_machine.py"


@dataclass(frozen=True)
class Fault:
    name: str
    file: str
    right: str
    wrong: str
    caught_by: str


FAULTS = (
    Fault(
        "a release keeps the last token",
        "domain/ledger.py",
        "_move(JournalKind.RELEASE, reference, held, available, parts)",
        "_move(JournalKind.RELEASE, reference, held, available, parts[:-1] or parts)",
        "tests/engine/test_trades.py::"
        "test_cash_equivalents_are_drawn_in_their_order_and_given_back_as_they_were",
    ),
    Fault(
        "the fee is rounded down",
        "domain/quoting.py",
        "ceil_div(self.flat_cents * BPS + base_cents * self.bps, BPS)",
        "(self.flat_cents * BPS + base_cents * self.bps) // BPS",
        SIMULATION,
    ),
    Fault(
        "a quote dies at its last microsecond",
        "domain/trades.py",
        "return now <= expires",
        "return now < expires",
        SIMULATION,
    ),
    Fault(
        "a cancelled withdrawal goes on counting",
        "domain/transfers.py",
        '"[-]", "muted", gives_back=True',
        '"[-]", "muted", counts=True, gives_back=True',
        SIMULATION,
    ),
    Fault(
        "outcomes are not kept under their keys",
        "engine/core/unit_of_work.py",
        "    if key is not None:\n        outcome = {",
        "    if key is not None and len(key) > 255:\n        outcome = {",
        SIMULATION,
    ),
    Fault(
        "the hold is committed alone",
        "engine/core/outcome.py",
        "        ledger.post(tx, outcome.journals)\n",
        "        ledger.post(tx, outcome.journals)\n        tx.connection.commit()\n",
        "tests/engine/test_kill.py::test_a_hundred_kills_lose_nothing",
    ),
    Fault(
        "the balance after a posting is the one before",
        "engine/core/ledger.py",
        "legs.append(log.Leg(*key, leg.change, version, balance))",
        "legs.append(log.Leg(*key, leg.change, version, balance - leg.change))",
        SIMULATION,
    ),
    Fault(
        "balances are found by the stored owner",
        "storage/log/ledger.py",
        '_OF_ACCOUNT = Query(f"{_OWN} ORDER BY',
        '_OF_ACCOUNT = Query(f"{_OWN} AND owner = code ORDER BY',
        "tests/storage/test_new_asset.py",
    ),
    Fault(
        "no balance is out of sight",
        "engine/verification/ledger.py",
        "if owner(code) not in trading_accounts:",
        "if False:",
        "tests/engine/test_verification.py::test_finds_a_balance_that_no_customer_can_see",
    ),
    Fault(
        "the exact balance is not enough",
        "engine/core/ledger.py",
        "if power < cents:",
        "if power <= cents:",
        SIMULATION,
    ),
    Fault(
        "a withdrawal counts one microsecond too long",
        "domain/limits.py",
        "spent.at > now - rule.period",
        "spent.at >= now - rule.period",
        "tests/domain/test_limits.py",
    ),
    Fault(
        "a limit cannot be reached",
        "domain/limits.py",
        "requested.notional_cents > rule.limit_cents",
        "requested.notional_cents >= rule.limit_cents",
        SIMULATION,
    ),
    Fault(
        "a trade settles twice",
        "engine/operations/settlement.py",
        "if trade is None or trade.status != status:",
        "if trade is None:",
        "tests/engine/test_trades.py",
    ),
    Fault(
        "a sale is priced in the seller's favour",
        "domain/quoting.py",
        "return int(self.mid_micros * (scale - moved) // (scale * MICROS_PER_CENT))",
        "return ceil_div(self.mid_micros * (scale - moved), scale * MICROS_PER_CENT)",
        SIMULATION,
    ),
    Fault(
        "tokens are drawn in another order",
        "domain/ledger.py",
        "for asset in order:\n        taken",
        "for asset in reversed(order):\n        taken",
        MACHINE,
    ),
    Fault(
        "work is done when its job says",
        "engine/upkeep/due.py",
        "if due_at > tx.now:",
        "if False:",
        "tests/engine/test_due_times.py::"
        "test_work_that_was_moved_forward_is_named_and_waits_for_its_time",
    ),
    Fault(
        "a withdrawal is completed as a deposit",
        "engine/operations/deposits.py",
        "if deposit is None or deposit.direction != Direction.DEPOSIT:",
        "if deposit is None:",
        "tests/engine/test_due_times.py::test_a_withdrawal_is_never_completed_as_a_deposit",
    ),
    Fault(
        "a review keeps its end when the clock is put right",
        "engine/upkeep/epochs.py",
        "    yield from _put_reviews_right(connection, error)\n",
        "",
        "tests/clock/test_bank.py::test_a_review_ends_as_long_after_its_request_as_it_was_meant_to",
    ),
    Fault(
        "a key answers for every record of its path",
        "engine/core/unit_of_work.py",
        "json.dumps([call.ids, body])",
        "json.dumps([body])",
        "tests/engine/test_idempotency.py::test_a_key_belongs_to_the_records_that_the_path_names",
    ),
    Fault(
        "a wallet is paid though its verification expired meanwhile",
        "engine/operations/payout_checks.py",
        "if not is_verified(wallets.link_status(link, tx.now)):",
        "if not is_verified(wallets.link_status(link, withdrawal.created)):",
        "tests/payouts/test_payout_checks.py::"
        "test_a_verification_that_expires_while_its_withdrawal_waits_pays_nothing",
    ),
    Fault(
        "a row that was put back is taken for a new one",
        "engine/verification/seals.py",
        "                yield Wrong(table, key, PUT_BACK)\n",
        "                yield Wrong(table, key, INSERTED)\n",
        "tests/tampering/test_breaches.py",
    ),
)


def planted(fault: Fault) -> str:
    """The text of the fault's file with the fault in it."""
    text = (SOURCE / fault.file).read_text(encoding="utf-8")
    assert text.count(fault.right) == 1, f"{fault.name}: the place to plant it is gone"
    return text.replace(fault.right, fault.wrong)


def plant(fault: Fault, folder: Path) -> Path:
    """A copy of the source with the fault in it."""
    copy = folder / "src" / "chainteller"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("themes", "sample_data"):
        (folder / name).symlink_to(ROOT / name)
    (copy / fault.file).write_text(planted(fault), encoding="utf-8")
    return folder / "src"


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.replace(" ", "-"))
def test_a_planted_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    source = plant(fault, tmp_path)
    environment = os.environ | {"PYTHONPATH": f"{source}{os.pathsep}{ROOT}"}
    checked = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-q", "-m", "slow or not slow", fault.caught_by],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    # 1 is "tests were run and some failed"; anything else is no proof.
    assert checked.returncode == 1, checked.stdout[-2_000:] + checked.stderr[-2_000:]
    assert str(source) in checked.stdout or "AssertionError" in checked.stdout


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.replace(" ", "-"))
def test_every_fault_can_still_be_planted(fault: Fault) -> None:
    compile(planted(fault), fault.file, "exec")
