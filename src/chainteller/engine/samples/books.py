"""The rows of the sample data, kept in memory until they are written in one go.

Journals come from ``domain/ledger.py`` and are posted with the same running balances and dense
versions as the engine's own; nothing here decides what is posted.
"""

from collections import defaultdict
from typing import Any

from chainteller.domain.assets import ASSETS, Asset
from chainteller.domain.ledger import Bucket, Journal, customer
from chainteller.storage.ledger import Balances, row, zero_rows

Row = dict[str, Any]


class Balance:
    __slots__ = ("atoms", "version")

    def __init__(self, atoms: int = 0, version: int = 0) -> None:
        self.atoms = atoms
        self.version = version


class Books:
    """Balances and rows by table name, in the order in which they happened."""

    def __init__(self, balances: Balances) -> None:
        """Start from the bank's own books as they stand: (code, asset) → (atoms, version)."""
        self.rows: dict[str, list[Row]] = defaultdict(list)
        self._known = dict(balances)
        self._balances = {
            place: Balance(atoms, version) for place, (atoms, version) in balances.items()
        }

    def add(self, table: str, row: Row) -> Row:
        self.rows[table].append(row)
        return row

    def post(self, journal: Journal, at: int) -> None:
        """Post a journal.

        Raises:
            ValueError: a balance would fall below zero.
        """
        self.rows["journal"].append(
            {"id": journal.key, "kind": journal.kind, "reference": journal.reference, "at": at}
        )
        postings = self.rows["posting"]
        for leg in journal.legs:
            place = (leg.account, leg.asset.key)
            balance = self._balances.get(place)
            if balance is None:
                balance = self._balances[place] = Balance()
            balance.atoms += leg.change
            balance.version += 1
            if balance.atoms < 0:
                raise ValueError(f"{journal.key} overdraws {leg.account} {leg.asset.key}")
            postings.append(
                {
                    "code": leg.account,
                    "asset": place[1],
                    "account_version": balance.version,
                    "journal_id": journal.key,
                    "debit": leg.debit,
                    "atoms": leg.atoms,
                    "balance_after": balance.atoms,
                }
            )

    def available(self, account_id: str) -> dict[Asset, int]:
        """What the account may use now, of each asset that it has."""
        code = customer(account_id, Bucket.AVAILABLE)
        found = {}
        for asset in ASSETS:
            balance = self._balances.get((code, asset.key))
            if balance is not None and balance.atoms:
                found[asset] = balance.atoms
        return found

    def open_sub_balances(self, account_id: str) -> None:
        """The zero rows that every trading account starts with."""
        for zero in zero_rows(account_id):
            self._balances[str(zero["code"]), str(zero["asset"])] = Balance()

    def new_balances(self) -> list[Row]:
        """Rows of the ledger accounts that were not there at the start."""
        return [
            row(key, balance.atoms, balance.version)
            for key, balance in self._balances.items()
            if key not in self._known
        ]

    def changed_balances(self) -> dict[tuple[str, str], tuple[int, int, int]]:
        """What moved of those that were: (balance, version at the start, version)."""
        return {
            place: (self._balances[place].atoms, version, self._balances[place].version)
            for place, (_, version) in self._known.items()
            if self._balances[place].version != version
        }
