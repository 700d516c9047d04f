"""Who signs the heads of the logs, and the witnesses that are asked to remember them."""

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from chainteller.domain.merkle import GrownTree
from chainteller.storage.db.query import Session
from chainteller.storage.log import checkpoints, views
from chainteller.storage.log.marks import derived_deployment

if TYPE_CHECKING:  # most commands sign nothing
    from chainteller.witnessing.checkpoints import Head
    from chainteller.witnessing.keys import SigningKeys
    from chainteller.witnessing.publishing import Published
    from chainteller.witnessing.submissions import Witness

_SUFFIX = ".json"


class _Kept(NamedTuple):
    """A tree in memory, and the leaf hash of its last entry."""

    tree: GrownTree
    last: bytes


class Trees:
    """The Merkle trees of the logs, kept in memory between calls; threads may share them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._trees: dict[str, _Kept] = {}

    def of(self, connection: Session, organisation_id: str) -> "tuple[GrownTree, Head]":
        """The tree of a log with all its entries, and its head in this transaction.

        A tree that isn't the one of the database any more (after a restore) is read anew.
        """
        from chainteller.witnessing.checkpoints import Head  # noqa: PLC0415 - as above

        size = views.head(connection, organisation_id).size
        with self._lock:
            kept = self._trees.get(organisation_id)
            if kept is None or not _continues(connection, organisation_id, kept, size):
                kept = _Kept(GrownTree(), b"")
            tree, last = kept
            if tree.size < size:
                new = list(checkpoints.leaves(connection, organisation_id, tree.size, size))
                tree.append(new)
                last = new[-1]
            self._trees[organisation_id] = _Kept(tree, last)
            return tree, Head(size, tree.root(size))


def _continues(connection: Session, organisation_id: str, kept: _Kept, size: int) -> bool:
    """Whether a log of this size still has the last entry that the tree has."""
    at = kept.tree.size
    if not at or at > size:
        return not at
    return list(checkpoints.leaves(connection, organisation_id, at - 1, at)) == [kept.last]


class Standing(NamedTuple):
    """Whether the signing keys are those of this database, in words where they aren't."""

    deployment: str
    keys: "SigningKeys | None" = None
    problem: str = ""
    is_replaced: bool = False
    """Whether another deployment's database is where the one of these keys was."""


@dataclass(frozen=True, slots=True)
class Signers:
    """Signing keys and witnesses of one deployment.

    Args:
        key_folder: has a file of signing keys for each deployment, which is read whenever keys
            are needed. None: no heads are signed.
        witnesses: who is asked to remember heads.
        place: the database's address, as the key files keep it.
    """

    key_folder: Path | None = None
    witnesses: "tuple[Witness, ...]" = ()
    place: str = ""
    trees: Trees = field(default_factory=Trees)
    published: "dict[tuple[str, str], Published]" = field(default_factory=dict)
    """What each witness did last, by its address and the log's origin."""

    def standing(self, connection: Session) -> Standing:
        """Read the keys. Raises SigningKeysUnusable: the file can't be used."""
        from chainteller.witnessing.keys import load_keys  # noqa: PLC0415 - as above

        derived = derived_deployment(connection)
        file = self.file_of(derived)
        stored = load_keys(file) if file is not None else None
        if stored is not None:
            return Standing(derived, stored)
        for other in self.others(derived):
            found = load_keys(other)
            if found is not None and found.place == self.place:
                problem = (
                    f"the signing keys in {other} are those of the deployment {found.deployment}, "
                    f"which was in this place, and this database is {derived}"
                )
                return Standing(derived, None, problem, is_replaced=True)
        return Standing(derived, problem="no signing key: chainteller audit key create")

    def file_of(self, deployment: str) -> Path | None:
        """Where a deployment's keys are, if it has any."""
        return self.key_folder / f"{deployment}{_SUFFIX}" if self.key_folder is not None else None

    def others(self, deployment: str) -> list[Path]:
        """The key files of other deployments."""
        own = self.file_of(deployment)
        if own is None or not own.parent.is_dir():
            return []
        return sorted(each for each in own.parent.glob(f"*{_SUFFIX}") if each != own)

    def contradicted(self, origin: str) -> str:
        """Which witness has seen another log, in words; empty for none."""
        from chainteller.witnessing.errors import CONTRADICTIONS  # noqa: PLC0415 - as above

        for (address, named), done in list(self.published.items()):
            failure = done.failure
            if named == origin and failure is not None and failure.problem in CONTRADICTIONS:
                return f"{address}: {failure.message}"
        return ""


def origins(connection: Session, deployment: str) -> list[str]:
    """The name of each log, the deployment's own first."""
    from chainteller.witnessing.checkpoints import origin_of  # noqa: PLC0415 - as above

    return [origin_of(deployment, each) for each in checkpoints.organisations(connection)]
