"""The sample world under way: its accounts, its books and the record of what was done."""

from dataclasses import dataclass, field

from chainteller.domain.assets import Asset
from chainteller.domain.audit_chain import canonical
from chainteller.domain.ids import Prefix, new_id
from chainteller.domain.ledger import buying_power
from chainteller.domain.quoting import FeeSchedule
from chainteller.domain.randomness import Randomness, below
from chainteller.engine.context import EngineOptions
from chainteller.engine.ports import PriceFeed
from chainteller.engine.samples.books import Books, Row
from chainteller.engine.samples.people import Person
from chainteller.wallets.simulated import SampleWallet

DESK = ("a.brandt", "m.okafor", "j.lindqvist", "s.iyer", "t.moreau")
"""The agents who did it all, as the audit trail names them."""


@dataclass(slots=True)
class Account:
    """A trading account: its row and that of its bank account, both still growing."""

    row: Row
    bank: Row
    person: Person

    @property
    def id(self) -> str:
        return str(self.row["id"])

    @property
    def is_restricted(self) -> bool:
        return self.row["control"] is not None

    def active(self, at: int, activity: str, *counted: str) -> None:
        """Note an activity and count its new record; the counters are the record's ordinals."""
        for counter in counted:
            self.row[counter] += 1
        self.row.update(
            version=self.row["version"] + 1, last_activity=at, last_activity_type=activity
        )

    @property
    def bank_cents(self) -> int:
        return int(self.bank["balance"])


@dataclass(slots=True)
class World:
    """Everything that the acts of the story need; ``now`` is the instant of the loading."""

    organisation_id: str
    books: Books
    randomness: Randomness
    prices: PriceFeed
    fees: FeeSchedule
    options: EngineOptions
    now: int
    accounts: dict[str, Account] = field(default_factory=dict)
    """Trading accounts by the reference of their customer."""
    wallets: dict[str, SampleWallet] = field(default_factory=dict)
    """The sample customers' wallets by name."""
    audit_entries: list[Row] = field(default_factory=list)
    events: list[Row] = field(default_factory=list)

    def new_id(self, prefix: Prefix) -> str:
        return new_id(prefix, self.randomness)

    def below(self, bound: int) -> int:
        return below(self.randomness, bound)

    def chance(self, per_cent: int) -> bool:
        return self.below(100) < per_cent

    def between(self, low: int, high: int) -> int:
        """A number from ``low`` to ``high``, both included."""
        return low + self.below(high - low + 1)

    def some_agent(self) -> str:
        return DESK[self.below(len(DESK))]

    def audit(
        self,
        at: int,
        action: str,
        subject: str,
        inputs: Row | None = None,
        actor: str = "",
        *,
        account: str | None = None,
    ) -> Row:
        """An audit row in the trail of ``account``; without an actor some agent did it."""
        entry: Row = {
            "at": at,
            "organisation_id": self.organisation_id,
            "actor": actor or self.some_agent(),
            "action": action,
            "object": subject,
            "inputs": canonical(inputs or {}),
            "outcome": "done",
            "error": None,
            "trading_account_id": account,
        }
        self.audit_entries.append(entry)
        return entry

    def event(self, at: int, event_type: str, resource: str, data: Row) -> None:
        self.events.append(
            {
                "id": self.new_id(Prefix.EVENT),
                "type": event_type,
                "at": at,
                "organisation_id": self.organisation_id,
                "resource": resource,
                "data": canonical(data),
            }
        )

    def schedule(self, kind: str, reference: str, run_at: int) -> None:
        row = {"kind": kind, "reference": reference, "run_at": run_at}
        self.books.add("job", row)

    def after(self, instant: int, delay_s: float) -> int:
        return instant + round(delay_s * 1_000_000)

    def available(self, account: Account) -> dict[Asset, int]:
        return self.books.available(account.id)

    def buying_power(self, account: Account) -> int:
        return buying_power(self.available(account))
