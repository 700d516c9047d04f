"""What tools sign instead of a text: its hash, or another family's frame of it."""

import hashlib
from collections.abc import Iterator

from chainteller.wallets.families import FAMILIES
from chainteller.wallets.family import Family
from chainteller.wallets.hashes import double_sha256, keccak256, sha256


def hashed_texts(text: str, registered: Family) -> Iterator[tuple[str, bytes]]:
    """What may have been signed as a text instead: its hash, or another family's frame of it.

    A tool framed it for another network, and the wallet signed as on its own: the network is right.
    """
    data = text.encode()
    for digest in (sha256, keccak256):
        yield "HASH_OF_TEXT_SIGNED", digest(data)
        yield "HASH_OF_TEXT_SIGNED", digest(data).hex().encode()
        yield "HASH_OF_TEXT_SIGNED", b"0x" + digest(data).hex().encode()
    yield "HASH_OF_TEXT_SIGNED", hashlib.sha512(data).digest()
    yield "HASH_OF_TEXT_SIGNED", double_sha256(data)
    for family in FAMILIES:
        if family is not registered:
            for framed in family.framed(data):
                yield "DOUBLE_PREFIX", framed
