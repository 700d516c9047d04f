"""Signing pages: their tokens, 128 random bits which only a page's link has in plain."""

from base64 import urlsafe_b64encode

from chainteller.domain.randomness import Randomness

PATH = "/sign/"
"""Before the token in the address of a page."""
MOST_MESSAGES = 20
"""Messages to sign that one page may show: one for each wallet of a customer."""


def new_token(randomness: Randomness) -> str:
    """22 characters of base64url."""
    return urlsafe_b64encode(randomness.bytes(16)).decode().rstrip("=")


def hash_of(token: str) -> str:
    """What a service keeps of a token: its SHA-256 in hex."""
    from hashlib import sha256  # noqa: PLC0415 - the first frame doesn't need it

    return sha256(token.encode()).hexdigest()
