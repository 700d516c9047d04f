"""The policy file: what it says, and what is wrong with it, by line and column."""

import pytest

from chainteller.domain.agents import Permission
from chainteller.domain.decisions import AtDeadline, Payment, ReviewCondition, ReviewLine, line_for
from chainteller.domain.evidence import EvidenceLevel
from chainteller.domain.limits import DestinationClass
from chainteller.domain.policy import CasePolicy, CaseWanted, Needing, Policy, TwoPersons
from chainteller.settings.policy import parse_policy, read_policy
from chainteller.settings.values import SettingsInvalid

POLICY = """
[review]   # comment
unverified_wallet = { over = "0", within = "2h", then = "refuse" }
first_use = { over = 5000, within = "30m", then = "approve" }
shared_wallet = { within = "1d" }
"""


def test_lines_are_read_in_their_order() -> None:
    assert parse_policy(POLICY, "p").review == (
        ReviewLine(ReviewCondition.UNVERIFIED_WALLET, 0, 7_200, AtDeadline.REFUSE),
        ReviewLine(ReviewCondition.FIRST_USE, 500_000, 1_800, AtDeadline.APPROVE),
        ReviewLine(ReviewCondition.SHARED_WALLET, 0, 86_400, AtDeadline.REFUSE),
    )


def test_roles_cases_and_second_persons_are_read() -> None:
    found = parse_policy(
        """
        [roles]
        agent = ["serve"]
        supervisor = ["serve", "decide", "control", "agents"]
        [case]
        wanted = "required"
        pattern = "(INC|CS)-[0-9]{4,}"
        [two]
        withdrawal = "10,000"
        within = "2h"
        always = ["control.lift"]
        """,
        "p",
    )
    assert found.granted["agent"] == (Permission.SERVE,)
    assert found.case == CasePolicy(CaseWanted.REQUIRED, "(INC|CS)-[0-9]{4,}")
    assert found.two == TwoPersons(1_000_000, 7_200, frozenset({Needing.LIFT}))
    accepted = [
        each for each in ("INC-1234", "INC-123", "xINC-1234", "") if found.case.accepts(each)
    ]
    assert accepted == ["INC-1234"]


def test_no_file_is_no_policy() -> None:
    assert read_policy("") == Policy()
    with pytest.raises(SettingsInvalid, match="the policy /nowhere/policy"):
        read_policy("/nowhere/policy.toml")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[reviews]\n", "p:1:2: there is no section 'reviews', did you mean review?"),
        ("[shares]\n", "p:1:2: there is no section 'shares'; known: review, roles, case, two"),
        ("[two]\nwithdrawal = 1.005", "p:2:1: two.withdrawal is an amount in USD in quotes"),
        ("[two]\nwithin = 'soon'", "p:2:1: two.within is a time in quotes"),
        ("[two]\nalway = []", "p:2:1: two has no 'alway', did you mean always?"),
        ("[two]\nalways = ['control.lif']", "p:2:12: always can't be 'control.lif', did you mean"),
        ("[two]\nalways = 'control.lift'", "p:2:1: always is a list of words, such as ['control"),
        ("[case]\nwanted = 'maybe'", "p:2:1: case.wanted is off or asked or required"),
        ("[case]\npattern = '('", "p:2:1: case.pattern is no regular expression"),
        ("[case]\npatern = 'x'", "p:2:1: case has no 'patern', did you mean pattern?"),
        ("[roles]\nAgent = ['serve']", "p:2:1: a role is up to 32 lower-case letters"),
        ("[roles]\nagent = ['server']", "p:2:11: agent can't be 'server', did you mean serve?"),
        ("[roles]\nagent = [['serve']]", "p:2:10: agent can't be ['serve'], did you mean"),
        ("[roles]\na = ['serve', 'control']\nb = ['agents']", "p:1:2: no role may decide: give"),
        ("[roles]\nagent = 'serve'", "p:2:1: agent is a list of words, such as ['serve']"),
        ("[sign_in]\nlead = 'agent'", "p:2:1: the group 'lead' gives a role of [roles]"),
        ("[roles]\nagent = ['serve']\n[sign_in]\nlead = ['agent']", "p:4:1: the group 'lead' giv"),
        ("review = 3", "p:1:1: review is a section: [review]"),
        ("[review]\nfirst_us = {within='2h'}", "p:2:1: there is no condition 'first_us', did you"),
        ("[review]\nfirst_use = '2h'", "p:2:1: first_use is written {"),
        ("[review]\nfirst_use = {within='2h', thn='x'}", "p:2:27: first_use has no 'thn', did you"),
        ("[review]\nfirst_use = {within='2h', then='maybe'}", "p:2:33: first_use.then is refuse"),
        ("[review]\nfirst_use = {within='soon'}", "p:2:1: first_use.within is a time"),
        ("[review]\nfirst_use = {within='9s'}", "p:2:1: first_use.within is from 1m to 30d"),
        ("[review]\nfirst_use = {within='31d'}", "p:2:1: first_use.within is from 1m to 30d"),
        ("[review]\nfirst_use = {}", "p:2:1: first_use.within is a time"),
        (
            "[review]\nfirst_use = {within='2h', then='escalate'}",
            'p:2:1: first_use: then = "escalate" goes with to = ',
        ),
        (
            "[review]\nfirst_use = {within='2h', to='lead'}\n[roles]\nlead = ['decide']",
            'p:2:1: first_use: then = "escalate" goes with to = ',
        ),
        (
            "[review]\nfirst_use = {within='2h', then='escalate', to='led'}\n"
            "[roles]\nlead = ['decide']\nlook = ['read']",
            "p:2:48: first_use.to is a role that may decide, did you mean lead?",
        ),
        ("[review]\nfirst_use = {over='-1', within='2h'}", "p:2:1: first_use.over is an amount"),
        ("[review]\nfirst_use = {over='1.005', within='2h'}", "p:2:1: first_use.over is an amount"),
        ("[review]\nfirst_use = {within='2h'}\nfirst_use = {within='3h'}", "p: Cannot overwrite"),
        ("[review\n", "p: Expected ']'"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text: str, problem: str) -> None:
    with pytest.raises(SettingsInvalid) as refused:
        parse_policy(text, "p")
    (found,) = refused.value.problems
    assert found.startswith(problem)


def test_every_problem_of_a_file_is_named_at_once() -> None:
    with pytest.raises(SettingsInvalid) as refused:
        parse_policy("[rules]\n[review]\nfirst_use = {over='x', within='x'}", "p")
    assert len(refused.value.problems) == 3


VERIFIED = Payment(DestinationClass.VERIFIED, 100_000, EvidenceLevel.MEDIUM, is_first_use=True)


@pytest.mark.parametrize(
    ("payment", "condition"),
    [
        (VERIFIED, None),
        (VERIFIED._replace(notional_cents=500_001), ReviewCondition.FIRST_USE),
        (VERIFIED._replace(notional_cents=500_000), None),
        (VERIFIED._replace(is_shared=True), ReviewCondition.SHARED_WALLET),
        (
            VERIFIED._replace(is_shared=True, notional_cents=900_000),
            ReviewCondition.FIRST_USE,
        ),
        (Payment(DestinationClass.UNVERIFIED, 1), ReviewCondition.UNVERIFIED_WALLET),
        (Payment(DestinationClass.OWN_BANK, 900_000), None),
    ],
)
def test_the_first_line_that_fits_counts(
    payment: Payment, condition: ReviewCondition | None
) -> None:
    found = line_for(parse_policy(POLICY, "p").review, payment)
    assert (found and found.condition) == condition
