"""The program's entry. What is asked most is answered before anything heavy is imported."""

import os
import sys
from collections.abc import Sequence

from chainteller import __version__

COMPLETION = "_CHAINTELLER_COMPLETE"
"""The variable by which a shell asks for completion."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and answer its exit code (interfaces: 0, 1, 2, 3, 4 or 130)."""
    os.umask(0o077)  # what is written is customers' data
    if sys.stdout is None:  # it was closed: writing fails, as on a full disk
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["--version"]:
        try:
            print(f"chainteller {__version__}", flush=True)  # noqa: T201 - the command line's answer
        except OSError:  # told below, as of every command
            return _run(given)
        return 0
    if COMPLETION not in os.environ:
        from chainteller.cli import desk  # noqa: PLC0415 - not for --version

        console = desk.recognised(given)
        if console is not None:
            return desk.run(console)
    return _run(given)


def _run(given: Sequence[str]) -> int:
    from chainteller import garbage  # noqa: PLC0415 - not for --version

    with garbage.loading():
        from chainteller.cli.main import run  # noqa: PLC0415 - click stays out of the first frame

    return run(given)


if __name__ == "__main__":
    sys.exit(main())
