"""When a challenge and a verification end."""

import pytest

from chainteller.domain.challenges import (
    DORMANCY,
    EXPIRY_WARNING,
    POLICY_VERSION,
    challenge_status,
    claim_status,
    expiry,
    is_verified,
    verification_status,
)

NOW = 1_763_700_000_000_000
LONG = 10 * (DORMANCY + EXPIRY_WARNING)


@pytest.mark.parametrize(
    ("expires", "last_used_at", "status"),
    [
        (NOW + LONG, NOW, "current"),
        (NOW + EXPIRY_WARNING, NOW, "current"),
        (NOW + EXPIRY_WARNING - 1, NOW, "expiring"),
        (NOW, NOW, "expiring"),
        (NOW - 1, NOW, "expired"),
        (NOW + LONG, NOW - DORMANCY + EXPIRY_WARNING, "current"),
        (NOW + LONG, NOW - DORMANCY + EXPIRY_WARNING - 1, "expiring"),
        (NOW + LONG, NOW - DORMANCY, "expiring"),
        (NOW + LONG, NOW - DORMANCY - 1, "expired"),
    ],
)
def test_a_verification_ends_after_its_last_microsecond(
    expires: int, last_used_at: int, status: str
) -> None:
    facts = {"now": NOW, "expires": expires, "last_used_at": last_used_at}
    found = verification_status(**facts, policy_version=POLICY_VERSION, revoked=False)
    assert (found, is_verified(found)) == (status, status != "expired")
    for revoked, version in ((True, POLICY_VERSION), (False, POLICY_VERSION - 1)):
        ended = verification_status(**facts, policy_version=version, revoked=revoked)
        assert (ended, is_verified(ended)) == ("revoked", False)


@pytest.mark.parametrize(
    ("now", "end"), [(0, 60), (1, 61), (999_999, 61), (1_000_000, 61), (1_000_001, 62)]
)
def test_a_challenge_ends_at_a_whole_second_and_is_never_shorter_than_asked(
    now: int, end: int
) -> None:
    assert expiry(now, 60) == end * 1_000_000


@pytest.mark.parametrize(("late", "is_over"), [(0, False), (1, True)])
def test_a_challenge_and_a_claim_hold_until_their_last_instant(late: int, is_over: bool) -> None:
    times = {"now": NOW + late, "expires": NOW}
    assert (challenge_status("open", **times) == "expired") is is_over
    assert (claim_status("valid", **times) == "expired") is is_over
    assert (challenge_status("used", **times), claim_status("linked", **times)) == (
        "used", "linked"
    )  # fmt: skip
