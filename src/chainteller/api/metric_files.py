"""Where several processes keep their metrics, so that each of them can report all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import values
from prometheus_client.multiprocess import mark_process_dead

_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


@contextmanager
def shared_between_processes() -> Iterator[None]:
    """Keep the metrics that are made within the block in files, one for each process."""
    folder = tempfile.mkdtemp(prefix="chainteller-metrics-")
    os.environ[_VARIABLE] = folder
    values.ValueClass = values.get_value_class()  # type: ignore[no-untyped-call]  # as it is
    try:
        yield
    finally:
        del os.environ[_VARIABLE]
        values.ValueClass = values.get_value_class()  # type: ignore[no-untyped-call]  # as it is
        shutil.rmtree(folder, ignore_errors=True)


def folder_of_processes() -> str | None:
    """The folder of several processes' metrics; None for a single process."""
    return os.environ.get(_VARIABLE)


def forget_process(pid: int) -> None:
    """Drop the gauges of a process that ended; what it counted stays counted."""
    folder = folder_of_processes()
    if folder is not None:
        mark_process_dead(pid, folder)  # type: ignore[no-untyped-call]  # as it is
