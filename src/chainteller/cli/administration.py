"""What is done to a database rather than asked of a service: ``db``, ``keys``, ``serve``."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chainteller.cli.complaints import PartMissing


@contextmanager
def api_keys() -> Iterator[Any]:
    raise PartMissing("key administration")
    yield


def verify_chain() -> Any:
    raise PartMissing("audit check")


def init() -> dict[str, object]:
    raise PartMissing("database administration")


def upgrade() -> dict[str, object]:
    raise PartMissing("database administration")


def load_samples() -> dict[str, object]:
    raise PartMissing("sample data")


def check() -> dict[str, object]:
    raise PartMissing("database administration")


def verify() -> list[str]:
    raise PartMissing("database administration")


def backup(file: Path) -> dict[str, object]:
    raise PartMissing("database administration")


def restore(file: Path) -> dict[str, object]:
    raise PartMissing("database administration")


def copy(to_url: str) -> dict[str, object]:
    raise PartMissing("database administration")


def serve(host: str, port: int, workers: int, *, sample: bool, log: Path | None) -> int:
    raise PartMissing("HTTP service")
