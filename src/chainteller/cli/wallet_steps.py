"""Earlier verification steps of a wallet, from the workspace's record of sent requests.

A challenge or a claim is named by its id alone when an agent comes back to it, while the service
asks for its account and wallet too.
"""

import time
from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from chainteller.cli.error_output import Usage, say
from chainteller.domain.challenges import ChallengeStatus
from chainteller.service.errors import NotOffered
from chainteller.service.interface import Service
from chainteller.service.models.counterparties import Challenge, DiagnosisRequest, OwnershipClaim
from chainteller.service.models.pages import MAXIMUM_LIMIT, ListQuery
from chainteller.service.paging import every
from chainteller.workspace.recording import Recorder
from chainteller.workspace.store import SentRequest, Workspace

if TYPE_CHECKING:
    from chainteller.wallets.matching import Matches

_LOOKED_THROUGH = 5_000
_POLL_S = 0.5


@dataclass(frozen=True, slots=True)
class Step:
    account_id: str
    counterparty_id: str


def step_of(
    desk: Recorder, identifier: str, account_id: str | None, counterparty_id: str | None
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


def key_of(key: str | None, subject: str, subjects: Sized) -> str | None:
    """The idempotency key of one of a command's requests: its own, or one that follows from it."""
    return key if key is None or len(subjects) == 1 else f"{key}.{subject}"


def signatures_from_page(
    service: Service, made: Sequence[Challenge], account_id: str
) -> Iterator[tuple[Challenge, str]]:
    """Wait for signatures of a page's challenges that would be accepted; others are told on stderr,
    and the customer may sign again. Ends when each was signed or is closed.
    """
    refused = {each.id: "" for each in made}
    while refused:
        for identifier, earlier in tuple(refused.items()):
            now = service.challenge_by_id(identifier)
            sent = now.page_signature
            if now.status != ChallengeStatus.OPEN:
                del refused[identifier]
            elif sent and sent != earlier:
                asked = _diagnosis(identifier, now.counterparty_id or "", sent)
                found = service.diagnose_signature(account_id, asked)
                if found.accepted:
                    del refused[identifier]
                    yield now, sent
                else:
                    refused[identifier] = sent
                    say(f"not accepted: {found.finding}", found.explanation)
        if refused:
            time.sleep(_POLL_S)


def _diagnosis(challenge_id: str, counterparty_id: str, signature: str) -> DiagnosisRequest:
    return DiagnosisRequest(
        challenge_id=challenge_id,
        completed_challenge=signature,
        counterparty_id=counterparty_id,
    )


def signed_challenges(desk: Recorder, account_id: str, text: str) -> "Matches":
    """Which open challenges of a blockchain account the signatures of a text prove, or an extended
    public key."""
    from chainteller.wallets.extended_keys import is_extended_key
    from chainteller.wallets.matching import Matched, Matches, known_open, match

    listed = every(partial(desk.service.challenges, account_id), ListQuery())
    found = known_open(listed, desk.workspace.now())
    if not is_extended_key(text.strip()):
        return match(text, found)
    proved = []
    for each in found:
        matched = Matched(each, text)
        asked = DiagnosisRequest.of(matched.request())
        if desk.service.diagnose_signature(account_id, asked).accepted:
            proved.append(matched)
    return Matches(tuple(proved), () if proved else (text,), tuple(found))


def explanations(service: Service, account_id: str, found: "Matches") -> Iterator[str]:
    """Why the signatures that prove no open challenge don't prove one that is left."""
    about = next(iter(found.left), None)
    for number, signature in enumerate(found.others, 1):
        if about is None:
            yield f"{number} of the signatures proves no open message."
            continue
        asked = _diagnosis(about.challenge_id, about.counterparty_id, signature)
        diagnosed = service.diagnose_signature(account_id, asked)
        yield f"not accepted for {about.challenge_id}: {diagnosed.finding}: {diagnosed.explanation}"


def wallet_of(desk: Recorder, counterparty_id: str) -> tuple[str, str]:
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
        return _listed_challenge(service, identifier) if identifier.startswith("CHG_") else None


def _step(found: Challenge | OwnershipClaim) -> Step | None:
    if found.blockchain_account_id is None or found.counterparty_id is None:
        return None
    return Step(found.blockchain_account_id, found.counterparty_id)


def _listed_challenge(service: Service, challenge_id: str) -> Step | None:
    """Search the newest challenges of the newest accounts, where they can't be looked up by id."""
    whole = ListQuery(limit=MAXIMUM_LIMIT)
    try:
        for account in service.blockchain_accounts(whole).data:
            for challenge in service.challenges(account.id, whole).data:
                if challenge.id == challenge_id and challenge.counterparty_id:
                    return Step(account.id, challenge.counterparty_id)
    except NotOffered:
        return None
    return None


def _made(own: Workspace, identifier: str) -> SentRequest | None:
    sent = own.sent_requests(_LOOKED_THROUGH)
    return next((each for each in sent if each.answer == identifier), None)
