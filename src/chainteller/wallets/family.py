"""A chain family: networks whose addresses and signatures follow the same rules.

Everything that differs between families is a part of `Family`. The families themselves are in
`families`, one module each; the other modules ask the object and never look at its name.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import get_annotations
from types import MappingProxyType
from typing import ClassVar, Protocol

from chainteller.wallets.curve import curve
from chainteller.wallets.encodings import SignatureReading
from chainteller.wallets.hashes import Digest
from chainteller.wallets.proof import Proof
from chainteller.wallets.witness import Witness
from chainteller.wallets.wording import Wording

_NETWORK_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
_CAIP2 = re.compile(r"[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Network:
    """One network.

    A closed network keeps its row, so that its name is never given to another one.
    """

    name: str
    caip2: str
    family: "Family"
    main: bool
    aliases: tuple[str, ...] = ()
    closed: bool = False

    @property
    def spellings(self) -> tuple[str, ...]:
        """Everything that means this network."""
        return (self.name, self.caip2, *self.aliases)

    @property
    def listed_as(self) -> tuple[str, str]:
        """The names under which a list of addresses means this network: its own, its family's."""
        return (self.name, self.family.name)

    @property
    def namespace(self) -> str:
        """The CAIP-2 namespace, such as eip155."""
        return self.caip2.partition(":")[0]

    @property
    def reference(self) -> str:
        """The CAIP-2 reference, such as Ethereum's chain id."""
        return self.caip2.partition(":")[2]


@dataclass(frozen=True, slots=True)
class Address:
    """An address that has been checked.

    `canonical` is what is stored and compared, `display` what people read (EIP-55 for EVM).
    `kind` is evm, ed25519, tron, xrp, cosmos, p2pkh, p2sh, p2wpkh, p2wsh or p2tr.
    """

    network: Network
    canonical: str
    display: str
    kind: str


class InvalidAddress(ValueError):
    """Not an address of the network.

    `reason` is CHECKSUM, LENGTH, ENCODING, WRONG_NETWORK, ZERO, OFF_CURVE, SMALL_ORDER, NAME,
    UNSUPPORTED_TYPE or SECRET_PASTED. With WRONG_NETWORK, `network` is the network whose address it
    is, as people call it, where that is known. What was typed is kept nowhere in the exception.
    """

    reason: str
    network: str

    def __init__(self, reason: str, network: str = "") -> None:
        """Keep the reason and the network alone."""
        self.reason = reason
        self.network = network
        super().__init__(f"invalid address: {reason}")


RIGHT = ""


@dataclass(frozen=True, slots=True)
class Match:
    """Which of the messages was signed, and by the key of which address."""

    index: int
    address: Address


class Probe(Protocol):
    """A paste read as one family's signature and asked about many messages and addresses.

    What does not depend on the message is done once, so that a hundred guesses cost little.
    """

    @property
    def carries_key(self) -> bool:
        """Whether the signature holds the public key that made it."""

    def match(self, message: bytes, address: Address) -> str | None:
        """RIGHT when the key signed it acceptably, a finding when it did with a flaw, or None."""

    def signer(self, message: bytes, like: Address) -> Address | None:
        """The address, of the kind of `like`, that the signature over the message points to."""

    @property
    def names_its_key(self) -> bool:
        """Whether a signature and a message give away the key: asking for many addresses is as
        cheap as for one.
        """

    @property
    def cost(self) -> float:
        """What it costs to ask `find` about a message, in public keys that are recovered; 0 where
        no signature of this family, or none that states all of it, was read.
        """

    def names(self, address: Address) -> bool:
        """Whether the paste itself carries the key of the address."""

    def prepare(self, messages: Sequence[bytes]) -> None:
        """Make the next calls of `match` and `signer` for these messages cheap."""

    def find(
        self, messages: Sequence[bytes], addresses: Sequence[Address], *, thorough: int
    ) -> Match | None:
        """The first of the messages that the key of one of the addresses signed.

        `thorough` is of how many messages, the first ones, what costs much more is tried too.
        """

    def witness(self, message: bytes, address: Address) -> Witness | None:
        """What proves that the key of the address signed the message; None when it did not."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What the length, alphabet and numbers of a paste suggest; no finding when it looks usual.

    It never proves anything: a container that nobody here knows may hold a right signature.
    """

    finding: str = ""


@dataclass(frozen=True, slots=True)
class SampleSignature:
    """A signature by a published key: `shown` is how the family's wallets display it."""

    scheme: str
    data: bytes
    shown: str


@dataclass(frozen=True, slots=True)
class Mistake:
    """A way of signing wrongly: what is pasted for a published key, a text and its address."""

    description: str
    paste: Callable[[bytes, bytes, Address], str]


class IncompleteFamily(TypeError):
    """A family lacks a part, or one of its networks lacks its name."""


class Family(ABC):
    """One chain family.

    name: the short name, such as evm.
    label: the name in sentences, such as Ethereum.
    uri_schemes: the URI schemes of its addresses.
    sign_function: what the wallet's own function for signing a message is called.
    how_to_sign: two lines for the agent who explains how the customer signs.
    sign_in_as: the kind of account in its sign-in messages (CAIP-122); empty without such messages.
    form: how its signatures look, as LOOKS_LIKE findings call it; families may share one.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    uri_schemes: ClassVar[tuple[str, ...]]
    sign_function: ClassVar[str]
    how_to_sign: ClassVar[tuple[str, str]]
    form: ClassVar[str]
    # What stands in front of the encoded bytes of some signatures.
    signature_prefixes: ClassVar[tuple[str, ...]] = ()
    # Whether a string that is base58 as well as base64 is rather read as base58.
    prefers_base58: ClassVar[bool] = False
    # How a public key is written that has to come with a signature, where one has to.
    public_key_form: ClassVar[re.Pattern[str] | None] = None
    sign_in_as: ClassVar[str] = ""
    # Whether addresses are of secp256k1 keys, which a signature and its message give away.
    recovers_keys: ClassVar[bool] = False
    # Whether an address may be a contract, whose owner's signature only the chain can judge.
    may_be_contracts: ClassVar[bool] = False
    # The words of findings that only this family makes.
    findings: ClassVar[Mapping[str, Wording]] = MappingProxyType({})

    def __init_subclass__(cls, *, abstract: bool = False) -> None:
        """Refuse a family that lacks a part, unless it is only a base of families."""
        super().__init_subclass__()
        for part, meaning in {} if abstract else _parts(cls).items():
            found = getattr(cls, part, None)
            if found is None or getattr(found, "__isabstractmethod__", False):
                raise IncompleteFamily(f"The wallet family {cls.__name__} has no {part}: {meaning}")

    def __repr__(self) -> str:
        """The name alone: a network names its family and a family its networks."""
        return f"<wallet family {self.name}>"

    @property
    @abstractmethod
    def networks(self) -> tuple[Network, ...]:
        """The networks of the family, main networks first."""

    @abstractmethod
    def parse_address(self, text: str, network: Network) -> Address:
        """Read an address without anything around it.

        Raises:
            InvalidAddress: not an address of the network.
        """

    @abstractmethod
    def is_address(self, text: str) -> bool:
        """Whether the text is a well-formed address of some network of the family."""

    def sign_in_chain(self, network: Network) -> str:
        """The chain id of a network in sign-in messages."""
        return network.reference

    @abstractmethod
    def custody_address(self, network: Network, random_bytes: Callable[[int], bytes]) -> str:
        """An address of the simulated custodian; nobody holds its key."""

    @abstractmethod
    def verify(self, message: bytes, data: bytes, prefix: str, address: Address) -> Proof | None:
        """The proof when the address's key signed exactly this message, or None."""

    @abstractmethod
    def probe(self, reading: SignatureReading) -> Probe:
        """The paste, read as a signature of this family."""

    @abstractmethod
    def shape(self, reading: SignatureReading, address: Address) -> Shape:
        """What the shape of a paste supports when no key and no text explain it."""

    @abstractmethod
    def sign(self, secret: bytes, message: bytes, address: Address) -> SampleSignature:
        """Sign with a published key of the address, as the family's wallets do."""

    @abstractmethod
    def export_key(self, secret: bytes) -> str:
        """A published key in the form in which the family's wallets export it."""

    @property
    def message_digests(self) -> tuple[tuple[str, Digest], ...]:
        """The digests that wallets sign with a secp256k1 key for a text, whatever the address, each
        with the scheme of its witness.
        """
        return ()

    def other_digests(self, _address: Address) -> tuple[tuple[str, str, Digest], ...]:
        """What may have been signed instead, each with its finding and its scheme."""
        return ()

    @property
    def mistakes(self) -> Mapping[str, Mistake]:
        """The mistakes that only this family's sample wallets can make, by name."""
        return {}

    def framed(self, _message: bytes) -> tuple[bytes, ...]:
        """What a tool may sign as a plain text after preparing it for this family."""
        return ()

    def owns(self, _key: bytes, _address: Address) -> bool:
        """Whether the address is one of the secp256k1 key x ‖ y."""
        return False

    def is_private_key(self, secret: bytes, address: Address) -> bool:
        """Whether 32 bytes are the private key of the address."""
        key = curve().generated(secret)
        return key is not None and self.owns(key, address)

    def is_unmistakable(self, _reading: SignatureReading) -> bool:
        """Whether the paste has a form that no other family's wallets write."""
        return False


def _parts(declared: type[Family]) -> dict[str, str]:
    """The parts that the bases of a family demand, each with its meaning."""
    parts: dict[str, str] = {}
    for base in declared.__mro__[1:]:
        described = dict(re.findall(r"^ +(\w+): (.+)$", base.__doc__ or "", re.MULTILINE))
        for name in get_annotations(base):
            if name not in vars(base):
                parts[name] = described.get(name, base.__name__)
        for name, value in vars(base).items():
            if getattr(value, "__isabstractmethod__", False):
                parts[name] = (value.__doc__ or base.__name__).partition("\n")[0]
    return parts


def checked(families: Iterable[Family]) -> tuple[Family, ...]:
    """The families, each of whose networks has a name of its own.

    Raises:
        IncompleteFamily: a network without a name or CAIP-2 id, or a name that means two.
    """
    found = tuple(families)
    meaning: dict[str, str] = {}
    for family in found:
        if not family.networks:
            raise IncompleteFamily(f"The wallet family {family.name} has no network.")
        for network in family.networks:
            if not _NETWORK_NAME.fullmatch(network.name):
                raise IncompleteFamily(
                    f"The wallet family {family.name} has no name for its network {network.caip2}."
                )
            if not _CAIP2.fullmatch(network.caip2):
                raise IncompleteFamily(
                    f"The wallet family {family.name} has no CAIP-2 id for {network.name}."
                )
            for spelling in network.spellings:
                other = meaning.setdefault(spelling.lower(), network.name)
                if other != network.name:
                    raise IncompleteFamily(
                        f"The wallet family {family.name} calls {network.name} {spelling!r}, "
                        f"which means {other}."
                    )
    return found


def signed_as(family: Family) -> str:
    """The finding that the registered key signed as this family's wallets do."""
    return f"SIGNED_AS_{family.label.upper().replace(' ', '_')}"


def looks_like(family: Family) -> str:
    """The finding that a paste has the form of this family's signatures."""
    return f"LOOKS_LIKE_{family.form}"
