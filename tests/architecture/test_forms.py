"""What a test says about its forms is what the quick line runs."""

import pytest


@pytest.mark.forms(3)
@pytest.mark.parametrize("form", range(6))
def test_the_first_the_last_and_one_between_are_quick(
    request: pytest.FixtureRequest, form: int
) -> None:
    left_out = request.node.get_closest_marker("thorough") is not None
    assert left_out == (form not in {0, 2, 5})
