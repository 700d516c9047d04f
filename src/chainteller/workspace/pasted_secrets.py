"""What people paste is judged before this machine keeps or sends it."""

from chainteller.domain.pasting import MAX_PASTE, unquoted, without_invisibles
from chainteller.service.errors import SecretEntered
from chainteller.wallets.pasted_secrets import find_secret, find_secret_in_key


def secret_in(text: str, *, may_be_hash: bool = False) -> str | None:
    """The kind of secret in a text of any length, or None.

    ``may_be_hash``: 64 hex digits without a prefix are no finding: programs make keys of requests
    like that.
    """
    find = find_secret_in_key if may_be_hash else find_secret
    for start in range(0, len(text) or 1, MAX_PASTE // 2):
        kind = find(unquoted(without_invisibles(text[start : start + MAX_PASTE])))
        if kind is not None:
            return kind
    return None


def require_no_secret(what: str, text: str, *, may_be_hash: bool = False) -> None:
    """Raises SecretEntered; ``what`` names the text."""
    kind = secret_in(text, may_be_hash=may_be_hash)
    if kind is not None:
        raise SecretEntered(what, kind)
