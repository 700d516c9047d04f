"""Contract wallets: recognise their signatures, and ask a chain whether a wallet accepts one.

A contract has no key. It says itself whether a signature is its owners' (ERC-1271), and a contract
that isn't deployed yet comes with what deploys it (ERC-6492). This module builds the question and
judges the answers; ``adapters/evm_rpc.py`` asks it. Nothing is sent to the chain but reads.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from chainteller.domain.evidence import METHODS, AddressCode, EvidenceLevel, VerificationMethod
from chainteller.domain.json_depth import parse_json
from chainteller.wallets.family import Address
from chainteller.wallets.hashes import keccak256

MAX_SIGNATURE = 16_384
_WORD = 32
_MAGIC = bytes.fromhex("1626ba7e")
"""Selector of isValidSignature(bytes32,bytes), and what it returns for a valid signature."""
_VALID = _MAGIC.ljust(_WORD, b"\0")
_UNDEPLOYED = bytes.fromhex("6492" * 16)
_ECDSA = 65
_DELEGATION, _ADDRESS = "0xef0100", 20
"""What the code of an account with a key begins with that let a contract act for it (EIP-7702),
and how many bytes of the contract's address follow."""
_SAFE_MODES = frozenset({0, 1, 27, 28, 31, 32})
_SEQUENCE_TYPES = frozenset({0, 1, 2, 3})


class Format(NamedTuple):
    """The form of a contract wallet's signature. ``label`` is what people call the wallet."""

    label: str
    explanation: str


UNDEPLOYED = Format(
    "a wallet that isn't deployed yet",
    "The wallet's contract doesn't exist on the chain yet; the signature carries what deploys it "
    "(ERC-6492).",
)
PASSKEY = Format("a wallet with a passkey", "A passkey (P-256) signed, which has no address.")
COINBASE = Format("Coinbase Smart Wallet", "The signature names which of the owners signed.")
ERC7739 = Format(
    "a smart account (ERC-7739)", "The signature is bound to one account by its own typed data."
)
SAFE = Format("Safe", "Each owner's signature is in it, one after the other.")
KERNEL = Format("Kernel or LightAccount", "One byte before the signature says who signed.")
KERNEL_VALIDATOR = Format("Kernel", "The signature names the validator that judges it.")
NEXUS = Format("Nexus", "The signature names the module that judges it.")
AMBIRE = Format("Ambire", "One byte after the signature says how it was made.")
SEQUENCE = Format("Sequence", "The signature carries the wallet's configuration.")


def recognised(data: bytes) -> Format | None:
    """The contract wallet that a signature looks like; None where no contract is needed for it."""
    if len(data) > MAX_SIGNATURE or len(data) <= _ECDSA:
        return None
    checks = (
        (data.endswith(_UNDEPLOYED), UNDEPLOYED),
        (b'"webauthn.get"' in data, PASSKEY),
        (_is_wrapped(data), COINBASE),
        (_has_contents(data), ERC7739),
        (_is_safe(data), SAFE),
        (len(data) == _ECDSA + 1 and data[0] in {0, 1, 2}, KERNEL),
        (len(data) == _ECDSA + 1 and data[-1] <= 6, AMBIRE),
        (len(data) == _ECDSA + 21 and data[0] == 1, KERNEL_VALIDATOR),
        (len(data) == _ECDSA + 20, NEXUS),
        (data[0] in _SEQUENCE_TYPES and len(data) > _ECDSA + 1, SEQUENCE),
    )
    return next((found for applies, found in checks if applies), None)


def _number(data: bytes, word: int) -> int:
    return int.from_bytes(data[word * _WORD : (word + 1) * _WORD], "big")


def _is_wrapped(data: bytes) -> bool:
    """abi.encode of a struct of an owner's index and bytes."""
    if len(data) < 5 * _WORD or len(data) % _WORD:
        return False
    size = _number(data, 3)
    return (
        (_number(data, 0), _number(data, 2)) == (_WORD, 2 * _WORD)
        and _number(data, 1) < 1 << 16
        and 4 * _WORD + -(-size // _WORD) * _WORD == len(data)
    )


def _has_contents(data: bytes) -> bool:
    """A signature, two hashes, a description of the typed data, and its length in two bytes."""
    size = int.from_bytes(data[-2:], "big")
    described = data[-2 - size : -2]
    is_long_enough = len(data) >= _ECDSA + 2 * _WORD + size + 2 - 1
    return 3 <= size < 1_000 and is_long_enough and b"(" in described and described.isascii()


def _is_safe(data: bytes) -> bool:
    modes = data[_ECDSA - 1 :: _ECDSA]
    return len(data) % _ECDSA == 0 and all(each in _SAFE_MODES for each in modes)


# -- the question --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Question:
    """A call that only reads. ``to`` is empty for code that runs without being deployed."""

    scheme: str
    wallet: str
    to: str
    data: str

    def call(self) -> dict[str, str]:
        """The call as JSON-RPC takes it."""
        named = {"to": self.to} if self.to else {}
        return {**named, "data": self.data}


class NotAQuestion(ValueError):
    """Bytes that can't be put to a contract."""


def question(text: str, signature: bytes, address: Address) -> Question:
    """Whether the wallet accepts the signature of a text that was signed with personal_sign.

    Raises:
        NotAQuestion: the signature is empty, too long, or no envelope of ERC-6492.
    """
    if not 0 < len(signature) <= MAX_SIGNATURE:
        raise NotAQuestion("the signature is empty or too long")
    message = text.encode()
    prefix = b"\x19Ethereum Signed Message:\n" + str(len(message)).encode()
    digest = keccak256(prefix + message)
    if not signature.endswith(_UNDEPLOYED):
        asked = _is_valid_signature(digest, signature)
        return Question("erc1271", address.display, address.display, "0x" + asked.hex())
    factory, deployment, inner = _opened(signature[: -len(_UNDEPLOYED)])
    wallet = bytes.fromhex(address.canonical[2:])
    code = _deploy_and_ask(factory, deployment, wallet, _is_valid_signature(digest, inner))
    return Question("erc6492", address.display, "", "0x" + code.hex())


def is_valid(returned: str) -> bool:
    """Whether a call's result says that the signature is valid."""
    return returned.lower() == "0x" + _VALID.hex()


def _is_valid_signature(digest: bytes, signature: bytes) -> bytes:
    offset, size = (2 * _WORD).to_bytes(_WORD, "big"), len(signature).to_bytes(_WORD, "big")
    padded = signature.ljust(-(-len(signature) // _WORD) * _WORD, b"\0")
    return _MAGIC + digest + offset + size + padded


def _opened(envelope: bytes) -> tuple[bytes, bytes, bytes]:
    """abi.decode of (address factory, bytes deployment, bytes signature). Raises NotAQuestion."""
    if len(envelope) < 3 * _WORD or any(envelope[:12]):
        raise NotAQuestion("the envelope names no factory")
    parts = []
    for word in (1, 2):
        at = _number(envelope, word)
        size = int.from_bytes(envelope[at : at + _WORD], "big")
        part = envelope[at + _WORD : at + _WORD + size]
        if at % _WORD or at + _WORD > len(envelope) or len(part) != size:
            raise NotAQuestion("the envelope is cut off")
        parts.append(part)
    if not parts[1]:
        raise NotAQuestion("the envelope holds no signature")
    return envelope[12:_WORD], parts[0], parts[1]


def _deploy_and_ask(factory: bytes, deployment: bytes, wallet: bytes, asked: bytes) -> bytes:
    """Code that deploys a wallet within its own call and returns what the wallet answers.

    It is run as a deployment (without ``to``) by eth_call, so nothing stays. It copies what
    follows it to memory, calls the factory, asks the wallet, and returns 32 bytes: the answer, or
    zeros where the call failed or returned less.
    """
    size, out = len(deployment) + len(asked), -(-(len(deployment) + len(asked)) // _WORD) * _WORD

    def push(number: int, width: int = 3) -> bytes:
        return bytes([0x5F + width]) + number.to_bytes(width, "big")

    def program(length: int) -> bytes:
        return b"".join(
            (
                push(size), push(length), push(0, 1), b"\x39",  # CODECOPY
                push(0, 1), push(0, 1), push(len(deployment)), push(0, 1), push(0, 1),
                push(int.from_bytes(factory, "big"), 20), b"\x5a\xf1\x50",  # GAS CALL POP
                push(_WORD, 1), push(out), push(len(asked)), push(len(deployment)),
                push(int.from_bytes(wallet, "big"), 20), b"\x5a\xfa",  # GAS STATICCALL
                push(_WORD - 1, 1), b"\x3d\x11\x16",  # RETURNDATASIZE GT AND
                push(out), b"\x51\x02",  # MLOAD MUL
                push(out), b"\x52",  # MSTORE
                push(_WORD, 1), push(out), b"\xf3",  # RETURN
            )
        )  # fmt: skip

    return program(len(program(0))) + deployment + asked


# -- the evidence --------------------------------------------------------------------------------


class Finality(StrEnum):
    """What a chain says of a block, the strongest first; the newest block may still be undone."""

    FINALIZED = "finalized"
    SAFE = "safe"
    LATEST = "latest"


_INDEPENDENT = 2
"""How many providers it takes that are nobody's in common."""


class Block(NamedTuple):
    number: int
    hash: str


@dataclass(frozen=True, slots=True)
class ChainAnswer:
    """What the providers of a chain answered at one block.

    ``answers`` has the returned bytes by provider; ``problems`` says for each provider that gave
    no usable answer, or another one than the others, what was wrong. ``has_code`` says whether the
    wallet is a contract at that block, ``finality`` what all providers say of the block.
    """

    question: Question
    chain_id: int
    block: Block | None
    answers: Mapping[str, str]
    problems: Mapping[str, str]
    has_code: bool = False
    finality: Finality = Finality.LATEST

    @property
    def is_usable(self) -> bool:
        """Whether all providers answered, and the same."""
        return not self.problems and bool(self.answers) and self.block is not None

    @property
    def is_valid(self) -> bool:
        """Whether the wallet accepts the signature."""
        is_contract = self.has_code or not self.question.to
        return self.is_usable and is_contract and all(map(is_valid, self.answers.values()))

    def evidence(self) -> str:
        """What is stored with a claim: canonical JSON."""
        block = self.block
        found = {
            "chainId": self.chain_id,
            "block": None if block is None else {"number": block.number, "hash": block.hash},
            "call": self.question.call(),
            "answers": dict(self.answers),
            "finality": self.finality.value,
        }
        return json.dumps(found, sort_keys=True, separators=(",", ":"))


def proof_level(method: VerificationMethod, stored: str | None) -> EvidenceLevel:
    """What a proof is worth: what its method is, or what the ``stored`` evidence of a contract is.

    Raises: as ``evidence_level``.
    """
    is_contract = method is VerificationMethod.CONTRACT
    return evidence_level(stored) if is_contract else METHODS[method].level


def evidence_level(stored: str | None) -> EvidenceLevel:
    """What stored evidence is worth: ``high`` takes two independent providers, which answered at a
    block that all of them call finalized or safe.

    Raises:
        ValueError, LookupError, TypeError, AttributeError: the evidence can't be read.
    """
    found = parse_json(stored or "")
    is_settled = found["finality"] in (Finality.FINALIZED, Finality.SAFE)
    owners = {_owner(name) for name in found["answers"]}
    is_high = is_settled and len(owners) >= _INDEPENDENT
    return EvidenceLevel.HIGH if is_high else EvidenceLevel.MEDIUM


def _owner(provider: str) -> str:
    """Whose a provider is, as far as its host says: an address as a whole, of a name the last two
    labels. Names of different owners may look the same, but not the reverse."""
    host = provider.partition(" ")[0].partition(":")[0].lower()
    labels = host.rsplit(".", 2)
    return host if labels[-1].isdecimal() else ".".join(labels[-2:])


@dataclass(frozen=True, slots=True)
class CodeAnswer:
    """What the providers of a chain have at an address; ``code`` and ``block`` are None where they
    don't say it, or don't agree. ``problems`` is as in ``ChainAnswer``.
    """

    code: AddressCode | None
    block: Block | None
    providers: tuple[str, ...]
    problems: Mapping[str, str]


def code_of(code: str) -> AddressCode:
    """What code in hex makes of an address."""
    if code == "0x":
        return AddressCode.NONE
    is_delegated = code.startswith(_DELEGATION) and len(code) == len(_DELEGATION) + 2 * _ADDRESS
    return AddressCode.DELEGATED if is_delegated else AddressCode.CONTRACT


def contradicts(stored: str | None, text: str, signature: str, address: Address) -> str:
    """Why stored evidence doesn't prove that a wallet accepted a signature; empty if it does.

    Raises:
        ValueError, LookupError, TypeError, AttributeError: the evidence can't be read.
    """
    found = parse_json(stored or "")
    asked = question(text, bytes.fromhex(signature), address)
    if found["call"] != asked.call():
        return "The evidence is about another text, signature or wallet."
    if found["chainId"] != int(address.network.reference):
        return "The evidence is of another chain."
    if len(bytes.fromhex(found["block"]["hash"][2:])) != _WORD or found["block"]["number"] < 0:
        return "The evidence names no block."
    if not found["answers"] or not all(map(is_valid, found["answers"].values())):
        return "The wallet didn't accept the signature."
    return ""
