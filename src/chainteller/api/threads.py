"""Threads in which the synchronous service runs, awaited from the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TypeVar

Answer = TypeVar("Answer")

THREADS = 16


def service_threads() -> ThreadPoolExecutor:
    """Create a pool large enough that a slow signature check doesn't delay reads."""
    return ThreadPoolExecutor(THREADS, thread_name_prefix="service")


async def run(threads: Executor, work: Callable[[], Answer]) -> Answer:
    return await asyncio.get_running_loop().run_in_executor(threads, work)
