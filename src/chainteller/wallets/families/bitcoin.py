"""Bitcoin: its address types, the 65-byte message signature and BIP-322.

`BitcoinFamily` is what its relatives share, who kept its keys, addresses and message signature.
"""

import base64
import re
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import suppress
from functools import cache, cached_property
from typing import ClassVar

import base58

from chainteller.wallets import bip137, ed25519
from chainteller.wallets.bech32 import BadBech32, decode_segwit, encode_segwit
from chainteller.wallets.bip322 import (
    Bip322Check,
    ToSign,
    Unsupported,
    holds_proof,
    is_proof,
    read_bip322,
)
from chainteller.wallets.bitcoin_keys import (
    KEY_KINDS,
    Versions,
    hash_address,
    hash_of,
    is_of_key,
    written_address,
)
from chainteller.wallets.bitcoin_signing import sign_bip322, sign_legacy
from chainteller.wallets.curve import KeyRecovery, recoveries
from chainteller.wallets.encodings import BASE58, SignatureReading
from chainteller.wallets.family import (
    RIGHT,
    Address,
    Family,
    InvalidAddress,
    Match,
    Network,
    SampleSignature,
    Shape,
)
from chainteller.wallets.hashes import Digest, double_sha256, hash160, sha256
from chainteller.wallets.proof import Proof
from chainteller.wallets.recoverable import key_witness, looks_recoverable
from chainteller.wallets.secp256k1 import compress
from chainteller.wallets.witness import Witness

_SEGWIT_LIKE = re.compile(r"(?:bc|tb|bcrt|ltc|tltc)1", re.ASCII | re.IGNORECASE)
_SEGWIT_KINDS = {(0, 20): "p2wpkh", (0, 32): "p2wsh", (1, 32): "p2tr"}
_KINDS = KEY_KINDS | {"p2wsh", "p2tr"}
# The generator itself; only its place in an address template matters.
_ANY_KEY = bytes.fromhex(
    "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
)


class BitcoinFamily(Family, abstract=True):
    """Families of Bitcoin's keys, addresses and 65-byte message signature.

    magic: what is hashed in front of the text's length and the text.
    scheme: what a proof by such a signature is called.
    versions: how the addresses of the main network begin, and those of all test networks.
    kinds: the kinds of addresses that a key can sign for here.
    """

    magic: ClassVar[bytes]
    scheme: ClassVar[str]
    versions: ClassVar[tuple[Versions, Versions]]
    kinds: ClassVar[Set[str]]
    # Whether wallets also sign as BIP-322 says.
    has_bip322: ClassVar[bool] = False
    sign_function = '"sign message"'
    form = "BITCOIN"
    recovers_keys = True

    def network(self, name: str, genesis: str, *aliases: str, main: bool = False) -> Network:
        """A network, whose reference is the beginning of a block hash (BIP-122)."""
        return Network(name, f"bip122:{genesis}", self, main, aliases)

    def versions_on(self, network: Network) -> Versions:
        """Those of the main network, or those that all test networks share."""
        return self.versions[0 if network.main else 1]

    def displayed(self, canonical: str, _network: Network) -> str:
        """An address as people read it."""
        return canonical

    def address_of_key(
        self, key: bytes, kind: str, network: Network, *, compressed: bool = True
    ) -> Address:
        """The address of x ‖ y; see `written_address`."""
        versions = self.versions_on(network)
        return self._address(
            written_address(key, kind, versions, compressed=compressed), kind, network
        )

    def _address(self, canonical: str, kind: str | None, network: Network) -> Address:
        if kind is None or kind not in self.kinds:
            raise InvalidAddress("UNSUPPORTED_TYPE")
        return Address(network, canonical, self.displayed(canonical, network), kind)

    def parse_address(self, text: str, network: Network) -> Address:
        """Read a bech32, bech32m or base58check address."""
        if _SEGWIT_LIKE.match(text):
            return self._parse_segwit(text, network)
        if not BASE58.fullmatch(text):
            raise InvalidAddress("ENCODING")
        if not 25 <= len(text) <= 36:
            raise InvalidAddress("LENGTH")
        try:
            payload = base58.b58decode_check(text)
        except ValueError:
            raise InvalidAddress("CHECKSUM") from None
        if len(payload) != 21:
            raise InvalidAddress("LENGTH")
        kind = self.versions_on(network).base58_kinds.get(payload[0])
        if kind is None:
            raise InvalidAddress("WRONG_NETWORK")
        return self._address(text, kind, network)

    def _parse_segwit(self, text: str, network: Network) -> Address:
        try:
            prefix, version, program = decode_segwit(text)
        except BadBech32 as bad:
            raise InvalidAddress(bad.reason) from None
        if prefix != self.versions_on(network).hrp:
            raise InvalidAddress("WRONG_NETWORK")
        return self._address(text.lower(), _SEGWIT_KINDS.get((version, len(program))), network)

    def is_address(self, text: str) -> bool:
        if _SEGWIT_LIKE.match(text):
            return _segwit_prefix(text) in {each.hrp for each in self.versions}
        if not 25 <= len(text) <= 36 or not BASE58.fullmatch(text):
            return False
        try:
            payload = base58.b58decode_check(text)
        except ValueError:
            return False
        return len(payload) == 21 and any(payload[0] in each.base58_kinds for each in self.versions)

    def custody_address(self, network: Network, random_bytes: Callable[[int], bytes]) -> str:
        versions = self.versions_on(network)
        if versions.hrp:
            return encode_segwit(versions.hrp, 0, random_bytes(20))
        return self.displayed(hash_address(versions.p2pkh, random_bytes(20)), network)

    def message_digest(self, message: bytes) -> bytes:
        """The 32 bytes that `signmessage` signs."""
        return bip137.message_digest(message, self.magic)

    def verify(self, message: bytes, data: bytes, prefix: str, address: Address) -> Proof | None:
        """The proof when the key of the address signed exactly this message, or None.

        None also for what is not judged: several keys, a script, a time lock, a proof of funds.
        """
        if not prefix and len(data) == 65:
            digest = self.message_digest(message)
            proof = bip137.verify_legacy(digest, data, address, self.scheme)
            if proof is not None:
                return proof
        if not self.has_bip322:
            return None
        try:
            to_sign = read_bip322(data, prefix)
            if to_sign is None or (to_sign.outpoint is None and address.kind == "p2pkh"):
                return None
            if not Bip322Check(to_sign, address).signs(message):
                return None
        except Unsupported:
            return None
        return Proof(to_sign.scheme, data.hex(), address.display)

    def probe(self, reading: SignatureReading) -> "BitcoinProbe":
        return BitcoinProbe(self, reading)

    @property
    def message_digests(self) -> tuple[tuple[str, Digest], ...]:
        return ((self.scheme, self.message_digest),)

    def other_digests(self, _address: Address) -> tuple[tuple[str, str, Digest], ...]:
        """A bare hash of the text."""
        return (
            ("RAW_HASH_SIGNED", "raw-sha256", sha256),
            ("RAW_HASH_SIGNED", "raw-double-sha256", double_sha256),
        )

    def owns(self, key: bytes, address: Address) -> bool:
        return _is_key_of(key, address)

    def is_unmistakable(self, reading: SignatureReading) -> bool:
        """Whether a proof follows BIP-322's prefix."""
        return self.has_bip322 and bool(reading.prefix) and holds_proof(reading)

    def shape(self, reading: SignatureReading, address: Address) -> Shape:
        best = reading.candidates[0]
        if self.has_bip322 and _is_unsupported_bip322(reading, address):
            return Shape("BIP322_UNSUPPORTED")
        if any(ed25519.is_well_formed(c.data) for c in reading.candidates):
            return Shape("LOOKS_LIKE_SOLANA")
        if looks_recoverable(best):
            return Shape("LOOKS_LIKE_ETHEREUM")
        if reading.prefix or holds_proof(reading):
            return Shape()
        if all(len(c.data) not in {64, 65} for c in reading.candidates):
            return Shape("WRONG_LENGTH")
        if bip137.read_legacy(best.data) is None:
            return Shape("MALFORMED_SIGNATURE")
        return Shape()

    def sign(self, secret: bytes, message: bytes, address: Address) -> SampleSignature:
        """A taproot address by BIP-322, any other by the message signature."""
        if address.kind == "p2tr":
            data = sign_bip322(secret, message, address)
            return SampleSignature("bip322-simple", data, "smp" + base64.b64encode(data).decode())
        data = sign_legacy(secret, self.message_digest(message), address.kind)
        return SampleSignature(self.scheme, data, base64.b64encode(data).decode())

    def export_key(self, secret: bytes) -> str:
        """The WIF of a compressed key: its version byte is that of addresses plus 128."""
        version = bytes([self.versions[0].p2pkh + 128])
        return base58.b58encode_check(version + secret + b"\x01").decode()


class Bitcoin(BitcoinFamily):
    """Bitcoin's family."""

    name = "bitcoin"
    label = "Bitcoin"
    uri_schemes = ("bitcoin",)
    how_to_sign = ('Bitcoin wallet: "Sign message" with exactly this', "address selected.")
    signature_prefixes = ("smp", "ful", "pof")
    magic = b"Bitcoin Signed Message:\n"
    scheme = "bip137"
    versions = (Versions(0, 5, "bc"), Versions(111, 196, "tb"))
    kinds = _KINDS
    has_bip322 = True

    @cached_property
    def networks(self) -> tuple[Network, ...]:
        """The reference of each begins its genesis hash."""
        return (
            self.network(
                "bitcoin", "000000000019d6689c085ae165831e93", "btc", "bitcoin-mainnet", main=True
            ),
            self.network("bitcoin-testnet", "000000000933ea01ad0ee984209779ba", "bitcoin-testnet3"),
            self.network("bitcoin-testnet4", "00000000da84f2bafbbc53dee25a72ae"),
            self.network("bitcoin-signet", "00000008819873e925422c1ff0f99f7c"),
        )


def _segwit_prefix(text: str) -> str | None:
    """The prefix of a well-formed segwit address."""
    try:
        return decode_segwit(text)[0]
    except BadBech32:
        return None


def _is_unsupported_bip322(reading: SignatureReading, address: Address) -> bool:
    for candidate in reading.candidates:
        if candidate.encoding == "base58":
            continue
        try:
            to_sign = read_bip322(candidate.data, reading.prefix)
            if to_sign is not None and is_proof(candidate.data):
                Bip322Check(to_sign, address)
        except Unsupported:
            # Without a prefix, random bytes may read as a transaction of many inputs.
            return bool(reading.prefix) or is_proof(candidate.data)
    return False


class BitcoinProbe:
    """A legacy 65-byte signature, a BIP-322 proof, or both readings of one paste."""

    def __init__(self, family: BitcoinFamily, reading: SignatureReading) -> None:
        """Read every candidate as both kinds."""
        self._family = family
        self._reading = reading
        self._legacy = [] if reading.prefix else _legacy_readings(reading)
        self._recovered: dict[bytes, tuple[bytes | None, ...]] = {}
        self._to_sign = _bip322_reading(reading) if family.has_bip322 else None
        self._check = cache(self._bip322_check)

    @property
    def names_its_key(self) -> bool:
        """Taproot's proofs neither hold a key nor give one away."""
        return self._to_sign is None or len(self._to_sign.witness) != 1

    @property
    def cost(self) -> float:
        """A proof takes longer: to make what is signed, and to check it or to recover two keys."""
        if self._to_sign is not None:
            return 2
        return 1 if any(header for header, _ in self._legacy) else 0

    def _keys(self, digest: bytes) -> tuple[bytes | None, ...]:
        if digest not in self._recovered:
            self._prepare([digest])
        return self._recovered[digest]

    def _prepare(self, digests: Sequence[bytes]) -> None:
        columns = [recovery.public_keys(digests) for _, recovery in self._legacy]
        for position, digest in enumerate(digests):
            self._recovered[digest] = tuple(column[position] for column in columns)

    def prepare(self, messages: Sequence[bytes]) -> None:
        self._prepare([self._family.message_digest(message) for message in messages])

    def find(
        self, messages: Sequence[bytes], addresses: Sequence[Address], *, thorough: int
    ) -> Match | None:
        """Legacy signatures under the header that they state; `thorough`ly under both ids, and for
        keys of both forms.
        """
        found = [self._find_legacy(messages, addresses, thorough)]
        for address in addresses:
            check = self._check(address) if address.network.family is self._family else None
            if check is not None:
                signed = check.signed(messages)
                found += [Match(signed.index(True), address)] if True in signed else []
        return min((each for each in found if each), key=lambda each: each.index, default=None)

    def _find_legacy(
        self, messages: Sequence[bytes], addresses: Sequence[Address], thorough: int
    ) -> Match | None:
        if not self._legacy:
            return None
        own = [each for each in addresses if each.network.family is self._family]
        wanted = {_program(each): each for each in own if each.kind in KEY_KINDS}
        kinds = {each.kind for each in wanted.values()}
        stated = [each for each in self._legacy if each[0] is not None]
        if not stated:
            stated, messages = self._legacy, messages[:thorough]
        digests = [self._family.message_digest(message) for message in messages]
        columns = [recovery.public_keys(digests) for _, recovery in stated]
        for index, keys in enumerate(zip(*columns, strict=True)):
            for (header, _), key in zip(stated, keys, strict=True):
                is_old = index < thorough or header is None or not header.compressed
                programs = _programs(key, kinds, is_old=is_old) if key else ()
                hit = next((each for each in programs if each in wanted), None)
                if hit is not None:
                    return Match(index, wanted[hit])
        return None

    def witness(self, message: bytes, address: Address) -> Witness | None:
        check = self._check(address)
        if check is not None and self._to_sign is not None and check.signs(message):
            key, numbers = check.key_and_numbers
            digest, network = check.digest(message) or b"", address.network.name
            proof = _proof_bytes(self._reading)
            return Witness(
                self._to_sign.scheme, message, digest, key, numbers, address.display, network, proof
            )
        digest = self._family.message_digest(message)
        return key_witness(self._reading, address, [(self._family.scheme, message, digest)])

    def _bip322_check(self, address: Address) -> Bip322Check | None:
        if self._to_sign is None or (self._to_sign.outpoint is None and address.kind == "p2pkh"):
            return None
        try:
            return Bip322Check(self._to_sign, address)
        except Unsupported:
            return None

    @property
    def carries_key(self) -> bool:
        return self._to_sign is not None

    def names(self, address: Address) -> bool:
        """Whether the witness of a proof holds the key of the address."""
        check = self._check(address)
        key = check.witness_key if check is not None else None
        return key is not None and is_of_key(key, address)

    def match(self, message: bytes, address: Address) -> str | None:
        check = self._check(address)
        if check is not None and check.signs(message):
            return RIGHT
        for (header, _), key in zip(
            self._legacy, self._keys(self._family.message_digest(message)), strict=True
        ):
            guessed = header is None and self._legacy[0][0] is not None
            # No legacy signature proves a taproot address, so one reading of it is enough.
            if key is not None and not (guessed and address.kind == "p2tr"):
                found = _legacy_match(header, key, address)
                if found is not None:
                    return found
        return None

    def signer(self, message: bytes, like: Address) -> Address | None:
        """With BIP-322 only an address whose proof is complete."""
        if self._to_sign is not None:
            return self._witness_signer(message, like)
        if not self._legacy or self._legacy[0][0] is None:
            return None
        header = self._legacy[0][0]
        key = self._keys(self._family.message_digest(message))[0]
        if key is None:
            return None
        names_type = header.header >= 35 or not header.compressed or like.kind not in KEY_KINDS
        named = header.named_kind in self._family.kinds
        kind = header.named_kind if names_type and named else like.kind
        return self._family.address_of_key(key, kind, like.network, compressed=header.compressed)

    def _witness_signer(self, message: bytes, like: Address) -> Address | None:
        kinds = ("p2wpkh", "p2sh") if self._to_sign and self._to_sign.witness else ("p2pkh",)
        for kind in kinds:
            template = self._family.address_of_key(_ANY_KEY, kind, like.network)
            check = self._check(template)
            if check is None or check.witness_key is None:
                continue
            own = self._family.address_of_key(check.witness_key, kind, like.network)
            own_check = self._check(own)
            if own_check is not None and own_check.signs(message):
                return own
        return None


Header = bip137.LegacySignature | None


def _program(address: Address) -> bytes:
    """The kind and the 20 bytes of an address of one key."""
    return address.kind.encode() + hash_of(address)


def _programs(key: bytes, kinds: Set[str], *, is_old: bool) -> Iterator[bytes]:
    """`_program` of every address of these kinds that x ‖ y may stand behind, without taproot; with
    `is_old` also where the key isn't compressed.
    """
    packed = hash160(compress(key))
    yield b"p2wpkh" + packed
    if "p2pkh" in kinds:
        yield b"p2pkh" + packed
        if is_old:
            yield b"p2pkh" + hash160(b"\x04" + key)
    if "p2sh" in kinds:
        yield b"p2sh" + hash160(b"\x00\x14" + packed)


def _proof_bytes(reading: SignatureReading) -> bytes:
    """The first candidate that reads as a BIP-322 proof."""
    for candidate in reading.candidates:
        if candidate.encoding != "base58":
            with suppress(Unsupported):
                if read_bip322(candidate.data, reading.prefix) is not None:
                    return candidate.data
    return b""


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
            guessed += [(None, found) for found in recoveries(numbers, except_id=stated_id)]
    return stated + guessed


def _bip322_reading(reading: SignatureReading) -> ToSign | None:
    for candidate in reading.candidates:
        if candidate.encoding == "base58":
            continue
        try:
            to_sign = read_bip322(candidate.data, reading.prefix)
        except Unsupported:
            return None
        if to_sign is not None:
            return to_sign
    return None


def _is_key_of(key: bytes, address: Address) -> bool:
    return is_of_key(key, address) or (
        address.kind == "p2pkh" and is_of_key(key, address, compressed=False)
    )


def _legacy_match(header: Header, key: bytes, address: Address) -> str | None:
    if not _is_key_of(key, address):
        return None
    if address.kind == "p2tr":
        return "TAPROOT_NEEDS_BIP322"
    if header is None:
        return "WRONG_RECOVERY_BYTE"
    if not header.compressed and address.kind != "p2pkh":
        return "KEY_FORM_IN_HEADER"
    is_stated = is_of_key(key, address, compressed=header.compressed)
    return RIGHT if is_stated else "KEY_FORM_IN_HEADER"
