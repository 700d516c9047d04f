"""Attestations of wallets: what it takes to verify a claim elsewhere, as JSON."""

import json
from collections.abc import Mapping
from typing import Any

from chainteller.domain.json_depth import parse_json
from chainteller.service.errors import ReplyUnusable
from chainteller.service.models.counterparties import OwnershipClaim
from chainteller.service.models.heads import WalletAttestation
from chainteller.wallets.attestation import KIND, facts


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
