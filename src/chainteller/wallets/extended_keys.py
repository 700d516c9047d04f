"""Extended public keys (BIP-32) as evidence: an address beside one that signed.

Whoever knows an extended public key and the private key of one address that follows from it can
calculate the private keys of all the others (BIP-32, "Implications"). So a signature by one of the
addresses says something of every other one. The extended key alone says nothing: wallets give it
to services.
"""

import hmac
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

import base58

from chainteller.domain.canonical import canonical
from chainteller.domain.json_depth import parse_json
from chainteller.domain.pasting import without_invisibles
from chainteller.wallets.cases import Case, Diagnosis
from chainteller.wallets.curve import curve
from chainteller.wallets.family import Address
from chainteller.wallets.proof import Proof
from chainteller.wallets.secp256k1 import compress, decompress
from chainteller.wallets.wording import (
    NETWORK_MISMATCH,
    WRONG_MESSAGE_FORMAT,
    WRONG_WALLET_ADDRESS,
    Wording,
)

SCHEME = "bip32"
DEPTH = 100
"""How many addresses of each chain are looked at: five times the gap limit of BIP-44."""
_KEY = re.compile(
    r"(?<![0-9A-Za-z])(?:[xyztuvYZUV]pub|[LMt]tub|[dt]gub)[1-9A-HJ-NP-Za-km-z]{90,120}"
    r"(?![0-9A-Za-z])(?P<path>[0-9/*<>;hH']*)",
    re.ASCII,
)
_LONGEST = 1_000
_SEVERAL_KEYS = re.compile(r"multi\(|musig\(", re.ASCII)
_SIZE = 78


class _Kind(NamedTuple):
    """What four version bytes stand for (SLIP-132): main or test networks, of one family or of all
    (empty). Wallets of several owners have versions of their own."""

    name: str
    family: str = ""
    is_main: bool = False
    is_shared: bool = False


_BITCOIN = _Kind("bitcoin", "bitcoin", is_main=True)
_LITECOIN = _Kind("litecoin", "litecoin", is_main=True)
_BITCOIN_TEST = _Kind("Bitcoin's test networks", "bitcoin")
_KINDS: Mapping[str, _Kind] = {
    "0488b21e": _Kind("main networks", is_main=True),
    "043587cf": _Kind("test networks"),
    **dict.fromkeys(("049d7cb2", "04b24746"), _BITCOIN),
    **dict.fromkeys(("0295b43f", "02aa7ed3"), _BITCOIN._replace(is_shared=True)),
    **dict.fromkeys(("044a5262", "045f1cf6"), _BITCOIN_TEST),
    **dict.fromkeys(("024289ef", "02575483"), _BITCOIN_TEST._replace(is_shared=True)),
    **dict.fromkeys(("019da462", "01b26ef6"), _LITECOIN),
    "0436f6e1": _Kind("Litecoin's test network", "litecoin"),
    "02facafd": _Kind("dogecoin", "dogecoin", is_main=True),
    "0432a9a8": _Kind("Dogecoin's test network", "dogecoin"),
}
_ASK_SIGN = "Could you sign our message with this address instead?"
_WORDINGS: Mapping[str, Wording] = {
    "EXTENDED_KEY_DAMAGED": Wording(
        WRONG_MESSAGE_FORMAT,
        "This is an extended public key with a wrong checksum: a part of it is missing or changed.",
        "Could you copy the whole extended public key from your wallet once more?",
        "Ask for the complete key.",
    ),
    "EXTENDED_KEY_NETWORK": Wording(
        NETWORK_MISMATCH,
        "This is an extended public key of {what}; this address is on {network}.",
        "Could you copy the extended public key of your {network} account?",
        "Ask for the key of the account that has this address, or for a signature.",
    ),
    "EXTENDED_KEY_UNSUPPORTED": Wording(
        WRONG_MESSAGE_FORMAT,
        "No address can be derived from this: {what}.",
        _ASK_SIGN,
        "Have this address sign its message.",
    ),
    "EXTENDED_KEY_OTHER": Wording(
        WRONG_WALLET_ADDRESS,
        "None of the first {depth} addresses of this extended public key is the registered one.",
        "Which account of your wallet has the address that ends in {expected_end}? Could you copy "
        "that account's extended public key?",
        "Ask for the key of the account that has this address, or for a signature.",
    ),
    "EXTENDED_KEY_ALONE": Wording(
        WRONG_MESSAGE_FORMAT,
        "The address is derived from this extended public key, and no address of the key is "
        "verified by a signature for this customer. An extended public key alone proves nothing: "
        "wallets give it to services.",
        _ASK_SIGN,
        "Verify one address of the key by a signature and link it; then paste the key again.",
    ),
    "EXTENDED_KEYS_OFF": Wording(
        WRONG_MESSAGE_FORMAT,
        "This is an extended public key, and the bank doesn't take any as evidence.",
        _ASK_SIGN,
        "Have this address sign its message.",
    ),
}


class UnusableKey(ValueError):
    """An extended public key that nothing can be derived from: a finding, and what is wrong."""

    def __init__(self, finding: str, what: str = "") -> None:
        self.finding, self.what = finding, what
        super().__init__(finding)


@dataclass(frozen=True, slots=True)
class ExtendedKey:
    """A public key x ‖ y with its chain code; it's kept nowhere."""

    kind: _Kind
    key: bytes
    chain: bytes

    @property
    def digest(self) -> str:
        """The SHA-256 of key and chain code, in hex: it tells keys apart and reveals none."""
        return sha256(compress(self.key) + self.chain).hexdigest()

    def child(self, index: int) -> "ExtendedKey | None":
        """The key of a number below 2^31; None where it has none, as once in 2^127 times."""
        data = compress(self.key) + index.to_bytes(4, "big")
        made = hmac.digest(self.chain, data, "sha512")
        key = curve().plus(self.key, made[:32])
        return None if key is None else ExtendedKey(self.kind, key, made[32:])

    def paths(self, addresses: Sequence[Address]) -> dict[str, str]:
        """The path of each of the addresses that is found, by its canonical form: ``0/7``.

        Looks at the first ``DEPTH`` of both chains of an account, and of the key itself.
        """
        found: dict[str, str] = {}
        for path, key in self._derived():
            for address in addresses:
                if address.network.family.owns(key, address):
                    found.setdefault(address.canonical, path)
            if len(found) == len({each.canonical for each in addresses}):
                break
        return found

    def _derived(self) -> Iterator[tuple[str, bytes]]:
        chains = {"0/": self.child(0), "1/": self.child(1), "": self}
        for prefix, chain in chains.items():
            for index in range(DEPTH):
                child = chain and chain.child(index)
                if child:
                    yield f"{prefix}{index}", child.key


def has_extended_key(text: str) -> bool:
    """Whether a text has an extended public key anywhere in it."""
    return _KEY.search(without_invisibles(text)) is not None


def is_extended_key(text: str) -> bool:
    """Whether a text is an extended public key, or a descriptor of one, and nothing else."""
    return len(text) <= _LONGEST and len(text.split()) == 1 and _KEY.search(text) is not None


def read(text: str, address: Address) -> ExtendedKey:
    """The extended public key in a text, for an address that may be derived from it.

    Raises:
        UnusableKey: nothing can be derived from it, or it's another network's.
    """
    found = [*_KEY.finditer(text)]
    if len(found) != 1 or _SEVERAL_KEYS.search(text):
        raise UnusableKey("EXTENDED_KEY_UNSUPPORTED", "it has several keys")
    written = found[0][0].removesuffix(found[0]["path"])
    try:
        data = base58.b58decode_check(written)
    except ValueError:
        raise UnusableKey("EXTENDED_KEY_DAMAGED") from None
    kind, key = _KINDS.get(data[:4].hex()), decompress(data[45:])
    if len(data) != _SIZE or kind is None or key is None:
        raise UnusableKey("EXTENDED_KEY_DAMAGED")
    if re.search("[hH']", found[0]["path"]):
        raise UnusableKey("EXTENDED_KEY_UNSUPPORTED", "its path is hardened, which takes a secret")
    if kind.is_shared:
        raise UnusableKey("EXTENDED_KEY_UNSUPPORTED", "it's of a wallet with several keys")
    network = address.network
    if network.main != kind.is_main or kind.family not in ("", network.family.name):
        raise UnusableKey("EXTENDED_KEY_NETWORK", kind.name)
    if not network.family.recovers_keys:
        what = f"{network.family.label} addresses don't follow from an extended public key"
        raise UnusableKey("EXTENDED_KEY_UNSUPPORTED", what)
    return ExtendedKey(kind, key, data[13:45])


class Anchor(NamedTuple):
    """An address of the customer that is verified by a signature, with its claim."""

    claim_id: str
    address: Address


class Derived(NamedTuple):
    """An address that is derived from the same extended key as one that signed."""

    address: Address
    digest: str
    path: str
    anchor: Anchor
    anchor_path: str

    def proof(self) -> Proof:
        """What the claim keeps: it rests on the claim of the address that signed."""
        return Proof(SCHEME, self.anchor.claim_id, self.address.display)

    def evidence(self) -> str:
        """What is kept beside it: neither the key nor its chain code."""
        kept = {"key": self.digest, "path": self.path, "anchorPath": self.anchor_path}
        return canonical(kept)


def contradicts(stored: str) -> str:
    """Why stored evidence isn't that of a derived address; empty if it is.

    Raises:
        ValueError, LookupError, TypeError: it can't be read.
    """
    found = parse_json(stored)
    paths = found["path"], found["anchorPath"]
    if len(bytes.fromhex(found["key"])) != 32 or set(found) != {"key", "path", "anchorPath"}:
        return "The evidence isn't that of an extended key."
    if paths[0] == paths[1] or not all(re.fullmatch(r"(?:[01]/)?\d{1,2}", each) for each in paths):
        return "The evidence names a path that isn't looked at."
    return ""


def judge(
    case: Case, anchors: Sequence[Anchor], *, is_taken: bool
) -> tuple[Diagnosis, Derived | None]:
    """Judge an extended public key that was pasted for a challenge; ``is_taken`` is the bank's
    policy. Which other address signed is told to the agent.
    """
    address = case.challenge.address
    if not is_taken:
        return _refusal(case, "EXTENDED_KEYS_OFF"), None
    try:
        key = read(case.signature.strip(), address)
    except UnusableKey as unusable:
        return _refusal(case, unusable.finding, unusable.what), None
    own = [each for each in anchors if each.address.network.family is address.network.family]
    others = [each for each in own if each.address.canonical != address.canonical]
    paths = key.paths([address, *(each.address for each in others)])
    if address.canonical not in paths:
        return _refusal(case, "EXTENDED_KEY_OTHER"), None
    anchor = next((each for each in others if each.address.canonical in paths), None)
    if anchor is None:
        return _refusal(case, "EXTENDED_KEY_ALONE"), None
    anchor_path = paths[anchor.address.canonical]
    derived = Derived(address, key.digest, paths[address.canonical], anchor, anchor_path)
    return _acceptance(derived), derived


def _acceptance(derived: Derived) -> Diagnosis:
    return Diagnosis(
        accepted=True,
        proof=derived.proof(),
        cause=None,
        certain=True,
        finding="ACCEPTED",
        explanation=f"The address is number {derived.path} of the same extended public key as "
        f"{derived.anchor.address.display}, which signed a message. The key isn't kept.",
        ask_customer="Thank you, that is all we need.",
        recovered_address=None,
        other_challenge_id=None,
        other_counterparty_id=None,
        suggestion="Submit it to open the claim. It's worth less than a signature.",
    )


def _refusal(case: Case, finding: str, what: str = "") -> Diagnosis:
    wording, address = _WORDINGS[finding], case.challenge.address
    facts = {
        "network": address.network.name,
        "expected_end": address.display[-6:],
        "what": what,
        "depth": DEPTH,
    }
    return Diagnosis(
        accepted=False,
        proof=None,
        cause=wording.cause,
        certain=finding != "EXTENDED_KEY_OTHER",
        finding=finding,
        explanation=wording.explanation.format_map(facts),
        ask_customer=wording.ask_customer.format_map(facts),
        recovered_address=None,
        other_challenge_id=None,
        other_counterparty_id=None,
        suggestion=wording.suggestion.format_map(facts),
    )
