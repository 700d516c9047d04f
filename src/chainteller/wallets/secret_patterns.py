"""The forms in which wallets write private keys, as a list: a pattern and the check that proves it.

To add a form, add a line. The check sees what the pattern found and says whether it is a secret of
this kind; where a form has a checksum the check computes it.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass

import base58

_BASE58 = "1-9A-HJ-NP-Za-km-z"
_EDGES = r"(?<![0-9A-Za-z]){}(?![0-9A-Za-z])"
_NOT_IN_BASE64 = r"(?<![0-9A-Za-z+/_-]){}(?![0-9A-Za-z+/=_-])"
"""Of forms that are told by their shape: signatures in base64 have words of every length."""
_OF_2048 = "[01][0-9]{3}|20(?:[0-3][0-9]|4[0-7])"
"""The number of a recovery word in its list, as SeedQR writes it."""


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """`kind` names the secret in a sentence; `check` decides about each match of `pattern`."""

    kind: str
    pattern: re.Pattern[str]
    check: Callable[[str], bool]


def _base58_check(text: str, alphabet: bytes = base58.BITCOIN_ALPHABET) -> bytes:
    try:
        return base58.b58decode_check(text, alphabet=alphabet)
    except ValueError:
        return b""


def _is_wif(text: str) -> bool:
    """Of Bitcoin, Litecoin, Dogecoin, Dash and their test networks."""
    payload = _base58_check(text)
    if not payload:
        return False
    compressed = len(payload) == 34 and payload[-1] == 1
    return payload[0] >= 0x80 and (compressed or len(payload) == 33)


def _is_mini_key(text: str) -> bool:
    """Casascius coins: the hash of the key and "?" begins with a zero byte."""
    return hashlib.sha256(f"{text}?".encode()).digest()[0] == 0


def _is_stellar_seed(text: str) -> bool:
    try:
        data = base64.b32decode(text)
    except binascii.Error:
        return False
    return data[0] == 18 << 3 and binascii.crc_hqx(data[:-2], 0).to_bytes(2, "little") == data[-2:]


def _is_xrp_seed(text: str) -> bool:
    payload = _base58_check(text, base58.RIPPLE_ALPHABET)
    return (payload[:1] == b"\x21" and len(payload) == 17) or payload[:3] == b"\x01\xe1\x4b"


def _is_solana_pair(text: str) -> bool:
    from nacl.bindings import crypto_sign_seed_keypair  # noqa: PLC0415 - for these alone

    data = base58.b58decode(text)
    return len(data) == 64 and crypto_sign_seed_keypair(data[:32])[0] == data[32:]


def _form(expression: str) -> re.Pattern[str]:
    return re.compile(_EDGES.format(expression), re.ASCII)


def _shape(expression: str) -> re.Pattern[str]:
    return re.compile(_NOT_IN_BASE64.format(expression), re.ASCII)


PATTERNS: tuple[SecretPattern, ...] = (
    SecretPattern("a private key (WIF)", _form(f"[{_BASE58}]{{51,52}}"), _is_wif),
    # A typing error does not make a private key public property: its shape is enough.
    SecretPattern(
        "a private key (WIF)",
        _shape(f"[5KL9c][{_BASE58}]{{50,51}}"),
        lambda _: True,
    ),
    SecretPattern(
        "an encrypted private key (BIP-38)", _shape(f"6P[{_BASE58}]{{56}}"),
        lambda _: True,
    ),
    SecretPattern(
        "a private key (mini key)",
        _shape(f"S(?:[{_BASE58}]{{21}}|[{_BASE58}]{{25}}|[{_BASE58}]{{29}})"), _is_mini_key,
    ),
    # Numbers of words, four digits each. Twelve in a row below 2048 are no accident.
    SecretPattern(
        "a recovery phrase (SeedQR)", _form(f"(?:(?:{_OF_2048}){{3}}){{4,8}}"), lambda _: True
    ),
    SecretPattern("a secret seed of Stellar", _form("S[A-Z2-7]{55}"), _is_stellar_seed),
    SecretPattern("a private key of Sui", _form("suiprivkey1[0-9a-z]{50,80}"), lambda _: True),
    SecretPattern(
        "a private key of Tezos",
        _form(f"(?:edsk|edesk|spsk|p2sk|spesk|p2esk|BLsk|BLesk)[{_BASE58}]{{44,100}}"),
        lambda _: True,
    ),
    SecretPattern("a family seed of XRP", _form(f"s[{_BASE58}]{{27,30}}"), _is_xrp_seed),
    SecretPattern(
        "a private key of Cardano",
        _form(
            r"(?:(?:root|acct|addr|stake|policy|payment|drep|cc_cold|cc_hot|pool|vrf|kes)"
            r"_(?:shared_)?x?sk1|ed25519(?:e|_?bip32|)_sk1|xprv1|ed25519bip32_sk1)[0-9a-z]{50,250}",
        ),
        lambda _: True,
    ),
    SecretPattern(
        "a private key of Cardano",
        re.compile(r"SigningKey\w{0,40}[^{}]{0,200}cborHex", re.ASCII | re.DOTALL),
        lambda _: True,
    ),
    SecretPattern("a private key of NEAR", re.compile(f"ed25519:[{_BASE58}]{{80,90}}", re.ASCII),
                  lambda text: _is_solana_pair(text.partition(":")[2])),
    SecretPattern("a private key of Nostr", _form("nsec1[0-9a-z]{50,70}"), lambda _: True),
    SecretPattern(
        "a private key of age", _form("AGE-SECRET-KEY-1[0-9A-Z]{50,70}"), lambda _: True
    ),
    SecretPattern(
        "a private key (JWK)",
        re.compile(
            r"""["']kty["'][^{}]{0,600}["']d["']\s*:|["']d["']\s*:[^{}]{0,600}["']kty["']""",
            re.ASCII,
        ),
        lambda _: True,
    ),
    SecretPattern(
        "a seed (UR)",
        re.compile(r"\bur:(?:crypto-)?(?:seed|sskr|bip39)/", re.ASCII | re.IGNORECASE),
        lambda _: True,
    ),
    SecretPattern(
        "an extended private key", _form(f"[a-zA-Z]prv[{_BASE58}]{{80,}}"), lambda _: True
    ),
)  # fmt: skip


def find_pattern(text: str) -> str | None:
    """The kind of the first secret in the text that its check confirms, or None."""
    for each in PATTERNS:
        for number, match in enumerate(each.pattern.finditer(text)):
            if each.check(match[0]):
                return each.kind
            if number == 8:
                break
    return None
