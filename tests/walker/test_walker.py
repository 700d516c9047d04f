"""A random walk over the console: 0 foreign ids or amounts, 0 requests for anyone else."""

import os

import pytest
from tests.deployments import OWN, SPEC_ONLY
from tests.walker.run import walk_part

SHORT = int(os.environ.get("WALKER_STEPS", "40"))
SEED = os.environ.get("WALKER_SEED", "suite")


@pytest.mark.parametrize("kind", [OWN, SPEC_ONLY])
async def test_a_short_walk_shows_and_sends_only_what_belongs_to_the_customer(
    kind: str,
) -> None:
    report = await walk_part(f"{SEED}/{kind}", SHORT, kind)
    assert report.frames == SHORT


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
@pytest.mark.parametrize("kind", [OWN, SPEC_ONLY])
async def test_a_walk_of_ten_thousand_steps(kind: str, part: int) -> None:
    """As ``python -m tests.walker``, which can be interrupted and goes on where it was."""
    report = await walk_part(f"1/{kind}/{part}", 500, kind)
    assert report.frames == 500
