"""The bank's name, which begins the message that a customer signs."""

import re

_BANK_NAME = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,37}[\x21-\x7e])?", re.ASCII)


def check_bank_name(name: str) -> str:
    """Return the name if a challenge may begin with it.

    Raises:
        ValueError: the name isn't 1 to 39 printable ASCII characters, or has blank ends, doubled
            spaces, quotes or backslashes: hardware wallets refuse them, or copying damages them.
    """
    if not _BANK_NAME.fullmatch(name):
        raise ValueError("the bank's name must be 1 to 39 printable ASCII characters")
    if "  " in name or any(character in name for character in "\"'`\\"):
        raise ValueError("the bank's name may hold no doubled spaces, quotes or backslashes")
    return name
