"""Checks an exported trail against a policy: who did what, in which case, and with whom.

Knows nothing of the product but the documents: it reads the JSON of ``GET /audit``, ``GET /agents``
and ``GET /decisions``, and the policy's roles.

    python trail_check.py trail.json
"""

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ALLOWS = {
    "serve": {
        "open_trading_account", "deposit", "withdraw", "cancel_withdrawal", "create_quote",
        "execute_quote", "open_blockchain_account", "register_counterparty",
    },
    "decide": {"take_decision", "approve_decision", "refuse_decision", "note_decision"},
    "control": {"open_decision"},
    "agents": {"approve_agent", "revoke_agent"},
    "read": set[str](),
}  # fmt: skip
NO_CASE = {"enrol_agent", "approve_agent", "revoke_agent"}
OF_PEOPLE = {name for names in ALLOWS.values() for name in names}


def problems(told: dict[str, Any]) -> Iterator[str]:
    """Whatever is wrong in what is told: ``rows`` of the trail in their order, ``agents``,
    ``decisions``, the policy's ``roles`` and ``pattern`` of cases, the names of ``systems``, and of
    ``owners``, who have the database and admit the first agents."""
    decisions = {each["id"]: each for each in told["decisions"]}
    approvals: dict[str, list[str]] = defaultdict(list)
    for row in told["rows"]:
        action, by = row["action"], row["actor"]
        if row["outcome"] != "done" or action not in OF_PEOPLE:
            continue
        for wrong in _of_row(told, decisions, row):
            yield f"{row['seq']}: {action} by {by}: {wrong}"
        if action == "approve_decision":
            approvals[row["object"]].append(by)
    yield from _second_persons(decisions, approvals)


def _of_row(
    told: dict[str, Any], decisions: dict[str, dict[str, Any]], row: dict[str, Any]
) -> Iterator[str]:
    action, by = row["action"], row["actor"]
    if by in told["systems"]:
        if action not in ALLOWS["serve"]:
            yield "by a system"
        return
    if by in told["owners"] and action == "approve_agent":
        return
    agent = next((each for each in told["agents"] if each["id"] == row.get("agent")), None)
    if agent is None or agent["name"] != by:
        yield "by no agent"
        return
    may = {word for role in agent["roles"] for word in told["roles"][role]}
    if action not in set().union(*(ALLOWS[word] for word in may)):
        yield f"beyond {may}"
    if action not in NO_CASE and not re.fullmatch(told["pattern"], row.get("case") or ""):
        yield f"in the case {row.get('case')}"
    lifts = action == "approve_decision" and decisions[row["object"]]["kind"] == "control"
    if lifts and "control" not in may:
        yield f"lifts a control with {may}"


def _second_persons(
    decisions: dict[str, dict[str, Any]], approvals: dict[str, list[str]]
) -> Iterator[str]:
    for identifier, found in decisions.items():
        if found["status"] != "approved" or not found.get("needsTwo"):
            continue
        first, last = found.get("firstBy"), found.get("decidedBy")
        if first in (None, last):
            yield f"{identifier}: approved by {last}, asked by {first}"
        if approvals[identifier][-1:] != [last]:
            yield f"{identifier}: the trail has the approvals {approvals[identifier]}"
        is_request = found.get("firstAt") == found["created"]
        if not is_request and first not in approvals[identifier][:-1]:
            yield f"{identifier}: the first approval isn't in the trail"


if __name__ == "__main__":
    wrong = list(problems(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
    sys.stdout.write("".join(f"{each}\n" for each in wrong or ["nothing is wrong"]))
    sys.exit(bool(wrong))
