"""The newest head of each log, kept in a private file outside the database.

A mark (``storage.marks``) doesn't show that the newest entries are missing: an older state of the
database has an older mark, which holds. What is kept here shows it, whether or not anybody signs
heads. What can still be cut unseen are the entries after the head that was kept last.
"""

import json
import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from chainteller.paths import private_folder
from chainteller.private_files import how_to_protect, locked, others_may_read, write_atomically
from chainteller.service.errors import ServiceUnavailable
from chainteller.storage.database import Database
from chainteller.storage.log import views
from chainteller.storage.log.marks import derived_deployment
from chainteller.storage.log.rows import DEPLOYMENT

HEADS_NOT_KEPT = "HEADS_NOT_KEPT"
"""Why nothing is done that the kept heads must have."""
_log = logging.getLogger(__name__)


class KeptHead(NamedTuple):
    """How many entries a log had, and the mark of the last one, which rests on all before it."""

    size: int = 0
    mark: bytes = b""


Heads = dict[str, KeptHead]


class KeptHeads:
    """The file with the heads of a deployment's logs, which ``file_of`` names. Threads and
    processes may share it. Unless it ``writes`` it, the logs are only compared with it."""

    def __init__(self, file_of: Callable[[str], Path], *, writes: bool = True) -> None:
        self._file_of = file_of
        self._writes = writes
        self._lock = threading.Lock()
        self._known: Mapping[str, str] = {}
        self._place: Path | None = None
        self.unkept = ""
        """Why heads that continue the kept ones couldn't be kept; no payout leaves meanwhile."""

    def follow(self, database: Database) -> Mapping[str, str]:
        """Compare each log with the head kept of it, and keep its head as it is now.

        Returns:
            For each log that isn't the one whose head was kept, what differs; its head stays. What
            makes the file unusable is in the deployment's log.

        Raises:
            ServiceUnavailable: the database can't be read.
        """
        with self._lock:
            found = self._followed(self._file(database), database)
            for name, what in found.items():
                if self._known.get(name) != what:
                    _log.error("log %s: %s", name, what)
            self._known = found
            return found

    def _followed(self, file: Path, database: Database) -> dict[str, str]:
        """As ``follow``; compares again where another process has kept heads meanwhile."""
        while True:
            try:
                kept = _read(file)  # before the logs, which other processes make grow
            except (OSError, ValueError) as error:
                why = error.strerror if isinstance(error, OSError) else str(error)
                return {DEPLOYMENT: f"the kept heads can't be used: {file.name}: {why}"}
            heads, found = _compared(database, kept)
            unwritten = _unwritten(file, heads, kept) if self._writes and heads != kept else ""
            if unwritten is not None:
                self._tell(unwritten)
                return found

    def _tell(self, unkept: str) -> None:
        if unkept and unkept != self.unkept:
            _log.error("%s Payouts wait.", unkept)
        self.unkept = unkept

    def disputed(self, organisation_id: str) -> str:
        """What was wrong with an organisation's log or the deployment's the last time; or empty."""
        return self._known.get(organisation_id) or self._known.get(DEPLOYMENT, "")

    def left_behind(self, database: Database) -> Mapping[str, int]:
        """The size of each kept head that its log doesn't continue. Raises ServiceUnavailable: the
        database can't be read."""
        with self._lock:
            try:
                kept = _read(self._file(database))
            except (OSError, ValueError):
                return {}
            return {name: kept[name].size for name in _compared(database, kept)[1]}

    def accept(self, database: Database) -> dict[str, int]:
        """Keep the heads as they are now, whatever was kept; returns the sizes that were kept.
        Raises ServiceUnavailable: the file can't be written, or the database can't be read."""
        with self._lock:
            file = self._file(database)
            try:
                former = {name: head.size for name, head in _read(file).items()}
            except (OSError, ValueError):
                former = {}
            if said := _unwritten(file, _compared(database, {})[0]):
                raise ServiceUnavailable(said, {"reason": HEADS_NOT_KEPT})
            self._known = {}
            return former

    def _file(self, database: Database) -> Path:
        """The file, which stays the one that was used first: the deployment's name is in the
        database, where another one would name another file."""
        if self._place is None:
            with database.read() as connection:
                self._place = self._file_of(derived_deployment(connection))
        return self._place


def _compared(database: Database, kept: Heads) -> tuple[Heads, dict[str, str]]:
    """The heads to keep now, and what is wrong with logs that don't continue the kept ones."""
    heads: Heads = {}
    found: dict[str, str] = {}
    with database.read(patient=True) as connection:
        sizes = views.sizes(connection)
        for name in sorted({*sizes, *kept}):
            before, size = kept.get(name, KeptHead()), sizes.get(name, 0)
            heads[name], mark = before, views.mark_of(connection, name, size)
            if size < before.size:
                what = f"it had {before.size} entries when its head was kept and has {size}: its "
                what += "newest entries were removed, or an older database was put in its place "
                found[name] = f"{what}without chainteller audit restored"
            elif views.mark_of(connection, name, before.size) != before.mark:
                found[name] = f"its first {before.size} entries aren't those whose head was kept"
            elif size and not mark:
                found[name] = f"its row says {size} entries, and the last one isn't there"
            else:
                heads[name] = KeptHead(size, mark)
    return heads, found


def _read(file: Path) -> Heads:
    """Raises OSError or ValueError: there is a file, and it can't be used."""
    if not file.exists():
        return {}
    if others_may_read(file):
        raise ValueError(f"it may be read by others: {how_to_protect(Path(file.name))}")
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
        return {
            name: KeptHead(int(each["size"]), bytes.fromhex(each["mark"]))
            for name, each in stored.items()
        }
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ValueError("it isn't what chainteller wrote") from None


def _unwritten(file: Path, heads: Heads, kept: Heads | None = None) -> str | None:
    """Write the file; why it can't be written, or empty. None, and nothing is written, where others
    than ``kept`` are in it: a head of before would let the entries after it be cut unseen."""
    stored = {name: {"size": each.size, "mark": each.mark.hex()} for name, each in heads.items()}
    try:
        private_folder(file.parent)
        with locked(file.with_suffix(".lock")):
            if kept is not None and _read(file) != kept:
                return None
            write_atomically(
                file, json.dumps(stored, indent=0, sort_keys=True) + "\n", is_new=False
            )
    except ValueError:  # what is in it can't be read any more
        return None
    except OSError as error:
        return f"The heads of the log can't be kept: {file.name}: {error.strerror}."
    return ""
