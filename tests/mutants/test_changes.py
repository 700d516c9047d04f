"""What the program changes, shown on a few lines."""

from collections import Counter

import pytest
from tests.mutants.__main__ import MODULES, SOURCE
from tests.mutants.changes import changes

_SOURCE = '''\
"""A file."""

LIMIT: int = 10


def fee(atoms: int, rate: int, *, half: bool = False) -> int:
    """Ünïcode before what is changed."""
    if atoms < 0 or not rate:
        raise ValueError("é", atoms)
    total = -pay(atoms, rate) if half else atoms * rate
    log(total)
    return total
'''


def test_every_kind_of_change_is_made_where_it_belongs() -> None:
    found = changes(_SOURCE)
    assert {(each.line, each.kind, each.shown(_SOURCE)) for each in found} == {
        (3, "constant", "10 -> (11)"),
        (6, "constant", "False -> (True)"),
        (8, "comparison", "atoms < 0 -> (atoms <= 0)"),
        (8, "comparison", "atoms < 0 -> (atoms >= 0)"),
        (8, "constant", "0 -> (1)"),
        (8, "boolean", "atoms < 0 or not rate -> (atoms < 0 and (not rate))"),
        (8, "boolean", "not rate -> (rate)"),
        (8, "removed guard", "atoms < 0 or not rate -> (False)"),
        (9, "removed statement", 'raise ValueError("é", atoms) -> pass'),
        (9, "swapped arguments", "ValueError(\"é\", atoms) -> (ValueError(atoms, 'é'))"),
        (
            10,
            "boolean",
            "-pay(atoms, rate) if half else atoms * rate -> "
            "(atoms * rate if half else -pay(atoms, rate))",
        ),
        (10, "arithmetic", "-pay(atoms, rate) -> (pay(atoms, rate))"),
        (10, "swapped arguments", "pay(atoms, rate) -> (pay(rate, atoms))"),
        (10, "arithmetic", "atoms * rate -> (atoms // rate)"),
        (11, "removed statement", "log(total) -> pass"),
        (12, "returned value", "return total -> return None"),
    }
    for each in found:
        changed = each.made_in(_SOURCE)
        assert changed != _SOURCE
        lines = zip(_SOURCE.splitlines(), changed.splitlines(), strict=True)
        assert [number for number, (a, b) in enumerate(lines, 1) if a != b] == [each.line]


@pytest.mark.parametrize("module", ["domain/money.py", "engine/operations/payouts.py"])
def test_a_module_has_changes_of_many_kinds(module: str) -> None:
    assert module in MODULES
    kinds = Counter(each.kind for each in changes((SOURCE / module).read_text(encoding="utf-8")))
    assert len(kinds) > 4


def test_the_modules_are_there() -> None:
    assert [module for module in MODULES if not (SOURCE / module).is_file()] == []
