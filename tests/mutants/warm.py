"""A process that has imported the product and collected the tests, and judges changes in copies.

Each change is judged in a process that is forked from it: there the changed functions get their
new code, the tests run in the order they are given, and the first that fails ends it. So a change
costs what its tests cost, without a start. What runs when a module is imported can't be changed
like this, nor what was kept before the change; ``__main__`` judges those in a fresh interpreter.
"""

import functools
import gc
import os
import shutil
import signal
import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple, NoReturn

import pytest
from tests.mutants.contexts import leave_out_postgres

KILLED, SURVIVED, TIMEOUT, UNCHANGED = "killed", "survived", "timeout", "unchanged"
_AT_FIRST = 1
"""Tests of each file that run before anything is judged: what they leave in memory stays warm."""


class Asked(NamedTuple):
    """``source`` is the whole changed text of ``file``; ``tests`` are node ids with the seconds
    they may take."""

    file: str
    source: str
    tests: list[tuple[str, float]]


class Judged(NamedTuple):
    outcome: str
    killer: str
    seconds: float


class Warm:
    """A pytest plugin that answers questions from a connection instead of running the tests."""

    def __init__(self, asking: Connection, files: Sequence[str], folder: Path) -> None:
        self._asking, self._files, self._folder = asking, frozenset(files), folder
        self._failed: list[str] = []
        self._functions: dict[str, list[FunctionType]] = defaultdict(list)
        self._kept: dict[str, list[Any]] = defaultdict(list)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        leave_out_postgres(items)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed.append(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {each.nodeid: each for each in session.items}
        self._warm_up(session.items)
        self._look_around()
        self._asking.send(sorted(set(items) - set(self._failed)))
        while (asked := self._asking.recv()) is not None:
            self._asking.send(self._judge(asked, items))
        return True

    def _warm_up(self, items: Sequence[pytest.Item]) -> None:
        count: dict[Path, int] = defaultdict(int)
        for item in items:
            if count[item.path] < _AT_FIRST:
                _run(item, None)
                count[item.path] += 1

    def _look_around(self) -> None:
        """The functions and the caches of the files that are changed."""
        gc.unfreeze()
        for each in gc.get_objects():
            if type(each) is FunctionType and each.__code__.co_filename in self._files:
                self._functions[each.__code__.co_filename].append(each)
            elif isinstance(each, functools._lru_cache_wrapper):
                code = getattr(each.__wrapped__, "__code__", None)
                if code is not None and code.co_filename in self._files:
                    self._kept[code.co_filename].append(each)
        gc.collect()
        gc.freeze()

    def _judge(self, asked: Asked, items: dict[str, pytest.Item]) -> Judged:
        began, before = time.monotonic(), set(self._folder.iterdir())
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            self._be_judged(asked, items, writing)
        os.close(writing)
        limit = began + 30 + 10 * sum(seconds for _, seconds in asked.tests)
        outcome = TIMEOUT
        while time.monotonic() < limit:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                outcome = _OUTCOMES.get(os.waitstatus_to_exitcode(status), KILLED)
                break
            time.sleep(0.002)
        for kill in (os.killpg, os.kill):
            with suppress(ProcessLookupError):
                kill(child, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(child, 0)
        with os.fdopen(reading, "rb") as pipe:
            killer = pipe.read().decode()
        for left in set(self._folder.iterdir()) - before:
            shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink()
        return Judged(outcome, killer, round(time.monotonic() - began, 2))

    def _be_judged(self, asked: Asked, items: dict[str, pytest.Item], writing: int) -> None:
        code = 1
        try:
            os.setsid()
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            if not self._change(asked):
                os._exit(_EXITS[UNCHANGED])
            code = self._first_failure(asked, items, writing)
        finally:
            os._exit(code)

    def _first_failure(self, asked: Asked, items: dict[str, pytest.Item], writing: int) -> int:
        chosen = [(items[name], seconds) for name, seconds in asked.tests if name in items]
        following = [item for item, _ in chosen[1:]]
        self._failed.clear()
        for (item, seconds), after in zip(chosen, [*following, None], strict=True):
            # A test that never ends is ended by the kernel, after processor time alone.
            signal.setitimer(signal.ITIMER_PROF, 3 + 5 * seconds)
            _run(item, after)
            if self._failed:
                os.write(writing, item.nodeid.encode())
                return _EXITS[KILLED]
        return _EXITS[SURVIVED]

    def _change(self, asked: Asked) -> bool:
        """Give functions the code of the changed source; whether any got another."""
        found: dict[tuple[str, int], CodeType] = {}
        whole = compile(asked.source, asked.file, "exec", dont_inherit=True)
        waiting: list[CodeType] = [whole]
        while waiting:
            for each in waiting.pop().co_consts:
                if isinstance(each, CodeType):
                    found[each.co_qualname, each.co_firstlineno] = each
                    waiting.append(each)
        changed = False
        for function in self._functions[asked.file]:
            now = function.__code__
            code = found.get((now.co_qualname, now.co_firstlineno))
            if code is not None and code != now and code.co_freevars == now.co_freevars:
                function.__code__ = code
                changed = True
        for kept in self._kept[asked.file]:
            kept.cache_clear()
        return changed


_EXITS = {SURVIVED: 0, KILLED: 1, UNCHANGED: 2}
_OUTCOMES = {code: outcome for outcome, code in _EXITS.items()} | {-signal.SIGPROF: TIMEOUT}


def _run(item: pytest.Item, after: pytest.Item | None) -> None:
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)


def end_as(run: Callable[[], int], output: Path) -> NoReturn:
    """Call ``run`` and end this process, a fork, with the code that it returns.

    It leads a group of processes of its own; what they print is written to ``output``.
    """
    code = 3
    try:
        os.setsid()
        sys.dont_write_bytecode = True
        with output.open("w") as printed:
            os.dup2(printed.fileno(), 1)
            os.dup2(printed.fileno(), 2)
        code = run()
    except BaseException:  # noqa: BLE001 - this process ends here
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def serve(asking: Connection, tests: Sequence[str], files: Sequence[str], folder: Path) -> None:
    """Collect the tests and answer; ends this process."""

    def run() -> int:
        how = ["-q", "-s", "-p", "no:faulthandler", f"--basetemp={folder / 'tests'}"]
        how += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
        return int(pytest.main([*how, *tests], plugins=[Warm(asking, files, folder)]))

    end_as(run, folder.with_name("output"))
