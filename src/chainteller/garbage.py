"""Garbage collection, which waits while modules load: they make many objects and little garbage.

What was loaded stays as long as the process, and is never looked at again (``gc.freeze``).
``benchmarks/commands.py`` and ``benchmarks/console.py`` show what that saves.
"""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


def pause() -> None:
    """Collect nothing until ``resume``."""
    gc.disable()


def resume() -> None:
    """Collect again, except what is loaded by now.

    Does nothing while the collector is on: in a process that opens several consoles, freezing
    again would keep every earlier one in memory.
    """
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


@contextmanager
def loading() -> Iterator[None]:
    """Collect nothing while modules may be loaded; if some were, never look at them again."""
    known = len(sys.modules)
    with paused():
        try:
            yield
        finally:
            if len(sys.modules) > known:
                gc.freeze()


@contextmanager
def paused() -> Iterator[None]:
    """Collect nothing meanwhile."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
