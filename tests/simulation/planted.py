"""Faults for the simulator to find: ``python -m tests.simulation.planted --state FILE``.

Each is planted in a copy of the source, and simulations run on the copy. What counts is in how many
of the seeds something differs. The same command goes on after the faults that are done.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.faults.__main__ import ROOT, plant, planted
from tests.faults.faults import Fault

FAULTS = (
    Fault(
        "the fee is rounded down",
        "domain/quoting.py",
        "ceil_div(self.flat_cents * BPS + base_cents * self.bps, BPS))",
        "(self.flat_cents * BPS + base_cents * self.bps) // BPS)",
    ),
    Fault(
        "a sale is priced in the customer's favour",
        "domain/quoting.py",
        "return int(self.mid_micros * (scale - moved) // (scale * MICROS_PER_CENT))",
        "return ceil_div(self.mid_micros * (scale - moved), scale * MICROS_PER_CENT)",
    ),
    Fault(
        "an amount to be bought is not always reached",
        "domain/quoting.py",
        "return price_order(market, side, high, terms)",
        "return price_order(market, side, low, terms)",
    ),
    Fault(
        "a quote expires one microsecond early",
        "domain/trades.py",
        "return now <= expires",
        "return now < expires",
    ),
    Fault(
        "a bound quote is executed in any account",
        "engine/operations/quotes.py",
        "if quote.trading_account_id not in (None, account.id):",
        "if not account.id:",
    ),
    Fault(
        "open quotes are counted after they expire",
        "storage/queries/quotes.py",
        "account AND status = 'open' AND expires >= :now\"",
        "account AND status = 'open' AND expires >= :now - 1000000000000\"",
    ),
    Fault(
        "a cancelled withdrawal counts against its limit",
        "domain/transfers.py",
        '"[-]", "muted", gives_back=True',
        '"[-]", "muted", counts=True, gives_back=True',
    ),
    Fault(
        "withdrawals to wallets share the bank account's limit",
        "engine/operations/withdrawals.py",
        "requested = Spent(target.destination_class, cents, moment.now, target.level)",
        "requested = Spent(DestinationClass.OWN_BANK, cents, moment.now, target.level)",
    ),
    Fault(
        "a new wallet receives at once",
        "engine/operations/withdrawals.py",
        "    destinations.require_reachable(target, moment.now)\n",
        "",
    ),
    Fault(
        "the decision about a cancelled withdrawal stays open",
        "engine/operations/withdrawals.py",
        "    if decision is None:\n",
        "    if decision is None or status is DecisionStatus.WITHDRAWN:\n",
    ),
    Fault(
        "each note moves the deadline",
        "engine/operations/decisions.py",
        "if found.kind == DecisionKind.WITHDRAWAL and found.asked is None:",
        "if found.kind == DecisionKind.WITHDRAWAL:",
    ),
    Fault(
        "what nobody decides passes",
        "engine/operations/payouts.py",
        "    if decision.at_deadline == AtDeadline.APPROVE:\n",
        "    if decision.at_deadline:\n",
    ),
    Fault(
        "what is worth exactly the policy's amount waits",
        "domain/decisions.py",
        "payment.notional_cents > line.over_cents",
        "payment.notional_cents >= line.over_cents",
    ),
    Fault(
        "a frozen account's withdrawals are sent",
        "engine/operations/payout_checks.py",
        "return _FROZEN if account.control == Control.FROZEN else None",
        "return None",
    ),
    Fault(
        "a returned deposit freezes a closed account",
        "engine/operations/deposits.py",
        "    if account.control == Control.CLOSED:\n",
        "    if account.control is None and standing:\n",
    ),
    Fault(
        "a market that stays closed keeps its old reason",
        "engine/operations/decisions.py",
        "found.subject, reason, None if due",
        "found.subject, found.reason, None if due",
    ),
    Fault(
        "a revoked wallet stays verified",
        "domain/challenges.py",
        "if revoked or policy_version < POLICY_VERSION:",
        "if policy_version < POLICY_VERSION:",
    ),
    Fault(
        "a claim is linked after its day",
        "engine/operations/counterparties.py",
        "    if status is ClaimStatus.EXPIRED:\n",
        "    if status is ClaimStatus.EXPIRED and not claim.id:\n",
    ),
    Fault(
        "a claim serves any account",
        "engine/operations/counterparties.py",
        "same_pair = proven == (account.id, address.network.name, address.canonical)",
        "same_pair = proven[1:] == (address.network.name, address.canonical)",
    ),
    Fault(
        "a small transfer of a wrong amount verifies",
        "domain/second_method.py",
        "not is_same_asset or seen.atoms == amount.atoms)",
        "not is_same_asset or abs(seen.atoms - amount.atoms) <= 1)",
    ),
    Fault(
        "a small transfer that somebody else signed verifies",
        "domain/second_method.py",
        "seen.sender == address and address in seen.signers",
        "seen.sender == address",
    ),
    Fault(
        "a small transfer of a service verifies",
        "domain/second_method.py",
        "seen.service or seen.sent > MAXIMUM_SENT",
        "seen.sent > MAXIMUM_SENT",
    ),
    Fault(
        "a small transfer after its deadline verifies",
        "domain/second_method.py",
        "seen.arrived <= awaited.deadline)",
        "seen.arrived <= awaited.deadline + 1)",
    ),
    Fault(
        "expired evidence pays",
        "engine/operations/destinations.py",
        "    if now > link.expires:\n",
        "    if now > link.expires and link.revoked_at:\n",
    ),
    Fault(
        "evidence of a moment lasts as long as a signature",
        "domain/evidence.py",
        'as they were asked for",\n        90 * DAY,\n',
        'as they were asked for",\n        _YEAR,\n',
    ),
    Fault(
        "evidence of the middle level pays what the highest does",
        "domain/limits.py",
        "        if rule.level not in (None, requested.level):\n",
        "        if rule.level is not None:\n",
    ),
    Fault(
        "an expired challenge can be answered",
        "domain/challenges.py",
        "status is ChallengeStatus.OPEN and now > expires",
        "status is ChallengeStatus.OPEN and now > expires + 60_000_000",
    ),
    Fault(
        "refused signatures aren't counted",
        "engine/operations/claims.py",
        "    tx.when_refused(lambda record: _count(record, challenge, found))\n",
        "",
    ),
    Fault(
        "answers aren't kept under their keys",
        "engine/core/unit_of_work.py",
        "        transaction.rows.insert_once(Tables.idempotency, outcome, _in_progress(key))\n",
        "        transaction.rows.seal_new(Tables.idempotency, [])\n",
    ),
    Fault(
        "a key may be used for another request",
        "engine/core/unit_of_work.py",
        "elif first.fingerprint != fingerprint(call):",
        "elif first.fingerprint == call.operation.name:",
    ),
    Fault(
        "a refusal undoes what others wrote with it",
        "storage/db/group_commit.py",
        "        connection.execute(_UNDO)\n",
        "        connection.rollback()\n"
        '        connection.execute(built("BEGIN IMMEDIATE", None))\n'
        "        connection.execute(_SAVE)\n",
    ),
    Fault(
        "a deposit under way is there at once",
        "engine/operations/deposits.py",
        "    if not decided.jobs:\n",
        "    if decided:\n",
    ),
    Fault(
        "a bounced payment isn't taken from the bank account",
        "engine/operations/payouts.py",
        "debit = accounts.credit(bank_account, -withdrawal.notional_cents)",
        "debit = accounts.credit(bank_account, 0)",
    ),
    Fault(
        "time follows the clock backwards",
        "engine/core/timekeeping.py",
        "return Reading(max(clock.now(), row.last_at))",
        "return Reading(clock.now())",
    ),
    Fault(
        "another organisation's transactions are shown",
        "engine/operations/transactions.py",
        "if moved is not None and moved.organisation_id == organisation_id:",
        "if moved is not None:",
    ),
    Fault(
        "a frozen account may sell",
        "domain/preconditions.py",
        "return not (control == Control.SELL_ONLY and act in _LEFT_BY_SELL_ONLY)",
        "return act not in _LEFT_BY_SELL_ONLY",
    ),
)


def differing(source: Path, seeds: int, operations: int) -> int:
    """In how many of the seeds simulations on this source differ from the model."""
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / "state.jsonl"
        ended = subprocess.run(
            [
                *(sys.executable, "-m", "tests.simulation", "--seeds", f"1-{seeds}"),
                *("--operations", str(operations), "--state", str(state)),
            ],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": f"{source}{os.pathsep}{ROOT}"},
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode not in (0, 1) or not state.exists():
            raise RuntimeError(ended.stderr[-2_000:])
        rows = [json.loads(row) for row in state.read_text(encoding="utf-8").splitlines()]
    return sum(bool(what) for _, _, _, what in rows)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.planted")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--operations", type=int, default=400)
    parser.add_argument("--state", type=Path, help="where results are kept")
    parser.add_argument("--only", default="", help="only faults whose name contains this")
    given = parser.parse_args()
    found: dict[str, int] = {}
    if given.state is not None and given.state.exists():
        found = dict(json.loads(row) for row in given.state.read_text("utf-8").splitlines())
    chosen = [fault for fault in FAULTS if given.only in fault.name]
    for fault in chosen:
        if fault.name in found:
            continue
        if planted(fault) is None:
            _say(f"{fault.name}: its place is gone")
            continue
        with tempfile.TemporaryDirectory(prefix="fault-") as folder:
            count = differing(plant(fault, Path(folder)), given.seeds, given.operations)
        found[fault.name] = count
        _say(f"{fault.name}: {count} of {given.seeds} seeds")
        if given.state is not None:
            with given.state.open("a", encoding="utf-8") as file:
                file.write(json.dumps([fault.name, count]) + "\n")
    missed = [fault.name for fault in chosen if not found.get(fault.name)]
    _say(f"{len(chosen) - len(missed)} of {len(chosen)} found", *missed)
    return bool(missed)


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
