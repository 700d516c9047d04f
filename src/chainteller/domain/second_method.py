"""The second method of wallet verification: small transfers of an exact amount, and statements.

A small transfer proves control of a wallet that can't sign: its owner sends an amount that nobody
could know, from the wallet to the customer's deposit address, in time.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from chainteller.domain.assets import BTC, ETH, SOL, USDC_ETHEREUM, USDC_SOLANA, Asset
from chainteller.domain.clock import DAY, MINUTE, SECOND
from chainteller.domain.money import Amount
from chainteller.domain.randomness import Randomness, below

SCHEME = "transfer"
"""The scheme of a claim that a small transfer proves."""
DEFAULT_VALIDITY_S = 2 * 3600
MINIMUM_VALIDITY_S = 600
MAXIMUM_VALIDITY_S = 7 * 86_400
WATCHED_AFTER = DAY
"""How long arrivals are looked for after the deadline: one in time may be seen late, and one that
is late is named."""
MAXIMUM_ARRIVALS = 20
"""Wrong transfers that are kept of one small transfer."""
MAXIMUM_STATEMENT = 2_000
_DIFFERENT = 10_000
"""How many amounts are drawn from."""
_FIRST_LOOK, LONGEST_WAIT = 10 * SECOND, 5 * MINUTE


class SmallTransferStatus(StrEnum):
    WAITING = "waiting"
    VERIFIED = "verified"
    EXPIRED = "expired"


class ArrivalFinding(StrEnum):
    """What is right or wrong about a transfer that arrived."""

    EXACT = "EXACT"
    WRONG_AMOUNT = "WRONG_AMOUNT"
    WRONG_ASSET = "WRONG_ASSET"
    WRONG_SENDER = "WRONG_SENDER"
    TOO_LATE = "TOO_LATE"


EXPLANATIONS: Mapping[ArrivalFinding, str] = {
    ArrivalFinding.EXACT: "The exact amount arrived from the wallet in time.",
    ArrivalFinding.WRONG_AMOUNT: "Another amount arrived from the wallet. Ask the customer to send "
    "the exact amount, with fees paid on top, while there is time.",
    ArrivalFinding.WRONG_ASSET: "Another asset arrived from the wallet. Ask the customer to send "
    "the named asset, while there is time.",
    ArrivalFinding.WRONG_SENDER: "The exact amount arrived from another address. Ask the customer "
    "which wallet they sent it from, and verify that one if it is theirs.",
    ArrivalFinding.TOO_LATE: "The exact amount arrived from the wallet after the deadline. Start a "
    "new small transfer.",
}


class StatementStatus(StrEnum):
    """A person decides on a statement. An accepted one is on record and verifies nothing."""

    REVIEWING = "reviewing"
    ACCEPTED = "accepted"
    REFUSED = "refused"


class StatementReason(StrEnum):
    """Why a wallet is neither verified by signature nor by a small transfer."""

    CONTRACT_WALLET = "CONTRACT_WALLET"
    EXCHANGE_ADDRESS = "EXCHANGE_ADDRESS"
    DEVICE_CANNOT_SIGN = "DEVICE_CANNOT_SIGN"
    OTHER = "OTHER"


class _Small(NamedTuple):
    """The lowest amount, and the steps between amounts, in atoms."""

    lowest: int
    step: int


_AMOUNTS: Mapping[Asset, _Small] = {
    SOL: _Small(10_000_000, 1_000),
    ETH: _Small(400_000_000_000_000, 10_000_000_000),
    BTC: _Small(10_000, 1),
    USDC_SOLANA: _Small(1_000_000, 100),
    USDC_ETHEREUM: _Small(1_000_000, 100),
}
"""What a small transfer is of each asset that can be sent, the network's own coin first: a few
dollars, more than networks refuse as dust, with few enough digits to type."""


def assets_on(network: str) -> tuple[Asset, ...]:
    """The assets of small transfers on a network, its own coin first."""
    return tuple(asset for asset in _AMOUNTS if asset.network == network)


def networks() -> tuple[str, ...]:
    """The networks on which small transfers can be asked for."""
    return tuple(dict.fromkeys(asset.network for asset in _AMOUNTS))


def draw_amount(asset: Asset, randomness: Randomness) -> Amount:
    """An amount that nobody can know in advance."""
    small = _AMOUNTS[asset]
    return Amount(small.lowest + small.step * below(randomness, _DIFFERENT), asset)


def rounded(amount: Amount) -> int:
    """The atoms of an amount from which a customer left out the last digits."""
    small = _AMOUNTS[amount.asset]
    return small.lowest if amount.atoms != small.lowest else small.lowest + small.step


def next_look(created: int, now: int) -> int:
    """When to look for arrivals again: soon at first, more and more rarely then."""
    return now + min(max(_FIRST_LOOK, (now - created) // 10), LONGEST_WAIT)


def small_transfer_status(*, is_claimed: bool, now: int, deadline: int) -> SmallTransferStatus:
    """A transfer in time that is seen late still verifies one that has expired."""
    if is_claimed:
        return SmallTransferStatus.VERIFIED
    return SmallTransferStatus.EXPIRED if now > deadline else SmallTransferStatus.WAITING


class Awaited(NamedTuple):
    """A small transfer, as far as transfers on a chain are compared with it.

    ``sender`` is the wallet's canonical address; ``recipient`` the deposit address. It counts from
    ``since`` to ``deadline``, both included.
    """

    amount: Amount
    sender: str
    recipient: str
    since: int
    deadline: int


class Seen(NamedTuple):
    """A final transfer on a chain. ``asset`` is the key of its asset, ``sender`` canonical, and
    ``arrived`` when its block was made."""

    hash: str
    sender: str
    recipient: str
    asset: str
    atoms: int
    arrived: int

    def evidence(self) -> dict[str, object]:
        """What a claim keeps of the transfer that proves it, as JSON, whose numbers are too small
        for atoms."""
        return {**self._asdict(), "atoms": str(self.atoms)}

    @classmethod
    def of_evidence(cls, kept: Mapping[str, Any]) -> "Seen":
        """Raises LookupError, TypeError or ValueError for what isn't such evidence."""
        found = {name: kept[name] for name in cls._fields}
        return cls(**{**found, "atoms": int(found["atoms"])})


class ArrivalsUnavailable(Exception):
    """What arrived can't be read now; the text is for the operator."""


def judge(awaited: Awaited, seen: Seen, now: int) -> ArrivalFinding | None:
    """Whether a transfer is the awaited one, or what alone is wrong about it.

    None for a transfer that has nothing to do with it: it went elsewhere, was made before, claims
    to be of the future, or is wrong in more than one way, like any other deposit.
    """
    amount = awaited.amount
    if seen.recipient != awaited.recipient or not awaited.since <= seen.arrived <= now:
        return None
    is_same_asset = seen.asset == amount.asset.key
    wrong = [
        finding
        for finding, is_right in (
            (ArrivalFinding.WRONG_SENDER, seen.sender == awaited.sender),
            (ArrivalFinding.WRONG_ASSET, is_same_asset),
            (ArrivalFinding.WRONG_AMOUNT, not is_same_asset or seen.atoms == amount.atoms),
            (ArrivalFinding.TOO_LATE, seen.arrived <= awaited.deadline),
        )
        if not is_right
    ]
    if not wrong:
        return ArrivalFinding.EXACT
    return wrong[0] if len(wrong) == 1 else None
