"""Our own service deviates in nothing: with sample data, without, and with a closed market."""

from pathlib import Path

from tests.conformance.altering_proxy import AlteringProxy, Passing
from tests.conformance.conftest import Served, check, deviating, serving

from chainteller.conformance.checks import State
from chainteller.conformance.probing import Target
from chainteller.conformance.report import Report


def _not_checked(report: Report) -> set[str]:
    return {each.check.id for each in report.findings if each.state is State.NOT_CHECKED}


def test_every_sentence_but_that_of_closed_markets_holds(served: Served) -> None:
    assert len(served.report.findings) >= 100
    assert deviating(served.report) == set()
    assert _not_checked(served.report) == {"error.market-unavailable"}
    assert all(served.report.extensions.values())


def test_reading_sends_nothing_but_gets(proxy: AlteringProxy, served: Served) -> None:
    methods: list[str] = []
    proxy.plant(lambda passing: methods.append(passing.method))
    report = check(proxy.address, served.key)
    assert deviating(report) == set()
    assert report.count(State.OK) >= 35
    assert set(methods) == {"GET"}


def test_a_closed_market_is_left_alone_and_its_refusal_judged(
    proxy: AlteringProxy, served: Served
) -> None:
    def closed(passing: Passing) -> None:
        if passing.method == "POST" and passing.path.startswith("/trading/markets/sol-usd/"):
            details = {
                "market": "sol-usd",
                "reason": "MAINTENANCE",
                "estimatedResolution": "2026-11-22T09:00:00Z",
            }
            passing.status = 503
            passing.body = {"error": "MARKET_UNAVAILABLE", "message": "Closed.", "details": details}

    proxy.plant(closed)
    report = check(proxy.address, served.key, Target(write=True, account=served.account))
    assert deviating(report) == set()
    assert "error.market-unavailable" not in _not_checked(report)
    assert "execute.answers" not in _not_checked(report)


def test_an_empty_database_deviates_in_nothing(tmp_path: Path) -> None:
    with serving(tmp_path) as (address, key):
        reports = [check(address, key), check(address, key, Target(write=True))]
    for report in reports:
        assert deviating(report) == set()
        reasons = {note for each in report.findings for note in each.notes}
        assert "no trading account is listed: name one with --account" in reasons
    writing = reports[1]
    assert writing.count(State.OK) > reports[0].count(State.OK) + 20
