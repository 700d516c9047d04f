"""Which deployments the console's tests run on, and what a test may need of them.

``--deployment spec-only`` runs every test that uses the fixture ``deployment`` on a deployment that
offers only the specification; without it, the tests of FLOWS run on both kinds.
"""

import pytest

from chainteller.service.operations import FEATURES

OWN, SPEC_ONLY = "own", "spec-only"
FLOWS = frozenset(
    {
        "test_main_flow",
        "test_customer",
        "test_quote",
        "test_trades",
        "test_wallet_withdrawals",
        "test_wallets",
    }
)
"""Modules of flows and money, whose tests always run on both kinds."""
REASONS = {
    **{name: f"the deployment offers {name}" for name in FEATURES},
    "engine": "the test looks at our own engine, its files or its settings",
    "buying-power": "the account says what it can spend",
    "customer-names": "the account says whose it is",
    "transfer-records": "a deposit or withdrawal is answered with its record",
    "quote-status": "a quote says what became of it",
    "trade-details": "a trade says more than the fields of the specification",
    "paging": "lists answer the page that is asked for",
    "error-details": "errors of any kind carry details",
    "market-status": "a market says whether it is open",
    "challenge-expiry": "a challenge says until when it can be signed",
    "picture": "the picture is of the console on our own service",
    "account-controls": "an account says which controls are on it",
}
"""What a test may need beyond the specification, by name: features, and fields of records."""


def add_option(parser: pytest.Parser) -> None:
    parser.addoption(
        "--deployment",
        choices=(OWN, SPEC_ONLY),
        default="",
        help="run the console's tests on this kind of deployment alone",
    )


def needs_of(item: pytest.Item) -> list[str]:
    """What a test declares with ``@pytest.mark.needs``. Raises UsageError for another name."""
    found = [str(name) for mark in item.iter_markers("needs") for name in mark.args]
    unknown = [name for name in found if name not in REASONS]
    if unknown:
        raise pytest.UsageError(f"{item.nodeid} needs what nobody declared: {unknown}")
    return found


def generate(metafunc: pytest.Metafunc) -> None:
    """Run a test that uses ``deployment`` on the kinds that are wanted."""
    marks = metafunc.definition.iter_markers("parametrize")
    if "deployment" not in metafunc.fixturenames or any(m.args[0] == "deployment" for m in marks):
        return
    chosen = metafunc.config.getoption("--deployment")
    kinds = [chosen] if chosen else [OWN, SPEC_ONLY] if is_flow(metafunc.definition) else [OWN]
    if kinds != [OWN]:
        metafunc.parametrize("deployment", kinds, indirect=True)


def is_flow(item: pytest.Item) -> bool:
    """Whether a test of this module always runs on both kinds."""
    return item.path.stem in FLOWS


def kind_of(item: pytest.Item) -> str:
    """The kind of the deployment that a test was given; empty where it was given none."""
    params = item.callspec.params if isinstance(item, pytest.Function) and _has(item) else {}
    return str(params.get("deployment", ""))


def take_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip on a spec-only deployment what needs more; leave it out where nobody asked for it."""
    left_out = []
    for item in items:
        needs = needs_of(item)
        if needs and kind_of(item) == SPEC_ONLY:
            item.add_marker(pytest.mark.skip(f"not applicable: {', '.join(sorted(needs))}"))
            left_out.append(item)
    if left_out and not config.getoption("--deployment"):
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def _has(item: pytest.Function) -> bool:
    return hasattr(item, "callspec")


def refuse_undeclared_skips(item: pytest.Item, report: pytest.TestReport) -> None:
    """On a spec-only deployment a test is skipped for declared needs alone."""
    if item.config.getoption("--deployment") != SPEC_ONLY or not report.skipped:
        return
    if not needs_of(item) and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} is skipped and declares no needs"
