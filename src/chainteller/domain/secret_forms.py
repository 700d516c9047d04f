"""The forms in which wallets write private keys, as a list: a pattern and the check that proves it.

To add a form, add a line. The check sees what the pattern found and says whether it is a secret of
this kind; where a form has a checksum the check computes it. A typing error does not make a private
key public property: where nothing else has the form, its shape is enough.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from chainteller.domain.bare_keys import BASE58, base58, is_solana_secret_key, spells_text
from chainteller.domain.recovery_words import is_valid_phrase
from chainteller.domain.secret_spellings import decoded

_RIPPLE = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
_BASE58 = "1-9A-HJ-NP-Za-km-z"
_MISREAD_BASE58 = "0-9A-Za-z"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_EDGES = r"(?<![0-9A-Za-z])(?:{})(?![0-9A-Za-z])"
_NOT_IN_BASE64 = r"(?<![0-9A-Za-z+/_-]){}(?![0-9A-Za-z+/=_-])"
"""Of forms that are told by their shape: signatures in base64 have words of every length."""
_NOT_IN_SIGNATURE = r"(?!\s+(?:>\s*)?[0-9A-Za-z+/=_-]{35,37}(?![0-9A-Za-z+/=_-]))"
"""The first line of 64 or 65 bytes in base58 or base64; the address beside a key is shorter."""
_HEX = re.compile("[0-9a-fA-F]+")
_SUM = r"\d{1,4}(?:[ +,]{1,3}\d{1,4}){0,10}"
_OF_2048 = "[01][0-9]{3}|20(?:[0-3][0-9]|4[0-7])"
"""The number of a recovery word in its list, as SeedQR writes it."""
_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
"""Of secp256k1, the larger of the two curves: no private key reaches it."""
_LEAST_KEY = 1 << 240
_MOST_MATCHES = 8
_MOST_MISREAD = 3
_LEAST_DIFFERENT = 4
_PRIVATE_DER = re.compile(
    rb"\x30(?:[\x20-\x7f]|\x81.|\x82..)\x02\x01[\x00\x01](?:\x30|\x04|\x02[\x20-\x7f\x81\x82])",
    re.DOTALL,
)
"""How PKCS#8, SEC 1 and PKCS#1 begin: a sequence with a version; signatures have none."""
_ENCRYPTED_DER = re.compile(
    rb"\x30.{1,3}\x30.{1,3}\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x05", re.DOTALL
)


_LONGEST_CHECKED = 120
"""Signs in base58 with a checksum; an extended key has 111."""


@dataclass(frozen=True, slots=True)
class SecretForm:
    """`kind` names the secret in a sentence; `check` decides about each match of `pattern`."""

    kind: str
    pattern: re.Pattern[str]
    check: Callable[[str], bool] = bool


def _base58_check(text: str, alphabet: str = BASE58) -> bytes:
    data = base58(text, alphabet) if len(text) <= _LONGEST_CHECKED else b""
    digest = hashlib.sha256(hashlib.sha256(data[:-4]).digest()).digest()
    return data[:-4] if data[-4:] == digest[:4] else b""


def is_checked(text: str) -> bool:
    """Whether the last four bytes of a text in base58 are its checksum."""
    return any(_base58_check(text, each) for each in (BASE58, _RIPPLE))


def is_hash_address(text: str) -> bool:
    """Whether a word is an address of Bitcoin's relatives, TRON or the XRP Ledger: 20 bytes of a
    hash, with a version and a checksum."""
    return any(len(_base58_check(text, each)) == 21 for each in (BASE58, _RIPPLE))


def _is_wif(text: str) -> bool:
    """Of Bitcoin, Litecoin, Dogecoin, Dash and their test networks."""
    payload = _base58_check(text)
    if not payload:
        return False
    compressed = len(payload) == 34 and payload[-1] == 1
    return payload[0] >= 0x80 and (compressed or len(payload) == 33)


def _is_base58(text: str) -> bool:
    """Whether all but a few signs are of the alphabet, as read from a photograph."""
    return sum(text.count(sign) for sign in "0OIl") <= _MOST_MISREAD


def _is_mini_key(text: str) -> bool:
    """Casascius coins: the hash of the key and "?" begins with a zero byte."""
    return hashlib.sha256(f"{text}?".encode()).digest()[0] == 0


def _is_stellar_seed(text: str) -> bool:
    data = base64.b32decode(text, casefold=True)
    return binascii.crc_hqx(data[:-2], 0) == int.from_bytes(data[-2:], "little")


def _is_xrp_seed(text: str) -> bool:
    payload = _base58_check(text, _RIPPLE)
    return (payload[:1] == b"\x21" and len(payload) == 17) or payload[:3] == b"\x01\xe1\x4b"


def _is_xrp_numbers(text: str) -> bool:
    """Xaman's eight groups of six digits, the last of each its check: at most one is wrong."""
    groups = re.findall(r"\d{6}", text)
    right = [int(each[:5]) * (2 * at + 1) % 9 == int(each[5]) for at, each in enumerate(groups)]
    return sum(right) >= 7


def _is_no_public_key(text: str) -> bool:
    """Whether what follows ED can only be a seed: one in sixteen may be a public key as well."""
    from nacl.bindings import crypto_core_ed25519_is_valid_point  # noqa: PLC0415 - for these alone

    return not crypto_core_ed25519_is_valid_point(bytes.fromhex(text[2:]))


def _is_solana_pair(text: str) -> bool:
    return is_solana_secret_key(base58(text.rpartition(":")[2]))


def are_octets_of_key(data: bytes) -> bool:
    """Whether octets are a key and don't spell a text, which no key does by chance."""
    return (len(data) == 32 and not spells_text(data)) or is_solana_secret_key(data)


def _is_seed_qr(text: str) -> bool:
    """Four digits for each word: different ones, or with their checksum."""
    numbers = [int(each) for each in re.findall(r"\d{4}", text)]
    return len({*numbers}) > _LEAST_DIFFERENT or is_valid_phrase(numbers)


def _are_grouped_numbers(text: str) -> bool:
    """Four digits for each word: years and amounts neither begin with 0 nor have a checksum."""
    groups = re.findall(r"\d{4}", text)
    return any(each[0] == "0" for each in groups) or is_valid_phrase([int(n) for n in groups])


def _are_based_numbers(text: str) -> bool:
    """The numbers of words, from 0 or 1, to a base: those of eleven binary digits in any case."""
    bits = re.findall("[01]{11}", text)
    if "".join(bits) == re.sub("[^01]", "", text):
        return len({*bits}) > _LEAST_DIFFERENT
    if not re.search("[xoa-fA-F]|0[0-7]{3}", text):
        return False  # decimal, such as the octets of a signature
    return any(_is_phrase_to_base(text, base) for base in (8, 16))


def _is_phrase_to_base(text: str, base: int) -> bool:
    try:
        numbers = [int(each, base) for each in re.findall(r"\w+", text)]
    except ValueError:
        return False
    return is_valid_phrase(numbers) or is_valid_phrase([each - 1 for each in numbers])


def _are_sums(text: str) -> bool:
    """The numbers of words, from 1, as the sums of powers of two that plates of metal are punched
    for."""
    lines = [[int(each) for each in re.findall(r"\d+", line)] for line in text.split("\n")]
    return all(each.bit_count() == 1 for line in lines for each in line) and any(
        is_valid_phrase([sum(line) - first for line in lines]) for first in (0, 1)
    )


def _are_word_numbers(text: str) -> bool:
    """The numbers of words, from 0 or 1, as the whole text or with their checksum."""
    numbers = [int(each) for each in re.findall(r"(?<![\d.,])\d{1,4}(?![\d.)]|,\d)", text)]
    if numbers[::2] == [*range(1, len(numbers) // 2 + 1)]:
        numbers = numbers[1::2]  # they were numbered
    if not 255 < max(numbers, default=0) <= 2048:
        return False
    return (max(numbers) < 2048 and is_valid_phrase(numbers)) or (
        min(numbers) > 0 and is_valid_phrase([each - 1 for each in numbers])
    )


def _is_der(text: str) -> bool:
    """A private key's DER in base64 or hex, perhaps encrypted."""
    data = decoded(text)
    return bool(_PRIVATE_DER.match(data) or _ENCRYPTED_DER.match(data))


def _form(expression: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    return re.compile(_EDGES.format(expression), re.ASCII | flags)


def _shape(expression: str) -> re.Pattern[str]:
    return re.compile(_NOT_IN_BASE64.format(expression), re.ASCII)


FORMS: tuple[SecretForm, ...] = (
    SecretForm(
        "a key file",
        re.compile(
            r"""["'\u201c\u201d](?:ciphertext|cipherparams|kdfparams|encseed|mnemonic|keystore|seed_?phrase"""
            r"""|priv(?:ate)?_?key|secret_?key|signing_?key|encrypted_?key|recovery_?phrase|xprv)"""
            r"""\\*["'\u201c\u201d]\s*:""",
            re.ASCII | re.IGNORECASE,
        ),
    ),
    SecretForm("a private key file", re.compile(r"\bBEGIN (?:[A-Z]+ )*PRIVATE KEY", re.ASCII)),
    SecretForm(
        "a private key file",
        re.compile(r"(?<![0-9A-Za-z+/])(?:b3BlbnNzaC1rZXktdjE|U2FsdGVkX1|QklFM[Q-Za-f])", re.ASCII),
    ),  # of OpenSSH, OpenSSL and Electrum
    SecretForm("a private key (WIF)", _form(f"[{_BASE58}]{{51,52}}"), _is_wif),
    SecretForm(
        "a private key (WIF)",
        _shape(f"[5KL9c][{_MISREAD_BASE58}]{{50,51}}{_NOT_IN_SIGNATURE}"),
        lambda text: _is_base58(text) and not _HEX.fullmatch(text),
    ),
    SecretForm(
        "an encrypted private key (BIP-38)", _shape(f"6P[{_MISREAD_BASE58}]{{56}}"), _is_base58
    ),
    SecretForm(
        "a private key (mini key)",
        _shape(f"S(?:[{_BASE58}]{{21}}|[{_BASE58}]{{25}}|[{_BASE58}]{{29}})"), _is_mini_key,
    ),
    # Numbers of words, four digits each. Twelve in a row below 2048 are no accident.
    SecretForm("a recovery phrase (SeedQR)", _form(f"(?:(?:{_OF_2048}){{3}}){{4,8}}"), _is_seed_qr),
    SecretForm(
        "a recovery phrase (SeedQR)",
        _form(rf"(?:{_OF_2048})(?:[\s,;-]+(?:{_OF_2048})){{11,23}}"), _are_grouped_numbers,
    ),
    SecretForm(
        "a recovery phrase (numbers of words)",
        _form(r"\d{1,4}(?:[^0-9a-zA-Z]{1,6}\d{1,4}){11,47}"), _are_word_numbers,
    ),
    SecretForm(
        "a recovery phrase (numbers of words)",
        _form(r"[01]{11}(?:[\s,;-]*[01]{11}){11,23}|(?:0o)?[0-3][0-7]{3}(?:[\s,;-]+(?:0o)?[0-3][0-7]{3}){11,23}"
              r"|(?:0x)?[0-7][0-9a-fA-F]{2}(?:[\s,;-]+(?:0x)?[0-7][0-9a-fA-F]{2}){11,23}"),
        _are_based_numbers,
    ),
    SecretForm(
        "a recovery phrase (numbers of words)",
        _form(rf"{_SUM}(?:\n{_SUM}){{11,23}}"), _are_sums,
    ),
    SecretForm(
        "a recovery phrase (codex32)", _form(f"(?:ms|cl)1[{_BECH32}]{{44,130}}", re.IGNORECASE)
    ),
    SecretForm("a secret seed of Stellar", _form("S[A-D][A-Z2-7]{54}")),
    SecretForm("a secret seed of Stellar", _form("s[a-d][a-z2-7]{54}"), _is_stellar_seed),
    SecretForm("a seed of IOTA", _form("(?=[A-Z]{0,80}9)[A-Z9]{81}")),
    SecretForm("a private key of Sui", _form("suiprivkey1[0-9a-z]{50,80}", re.IGNORECASE)),
    SecretForm(
        "a private key of Sui", re.compile(r'\[\s*"A[A-Za-f][0-9A-Za-z+/]{42}"\s*[,\]]', re.ASCII)
    ),
    # A flag before the key, of Ed25519 or secp256k1.
    SecretForm(
        "a private key of Sui", re.compile(r"\A\s*A[A-Za-f][0-9A-Za-z+/]{42}\s*\Z", re.ASCII),
        lambda text: len(base58(text.strip())) != 32,  # an address of Solana
    ),
    SecretForm(
        "a private key of Aptos",
        _form(r"(?:ed25519|secp256k1|secp256r1)-priv-(?:0x)?[0-9a-f]{60,}", re.IGNORECASE),
    ),
    SecretForm(
        "a private key of Tezos",
        _form(f"(?:edsk|edesk|spsk|p2sk|spesk|p2esk|BLsk|BLesk)[{_BASE58}]{{44,100}}"),
    ),
    SecretForm("a private key of EOS", _form(f"PVT_(?:K1|R1|WA)_[{_BASE58}]{{40,60}}")),
    SecretForm("a family seed of XRP", _form(f"s[{_BASE58}]{{27,30}}"), _is_xrp_seed),
    SecretForm("secret numbers of XRP", _form(r"\d{6}(?:[\s,:;-]+(?:[A-H1-8][.:)]\s*)?\d{6}){7}"),
               _is_xrp_numbers),
    SecretForm("a private key of XRP", _form("ED[0-9A-F]{64}", re.IGNORECASE), _is_no_public_key),
    SecretForm(
        "a private key of Cardano",
        _form(
            r"(?:(?:root|acct|addr|stake|policy|payment|drep|cc_cold|cc_hot|pool|vrf|kes)"
            r"_(?:shared_)?x?sk1|ed25519(?:e|_?bip32|)_sk1|xprv1|ed25519bip32_sk1)[0-9a-z]{50,250}",
        ),
    ),
    SecretForm(
        "a private key of Cardano",
        re.compile(r"SigningKey\w{0,40}[^{}]{0,200}cborHex", re.ASCII | re.DOTALL),
    ),
    SecretForm("a private key of Cardano", _form("5880[0-9a-f]{256}|5820[0-9a-f]{64}",
                                                 re.IGNORECASE)),
    SecretForm(
        "a private key of NEAR", re.compile(f"ed25519:[{_BASE58}]{{80,90}}", re.ASCII),
        _is_solana_pair,
    ),
    SecretForm("a private key of Avalanche", _form(f"PrivateKey-[{_BASE58}]{{45,55}}")),
    SecretForm("a private key of Nostr", _form("nsec1[0-9a-z]{50,70}", re.IGNORECASE)),
    SecretForm("a private key of age", _form("AGE-SECRET-KEY-1[0-9A-Z]{50,70}", re.IGNORECASE)),
    SecretForm("a private key of Zcash", _form("secret-extended-key-[a-z]+1[0-9a-z]{100,}",
                                               re.IGNORECASE)),
    SecretForm(
        "a private key (JWK)",
        re.compile(
            r"""["']kty["'][^{}]{0,600}["']d["']\s*:|["']d["']\s*:[^{}]{0,600}["']kty["']""",
            re.ASCII,
        ),
    ),
    SecretForm(
        "a wallet's vault (MetaMask)",
        re.compile(
            r"""["'](?:iv|salt)[\\"']+\s*:[\s\\"']+[^\\"']{12,}.{0,9000}?["'](?:salt|iv)[\\"']+\s*:""",
            re.ASCII | re.DOTALL,
        ),
    ),
    SecretForm(
        "a key file of Polkadot",
        re.compile(
            r"""["']encoded["']\s*:\s*["'][^"']{60,}["'](?s:.{0,400})["'](?:pkcs8|scrypt)""",
            re.ASCII,
        ),
    ),
    SecretForm("a seed (UR)", re.compile(r"\bur:(?:crypto-)?(?:seed|sskr|bip39)/",
                                         re.ASCII | re.IGNORECASE)),
    SecretForm("an extended private key",
               _form(f"(?:[a-zA-Z]prv|[LMt]tpv|[dt]gpv|drkp)[{_MISREAD_BASE58}]{{80,}}")),
    # Hedera exports these in hex.
    SecretForm("a private key (PKCS#8)", _form("(?:0x)?30[0-9a-f]{90,}", re.IGNORECASE),
               lambda text: _is_der(text.removeprefix("0x"))),
    SecretForm("a private key (PKCS#8)", _shape("M[C-I][0-9A-Za-z+/_-]{58,}={0,2}"), _is_der),
    SecretForm("a secret key of Solana", _form(f"[{_BASE58}]{{80,90}}"), _is_solana_pair),
    SecretForm(
        "a secret key of Solana",
        re.compile(r"(?<![0-9a-fA-F])[0-9a-fA-F]{128}(?![0-9a-fA-F])", re.ASCII),
        lambda text: is_solana_secret_key(bytes.fromhex(text)),
    ),
    SecretForm(
        "a secret key of Solana", _shape("[A-Za-z0-9+/_-]{86}(?:==)?"),
        lambda text: is_solana_secret_key(decoded(text)),
    ),
)  # fmt: skip


def find_form(text: str) -> str | None:
    """The kind of the first secret in the text that its check confirms, or None."""
    for each in FORMS:
        for match in islice(each.pattern.finditer(text), _MOST_MATCHES):
            if each.check(match[0]):
                return each.kind
    return None


_DECIMAL_KEY = re.compile(
    r"(?<![\w.])(?:\d{73,78}|\d{30,}\s{1,3}\d{10,48}|\d{1,3}(?:[,._' ]\d{3}){24,25})(?!\d)",
    re.ASCII,
)
_OCTAL_KEY = re.compile("(?<![0-9A-Za-z])(?:0o[0-7]{80,86}|0[0-7]{85,86})(?![0-9])", re.ASCII)


def decimal_keys(text: str) -> Iterator[str]:
    """Numbers that are as large as a private key, of either base that doesn't show it by letters;
    2^256 - 1, an unlimited allowance, is larger."""
    for match in islice(_DECIMAL_KEY.finditer(text), _MOST_MATCHES):
        if _LEAST_KEY <= int(re.sub("[^0-9]", "", match[0])) < _ORDER:
            yield match[0]
    yield from islice(_OCTAL_KEY.findall(text), _MOST_MATCHES)
