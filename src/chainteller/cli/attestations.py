"""Attestations of wallets: what it takes to verify a claim elsewhere, as JSON or as a page."""

import json
from collections.abc import Mapping
from html import escape
from typing import Any

from chainteller.service.models.counterparties import OwnershipClaim
from chainteller.service.models.heads import AuditCheckpoint

KIND = "chainteller wallet attestation, version 1"
_LABELS = {
    "id": "Claim",
    "method": "Method",
    "level": "Evidence level",
    "scheme": "Signature scheme",
    "network": "Network",
    "address": "Wallet address",
    "signer": "Signer",
    "text": "Signed text",
    "signature": "Signature",
    "challengeId": "Challenge",
    "counterpartyId": "Wallet",
    "blockchainAccountId": "Account",
    "created": "Proved at",
    "linkedAt": "Linked at",
    "status": "Status",
    "checkpoint": "Head of the audit log",
}
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Wallet attestation {title}</title>
<style>
body {{ font: 11pt/1.4 sans-serif; max-width: 46em; margin: 2em auto; color: #000; }}
th {{ text-align: left; vertical-align: top; padding: 0 1.5em .6em 0; font-weight: 600; }}
td {{ font-family: monospace; overflow-wrap: anywhere; white-space: pre-wrap; padding-bottom: .6em; }}
</style></head><body>
<h1>Wallet attestation</h1>
<p>The owner of the wallet proved control of it with the facts below. Anybody can verify them with
the JSON form of this attestation and the script <code>verify_attestation.py</code>.</p>
<table>
{rows}
</table>
</body></html>
"""  # noqa: E501 - lines of a page


def attestation(claim: OwnershipClaim, head: AuditCheckpoint | None) -> dict[str, Any]:
    """A claim fetched by its id, with the signed head of the audit log if there is one."""
    wire = claim.model_dump(mode="json", by_alias=True)
    names = (name for name in _LABELS if name != "checkpoint")
    facts = {name: wire[name] for name in names if wire.get(name) is not None}
    return {"type": KIND, **facts, "checkpoint": None if head is None else head.note}


def as_json(facts: Mapping[str, Any]) -> str:
    return json.dumps(facts, ensure_ascii=True, indent=2) + "\n"


def as_page(facts: Mapping[str, Any]) -> str:
    """A page to print, without scripts and without anything from elsewhere."""
    rows = "\n".join(
        f"<tr><th>{escape(label)}</th><td>{escape(str(facts[name]))}</td></tr>"
        for name, label in _LABELS.items()
        if facts.get(name) is not None
    )
    return _PAGE.format(title=escape(str(facts["id"])), rows=rows)


FORMS = {".json": as_json, ".html": as_page}
"""How an attestation is written, by the ending of its file's name."""
