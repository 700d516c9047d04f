"""Signing as a sample customer's wallet would, rightly or with a usual mistake."""

from chainteller.cli.complaints import PartMissing


def sign_challenge(name: str, text: str, mistake: str | None) -> str:
    """The signature of ``text`` by the sample wallet ``name``.

    Raises:
        Usage: no such wallet or mistake.
    """
    raise PartMissing("sample wallets")
