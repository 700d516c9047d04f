"""What a deployment does by itself, and what the core bank and the operator do to it."""

from collections.abc import Callable

from tests.simulation.figures import DAY, MINUTE, SECOND
from tests.simulation.model import Model
from tests.simulation.records import (
    ANYTHING,
    VERIFIED,
    Account,
    Customer,
    Deed,
    Trade,
    Transfer,
    Wire,
)

_PATIENCE = 15 * MINUTE
_TRY_AGAIN = 5 * SECOND
KEY_LIFE = DAY
OPERATOR = "core bank"


def run_due(model: Model, most: int) -> int:
    """Do what is due, one piece after another; how many were done."""
    done = 0
    while done < most:
        due = sorted((at, name, kind) for at, kind, name in model.jobs if at <= model.now)
        if not due:
            break
        at, name, kind = due[0]
        model.jobs.remove((at, kind, name))
        _STEPS[kind](model, name)
        model.written()
        done += 1
    return done


def forget_keys(model: Model) -> None:
    """Idempotency keys are kept for a day."""
    for slot, kept in [*model.kept.items()]:
        if kept.at < model.now - KEY_LIFE:
            del model.kept[slot]
            model.written()


def _did(model: Model, record: Trade | Transfer, action: str, inputs: Wire, actor: str) -> None:
    model.told(record)
    model.events[-1].actor = None if actor == "worker" else actor
    account = record.account
    model.note(
        Deed(model.now, account.organisation, actor, action, record.id, inputs, None, account.id)
    )
    model.written()


def _fill(model: Model, name: str) -> None:
    trade = model.trades[name]
    if trade.status != "processing":
        return
    now = model.now
    code = model.rejects(trade.id)
    if model.closure(trade.quote.price.market, now) is not None:
        if now - trade.created < _PATIENCE:
            model.later(_TRY_AGAIN, "trade.fill", name)
            return
        code = "FILL_TIMEOUT"
    if code is not None:
        trade.account.give_back(trade.hold)
        trade.failure = code
        trade.move("failed", now)
        _did(model, trade, "trade.fail", {"code": code}, "worker")
        return
    trade.account.spend(trade.hold)
    trade.account.incoming[trade.quote.bought_asset] += trade.quote.sized.bought
    trade.executed = now
    trade.move("executed", now)
    trade.account.did("trade.executed", now)
    model.later(model.settings.settle_delay, "trade.settle", name)
    _did(model, trade, "trade.fill", {}, "worker")


def _settle(model: Model, name: str) -> None:
    trade = model.trades[name]
    if trade.status != "executed":
        return
    asset, atoms = trade.quote.bought_asset, trade.quote.sized.bought
    trade.account.incoming[asset] -= atoms
    trade.account.available[asset] += atoms
    trade.settled = model.now
    trade.move("settled", model.now)
    trade.account.did("trade.settled", model.now)
    _did(model, trade, "trade.settle", {}, "worker")


def _complete_deposit(model: Model, name: str) -> None:
    deposit = model.transfers[name]
    if deposit.status != "processing":
        return
    model.deposited(deposit)
    model.events.pop()
    _did(model, deposit, "deposit.complete", {}, "worker")


def _pass_review(model: Model, name: str) -> None:
    withdrawal = model.transfers[name]
    if withdrawal.status != "reviewing":
        return
    withdrawal.move("processing", model.now)
    model.later(model.settings.withdrawal_delay, "withdrawal.send", name)
    _did(model, withdrawal, "withdrawal.processing", {}, "worker")


def _send(model: Model, name: str) -> None:
    withdrawal = model.transfers[name]
    if withdrawal.status != "processing":
        return
    if withdrawal.goes_to == VERIFIED and not _is_verified(withdrawal, model.now):
        _refuse(model, withdrawal, "VERIFICATION_ENDED")
        return
    withdrawal.account.spend(withdrawal.hold)
    withdrawal.network_hash = ANYTHING if withdrawal.wallet else None
    withdrawal.move("sent", model.now)
    model.later(model.settings.withdrawal_delay, "withdrawal.complete", name)
    _did(model, withdrawal, "withdrawal.sent", {}, "worker")


def _is_verified(withdrawal: Transfer, now: int) -> bool:
    if withdrawal.custody is None or withdrawal.wallet is None:
        return False
    link = withdrawal.custody.links.get(withdrawal.wallet.id)
    return link is not None and link.holds(now)


def _refuse(model: Model, withdrawal: Transfer, code: str) -> None:
    """The withdrawal fails instead of being sent, its hold is released, and an alarm is given."""
    account, wallet, custody = withdrawal.account, withdrawal.wallet, withdrawal.custody
    account.give_back(withdrawal.hold)
    withdrawal.failure = code
    withdrawal.move("failed", model.now)
    _did(model, withdrawal, "withdrawal.failed", {}, "worker")
    told: Wire = {"tradingAccountId": account.id, "code": code, "withdrawalId": withdrawal.id}
    if wallet is not None and custody is not None:
        told |= {"counterpartyId": wallet.id, "blockchainAccountId": custody.id}
    org, action = account.organisation, "payout.refused"
    model.tell(org, action, account.id, None, told)
    model.note(Deed(model.now, org, "worker", action, withdrawal.id, told, code, account.id))


def _complete(model: Model, name: str) -> None:
    withdrawal = model.transfers[name]
    if withdrawal.status != "sent":
        return
    if withdrawal.wallet is None:
        withdrawal.account.bank.cents += withdrawal.cents
    withdrawal.completed = model.now
    withdrawal.move("completed", model.now)
    _did(model, withdrawal, "withdrawal.completed", {}, "worker")


_STEPS: dict[str, Callable[[Model, str], None]] = {
    "trade.fill": _fill,
    "trade.settle": _settle,
    "deposit.complete": _complete_deposit,
    "withdrawal.review": _pass_review,
    "withdrawal.send": _send,
    "withdrawal.complete": _complete,
}


# -- the core bank ------------------------------------------------------------------------------


def refuse_deposit(model: Model, deposit: Transfer, code: str) -> None:
    if deposit.status != "processing":
        return
    deposit.account.bank.cents += deposit.cents
    deposit.failure = code
    deposit.move("failed", model.now)
    _did(model, deposit, "deposit.fail", {"code": code}, OPERATOR)


def claw_back(model: Model, deposit: Transfer, why: str) -> None:
    """What is still there is taken, the rest is owed, and the account is frozen."""
    if deposit.status != "completed":
        return
    account, asset = deposit.account, deposit.asset
    per_cent = deposit.atoms // deposit.cents
    there = min(deposit.cents, account.available[asset] // per_cent)
    account.available[asset] -= there * per_cent
    account.bank.cents += deposit.cents
    deposit.failure = "RETURNED"
    deposit.move("returned", model.now)
    account.control, account.reason = "FROZEN", "DEPOSIT_RETURNED"
    _did(model, deposit, "deposit.return", {"reason": why}, OPERATOR)
    told = {"tradingAccountId": account.id, "control": "FROZEN"}
    org = account.organisation
    model.tell(org, "account.control_changed", account.id, OPERATOR, told)


def reject_review(model: Model, withdrawal: Transfer, code: str) -> None:
    if withdrawal.status != "reviewing":
        return
    withdrawal.account.give_back(withdrawal.hold)
    withdrawal.failure = code
    withdrawal.move("rejected", model.now)
    _did(model, withdrawal, "withdrawal.rejected", {}, OPERATOR)


def fail_withdrawal(model: Model, withdrawal: Transfer, code: str) -> None:
    if withdrawal.status == "processing":
        withdrawal.account.give_back(withdrawal.hold)
    elif withdrawal.status == "sent":
        _give(withdrawal)
    else:
        return
    withdrawal.failure = code
    withdrawal.move("failed", model.now)
    _did(model, withdrawal, "withdrawal.failed", {}, OPERATOR)


def bounce(model: Model, withdrawal: Transfer) -> None:
    """The bank sends a payment back, even where the customer has spent it meanwhile."""
    if withdrawal.status != "completed" or withdrawal.wallet is not None:
        return
    withdrawal.account.bank.cents -= withdrawal.cents
    _give(withdrawal)
    withdrawal.failure = "RETURNED"
    withdrawal.move("returned", model.now)
    _did(model, withdrawal, "withdrawal.returned", {}, OPERATOR)


def _give(withdrawal: Transfer) -> None:
    for asset, atoms in withdrawal.hold:
        withdrawal.account.available[asset] += atoms


# -- the operator -------------------------------------------------------------------------------


def control_account(model: Model, account: Account, control: str | None, why: str | None) -> None:
    account.control, account.reason = control, why
    org = account.organisation
    told = {"tradingAccountId": account.id, "control": control}
    model.tell(org, "account.control_changed", account.id, OPERATOR, told)
    model.note(Deed(model.now, org, OPERATOR, "set_control", account.id, {}, None, account.id))
    model.written()


def change_customer(model: Model, customer: Customer, change: Wire) -> None:
    """Terms, identity level or control, as the core bank knows them from now on."""
    for name, value in change.items():
        setattr(customer, name, value)
    model.note(Deed(model.now, customer.organisation, OPERATOR, "set_customer", customer.id, {}))
    model.written()
