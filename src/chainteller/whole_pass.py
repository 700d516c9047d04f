"""Verify everything that a database has, for a server or a console that goes on meanwhile.

``python -m chainteller.whole_pass`` reads the settings and the place from its standard input, as
``bootstrap`` writes them, and prints each breach as a line of JSON. It runs in a separate process,
behind all others: it remembers a seal of every row, and the server would keep that memory. It
ends when its standard input does, so that it doesn't outlive a server that was killed.
"""

import json
import os
import pickle
import sys
import threading
from dataclasses import replace

from chainteller.bootstrap import open_engine
from chainteller.engine.verification.full_pass import verify_all

_NICENESS = 10


def main() -> None:
    settings, place = pickle.load(sys.stdin.buffer)  # noqa: S301 - what our own parent wrote
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    engine = open_engine(settings, replace(place, read_only=True))
    try:
        found = verify_all(engine.context.database)
    finally:
        engine.close()
    for each in found:
        print(json.dumps([each.invariant, each.what, each.where, each.organisation]))  # noqa: T201 - what the parent reads


def _end_with_parent() -> None:
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


if __name__ == "__main__":
    main()
