# ruff: noqa: E501 - each form is a line, as long as what was copied
"""What customers' clipboards hold when they copy a signature: mail, chat, pages, device exports."""

import base64
import json

import base58
from tests.wallets.customers import RECOVERABLE, Customer


def _wrapped(text: str, width: int) -> str:
    return "\n".join(text[start : start + width] for start in range(0, len(text), width))


def clipboards(customer: Customer, t: str, sig: bytes) -> dict[str, str]:
    """By name, everything in which the signature of the text may arrive."""
    s, a, h = customer.spell(sig), customer.registered.display, sig.hex()
    found = {
        "quoted": "> " + s,
        "quoted wrapped": "\n".join("> " + line for line in _wrapped(s, 40).split("\n")),
        "regards": s + "\n\nBest regards,\nAlice",
        "regards sp": s + " Best regards",
        "iphone": s + "\n\nSent from my iPhone",
        "iphone--": s + "\n--\nSent from my iPhone",
        "text+sig": t + "\n" + s,
        "text sig2": t + "\n\n" + s,
        "block": f"Address: {a}\nMessage: {t}\nSignature: {s}",
        "block2": f"address: {a}\n\ntext: {t}\n\nsignature: {s}\n",
        "block3": f"{a}\n{t}\n{s}",
        "stop": s + ".",
        "stop2": "Here is my signature: " + s + ".",
        "colon": ":".join(f"{b:02x}" for b in sig),
        "colonU": ":".join(f"{b:02X}" for b in sig),
        "spaced": h[:2] + " " + " ".join(h[i : i + 2] for i in range(2, len(h), 2)),
        "numbers": " ".join(map(str, sig)),
        "numbers,": ", ".join(map(str, sig)),
        "numbers nl": "\n".join(map(str, sig)),
        "HexBytes": f"HexBytes('0x{h}')",
        "hexb2": f"SignedMessage(signature=HexBytes('0x{h}'))",
        "pybytes": repr(sig),
        "html": f"<p>{s}</p>",
        "wrapped label": "Signature:\n" + _wrapped(s, 50) + "\n\nRegards\nBob",
        "mail": f"Hello,\n\nplease find my signature below.\n\n{s}\n\nBest regards\nAlice Smith\n\nOn Mon, Nov 20, 2026 at 10:00 AM Example Bank <desk@bank.example> wrote:\n> Please sign this text:\n> {t[:70]}\n> {t[70:]}\n",
        "qp": s.replace("=", "=3D"),
        "qpwrap": _wrapped(s, 60).replace("=", "=3D").replace("\n", "=\n"),
        "mwa": json.dumps({"signed_payloads": [base64.b64encode(t.encode() + sig).decode()]}),
        "nacl": base64.b64encode(sig + t.encode()).decode(),
        "nacl58": base58.b58encode(sig + t.encode()).decode(),
        "siws": json.dumps(
            {
                "account": {"address": a},
                "signedMessage": base64.b64encode(t.encode()).decode(),
                "signature": base64.b64encode(sig).decode(),
            }
        ),
        "siws arr": json.dumps(
            {
                "account": {"address": a, "publicKey": {"0": 1}},
                "signedMessage": {str(i): b for i, b in enumerate(t.encode())},
                "signature": {str(i): b for i, b in enumerate(sig)},
            }
        ),
        "pubsig": json.dumps({"publicKey": a, "signature": s}),
        "trezor": json.dumps(
            {
                "success": True,
                "id": 1,
                "payload": {"address": a, "signature": h if customer.family in RECOVERABLE else s},
            }
        ),
        "url": "https://x.example/?address="
        + a
        + "&signature="
        + s.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D"),
        "md": f"```\n{s}\n```",
        "bold": f"**{s}**",
        "js": f"{{ publicKey: '{a}', signature: '{s}' }}",
        "armor": f"-----BEGIN BITCOIN SIGNED MESSAGE-----\n{t}\n-----BEGIN BITCOIN SIGNATURE-----\n{a}\n{_wrapped(s, 40)}\n-----END BITCOIN SIGNATURE-----",
        "armor q": f"> -----BEGIN BITCOIN SIGNED MESSAGE-----\n> {t}\n> -----BEGIN BITCOIN SIGNATURE-----\n> {a}\n> {s}\n> -----END BITCOIN SIGNATURE-----",
        "mew": json.dumps(
            {"address": a, "msg": t, "sig": s, "version": "3", "signer": "MEW"}, indent=2
        ),
        "etherscan": f"Message Signature Verified\nAddress\n{a}\nMessage\n{t}\nSignature Hash\n{s}\nVersion 2",
        "in base64": base64.b64encode(json.dumps({"signature": s}).encode()).decode(),
        "pieces": '"' + _wrapped(s, 44).replace("\n", '" +\n"') + '"',
        "python pieces": "('" + _wrapped(s, 44).replace("\n", "'\n '") + "')",
        "continued lines": _wrapped(s, 60).replace("\n", " \\\n"),
        "hexdump": "\n".join(
            f"{at:08x}  {sig[at : at + 16].hex(' ')}" for at in range(0, len(sig), 16)
        ),
        "xxd": "\n".join(
            f"{at:08x}: {sig[at : at + 16].hex(' ', 2)}  {'.' * 16}"
            for at in range(0, len(sig), 16)
        ),
        "with places": "\n".join(f"{place}: {octet}" for place, octet in enumerate(sig)),
        "places js": "{" + ", ".join(f"{place}: {octet}" for place, octet in enumerate(sig)) + "}",
        "escaped": "".join(f"\\x{octet:02x}" for octet in sig),
        "groups": "-".join(h[at : at + 8] for at in range(0, len(h), 8)),
        "java bytes": str([octet - 256 * (octet > 127) for octet in sig]),
        "italics": f"_{s}_",
        "prose": f"{s}\n\nPlease reply before next Tuesday because nobody will read this inbox during winter holidays",
        "chat": f"[20.11.26, 10:03:12] Alice: {s}\n[20.11.26, 10:04:00] Alice: is that ok?",
    }
    if customer.family in RECOVERABLE:
        r, ss, v = h[:64], h[64:128], sig[64]
        found |= {
            "ledger": json.dumps({"v": v, "r": r, "s": ss}),
            "ledger js": f"{{v: {v}, r: '{r}', s: '{ss}'}}",
            "r, s, v on lines": f"r: 0x{r}\ns: 0x{ss}\nv: {v}",
            "rsv bare": f"{r}\n{ss}\n{v:x}",
            "rsv 0x": f"0x{r}\n0x{ss}\n0x{v:x}",
            "rsv eq": f"r = {r}, s = {ss}, v = {v - 27}",
            "signedmessage py": f"SignedMessage(message_hash=HexBytes('0x{'ab' * 32}'), r={int(r, 16)}, s={int(ss, 16)}, v={v}, signature=HexBytes('0x{h}'))",
            "ethersv6": f'Signature {{ r: "0x{r}", s: "0x{ss}", yParity: {v - 27}, networkV: null }}',
            "tuple": f"({v}, '0x{r}', '0x{ss}')",
            "table": f"r | 0x{r}\ns | 0x{ss}\nv | {v}",
            "RSV": f"R: {r}\nS: {ss}\nV: {v:x}",
            "order vrs": json.dumps({"v": hex(v), "r": "0x" + r, "s": "0x" + ss}),
        }
    return found
