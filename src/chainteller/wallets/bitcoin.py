"""Bitcoin proofs: the 65-byte message signature or BIP-322, whichever was pasted."""

from chainteller.wallets.addresses import Address
from chainteller.wallets.bip137 import verify_legacy
from chainteller.wallets.bip322 import Bip322Check, Unsupported, read_bip322
from chainteller.wallets.proof import Proof


def verify_bitcoin(message: bytes, data: bytes, prefix: str, address: Address) -> Proof | None:
    """The proof when the key of the address signed exactly this message, or None.

    Raises:
        Unsupported: several keys, a script, a time lock or a proof of funds; not judged.
    """
    if not prefix and len(data) == 65:
        proof = verify_legacy(message, data, address)
        if proof is not None:
            return proof
    to_sign = read_bip322(data, prefix)
    if to_sign is None or (to_sign.outpoint is None and address.kind == "p2pkh"):
        return None
    if not Bip322Check(to_sign, address).signs(message):
        return None
    return Proof(to_sign.scheme, data.hex(), address.display)


__all__ = ["Unsupported", "verify_bitcoin"]
