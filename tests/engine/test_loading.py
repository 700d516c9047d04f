"""The engine's functions are imported when an operation is called first."""

import subprocess
import sys

import pytest

from chainteller.service.operations import OPERATIONS

_PROGRAM = """
import sys
from chainteller.engine import engine
from chainteller.engine.core.table import TABLE
from chainteller.service.operations import OPERATIONS
called = [each for each in OPERATIONS if {condition}]
engine.load(called)
assert [each.name for each in called if each not in TABLE] == []
print([each for each in sys.modules if each.startswith("chainteller.wallets")])
"""


def loaded(condition: str) -> str:
    """Modules of wallets that a process has which called operations that fulfil a condition."""
    program = [sys.executable, "-c", _PROGRAM.format(condition=condition)]
    ran = subprocess.run(program, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


@pytest.mark.forms(1)
@pytest.mark.parametrize("tag", ["", *sorted({each.tag for each in OPERATIONS})])
def test_the_modules_of_a_tag_have_the_functions_of_its_operations(tag: str) -> None:
    """Of all tags together, and of each alone."""
    loaded(f"{tag!r} in ('', each.tag)")


def test_a_list_imports_no_other_feature() -> None:
    assert loaded("each.name == 'trades'") == "[]"
