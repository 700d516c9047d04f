"""Forms of a test: the quick line runs a few of a parametrized test, ``-m thorough`` the others.

``@pytest.mark.forms(count)`` says how many, on each kind of deployment: the first, the last and
some between them, so that of a product of parameters several values of each are among them. Of the
flows of the console that run on both kinds of deployment, a third runs on a spec-only one, in one
form; which ones follows from their names.
"""

from collections.abc import Sequence
from zlib import crc32

import pytest
from tests import deployments


def share_out(config: pytest.Config, items: Sequence[pytest.Item]) -> None:
    """Mark what the quick line leaves out as thorough, unless a deployment was asked for."""
    if config.getoption("--deployment"):
        return
    together: dict[tuple[str, str], list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("thorough") or item.get_closest_marker("slow"):
            continue
        together.setdefault((item.nodeid.partition("[")[0], deployments.kind_of(item)), []).append(
            item
        )
    for (name, kind), forms in together.items():
        count = _count(forms[0]) or len(forms)
        if kind == deployments.SPEC_ONLY and deployments.is_flow(forms[0]):
            count = int(is_chosen(name))
        quick = {at * (len(forms) - 1) // max(1, count - 1) for at in range(count)}
        for at, item in enumerate(forms):
            if at not in quick:
                item.add_marker(pytest.mark.thorough)


def is_chosen(name: str) -> bool:
    """Whether the quick line runs a test of which it runs a third; its name decides."""
    return crc32(name.encode()) % 3 == 0


def _count(item: pytest.Item) -> int:
    """How many forms the quick line runs; 0 for all of them."""
    mark = item.get_closest_marker("forms")
    return int(mark.args[0]) if mark else 0
