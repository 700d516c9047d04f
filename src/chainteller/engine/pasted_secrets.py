"""A wallet's secret in a text that the trail would keep."""

from chainteller.service.errors import ValidationFailed


def require_no_secret(field_name: str, text: str) -> None:
    """Raises ValidationFailed (SECRET_PASTED) where a text looks like a wallet's secret."""
    from chainteller.wallets.pasted_secrets import find_secret  # noqa: PLC0415 - long to import

    if find_secret(text) is not None:
        why = "It looks like a wallet's secret and wasn't saved."
        raise ValidationFailed.of(field_name, why, "SECRET_PASTED")
