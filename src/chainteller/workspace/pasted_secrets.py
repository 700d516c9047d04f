"""What people paste is judged before this machine keeps or sends it."""

from chainteller.service.errors import SecretEntered
from chainteller.wallets.addresses import MAX_PASTE
from chainteller.wallets.pasted_secrets import HEX_KEY_KIND, find_secret
from chainteller.wallets.pasting import unquoted, without_invisibles


def secret_in(text: str, *, may_be_hash: bool = False) -> str | None:
    """The kind of secret in a text of any length, or None.

    ``may_be_hash``: 64 hex digits without a prefix are no finding: programs make keys of requests
    like that.
    """
    for start in range(0, len(text) or 1, MAX_PASTE // 2):
        kind = find_secret(unquoted(without_invisibles(text[start : start + MAX_PASTE])))
        is_hash = (
            may_be_hash and kind == HEX_KEY_KIND and text.isalnum() and "x" not in text.lower()
        )
        if kind is not None and not is_hash:
            return kind
    return None


def require_no_secret(what: str, text: str, *, may_be_hash: bool = False) -> None:
    """Raises SecretEntered; ``what`` names the text."""
    kind = secret_in(text, may_be_hash=may_be_hash)
    if kind is not None:
        raise SecretEntered(what, kind)
