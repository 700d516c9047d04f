"""What is loaded is left out of garbage collection, and afterwards the collector goes on."""

import gc
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest
from tests.cli.program import python

from chainteller import garbage

MADE = "tests_garbage_made"


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    was_enabled = gc.isenabled()
    yield
    sys.modules.pop(MADE, None)
    (gc.enable if was_enabled else gc.disable)()


def test_what_is_loaded_is_never_looked_at_again() -> None:
    gc.enable()
    before = gc.get_freeze_count()
    with garbage.loading():
        assert not gc.isenabled()
        loaded = sys.modules[MADE] = ModuleType(MADE)
        loaded.__dict__["names"] = [[each] for each in range(1_000)]
    assert gc.isenabled()
    assert gc.get_freeze_count() >= before + 1_000


def test_where_nothing_was_loaded_nothing_is_kept() -> None:
    gc.enable()
    before = gc.get_freeze_count()
    with garbage.loading():
        made = [[each] for each in range(1_000)]
    assert gc.isenabled()
    assert gc.get_freeze_count() <= before
    assert made


def test_a_command_ends_with_the_collector_on_and_what_it_loaded_left_out() -> None:
    ended = python(
        "import gc; from chainteller.__main__ import main; code = main(['markets', '--json']); "
        "print(code, gc.isenabled(), gc.get_freeze_count() > 30_000)"
    )
    assert ended.out.splitlines()[-1] == "0 True True"


def test_what_fails_to_load_leaves_the_collector_on() -> None:
    gc.enable()
    with pytest.raises(ModuleNotFoundError), garbage.loading():
        raise ModuleNotFoundError
    assert gc.isenabled()


@pytest.mark.parametrize("within", [garbage.loading, garbage.paused])
def test_a_pause_lasts_until_it_is_resumed(within: object) -> None:
    garbage.pause()
    with within():  # type: ignore[operator]  # either of two
        assert not gc.isenabled()
    assert not gc.isenabled()
    garbage.resume()
    assert gc.isenabled()
