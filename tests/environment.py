"""The suite forgets the environment it was started in, so that no report of a failure can hold it.

A failing test prints values, a snapshot report prints ``os.environ``, a crash prints locals: what
is not there cannot be printed, whoever prints it. COLUMNS and LINES, which a test runner may set
for its workers, go too: a program on a terminal would take them for its window.
"""

import os
import signal

KEPT = frozenset({
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "TMPDIR",
    "TEMP", "TMP", "SYSTEMROOT", "COMSPEC", "PATHEXT", "CI", "VIRTUAL_ENV", "LD_LIBRARY_PATH",
    "FORCE_COLOR", "PY_COLORS", "HYPOTHESIS_PROFILE", "CHAINTELLER_VECTORS",
    "CHAINTELLER_TEST_POSTGRES", "CHAINTELLER_SCHEMATHESIS", "CHAINTELLER_FUZZ_EXAMPLES",
    "CHAINTELLER_FUZZ_SEEDS", "CHAINTELLER_CLIENT_TOOLS", "CHAINTELLER_DEPLOYMENT_TOOLS",
    "CHAINTELLER_CLOCK_FROM", "CHAINTELLER_CLOCK_SEEDS", "CHAINTELLER_CLOCK_FIRST",
    "CHAINTELLER_CLOCK_LIVES", "PAYOUT_SEEDS", "WALKER_SEED", "WALKER_STEPS", "MUTANTS_DURATIONS",
    "CHAINTELLER_EVM_PYTHON", "CHAINTELLER_SAFE_CONTRACTS",
    "CHAINTELLER_COINBASE_CONTRACTS", "CHAINTELLER_KERNEL_CONTRACTS", "SIGNING_PAGE_PICTURES",
    "CHAINTELLER_WEBHOOK_EVENTS", "CHAINTELLER_WEBHOOK_KILLS",
})  # fmt: skip
_PREFIXES = ("LC_", "PYTHON", "PYTEST_", "COV_", "COVERAGE_")
_UNCOMPILED = "PYTHONDONTWRITEBYTECODE"
"""Gone too: hundreds of programs are started, each of which would compile the package again."""


def forget() -> None:
    """Keep what Python, the terminal and the suite itself need; what else was set is gone."""
    for name in [*os.environ]:
        if name == _UNCOMPILED or not (name in KEPT or name.startswith(_PREFIXES)):
            del os.environ[name]


def hear_interrupts() -> None:
    """Undo what a shell does that starts the suite in the background: the programs that tests start
    would ignore SIGINT, too."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
