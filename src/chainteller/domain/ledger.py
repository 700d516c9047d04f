"""Double-entry journals: the chart of accounts and the postings of each event.

A journal is a set of legs that sum to zero per asset. A code names an account: a customer has
three sub-balances per asset (available, held, incoming) and one of what is owed to the bank; all
other accounts are the bank's own.
The chart and the postings are documented in docs/explanation/ledger.md.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from chainteller.domain.assets import CASH_EQUIVALENTS, USD, Asset
from chainteller.domain.money import Amount, atoms_of_cents, whole_cents


class Bucket(StrEnum):
    """A balance of a customer: what the bank owes them, or ``OWED``, what they owe the bank."""

    AVAILABLE = "available"
    HELD = "held"
    INCOMING = "incoming"
    OWED = "owed"


HOLDINGS = (Bucket.AVAILABLE, Bucket.HELD, Bucket.INCOMING)
"""The balances that together are what a customer has of an asset."""


CORE = "core"
CUSTODY = "custody"
LP_RECEIVABLE = "lp.receivable"
LP_PAYABLE = "lp.payable"
TRANSIT = "transit"
FEE_INCOME = "income:fee"
SPREAD_INCOME = "income:spread"
WITHDRAWAL_FEE_INCOME = "income:withdrawal-fee"

_BANK_ASSETS = frozenset({CORE, CUSTODY, LP_RECEIVABLE})

DUE_EITHER_WAY = frozenset({CORE})
"""May be negative: due from or to the bank's core, after a spent deposit is clawed back."""

CUSTOMER_PREFIX = "customer:"
_CUSTOMER_CODE = re.compile(rf"{CUSTOMER_PREFIX}([^:]+):(?:{'|'.join(Bucket)})")
_OWED = f":{Bucket.OWED}"
ISSUER_PREFIX = "issuer:"
_REMEMBERED = 2_048


def customer(account_id: str, bucket: Bucket) -> str:
    return f"{CUSTOMER_PREFIX}{account_id}:{bucket}"


@lru_cache(_REMEMBERED)
def owner(code: str) -> str:
    """The trading account that a code names; empty for the bank's own accounts."""
    match = _CUSTOMER_CODE.fullmatch(code)
    return match[1] if match else ""


def is_debit_normal(code: str) -> bool:
    """Whether a debit increases the account; a credit increases all others."""
    return code in _BANK_ASSETS or code.endswith(_OWED)


def issuer(token: Asset) -> str:
    """The account of the USD that the issuer of a token owes."""
    return f"{ISSUER_PREFIX}{token.key}"


BANK_CODES = _BANK_ASSETS | {
    LP_PAYABLE,
    TRANSIT,
    FEE_INCOME,
    SPREAD_INCOME,
    WITHDRAWAL_FEE_INCOME,
    *(issuer(asset) for asset in CASH_EQUIVALENTS if not asset.is_fiat),
}
"""The codes of the bank's own accounts."""


class Leg(NamedTuple):
    """A debit or a credit of ``atoms`` of ``asset`` to one account."""

    account: str
    asset: Asset
    debit: bool
    atoms: int

    @property
    def change(self) -> int:
        """The change of the account's balance, positive on the account's normal side."""
        return self.atoms if self.debit == is_debit_normal(self.account) else -self.atoms


class UnbalancedJournalError(ValueError):
    """The legs of an asset do not sum to zero, or a leg is not positive."""


class JournalKind(StrEnum):
    """What a journal books."""

    HOLD = "hold"
    RELEASE = "release"
    DEPOSIT = "deposit"
    DEPOSIT_RETURN = "deposit-return"
    FILL = "fill"
    SETTLE = "settle"
    SENT = "sent"
    RETURN = "return"
    CONFIRMED = "confirmed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Journal:
    """One event (``kind``) of one record (``reference``); the pair is unique."""

    kind: str
    reference: str
    legs: tuple[Leg, ...]

    def __post_init__(self) -> None:
        sums: dict[Asset, int] = defaultdict(int)
        for leg in self.legs:
            if leg.atoms <= 0:
                raise UnbalancedJournalError(f"{self.kind}: a leg of {leg.atoms}")
            sums[leg.asset] += leg.atoms if leg.debit else -leg.atoms
        if not self.legs or any(sums.values()):
            raise UnbalancedJournalError(f"{self.kind}: {dict(sums)}")

    @property
    def key(self) -> str:
        return f"{self.reference}:{self.kind}"


def _debit(account: str, asset: Asset, atoms: int) -> Leg:
    return Leg(account, asset, debit=True, atoms=atoms)


def _credit(account: str, asset: Asset, atoms: int) -> Leg:
    return Leg(account, asset, debit=False, atoms=atoms)


def _journal(kind: JournalKind, reference: str, legs: Iterable[Leg]) -> Journal:
    return Journal(kind.value, reference, tuple(leg for leg in legs if leg.atoms))


def draw(
    available: Mapping[Asset, int], cents: int, order: tuple[Asset, ...] = CASH_EQUIVALENTS
) -> tuple[Amount, ...] | None:
    """Split ``cents`` over cash equivalents, in whole cents of each and in the given order.

    Returns None if together they are not enough.
    """
    parts, missing = [], cents
    for asset in order:
        taken = min(missing, whole_cents(available.get(asset, 0), asset))
        if taken:
            parts.append(Amount(atoms_of_cents(taken, asset), asset))
            missing -= taken
    return None if missing else tuple(parts)


def buying_power(available: Mapping[Asset, int]) -> int:
    """The whole cents of every cash equivalent."""
    return sum(whole_cents(available.get(asset, 0), asset) for asset in CASH_EQUIVALENTS)


def deposit_completed(
    account_id: str, reference: str, token: Asset, cents: int, owed_cents: int
) -> Journal:
    """The core bank pays; what is owed is repaid first, for the rest the customer gets the token
    and the issuer owes the dollars."""
    repaid = min(cents, owed_cents)
    rest, atoms = cents - repaid, atoms_of_cents(cents - repaid, token)
    return _journal(
        JournalKind.DEPOSIT,
        reference,
        (
            _debit(CORE, USD, cents),
            _credit(customer(account_id, Bucket.OWED), USD, repaid),
            _credit(issuer(token), USD, rest),
            _debit(CUSTODY, token, atoms),
            _credit(customer(account_id, Bucket.AVAILABLE), token, atoms),
        ),
    )


def deposit_returned(
    account_id: str, reference: str, token: Asset, cents: int, recoverable_cents: int
) -> Journal:
    """The core bank claws back ``cents``. ``recoverable_cents`` are still available, the rest is
    owed."""
    taken = atoms_of_cents(recoverable_cents, token)
    return _journal(
        JournalKind.DEPOSIT_RETURN,
        reference,
        (
            _debit(customer(account_id, Bucket.AVAILABLE), token, taken),
            _credit(CUSTODY, token, taken),
            _debit(issuer(token), USD, recoverable_cents),
            _debit(customer(account_id, Bucket.OWED), USD, cents - recoverable_cents),
            _credit(CORE, USD, cents),
        ),
    )


def hold(account_id: str, reference: str, parts: tuple[Amount, ...]) -> Journal:
    available, held = customer(account_id, Bucket.AVAILABLE), customer(account_id, Bucket.HELD)
    return _move(JournalKind.HOLD, reference, available, held, parts)


def release(account_id: str, reference: str, parts: tuple[Amount, ...]) -> Journal:
    """Reverse ``hold``."""
    available, held = customer(account_id, Bucket.AVAILABLE), customer(account_id, Bucket.HELD)
    return _move(JournalKind.RELEASE, reference, held, available, parts)


def _move(
    kind: JournalKind, reference: str, source: str, target: str, parts: tuple[Amount, ...]
) -> Journal:
    """Move amounts between two sub-balances of a customer."""
    legs: list[Leg] = []
    for part in parts:
        legs.append(Leg(source, part.asset, debit=True, atoms=part.atoms))
        legs.append(Leg(target, part.asset, debit=False, atoms=part.atoms))
    return _journal(kind, reference, legs)


def _redeem(held: str, parts: tuple[Amount, ...]) -> Iterable[Leg]:
    """Take held cash equivalents from the customer and redeem tokens at par with their issuer."""
    for part in parts:
        yield _debit(held, part.asset, part.atoms)
        if not part.asset.is_fiat:
            yield _credit(CUSTODY, part.asset, part.atoms)
            yield _debit(issuer(part.asset), USD, whole_cents(part.atoms, part.asset))


@dataclass(frozen=True, slots=True)
class Fill:
    """The figures of an executed order: USD in cents, ``base_atoms`` of ``base``.

    ``provider_cents`` is the liquidity provider's cost of a buy or gross proceeds of a sell.
    """

    account_id: str
    reference: str
    base: Asset
    base_atoms: int
    usd_cents: int
    fee_cents: int
    provider_cents: int


def fill_buy(fill: Fill, parts: tuple[Amount, ...]) -> Journal:
    """``usd_cents`` is what the customer pays, fee included; ``parts`` is what was held."""
    spread = fill.usd_cents - fill.fee_cents - fill.provider_cents
    return _journal(
        JournalKind.FILL,
        fill.reference,
        (
            *_redeem(customer(fill.account_id, Bucket.HELD), parts),
            _credit(LP_PAYABLE, USD, fill.provider_cents),
            _credit(FEE_INCOME, USD, fill.fee_cents),
            _credit(SPREAD_INCOME, USD, spread),
            _debit(LP_RECEIVABLE, fill.base, fill.base_atoms),
            _credit(customer(fill.account_id, Bucket.INCOMING), fill.base, fill.base_atoms),
        ),
    )


def fill_sell(fill: Fill) -> Journal:
    """``usd_cents`` is what the customer receives, net of the fee."""
    spread = fill.provider_cents - fill.fee_cents - fill.usd_cents
    return _journal(
        JournalKind.FILL,
        fill.reference,
        (
            _debit(customer(fill.account_id, Bucket.HELD), fill.base, fill.base_atoms),
            _credit(LP_PAYABLE, fill.base, fill.base_atoms),
            _debit(LP_RECEIVABLE, USD, fill.provider_cents),
            _credit(customer(fill.account_id, Bucket.INCOMING), USD, fill.usd_cents),
            _credit(FEE_INCOME, USD, fill.fee_cents),
            _credit(SPREAD_INCOME, USD, spread),
        ),
    )


def settle_buy(fill: Fill) -> Journal:
    return _journal(
        JournalKind.SETTLE,
        fill.reference,
        (
            _debit(CUSTODY, fill.base, fill.base_atoms),
            _credit(LP_RECEIVABLE, fill.base, fill.base_atoms),
            _debit(customer(fill.account_id, Bucket.INCOMING), fill.base, fill.base_atoms),
            _credit(customer(fill.account_id, Bucket.AVAILABLE), fill.base, fill.base_atoms),
            _debit(LP_PAYABLE, USD, fill.provider_cents),
            _credit(CORE, USD, fill.provider_cents),
        ),
    )


def settle_sell(fill: Fill) -> Journal:
    return _journal(
        JournalKind.SETTLE,
        fill.reference,
        (
            _debit(LP_PAYABLE, fill.base, fill.base_atoms),
            _credit(CUSTODY, fill.base, fill.base_atoms),
            _debit(CORE, USD, fill.provider_cents),
            _credit(LP_RECEIVABLE, USD, fill.provider_cents),
            _debit(customer(fill.account_id, Bucket.INCOMING), USD, fill.usd_cents),
            _credit(customer(fill.account_id, Bucket.AVAILABLE), USD, fill.usd_cents),
        ),
    )


def bank_withdrawal_sent(account_id: str, reference: str, parts: tuple[Amount, ...]) -> Journal:
    cents = sum(whole_cents(part.atoms, part.asset) for part in parts)
    return _journal(
        JournalKind.SENT,
        reference,
        (*_redeem(customer(account_id, Bucket.HELD), parts), _credit(CORE, USD, cents)),
    )


def bank_withdrawal_returned(account_id: str, reference: str, parts: tuple[Amount, ...]) -> Journal:
    """Reverse ``sent``, to the customer's available balance."""
    sent = bank_withdrawal_sent(account_id, reference, parts)
    held, available = customer(account_id, Bucket.HELD), customer(account_id, Bucket.AVAILABLE)
    return _journal(
        JournalKind.RETURN,
        reference,
        (
            Leg(
                available if leg.account == held else leg.account,
                leg.asset,
                debit=not leg.debit,
                atoms=leg.atoms,
            )
            for leg in sent.legs
        ),
    )


def wallet_withdrawal_sent(
    account_id: str, reference: str, amount: Amount, fee_atoms: int
) -> Journal:
    """Broadcast: the amount is in transit and the fee is earned."""
    return _journal(
        JournalKind.SENT,
        reference,
        (
            _debit(customer(account_id, Bucket.HELD), amount.asset, amount.atoms + fee_atoms),
            _credit(TRANSIT, amount.asset, amount.atoms),
            _credit(WITHDRAWAL_FEE_INCOME, amount.asset, fee_atoms),
        ),
    )


def wallet_withdrawal_confirmed(reference: str, amount: Amount) -> Journal:
    return _journal(
        JournalKind.CONFIRMED,
        reference,
        (
            _debit(TRANSIT, amount.asset, amount.atoms),
            _credit(CUSTODY, amount.asset, amount.atoms),
        ),
    )


def wallet_withdrawal_failed(account_id: str, reference: str, amount: Amount) -> Journal:
    """Failed after broadcast: the amount is returned, the fee is not."""
    return _journal(
        JournalKind.FAILED,
        reference,
        (
            _debit(TRANSIT, amount.asset, amount.atoms),
            _credit(customer(account_id, Bucket.AVAILABLE), amount.asset, amount.atoms),
        ),
    )
