"""What this desk knows of a wallet's earlier steps, from its own record of sent requests.

A challenge or a claim is named by its id alone when an agent comes back to it, while the service
asks for its account and wallet too.
"""

from dataclasses import dataclass

from chainteller.cli.complaints import Usage
from chainteller.workspace.recording import Recorder
from chainteller.workspace.store import SentRequest, Workspace

_LOOKED_THROUGH = 5_000


@dataclass(frozen=True, slots=True)
class Step:
    account_id: str
    counterparty_id: str


def step_of(
    own: Workspace, identifier: str, account_id: str | None, counterparty_id: str | None
) -> Step:
    """The account and the wallet of a challenge or claim; what was given beats what is known.

    Raises:
        Usage: this desk did not make it, and they were not given.
    """
    sent = _made(own, identifier)
    if sent is not None:
        account_id = account_id or sent.arguments["ids"][0]
        counterparty_id = counterparty_id or sent.arguments["request"]["counterpartyId"]
    if account_id and counterparty_id:
        return Step(account_id, counterparty_id)
    raise Usage(
        f"This desk did not make {identifier}, so it does not know its account and wallet.",
        "Add --account BCA_… and --counterparty CPT_…",
    )


def wallet_of(desk: Recorder, counterparty_id: str) -> tuple[str, str]:
    """The wallet's address and network: as they were registered here, or as the service says."""
    sent = _made(desk.workspace, counterparty_id)
    if sent is not None and sent.operation == "register_counterparty":
        request = sent.arguments["request"]
        return request["address"], request["network"]
    found = desk.service.counterparty(counterparty_id)
    return found.address, found.network or ""


def _made(own: Workspace, identifier: str) -> SentRequest | None:
    sent = own.sent_requests(_LOOKED_THROUGH)
    return next((each for each in sent if each.answer == identifier), None)
