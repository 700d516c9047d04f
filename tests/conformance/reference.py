"""The reference of checks, made from their declarations.

``python -m tests.conformance.reference`` prints ``docs/reference/checks.md``.
"""

import sys

from chainteller.conformance.checks import Check
from chainteller.conformance.probes import WRITING
from chainteller.conformance.specification import CHAPTERS, CHECKS

_HEAD = f"""\
# Checks

The {len(CHECKS)} checks of `chainteller check`, in the order in which it prints them. Ids are
stable. *Section* and *sentence* are those of the specification, word for word. Checks marked
*write* judge only requests that need `--write`.
[Check a deployment](../how-to/check_a_deployment.md) explains the states and the options.

This page is generated: `python -m tests.conformance.reference > docs/reference/checks.md`.
"""
_BAR = "\\|"
_TABLE = "| id | needs | section | sentence |\n|---|---|---|---|"


def needs_write(check: Check) -> bool:
    """Whether nothing of it can be judged by reading."""
    return bool(check.on) and all(WRITING & {probe, *check.given} for probe in check.on)


def reference() -> str:
    """The page of documentation."""
    parts = [_HEAD]
    for title, checks in CHAPTERS:
        rows = "\n".join(
            f"| `{check.id}` | {'write' if needs_write(check) else ''} | {check.section} "
            f"| `{check.sentence.replace('|', _BAR)}` |"
            for check in checks
        )
        parts.append(
            f"## {title}\n\n| id | needs | section | sentence |\n|---|---|---|---|\n{rows}\n"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(reference())
