"""A bank's policy: what waits for a person, what needs two, who may do what, and cases."""

import re
from enum import StrEnum
from typing import NamedTuple

from chainteller.domain.agents import Permission, Roles
from chainteller.domain.decisions import DecisionKind, Review

MAXIMUM_CASE = 64
_CASE = re.compile(rf"[\x21-\x7e]{{1,{MAXIMUM_CASE}}}", re.ASCII)
CASE_FORM = f"1 to {MAXIMUM_CASE} visible ASCII characters"


class CaseWanted(StrEnum):
    """Whether what a person changes names the case that it's for."""

    OFF = "off"
    ASKED = "asked"
    REQUIRED = "required"


class CasePolicy(NamedTuple):
    """``pattern`` is a regular expression for the whole number of a case; empty for any."""

    wanted: CaseWanted = CaseWanted.OFF
    pattern: str = ""

    def accepts(self, case_id: str) -> bool:
        if _CASE.fullmatch(case_id) is None:
            return False
        return not self.pattern or re.fullmatch(self.pattern, case_id) is not None


class Needing(StrEnum):
    """What needs two persons whatever its amount, by its word in a policy."""

    LIFT = "control.lift"
    OPEN_MARKET = "market.open"
    ACCEPT_STATEMENT = "statement.accept"


_NEEDING = {
    DecisionKind.CONTROL: Needing.LIFT,
    DecisionKind.MARKET: Needing.OPEN_MARKET,
    DecisionKind.OWNERSHIP_STATEMENT: Needing.ACCEPT_STATEMENT,
}


class TwoPersons(NamedTuple):
    """``withdrawal_over_cents`` is an amount in USD, None where withdrawals never need two. The
    second person has ``within_s`` for one that waits for nothing else."""

    withdrawal_over_cents: int | None = None
    within_s: int = 3_600
    always: frozenset[Needing] = frozenset()

    def wants_for(self, notional_cents: int) -> bool:
        """Whether a withdrawal that is worth so much needs two persons."""
        over = self.withdrawal_over_cents
        return over is not None and notional_cents > over

    def wants(self, kind: DecisionKind) -> bool:
        """Whether decisions of a kind need two persons whatever their amount."""
        return _NEEDING.get(kind) in self.always


class Policy(NamedTuple):
    """Nothing needs a person without a policy."""

    review: Review = ()
    roles: tuple[tuple[str, tuple[Permission, ...]], ...] = ()
    """What each role may do, in the order of the file."""
    case: CasePolicy = CasePolicy()
    two: TwoPersons = TwoPersons()
    sign_in: tuple[tuple[str, str], ...] = ()
    """The role of each group of the issuer, in the order of the file."""

    @property
    def granted(self) -> Roles:
        return dict(self.roles)

    @property
    def body(self) -> dict[str, object]:
        """The policy as a version of the rules keeps it."""
        two = self.two
        return {
            "review": [
                [line.condition, line.over_cents, line.within_s, line.then]
                + ([line.to] if line.to else [])
                for line in self.review
            ],
            "roles": {name: list(may) for name, may in self.roles},
            "case": list(self.case),
            "two": [two.withdrawal_over_cents, two.within_s, sorted(two.always)],
            **({"signIn": dict(self.sign_in)} if self.sign_in else {}),
        }
