"""Run one real line of every command in this process, and print how each ended as JSON.

Run: python -m tests.portability.commands_child FOLDER
"""

import json
import sys
from pathlib import Path

from tests.cli.every_command import INTERACTIVE, Bank, lines

HEAD = 300


def main(folder: Path) -> None:
    """Load the sample bank into ``folder``, and run the commands on it."""
    home = folder / "home"
    home.mkdir()
    bank = Bank(home)
    assert bank.run("db", "sample").code == 0
    ended = {}
    for path, arguments in lines(bank).items():
        if path not in INTERACTIVE:
            done = bank.run(*arguments)
            ended[path] = {"code": done.code, "said": done.err[:HEAD]}
    workers = bank.run("serve", "--workers", "2", "--database", "postgresql://nobody@nowhere/none")
    ended["chainteller serve"] = {"code": workers.code, "said": workers.err[:HEAD]}
    sys.stdout.write(json.dumps(ended))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
