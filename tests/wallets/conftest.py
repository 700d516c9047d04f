"""In the tests of wallets everything is tried to explain a wrong signature."""

from collections.abc import Iterator

import pytest
from tests.world.explaining import EVERYTHING, FEW, explaining


@pytest.fixture(autouse=True, scope="module")
def everything_is_tried() -> Iterator[None]:
    with explaining(EVERYTHING, FEW):
        yield


@pytest.fixture
def little_is_tried(everything_is_tried: None) -> Iterator[None]:
    """For what is never accepted and ends nothing, whatever is found out about it."""
    with explaining(FEW, EVERYTHING):
        yield
