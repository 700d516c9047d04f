"""The one-line text a customer signs: short, printable ASCII, and bound to one challenge."""

import re

from chainteller.wallets.addresses import Address

MAX_TEXT = 240
_BANK_NAME = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,37}[\x21-\x7e])?", re.ASCII)
_FRACTION = re.compile(r"\.\d+(?=Z\Z)", re.ASCII)


def check_bank_name(name: str) -> str:
    """The name itself, when it may open a challenge text.

    Raises:
        ValueError: not 1 to 39 printable ASCII characters, blank ends, doubled spaces, quotes or
            backslashes: hardware wallets refuse those or copying damages them.
    """
    if not _BANK_NAME.fullmatch(name):
        raise ValueError("the bank's name must be 1 to 39 printable ASCII characters")
    if "  " in name or any(character in name for character in "\"'`\\"):
        raise ValueError("the bank's name may hold no doubled spaces, quotes or backslashes")
    return name


def challenge_text(*, bank_name: str, address: Address, challenge_id: str, valid_until: str) -> str:
    """The text to sign: at most 240 printable ASCII characters on one line.

    `valid_until` is an ISO 8601 UTC timestamp; a fraction of a second is dropped.

    Raises:
        ValueError: the name is not allowed, or the ids make the text too long or not ASCII.
    """
    text = (
        f"{check_bank_name(bank_name)}: I control {address.network.name} wallet {address.display}."
        f" Sign only if you asked us for this."
        f" Ref {challenge_id}, valid until {_FRACTION.sub('', valid_until)}."
    )
    if len(text) > MAX_TEXT or not text.isascii() or not text.isprintable():
        raise ValueError("the challenge text must be at most 240 printable ASCII characters")
    return text
