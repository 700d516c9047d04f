"""The bank's name and code: one of them begins the message that a customer signs."""

import re

LONGEST_CODE = 12
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


def check_bank_code(code: str) -> str:
    """Return the code if a challenge may begin with it. Raises ValueError: the code isn't 1 to 12
    capital letters and digits."""
    if not re.fullmatch(rf"[A-Z0-9]{{1,{LONGEST_CODE}}}", code, re.ASCII):
        raise ValueError("the bank's code must be 1 to 12 capital letters and digits")
    return code


def code_of_name(name: str) -> str:
    """The code of a bank that has set none: the first letters and digits of its name."""
    return re.sub(r"[^A-Z0-9]", "", name.upper(), flags=re.ASCII)[:LONGEST_CODE] or "BANK"
