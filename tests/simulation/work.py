"""What a deployment does by itself, and what the core bank and the operator do to it."""

from collections.abc import Callable

from tests.simulation.calls import Client
from tests.simulation.figures import DAY, HOUR, MINUTE, SECOND, moment
from tests.simulation.model import REFUSED_REVIEW, Model
from tests.simulation.networks import key_of
from tests.simulation.records import (
    ANYTHING,
    VERIFIED,
    Account,
    Arrived,
    Claim,
    Customer,
    Decision,
    Deed,
    Sent,
    SmallTransfer,
    Trade,
    Transfer,
    Wire,
)

_PATIENCE = 15 * MINUTE
_TRY_AGAIN = 5 * SECOND
KEY_LIFE = DAY
OPERATOR = "core bank"
WATCH = "small_transfer.watch"
_MOST_ARRIVALS = 20
_WAITING = {
    "trade.fill": ("processing", "created", "fill_delay"),
    "trade.settle": ("executed", "executed", "settle_delay"),
    "deposit.complete": ("processing", "created", "deposit_delay"),
    "withdrawal.send": ("processing", "updated", "withdrawal_delay"),
    "withdrawal.complete": ("sent", "updated", "withdrawal_delay"),
}
"""The status in which a record waits for work, since when, and the delay."""
POSTPONED = "postponed"
"""What a step answers that only waits on, which leaves nothing in the trail. Of any other, the
trail says at least that its work was dropped."""


def run_due(model: Model, most: int) -> int:
    """Do what is due, one piece after another; how many were done."""
    done = 0
    while done < most:
        first = first_due(model)
        if first is None:
            break
        at, name, kind = first
        model.jobs.remove((at, kind, name))
        before = len(model.deeds)
        if _is_put_back(model, kind, name) or _STEPS[kind](model, name) != POSTPONED:
            if len(model.deeds) == before:
                organisation, account = _owner(model, name)
                told = {"kind": kind}
                deed = Deed(model.now, organisation, "worker", "work.dropped", name, told)
                deed.account = account
                model.note(deed)
            model.written()
        done += 1
    return done


def _is_put_back(model: Model, kind: str, name: str) -> bool:
    """Whether work has to wait for the delay of the settings in force, which was raised."""
    if kind not in _WAITING:
        return False
    status, since, delay = _WAITING[kind]
    record = model.trades.get(name) or model.transfers[name]
    if record.status != status:
        return False
    due = getattr(record, since) + getattr(model.settings, delay)
    if due <= model.now:
        return False
    model.jobs.append((due, kind, name))
    _put_off(model, record.account, name, {"kind": kind, "dueAt": moment(due)})
    return True


def _put_off(model: Model, account: Account, name: str, told: Wire) -> None:
    owner = account.organisation
    model.note(Deed(model.now, owner, "worker", "work.put_back", name, told, None, account.id))


def _owner(model: Model, name: str) -> tuple[str, str | None]:
    """(organisation, account) of the record that work is due on; a market has no account."""
    if name in model.small_transfers:
        account = model.small_transfers[name].custody.account
        return account.organisation, account.id
    if name in model.decisions:
        found = model.decisions[name]
        return found.organisation, found.account.id if found.account else None
    record = model.trades.get(name) or model.transfers[name]
    return record.account.organisation, record.account.id


def first_due(model: Model) -> tuple[int, str, str] | None:
    """(when, record, kind) of what is done next; None where nothing is due."""
    return min(((at, name, kind) for at, kind, name in model.jobs if at <= model.now), default=None)


def forget_keys(model: Model) -> None:
    """Idempotency keys are kept for a day. Each organisation's log says that some were removed."""
    old = [slot for slot, kept in model.kept.items() if kept.at < model.now - KEY_LIFE]
    for organisation in sorted({organisation for organisation, _, _ in old}):
        model.note(Deed(model.now, organisation, "worker", "remove_old_rows", "", {}))
        model.written()
    for slot in old:
        del model.kept[slot]


def _did(model: Model, record: Trade | Transfer, action: str, inputs: Wire, actor: str) -> None:
    model.told(record)
    model.events[-1].actor = None if actor == "worker" else actor
    account = record.account
    model.note(
        Deed(model.now, account.organisation, actor, action, record.id, inputs, None, account.id)
    )
    model.written()


def _fill(model: Model, name: str) -> str | None:
    trade = model.trades[name]
    if trade.status != "processing":
        return None
    now = model.now
    code = model.rejects(trade.id)
    if model.closure(trade.quote.price.market, now) is not None:
        until = trade.created + _PATIENCE
        if now < until:
            model.jobs.append((min(now + _TRY_AGAIN, until), "trade.fill", name))
            if trade.waits:
                return POSTPONED
            trade.waits = True
            _put_off(model, trade.account, name, {"kind": "trade.fill", "dueAt": moment(until)})
            return None
        code = "FILL_TIMEOUT"
    if code is not None:
        trade.account.give_back(trade.hold, model.now)
        trade.failure = code
        trade.move("failed", now)
        _did(model, trade, "trade.fail", {"code": code}, "worker")
        return None
    trade.account.spend(trade.hold)
    trade.account.incoming[trade.quote.bought_asset] += trade.quote.sized.bought
    trade.account.moved("fill", trade, now)
    trade.executed = now
    trade.move("executed", now)
    trade.account.did("trade.executed", now)
    model.later(model.settings.settle_delay, "trade.settle", name)
    _did(model, trade, "trade.fill", {}, "worker")
    return None


def _settle(model: Model, name: str) -> None:
    trade = model.trades[name]
    if trade.status != "executed":
        return
    asset, atoms = trade.quote.bought_asset, trade.quote.sized.bought
    trade.account.incoming[asset] -= atoms
    trade.account.available[asset] += atoms
    trade.account.touched = model.now
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


def _end_review(model: Model, name: str) -> None:
    """It passes by itself, or what its decision says is done where nobody has decided."""
    withdrawal = model.transfers[name]
    if withdrawal.status != "reviewing":
        return
    decision = model.standing(withdrawal.account.organisation, name)
    if decision is not None and decision.at_deadline == "escalate":
        _escalate(model, withdrawal, decision)
        return
    passes = decision is None or decision.at_deadline == "approve"
    if passes:
        model.pass_review(withdrawal)
    else:
        model.reject_review(withdrawal, REFUSED_REVIEW)
    _did(model, withdrawal, f"withdrawal.{withdrawal.status}", {}, "worker")
    if decision is not None:
        model.ended(decision, "approved" if passes else "lapsed", "worker")


def _escalate(model: Model, withdrawal: Transfer, decision: Decision) -> None:
    """Its role has as much time as there was at first."""
    span = (decision.due or 0) - decision.created
    due = model.now + (span if decision.asked is None else span // 2)
    decision.due, decision.at_deadline, decision.escalated = due, "refuse", model.now
    decision.holder = decision.held_until = None
    withdrawal.eta = due
    model.jobs.append((due, "withdrawal.review", withdrawal.id))
    org, action, role = decision.organisation, "decision.escalated", decision.to_role
    model.tell(org, action, decision, None, decision.told | {"role": role})
    told, account = {"role": role, "until": moment(due)}, withdrawal.account.id
    model.note(Deed(model.now, org, "worker", action, decision.id, told, None, account))
    model.written()


def _end_decision(model: Model, name: str) -> None:
    """Nobody has decided by the deadline: a control is lifted, or a market opens."""
    found = model.decisions[name]
    if found.status != "open":
        return
    model.ended(found, "approved", "worker")
    model.granted(found, Client(found.organisation, "worker"))
    org, account = _owner(model, name)
    model.note(Deed(model.now, org, "worker", "decision.due", name, {}, None, account))
    model.written()


def _send(model: Model, name: str) -> None:
    withdrawal = model.transfers[name]
    if withdrawal.status != "processing":
        return
    if withdrawal.goes_to == VERIFIED and not _is_verified(withdrawal, model.now):
        _refuse(model, withdrawal, "VERIFICATION_ENDED")
        return
    if withdrawal.account.control == "FROZEN":
        _refuse(model, withdrawal, "ACCOUNT_FROZEN")
        return
    withdrawal.account.spend(withdrawal.hold)
    withdrawal.account.moved("sent", withdrawal, model.now)
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
    account.give_back(withdrawal.hold, model.now)
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


def _watch(model: Model, name: str) -> str:
    """Look for the transfer, and look again until it came or a day has passed since the deadline:
    soon at first, later every five minutes."""
    small, now = model.small_transfers[name], model.now
    if now > small.deadline + DAY:
        return "over"
    seen_before = len(small.arrivals)
    known = {each.sent.hash for each in small.arrivals}
    for sent in sorted(model.sent, key=lambda each: (each.at, each.hash)):
        finding = _finding(model, small, sent, now)
        is_seen = model.settings.arrivals == "watched" and finding and sent.hash not in known
        if not is_seen or (finding != "EXACT" and len(small.arrivals) >= _MOST_ARRIVALS):
            continue
        small.arrivals.append(Arrived(sent, finding))
        told = {"finding": finding, "counterpartyId": small.wallet.id}
        _noted(model, small, "small_transfer.arrived", told)
        if finding == "EXACT":
            _proven(model, small)
            return "proven"
    wait = min(max(10 * SECOND, (now - small.created) // 10), 5 * MINUTE)
    model.later(wait, WATCH, name)
    return POSTPONED if len(small.arrivals) == seen_before else "arrived"


def _finding(model: Model, small: SmallTransfer, sent: Sent, now: int) -> str:
    """EXACT, or what alone is wrong; empty for what has nothing to do with it."""
    wallet, is_bitcoin = key_of(small.wallet.address).registered.canonical, "BTC" in small.asset
    early = 2 * HOUR if is_bitcoin else 0
    if sent.recipient != wallet or not small.created - early <= sent.at <= now:
        return ""
    wrong = []
    if sent.sender != wallet or wallet not in sent.signers:
        wrong.append("WRONG_SENDER")
    if sent.asset != small.asset:
        wrong.append("WRONG_ASSET")
    elif sent.atoms != small.atoms:
        wrong.append("WRONG_AMOUNT")
    if sent.at > small.deadline:
        wrong.append("TOO_LATE")
    if wrong:
        return wrong[0] if len(wrong) == 1 else ""
    if sent.service or sent.sent > 100 or model.is_many_customers(small.custody, small.wallet):
        return "SERVICE"
    pays_others = len({*sent.paid} - {wallet}) > is_bitcoin or wallet not in sent.paid
    return "PAYS_OTHERS" if pays_others else "EXACT"


def _noted(model: Model, small: SmallTransfer, action: str, told: Wire) -> None:
    account = small.custody.account
    org = account.organisation
    model.tell(org, action, small.id, None, {"tradingAccountId": account.id} | told)
    model.note(Deed(model.now, org, "worker", action, small.id, told, None, account.id))


def _proven(model: Model, small: SmallTransfer) -> None:
    """A claim stands for the transfer; ``named`` says its id."""
    small.claim = Claim("", small, "transfer", model.now)
    account = small.custody.account
    told: Wire = {"tradingAccountId": account.id}
    used = told | {"claimId": ANYTHING}
    model.tell(account.organisation, "ownership_challenge.used", small.id, None, used)
    made = told | {"counterpartyId": small.wallet.id}
    model.tell(account.organisation, "ownership_claim.created", "", None, made)
    model.unnamed.append(small)


def named(model: Model, small: SmallTransfer, claim_id: str) -> None:
    """Learn the id of the claim that a transfer has proven."""
    assert small.claim is not None
    assert claim_id not in model.claims, f"the id {claim_id} was given twice"
    small.claim.id = claim_id
    model.claims[claim_id] = small.claim
    used = next(
        place
        for place, each in enumerate(model.events)
        if (each.type, each.resource) == ("ownership_challenge.used", small.id)
    )
    model.events[used].data["claimId"] = claim_id
    model.events[used + 1].resource = claim_id


_STEPS: dict[str, Callable[[Model, str], str | None]] = {
    "trade.fill": _fill,
    "trade.settle": _settle,
    "deposit.complete": _complete_deposit,
    "withdrawal.review": _end_review,
    "decision.due": _end_decision,
    "withdrawal.send": _send,
    "withdrawal.complete": _complete,
    WATCH: _watch,
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
    """What is still there is taken, the rest is owed, and the account is frozen; a closed one stays
    closed."""
    if deposit.status != "completed":
        return
    account, asset = deposit.account, deposit.asset
    per_cent = deposit.atoms // deposit.cents
    there = min(deposit.cents, account.available[asset] // per_cent)
    account.available[asset] -= there * per_cent
    account.owed += deposit.cents - there
    account.moved("deposit-return", deposit, model.now)
    account.bank.cents += deposit.cents
    deposit.failure = "RETURNED"
    deposit.move("returned", model.now)
    _did(model, deposit, "deposit.return", {"reason": why}, OPERATOR)
    before = len(model.events)
    if account.control != "CLOSED":
        model.controlled(account, "FROZEN", "DEPOSIT_RETURNED", OPERATOR)
    for event in model.events[before:]:
        event.actor = OPERATOR


def fail_withdrawal(model: Model, withdrawal: Transfer, code: str) -> None:
    if withdrawal.status == "processing":
        withdrawal.account.give_back(withdrawal.hold, model.now)
    elif withdrawal.status == "sent":
        _give(withdrawal)
        kind = "return" if withdrawal.wallet is None else "failed"
        withdrawal.account.moved(kind, withdrawal, model.now)
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
    withdrawal.account.moved("return", withdrawal, model.now)
    withdrawal.failure = "RETURNED"
    withdrawal.move("returned", model.now)
    _did(model, withdrawal, "withdrawal.returned", {}, OPERATOR)


def _give(withdrawal: Transfer) -> None:
    for asset, atoms in withdrawal.hold:
        withdrawal.account.available[asset] += atoms


# -- the operator -------------------------------------------------------------------------------


def close_account(model: Model, account: Account, why: str) -> None:
    """For good: nobody decides on it any more."""
    model.control(account, "CLOSED", why)
    model.events[-1].actor = OPERATOR
    org = account.organisation
    model.note(Deed(model.now, org, OPERATOR, "set_control", account.id, {}, None, account.id))
    model.written()


def change_customer(model: Model, customer: Customer, change: Wire) -> None:
    """Terms, identity level or control, as the core bank knows them from now on."""
    for name, value in change.items():
        setattr(customer, name, value)
    model.note(Deed(model.now, customer.organisation, OPERATOR, "set_customer", customer.id, {}))
    model.written()
