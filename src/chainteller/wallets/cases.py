"""The input and the result of a diagnosis."""

from dataclasses import dataclass

from chainteller.wallets.family import Address
from chainteller.wallets.proof import Proof

MAX_OTHER_TEXTS = 48
MAX_KNOWN_ADDRESSES = 24


@dataclass(frozen=True, slots=True)
class KnownChallenge:
    """A challenge of the bank customer. `state` is open, expired, used or locked."""

    challenge_id: str
    counterparty_id: str
    address: Address
    text: str
    state: str
    expires_at: str


@dataclass(frozen=True, slots=True)
class KnownAddress:
    """Another address of the same bank customer; no one else's may be given."""

    counterparty_id: str
    address: Address


@dataclass(frozen=True, slots=True)
class Case:
    """One attempt at one challenge.

    `other_challenges` come in the order in which they are worth trying. Of them, and of the
    `known_addresses`, only the first are tried (`MAX_OTHER_TEXTS`, `MAX_KNOWN_ADDRESSES`).
    `earlier_strangers` are addresses recovered from attempts at different challenges.
    """

    challenge: KnownChallenge
    signature: str
    other_challenges: tuple[KnownChallenge, ...] = ()
    known_addresses: tuple[KnownAddress, ...] = ()
    earlier_strangers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The verdict and its reason.

    `cause` is one of the four constants of `wording`, None when accepted or when the
    challenge's state alone forbids it. `certain` is true only when the cause is proved.
    `explanation` and `suggestion` are for the agent, `ask_customer` is one sentence to say.
    None of the texts repeats what the customer pasted.
    """

    accepted: bool
    proof: Proof | None
    cause: str | None
    certain: bool
    finding: str
    explanation: str
    ask_customer: str
    recovered_address: str | None
    other_challenge_id: str | None
    other_counterparty_id: str | None
    suggestion: str
