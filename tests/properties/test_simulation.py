"""Volume: seeded random operations under audit, every invariant checked after each seed."""

from collections import Counter
from pathlib import Path

import pytest
from tests.properties.deployments import EmbeddedDeployment, audited
from tests.properties.simulation import Simulation

from chainteller.engine.verification.full_pass import verify, verify_chain

pytestmark = pytest.mark.thorough


def run(folder: Path, seed: str, steps: int) -> tuple[str, int, Counter[str]]:
    """(audit head, operations, refusals by code) of a seed's simulation."""
    path = folder / f"seed-{seed}.db"
    deployment = EmbeddedDeployment(path, seed)
    auditor = audited(deployment)
    simulation = Simulation(seed, [auditor])
    try:
        while auditor.operations < steps:
            simulation.step()
        auditor.compare_all()
        assert verify(deployment.world.database) == ()
        head = verify_chain(deployment.world.database).head
    finally:
        deployment.close()
        path.unlink()
    return head, auditor.operations, Counter(auditor.refused)


@pytest.mark.parametrize("seed", [str(number) for number in range(10)])
def test_a_seed_leaves_the_books_right(tmp_path: Path, seed: str) -> None:
    _, operations, _ = run(tmp_path, seed, 150)
    assert operations >= 150


def test_the_same_seed_gives_the_same_audit_head(tmp_path: Path) -> None:
    first, second = (run(tmp_path, "42", 120)[0] for _ in range(2))
    assert first == second
    assert run(tmp_path, "43", 120)[0] != first


@pytest.mark.slow
def test_forty_thousand_operations_over_thirty_seeds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seeds, total, refused = 32, 0, Counter[str]()
    for number in range(seeds):
        _, operations, refusals = run(tmp_path, f"volume-{number}", 1_300)
        total += operations
        refused += refusals
    with capsys.disabled():
        print(f"\n{total} operations over {seeds} seeds; refused: {dict(refused)}")  # noqa: T201 - the figures asked for
    assert total >= 40_000
    # Each refusal that the books can demand was met, so each rule was at its edge.
    assert refused.keys() >= {
        "INSUFFICIENT_FUNDS",
        "QUOTE_EXPIRED",
        "QUOTE_ALREADY_USED",
        "LIMIT_EXCEEDED",
        "TRADE_NOT_CANCELLABLE",
        "WITHDRAWAL_NOT_CANCELLABLE",
        "AMOUNT_BELOW_MINIMUM",
        "CONFLICT",
    }
