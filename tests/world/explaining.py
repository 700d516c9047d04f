"""How much is tried to explain a wrong signature: little in most tests, everything for wallets.

What is tried for a person takes tenths of a second of processor time for each wrong signature.
``tests/wallets`` proves it; other tests judge what follows from an explanation.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType

from chainteller.wallets import repair, search

Budgets = Mapping[ModuleType, Mapping[str, int]]
FEW: Budgets = {
    search: {"_TRIES": 160, "_FIRST": 40, "_FOREIGN": 10},
    repair: {"_MOST_DECODED": 40},
}
EVERYTHING: Budgets = {
    module: {name: vars(module)[name] for name in few} for module, few in FEW.items()
}


def explain_with(budgets: Budgets) -> None:
    for module, numbers in budgets.items():
        vars(module).update(numbers)


@contextmanager
def explaining(within: Budgets, after: Budgets) -> Iterator[None]:
    """Explain wrong signatures with one budget within the block, and with another one after it."""
    explain_with(within)
    yield
    explain_with(after)
