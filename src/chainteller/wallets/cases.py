"""The input and the result of a diagnosis."""

from collections.abc import Callable
from dataclasses import dataclass

from chainteller.wallets.family import Address
from chainteller.wallets.proof import Proof
from chainteller.wallets.witness import Witness

MAX_OTHER_TEXTS = 48
MAX_KNOWN_ADDRESSES = 24


@dataclass(frozen=True, slots=True)
class KnownChallenge:
    """A challenge of the bank customer. `state` is open, expired, used or locked.

    `page_text` is what the signing page has signed instead of `text`, if it has one.
    """

    challenge_id: str
    counterparty_id: str
    address: Address
    text: str
    state: str
    expires_at: str
    page_text: str | None = None


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
    `earlier_strangers` are the `unproven_signer`s of attempts at different challenges.
    `signed_text` is what the customer's wallet shows as signed, copied from its history.
    `search_longer` lets the search for altered texts take a few seconds, and `is_cancelled` ends
    it.
    """

    challenge: KnownChallenge
    signature: str
    other_challenges: tuple[KnownChallenge, ...] = ()
    known_addresses: tuple[KnownAddress, ...] = ()
    earlier_strangers: tuple[str, ...] = ()
    signed_text: str | None = None
    search_longer: bool = False
    is_cancelled: Callable[[], bool] = bool


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The verdict and its reason.

    `cause` is one of the four constants of `wording`, None when accepted or when the
    challenge's state alone forbids it. `certain` is true only when the cause is proved.
    `witness` is all that an independent checker needs to prove the cause; without one a cause is
    certain only where the paste or the challenge's own record is all there is to see.
    `explanation` and `suggestion` are for the agent, `ask_customer` is one sentence to say.
    None of the texts repeats what the customer pasted. `differences` are sentences that say how
    the text that was signed differs from ours. `recovered_address` is an address whose key is
    proved to have signed; `unproven_signer` one that follows from the signature only if it was
    made over exactly our text, which nobody is told. `read` says where in the paste the signature
    was found, or nothing where the paste is the signature. `can_search_longer` says that a longer
    search may find a text that was altered, which this one didn't; `asks_for_text`, that the text
    which the wallet shows as signed may prove the cause. `of_page` says that the accepted signature
    is of the signing page's text.
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
    witness: Witness | None = None
    differences: tuple[str, ...] = ()
    unproven_signer: str | None = None
    read: str = ""
    can_search_longer: bool = False
    of_page: bool = False
    asks_for_text: bool = False
