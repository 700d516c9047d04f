"""Every labelled case of the matrix: what happened is known, so the answer can be judged.

`truth` holds the causes that are right; a diagnosis may be uncertain, but never certainly wrong.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import base58
import coincurve
from tests.wallets.customers import (
    EVERY_FAMILY,
    IDS,
    RECOVERABLE,
    SIGN,
    Customer,
    address,
    case,
    challenge,
    customers,
    known,
    recorded,
    text_for,
)

from chainteller.wallets.diagnose import Case
from chainteller.wallets.hashes import keccak256
from chainteller.wallets.wording import (
    EXPIRED_CHALLENGE,
    NETWORK_MISMATCH,
    WRONG_MESSAGE_FORMAT,
    WRONG_WALLET_ADDRESS,
)

FAMILIES = EVERY_FAMILY
FOREIGN = FAMILIES[:4]
"""Whose signatures each family is asked about."""
BITCOIN_LIKE = frozenset({"bitcoin", "litecoin", "dogecoin", "bitcoin-cash"})
FORMAT = frozenset({WRONG_MESSAGE_FORMAT})
WALLET = frozenset({WRONG_WALLET_ADDRESS})
NETWORK = frozenset({NETWORK_MISMATCH})
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


@dataclass(frozen=True, slots=True)
class Labelled:
    """`finding` and `signer` are None where the label leaves them open."""

    family: str
    group: str
    name: str
    case: Case
    accepted: bool = False
    truth: frozenset[str] = FORMAT
    finding: str | None = None
    certain: bool | None = None
    signer: str | None = None


# Encodings: spelled from the bytes of one right signature.
def _wei(data: bytes) -> dict[str, object]:
    return {"r": "0x" + data[:32].hex(), "s": "0x" + data[32:64].hex(), "v": data[64]}


def _compact(data: bytes) -> bytes:
    return data[:32] + bytes([data[32] | (data[64] - 27) << 7]) + data[33:64]


SHARED: dict[str, Callable[[bytes], str]] = {
    "hex": bytes.hex,
    "0x hex": lambda data: "0x" + data.hex(),
    "upper-case hex": lambda data: data.hex().upper(),
    "base64": lambda data: base64.b64encode(data).decode(),
    "base64 unpadded": lambda data: base64.b64encode(data).decode().rstrip("="),
    "base64url": lambda data: base64.urlsafe_b64encode(data).decode(),
    "JSON array": lambda data: json.dumps(list(data)),
    "comma list": lambda data: ", ".join(map(str, data)),
    "index object": lambda data: json.dumps({str(i): octet for i, octet in enumerate(data)}),
    "Buffer object": lambda data: json.dumps({"type": "Buffer", "data": list(data)}),
    "Uint8Array": lambda data: f"Uint8Array({len(data)}) [ {', '.join(map(str, data))} ]",
    "signature object": lambda data: json.dumps({"signature": data.hex()}),
    "RPC result": lambda data: json.dumps({"jsonrpc": "2.0", "id": 1, "result": "0x" + data.hex()}),
}
R_S_V: dict[str, Callable[[bytes], str]] = {
    **SHARED,
    "v 0 or 1": lambda data: "0x" + data[:64].hex() + f"{data[64] - 27:02x}",
    "EIP-2098": lambda data: "0x" + _compact(data).hex(),
    "r, s, v object": lambda data: json.dumps(_wei(data)),
    "wallet JSON": lambda data: json.dumps({"address": "", "sig": data.hex(), "version": "2"}),
}
ENCODINGS: dict[str, dict[str, Callable[[bytes], str]]] = {
    "evm": R_S_V,
    "tron": R_S_V,
    "solana": {
        **SHARED,
        "base58": lambda data: base58.b58encode(data).decode(),
        "wallet JSON": lambda data: json.dumps(
            {"signature": base58.b58encode(data).decode(), "publicKey": "x"}
        ),
    },
    "bitcoin": {
        **SHARED,
        "armored": lambda data: (
            "-----BEGIN BITCOIN SIGNED MESSAGE-----\nx\n-----BEGIN BITCOIN SIGNATURE-----\n"
            f"{base64.b64encode(data).decode()}\n-----END BITCOIN SIGNATURE-----"
        ),
    },
}
ENCODINGS |= dict.fromkeys(BITCOIN_LIKE - {"bitcoin"}, ENCODINGS["bitcoin"])
ENCODINGS |= {"xrp": SHARED, "cosmos": SHARED}
ACCIDENTS: dict[str, Callable[[str], str]] = {
    "as is": lambda text: text,
    "spaces around": lambda text: f"  {text}\t",
    "line break after": lambda text: text + "\r\n",
    "no-break spaces": lambda text: f"\u00a0{text}\u00a0",
    "zero-width": lambda text: f"\u200b{text[:9]}\u200b{text[9:]}",
    "byte order mark": lambda text: "\ufeff" + text,
    "double quotes": lambda text: f"'{text}'" if '"' in text else f'"{text}"',
    "backticks": lambda text: f"`{text}`",
    "smart quotes": lambda text: f"\u201c{text}\u201d",
    "trailing comma": lambda text: text + ",",
    "label": lambda text: "Signature: " + text,
    "label and break": lambda text: f"Here it is.\nSignature:\n{text}\n",
}


def _wrapped(text: str) -> str:
    return "\n".join(text[start : start + 64] for start in range(0, len(text), 64))


def encodings(family: str) -> Iterator[Labelled]:
    for customer in customers(family):
        text = text_for(customer.registered)
        signature = customer.sign(text.encode())
        for encoding, spell in ENCODINGS[family].items():
            spelled = spell(signature)
            accidents = dict(ACCIDENTS)
            if not any(character in spelled for character in "{[,-"):
                accidents["wrapped"] = _wrapped
            for accident, damage in accidents.items():
                yield Labelled(
                    family,
                    f"encoding: {encoding}",
                    accident,
                    case(customer.registered, damage(spelled)),
                    accepted=True,
                    truth=frozenset(),
                )


# Altered texts: what the customer did, and the finding that names it.
ALTERATIONS: dict[str, tuple[Callable[[str], str], str]] = {
    "line feed after": (lambda text: text + "\n", "TRAILING_NEWLINE"),
    "CR LF after": (lambda text: text + "\r\n", "TRAILING_NEWLINE"),
    "space after": (lambda text: text + " ", "TRAILING_SPACE"),
    "space before": (lambda text: " " + text, "LEADING_SPACE"),
    "spaces around": (lambda text: f" {text} ", "SURROUNDING_SPACE"),
    "double quotes": (lambda text: f'"{text}"', "QUOTED_TEXT"),
    "single quotes": (lambda text: f"'{text}'", "QUOTED_TEXT"),
    "smart quotes": (lambda text: f"\u201c{text}\u201d", "QUOTED_TEXT"),
    "literal \\n": (lambda text: text + "\\n", "LITERAL_ESCAPES"),
    "80 columns": (
        lambda text: "\n".join(text[i : i + 80] for i in range(0, len(text), 80)),
        "LINE_BREAKS_ADDED",
    ),
    "hex of text": (lambda text: text.encode().hex(), "HEX_OF_TEXT"),
    "0x hex of text": (lambda text: "0x" + text.encode().hex(), "HEX_OF_TEXT"),
    "base64 of text": (lambda text: base64.b64encode(text.encode()).decode(), "BASE64_OF_TEXT"),
    "base58 of text": (lambda text: base58.b58encode(text).decode(), "BASE58_OF_TEXT"),
    "no-break spaces": (lambda text: text.replace(" ", "\u00a0"), "INVISIBLE_CHARACTERS"),
    "byte order mark": (lambda text: "\ufeff" + text, "INVISIBLE_CHARACTERS"),
    "zero-width after": (lambda text: text + "\u200b", "INVISIBLE_CHARACTERS"),
    "small letters": (str.lower, "LOWER_CASE_TEXT"),
    "capitals": (str.upper, "UPPER_CASE_TEXT"),
    "full stop lost": (lambda text: text[:-1], "FINAL_PERIOD_LOST"),
    "spaces lost": (lambda text: text.replace(" ", ""), "SPACES_CHANGED"),
    "double spaces": (lambda text: text.replace(". ", ".  "), "SPACES_CHANGED"),
    "label included": (lambda text: "Message: " + text, "LABEL_INCLUDED"),
    "bank's name left out": (lambda text: text.split(": ", 1)[1], "PART_OF_TEXT"),
}


def alterations(family: str) -> Iterator[Labelled]:
    spellings = dict(list(ENCODINGS[family].items())[:4])
    for customer in customers(family):
        text = text_for(customer.registered)
        for name, (alter, finding) in ALTERATIONS.items():
            signature = customer.sign(alter(text).encode())
            for spell in spellings.values():
                attempt = case(customer.registered, spell(signature))
                yield Labelled(family, "altered text", name, attempt, finding=finding, certain=True)


def _ecdsa(customer: Customer, digest: bytes) -> bytes:
    packed = coincurve.PrivateKey(customer.key).sign_recoverable(digest, hasher=None)
    return packed[:64] + bytes([27 + packed[64]])


def hashing(family: str) -> Iterator[Labelled]:
    for customer in customers(family):
        data = text_for(customer.registered).encode()
        for name, digest in (
            ("keccak as message", keccak256(data)),
            ("sha256 as message", hashlib.sha256(data).digest()),
        ):
            attempt = case(customer.registered, customer.answer(digest))
            # TronWeb's old trx.sign of the text's Keccak hash signs the same bytes.
            old = (family, name) == ("tron", "keccak as message")
            finding = "OLD_TRON_SIGN" if old else "HASH_OF_TEXT_SIGNED"
            yield Labelled(family, "hashed text", name, attempt, finding=finding, certain=True)
        if family not in RECOVERABLE:
            continue
        for name, digest in (
            ("eth_sign", keccak256(data)),
            ("bare sha256", hashlib.sha256(data).digest()),
            ("bare sha3", hashlib.sha3_256(data).digest()),
        ):
            attempt = case(customer.registered, customer.spell(_ecdsa(customer, digest)))
            yield Labelled(
                family, "hashed text", name, attempt, finding="RAW_HASH_SIGNED", certain=True
            )
        yield from _same_key_elsewhere(customer, data)


def _same_key_elsewhere(customer: Customer, data: bytes) -> Iterator[Labelled]:
    """What the registered key signs as a wallet of the other family, or as old ones did."""
    if customer.family == "evm":
        tron = customer.spell(SIGN["tron"](customer.key, data))
        yield Labelled(
            "evm", "hashed text", "TRON", case(customer.registered, tron), truth=NETWORK,
            finding="SIGNED_AS_TRON",
        )  # fmt: skip
        return
    ethereum = customer.spell(SIGN["evm"](customer.key, data))
    yield Labelled(
        "tron", "hashed text", "Ethereum", case(customer.registered, ethereum), truth=NETWORK,
        finding="SIGNED_AS_ETHEREUM", certain=True,
    )  # fmt: skip
    for network in (b"TRON", b"Ethereum"):
        for name, signed in (("text", data), ("hash", keccak256(data))):
            digest = keccak256(b"\x19" + network + b" Signed Message:\n32" + signed)
            if (network, name) == (b"Ethereum", "hash"):
                continue  # the same as an Ethereum message of the hash
            yield Labelled(
                "tron", "hashed text", f"trx.sign, {network.decode()} prefix, {name}",
                case(customer.registered, customer.spell(_ecdsa(customer, digest))),
                finding="OLD_TRON_SIGN", certain=True,
            )  # fmt: skip


def other_keys(family: str) -> Iterator[Labelled]:
    for customer in customers(family):
        for other in customers(family):
            if other is not customer:
                yield from _wrong_account(customer, other)
        for foreign_family in FOREIGN:
            if foreign_family != family:
                for foreign in customers(foreign_family):
                    yield from _wrong_family(customer, foreign)


def _wrong_account(customer: Customer, other: Customer) -> Iterator[Labelled]:
    registered, family = customer.registered, customer.family
    paste = other.answer(text_for(registered))
    shown = other.registered.display
    recovers = family in RECOVERABLE
    yield Labelled(
        # An Ed25519 key of the XRP Ledger comes with its signature: whose it is, is certain.
        family, "wrong account", "unknown", case(registered, paste), truth=WALLET,
        certain=len(other.key) == 33,
    )  # fmt: skip
    yield Labelled(
        family, "wrong account", "known", truth=WALLET, certain=True, signer=shown,
        finding="OTHER_REGISTERED_ADDRESS",
        case=case(registered, paste, known_addresses=known(other.registered)),
    )  # fmt: skip
    if recovers:
        yield Labelled(
            # Not certain: the registered address may be a contract that this wallet owns.
            family, "wrong account", "seen twice", truth=WALLET, certain=False, signer=shown,
            finding="SAME_STRANGER_TWICE",
            case=case(registered, paste, earlier_strangers=(shown.lower(),)),
        )  # fmt: skip


USUAL_FORM = {
    "evm": ("0x hex", "LOOKS_LIKE_ETHEREUM"),
    "solana": ("base58", "LOOKS_LIKE_SOLANA"),
    "bitcoin": ("base64", "LOOKS_LIKE_BITCOIN"),
    "tron": ("0x hex", "LOOKS_LIKE_ETHEREUM"),
}


def _wrong_family(customer: Customer, foreign: Customer) -> Iterator[Labelled]:
    registered = customer.registered
    usual, finding = USUAL_FORM[foreign.family]
    both = {customer.family, foreign.family}
    alike = both <= RECOVERABLE or both <= BITCOIN_LIKE
    for encoding, spell in ENCODINGS[foreign.family].items():
        paste = spell(foreign.sign(text_for(registered).encode()))
        yield Labelled(
            customer.family, "wrong network", f"{foreign.family} {encoding}",
            case(registered, paste),
            # Another key, and nothing in the bytes tells for which network: both causes are right.
            truth=NETWORK | WALLET if alike else NETWORK,
            certain=False if alike else None,
            finding=finding if encoding == usual and not alike else None,
        )  # fmt: skip
    paste = foreign.answer(text_for(registered))
    yield Labelled(
        customer.family, "wrong network", f"{foreign.family} known", truth=NETWORK, certain=True,
        finding="OTHER_REGISTERED_ADDRESS", signer=foreign.registered.display,
        case=case(registered, paste, known_addresses=known(foreign.registered)),
    )  # fmt: skip


def other_texts(family: str) -> Iterator[Labelled]:
    sibling_network = {
        "evm": "base", "solana": "solana-devnet", "tron": "tron-nile", "xrp": "xrp-testnet",
    }.get(family)  # fmt: skip
    for customer in customers(family):
        registered = customer.registered
        text = text_for(registered, IDS[1])
        for state, cause in (
            ("open", WRONG_MESSAGE_FORMAT), ("used", WRONG_MESSAGE_FORMAT),
            ("expired", EXPIRED_CHALLENGE),
        ):  # fmt: skip
            other = challenge(registered, challenge_id=IDS[1], state=state)
            yield Labelled(
                family, "other challenge", state, truth=frozenset({cause}), certain=True,
                finding="EARLIER_CHALLENGE", signer=registered.display,
                case=case(registered, customer.answer(text), other_challenges=(other,)),
            )  # fmt: skip
        if sibling_network:
            twin = address(registered.display, sibling_network)
            other = challenge(twin, challenge_id=IDS[1])
            yield Labelled(
                family, "other challenge", "other network", truth=NETWORK, certain=True,
                finding="EARLIER_CHALLENGE",
                case=case(registered, customer.answer(other.text), other_challenges=(other,)),
            )  # fmt: skip
        yield from _others_answer(customer)


def _others_answer(customer: Customer) -> Iterator[Labelled]:
    for other in customers(customer.family):
        if other is not customer:
            theirs = challenge(other.registered, challenge_id=IDS[1], counterparty_id="CPT_2")
            is_same = other.registered.network == customer.registered.network
            yield Labelled(
                customer.family, "other challenge", "other wallet",
                truth=WALLET | FORMAT if is_same else NETWORK, certain=True,
                finding="OTHER_CHALLENGE", signer=other.registered.display,
                case=case(
                    customer.registered, other.answer(theirs.text), other_challenges=(theirs,)
                ),
            )  # fmt: skip


def libraries(family: str) -> Iterator[Labelled]:
    """The recorded outputs of wallets' own libraries."""
    for row in recorded(family):
        registered = address(row["address"], row["network"])
        accepted = row["expect"] == "accepted"
        yield Labelled(
            family, f"library: {row['library']}", row["form"],
            case(registered, row["signature"], challenge=challenge(registered, text=row["text"])),
            accepted=accepted,
            truth=_truth_of(row["expect"]),
            finding=None if accepted else row["expect"],
        )  # fmt: skip


def _truth_of(expected: str) -> frozenset[str]:
    if expected == "accepted":
        return frozenset()
    return NETWORK if expected.startswith("SIGNED_") else FORMAT | WALLET


def carried_keys(family: str) -> Iterator[Labelled]:
    """BIP-322 proofs made for another address: all but taproot's carry the key that made them."""
    registered = customers(family)[0].registered
    for row in recorded(family):
        if row["library"].startswith("bip322") and row["expect"] == "accepted":
            carries = row["form"].startswith(("p2wpkh", "p2sh"))
            if carries or row["form"].startswith("p2tr"):
                attempt = challenge(registered, text=row["text"])
                yield Labelled(
                    family, "wrong account", row["form"], truth=WALLET, certain=carries,
                    finding="OTHER_ADDRESS_OF_KEY" if carries else "NO_MATCH",
                    signer=row["address"] if carries else None,
                    case=case(registered, row["signature"], challenge=attempt),
                )  # fmt: skip


def all_cases(family: str) -> Iterator[Labelled]:
    for group in (
        encodings,
        alterations,
        hashing,
        other_keys,
        other_texts,
        libraries,
        carried_keys,
    ):
        yield from group(family)
    from tests.wallets.matrix_damage import damages  # noqa: PLC0415 - it imports this module

    yield from damages(family)
