"""Requests that change something for a customer: checked, asked, bound, and then sent."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.question import Ask
from chainteller.tui.service_calls import call_service

if TYPE_CHECKING:
    from chainteller.service.interface import Service

Answer = TypeVar("Answer")
Confirm = Callable[[Ask], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class CustomerRequest(Generic[Answer]):
    """What a command sends for one customer.

    Attributes:
        account_id: The trading account that it was prepared for, which has to be served when it
            is sent; empty for any customer's record out of a list of all accounts.
        call: Sends it, in a thread: (service, idempotency key).
        question: What the agent has to confirm first.
        check: Raises, in a thread, what the service would refuse it for; before the question.
    """

    account_id: str
    call: "Callable[[Service, str], Answer]"
    question: Ask | None = None
    check: "Callable[[Service], None] | None" = None


async def send(desk: Desk, request: CustomerRequest[Answer], confirm: Confirm) -> Answer | None:
    """Check, confirm and send a request; None when the agent said no.

    Raises:
        CustomerChanged: another customer was selected since it was prepared; nothing was sent.
        TellerError: the check or the service refused it.
    """
    if request.check is not None:
        await call_service(request.check, desk.service)
    if request.question is not None and not await confirm(request.question):
        return None
    if request.account_id:
        desk.customer.require(request.account_id)
    return await call_service(request.call, desk.service, desk.new_key())
