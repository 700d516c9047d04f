"""The record of a verified signature, which can be verified again from the record alone."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Proof:
    """A signature that passed.

    `scheme` is eip191, tip191, ed25519, ed25519-offchain-v0-short, ed25519-offchain-v0,
    ed25519-offchain-v1, bip137, bip137-litecoin, bip137-dogecoin, bip322-simple, bip322-full,
    xrpl-secp256k1, xrpl-ed25519, adr36 or adr36-keccak256. `signature` is lower-case hex in the
    scheme's normal form: 65 bytes with v 27 or 28; 64 bytes; the 65, witness or transaction bytes;
    DER; the 33-byte key and 64 bytes for xrpl-ed25519. `signer` is the address as people read it.
    """

    scheme: str
    signature: str
    signer: str
