"""Transfer flow: cancelling a withdrawal before it is sent."""

from functools import partial
from typing import TYPE_CHECKING

from chainteller.records.formats import clock_time, status, transferred
from chainteller.records.transfers import target, why_not_cancelled
from chainteller.service.errors import WithdrawalNotCancellable
from chainteller.tui.customer import CustomerRequest
from chainteller.tui.dialogs.question import Ask
from chainteller.tui.steps import Result, Serve, Step, Write, notice

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.funding import Transfer


def cancel(withdrawal: "Transfer", account_id: str) -> Step:
    """Cancel a withdrawal of ``account_id``, which is selected first where another one is."""
    why = why_not_cancelled(withdrawal)
    if why:
        return notice(why)
    request = CustomerRequest(
        account_id,
        partial(_cancel, account_id, withdrawal.id),
        renew=partial(_question, account_id, withdrawal.id),
        words=f"cancellation of the withdrawal of {transferred(withdrawal)}",
    )
    return Serve(account_id, Write("cancellation", request))


def _question(account_id: str, withdrawal_id: str, service: "Service") -> Ask:
    """Raises WithdrawalNotCancellable: it has moved on."""
    withdrawal = service.withdrawal_record(account_id, withdrawal_id)
    why = why_not_cancelled(withdrawal)
    if why:
        raise WithdrawalNotCancellable(
            f"{why[:1].upper()}{why[1:]}.",
            {"withdrawalId": withdrawal_id, "status": withdrawal.status},
        )
    since = f", requested at {clock_time(withdrawal.created)}Z" if withdrawal.created else ""
    return Ask(
        f"CANCEL the withdrawal of {transferred(withdrawal)} to {target(withdrawal)}?",
        (f"{withdrawal.id}, {withdrawal.status}{since}",),
    )


def _cancel(account_id: str, withdrawal_id: str, service: "Service", key: str) -> Step:
    done = service.cancel_withdrawal(account_id, withdrawal_id, idempotency_key=key).value
    return Result(
        notice=(f"withdrawal of {transferred(done)} {done.status}  {done.id}",
                status(done.status)[1]),
        changed=f"withdrawal.{done.status}",
        clears_failure=True,
    )  # fmt: skip
