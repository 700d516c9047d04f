"""No payout leaves after any one cell of a row that decides it was altered.

The rows are found from the withdrawal's own, and the cells are those of the tables as they are in
the database.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pytest
from tests.simulation.attacker.__main__ import trial
from tests.simulation.attacker.bank import Bank, copied
from tests.simulation.attacker.raw import Key, Raw, RawTable, Row, attacking
from tests.simulation.attacker.scoring import Trial

FREE = {("trading_account", "last_activity"), ("trading_account", "last_activity_type")}


class Altered(NamedTuple):
    """A cell with another value."""

    table: RawTable
    key: Key
    column: str
    value: Any

    def __str__(self) -> str:
        return f"{self.table.name} {self.key}: {self.column} = {self.value!r}"


@pytest.fixture(scope="module")
def bank() -> Iterator[Trial]:
    with trial() as made:
        yield made


def deciding(raw: Raw, withdrawal_id: str) -> Iterator[tuple[RawTable, Key, Row]]:
    """The withdrawal, what is held for it and by which journal, its account, its wallet with the
    proof, and the settings that it was allowed by."""
    tables = {table.name: table for table in raw.tables()}
    rows = raw.read(list(tables.values()))
    transfer = rows["transfer"][withdrawal_id,]
    wallet = (transfer["blockchain_account_id"], transfer["counterparty_id"])
    link = rows["link"].get(wallet, {})
    claim = rows["claim"].get((link.get("claim_id"),), {})
    held = f"customer:{transfer['trading_account_id']}:held"
    sought: list[tuple[str, Key]] = [
        ("transfer", (withdrawal_id,)),
        ("journal", (withdrawal_id, "hold")),
        ("trading_account", (transfer["trading_account_id"],)),
        ("rule", (transfer["rule_id"],)),
        ("blockchain_account", wallet[:1]),
        ("counterparty", wallet[1:]),
        ("link", wallet),
        ("claim", (claim.get("id"),)),
        ("challenge", (claim.get("challenge_id"),)),
    ]
    assets = [asset for asset, _ in json.loads(transfer["hold"])]
    sought += [("ledger_account", (held, asset, transfer["organisation_id"])) for asset in assets]
    for name, key in sought:
        if None not in key:
            yield tables[name], key, rows[name][key]


def alterations(raw: Raw, withdrawal_id: str, among: Sequence[str] = ()) -> Iterator[Altered]:
    for table, key, row in deciding(raw, withdrawal_id):
        if among and table.name not in among:
            continue
        for column, now in row.items():
            if (table.name, column) not in FREE:
                for value in _others(now):
                    yield Altered(table, key, column, value)


def _others(now: Any) -> Iterator[Any]:
    if now is not None:
        yield None
    if isinstance(now, int):
        yield from (now + 1, now - 1, now + 0.5, -now)
    elif now is None:
        yield from (1, "x")
    else:
        text = str(now)
        yield from (f"{text}x", f" {text}", "", text.swapcase(), text[:-1] + "0")


def is_paid(bank: Bank, raw: Raw, withdrawal_id: str) -> bool:
    bank.passes(20)
    bank.work()
    return (withdrawal_id,) in raw.all("SELECT record FROM journal WHERE kind = 'sent'")


def paid_after(trial: Trial, which: str, altered: Altered) -> bool | None:
    """Whether a payout left after an alteration; None where the database refused that."""
    with copied(trial.template, trial.copies()) as bank, attacking(bank.url) as raw:
        for drop, _ in raw.guards():
            raw.run(drop)
        before = raw.read([altered.table])
        raw.run(altered.table.update(altered.key, {altered.column: altered.value}))
        if raw.read([altered.table]) == before:
            return None
        return is_paid(bank, raw, bank.facts.ids[which])


def require_unpaid(trial: Trial, which: str, every: int = 1, among: Sequence[str] = ()) -> int:
    """How many alterations there were; of some tables, or of all."""
    with copied(trial.template, trial.copies()) as bank, attacking(bank.url) as raw:
        found = list(alterations(raw, bank.facts.ids[which], among))
        assert is_paid(bank, raw, bank.facts.ids[which])
    tried, paid = 0, []
    for each in found[::every]:
        outcome = paid_after(trial, which, each)
        tried += outcome is not None
        if outcome:
            paid.append(str(each))
    assert paid == [], "\n".join(paid)
    return tried


@pytest.mark.parametrize("which", ["victim pending", "victim to bank"])
def test_some_cells(bank: Trial, which: str) -> None:
    assert require_unpaid(bank, which, every=12) > 10


def test_every_cell_of_what_is_held(bank: Trial) -> None:
    assert require_unpaid(bank, "victim pending", every=2, among=("ledger_account", "rule")) > 15


@pytest.mark.slow
@pytest.mark.parametrize("which", ["victim pending", "victim to bank"])
def test_every_cell(bank: Trial, which: str) -> None:
    tried = require_unpaid(bank, which)
    print(tried, "cells altered before", which)  # noqa: T201 - the figure of the proof
    assert tried > 150
