"""Merkle trees: the known answers of RFC 6962's reference logs, and proofs of every size."""

from collections.abc import Sequence
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainteller.domain import merkle
from chainteller.domain.merkle import Tree, leaf_hash, node_hash

# The tree of the certificate-transparency reference implementations: eight leaves and the roots
# of the trees of the first 1 to 8 of them.
_LEAVES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
_ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
_INCLUSIONS = {
    (0, 1): (),
    (0, 8): (
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ),
    (5, 8): (
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
    (2, 3): ("fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",),
    (1, 5): (
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ),
}
_CONSISTENCIES = {
    (1, 1): (),
    (1, 8): (
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ),
    (6, 8): (
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
    (2, 5): (
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ),
}
_HASHES = [leaf_hash(leaf) for leaf in _LEAVES]


def _root(leaves: Sequence[bytes]) -> bytes:
    return Tree().append(leaves).root


def _inclusion_proof(leaves: Sequence[bytes], index: int, size: int | None = None) -> list[bytes]:
    """As GrownTree makes it, of the leaves themselves."""
    path = merkle.inclusion_path(index, len(leaves) if size is None else size)
    return [_root(leaves[start:end]) for start, end in path]


def _consistency_proof(leaves: Sequence[bytes], old: int, size: int | None = None) -> list[bytes]:
    """As above."""
    path = merkle.consistency_path(old, len(leaves) if size is None else size)
    return [_root(leaves[start:end]) for start, end in path]


def _hexes(proof: list[bytes]) -> tuple[str, ...]:
    return tuple(step.hex() for step in proof)


def test_hashes_are_those_of_rfc_6962() -> None:
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert merkle.EMPTY_ROOT.hex() == empty
    assert Tree().root.hex() == empty
    assert leaf_hash(b"").hex() == _ROOTS[0]
    assert leaf_hash(b"L123456").hex() == (
        "395aa064aa4c29f7010acfe3f25db9485bbd4b91897b6ad7ad547639252b4d56"
    )
    assert node_hash(b"N123", b"N456").hex() == (
        "aa217fe888e47007fa15edab33c2b492a722cb106c64667fc2b044444de66bbb"
    )


@pytest.mark.parametrize("size", range(1, 9))
def test_roots_of_the_reference_tree(size: int) -> None:
    assert _root(_HASHES[:size]).hex() == _ROOTS[size - 1]


def test_proofs_of_the_reference_tree() -> None:
    for (index, size), steps in _INCLUSIONS.items():
        assert _hexes(_inclusion_proof(_HASHES, index, size)) == steps
    for (old, size), steps in _CONSISTENCIES.items():
        assert _hexes(_consistency_proof(_HASHES, old, size)) == steps


def _naive(leaves: list[bytes]) -> bytes:
    """The definition in RFC 6962, section 2.1, over leaf hashes."""
    if not leaves:
        return sha256().digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return sha256(b"\x01" + _naive(leaves[:split]) + _naive(leaves[split:])).digest()


def test_every_small_tree_and_all_its_proofs() -> None:
    leaves = [leaf_hash(bytes([number])) for number in range(34)]
    roots = [_naive(leaves[:size]) for size in range(35)]
    tree = Tree()
    for size in range(1, 35):
        tree = tree.append([leaves[size - 1]])
        assert tree.root == _root(leaves[:size]) == roots[size]
        for index in range(size):
            proof = _inclusion_proof(leaves, index, size)
            assert merkle.verify_inclusion(leaves[index], index, size, proof, roots[size])
        for old in range(size + 1):
            proof = _consistency_proof(leaves, old, size)
            assert merkle.verify_consistency(old, size, roots[old], roots[size], proof)


@given(st.data())
def test_a_wrong_proof_is_refused(data: st.DataObject) -> None:
    """Another leaf, index, size, root, or step; a step too many or too few."""
    size = data.draw(st.integers(2, 40))
    leaves = [leaf_hash(bytes([number])) for number in range(size)]
    root, wrong = _root(leaves), b"\x00" * 32
    index = data.draw(st.integers(0, size - 1))
    proof = _inclusion_proof(leaves, index)
    assert not merkle.verify_inclusion(wrong, index, size, proof, root)
    assert not merkle.verify_inclusion(leaves[index], index, size, proof, wrong)
    assert not merkle.verify_inclusion(leaves[index], index ^ 1, size, proof, root)
    assert not merkle.verify_inclusion(leaves[index], size, size, proof, root)
    at = data.draw(st.integers(0, len(proof) - 1))
    for steps in ([*proof, wrong], proof[:-1], [*proof[:at], wrong, *proof[at + 1 :]]):
        assert not merkle.verify_inclusion(leaves[index], index, size, steps, root)

    old = data.draw(st.integers(1, size - 1))
    old_root = _root(leaves[:old])
    grown = _consistency_proof(leaves, old)
    assert not merkle.verify_consistency(old, size, wrong, root, grown)
    assert not merkle.verify_consistency(old, size, old_root, wrong, grown)
    assert not merkle.verify_consistency(size, old, root, old_root, grown)
    at = data.draw(st.integers(0, len(grown) - 1))
    for steps in ([*grown, wrong], grown[:-1], [*grown[:at], wrong, *grown[at + 1 :]]):
        assert not merkle.verify_consistency(old, size, old_root, root, steps)


def test_a_rewritten_beginning_is_not_consistent() -> None:
    leaves = [leaf_hash(bytes([number])) for number in range(11)]
    rewritten = [leaf_hash(b"other"), *leaves[1:]]
    proof = _consistency_proof(rewritten, 6)
    old_root, new_root = _root(leaves[:6]), _root(rewritten)
    assert not merkle.verify_consistency(6, 11, old_root, new_root, proof)


def test_the_empty_tree_begins_every_tree() -> None:
    root = _root(_HASHES)
    assert merkle.verify_consistency(0, 8, merkle.EMPTY_ROOT, root, [])
    assert merkle.verify_consistency(0, 0, merkle.EMPTY_ROOT, merkle.EMPTY_ROOT, [])
    assert not merkle.verify_consistency(0, 8, root, root, [])
    assert not merkle.verify_consistency(0, 8, merkle.EMPTY_ROOT, root, [root])


def test_a_tree_that_is_not_complete_needs_a_proof() -> None:
    old, new = _root(_HASHES[:3]), _root(_HASHES[:5])
    assert not merkle.verify_consistency(3, 5, old, new, [])


@pytest.mark.parametrize(("size", "peaks"), [(-1, 0), (1, 0), (0, 1)])
def test_a_tree_has_as_many_peaks_as_its_size_says(size: int, peaks: int) -> None:
    with pytest.raises(ValueError, match="a tree of"):
        Tree(size, (bytes(32),) * peaks)


def test_a_tree_in_memory_gives_the_same_roots_and_proofs_however_it_grew() -> None:
    leaves = [leaf_hash(bytes([each])) for each in range(70)]
    grown = merkle.GrownTree()
    while grown.size < len(leaves):
        grown.append(leaves[grown.size : 2 * grown.size + 1])
    assert grown.size == len(leaves)
    assert [grown.leaf(each) for each in range(70)] == leaves
    for size in range(71):
        assert grown.root(size) == _root(leaves[:size])
        for old in range(size + 1):
            proof = grown.consistency_proof(old, size)
            assert proof == _consistency_proof(leaves, old, size)
        for index in range(size):
            assert grown.inclusion_proof(index, size) == _inclusion_proof(leaves, index, size)


def test_a_tree_in_memory_has_no_proof_of_what_is_not_there() -> None:
    grown = merkle.GrownTree(_HASHES)
    for size in (-1, 9):
        with pytest.raises(ValueError, match="no tree"):
            grown.root(size)
    for index, size in ((8, 8), (-1, 8), (0, 9), (0, 0)):
        with pytest.raises(ValueError, match=r"no (leaf|tree)"):
            grown.inclusion_proof(index, size)
    for old, size in ((-1, 8), (5, 4), (1, 9)):
        with pytest.raises(ValueError, match="no tree"):
            grown.consistency_proof(old, size)
    for index in (-1, 8):
        with pytest.raises(ValueError, match="no leaf"):
            grown.leaf(index)
