"""Searches a text for a private key, recovery phrase or key file: `pasted_secrets` decides when.

Forms that prove themselves come first, then words, labels, and numbers, of which the entrance says
what they may be.
"""

import re
from collections.abc import Iterator
from itertools import chain, islice

from chainteller.domain import recovery_words as phrases
from chainteller.domain.bare_keys import HEX_KEY, HEX_KEY_WORD, spells_text
from chainteller.domain.secret_forms import (
    are_octets_of_key,
    decimal_keys,
    find_form,
    is_checked,
    is_hash_address,
)
from chainteller.domain.secret_kinds import HEX_KEY_KIND, WORDS_KIND, Digits
from chainteller.domain.secret_spellings import folded, hidden_texts, octets, unescaped, unwrapped

_XRP_KEY = re.compile(r"(?<![0-9A-Za-z])[eE][dD][0-9a-fA-F]{64}(?![0-9A-Za-z])", re.ASCII)
_HASH = re.compile(r"(?:0[xX])?[0-9a-fA-F]{64}", re.ASCII)
_HEX_OF_TEXT = re.compile("(?:[2-7][0-9a-f]){31,32}", re.ASCII)
"""As a wallet shows a text that it signed."""
_MISREAD_HEX = re.compile(
    r"(?<![0-9A-Za-z])(?:[0O][xX])?[0-9a-fA-FOoIlSsZzQ|]{62,65}(?![0-9A-Za-z])", re.ASCII
)
_LEAST_HEX = 50
"""Digits of a misread key that are still digits."""
_BETWEEN = r"""[\s:;,.>|_/"'=+~\u00b7\u2013\u2014-]{1,4}"""
_GROUPED_HEX = re.compile(
    rf"(?<![0-9A-Za-z])(?:0x)?[0-9a-fA-F]{{2,32}}(?:{_BETWEEN}[0-9a-fA-F]{{1,32}})+(?![0-9A-Za-z])",
    re.ASCII,
)
_WRAPPED_HEX = re.compile(
    r"(?<![0-9A-Za-z])(?!0x[0-9a-fA-F]{40}\s)(?:0x)?[0-9a-fA-F]{1,63}"
    r"(?:[\s>|]{1,6}[0-9a-fA-F]{1,63})+(?![0-9A-Za-z])",
    re.ASCII,
)
"""Lines that are longer than a group; an address and a number beside it aren't these."""
_MOST_GROUPED = 66 + 16
"""Digits of a key in groups, and of words and numbers beside it, such as a date."""
_LEAST_HEX_LETTERS = 4
"""Different ones in a key."""
_BETWEEN_PAIRS = re.compile(r"""[\s:;,.>|_/"'=+~\u00b7\u2013\u2014\[\]{}-]+""")
_BASE64 = re.compile("[0-9A-Za-z+/]+={0,2}", re.ASCII)
_PARTS_OF_SIGNATURE = re.compile(r"""(?s)\br["']?\s*[:=].{0,120}\bs["']?\s*[:=]""", re.ASCII)
# Names beside which whatever looks random is a secret.
_LABEL = re.compile(
    r"""["']?(?<![A-Za-z])(?:"""
    r"""ciphertext|cipherparams|kdfparams|mnemonic|entropy|encrypted_?key|encseed|seed[\s_-]?(?:phrase|words?|key)?|"""
    r"""xprv|keystore|(?:signing|spend|view|master)[\s_-]?key|private[\s_-]?lines|wif|passphrase|"""
    r"""priv(?:ate)?[\s_-]?key|privkey|secret(?:[\s_-]?(?:key|phrase|recovery|spend)[\s\w]{0,12})?|"""
    r"""(?:recovery|backup)[\s_-]?(?:phrase|words?|key|seed)|"""
    r"""seed-?phrase|wiederherstellungs\w+|privater? schl.ssel|"""
    r"""clave privada|frase (?:semilla|seme|de recuperaci.n|di recupero|secreta|segreta|semente)|"""
    r"""phrase (?:secr.te|de r.cup.ration)|cl. priv.e|chiave privata|chave privada|"""
    r"""soukrom. kl..|приватный ключ|сид-?фраза|私钥|私鑰|"""
    r"""助记词|助記詞|秘密鍵|ニーモニック|개인키|니모닉"""
    r""")["']?\s*(?:\bis\b|\bist\b|\bes\b|\best\b|[:=は>])""",
    re.IGNORECASE,
)
_AFTER_LABEL = 100
_RANDOM = re.compile(r"(?<![0-9A-Za-z])[0-9A-Za-z+/=_-]{20,}", re.ASCII)
_NAMED_ID = re.compile(
    r"[A-Z]{3}_[0-9A-Z]{4,}|0x[0-9a-fA-F]{40}|"
    r"(?:bc|tb|ltc|cosmos|osmo|celestia|dydx|inj|neutron|noble)1[02-9ac-hj-np-z]{38,62}",
    re.ASCII,
)
_PUBLIC_LABEL = re.compile(
    r"\b(?:sig(?:nature|ned|natur)?|unterschrift|firma|assinatura|podpis|подпись|https?)\b|"
    r"签名|簽名|署名|서명",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[\W\d]{0,8}(?:(?:\d{1,2}[.):]\s*)?[^\W\d_]{3,9}[\s,;]+){10,}[^\W\d_]{3,9}")
# Short names, which only mean a key when one follows.
_NAMED_KEY = re.compile(
    r"""["']?(?<![A-Za-z0-9])(?:pk|sk|priv|private|secret|wif|key|prv|privkey|d)["']?\s*[:=]\s*["']?"""
    r"""(?:0x)?(?:[0-9a-fA-F]{62,65}|[1-9A-HJ-NP-Za-km-z]{51,52}|[0-9A-Za-z+/]{43}=)(?![0-9A-Za-z])""",
    re.IGNORECASE | re.ASCII,
)
# Words around a key that was copied from a wallet's own page, and around a hash.
_ABOUT_KEYS = re.compile(
    r"private[\s_-]*key|privkey|secret|never (?:share|disclose)|(?:my|his|her|their|the) key|"
    r"\bseed\b|anyone with (?:your|this)|steal|recovery phrase|\bpriv\b|"
    r"schl.ssel|clave|\bcl. priv|chiave|chave|\bkl..\b|ключ|私钥|私鑰|秘密鍵|개인키",
    re.IGNORECASE,
)
_ABOUT_HASHES = re.compile(
    r"\b(?:tx|txn|txid|tx[ _-]?hash|hash|hashes|blocks?|blocco|bloque|bloc|explorer|etherscan|"
    r"tronscan|mempool|solscan|checksum|digest|sha-?256|keccak|merkle|root|head|"
    r"pub(?:lic)?[ _-]?key|signature|sig|address|contract)\b|/tx/|"
    r"trans(?:a[cçkz]|f[ae]r)|payout|überweisung|auszahlung|virement|bonific|převod|"
    r"трансакц|транзакц|хеш|交易|哈希|雜湊|转账|取引|ハッシュ|トランザクション|거래|해시|트랜잭션",
    re.IGNORECASE,
)
_PUBLIC_KEYS = re.compile(r"pub(?:lic)?[ _-]?key", re.IGNORECASE | re.ASCII)
_SIGNATURE = re.compile(r"(?<![0-9A-Za-z+/])[0-9A-Za-z+/]{86,}", re.ASCII)
"""64 bytes in hex or base64, beside which a wallet shows its public key."""
_LONGEST_JOINED = 120
_WORDS_OF_SENTENCE = re.compile(
    "(?<![0-9A-Za-z])(?:[a-z]{8,}|[a-z]{6,} [a-z]{6,})(?![0-9A-Za-z])", re.ASCII
)
"""Joined, they are no key, and one in groups beside them is found by its groups."""
_LEAST_DIGITS = 3
"""Of a key that was copied in groups; words of a sentence have fewer."""
_MOST_MATCHES = 8
_MOST_UNWRAPPED = 64
_MOST_GLUED = 8
_DEPTH = 3


def is_about_a_hash(text: str) -> bool:
    """Whether the words around 64 hex digits speak of a transaction and of no private key."""
    return not _is_about_keys(text) and _ABOUT_HASHES.search(text) is not None


def _is_about_keys(text: str) -> bool:
    return _ABOUT_KEYS.search(_PUBLIC_KEYS.sub(" ", text)) is not None


def search(text: str, digits: Digits, depth: int = 0) -> str | None:
    """The kind of secret in a cleaned text of bounded length, or None."""
    kind = find_form(text) or _find_form_in_groups(text)
    if kind is not None:
        return kind
    if any(map(are_octets_of_key, octets(text))):
        return "a secret key as numbers"
    if phrases.is_recovery_phrase(text):
        return "a recovery phrase"
    if _is_labelled(text):
        return "a private key or recovery phrase, as its label says"
    kind = _find_number(text, digits) or _find_words(text, digits)
    if kind is not None or depth == _DEPTH:
        return kind
    for plain in {unescaped(text), folded(text)} - {text}:
        kind = kind or search(plain, digits, depth + 1)
    for hidden in {*hidden_texts(text)} - {text}:
        kind = kind or search(hidden, Digits.KEY, depth + 1)
    return kind


def _find_form_in_groups(text: str) -> str | None:
    """A key that was copied in groups, or over several lines."""
    whole = text if _BASE64.fullmatch(text) else _BETWEEN_PAIRS.sub("", text)
    is_short = (
        whole != text and len(whole) <= _LONGEST_JOINED and not _WORDS_OF_SENTENCE.search(text)
    )
    parts = islice(unwrapped(text), _MOST_UNWRAPPED)
    runs = [(whole, _LEAST_DIGITS)] if is_short else []
    for joined, least in chain(runs, ((each, len(each) // 12) for each in parts)):
        is_key = sum(map(str.isdigit, joined)) >= least or is_checked(joined)
        kind = find_form(joined) if is_key else None
        if kind is not None:
            return kind
    return None


def _is_labelled(text: str) -> bool:
    named = _PUBLIC_KEYS.sub(" ", text)
    if _NAMED_KEY.search(named):
        return True
    labels = islice(_LABEL.finditer(named), _MOST_MATCHES)
    return any(_has_value(named[each.end() : each.end() + _AFTER_LABEL]) for each in labels)


def _has_value(text: str) -> bool:
    """Whether random characters are near a label, or a row of words follows it. What the label of a
    signature or the form of an address says is public is none of these."""
    if _WORDS.match(text) and not phrases.is_sentence(text):
        return True
    near = _PUBLIC_LABEL.split(text, maxsplit=1)[0]
    found = (match[0] for match in _RANDOM.finditer(near) if not _is_public(match[0]))
    return any(any(map(str.isdigit, each)) and any(map(str.isalpha, each)) for each in found)


def _is_public(word: str) -> bool:
    return _NAMED_ID.fullmatch(word) is not None or is_hash_address(word)


def _find_words(text: str, digits: Digits) -> str | None:
    in_prose, alone = phrases.looks_like_recovery_phrase, phrases.is_list_of_words
    looks = in_prose if digits is Digits.SIGNATURE else alone
    return WORDS_KIND if looks(text) else None


def _find_number(text: str, digits: Digits) -> str | None:
    """32 bytes as hex or as a number, whole, in groups or misread, as far as the entrance says."""
    joined = _BETWEEN_PAIRS.sub("", text)
    if _PARTS_OF_SIGNATURE.search(text):
        found = []
    elif digits is Digits.SIGNATURE and not _is_about_keys(text):
        is_key = text.isalnum() or re.search("[a-fA-F]", joined)
        words = list(_hex_words(joined)) if is_key else []
        found = [each for each in words if each == joined or _is_glued(each, text)]
        found += [each for each in decimal_keys(text) if each == text]
        if not _PUBLIC_KEYS.search(text) and not _SIGNATURE.search(text):
            found += _XRP_KEY.findall(text)
    else:
        found = [*_hex_words(text), *decimal_keys(text)]
    found = [each for each in found if not _is_expected(each, text, digits)]
    if not found or (digits is not Digits.SIGNATURE and is_about_a_hash(text)):
        return None
    return HEX_KEY_KIND


def _is_glued(word: str, text: str) -> bool:
    """Whether a word is all of a text but for what is written around it without a space."""
    return text.isalnum() and len(text) - len(word) <= _MOST_GLUED


def _is_expected(word: str, text: str, digits: Digits) -> bool:
    """Whether hex digits spell a text, or are a hash, which the entrance takes."""
    bare = _BETWEEN_PAIRS.sub("", word).lower().removeprefix("0x")
    if _HEX_OF_TEXT.fullmatch(bare) and spells_text(bytes.fromhex(bare)):
        return True
    if digits is Digits.KEY or digits is Digits.SIGNATURE or not _HASH.fullmatch(word):
        return False
    return not _is_about_keys(text) and (digits is Digits.HASH or len(word) == 64)


def _hex_words(text: str) -> Iterator[str]:
    """The words of a text that are about 32 bytes of hex."""
    for match in islice(HEX_KEY_WORD.finditer(text), _MOST_MATCHES):
        yield match[0]
    for match in islice(_MISREAD_HEX.finditer(text), _MOST_MATCHES):
        if _is_misread(match[0]):
            yield match[0]
    for pattern in (_GROUPED_HEX, _WRAPPED_HEX):
        found = (match[0] for match in pattern.finditer(text))
        yield from islice(filter(_are_groups_of_key, found), _MOST_MATCHES)


def _are_groups_of_key(text: str) -> bool:
    """Whether groups of hex digits are a key's, perhaps with a few that stand beside it."""
    groups = _BETWEEN_PAIRS.split(text)
    if sum(map(len, groups)) > _MOST_GROUPED:
        return False
    ends = range(1, len(groups) + 1)
    runs = ("".join(groups[start:end]) for end in ends for start in range(end))
    return any(HEX_KEY.fullmatch(run) and _has_letters_of_hex(run) for run in runs)


def _has_letters_of_hex(text: str) -> bool:
    """As numbers with a word such as "fee" beside them hardly have."""
    return len({*text.lower()} & {*"abcdef"}) >= _LEAST_HEX_LETTERS


def _is_misread(word: str) -> bool:
    """Whether a word is a key in hex of which letters were misread, such as O for 0."""
    if not _MISREAD_HEX.fullmatch(word) or HEX_KEY.fullmatch(word):
        return False
    bare = re.sub("^[0O][xX]", "", word)
    right = sum(sign in "0123456789abcdefABCDEF" for sign in bare)
    return right >= _LEAST_HEX and sum(map(str.isdigit, bare)) >= _LEAST_DIGITS
