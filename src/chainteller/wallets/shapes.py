"""What the length, alphabet and numbers of a paste say when no key and no text explain it."""

from dataclasses import dataclass

from chainteller.wallets import bip137, bip322, evm, solana
from chainteller.wallets.addresses import Address
from chainteller.wallets.encodings import Candidate
from chainteller.wallets.networks import Family
from chainteller.wallets.reader import SignatureReading
from chainteller.wallets.secp256k1 import in_range


@dataclass(frozen=True, slots=True)
class Shape:
    """A finding, or an empty string when the shape is that of the family's signatures."""

    finding: str = ""
    certain: bool = True


def shape_of(reading: SignatureReading, address: Address, as_bitcoin: SignatureReading) -> Shape:
    """The finding that the shape alone supports. It is only asked for when nothing is proved.

    `as_bitcoin` is the same paste as Bitcoin's reader takes it, without BIP-322's prefix.
    """
    family = address.network.family
    if family is not Family.BITCOIN and as_bitcoin.bip322_prefix and _is_bip322(as_bitcoin):
        return Shape("LOOKS_LIKE_BITCOIN", certain=family is Family.SOLANA)
    if family is Family.EVM:
        return _evm_shape(reading)
    if family is Family.SOLANA:
        return _solana_shape(reading)
    return _bitcoin_shape(reading, address)


def _evm_shape(reading: SignatureReading) -> Shape:
    best = reading.candidates[0]
    if any(evm.looks_like_contract_wallet(c.data) for c in reading.candidates):
        return Shape("CONTRACT_WALLET")
    if _is_bip322(reading):
        return Shape("LOOKS_LIKE_BITCOIN", certain=False)
    if any(_is_base58_of_64(c) for c in reading.candidates):
        return Shape("LOOKS_LIKE_SOLANA", certain=False)
    if _has_bitcoin_header(best):
        return Shape("LOOKS_LIKE_BITCOIN", certain=False)
    if all(len(c.data) not in {64, 65} for c in reading.candidates):
        return Shape("WRONG_LENGTH")
    if not any(evm.read_evm(c.data) for c in reading.candidates):
        return Shape("MALFORMED_SIGNATURE")
    if solana.is_well_formed(best.data):
        # One compact Ethereum signature in fifteen has so small an end, and every Solana one.
        return Shape("LOOKS_LIKE_SOLANA", certain=False)
    return Shape()


def _solana_shape(reading: SignatureReading) -> Shape:
    best = reading.candidates[0]
    if evm.looks_like_contract_wallet(best.data) and best.encoding == "hex":
        return Shape("LOOKS_LIKE_ETHEREUM", certain=False)
    if _is_bip322(reading):
        return Shape("LOOKS_LIKE_BITCOIN")
    sizes = {len(c.data) for c in reading.candidates}
    if 64 not in sizes and 65 in sizes:
        return _foreign_65(next(c for c in reading.candidates if len(c.data) == 65))
    if 64 not in sizes:
        return Shape("WRONG_LENGTH")
    if not any(solana.is_well_formed(c.data) for c in reading.candidates if len(c.data) == 64):
        # A compact Ethereum signature has this length too, but is never shown in base58.
        if best.encoding == "base58" or not _is_low_ecdsa(best.data):
            return Shape("MALFORMED_SIGNATURE")
        return Shape("LOOKS_LIKE_ETHEREUM", certain=False)
    return Shape()


def _foreign_65(candidate: Candidate) -> Shape:
    data = candidate.data
    if candidate.encoding == "base64" and _has_bitcoin_header(candidate):
        return Shape("LOOKS_LIKE_BITCOIN")
    if data[64] in {0, 1, 27, 28}:
        return Shape("LOOKS_LIKE_ETHEREUM", certain=data[64] in {27, 28})
    if _has_bitcoin_header(candidate):
        return Shape("LOOKS_LIKE_BITCOIN", certain=False)
    return Shape("WRONG_LENGTH")


def _bitcoin_shape(reading: SignatureReading, address: Address) -> Shape:
    best = reading.candidates[0]
    if _is_unsupported_bip322(reading, address):
        return Shape("BIP322_UNSUPPORTED")
    if any(solana.is_well_formed(c.data) for c in reading.candidates):
        return Shape("LOOKS_LIKE_SOLANA", certain=False)
    if _looks_like_evm(best):
        return Shape("LOOKS_LIKE_ETHEREUM", certain=False)
    if reading.bip322_prefix or _is_bip322(reading):
        return Shape()
    if all(len(c.data) not in {64, 65} for c in reading.candidates):
        return Shape("WRONG_LENGTH")
    if bip137.read_legacy(best.data) is None:
        return Shape("MALFORMED_SIGNATURE", certain=False)
    return Shape()


def _looks_like_evm(candidate: Candidate) -> bool:
    data = candidate.data
    if len(data) == 64:
        # With a header in front it is rather a Bitcoin signature that lost its end.
        return not 27 <= data[0] <= 42 and _is_low_ecdsa(data)
    if len(data) != 65 or data[64] not in {0, 1, 27, 28}:
        return False
    return candidate.encoding in {"hex", "parts"} or bip137.read_legacy(data) is None


def _is_low_ecdsa(data: bytes) -> bool:
    """Whether 64 bytes can be a compact Ethereum signature."""
    return any(not reading.high_s for reading in evm.read_evm(data))


def _is_base58_of_64(candidate: Candidate) -> bool:
    return candidate.encoding == "base58" and len(candidate.data) == 64


def _has_bitcoin_header(candidate: Candidate) -> bool:
    data = candidate.data
    return (
        len(data) == 65
        and 27 <= data[0] <= 42
        and (candidate.encoding == "base64" or data[64] not in {0, 1, 27, 28})
        and in_range(int.from_bytes(data[1:33], "big"), int.from_bytes(data[33:], "big"))
    )


def _is_bip322(reading: SignatureReading) -> bool:
    return any(_is_proof(c.data) for c in reading.candidates if c.encoding in {"base64", "hex"})


def _is_proof(data: bytes) -> bool:
    try:
        to_sign = bip322.read_bip322(data, "")
    except bip322.Unsupported:
        return False
    return to_sign is not None and sum(map(len, (*to_sign.witness, to_sign.script_sig))) >= 64


def _is_unsupported_bip322(reading: SignatureReading, address: Address) -> bool:
    for candidate in reading.candidates:
        if candidate.encoding == "base58":
            continue
        try:
            to_sign = bip322.read_bip322(candidate.data, reading.bip322_prefix)
            if to_sign is not None and _is_proof(candidate.data):
                bip322.Bip322Check(to_sign, address)
        except bip322.Unsupported:
            # Without a prefix, random bytes may read as a transaction of many inputs.
            return bool(reading.bip322_prefix) or _is_proof(candidate.data)
    return False
