"""The one-line text a customer signs: short, printable ASCII, and bound to one challenge."""

import re

from chainteller.domain.bank_names import check_bank_name
from chainteller.wallets.family import Address

MAX_TEXT = 240
_FRACTION = re.compile(r"\.\d+(?=Z\Z)", re.ASCII)


def challenge_text(*, bank_name: str, address: Address, challenge_id: str, valid_until: str) -> str:
    """The text to sign: at most 240 printable ASCII characters on one line.

    `valid_until` is an ISO 8601 UTC timestamp; a fraction of a second is dropped.

    Raises:
        ValueError: the name is not allowed, or the ids make the text too long or not ASCII.
    """
    text = check_bank_name(bank_name) + _after_name(address, challenge_id, valid_until)
    if len(text) > MAX_TEXT or not text.isascii() or not text.isprintable():
        raise ValueError("the challenge text must be at most 240 printable ASCII characters")
    return text


def is_challenge_text(text: str, *, address: Address, challenge_id: str, valid_until: str) -> bool:
    """Whether the text is `challenge_text` of these values under some bank's name.

    The name isn't compared: it may be changed later, and the signature covers it.
    """
    name = text.removesuffix(_after_name(address, challenge_id, valid_until))
    try:
        made = challenge_text(
            bank_name=name, address=address, challenge_id=challenge_id, valid_until=valid_until
        )
    except ValueError:
        return False
    return made == text


def _after_name(address: Address, challenge_id: str, valid_until: str) -> str:
    return (
        f": I control {address.network.name} wallet {address.display}."
        f" Sign only if you asked us for this."
        f" Ref {challenge_id}, valid until {_FRACTION.sub('', valid_until)}."
    )
