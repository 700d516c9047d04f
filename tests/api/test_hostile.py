"""A key holder beside hostile connections: a short siege in the suite, a long one on request."""

from pathlib import Path

import pytest
from tests.api.hostile.__main__ import besiege
from tests.api.hostile.wrong_keys import guess


def test_a_key_holder_is_answered_beside_hostile_connections(tmp_path: Path) -> None:
    found = besiege(600, 5, 3.0, tmp_path)
    assert found.opened["body_after_refusal"] > 10
    assert not found.failed
    assert len(found.answered) > 3


@pytest.mark.slow
@pytest.mark.parametrize("sources", [1, 50])
@pytest.mark.parametrize("same_address", [True, False])
def test_five_thousand_hostile_connections_for_ten_minutes(
    tmp_path: Path, sources: int, same_address: bool
) -> None:
    found = besiege(5_000, sources, 600.0, tmp_path, same_address=same_address)
    assert found.share >= 0.999, found.shown()
    assert found.percentile(0.99) < 0.2, found.shown()
    half = len(found.memory) // 2
    assert max(found.memory[half:]) < 1.2 * max(found.memory[:half]), found.shown()


@pytest.mark.thorough
def test_no_valid_key_is_refused_beside_wrong_keys_and_after_a_restart(tmp_path: Path) -> None:
    found = guess(20, 2.0, tmp_path)
    assert found.refused == 0, found.shown()
    assert found.valid[200] > 5
    assert found.wrong.keys() == {401}


@pytest.mark.slow
def test_no_valid_key_is_refused_beside_wrong_keys_for_ten_minutes(tmp_path: Path) -> None:
    found = guess(60, 600.0, tmp_path)
    assert found.refused == 0, found.shown()
