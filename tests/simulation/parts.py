"""Parts of a long run, each on its own, in one process or in several."""

import gc
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from multiprocessing import get_context
from typing import TypeVar

Part = TypeVar("Part")
Result = TypeVar("Result")


def done(
    work: Callable[[Part], Result], parts: Iterable[Part], processes: int
) -> Iterator[tuple[Part, Result]]:
    """Each part with its result; with several processes, in the order in which they end."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)  # what is imported stays, and little else has cycles
    if processes == 1:
        yield from ((part, work(part)) for part in parts)
        return
    pool = get_context("fork").Pool(processes)
    yield from pool.imap_unordered(partial(_with_its_part, work), parts)
    pool.close()
    pool.join()


def _with_its_part(work: Callable[[Part], Result], part: Part) -> tuple[Part, Result]:
    return part, work(part)
