"""What the training commands ask of the training part."""

from pathlib import Path

from chainteller.cli.complaints import PartMissing


def show_list() -> int:
    """List the scenarios."""
    raise PartMissing("training")


def run(scenario: str, *, seed: str, report: Path | None) -> int:
    """Run a scenario in the console."""
    raise PartMissing("training")


def validate(file: Path) -> int:
    """Check a scenario file."""
    raise PartMissing("training")
