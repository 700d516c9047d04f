"""Embedded on SQLite, ``serve`` over a socket, and PostgreSQL: no call tells them apart."""

import tempfile
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import invariant, run_state_machine_as_test
from tests.postgres import wipe
from tests.properties.deployments import EmbeddedDeployment
from tests.properties.side_by_side import SideBySide
from tests.properties.test_service_machine import ServiceMachine


class SideBySideMachine(ServiceMachine):
    """The machine of one deployment over all at once."""

    postgres: ClassVar[str]
    steps: ClassVar[int]

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.compared = 0

    def deployments(self) -> list[EmbeddedDeployment]:
        folder = Path(self.folder.name)
        wipe(self.postgres)
        self.sides = [
            SideBySide(folder / "embedded.db", "machine"),
            SideBySide(folder / "served.db", "machine", remote=True),
            SideBySide(self.postgres, "machine"),
        ]
        return [*self.sides]

    @invariant()
    def answers_are_equal(self) -> None:
        if not hasattr(self, "sides"):
            return
        type(self).steps += 1
        first, *others = (side.recorded.log[self.compared :] for side in self.sides)
        for other in others:
            assert other == first
        self.compared += len(first)

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            self.folder.cleanup()


def compare(url: str, examples: int, steps: int) -> int:
    """Run the machine; the steps that all deployments took alike."""

    class Machine(SideBySideMachine):
        postgres = url
        steps = 0

    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    return Machine.steps


def test_three_deployments_answer_alike(postgres_bank: str) -> None:
    assert compare(postgres_bank, examples=4, steps=25) > 40


@pytest.mark.slow
def test_three_deployments_answer_alike_for_long(postgres_bank: str) -> None:
    taken = compare(postgres_bank, examples=140, steps=50)
    print(f"{taken} steps, no difference")  # noqa: T201 - the figure that was asked for
    assert taken >= 5_000
