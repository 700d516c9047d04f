"""A secret where a signature or an address was asked for, and keys in it of known addresses.

`domain/pasted_secrets.py` recognises secrets.
"""

import re
from itertools import islice

from chainteller.domain.bare_keys import base58

_HEX_KEY_WORD = re.compile(r"(?<![0-9A-Za-z])(?:0[xX])?[0-9a-fA-F]{64}(?![0-9A-Za-z])", re.ASCII)
_BASE58_WORD = re.compile(r"(?<![0-9A-Za-z])[1-9A-HJ-NP-Za-km-z]{40,44}(?![0-9A-Za-z])", re.ASCII)


class SecretPasted(ValueError):
    """A secret was pasted where a signature was asked for. Carries its kind only."""

    kind: str

    def __init__(self, kind: str) -> None:
        """Keep the kind, one of those named in `find_secret`."""
        self.kind = kind
        super().__init__("a wallet secret was pasted")


def hex_keys(text: str) -> list[bytes]:
    """The words of the text that are 32 bytes of hex, at most six, once each."""
    digits = (match[0].lower().removeprefix("0x") for match in _HEX_KEY_WORD.finditer(text))
    return [bytes.fromhex(each) for each in dict.fromkeys(digits)][:6]


def base58_keys(text: str) -> list[bytes]:
    """The words of the text that are 32 bytes of base58, a seed or an address; as `hex_keys`."""
    words = [match[0] for match in islice(_BASE58_WORD.finditer(text), 6)]
    data = [base58(word) for word in dict.fromkeys(words)]
    return [each for each in data if len(each) == 32]
