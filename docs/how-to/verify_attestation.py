"""Verify a wallet attestation without chainteller: python verify_attestation.py FILE.json.

pip install base58 bip322 btclib eth-account pynacl

It proves that the key of an address signed a text. The file itself isn't signed by a bank: nothing
else in it is proven. What is printed of it is escaped.
"""

import base64
import json
import sys
from pathlib import Path

import base58
import bip322
from btclib.ecc import bms
from eth_account import Account
from eth_account.messages import SignableMessage, encode_defunct
from nacl.signing import VerifyKey

sys.excepthook = lambda kind, fault, _: print(
    f"NOT VERIFIED: {kind.__name__}: {str(fault)!a}", file=sys.stderr
)
found = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
for name in ("address", "scheme", "signature", "text"):
    if not isinstance(found[name], str) or not found[name].isprintable():
        sys.exit(f"NOT VERIFIED: {name} isn't a text, or has control characters")
text, address, scheme = found["text"].encode(), found["address"], found["scheme"]
signature, size = bytes.fromhex(found["signature"]), len(found["text"].encode())
if address not in found["text"]:
    sys.exit("NOT VERIFIED: the text doesn't name the address")
if scheme == "eip191":
    signer = Account.recover_message(encode_defunct(text), signature=signature)
elif scheme == "tip191":
    tron = SignableMessage(b"T", b"RON Signed Message:\n" + str(size).encode(), text)
    signer = Account.recover_message(tron, signature=signature)
    signer = base58.b58encode_check(b"\x41" + bytes.fromhex(signer[2:])).decode()
elif scheme.startswith("ed25519"):
    key, mark = base58.b58decode(address), b"\xffsolana offchain"
    length = size.to_bytes(2, "little")
    envelope = {
        "ed25519": b"",
        "ed25519-offchain-v0-short": mark + b"\0\0" + length,
        "ed25519-offchain-v0": mark + bytes(34) + b"\1" + key + length,
        "ed25519-offchain-v1": mark + b"\1\1" + key,
    }[scheme]
    VerifyKey(key).verify(envelope + text, signature)  # raises BadSignatureError
    signer = address
elif scheme == "bip137":
    kinds = [bytes([at + (signature[0] - 27) % 4]) + signature[1:] for at in range(27, 43, 4)]
    spelt = [base64.b64encode(each).decode() for each in kinds]
    signer = address if any(bms.verify(text, address, each) for each in spelt) else "another key"
elif scheme == "bip322-simple":
    encoded = base64.b64encode(signature).decode()
    bip322.verify_simple_encoded(address, found["text"], encoded)  # raises if it's wrong
    signer = address
else:
    sys.exit(f"NOT VERIFIED: this script doesn't know {scheme!a}")
if signer != address:
    sys.exit(f"NOT VERIFIED: signed by {signer!a}")
print(f"verified: text and signature match, by the key of {address!a}")
print(f"text: {found['text']!a}")
print("This file isn't signed by a bank: nothing else in it is proven.")
