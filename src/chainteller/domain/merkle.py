"""Merkle trees of append-only logs: RFC 6962 (and RFC 9162), with SHA-256.

A leaf's hash is SHA-256(0x00 || leaf), a node's SHA-256(0x01 || left || right), and the root of an
empty tree SHA-256 of nothing. Hashes are 32 bytes. Indexes count from 0, sizes from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

HASH_SIZE = 32
EMPTY_ROOT = sha256().digest()


def leaf_hash(leaf: bytes) -> bytes:
    return sha256(b"\x00" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree's size and the roots of its complete subtrees, from the largest to the smallest.

    That is all it takes to append leaves and to know the root: ``size.bit_count()`` hashes.
    """

    size: int = 0
    peaks: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        if self.size < 0 or len(self.peaks) != self.size.bit_count():
            raise ValueError(f"a tree of {self.size} leaves has {self.size.bit_count()} peaks")

    def append(self, leaves: Iterable[bytes]) -> Tree:
        """The tree with more leaves; ``leaves`` are their hashes."""
        size, peaks = self.size, list(self.peaks)
        for leaf in leaves:
            node, below = leaf, size
            while below & 1:
                node = sha256(b"\x01" + peaks.pop() + node).digest()
                below >>= 1
            peaks.append(node)
            size += 1
        return Tree(size, tuple(peaks))

    @property
    def root(self) -> bytes:
        return _folded(self.peaks) if self.peaks else EMPTY_ROOT


Range = tuple[int, int]
"""The leaves from the first index up to, but not with, the second one."""


def inclusion_path(index: int, size: int) -> list[Range]:
    """The subtrees whose roots lead from a leaf to the root of the tree of ``size`` leaves. Raises
    ValueError: there is no such leaf."""
    if not 0 <= index < size:
        raise ValueError(f"no leaf {index} in a tree of {size} leaves")
    path: list[Range] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append((middle, end))
            end = middle
        else:
            path.append((start, middle))
            start = middle
    return path[::-1]


def consistency_path(old: int, size: int) -> list[Range]:
    """The subtrees whose roots show that a tree of ``size`` leaves begins with the one of ``old``.

    Empty if ``old`` is 0 or equals ``size``.

    Raises:
        ValueError: ``old`` is negative or larger than ``size``.
    """
    if not 0 <= old <= size:
        raise ValueError(f"no trees of {old} and then {size} leaves")
    if old in (0, size):
        return []
    path: list[Range] = []
    start, end = 0, size
    while end != old:
        middle = start + _split(end - start)
        if old <= middle:
            path.append((middle, end))
            end = middle
        else:
            path.append((start, middle))
            start = middle
    if start:  # the verifier knows the old root where it is itself a subtree
        path.append((start, end))
    return path[::-1]


class GrownTree:
    """A tree with all its nodes in memory: roots and proofs of every size take ``log(size)`` steps.

    It holds 64 bytes for each leaf. Appending isn't safe among threads.
    """

    def __init__(self, leaves: Iterable[bytes] = ()) -> None:
        self._levels: list[bytearray] = [bytearray()]
        self.append(leaves)

    @property
    def size(self) -> int:
        return len(self._levels[0]) // HASH_SIZE

    def append(self, leaves: Iterable[bytes]) -> None:
        """Add leaves by their hashes."""
        for leaf in leaves:
            node, level = leaf, 0
            self._levels[0] += node
            while len(self._levels[level]) // HASH_SIZE % 2 == 0:
                node = sha256(b"\x01" + self._levels[level][-2 * HASH_SIZE :]).digest()
                level += 1
                if level == len(self._levels):
                    self._levels.append(bytearray())
                self._levels[level] += node

    def leaf(self, index: int) -> bytes:
        """A leaf's hash. Raises ValueError: there is no such leaf."""
        if not 0 <= index < self.size:
            raise ValueError(f"no leaf {index} among {self.size}")
        return self._node(0, index)

    def root(self, size: int | None = None) -> bytes:
        """The root of the first ``size`` leaves. Raises ValueError: there are fewer."""
        size = self.size if size is None else size
        if not 0 <= size <= self.size:
            raise ValueError(f"no tree of {size} out of {self.size} leaves")
        return self._subtree((0, size)) if size else EMPTY_ROOT

    def inclusion_proof(self, index: int, size: int) -> list[bytes]:
        """The hashes that lead from a leaf to the root of the first ``size`` leaves. Raises
        ValueError: there is no such leaf or no such tree."""
        self.root(size)
        return [self._subtree(each) for each in inclusion_path(index, size)]

    def consistency_proof(self, old: int, size: int) -> list[bytes]:
        """The hashes that show that the tree of the first ``old`` leaves is the beginning of the
        one of the first ``size`` leaves; none if ``old`` is 0 or equals ``size``.

        Raises:
            ValueError: there are no such trees.
        """
        self.root(size)
        return [self._subtree(each) for each in consistency_path(old, size)]

    def _subtree(self, leaves: Range) -> bytes:
        """The root of a subtree: complete ones side by side, from the largest to the smallest."""
        start, end = leaves
        peaks = []
        while start < end:
            level = (end - start).bit_length() - 1
            peaks.append(self._node(level, start >> level))
            start += 1 << level
        return _folded(peaks)

    def _node(self, level: int, index: int) -> bytes:
        return bytes(self._levels[level][index * HASH_SIZE : (index + 1) * HASH_SIZE])


def verify_inclusion(
    leaf: bytes, index: int, size: int, proof: Sequence[bytes], expected: bytes
) -> bool:
    """Whether ``proof`` leads from a leaf's hash to the root ``expected`` (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    node, last, found = index, size - 1, leaf
    for step in proof:
        if not last:
            return False
        if node & 1 or node == last:
            found = node_hash(step, found)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            found = node_hash(found, step)
        node, last = node >> 1, last >> 1
    return not last and found == expected


def verify_consistency(
    old: int, size: int, old_root: bytes, new_root: bytes, proof: Sequence[bytes]
) -> bool:
    """Whether ``proof`` shows that a tree only grew from one head to the other (RFC 9162, 2.1.4.2).

    The empty tree is the beginning of every tree; two trees of one size must have one root.
    """
    if not 0 < old < size:
        known = EMPTY_ROOT if old == 0 and size else new_root
        return 0 <= old <= size and not proof and old_root == known
    steps = [old_root, *proof] if old.bit_count() == 1 else list(proof)
    if not steps:
        return False
    shift = (old ^ old - 1).bit_length() - 1  # how many levels the old tree's last node is complete
    node, last = old - 1 >> shift, size - 1 >> shift
    old_found = new_found = steps[0]
    for step in steps[1:]:
        if not last:
            return False
        if node & 1 or node == last:
            old_found, new_found = node_hash(step, old_found), node_hash(step, new_found)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            new_found = node_hash(new_found, step)
        node, last = node >> 1, last >> 1
    return not last and old_found == old_root and new_found == new_root


def _folded(peaks: Sequence[bytes]) -> bytes:
    """The root above subtrees, which are given from the largest to the smallest."""
    root = peaks[-1]
    for peak in reversed(peaks[:-1]):
        root = node_hash(peak, root)
    return root


def _split(size: int) -> int:
    """The largest power of two below ``size``, which is at least 2."""
    return 1 << (size - 1).bit_length() - 1
