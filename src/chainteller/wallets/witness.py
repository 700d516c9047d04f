"""What proves a certain statement about a signature, so that others can check it again."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Witness:
    """A key's signature over a message: everything that a checker needs, and nothing secret.

    `scheme` says how `signed`, what the key put its signature to, follows from `message`: that of
    a `Proof`, or one that no wallet should use, such as raw-keccak256. `signed` is the 32-byte
    digest, or for Ed25519 the signed bytes themselves. `key` is x ‖ y, or the 32 bytes of an
    Ed25519 or taproot key. `signature` is r ‖ s, or the 64 bytes of Ed25519 and BIP-340; the form
    in which it was pasted may have been another. `transaction` is the BIP-322 proof as pasted, for
    those schemes. `address` is the key's, as people read it, on `network`.
    """

    scheme: str
    message: bytes
    signed: bytes
    key: bytes
    signature: bytes
    address: str
    network: str
    transaction: bytes = b""
