r"""The stored form of an entry's body: a fifth of its text, from which the text comes back exactly.

What is hashed, proved and shown is the text (``log``); the form is of the table alone. It's one
byte that names it, CRC-32 of what follows, the text with placeholders compressed by deflate with a
fixed dictionary, and the bytes that the placeholders stand for, in their order:

    \x01  the entry's own id             no bytes
    \x02  a seal, with its quotes         16
    \x04  the 22 characters of an id      14
    \x05  24 hexadecimal digits           12
    \x06  the instant in the entry's id   no bytes
    \x07  the log's name, quoted          no bytes
    \x08  SHA-256 of the second line      no bytes
    \x0b  the salt of the second line     12
    \x10 to \x1f  one of the first sixteen ids again

The dictionary is part of the form: a new one is another form.
"""

import re
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable
from hashlib import sha256

FORM = b"\x01"
_CRC = 4
_MOST = 2**24
"""Characters of a text; those of a body of ours are fewer than a million."""
_REPEATED = 0x10
_IDS_AGAIN = 16
_OWN_ID, _INSTANT, _LOG, _INNER, _SALT = "\x01", "\x06", "\x07", "\x08", "\x0b"
_SEAL = "\x02"
_ID, _HEX = "\x04", "\x05"
_SIZES = {_SEAL: 16, "\x04": 14, "\x05": 12, "\x0b": 12}
_SUFFIX = 23
"""The underscore of an id and what follows it."""
_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = tuple(high + low for high in _LETTERS for low in _LETTERS)
_DIGITS = str.maketrans(_LETTERS, "0123456789abcdefghijklmnopqrstuv")
_PARTS = re.compile(
    r'"[A-Za-z0-9+/]{22}"'
    r"|_[0-9A-HJKMNP-TV-Z]{22}(?![0-9A-Za-z])|_[0-9a-f]{24}(?![0-9A-Za-z])"
    r'|"salt":"[A-Za-z0-9_-]{16}"'
)
_PLACES = re.compile("([\x02\x04\x05\x0b\x10-\x1f])")
_CONTROLS = re.compile("[\x00-\x09\x0b-\x1f]")
_INSTANT_DIGITS = 14
_BEGIN = '{"acts":[{"account":"TDA_#","n":'
_ACTS = '"outcome":"done"}],"at":^,"by":'
_WORKER = '"worker","id":"!","inner":&,"log":~,"v":3}\n{"after":,"numbers":[],"rows":[["job","'
_KNOWN = (
    '"error":"VALIDATION_ERROR","ACCOUNT_RESTRICTED","INSUFFICIENT_FUNDS","LIMIT_EXCEEDED",',
    '"QUOTE_ALREADY_USED","QUOTE_EXPIRED","TRADE_NOT_CANCELLABLE","NOT_FOUND","CLAIM_EXPIRED",',
    '"accounts:read accounts:write trading:quote trading:execute transfers:write wallets:read ',
    'wallets:write wallets:review events:read","expires":null,"organisation_id":"',
    '"replaced_by":null,"revoked_at":null,"revoked_reason":null},["api_key","',
    '"op":"set_control",$,{"control":null}],"by":"core bank","id":"["customer","CUS_',
    '["bank_account","default DDA-ODA-","op":"create_api_key","op":"seal_rows"',
    'BTC@bitcoin",$],["ledger_account","customer:TDA_#0:incoming ETH@ethereum",$],[',
    '"ledger_account","customer:TDA_#0:held USDC@ethereum",$],["ledger_account","',
    "issuer:USDC@solana USD@fiat custody USDC@ethereum transit ",
    '["small_transfer_arrival","CHG_#1 0x","finding":"EXACT","arrived":,"asset":"',
    '"small_transfer.watch CHG_#1","op":"small_transfer.arrived","op":"create_small_transfer",',
    '["ownership_statement","STM_#1",$,{"level":"low","reason":"status":"reviewing"}',
    '"op":"open_blockchain_account","object":"BCA_#",["blockchain_account","BCA_#1",$],',
    '"op":"register_counterparty",["counterparty","CPT_#0",$],["audit","',
    '"op":"create_challenge",["idempotency","default create_challenge ["challenge","CHG_#1",$,',
    '{"attempts":0,"expires":,"status":"open"}],["attempt","CHG_# 1",$,{"status":"used"},$],',
    '"op":"submit_claim",["idempotency","default submit_claim ["claim","CLM_#1",$,{"expires":',
    '"level":"high","method":"signature","scheme":"eip191","status":"valid"}],',
    '["claim_evidence","CLM_#2",$],',
    '"op":"link_counterparty",["claim","CLM_#",$,{"status":"linked"},$],["audit","',
    '["link","BCA_# CPT_#1",$,{"claim_id":"CLM_#2","expires":,"revoked_at":null,',
    '"op":"require_reverification","outcome":"refused","own":',
    '"op":"cancel_withdrawal","op":"cancel_trade",{"status":"cancelled"},$],["trading_account","',
    'TDA_#0",$,{},$],["audit","["event","["journal","TXN_#1:release",$],["posting","customer:',
    '"op":"withdrawal.sent",["job","withdrawal.send TXN_#1",null,{},$],["journal","TXN_#1:sent",$]',
    '["job","withdrawal.complete TXN_#1",$],["transfer","TXN_#1",$,{"status":"sent"},$],["audit","',
    '"op":"withdrawal.completed","TXN_#1:confirmed",$],["transfer","TXN_#1",$,',
    '{"status":"completed"},$],["audit","',
    '"op":"withdraw","outcome":["idempotency","default withdraw ["transfer","TXN_#1",$,{"amount":',
    ',"asset":"BUSD1@bank","blockchain_account_id":"BCA_","counterparty_id":"CPT_",',
    '"blockchain_account_id":null,"counterparty_id":null,"destination_class":"own-bank-account",',
    '"direction":"withdrawal","evidence_level":null,"failure_code":null,"fee":0,',
    '"destination_class":"VerifiedCounterparty1P","unverified-counterparty"',
    '"notional_cents":,"rule_id":"RUL_%","status":"processing","trading_account_id":"TDA_#0"}],',
    '"op":"deposit.complete",["job","deposit.complete TXN_#1",null,{},$],',
    '"op":"deposit",["bank_account","default DDA-1",$,{},$],["trading_account","TDA_#0",$,{},$],',
    '["transfer","TXN_#1",$,{"amount":,"asset":"BUSD1@bank","destination_class":null,',
    '"direction":"deposit","status":"completed","trading_account_id":"TDA_#0"}],["audit","',
    '["journal","TXN_#1:deposit",$],["posting","core USD@fiat ",$],["posting","issuer:BUSD1@bank ',
    'USD@fiat ",$],["posting","custody BUSD1@bank ",$],["posting","customer:TDA_#0:available ',
    '"sold":,"btc-usd","eth-usd","side":"sell","status":"expired",lp.receivable BTC@bitcoin ',
    "lp.receivable ETH@ethereum customer:TDA_#0:incoming ETH@ethereum custody USDC@solana ",
    'customer:TDA_#0:held USD@fiat ",$],["posting","customer:TDA_#0:available USD@fiat ",$],',
    f'{_BEGIN},"object":"TXN_#","op":"trade.settle",{_ACTS}{_WORKER}',
    'trade.settle TXN_#1",null,{},$],["journal","TXN_#1:settle",$],["posting","',
    'custody SOL@solana ",$],["posting","lp.receivable SOL@solana ",$],["posting","customer:',
    'TDA_#0:incoming SOL@solana ",$],["posting","customer:TDA_#0:available SOL@solana ",$],[',
    '"posting","lp.payable USD@fiat ",$],["posting","core USD@fiat ",$],["trade","TXN_#1",$,',
    '{"status":"settled"},$],["trading_account","TDA_#0",$,{},$],["audit","',
    f'{_BEGIN},"object":"TXN_#","op":"trade.fill",{_ACTS}{_WORKER}',
    'trade.fill TXN_#1",null,{},$],["journal","TXN_#1:fill",$],["posting","',
    'customer:TDA_#0:held BUSD1@bank ",$],["posting","custody BUSD1@bank ",$],["posting","issuer:',
    'BUSD1@bank USD@fiat ",$],["posting","lp.payable USD@fiat ",$],["posting","income:fee ',
    'USD@fiat ",$],["posting","income:spread USD@fiat ",$],["posting","lp.receivable SOL@solana ',
    '",$],["posting","customer:TDA_#0:incoming SOL@solana ",$],["job","trade.settle TXN_#1",$],[',
    '"trade","TXN_#1",$,{"status":"executed"},$],["trading_account","TDA_#0",$,{},$],["audit","',
    '{"acts":[{"n":,"object":"QTE_#","op":"create_quote","outcome":"done"}],"at":^,',
    '"by":"local","id":"!","inner":&,"log":~,"v":3}\n{"after":,"numbers":[],"rows":[["quote",',
    '"QTE_#0",$,{"bought":,"expires":17,',
    '"fee_cents":,"market":"sol-usd","price_cents":,"side":"buy","sold":,"status":"open",',
    '"trade_id":null,"trading_account_id":null}],["audit","',
    f'{_BEGIN},"object":"TXN_#","op":"execute_quote",{_ACTS}"desk (","id":"!",',
    '"inner":&,"key":"","log":~,"rule":"RUL_%","v":3}\n{"after":,"numbers":[],"rows":[[',
    '"idempotency","default execute_quote QTE_#",$],["trading_account","TDA_#0",$,{},$],["quote",',
    '"QTE_#2",$,{"status":"executed","trade_id":"TXN_#1"},$],["trade","TXN_#1",$,{"amount":,"bought":,"failure_code":null,',
    '"fee_cents":,"market":"sol-usd","price_cents":,"quote_id":"QTE_#2","side":"buy","sold":,',
    '"status":"processing","trading_account_id":"TDA_#0"}],["audit","",$],["event","",$],["event',
    '","",$],["journal","TXN_#1:hold",$],["posting","customer:TDA_#0:available BUSD1@bank ",$],[',
    '"posting","customer:TDA_#0:held BUSD1@bank ",$],["job","trade.fill TXN_#1",$]],"salt":?}',
    '",$],["audit","",$],["event","",$]],"salt":?}',
)
"""What entries say again and again, the most frequent last. ``$`` is a seal, ``#`` an id (with a
digit, an earlier one), ``!`` the entry's id, ``^`` its instant, ``~`` its log, ``&`` the hash and
``?`` the salt of the second line, ``%`` hexadecimal digits."""


def _dictionary() -> bytes:
    text = "".join(_KNOWN)
    for digit in range(10):
        text = text.replace(f"#{digit}", chr(_REPEATED + digit))
    places = (_SEAL, _ID, _OWN_ID, _INSTANT, _LOG, _HEX, _INNER, _SALT)
    for sign, place in zip("$#!^~%&?", places, strict=True):
        text = text.replace(sign, place)
    return text.encode()


_DEFLATE = zlib.compressobj(6, zlib.DEFLATED, -13, 5, zlib.Z_DEFAULT_STRATEGY, _dictionary())
_INFLATE = zlib.decompressobj(-13, _dictionary())


def pack(body: str, entry_id: str, log: str) -> bytes:
    """The stored form of an entry's body, which is canonical JSON.

    Raises:
        ValueError: the text isn't.
    """
    if not body.isascii() or _CONTROLS.search(body):
        raise ValueError("no canonical JSON")
    instant = f'"at":{int(entry_id[:_INSTANT_DIGITS], 16)},'
    text = body.replace(instant, f'"at":{_INSTANT},', 1).replace(entry_id, _OWN_ID)
    text = text.replace(f'"log":"{log}"', f'"log":{_LOG}', 1)
    second = body.partition("\n")[2]
    text = text.replace(f'"inner":"{_hash(second)}"', f'"inner":{_INNER}', 1)
    told: list[bytes] = []
    ids: dict[str, str] = {}

    def place(found: re.Match[str]) -> str:
        part = found[0]
        if part[0] == '"':
            return _placed(part, told)
        if part in ids:
            return ids[part]
        if len(part) != _SUFFIX:
            told.append(bytes.fromhex(part[1:]))
            return "_" + _HEX
        if len(ids) < _IDS_AGAIN:
            ids[part] = "_" + chr(_REPEATED + len(ids))
        told.append(int(part[1:].translate(_DIGITS), 32).to_bytes(14, "big"))
        return "_" + _ID

    text = _PARTS.sub(place, text)
    deflate = _DEFLATE.copy()
    packed = deflate.compress(text.encode()) + deflate.flush() + b"".join(told)
    return FORM + zlib.crc32(packed).to_bytes(_CRC, "big") + packed


def _placed(part: str, told: list[bytes]) -> str:
    if part[1] == "s" and part[5] == '"':
        told.append(urlsafe_b64decode(part[8:-1]))
        return part[:7] + _SALT
    seal = a2b_base64(part[1:-1] + "==")
    if _seal(seal) != part:
        return part  # a text of another meaning
    told.append(seal)
    return _SEAL


def body(packed: bytes, entry_id: str, log: str) -> str:
    """The body of a stored entry; empty if it can't be read."""
    try:
        return unpack(packed, entry_id, log)
    except (ValueError, IndexError, TypeError):
        return ""


def _seal(found: bytes) -> str:
    return f'"{b2a_base64(found)[:22].decode()}"'


def _id(found: bytes) -> str:
    number = int.from_bytes(found, "big")
    if number >> 110:
        raise ValueError("no id has this number")
    return "".join([_PAIRS[number >> shift & 1023] for shift in range(100, -1, -10)])


_READ: dict[str, Callable[[bytes], str]] = {
    _SEAL: _seal, _ID: _id, _HEX: bytes.hex,
    _SALT: lambda found: f'"{urlsafe_b64encode(found).decode()}"',
}  # fmt: skip


def unpack(packed: bytes, entry_id: str, log: str) -> str:
    """The body of an entry from its stored form.

    Raises:
        ValueError: it isn't what ``pack`` made.
    """
    checked = packed[1 + _CRC :]
    if packed[:1] != FORM or zlib.crc32(checked).to_bytes(_CRC, "big") != packed[1 : 1 + _CRC]:
        raise ValueError("an entry that was altered, or of an unknown form")
    inflate = _INFLATE.copy()
    try:
        text = inflate.decompress(checked, _MOST).decode("ascii")
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not inflate.eof:
        raise ValueError("an entry without an end")
    told, at = inflate.unused_data, 0
    ids: list[str] = []
    parts = _PLACES.split(text)
    for number in range(1, len(parts), 2):
        sign = parts[number]
        if sign in _READ:
            size = _SIZES[sign]
            parts[number] = _READ[sign](told[at : at + size])
            at += size
            if sign == _ID:
                ids.append(parts[number])
        else:
            parts[number] = ids[ord(sign) - _REPEATED]
    if at != len(told):
        raise ValueError("an entry with too few bytes, or too many")
    body = "".join(parts).replace(_OWN_ID, entry_id).replace(_LOG, f'"{log}"')
    body = body.replace(_INSTANT, str(int(entry_id[:_INSTANT_DIGITS], 16)))
    second = _hash(body.partition("\n")[2])
    return body.replace(_INNER, f'"{second}"')


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()
