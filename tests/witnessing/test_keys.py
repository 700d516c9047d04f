"""Signing keys: a file of the owner's, what a rotation does, and what is refused."""

import json
import os
import stat
from pathlib import Path

import pytest

from chainteller.domain.merkle import GrownTree, leaf_hash
from chainteller.witnessing.checkpoints import Head
from chainteller.witnessing.errors import CheckpointRefused, Refusal, SigningKeysUnusable
from chainteller.witnessing.judging import accept, signed_by_retired
from chainteller.witnessing.keys import SigningKeys, create_keys, load_keys, replace_keys
from chainteller.witnessing.publishing import sign

ORIGIN = "bank-7/default"
SEEDS = [bytes([each]) * 32 for each in range(1, 5)]
AT = [f"2026-11-{day:02d}T12:00:00.000000Z" for day in range(20, 24)]
TREE = GrownTree([leaf_hash(b"a"), leaf_hash(b"b")])
HEAD = Head(2, TREE.root(2))


def _note(keys: SigningKeys) -> bytes:
    return sign(ORIGIN, HEAD, keys).note.encode().encode()


def test_the_file_is_the_owners_alone_and_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "new" / "signing.json"
    made = create_keys(file, SEEDS[0], AT[0], "bank-7", "sqlite:///x")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert load_keys(file) == made
    assert load_keys(tmp_path / "other.json") is None
    assert SEEDS[0].hex() not in repr(made)


def test_a_second_key_is_not_made_by_create(tmp_path: Path) -> None:
    file = tmp_path / "signing.json"
    create_keys(file, SEEDS[0], AT[0], "bank-7", "sqlite:///x")
    before = file.read_bytes()
    with pytest.raises(SigningKeysUnusable, match="has a key already") as refused:
        create_keys(file, SEEDS[1], AT[1], "bank-7", "sqlite:///x")
    assert "chainteller audit key rotate" in refused.value.suggestion
    assert file.read_bytes() == before


def test_after_a_rotation_both_keys_sign_one_note(tmp_path: Path) -> None:
    file = tmp_path / "signing.json"
    first = create_keys(file, SEEDS[0], AT[0], "bank-7", "sqlite:///x")
    second = first.rotated(SEEDS[1], AT[1])
    replace_keys(file, second)
    assert load_keys(file) == second
    signed = accept(_note(second), ORIGIN, first.verifiers(ORIGIN))
    assert len(signed.note.signatures) == 2
    assert accept(_note(second), ORIGIN, second.verifiers(ORIGIN)).signed_by == second.verifiers(
        ORIGIN
    )


def test_a_retired_key_signs_no_more_and_is_recognised(tmp_path: Path) -> None:
    file = tmp_path / "signing.json"
    first = create_keys(file, SEEDS[0], AT[0], "bank-7", "sqlite:///x")
    old = _note(first)
    third = first.rotated(SEEDS[1], AT[1]).rotated(SEEDS[2], AT[2])
    replace_keys(file, third)
    read = load_keys(file)
    assert read == third
    assert SEEDS[0].hex() not in file.read_text()
    assert len(third.signers(ORIGIN)) == 2
    found = accept(old, ORIGIN, third.verifiers(ORIGIN))
    assert signed_by_retired(found, third.retired(ORIGIN)) == AT[2]
    new = accept(_note(third), ORIGIN, third.verifiers(ORIGIN))
    assert not signed_by_retired(new, third.retired(ORIGIN))
    alone = third.with_outgoing_retired(AT[3])
    assert len(alone.signers(ORIGIN)) == 1
    assert set(alone.retired(ORIGIN).values()) == {AT[2], AT[3]}


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_file_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "signing.json"
    create_keys(file, SEEDS[0], AT[0], "bank-7", "sqlite:///x")
    file.chmod(mode)
    with pytest.raises(SigningKeysUnusable, match="chmod 600"):
        load_keys(file)


@pytest.mark.parametrize(
    "change",
    [
        {"layout": 2},
        {"keys": []},
        {"keys": [{}]},
        {"keys": "x"},
        {"keys": [{"state": "current", "created": "t", "public": "00" * 32, "seed": "01" * 32}]},
        {"keys": [{"state": "current", "created": "t", "public": "00" * 32}]},
        {"keys": [{"state": "retired", "created": "t", "public": "00" * 32, "retired": "t"}]},
    ],
)
def test_a_damaged_file_is_refused_by_name(tmp_path: Path, change: dict[str, object]) -> None:
    file = tmp_path / "signing.json"
    create_keys(file, SEEDS[0], AT[0], "bank-7", "sqlite:///x")
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(SigningKeysUnusable, match="damaged"):
        load_keys(file)


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "\ud7ff" * 3])
def test_what_is_no_file_of_keys_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "signing.json"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(SigningKeysUnusable):
        load_keys(file)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(SigningKeysUnusable):
        create_keys(tmp_path / "signing.json", SEEDS[0], AT[0], "bank-7", "sqlite:///x")
    tmp_path.chmod(0o700)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("origin", "reason"),
    [
        ("bank-8/default", Refusal.OTHER_DEPLOYMENT),
        ("bank-7/other", Refusal.OTHER_ORGANISATION),
        ("default", Refusal.OTHER_DEPLOYMENT),
    ],
)
def test_a_checkpoint_of_another_log_is_refused_by_name(origin: str, reason: Refusal) -> None:
    keys = SigningKeys(()).rotated(SEEDS[0], AT[0])
    note = sign(origin, HEAD, keys).note.encode().encode()
    with pytest.raises(CheckpointRefused) as refused:
        accept(note, ORIGIN, keys.verifiers(ORIGIN))
    assert refused.value.reason is reason


def test_a_checkpoint_of_an_unknown_key_is_refused_by_name() -> None:
    ours, theirs = (SigningKeys(()).rotated(each, AT[0]) for each in SEEDS[:2])
    with pytest.raises(CheckpointRefused) as refused:
        accept(_note(theirs), ORIGIN, ours.verifiers(ORIGIN))
    assert refused.value.reason is Refusal.UNKNOWN_KEY


def test_a_changed_checkpoint_is_refused_by_name() -> None:
    keys = SigningKeys(()).rotated(SEEDS[0], AT[0])
    note = _note(keys).replace(b"\n2\n", b"\n3\n")
    with pytest.raises(CheckpointRefused) as refused:
        accept(note, ORIGIN, keys.verifiers(ORIGIN))
    assert refused.value.reason is Refusal.BAD_SIGNATURE


def test_what_is_no_checkpoint_is_refused_by_name() -> None:
    with pytest.raises(CheckpointRefused, match="NO_SIGNATURE") as refused:
        accept(b"hello\n", ORIGIN, ())
    assert refused.value.reason is Refusal.MALFORMED
