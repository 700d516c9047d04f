"""The text that a customer signs: one line of printable ASCII, bound to one challenge.

The short form is a word that programs in between leave alone: a code of the bank, the customer's
reference and the challenge's id, whose record has everything else. The long form is a sentence that
names the bank, the customer, the purpose, the wallet, the challenge and its end.
"""

import re
from base64 import b32encode
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from chainteller.domain.bank_names import check_bank_code, check_bank_name
from chainteller.domain.clock import format_instant
from chainteller.domain.second_method import Awaited
from chainteller.wallets.family import Address

MAX_TEXT = 240
LONGEST_REFERENCE = 16
LONGEST_LABEL = 24
_SHORTEST_LABEL = 7
_DIGEST = 5
_FRACTION = re.compile(r"\.\d+(?=Z\Z)", re.ASCII)
_NOT_IN_STATEMENT = re.compile(r"[^A-Za-z0-9 ._~:/?#\[\]@!$&'()*+,;=-]")
"""What EIP-4361 doesn't have in a statement."""
_OF_SIGN_IN = re.compile(r"\n\n(?P<name>[^\n]*): customer [^\n]*\n\nURI: (?P<url>[^\n]*)\n")
_SUFFIX = re.compile(r"CHG_([A-Z0-9]{1,22})", re.ASCII)
_BEFORE_CUSTOMER = ": I, customer "


class Party(NamedTuple):
    """Whose text it is: the customer's reference, and the bank account where the text names it."""

    customer: str
    bank_account: str = ""


def short_text(*, bank_code: str, customer: str, challenge_id: str) -> str:
    """The short form: ``BANKCODE-REFERENCE-ID``, at most 52 capital letters, digits and hyphens.

    Raises:
        ValueError: the code is not allowed, or ``challenge_id`` isn't one.
    """
    suffix = _SUFFIX.fullmatch(challenge_id)
    if suffix is None:
        raise ValueError("the challenge's id must end in 1 to 22 capital letters and digits")
    return f"{check_bank_code(bank_code)}-{reference_word(customer)}-{suffix[1]}"


def reference_word(reference: str) -> str:
    """A customer's reference as a word of the short form: without its hyphens, or its hash.

    The hash is the first 80 bits of SHA-256 in base32, for references with other characters than
    capital letters, digits and hyphens, or more than 16.
    """
    word = reference.replace("-", "")
    if re.fullmatch(rf"[A-Z0-9]{{1,{LONGEST_REFERENCE}}}", word, re.ASCII):
        return word
    return b32encode(sha256(reference.encode()).digest()[:10]).decode()


def long_text(
    *, bank_name: str, party: Party, address: Address, challenge_id: str, valid_until: str
) -> str:
    """The long form: at most 240 printable ASCII characters.

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
    """Whether the text is the short or the long form of these values, under some bank's code or
    name, with or without the account.

    Code and name aren't compared: they may be changed later, and the signature covers them.
    """
    code = text.partition("-")[0]
    if _passes(check_bank_code, code):
        made = short_text(bank_code=code, customer=party.customer, challenge_id=challenge_id)
        return made == text
    parties = (party, party._replace(bank_account="")) if party.bank_account else (party,)
    for name in _names(text):
        for each in parties:
            made = long_text(
                bank_name=name,
                party=each,
                address=address,
                challenge_id=challenge_id,
                valid_until=valid_until,
            )
            if made == text:
                return True
    return False


class SignIn(NamedTuple):
    """The values of a sign-in message: ``url`` is the service's, ``issued_at`` and ``valid_until``
    are ISO 8601 UTC timestamps."""

    url: str
    bank_name: str
    customer: str
    address: Address
    challenge_id: str
    issued_at: str
    valid_until: str


def sign_in_text(asked: SignIn) -> str | None:
    """The sign-in message that the signing page has signed (CAIP-122, EIP-4361, Sign in with
    Solana); None where the address's family has no such messages.

    Wallets compare its first line with the page that asks for it.
    """
    network, address = asked.address.network, asked.address
    family = network.family
    if not family.sign_in_as:
        return None
    authority = urlsplit(asked.url).netloc
    name = _NOT_IN_STATEMENT.sub("", asked.bank_name)
    return (
        f"{authority} wants you to sign in with your {family.sign_in_as} account:\n"
        f"{address.display}\n\n"
        f"{name}: customer {reference_word(asked.customer)} shows that this wallet is theirs, for"
        " withdrawals to it. Not you? Do not sign.\n\n"
        f"URI: {asked.url}\n"
        "Version: 1\n"
        f"Chain ID: {family.sign_in_chain(network)}\n"
        f"Nonce: {asked.challenge_id.removeprefix('CHG_')}\n"
        f"Issued At: {_FRACTION.sub('', asked.issued_at)}\n"
        f"Expiration Time: {_FRACTION.sub('', asked.valid_until)}\n"
        f"Request ID: {asked.challenge_id}"
    )


def is_sign_in_text(text: str, asked: SignIn) -> bool:
    """Whether the text is `sign_in_text` of these values, under some bank's name and URL.

    These aren't compared: they may be changed later, and the signature covers them.
    """
    found = _OF_SIGN_IN.search(text)
    if found is None:
        return False
    return text == sign_in_text(asked._replace(bank_name=found["name"], url=found["url"]))


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
    return _passes(check_bank_name, name)


def _passes(check: Callable[[str], str], text: str) -> bool:
    try:
        check(text)
    except ValueError:
        return False
    return True
