"""The second method of wallet verification: small transfers of an exact amount, and statements.

A small transfer proves control of a wallet that can't sign messages: its owner sends an amount that
nobody could know from the wallet to itself, in time. Whoever signed that transaction controls the
wallet, unless the wallet is a service's that signs what its customers ask for (decision 25).
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from chainteller.domain.assets import BTC, ETH, SOL, Asset
from chainteller.domain.clock import DAY, HOUR, MINUTE, SECOND
from chainteller.domain.money import Amount
from chainteller.domain.randomness import Randomness, below

SCHEME = "transfer"
"""The scheme of a claim that a small transfer proves."""
DEFAULT_VALIDITY_S = 2 * 3600
MINIMUM_VALIDITY_S = 600
MAXIMUM_VALIDITY_S = 7 * 86_400
WATCH = "small_transfer.watch"
"""The kind of the due work that looks for arrivals."""
WATCHED_AFTER = DAY
"""How long arrivals are looked for after the deadline: one in time may be seen late, and one that
is late is named."""
MAXIMUM_ARRIVALS = 20
"""Wrong transfers that are kept of one small transfer."""
MAXIMUM_SENT = 100
"""From how many transactions on that an address signed before it counts as a service's."""
OTHER_CUSTOMERS = 2
"""From how many other customers on who were asked to prove an address it counts as a service's."""
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
    PAYS_OTHERS = "PAYS_OTHERS"
    SERVICE = "SERVICE"


_PERSON = "Record the customer's statement, on which a person decides."
EXPLANATIONS: Mapping[ArrivalFinding, str] = {
    ArrivalFinding.EXACT: "The wallet sent the exact amount to itself in time.",
    ArrivalFinding.WRONG_AMOUNT: "The wallet sent another amount to itself. Ask the customer to "
    "send the exact amount, with fees paid on top, while there is time.",
    ArrivalFinding.WRONG_ASSET: "The wallet sent another asset to itself. Ask the customer to send "
    "the named asset, while there is time.",
    ArrivalFinding.WRONG_SENDER: "The exact amount reached the wallet, but somebody else signed "
    "the transaction. Ask the customer which wallet they sent it from, and verify that one if it "
    "is theirs.",
    ArrivalFinding.TOO_LATE: "The wallet sent the exact amount to itself after the deadline. Start "
    "a new small transfer.",
    ArrivalFinding.PAYS_OTHERS: "The transaction pays other addresses as well, as a service's do. "
    "Ask the customer to send the amount alone, while there is time.",
    ArrivalFinding.SERVICE: "The wallet is a service's, or has sent more than "
    f"{MAXIMUM_SENT} transactions, so the customer of a service may have asked for this one. "
    + _PERSON,
}


class Unsuitable(StrEnum):
    """Why a small transfer from an address would prove nothing."""

    CONTRACT_WALLET = "CONTRACT_WALLET"
    KNOWN_SERVICE = "KNOWN_SERVICE"
    MANY_CUSTOMERS = "MANY_CUSTOMERS"


UNSUITABLE: Mapping[Unsuitable, str] = {
    Unsuitable.CONTRACT_WALLET: "The address is a contract, which may pay whoever asks it to. "
    "Verify it by a signature, or record a statement.",
    Unsuitable.KNOWN_SERVICE: "The address belongs to a service, which sends what its customers "
    "ask for. " + _PERSON,
    Unsuitable.MANY_CUSTOMERS: "Several customers have named this address, so it may be a "
    "service's. " + _PERSON,
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
}
"""What a small transfer is on each network, of its own coin: a few dollars, more than networks
refuse as dust, with few enough digits to type. Tokens aren't sent: a token's contract moves them
for whoever was allowed to, so that its transfers don't say who signed."""
_EARLY: Mapping[Asset, int] = {BTC: 2 * HOUR}
"""How far a block's time may be before the true one. Bitcoin asks only that it's after the median
of the eleven blocks before it, and no more than two hours ahead."""
_CHANGE: Mapping[Asset, int] = {BTC: 1}
"""How many other addresses a transaction may pay: a Bitcoin wallet gives itself change."""


def asset_on(network: str) -> Asset | None:
    """The asset of small transfers on a network: its own coin. None where they aren't offered."""
    return next((asset for asset in _AMOUNTS if asset.network == network), None)


def networks() -> tuple[str, ...]:
    """The networks on which small transfers can be asked for."""
    return tuple(asset.network for asset in _AMOUNTS)


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

    ``address`` is the wallet's canonical address, which is to send the amount to itself. It counts
    from ``since`` to ``deadline``, both included.
    """

    amount: Amount
    address: str
    since: int
    deadline: int

    @property
    def earliest(self) -> int:
        """The earliest time that a block may carry which was made after the request."""
        return self.since - _EARLY.get(self.amount.asset, 0)


class Seen(NamedTuple):
    """A final transfer on a chain.

    ``asset`` is the key of its asset, addresses are canonical, and ``arrived`` is when its block
    was made. ``signers`` signed the transaction: its sender (EVM), all signers (Solana), or the
    addresses of its inputs (Bitcoin). ``paid`` are all addresses that it pays. ``sent`` is how many
    transactions the sender had signed before it, and ``service`` names the service whose address
    the sender is, where that is known.
    """

    hash: str
    sender: str
    recipient: str
    asset: str
    atoms: int
    arrived: int
    signers: tuple[str, ...]
    paid: tuple[str, ...]
    sent: int
    service: str = ""

    def evidence(self) -> dict[str, object]:
        """What a claim keeps of the transfer that proves it, as JSON, whose numbers are too small
        for atoms."""
        return {**self._asdict(), "atoms": str(self.atoms)}

    @classmethod
    def of_evidence(cls, kept: Mapping[str, Any]) -> "Seen":
        """Raises LookupError, TypeError or ValueError for what isn't such evidence."""
        found = {name: kept[name] for name in cls._fields}
        signers, paid = tuple(found["signers"]), tuple(found["paid"])
        return cls(**{**found, "atoms": int(found["atoms"]), "signers": signers, "paid": paid})


class ArrivalsUnavailable(Exception):
    """What arrived can't be read now; the text is for the operator."""


def judge(awaited: Awaited, seen: Seen, now: int) -> ArrivalFinding | None:
    """Whether a transfer is the awaited one, or what alone is wrong about it.

    None for a transfer that has nothing to do with it: it went elsewhere, was made before, claims
    to be of the future, or is wrong in more than one way, like any other payment.
    """
    amount, address = awaited.amount, awaited.address
    if seen.recipient != address or not awaited.earliest <= seen.arrived <= now:
        return None
    is_same_asset = seen.asset == amount.asset.key
    is_signed = seen.sender == address and address in seen.signers
    wrong = [
        finding
        for finding, is_right in (
            (ArrivalFinding.WRONG_SENDER, is_signed),
            (ArrivalFinding.WRONG_ASSET, is_same_asset),
            (ArrivalFinding.WRONG_AMOUNT, not is_same_asset or seen.atoms == amount.atoms),
            (ArrivalFinding.TOO_LATE, seen.arrived <= awaited.deadline),
        )
        if not is_right
    ]
    if wrong:
        return wrong[0] if len(wrong) == 1 else None
    if seen.service or seen.sent > MAXIMUM_SENT:
        return ArrivalFinding.SERVICE
    others = set(seen.paid) - {address}
    pays_others = len(others) > _CHANGE.get(amount.asset, 0) or address not in seen.paid
    return ArrivalFinding.PAYS_OTHERS if pays_others else ArrivalFinding.EXACT
