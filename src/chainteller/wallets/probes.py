"""One paste, asked again and again: did this address's key sign that message, and if not, who?

The work that does not depend on the message is done once, so that a hundred guesses cost little.
"""

from functools import cache
from typing import Protocol

from chainteller.wallets import bip137, evm, solana
from chainteller.wallets.addresses import Address, evm_address
from chainteller.wallets.bip322 import Bip322Check, ToSign, Unsupported, read_bip322
from chainteller.wallets.bitcoin_keys import address_of_key
from chainteller.wallets.hashes import keccak256
from chainteller.wallets.networks import Family
from chainteller.wallets.reader import SignatureReading
from chainteller.wallets.secp256k1 import KeyRecovery, curve, in_range
from chainteller.wallets.variants import Digest

RIGHT = ""


class Probe(Protocol):
    """A paste read as one family's signature."""

    def match(self, message: bytes, address: Address) -> str | None:
        """RIGHT when the key signed it acceptably, a finding when it did with a flaw, or None."""

    def signer(self, message: bytes, like: Address) -> Address | None:
        """The address, of the kind of `like`, that the signature over the message points to."""


def probe_for(reading: SignatureReading, family: Family) -> Probe:
    """The paste read as the family's signature."""
    if family is Family.EVM:
        return EvmProbe(reading)
    if family is Family.SOLANA:
        return SolanaProbe(reading)
    return BitcoinProbe(reading)


class EvmProbe:
    """65 or 64 bytes of r, s and v."""

    def __init__(self, reading: SignatureReading) -> None:
        """Prepare both parities of every reading."""
        # base58 is Solana's: an exact signature in it passes, but it is not worth guessing at.
        likely = [c.data for c in reading.candidates if c.encoding != "base58"]
        signatures = [sig for data in likely for sig in evm.read_evm(data)]
        self._stated = [sig for sig in signatures if sig.parity is not None]
        pairs = [(sig, parity) for sig in signatures for parity in (0, 1)]
        # A stated parity comes before the one that has to be guessed.
        pairs.sort(key=lambda pair: pair[0].parity != pair[1])
        self._readings = [(sig, parity, sig.recovery(parity)) for sig, parity in pairs]
        self._signers = cache(self._recover)

    def _recover(self, digest: bytes) -> tuple[bytes | None, ...]:
        return tuple(evm.signer(recovery, digest) for _, _, recovery in self._readings)

    def match(self, message: bytes, address: Address) -> str | None:
        """See `Probe.match`."""
        return self.match_digest(evm.message_digest(message), address)

    def match_digest(self, digest: bytes, address: Address) -> str | None:
        """As `match`, for what was hashed in another way."""
        expected = bytes.fromhex(address.canonical[2:])
        for (sig, parity, _), recovered in zip(self._readings, self._signers(digest), strict=True):
            if recovered == expected:
                if sig.high_s:
                    return "HIGH_S"
                if sig.parity == parity:
                    return RIGHT
                return "MISSING_RECOVERY_BYTE" if sig.compact else "WRONG_RECOVERY_BYTE"
        return None

    def signer(self, message: bytes, like: Address) -> Address | None:
        """See `Probe.signer`; nobody when the parity would have to be guessed."""
        if not self._stated:
            return None
        recovered = self._signers(evm.message_digest(message))[0]
        return evm_address(recovered, like.network) if recovered else None


class SolanaProbe:
    """64 bytes of Ed25519."""

    def __init__(self, reading: SignatureReading) -> None:
        """Keep what has the right length."""
        self._signatures = [c.data for c in reading.candidates if len(c.data) == 64]
        self._longer = [c.data[:64] for c in reading.candidates if len(c.data) in {65, 66}]

    def match(self, message: bytes, address: Address) -> str | None:
        """See `Probe.match`."""
        key = solana.public_key(address)
        for signatures, found in ((self._signatures, RIGHT), (self._longer, "EXTRA_BYTES")):
            for signature in signatures:
                if solana.scheme_of(message, signature, key, usual_only=True):
                    return found
        return None

    def signer(self, message: bytes, like: Address) -> Address | None:  # noqa: ARG002 - see below
        """Nobody: Ed25519 signatures do not give away their key."""
        return None


class BitcoinProbe:
    """A legacy 65-byte signature, a BIP-322 proof, or both readings of one paste."""

    def __init__(self, reading: SignatureReading) -> None:
        """Read every candidate as both kinds."""
        self._legacy = [] if reading.bip322_prefix else _legacy_readings(reading)
        self._keys = cache(self._recover)
        self.to_sign = _bip322_reading(reading)
        self._check = cache(self._bip322_check)

    def _recover(self, digest: bytes) -> tuple[bytes | None, ...]:
        return tuple(recovery.public_key(digest) for _, recovery in self._legacy)

    def _bip322_check(self, address: Address) -> Bip322Check | None:
        if self.to_sign is None or (self.to_sign.outpoint is None and address.kind == "p2pkh"):
            return None
        try:
            return Bip322Check(self.to_sign, address)
        except Unsupported:
            return None

    def match(self, message: bytes, address: Address) -> str | None:
        """See `Probe.match`."""
        check = self._check(address)
        if check is not None and check.signs(message):
            return RIGHT
        for (header, _), key in zip(
            self._legacy, self._keys(bip137.message_digest(message)), strict=True
        ):
            guessed = header is None and self._legacy[0][0] is not None
            # No legacy signature proves a taproot address, so one reading of it is enough.
            if key is not None and not (guessed and address.kind == "p2tr"):
                found = _legacy_match(header, key, address)
                if found is not None:
                    return found
        return None

    def match_digest(self, digest: bytes, address: Address) -> str | None:
        """As `match` for a legacy signature over what was hashed in another way."""
        for key in self._keys(digest):
            if key is not None and _is_key_of(key, address):
                return RIGHT
        return None

    def signer(self, message: bytes, like: Address) -> Address | None:
        """See `Probe.signer`; with BIP-322 only an address whose proof is complete."""
        if self.to_sign is not None:
            return self._witness_signer(message, like)
        if not self._legacy or self._legacy[0][0] is None:
            return None
        header = self._legacy[0][0]
        key = self._keys(bip137.message_digest(message))[0]
        if key is None:
            return None
        names_type = header.header >= 35 or not header.compressed or like.kind not in _KEY_KINDS
        kind = header.named_kind if names_type else like.kind
        return address_of_key(key, kind, like.network, compressed=header.compressed)

    def _witness_signer(self, message: bytes, like: Address) -> Address | None:
        kinds = ("p2wpkh", "p2sh") if self.to_sign and self.to_sign.witness else ("p2pkh",)
        for kind in kinds:
            template = address_of_key(_ANY_KEY, kind, like.network)
            check = self._check(template)
            if check is None or check.witness_key is None:
                continue
            own = address_of_key(check.witness_key, kind, like.network)
            own_check = self._check(own)
            if own_check is not None and own_check.signs(message):
                return own
        return None


_KEY_KINDS = frozenset({"p2pkh", "p2sh", "p2wpkh"})
# The generator itself; only its place in an address template matters.
_ANY_KEY = bytes.fromhex(
    "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
)
Header = bip137.LegacySignature | None


def _legacy_readings(reading: SignatureReading) -> list[tuple[Header, KeyRecovery]]:
    """The stated header first, then what a lost or damaged header leaves to be guessed."""
    stated: list[tuple[Header, KeyRecovery]] = []
    guessed: list[tuple[Header, KeyRecovery]] = []
    for candidate in reading.candidates:
        legacy = bip137.read_legacy(candidate.data)
        recovery = legacy.recovery() if legacy else None
        if recovery:
            stated.append((legacy, recovery))
        numbers = {64: candidate.data, 65: candidate.data[1:]}.get(len(candidate.data))
        if numbers and candidate.encoding != "base58":
            stated_id = (legacy.header - 27) % 4 if legacy else None
            guessed += [(None, found) for found in _recoveries(numbers, stated_id)]
    return stated + guessed


def _recoveries(numbers: bytes, known_id: int | None = None) -> list[KeyRecovery]:
    r, s = int.from_bytes(numbers[:32], "big"), int.from_bytes(numbers[32:], "big")
    if not in_range(r, s):
        return []
    ids = [recovery_id for recovery_id in (0, 1) if recovery_id != known_id]
    found = (curve().recovery(r, s, recovery_id) for recovery_id in ids)
    return [recovery for recovery in found if recovery]


def _bip322_reading(reading: SignatureReading) -> ToSign | None:
    for candidate in reading.candidates:
        if candidate.encoding == "base58":
            continue
        try:
            to_sign = read_bip322(candidate.data, reading.bip322_prefix)
        except Unsupported:
            return None
        if to_sign is not None:
            return to_sign
    return None


def _is_key_of(key: bytes, address: Address) -> bool:
    if address.kind == "p2wsh":
        return False
    return any(
        address_of_key(key, address.kind, address.network, compressed=compressed).canonical
        == address.canonical
        for compressed in ((True, False) if address.kind == "p2pkh" else (True,))
    )


def _legacy_match(header: Header, key: bytes, address: Address) -> str | None:
    if not _is_key_of(key, address):
        return None
    if address.kind == "p2tr":
        return "TAPROOT_NEEDS_BIP322"
    if header is None:
        return "WRONG_RECOVERY_BYTE"
    own = address_of_key(key, address.kind, address.network, compressed=header.compressed)
    if own.canonical == address.canonical and (header.compressed or address.kind == "p2pkh"):
        return RIGHT
    return "KEY_FORM_IN_HEADER"


def foreign_match(reading: SignatureReading, digest: Digest, text: bytes, address: Address) -> bool:
    """Whether the address's key signed the text the way another network's wallets do."""
    for candidate in reading.candidates:
        if len(candidate.data) not in {64, 65}:
            continue
        for numbers in (candidate.data[:64], candidate.data[-64:]):
            for recovery in _recoveries(numbers):
                key = recovery.public_key(digest(text))
                if key is not None and _owns(key, address):
                    return True
    return False


def _owns(key: bytes, address: Address) -> bool:
    if address.network.family is Family.EVM:
        return keccak256(key)[12:].hex() == address.canonical[2:]
    return _is_key_of(key, address)
