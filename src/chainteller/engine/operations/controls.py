"""Controls of trading accounts: set, replaced and lifted, each under a decision."""

from chainteller.domain.decisions import NEVER, DecisionKind, DecisionStatus
from chainteller.domain.preconditions import Control
from chainteller.engine.core.outcome import Moment, Outcome
from chainteller.engine.operations import accounts, decision_records
from chainteller.storage.db.query import Record


def decide(  # noqa: PLR0913 - what a control is, declared by name
    account: Record,
    standing: Record | None,
    control: Control,
    reason: str,
    by: str,
    moment: Moment,
    *,
    words: str | None = None,
    until: int = NEVER,
) -> Outcome:
    """A locked account under a control, and the decision that lifts it: a person's, or at ``until``
    by itself. ``standing`` is the open decision about the control that it replaces."""
    update, event = accounts.restrict(account, control, reason)
    opened = decision_records.opened(
        moment,
        DecisionKind.CONTROL,
        account.id,
        reason,
        by,
        account_id=account.id,
        control=control.value,
        words=words,
        due=until,
    )
    put = Outcome(account.id, rows=(update,), events=(event,))
    if standing is not None:
        replaced = DecisionStatus.WITHDRAWN
        put = put.joined(decision_records.ended(standing, replaced, by, moment.now))
    return put.joined(opened)


def decide_lifting(account: Record) -> Outcome:
    """A locked account without a control."""
    update, event = accounts.restrict(account, None, "")
    return Outcome(account.id, rows=(update,), events=(event,))
