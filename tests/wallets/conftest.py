"""In the tests of wallets everything is tried to explain a wrong signature."""

from collections.abc import Iterator

import pytest
from tests.world.explaining import everything_tried


@pytest.fixture(autouse=True, scope="module")
def everything_is_tried() -> Iterator[None]:
    with everything_tried():
        yield
