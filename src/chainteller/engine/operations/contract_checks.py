"""Ask chains about contract wallets: for a claim, and again before a payout is accepted."""

from typing import Any, NamedTuple

from chainteller.domain.evidence import VerificationMethod
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.outcome import AuditEntry
from chainteller.engine.core.ports import Chain
from chainteller.engine.operations.destinations import Target
from chainteller.service.errors import ChainUnavailable, ClaimUnverifiable
from chainteller.storage.queries import claim_evidence
from chainteller.wallets import contracts
from chainteller.wallets.addresses import parse_address
from chainteller.wallets.cases import Case, Diagnosis
from chainteller.wallets.contracts import ChainAnswer
from chainteller.wallets.family import Address
from chainteller.wallets.networks import known_network
from chainteller.wallets.pasted_secrets import SecretPasted
from chainteller.wallets.proof import Proof
from chainteller.wallets.reader import Unreadable, read_signature

CONFIRMED = "ownership_claim.confirmed"
"""The action of the audit entry that a chain's confirmation leaves."""


class Asked(NamedTuple):
    """What a chain answered about a signature of a wallet."""

    address: Address
    signature: bytes
    answer: ChainAnswer
    of_page: bool = False
    """Whether it was asked about the signing page's text."""

    def proof(self) -> Proof:
        return Proof(self.answer.question.scheme, self.signature.hex(), self.address.display)

    def require_answer(self) -> None:
        """Raises ChainUnavailable: a contract's signature, and the providers gave no answer."""
        answer = self.answer
        is_contracts = answer.has_code or contracts.recognised(self.signature) is not None
        if answer.is_usable or not is_contracts:
            return
        said = "; ".join(f"{name}: {what}" for name, what in sorted(answer.problems.items()))
        raise ChainUnavailable(
            f"The chain gave no agreed answer about the contract wallet. {said}.",
            {
                "network": self.address.network.name,
                "providers": dict(answer.problems),
                "suggestion": ChainUnavailable.next_step,
            },
        )


def ask(context: EngineContext, about: Case, found: Diagnosis) -> Asked | None:
    """What the chain says about a signature that no key made; None where it can't be asked."""
    address = about.challenge.address
    chain = context.chain
    if chain is None or found.accepted or about.challenge.state != "open":
        return None
    if not chain.serves(address.network):
        return None
    try:
        reading = read_signature(about.signature, address.network.family)
        signature = reading.candidates[0].data
        asked = Asked(address, signature, _ask(chain, about.challenge.text, signature, address))
        page_text = about.challenge.page_text
        if page_text is not None and asked.answer.is_usable and not asked.answer.is_valid:
            answer = _ask(chain, page_text, signature, address)
            asked = Asked(address, signature, answer, of_page=True) if answer.is_valid else asked
    except (Unreadable, SecretPasted, contracts.NotAQuestion, IndexError):
        return None
    return asked


def _ask(chain: Chain, text: str, signature: bytes, address: Address) -> ChainAnswer:
    return chain.ask(address.network, contracts.question(text, signature, address))


def acceptance(asked: Asked) -> dict[str, Any]:
    """How a diagnosis differs when the wallet's contract accepts the signature."""
    block = asked.answer.block
    number = "" if block is None else f" at block {block.number}"
    return {
        "accepted": True,
        "cause": None,
        "certain": True,
        "finding": "ACCEPTED",
        "explanation": f"The wallet's contract accepts the signature{number}.",
        "ask_customer": "",
        "recovered_address": None,
        "scheme": asked.answer.question.scheme,
        "suggestion": "",
    }


class Renewal(NamedTuple):
    """What a chain answers today about the claim of a contract wallet; None: it wasn't asked."""

    claim_id: str
    answer: ChainAnswer | None


def renew(context: EngineContext, account_id: str, counterparty_id: str) -> Renewal | None:
    """Ask the chain again about a linked contract wallet; None for any other wallet.

    The claim itself is checked by the payout's own checks.
    """
    with context.database.read() as connection:
        claim_id = claim_evidence.linked_claim(connection, account_id, counterparty_id)
        found = None if claim_id is None else claim_evidence.find(connection, claim_id)
    if claim_id is None or found is None or found.claim_method != VerificationMethod.CONTRACT:
        return None
    network = known_network(found.wallet_network)
    if context.chain is None or network is None or not context.chain.serves(network):
        return Renewal(claim_id, None)
    try:
        signature = bytes.fromhex(found.claim_signature)
        address = parse_address(found.wallet_address, network)
        question = contracts.question(found.signed_text, signature, address)
    except (ValueError, TypeError):
        return Renewal(claim_id, None)
    return Renewal(claim_id, context.chain.ask(network, question, newest=True))


def confirmation(target: Target, renewal: Renewal | None) -> AuditEntry | None:
    """What the trail keeps of a chain's confirmation; None where there is none. Raises
    ClaimUnverifiable: the wallet's contract doesn't accept the signature any more."""
    if target.claim_id is None or renewal is None or renewal.claim_id != target.claim_id:
        return None
    answer = renewal.answer
    if answer is None or not answer.is_usable or answer.block is None:
        return None
    if not answer.is_valid:
        raise ClaimUnverifiable(
            "The wallet's verification can't be confirmed. Its contract doesn't accept the "
            f"signature any more, as of block {answer.block.number}.",
            {
                "counterpartyId": target.counterparty_id,
                "blockchainAccountId": target.blockchain_account_id,
                "claimId": target.claim_id,
                "reason": "CONTRACT",
                "suggestion": ClaimUnverifiable.next_step,
            },
        )
    found = {"block": answer.block.number, "hash": answer.block.hash}
    return AuditEntry(CONFIRMED, target.claim_id, found | {"providers": sorted(answer.answers)})
