"""Verify a wallet attestation without chainteller: python verify_attestation.py FILE.json KEY.

pip install base58 bip322 btclib eth-account pynacl

KEY is the bank's verifier key (NAME+ID+KEY), which you have from the bank itself, never from the
file. Exit code 0: the bank's key signed all that is printed, its log has the claim, and the key of
the wallet signed the text. Exit code 3: some of this wasn't checked; the first line says what. Exit
code 1: something is wrong. Nothing is printed that wasn't checked, and what is printed is escaped.
"""

import base64
import hashlib
import json
import re
import sys
from pathlib import Path

import base58
import bip322
from btclib.ecc import bms
from Crypto.Hash import RIPEMD160
from eth_account import Account
from eth_account.messages import SignableMessage, encode_defunct
from eth_keys import keys
from eth_keys.exceptions import BadSignature
from eth_utils import ValidationError, keccak
from nacl.signing import VerifyKey

KIND = "chainteller wallet attestation, version 2"
FAMILIES = {
    "eip191": "eip155", "tip191": "tron", "bip137": "bip122", "bip322-simple": "bip122",
    "bip137-litecoin": "bip122", "bip137-dogecoin": "bip122", "xrpl-secp256k1": "xrpl",
    "xrpl-ed25519": "xrpl", "adr36": "cosmos", "adr36-keccak256": "cosmos",
}  # fmt: skip
COINS = {
    "12a765e31ffd4059bada1e25190f6e98": ("Litecoin", 48, 50, "ltc"),
    "1a91e3dace36e2be3bf030a65679fe82": ("Dogecoin", 30, None, None),
    "000000000000000000651ef99cb9fcbe": ("Bitcoin", 0, None, "bitcoincash"),
}
"""Of a chain's reference: what its messages are called, its versions of addresses, its prefix."""
CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
BECH32 = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
CASHADDR = (0x98F2BC8E61, 0x79B76D99E2, 0xF33E5FB3C4, 0xAE2EABE2A8, 0x1E4F43E470)
CHAIN, KEY_NOT_KEPT = "what a chain said", "an extended public key, which the bank doesn't keep"
NOT_CHECKED = {"contract": CHAIN, "transfer": CHAIN, "derivation": KEY_NOT_KEPT}
FACTS = (
    *("account", "id", "method", "level", "scheme", "signer", "text", "signature", "challengeId"),
    *("counterpartyId", "blockchainAccountId", "created", "linkedAt", "status", "attestedAt"),
    *("entry", "leaf"),
)


class Refused(Exception):
    """What is wrong, in words of this script alone."""


def require(condition, what):
    if not condition:
        raise Refused(what)


def signed_text(note, key):
    """The text of a signed note (c2sp.org/signed-note), signed by the key."""
    name, key_id, public = re.fullmatch(
        r"([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})", key
    ).groups()
    raw = base64.b64decode(public, validate=True)
    hashed = hashlib.sha256(name.encode() + b"\n" + raw).digest()[:4]
    require(raw[0] == 1 and hashed.hex() == key_id, "the key isn't an Ed25519 verifier key")
    text, blank, lines = note.rpartition("\n\n")
    require(blank and lines.endswith("\n"), "a note isn't signed")
    for line in lines[:-1].split("\n"):
        dash, signer, signature = line.split(" ")
        value = base64.b64decode(signature, validate=True)
        if (dash, signer, value[:4]) == ("\u2014", name, hashed):
            VerifyKey(raw[1:]).verify(f"{text}\n".encode(), value[4:])  # raises BadSignatureError
            return text + "\n", name
    raise Refused("the key didn't sign it")


def root(leaf, index, size, hashes):
    """The root of a tree of so many leaves, from one leaf and its proof (RFC 9162, 2.1.3.2)."""
    require(0 <= index < size, "the entry is after the head")
    last, found, left = size - 1, leaf, list(hashes)
    while last:
        if index % 2 or index < last:
            one = left.pop(0)
            pair = one + found if index % 2 else found + one
            found = hashlib.sha256(b"\1" + pair).digest()
        index, last = index // 2, last // 2
    require(not left, "the proof is too long")
    return found


def attested(document, key):
    """The facts that the bank signed and whose entry its log has, and the log's name."""
    text, name = signed_text(document["note"], key)
    kind, origin, line, end = text.split("\n")
    facts = json.loads(line)
    require((kind, origin, end) == (KIND, name, ""), "the note is about something else")
    head, _ = signed_text(document["checkpoint"], key)
    lines = head.split("\n")
    hashes = [base64.b64decode(each, validate=True) for each in document["hashes"]]
    leaf = base64.b64decode(facts["leaf"], validate=True)
    found = root(leaf, facts["entry"] - 1, int(lines[1]), hashes)
    require(lines[0] == name, "the head is of another log")
    require(base64.b64encode(found).decode() == lines[2], "the log doesn't have the claim")
    return facts, name


def hash160(data):
    return RIPEMD160.new(hashlib.sha256(data).digest()).digest()


def checked(start, head, data, code):
    """The characters of head and data, with a checksum of the code."""
    size, bits = 8 if code is CASHADDR else 6, "".join(f"{octet:08b}" for octet in data)
    bits += "0" * (-len(bits) % 5)
    digits = [*head, *(int(bits[at : at + 5], 2) for at in range(0, len(bits), 5))]
    check, kept = 1, 5 * size - 5
    for digit in start + digits + [0] * size:
        top, check = check >> kept, (check & (1 << kept) - 1) << 5 ^ digit
        for place, factor in enumerate(code):
            check ^= factor * (top >> place & 1)
    check ^= 1
    digits += [check >> 5 * (size - 1 - place) & 31 for place in range(size)]
    return "".join(CHARSET[digit] for digit in digits)


def bech32(prefix, head, data):
    start = [ord(each) >> 5 for each in prefix] + [0] + [ord(each) & 31 for each in prefix]
    return f"{prefix}1{checked(start, head, data, BECH32)}"


def recovered(digest, numbers, ids):
    """The public keys of r and s; an id that no key has is left out."""
    for each in ids:
        signature = keys.Signature(vrs=(each, *numbers))
        try:
            yield signature.recover_public_key_from_msg_hash(digest)
        except (BadSignature, ValidationError):
            continue


def numbers_of(data):
    return int.from_bytes(data[:32], "big"), int.from_bytes(data[32:], "big")


def der_numbers(data):
    size = data[3]
    return int.from_bytes(data[4 : 4 + size], "big"), int.from_bytes(data[6 + size :], "big")


def coin_addresses(reference, message, signature):
    """The addresses of the key of a message signature of Bitcoin's relatives."""
    name, p2pkh, p2sh, prefix = COINS[reference]
    magic, length = name.encode() + b" Signed Message:\n", len(message)
    size = bytes([length]) if length < 253 else b"\xfd" + length.to_bytes(2, "little")
    framed = bytes([len(magic)]) + magic + size + message
    digest = hashlib.sha256(hashlib.sha256(framed).digest()).digest()
    for key in recovered(digest, numbers_of(signature[1:]), [(signature[0] - 27) % 4]):
        is_short = signature[0] >= 31
        hashed = hash160(key.to_compressed_bytes() if is_short else b"\4" + key.to_bytes())
        if prefix == "bitcoincash":
            yield checked([ord(each) & 31 for each in prefix] + [0], [], b"\0" + hashed, CASHADDR)
            continue
        yield base58.b58encode_check(bytes([p2pkh]) + hashed).decode()
        if p2sh and is_short:
            nested = bytes([p2sh]) + hash160(b"\0\x14" + hashed)
            yield base58.b58encode_check(nested).decode()
            yield bech32(prefix, [0], hashed)


def xrp_address(key):
    return base58.b58encode_check(b"\0" + hash160(key), alphabet=base58.XRP_ALPHABET).decode()


def xrp_addresses(scheme, message, signature):
    if scheme == "xrpl-ed25519":
        VerifyKey(signature[1:33]).verify(message, signature[33:])  # raises BadSignatureError
        yield xrp_address(signature[:33])
        return
    digest = hashlib.sha512(message).digest()[:32]
    for key in recovered(digest, der_numbers(signature), (0, 1)):
        yield xrp_address(key.to_compressed_bytes())


def cosmos_addresses(scheme, message, signature, signer):
    """Of a message by ADR-036, which names its signer."""
    value = {"data": base64.b64encode(message).decode(), "signer": signer}
    document = {
        "account_number": "0", "chain_id": "", "fee": {"amount": [], "gas": "0"}, "memo": "",
        "msgs": [{"type": "sign/MsgSignData", "value": value}], "sequence": "0",
    }  # fmt: skip
    signed, prefix = json.dumps(document, separators=(",", ":")).encode(), signer.split("1")[0]
    is_plain = scheme == "adr36"
    digest = hashlib.sha256(signed).digest() if is_plain else keccak(signed)
    for key in recovered(digest, numbers_of(signature), (0, 1)):
        short = hash160(key.to_compressed_bytes())
        yield bech32(prefix, [], short if is_plain else key.to_canonical_address())


def require_wallet_signed(facts):
    """Raises whatever is wrong: that the wallet's key didn't sign a text that names the wallet, or
    the challenge that the facts say was the wallet's."""
    text, scheme, account = (facts[name] for name in ("text", "scheme", "account"))
    namespace, reference, address = account.split(":")
    lines, challenge = text.split("\n"), facts.get("challengeId", "").removeprefix("CHG_")
    is_plain = all(each.isascii() and each.isprintable() for each in lines)
    require(is_plain, "the text isn't printable")
    names_challenge = challenge.isalnum() and challenge in text.split("-")
    require(
        address.isalnum() and (address in text or names_challenge),
        "the text names neither the address nor the challenge",
    )
    family = "solana" if scheme.startswith("ed25519") else FAMILIES.get(scheme)
    require(family == namespace, "this script doesn't know the scheme of the signature")
    signature, message = bytes.fromhex(facts["signature"]), text.encode()
    length = len(message)
    if scheme == "eip191":
        signer = Account.recover_message(encode_defunct(message), signature=signature)
    elif scheme == "tip191":
        tron = SignableMessage(b"T", b"RON Signed Message:\n" + str(length).encode(), message)
        signer = Account.recover_message(tron, signature=signature)
        signer = base58.b58encode_check(b"\x41" + bytes.fromhex(signer[2:])).decode()
    elif family == "solana":
        key, mark = base58.b58decode(address), b"\xffsolana offchain"
        size = length.to_bytes(2, "little")
        envelope = {
            "ed25519": b"",
            "ed25519-offchain-v0-short": mark + b"\0\0" + size,
            "ed25519-offchain-v0": mark + bytes(34) + b"\1" + key + size,
            "ed25519-offchain-v1": mark + b"\1\1" + key,
        }[scheme]
        VerifyKey(key).verify(envelope + message, signature)  # raises BadSignatureError
        signer = address
    elif reference in COINS or family in {"xrpl", "cosmos"}:
        found = (
            coin_addresses(reference, message, signature)
            if reference in COINS
            else xrp_addresses(scheme, message, signature)
            if family == "xrpl"
            else cosmos_addresses(scheme, message, signature, address)
        )
        signer = address if address in found else ""
    elif scheme == "bip137":
        kinds = [bytes([at + (signature[0] - 27) % 4]) + signature[1:] for at in range(27, 43, 4)]
        spelt = [base64.b64encode(each).decode() for each in kinds]
        signer = address if any(bms.verify(message, address, each) for each in spelt) else ""
    else:
        encoded = base64.b64encode(signature).decode()
        bip322.verify_simple_encoded(address, text, encoded)  # raises if it's wrong
        signer = address
    require(signer == address, "another key signed the text")


def main(file, key=None):
    document = json.loads(Path(file).read_text(encoding="utf-8"))
    require(document["type"] == KIND, "not an attestation of this version")
    if "note" in document:
        require(key is not None, "the bank's verifier key is missing: give it after the file")
        facts, bank = attested(document, key)
        unchecked = NOT_CHECKED.get(facts["method"])
        if unchecked:
            print(f"signed by {bank!a}: {facts['account']!a}; NOT CHECKED: {unchecked}")
        else:
            require_wallet_signed(facts)
            print(f"verified: {facts['account']!a} by {bank!a}")
        for name in FACTS:
            if name in facts:
                print(f"{name}: {facts[name]!a}")
        return 3 if unchecked else 0
    facts = document["facts"]
    require_wallet_signed(facts)
    address = facts["account"].split(":")[2]
    print(f"text and signature match; not by a bank: {address!a}")
    print(f"text: {facts['text']!a}")
    return 3


def run(arguments):
    try:
        return main(*arguments)
    except Refused as wrong:
        print(f"NOT VERIFIED: {wrong}")
    except Exception as fault:  # noqa: BLE001 - a file may be wrong in any way
        print(f"NOT VERIFIED: {type(fault).__name__}")
    return 1


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:3]))
