"""Deviations planted between the check and our own service are named, each by its check."""

from collections.abc import Iterable

import pytest
from tests.conformance.altering_proxy import AlteringProxy
from tests.conformance.conftest import Served, check, deviating
from tests.conformance.deviations import DEVIATIONS, Deviation

from chainteller.conformance.probing import Target


def _expected(planted: Iterable[Deviation]) -> set[str]:
    return {name for each in planted for name in (each.named_by, *each.also)}


def _found(proxy: AlteringProxy, served: Served, planted: list[Deviation]) -> set[str]:
    proxy.plant(*(each.alter for each in planted))
    writing = not all(each.by_reading for each in planted)
    waiting = any(each.named_by == "execute.expired" for each in planted)
    target = Target(write=writing, account=served.account)
    return deviating(check(proxy.address, served.key, target, wait_s=2.0 if waiting else 0.0))


@pytest.mark.forms(2)
@pytest.mark.parametrize("run", sorted({each.run for each in DEVIATIONS}))
def test_planted_deviations_are_named_and_nothing_else(
    run: int, proxy: AlteringProxy, served: Served
) -> None:
    planted = [each for each in DEVIATIONS if each.run == run]
    assert _found(proxy, served, planted) == _expected(planted)


@pytest.mark.slow
@pytest.mark.parametrize("deviation", DEVIATIONS, ids=[each.named_by for each in DEVIATIONS])
def test_a_deviation_planted_alone_is_named_and_nothing_else(
    deviation: Deviation, proxy: AlteringProxy, served: Served
) -> None:
    assert _found(proxy, served, [deviation]) == _expected([deviation])
