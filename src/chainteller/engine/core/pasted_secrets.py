"""A wallet's secret in a text that the trail would keep."""

from chainteller.service.errors import ValidationFailed

_SHORTEST = 20
"""Characters; to judge a text takes 20 microseconds."""


def require_no_secret(field_name: str, text: str, *, may_be_hash: bool = False) -> None:
    """Raises ValidationFailed (SECRET_PASTED) where a text looks like a wallet's secret.

    ``may_be_hash``: it may be a key that a program has made of a hash.
    """
    if is_secret(text, may_be_hash=may_be_hash):
        why = "It looks like a wallet's secret and wasn't saved."
        raise ValidationFailed.of(field_name, why, "SECRET_PASTED")


def is_secret(text: str, *, may_be_hash: bool = False) -> bool:
    """Whether a text looks like a wallet's secret."""
    if len(text) < _SHORTEST:
        return False
    from chainteller.wallets import pasted_secrets  # noqa: PLC0415 - long to import

    find = pasted_secrets.find_secret_in_key if may_be_hash else pasted_secrets.find_secret
    return find(text) is not None
