"""What the bank attests about a wallet: the facts of a claim, and the text that its keys sign."""

from collections.abc import Mapping
from typing import Any

from chainteller.domain.canonical import canonical
from chainteller.service.models.counterparties import OwnershipClaim
from chainteller.wallets.networks import known_network

KIND = "chainteller wallet attestation, version 2"
"""The first line of the text. No checkpoint begins with it and has a size on its second line, so
that neither can be taken for the other."""
_FACTS = (
    *("id", "method", "level", "scheme", "signer", "text", "signature", "challengeId"),
    *("counterpartyId", "blockchainAccountId", "created", "linkedAt", "status"),
)


def facts(claim: OwnershipClaim) -> dict[str, Any]:
    """The facts of a claim that was fetched by its id; ``account`` is the address as CAIP-10."""
    wire = claim.model_dump(mode="json", by_alias=True)
    network = known_network(str(claim.network))
    place = claim.network if network is None else network.caip2
    found = {name: wire[name] for name in _FACTS if wire.get(name) is not None}
    return {"account": f"{place}:{claim.address}", **found}


def attested_text(origin: str, attested: Mapping[str, Any]) -> str:
    """The text of a signed note: what it is, whose log, and all facts."""
    return f"{KIND}\n{origin}\n{canonical(attested)}\n"
