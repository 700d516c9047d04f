"""Judges a pasted signature and answers with the service's model.

The only place that does: the engine asks it for every interface, and the console asks it where a
deployment explains nothing and about pastes that must not leave the desk.
"""

from chainteller.service.models.counterparties import SignatureDiagnosis
from chainteller.wallets.cases import Case, Diagnosis


def judge(case: Case) -> SignatureDiagnosis:
    """Why the signature would be accepted or refused. Never raises for anything pasted."""
    from chainteller.wallets.diagnose import diagnose  # noqa: PLC0415 - long to import

    return diagnosis_model(case, diagnose(case))


def diagnosis_model(case: Case, found: Diagnosis) -> SignatureDiagnosis:
    """A diagnosis of the case as the service words it."""
    challenge = case.challenge
    return SignatureDiagnosis(
        accepted=found.accepted and found.finding == "ACCEPTED",
        cause=found.cause,
        certain=found.certain,
        finding=found.finding,
        explanation=found.explanation,
        ask_customer=found.ask_customer,
        challenge_id=challenge.challenge_id,
        counterparty_id=challenge.counterparty_id,
        network=challenge.address.network.name,
        expected_address=challenge.address.display,
        recovered_address=found.recovered_address,
        scheme=None if found.proof is None else found.proof.scheme,
        other_challenge_id=found.other_challenge_id,
        other_counterparty_id=found.other_counterparty_id,
        expired_at=challenge.expires_at if challenge.state == "expired" else None,
        suggestion=found.suggestion,
        differences=list(found.differences) or None,
        can_search_longer=found.can_search_longer or None,
        asks_for_text=found.asks_for_text or None,
    )
