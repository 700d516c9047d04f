"""Who banks here: the fixed customers of ``sample_data/bank.toml`` and invented others."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from chainteller.domain.assets import USD
from chainteller.domain.ids import Prefix, new_id
from chainteller.domain.money import parse_atoms
from chainteller.domain.randomness import Randomness, below
from chainteller.engine.samples.draws import log_normal_cents
from chainteller.wallets.simulated import SampleWallet, sample_wallets

INVENTED_CUSTOMERS = 232
_MEDIAN_BALANCE_CENTS, _BALANCE_SIGMA = 840_000, 1.25
_LEAST_BALANCE_CENTS = 2_500
BASIC, ENHANCED = "basic", "enhanced"
_PER_CENT = 100
_FIRST_INVENTED_BANK_ACCOUNT = 2001


class Habit(StrEnum):
    """How much a customer trades; ``FIRST`` is the account that a fresh console lists first.

    ``LEAVING`` customers sell and withdraw everything before their account is closed.
    """

    NONE = "none"
    QUIET = "quiet"
    REGULAR = "regular"
    BUSY = "busy"
    LARGE = "large"
    LEAVING = "leaving"
    LONGSTANDING = "longstanding"
    WAITING = "waiting"
    FIRST = "first"


@dataclass(frozen=True, slots=True)
class BankAccount:
    id: str
    type: str
    opening_cents: int


@dataclass(frozen=True, slots=True)
class Person:
    """``control`` is that of the trading account, or of the customer where there is none."""

    id: str
    reference: str
    name: str
    kyc_level: str
    has_accepted_terms: bool
    control: str | None
    habit: Habit
    accounts: tuple[BankAccount, ...]


@dataclass(frozen=True, slots=True)
class CustodyAddress:
    """A blockchain account with a fixed id, of the customer with ``reference``."""

    id: str
    reference: str
    network: str
    address: str


@dataclass(frozen=True, slots=True)
class CustomerData:
    people: tuple[Person, ...]
    custody_addresses: tuple[CustodyAddress, ...]
    wallets: tuple[SampleWallet, ...] = ()

    @property
    def wallets_by_name(self) -> dict[str, SampleWallet]:
        return {wallet.name: wallet for wallet in self.wallets}


def read_customers(folder: Path, randomness: Randomness) -> CustomerData:
    """The sample bank of a seed.

    Raises:
        OSError: a file of the sample data cannot be read.
        ValueError: one of them is broken; the message names the file.
    """
    fixed, names = _read(folder / "bank.toml"), _read(folder / "names.toml")
    try:
        people = tuple(_fixed(entry, randomness) for entry in fixed["customer"])
        addresses = tuple(
            CustodyAddress(entry["id"], entry["customer"], entry["network"], entry["address"])
            for entry in fixed["blockchain_account"]
        )
        groups = [(group["first"], group["last"]) for group in names["group"]]
    except (KeyError, TypeError) as error:
        raise ValueError(f"{folder}: bank.toml or names.toml lacks {error}") from None
    wallets = sample_wallets(folder / "wallets.toml")
    return CustomerData((*people, *_invented(groups, people, randomness)), addresses, wallets)


def _read(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _fixed(entry: Mapping[str, Any], randomness: Randomness) -> Person:
    return Person(
        id=new_id(Prefix.CUSTOMER, randomness),
        reference=entry["reference"],
        name=entry["name"],
        kyc_level=entry["kyc"],
        has_accepted_terms=entry["terms"],
        control=entry.get("control"),
        habit=Habit(entry["trading"]),
        accounts=tuple(
            BankAccount(account["id"], account["type"], parse_atoms(account["balance"], USD))
            for account in entry["accounts"]
        ),
    )


def _invented(
    groups: Sequence[tuple[Sequence[str], Sequence[str]]],
    known: Sequence[Person],
    randomness: Randomness,
) -> list[Person]:
    names = {person.name for person in known}
    bank_account = _FIRST_INVENTED_BANK_ACCOUNT
    reference = 2000
    people = []
    for number in range(INVENTED_CUSTOMERS):
        name = _name(groups, names, randomness)
        names.add(name)
        reference += 1 + below(randomness, 9)
        accounts = _bank_accounts(bank_account, number, randomness)
        bank_account += len(accounts) + below(randomness, 5)
        people.append(_person(number, name, f"CU-{reference:06d}", accounts, randomness))
    return people


def _name(
    groups: Sequence[tuple[Sequence[str], Sequence[str]]],
    taken: set[str],
    randomness: Randomness,
) -> str:
    while True:
        first, last = groups[below(randomness, len(groups))]
        name = f"{first[below(randomness, len(first))]} {last[below(randomness, len(last))]}"
        if name not in taken:
            return name


def _bank_accounts(first: int, number: int, randomness: Randomness) -> tuple[BankAccount, ...]:
    types = ("checking", "savings") if below(randomness, _PER_CENT) < 22 else ("checking",)
    if number % 11 == 7:
        types = ("savings",)
    return tuple(
        BankAccount(f"DDA-{first + place}", type_, _balance(randomness))
        for place, type_ in enumerate(types)
    )


def _balance(randomness: Randomness) -> int:
    cents = log_normal_cents(randomness, _MEDIAN_BALANCE_CENTS, _BALANCE_SIGMA)
    return max(_LEAST_BALANCE_CENTS, cents)


@dataclass(frozen=True, slots=True)
class _Kind:
    habit: Habit
    kyc_level: str = ENHANCED
    has_accepted_terms: bool = True
    control: str | None = None


_ONE_OF_EACH: tuple[tuple[int, _Kind], ...] = (
    (14, _Kind(Habit.NONE, has_accepted_terms=False)),
    (12, _Kind(Habit.NONE, kyc_level=BASIC)),
    (4, _Kind(Habit.NONE, kyc_level=BASIC, has_accepted_terms=False)),
    (3, _Kind(Habit.NONE, control="FROZEN")),
    (27, _Kind(Habit.NONE)),
    (4, _Kind(Habit.REGULAR, control="FROZEN")),
    (7, _Kind(Habit.REGULAR, control="SELL_ONLY")),
    (9, _Kind(Habit.QUIET, control="DORMANT")),
    (2, _Kind(Habit.LEAVING, control="CLOSED")),
    (16, _Kind(Habit.WAITING)),
    (17, _Kind(Habit.BUSY)),
    (3, _Kind(Habit.LARGE)),
    (46, _Kind(Habit.QUIET)),
)
"""How many of the invented customers are what; the rest trade now and then."""


def _kinds() -> tuple[_Kind, ...]:
    kinds = tuple(kind for count, kind in _ONE_OF_EACH for _ in range(count))
    return kinds + (_Kind(Habit.REGULAR),) * (INVENTED_CUSTOMERS - len(kinds))


_KINDS = _kinds()
_LEAST_FROZEN_CENTS = 400_000
_LEAST_OPENING_CENTS = {
    Habit.WAITING: 1_200_000,
    Habit.BUSY: 1_500_000,
    Habit.LARGE: 40_000_000,
    Habit.LEAVING: 100_000,
}
"""What the first bank account of such customers holds at least before their first deposit."""
_STRIDE = 89
"""Coprime to the number of customers: a walk by it meets each kind once, well mixed."""


def _person(
    number: int,
    name: str,
    reference: str,
    accounts: tuple[BankAccount, ...],
    randomness: Randomness,
) -> Person:
    kind = _KINDS[number * _STRIDE % INVENTED_CUSTOMERS]
    least = _LEAST_FROZEN_CENTS if kind.control == "FROZEN" else 0
    least = max(least, _LEAST_OPENING_CENTS.get(kind.habit, 0))
    if accounts[0].opening_cents < least:
        main = accounts[0]
        raised = least + below(randomness, least)
        accounts = (BankAccount(main.id, main.type, raised), *accounts[1:])
    return Person(
        id=new_id(Prefix.CUSTOMER, randomness),
        reference=reference,
        name=name,
        kyc_level=kind.kyc_level,
        has_accepted_terms=kind.has_accepted_terms,
        control=kind.control,
        habit=kind.habit,
        accounts=accounts,
    )
