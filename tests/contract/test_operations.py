"""Every declared operation is answered by every implementation, as it is declared."""

from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import TypeAdapter
from tests.contract.conftest import Place
from tests.contract.test_trading import TOKEN

from chainteller.domain.agents import public_key_text
from chainteller.engine.core.breaches import Breach
from chainteller.engine.operations import disputes
from chainteller.service.errors import ServiceError, ValidationFailed
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.agents import ApproveAgent, EnrolAgent
from chainteller.service.models.base import RequestModel, Written
from chainteller.service.models.books import ClearDispute
from chainteller.service.models.counterparties import (
    ChallengeRequest,
    ClaimRequest,
    DiagnosisRequest,
    LinkRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
    ReverificationRequest,
    SmallTransferRequest,
    StatementRequest,
)
from chainteller.service.models.customers import CustomerLine, ForgetCustomer, ImportCustomers
from chainteller.service.models.decisions import Approval, DecisionNote, OpenDecision, Refusal
from chainteller.service.models.funding import DepositRequest, WithdrawalRequest
from chainteller.service.models.notes import AddNote
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.models.webhooks import CreateWebhook, ReplayEvents, RotateSecret
from chainteller.service.operations import OPERATIONS, Call, Operation

WELL_FORMED = "XXX_00000000000000000000000000"
REQUESTS: Mapping[type[RequestModel], RequestModel] = {
    type(each): each
    for each in (
        OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking"),
        DepositRequest(amount="1.00", currency=TOKEN),
        WithdrawalRequest(amount="1.00", currency=TOKEN),
        QuoteRequest(amount="1.00", side="buy"),
        ExecuteRequest(trading_account_id=WELL_FORMED),
        RegisterCounterparty(address="x", network="solana"),
        LinkRequest(address="x", network="solana", ownership_claim_id=WELL_FORMED),
        OpenBlockchainAccount(trading_account_id=WELL_FORMED, network="solana"),
        ChallengeRequest(counterparty_id=WELL_FORMED),
        ClaimRequest(
            challenge_id=WELL_FORMED, completed_challenge="x", counterparty_id=WELL_FORMED
        ),
        DiagnosisRequest(
            challenge_id=WELL_FORMED, completed_challenge="x", counterparty_id=WELL_FORMED
        ),
        ReverificationRequest(reason="AGENT_REQUEST"),
        SmallTransferRequest(counterparty_id=WELL_FORMED),
        StatementRequest(counterparty_id=WELL_FORMED, reason="OTHER", statement="It is mine."),
        ClearDispute(reason="put back"),
        OpenDecision(kind="control", subject=WELL_FORMED, control="FROZEN", reason="TEST"),
        Approval(answer="It's theirs."),
        Refusal(reason="OTHER", answer="It isn't."),
        DecisionNote(note="Call back."),
        AddNote(subject=WELL_FORMED, content="Call back."),
        EnrolAgent(name="a.brandt", public_key=public_key_text(bytes(32))),
        ApproveAgent(roles=("agent",)),
        ForgetCustomer(reference="C-1"),
        ImportCustomers(
            lines=(
                CustomerLine(
                    line=2, reference="C-1", name="Ada", kyc_level="basic", terms_accepted=False
                ),
            )
        ),
        CreateWebhook(url="https://hooks.bank.example/teller"),
        RotateSecret(overlap="1h"),
        ReplayEvents(after=0),
    )
}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
def test_it_answers_with_its_response_or_a_declared_refusal(
    shared_place: Place, operation: Operation[Any]
) -> None:
    service = shared_place.admin if operation.scope == "admin" else shared_place.service
    call = Call(
        operation,
        (WELL_FORMED,) * len(operation.path_names),
        None if operation.request is None else REQUESTS[operation.request],
        None if operation.query is None else operation.query.model(),
    )
    refusals: tuple[type[ServiceError], ...] = (ValidationFailed, *operation.errors)
    try:
        answer = service.call(call)
    except refusals:
        return
    assert isinstance(answer, Written) == operation.writes
    value = answer.value if isinstance(answer, Written) else answer
    assert TypeAdapter(operation.response).validate_python(value) == value


def test_a_dispute_is_listed_and_cleared_once(place: Place) -> None:
    found = Breach(3, "a balance differs", f"account of {place.kind}", "default")
    disputes.open_for(place.world.context, [found])
    (dispute,) = (each for each in place.admin.disputes().data if each.where == found.where)
    first = place.admin.clear_dispute(dispute.id, ClearDispute(reason=" put back "))
    again = place.admin.clear_dispute(dispute.id, ClearDispute(reason="by somebody else"))
    assert (first.created, first.value.reason) == (False, "put back")
    assert again.value == first.value
    assert first.value in place.admin.disputes().data
