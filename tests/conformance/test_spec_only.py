"""A deployment of the specification alone deviates in nothing; what it lacks is an extension."""

import subprocess
import sys
from pathlib import Path

from tests.conformance.conftest import check, deviating
from tests.world.waiting import PATIENCE_S

from chainteller.conformance.checks import State
from chainteller.conformance.probing import Target

ROOT = Path(__file__).parents[2]


def test_a_spec_only_deployment_deviates_in_nothing(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.spec_only", str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        assert process.stdout is not None
        address, key, chain = (process.stdout.readline().strip() for _ in range(3))
        target = Target(write=True, bank_account=("DDA-2", "savings"), chains={"ethereum": chain})
        reading, writing = check(address, key), check(address, key, target)
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)
    assert deviating(reading) == deviating(writing) == set()
    assert not any(writing.extensions.values())
    assert writing.count(State.OK) >= 100
