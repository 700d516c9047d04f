"""Counterparties: registering a wallet, linking it to a blockchain account."""

from chainteller.api.limits import Bucket
from chainteller.api.operations import Call, Operation, Routes
from chainteller.service import errors
from chainteller.service.models.base import Written
from chainteller.service.models.counterparties import (
    Counterparty,
    LinkRequest,
    RegisterCounterparty,
    ReverificationRequest,
)
from chainteller.service.models.pages import Page

routes = Routes("Counterparties")

_OF_ACCOUNT = "/blockchain-accounts/{blockchainAccountId}/counterparties"


@routes.add(
    Operation(
        "createCounterparty",
        "POST",
        "/counterparties",
        "Register a wallet; a known one is answered again",
        "wallets:write",
        Counterparty,
        Bucket.WRITE,
        RegisterCounterparty,
        creates="/counterparties/{id}",
        made="counterpartyId",
        errors=(errors.UnsupportedNetwork, errors.InvalidAddress),
    )
)
def create_counterparty(call: Call) -> Written[Counterparty]:
    return call.service.register_counterparty(
        call.read(RegisterCounterparty), idempotency_key=call.idempotency_key
    )


@routes.add(
    Operation(
        "listCounterparties",
        "GET",
        "/counterparties",
        "Find counterparties by id or address",
        "wallets:read",
        Page[Counterparty],
        filters=("text",),
    )
)
def list_counterparties(call: Call) -> Page[Counterparty]:
    return call.service.counterparties(call.listing)


@routes.add(
    Operation(
        "getCounterparty",
        "GET",
        "/counterparties/{counterpartyId}",
        "Show a counterparty",
        "wallets:read",
        Counterparty,
        errors=(errors.NotFound,),
    )
)
def get_counterparty(call: Call) -> Counterparty:
    return call.service.counterparty(call.path["counterpartyId"])


@routes.add(
    Operation(
        "linkCounterparty",
        "POST",
        _OF_ACCOUNT,
        "Link a counterparty to a blockchain account with an ownership claim",
        "wallets:write",
        Counterparty,
        Bucket.WRITE,
        LinkRequest,
        creates=_OF_ACCOUNT,
        errors=(
            errors.NotFound,
            errors.ClaimAlreadyUsed,
            errors.ClaimExpired,
            errors.Conflict,
            errors.UnsupportedNetwork,
            errors.InvalidAddress,
        ),
    )
)
def link_counterparty(call: Call) -> Written[Counterparty]:
    return call.service.link_counterparty(
        call.path["blockchainAccountId"],
        call.read(LinkRequest),
        idempotency_key=call.idempotency_key,
    )


@routes.add(
    Operation(
        "listLinkedCounterparties",
        "GET",
        _OF_ACCOUNT,
        "List a blockchain account's counterparties",
        "wallets:read",
        Page[Counterparty],
        filters=(),
        errors=(errors.NotFound,),
    )
)
def list_linked_counterparties(call: Call) -> Page[Counterparty]:
    return call.service.linked_counterparties(call.path["blockchainAccountId"], call.listing)


@routes.add(
    Operation(
        "requireReverification",
        "POST",
        f"{_OF_ACCOUNT}/{{counterpartyId}}/reverifications",
        "End a wallet's verification at once, so that it must be verified anew",
        "wallets:write",
        Counterparty,
        Bucket.WRITE,
        ReverificationRequest,
        errors=(errors.NotFound, errors.Conflict),
    )
)
def require_reverification(call: Call) -> Written[Counterparty]:
    return call.service.require_reverification(
        call.path["blockchainAccountId"],
        call.path["counterpartyId"],
        call.read(ReverificationRequest),
        idempotency_key=call.idempotency_key,
    )
