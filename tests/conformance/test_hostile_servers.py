"""Servers that answer wrongly are named or unreachable, within bounded time and without harm."""

import threading

import pytest
from tests.conformance.altering_proxy import AlteringProxy, Passing
from tests.conformance.conftest import Served, check, deviating
from tests.remote.faulty_server import FAULTS, misbehaving
from tests.world.waiting import PATIENCE_S

from chainteller.conformance.exchanges import MAXIMUM_UNUSABLE
from chainteller.conformance.probing import Target, Unreachable

DEADLINE_S = 0.3
NO_REPLY = {
    "accepts and hangs",
    "closes at once",
    "resets",
    "drips a body",
    "drips headers",
    "endless 1xx",
    "endless headers",
    "stops in the middle",
    "truncated body",
    "garbage status line",
    "HTTP/0.9",
    "bad chunk",
    "negative length",
    "two lengths",
    "one header of 200 kB",
}


QUICK = {
    "100 MB",
    "204",
    "accepts and hangs",
    "closes at once",
    "drips a body",
    "empty 200",
    "gateway error",
    "html",
    "nested 200,000 deep",
    "redirect elsewhere",
    "truncated body",
}


def _faults(names: set[str]) -> list[object]:
    """A few in every run, the others in slow ones."""
    return [
        pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)
        for name in sorted(names)
    ]


@pytest.mark.parametrize("fault", _faults(set(FAULTS) - NO_REPLY))
def test_a_server_that_answers_wrongly_is_named(fault: str) -> None:
    with misbehaving(FAULTS[fault]) as address:
        assert deviating(check(address, "key", Target(write=True), deadline_s=PATIENCE_S))


@pytest.mark.parametrize("fault", _faults(NO_REPLY))
def test_a_server_without_a_whole_reply_is_unreachable(fault: str) -> None:
    with (
        misbehaving(FAULTS[fault]) as address,
        pytest.raises(Unreachable, match="no reply"),
    ):
        check(address, "key", deadline_s=DEADLINE_S)


def test_a_server_that_stops_answering_ends_the_check(proxy: AlteringProxy, served: Served) -> None:
    stopped, unanswered = threading.Event(), []

    def stop(passing: Passing) -> None:
        if not passing.path.startswith("/trading/markets"):
            unanswered.append(passing.path)
            stopped.wait(PATIENCE_S)

    proxy.plant(stop)
    report = check(proxy.address, served.key, Target(write=True), deadline_s=2)
    stopped.set()
    assert len(unanswered) == MAXIMUM_UNUSABLE
    reasons = {note for each in report.findings for note in each.notes}
    assert "the deployment stopped giving usable replies" in reasons
