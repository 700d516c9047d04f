"""The one-line text a customer signs: short, printable ASCII, and bound to one challenge.

It names the bank, the customer, the purpose, the wallet, the challenge and its end, so that whoever
is made to sign it for somebody else's account can see that.
"""

import re
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import quote

from chainteller.domain.bank_names import check_bank_name
from chainteller.domain.clock import format_instant
from chainteller.domain.second_method import Awaited
from chainteller.wallets.family import Address

MAX_TEXT = 240
LONGEST_LABEL = 24
_SHORTEST_LABEL = 7
_DIGEST = 5
_FRACTION = re.compile(r"\.\d+(?=Z\Z)", re.ASCII)
_BEFORE_CUSTOMER = ": I, customer "


class Party(NamedTuple):
    """Whose text it is: the customer's reference, and the bank account where the text names it."""

    customer: str
    bank_account: str = ""


def challenge_text(
    *, bank_name: str, party: Party, address: Address, challenge_id: str, valid_until: str
) -> str:
    """The text to sign: at most 240 printable ASCII characters on one line.

    `valid_until` is an ISO 8601 UTC timestamp; a fraction of a second is dropped. Beside a long
    name and address, the warning and parts of the customer's labels are left out.

    Raises:
        ValueError: the name is not allowed, or the ids make the text too long or not ASCII.
    """
    name, until = check_bank_name(bank_name), _FRACTION.sub("", valid_until)
    wallet = f"control {address.network.name} wallet {address.display} for withdrawals."
    for room in range(LONGEST_LABEL, _SHORTEST_LABEL - 1, -1):
        customer, account = label(party.customer, room), label(party.bank_account, room)
        named = (f" (account {account})", f" ({account})") if party.bank_account else ("", "")
        begin = f"{name}{_BEFORE_CUSTOMER}{customer}"
        for text in (
            f"{begin}{named[0]}, {wallet} Not you? Do not sign."
            f" Ref {challenge_id}, valid until {until}.",
            f"{begin}{named[1]}, {wallet} {challenge_id}, until {until}.",
        ):
            if len(text) <= MAX_TEXT and text.isascii() and text.isprintable():
                return text
    raise ValueError("the challenge text must be at most 240 printable ASCII characters")


def label(text: str, room: int = LONGEST_LABEL) -> str:
    """A customer's reference, or another field of the core bank, as a word of the text.

    Letters, digits, hyphens, dots and underscores stay; everything else is percent-encoded, so
    that no field can add words or imitate others. A longer one is cut, and ends with a tilde and
    the beginning of its hash.
    """
    word = quote(text, safe="").replace("~", "%7E") or "-"
    if len(word) <= room:
        return word
    digest = sha256(text.encode()).hexdigest()[:_DIGEST]
    return f"{word[: room - _DIGEST - 1]}~{digest}"


def is_challenge_text(
    text: str, *, party: Party, address: Address, challenge_id: str, valid_until: str
) -> bool:
    """Whether the text is `challenge_text` of these values under some bank's name, with or without
    the account.

    The name isn't compared: it may be changed later, and the signature covers it.
    """
    parties = (party, party._replace(bank_account="")) if party.bank_account else (party,)
    for name in _names(text):
        for each in parties:
            made = challenge_text(
                bank_name=name,
                party=each,
                address=address,
                challenge_id=challenge_id,
                valid_until=valid_until,
            )
            if made == text:
                return True
    return False


class Request(NamedTuple):
    """What is asked for in a small transfer: ``amount`` has its symbol, ``deadline`` is an ISO 8601
    UTC timestamp."""

    customer: str
    amount: str
    deadline: str
    reference: str

    @classmethod
    def of(cls, awaited: Awaited, customer: str, reference: str) -> "Request":
        """The request for a small transfer: ``reference`` is the id of its challenge."""
        return cls(
            customer,
            f"{awaited.amount} {awaited.amount.asset.symbol}",
            format_instant(awaited.deadline),
            reference,
        )


def transfer_text(bank_name: str, wallet: Address, request: Request) -> str:
    """What a customer is told to send, as proof of a wallet that can't sign.

    Raises:
        ValueError: the bank's name is not allowed.
    """
    return check_bank_name(bank_name) + _after_name(wallet, request)


def is_transfer_text(text: str, wallet: Address, request: Request) -> bool:
    """Whether the text is `transfer_text` of these values under some bank's name."""
    found = _after_name(wallet, request)
    return text.endswith(found) and _is_bank_name(text.removesuffix(found))


def _after_name(wallet: Address, request: Request) -> str:
    until = _FRACTION.sub("", request.deadline)
    return (
        f": customer {label(request.customer)}, to show that you control {wallet.network.name} "
        f"wallet {wallet.display}, send exactly {request.amount} from it to the same address, "
        f"to arrive before {until}. Pay network fees on top. Ref {request.reference}."
    )


def _names(text: str) -> Iterator[str]:
    """What may be the bank's name at the beginning of a text."""
    at = text.find(_BEFORE_CUSTOMER)
    while at >= 0:
        if _is_bank_name(text[:at]):
            yield text[:at]
        at = text.find(_BEFORE_CUSTOMER, at + 1)


def _is_bank_name(name: str) -> bool:
    try:
        check_bank_name(name)
    except ValueError:
        return False
    return True
