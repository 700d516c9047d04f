"""Whether a refusal on the screen is still true: it leaves with its cause.

What isn't listed here stands until the next command that sends something, another row or another
customer.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from chainteller.domain.assets import USD
from chainteller.domain.clock import parse_instant
from chainteller.domain.money import ungrouped
from chainteller.tui.failures import BANK_FUNDS

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.tui.desk import Desk
    from chainteller.tui.failures import Failure

_Facts = Mapping[str, str]


def stands(failure: "Failure", desk: "Desk", read: "TradingAccount | None" = None) -> bool:
    """Whether the cause of a refusal is still there, as far as the desk knows.

    ``read`` is the account as it was read just now; what was known before may be what misled.
    """
    facts = dict(failure.facts)
    if read is not None and failure.code in _BY_ACCOUNT and failure.told_as != BANK_FUNDS:
        return _BY_ACCOUNT[failure.code](facts, read)
    return failure.code not in _BY_DESK or _BY_DESK[failure.code](facts, desk)


def _funds_are_short(facts: _Facts, account: "TradingAccount") -> bool:
    required = facts.get("required")
    if account.buying_power is None or not required:
        return True
    if facts.get("currency", USD.symbol) != USD.symbol:
        return True
    return Decimal(account.buying_power) < Decimal(ungrouped(required))


def _is_restricted(facts: _Facts, account: "TradingAccount") -> bool:
    return facts.get("control") in account.controls


def _is_used_up(facts: _Facts, desk: "Desk") -> bool:
    resets_at = facts.get("resetsAt", "").replace(" ", "T")
    return not resets_at or desk.now < parse_instant(resets_at)


def _is_out_of_reach(_: _Facts, desk: "Desk") -> bool:
    return desk.connection.state != "live"


_BY_ACCOUNT: Mapping[str, Callable[[_Facts, "TradingAccount"], bool]] = {
    "INSUFFICIENT_FUNDS": _funds_are_short,
    "ACCOUNT_RESTRICTED": _is_restricted,
}
_BY_DESK: Mapping[str, Callable[[_Facts, "Desk"], bool]] = {
    "LIMIT_EXCEEDED": _is_used_up,
    "READ_ONLY": lambda _, desk: desk.read_only,
    "UNREACHABLE": _is_out_of_reach,
    "SERVICE_UNAVAILABLE": _is_out_of_reach,
}
