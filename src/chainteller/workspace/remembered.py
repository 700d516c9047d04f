"""What this desk remembers of its own wallet steps.

A challenge or a claim is named by its id alone when an agent comes back to it, while the service
asks for its account and wallet too; so what was learned when it was made is kept in a small file.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from chainteller.paths import private_folder

_KEPT = 1000

Step = Mapping[str, str]
"""What belongs to an id: ``account``, ``counterparty``, ``address``, ``network``."""


class Remembered:
    """A file of ids; the oldest are forgotten. A damaged file counts as empty."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "wallet_steps.json"

    def of(self, identifier: str) -> Step:
        """What is known of an id; empty where nothing is."""
        return self._read().get(identifier, {})

    def keep(self, identifier: str, step: Mapping[str, str | None]) -> None:
        known = self._read()
        known[identifier] = {name: value for name, value in step.items() if value}
        newest = dict(list(known.items())[-_KEPT:])
        private_folder(self._path.parent)
        draft = self._path.with_suffix(".new")
        draft.write_text(json.dumps(newest), encoding="utf-8")
        draft.chmod(0o600)
        draft.replace(self._path)

    def _read(self) -> dict[str, dict[str, str]]:
        try:
            known = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}
