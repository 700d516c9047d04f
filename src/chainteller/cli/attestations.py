"""Attestations of wallets: what it takes to verify a claim elsewhere, as JSON or as a page."""

import json
from collections.abc import Mapping
from html import escape
from typing import Any

from chainteller.domain.json_depth import parse_json
from chainteller.service.errors import ReplyUnusable
from chainteller.service.models.counterparties import OwnershipClaim
from chainteller.service.models.heads import WalletAttestation
from chainteller.wallets.attestation import KIND, facts

_LABELS = {
    "account": "Wallet (CAIP-10)",
    "id": "Claim",
    "method": "Method",
    "level": "Evidence level",
    "scheme": "Signature scheme",
    "signer": "Signer",
    "text": "Signed text",
    "signature": "Signature",
    "challengeId": "Challenge",
    "counterpartyId": "Wallet",
    "blockchainAccountId": "Account",
    "created": "Proved at",
    "linkedAt": "Linked at",
    "status": "Status",
    "attestedAt": "Attested at",
    "entry": "Entry of the audit log",
}
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Wallet attestation {title}</title>
<style>
body {{ font: 11pt/1.4 sans-serif; max-width: 46em; margin: 2em auto; color: #000; }}
th {{ text-align: left; vertical-align: top; padding: 0 1.5em .6em 0; font-weight: 600; }}
td {{ font-family: monospace; overflow-wrap: anywhere; white-space: pre-wrap; padding-bottom: .6em; }}
</style></head><body>
<h1>Wallet attestation</h1>
<p>The owner of the wallet proved control of it with the facts below. A page proves nothing by itself:
ask for the JSON form of this attestation, and verify that with <code>verify_attestation.py</code>.</p>
<table>
{rows}
</table>
</body></html>
"""  # noqa: E501 - lines of a page


def signed_document(attested: WalletAttestation) -> dict[str, Any]:
    """An attestation that the bank signed. Raises ReplyUnusable: it isn't one."""
    made = {"type": KIND, **attested.model_dump(mode="json", by_alias=True)}
    try:
        is_one = isinstance(_facts(made)["id"], str)
    except (ValueError, LookupError, TypeError):
        is_one = False
    if not is_one:
        raise ReplyUnusable("The deployment's attestation can't be read.")
    return made


def unsigned_document(claim: OwnershipClaim) -> dict[str, Any]:
    """What a claim says by itself, where no key signs for the bank."""
    return {"type": KIND, "facts": facts(claim)}


def _facts(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The facts of either document."""
    if "note" not in document:
        return document["facts"]  # type: ignore[no-any-return]  # as unsigned_document made it
    return parse_json(document["note"].split("\n")[2])  # type: ignore[no-any-return]  # the same


def as_json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=True, indent=2) + "\n"


def as_page(document: Mapping[str, Any]) -> str:
    """A page to print, without scripts and without anything from elsewhere."""
    found = _facts(document)
    rows = "\n".join(
        f"<tr><th>{escape(label)}</th><td>{escape(str(found[name]))}</td></tr>"
        for name, label in _LABELS.items()
        if found.get(name) is not None
    )
    return _PAGE.format(title=escape(str(found["id"])), rows=rows)


FORMS = {".json": as_json, ".html": as_page}
"""How an attestation is written, by the ending of its file's name."""
