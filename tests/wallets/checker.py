"""Proves a witness again, by arithmetic and formats written apart from the diagnosis.

It shares no code with what made the witness: hashes come from their libraries, Ed25519 from
libsodium, and secp256k1, addresses, envelopes and BIP-322 are spelled out here once more.
"""

import base64
import hashlib
import json
from collections.abc import Callable
from typing import Any

import base58
from nacl.bindings import crypto_sign_open
from nacl.exceptions import BadSignatureError

from chainteller.wallets.witness import Witness

_P = 2**256 - 2**32 - 977
_N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
_G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
    1,
)
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_Point = tuple[int, int, int]


def proves(witness: Witness) -> bool:
    """Whether the key of the address signed the message in the way that the witness says."""
    try:
        if "ed25519" in witness.scheme:
            return _proves_ed25519(witness)
        if witness.scheme.startswith("bip322"):
            return _proves_bip322(witness)
        digest = _digest(witness)
        return (
            digest == witness.signed
            and _ecdsa(witness.key, witness.signature, digest)
            and witness.address.lower() in _addresses(witness.key, witness.network)
        )
    except (ValueError, KeyError, IndexError):
        return False


def _keccak(data: bytes) -> bytes:
    from eth_hash.auto import keccak  # noqa: PLC0415 - only for the chains that use it

    return bytes(keccak(data))


def _sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _tagged(tag: str, data: bytes) -> bytes:
    return _sha(_sha(tag.encode()) * 2 + data)


def _personal(chain: str, length: Callable[[bytes], bytes], data: bytes) -> bytes:
    return b"\x19" + chain.encode() + b" Signed Message:\n" + length(data) + data


def _decimal(data: bytes) -> bytes:
    return str(len(data)).encode()


def _compact(data: bytes) -> bytes:
    size = len(data)
    return bytes([size]) if size < 253 else b"\xfd" + size.to_bytes(2, "little")


def _always_32(_: bytes) -> bytes:
    return b"32"


def _eip191(data: bytes) -> bytes:
    return _personal("Ethereum", _decimal, data)


def _tip191(data: bytes) -> bytes:
    return _personal("TRON", _decimal, data)


_DIGESTS: dict[str, Callable[[bytes], bytes]] = {
    "eip191": lambda m: _keccak(_eip191(m)),
    "tip191": lambda m: _keccak(_tip191(m)),
    "bip137": lambda m: _sha(_sha(b"\x18Bitcoin Signed Message:\n" + _compact(m) + m)),
    "bip137-litecoin": lambda m: _sha(_sha(_personal("Litecoin", _compact, m))),
    "bip137-dogecoin": lambda m: _sha(_sha(_personal("Dogecoin", _compact, m))),
    "xrpl-secp256k1": lambda m: hashlib.sha512(m).digest()[:32],
    "raw-keccak256": _keccak,
    "raw-sha256": _sha,
    "raw-sha3-256": lambda m: hashlib.sha3_256(m).digest(),
    "raw-double-sha256": lambda m: _sha(_sha(m)),
    "eip191-twice": lambda m: _keccak(_eip191(_eip191(m))),
    "tip191-twice": lambda m: _keccak(_tip191(_tip191(m))),
    "eip191-compact-length": lambda m: _keccak(_personal("Ethereum", _compact, m)),
    "eip191-length-32": lambda m: _keccak(_personal("Ethereum", _always_32, m)),
    "tip191-length-32": lambda m: _keccak(_personal("TRON", _always_32, m)),
    "eip191-length-32-of-hash": lambda m: _keccak(_personal("Ethereum", _always_32, _keccak(m))),
    "tip191-length-32-of-hash": lambda m: _keccak(_personal("TRON", _always_32, _keccak(m))),
}


def _digest(witness: Witness) -> bytes:
    if not witness.scheme.startswith("adr36"):
        return _DIGESTS[witness.scheme](witness.message)
    scheme, _, prefix = witness.scheme.partition("-on-")
    packed = bytes([2 + witness.key[63] % 2]) + witness.key[:32]
    signer = _bech32(prefix, None, _hash160(packed)) if prefix else witness.address
    message = {"type": "sign/MsgSignData", "value": {
        "data": base64.b64encode(witness.message).decode(), "signer": signer}}  # fmt: skip
    document: dict[str, Any] = {
        "account_number": "0",
        "chain_id": "",
        "fee": {"amount": [], "gas": "0"},
    }
    document |= {"memo": "", "msgs": [message], "sequence": "0"}
    signed = json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
    return {"adr36": _sha, "adr36-keccak256": _keccak}[scheme](signed)


def _add(a: _Point, b: _Point) -> _Point:
    """Two points in Jacobian coordinates, equal or not; z is 0 at infinity."""
    if not a[2] or not b[2]:
        return b if not a[2] else a
    za, zb = a[2] ** 2 % _P, b[2] ** 2 % _P
    u, v, s, t = a[0] * zb % _P, b[0] * za % _P, a[1] * zb * b[2] % _P, b[1] * za * a[2] % _P
    if u == v and s != t:
        return (0, 1, 0)
    if u == v:
        c, m = 4 * a[0] * a[1] ** 2 % _P, 3 * a[0] ** 2
        x = (m * m - 2 * c) % _P
        return x, (m * (c - x) - 8 * a[1] ** 4) % _P, 2 * a[1] * a[2] % _P
    h, r = v - u, t - s
    x = (r * r - h**3 - 2 * u * h * h) % _P
    return x, (r * (u * h * h - x) - s * h**3) % _P, h * a[2] * b[2] % _P


def _sum(first: int, second: int, point: _Point) -> tuple[int, int]:
    """The affine first · G + second · point; (0, 0) at infinity."""
    both, total = _add(_G, point), (0, 1, 0)
    for bit in range(255, -1, -1):
        total = _add(total, total)
        which = (first >> bit & 1, second >> bit & 1)
        if any(which):
            total = _add(total, {(1, 0): _G, (0, 1): point, (1, 1): both}[which])
    inverse = pow(total[2], _P - 2, _P)
    return total[0] * inverse**2 % _P, total[1] * inverse**3 % _P


def _point(key: bytes) -> _Point:
    """The point of x ‖ y, or of an x-only key. Raises ValueError off the curve."""
    x = int.from_bytes(key[:32], "big")
    square = (x**3 + 7) % _P
    y = int.from_bytes(key[32:], "big") if len(key) == 64 else pow(square, (_P + 1) // 4, _P)
    if x >= _P or y * y % _P != square:
        raise ValueError("not on the curve")
    return (x, y if len(key) == 64 or y % 2 == 0 else _P - y, 1)


def _ecdsa(key: bytes, signature: bytes, digest: bytes) -> bool:
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    if len(signature) != 64 or not (0 < r < _N and 0 < s < _N):
        return False
    w = pow(s, -1, _N)
    x, _ = _sum(int.from_bytes(digest, "big") * w % _N, r * w % _N, _point(key))
    return x % _N == r


def _schnorr(key: bytes, signature: bytes, digest: bytes) -> bool:
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:64], "big")
    e = int.from_bytes(_tagged("BIP0340/challenge", signature[:32] + key + digest), "big") % _N
    x, y = _sum(s, _N - e, _point(key))
    return len(key) == 32 and s < _N and y % 2 == 0 and x == r


def _hash160(data: bytes) -> bytes:
    try:
        return hashlib.new("ripemd160", _sha(data)).digest()
    except ValueError:  # OpenSSL 3 without its legacy provider
        from Crypto.Hash import RIPEMD160  # noqa: PLC0415 - only where OpenSSL lacks it

        return RIPEMD160.new(_sha(data)).digest()


def _checked(start: list[int], head: list[int], data: bytes, code: list[int], end: int) -> str:
    """The digits of base 32 of `head` and data with a BCH code as long as its numbers."""
    bits = "".join(f"{octet:08b}" for octet in data)
    bits += "0" * (-len(bits) % 5)
    digits = [*head, *(int(bits[i : i + 5], 2) for i in range(0, len(bits), 5))]
    size = 8 if max(code) >> 30 else 6
    check = 1
    for digit in start + digits + [0] * size:
        top, check = check >> 5 * size - 5, (check & (1 << 5 * size - 5) - 1) << 5 ^ digit
        for place, factor in enumerate(code):
            check ^= factor * (top >> place & 1)
    check ^= end
    digits += [check >> 5 * (size - 1 - place) & 31 for place in range(size)]
    return "".join(_BECH32[digit] for digit in digits)


def _bech32(prefix: str, version: int | None, program: bytes) -> str:
    """A segwit address, or without a version a bare one."""
    start = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]
    code = [0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3]
    head = [] if version is None else [version]
    return prefix + "1" + _checked(start, head, program, code, 0x2BC830A3 if version else 1)


def _cashaddr(prefix: str, hashed: bytes) -> str:
    code = [0x98F2BC8E61, 0x79B76D99E2, 0xF33E5FB3C4, 0xAE2EABE2A8, 0x1E4F43E470]
    return _checked([ord(c) & 31 for c in prefix] + [0], [], b"\0" + hashed, code, 1)


# Of a network: the version bytes of its addresses of keys and scripts, and its segwit prefix.
_VERSIONS = {
    "bitcoin": (0, 5, "bc"), "bitcoin-testnet": (111, 196, "tb"),
    "bitcoin-testnet4": (111, 196, "tb"), "bitcoin-signet": (111, 196, "tb"),
    "litecoin": (48, 50, "ltc"), "litecoin-testnet": (111, 58, "tltc"),
    "dogecoin": (30, None, ""), "dogecoin-testnet": (113, None, ""),
}  # fmt: skip
_CASHADDRS = {"bitcoin-cash": "bitcoincash", "bitcoin-cash-testnet": "bchtest"}
_COSMOS = {
    "cosmos": "cosmos", "cosmos-testnet": "cosmos", "osmosis": "osmo", "osmosis-testnet": "osmo",
    "celestia": "celestia", "dydx": "dydx", "neutron": "neutron", "noble": "noble",
}  # fmt: skip


def _addresses(key: bytes, network: str) -> set[str]:
    """The addresses of x ‖ y on a network, in lower case."""
    if network.startswith("tron"):
        return {base58.b58encode_check(b"\x41" + _keccak(key)[12:]).decode().lower()}
    packed = bytes([2 + key[63] % 2]) + key[:32]
    if network.startswith("xrp"):
        return {_xrp(packed).lower()}
    if network.startswith("injective"):
        return {_bech32("inj", None, _keccak(key)[12:])}
    if network in _COSMOS:
        return {_bech32(_COSMOS[network], None, _hash160(packed))}
    if network in _CASHADDRS:
        prefix = _CASHADDRS[network]
        return {_cashaddr(prefix, _hash160(packed)), _cashaddr(prefix, _hash160(b"\x04" + key))}
    if network not in _VERSIONS:
        return {"0x" + _keccak(key)[12:].hex()}
    p2pkh, p2sh, prefix = _VERSIONS[network]
    hashes = [bytes([p2pkh]) + _hash160(packed), bytes([p2pkh]) + _hash160(b"\x04" + key)]
    if p2sh is None:
        return {base58.b58encode_check(each).decode().lower() for each in hashes}
    tweak = int.from_bytes(_tagged("TapTweak", key[:32]), "big") % _N
    output, _ = _sum(tweak, 1, _point(key[:32]))
    hashes.append(bytes([p2sh]) + _hash160(b"\x00\x14" + _hash160(packed)))
    found = {base58.b58encode_check(each).decode() for each in hashes}
    found |= {_bech32(prefix, 0, _hash160(packed)), _bech32(prefix, 1, output.to_bytes(32, "big"))}
    return {each.lower() for each in found}


def _xrp(key: bytes) -> str:
    alphabet = base58.XRP_ALPHABET
    return base58.b58encode_check(b"\0" + _hash160(key), alphabet=alphabet).decode()


def _proves_ed25519(witness: Witness) -> bool:
    message, key = witness.message, witness.key
    head, length = b"\xffsolana offchain", len(message).to_bytes(4, "little")[:2]
    forms = {
        "ed25519": [message],
        "ed25519-offchain-v0-short": [head + b"\0" + bytes([f]) + length for f in range(3)],
        "ed25519-offchain-v0": [head + bytes(33) + bytes([f, 1]) + key + length for f in range(3)],
        "ed25519-offchain-v1": [head + b"\1\1" + key],
        "xrpl-ed25519": [b""],
    }[witness.scheme]
    whole = [form if witness.scheme == "ed25519" else form + message for form in forms]
    is_xrp = witness.scheme == "xrpl-ed25519"
    address = _xrp(b"\xed" + key) if is_xrp else base58.b58encode(key).decode()
    try:
        crypto_sign_open(witness.signature + witness.signed, key)
    except BadSignatureError:
        return False
    return witness.signed in whole and address == witness.address


def _proves_bip322(witness: Witness) -> bool:
    """One input, one key. `transaction` is the witness stack or the whole transaction."""
    key, taproot = witness.key, len(witness.key) == 32
    prefix = "bc" if witness.network == "bitcoin" else "tb"
    packed = b"" if taproot else bytes([2 + key[63] % 2]) + key[:32]
    names = {_bech32(prefix, 1, key)} if taproot else _addresses(key, witness.network)
    if witness.address.lower() not in {name.lower() for name in names}:
        return False
    sign = _schnorr if taproot else _ecdsa
    expected = _bip322_digests(witness, packed)
    return witness.signed in expected and sign(key, witness.signature, witness.signed)


def _bip322_digests(witness: Witness, packed: bytes) -> list[bytes]:
    """What the key signs, for each script that it may stand behind and each form of the spend."""
    key, code = witness.key, b"\x76\xa9\x14" + _hash160(packed) + b"\x88\xac"
    nested = b"\xa9\x14" + _hash160(b"\x00\x14" + _hash160(packed)) + b"\x87"
    scripts = (
        [b"\x51\x20" + key] if len(key) == 32 else [code, nested, b"\0\x14" + _hash160(packed)]
    )
    hashed = _tagged("BIP0322-signed-message", witness.message)
    full, data = witness.scheme == "bip322-full", witness.transaction
    version, lock_time = (data[:4], data[-4:]) if full else (bytes(4), bytes(4))
    output, found = bytes(8) + b"\x01\x6a", []
    for script in scripts:
        spent = _sha(_sha(
            bytes(4) + b"\x01" + bytes(32) + b"\xff" * 4 + b"\x22\x00\x20" + hashed + bytes(4)
            + b"\x01" + bytes(8) + _compact(script) + script + bytes(4)
        )) + bytes(4)  # fmt: skip
        for sequence in _sequences(data, spent) if full else [bytes(4)]:
            if script == code:
                preimage = version + b"\x01" + spent + _compact(script) + script + sequence
                found.append(preimage + b"\x01" + output + lock_time + b"\x01\0\0\0")
            elif len(key) == 64:
                head = version + _sha(_sha(spent)) + _sha(_sha(sequence)) + spent
                tail = bytes(8) + sequence + _sha(_sha(output)) + lock_time + b"\x01\0\0\0"
                found.append(head + _compact(code) + code + tail)
            else:
                amounts = _sha(bytes(8)) + _sha(_compact(script) + script)
                hashes = _sha(spent) + amounts + _sha(sequence) + _sha(output)
                for kind in (b"\0", b"\x01"):
                    body = b"\0" + kind + version + lock_time + hashes + bytes(5)
                    found.append(_tagged("TapSighash", body))
    return [each if len(each) == 32 else _sha(_sha(each)) for each in found]


def _sequences(data: bytes, spent: bytes) -> list[bytes]:
    """The sequence of the only input, which follows the outpoint and its script."""
    at = data.find(spent)
    end = at + 37 + data[at + 36] if at >= 0 else 0
    return [data[end : end + 4]] if end else []
