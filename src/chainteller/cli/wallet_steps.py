"""Earlier verification steps of a wallet, from the workspace's record of sent requests.

A challenge or a claim is named by its id alone when an agent comes back to it, while the service
asks for its account and wallet too.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from chainteller.cli.error_output import Usage
from chainteller.service.errors import NotOffered
from chainteller.service.interface import Service
from chainteller.service.models.counterparties import Challenge, OwnershipClaim
from chainteller.workspace.store import SentRequest, Workspace

if TYPE_CHECKING:
    from chainteller.workspace.recording import Recorder

_LOOKED_THROUGH = 5_000


@dataclass(frozen=True, slots=True)
class Step:
    account_id: str
    counterparty_id: str


def step_of(
    desk: "Recorder", identifier: str, account_id: str | None, counterparty_id: str | None
) -> Step:
    """The account and wallet of a challenge or claim; options take precedence over the record.

    Raises:
        Usage: this desk did not make it, the service does not show it, and they were not given.
    """
    if not (account_id and counterparty_id):
        known = _own_step(desk.workspace, identifier) or _shown_step(desk.service, identifier)
        if known is not None:
            account_id = account_id or known.account_id
            counterparty_id = counterparty_id or known.counterparty_id
    if account_id and counterparty_id:
        return Step(account_id, counterparty_id)
    raise Usage(
        f"{identifier} wasn't created here, so its account and wallet aren't known.",
        "Add --account BCA_… and --counterparty CPT_…",
    )


def wallet_of(desk: "Recorder", counterparty_id: str) -> tuple[str, str]:
    """The wallet's address and network, from the workspace or from the service."""
    sent = _made(desk.workspace, counterparty_id)
    if sent is not None and sent.operation == "register_counterparty":
        request = sent.arguments["request"]
        return request["address"], request["network"]
    found = desk.service.counterparty(counterparty_id)
    return found.address, found.network or ""


def _own_step(own: Workspace, identifier: str) -> Step | None:
    sent = _made(own, identifier)
    if sent is None:
        return None
    return Step(sent.arguments["ids"][0], sent.arguments["request"]["counterpartyId"])


def _shown_step(service: Service, identifier: str) -> Step | None:
    """Look up a challenge or claim that was not created from this workspace."""
    try:
        if identifier.startswith("CHG_"):
            return _step(service.challenge_by_id(identifier))
        return _step(service.claim_by_id(identifier)) if identifier.startswith("CLM_") else None
    except NotOffered:
        return None


def _step(found: Challenge | OwnershipClaim) -> Step | None:
    if found.blockchain_account_id is None or found.counterparty_id is None:
        return None
    return Step(found.blockchain_account_id, found.counterparty_id)


def _made(own: Workspace, identifier: str) -> SentRequest | None:
    sent = own.sent_requests(_LOOKED_THROUGH)
    return next((each for each in sent if each.answer == identifier), None)
