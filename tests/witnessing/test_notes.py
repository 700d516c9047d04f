"""Signed notes and checkpoints, against the specifications' own examples and hostile ones."""

import base64

import pytest

from chainteller.witnessing.checkpoints import Checkpoint, Head, read_signed_head
from chainteller.witnessing.notes import (
    MAXIMUM_NOTE_BYTES,
    MAXIMUM_SIGNATURES,
    Defect,
    Note,
    NoteInvalid,
    NoteSignature,
    SignatureType,
    SignerKey,
    VerifierKey,
    cosigned_at,
    parse_note,
    parse_signatures,
    verified_by,
)

# https://c2sp.org/signed-note@v1.0.0, "Example"
EXAMPLE_KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
EXAMPLE = (
    "This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2O"
    "NncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)
# The tests of golang.org/x/mod/sumdb/note
TEXT = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
)
PETER_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETER_SEED = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
PETER = (
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpR"
    "Zb6KE6RyyBwJnAM=\n"
)
ENOCH_KEY = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop"
ENOCH = (
    "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox3"
    "3WWd1RvMc+QQ=\n"
)
WIDE = "\u2003"
# https://c2sp.org/tlog-checkpoint@v1.0.0
BODY = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
# The tests of github.com/transparency-dev/formats/note
COSIGNER_KEY = "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2"
COSIGNATURE = (
    "ZGhGuQAAAABm/qTPeyKXD+R2rzyQsxPiP8mXum7qq/iF0u4vanlqJyocWODBt97w9uL+8qT7S5gxEHWWOworDcFiEBYJ"
    "XORmnFBOBA=="
)


def test_the_examples_of_the_specification_verify() -> None:
    key = VerifierKey.parse(EXAMPLE_KEY)
    note = parse_note(EXAMPLE.encode())
    assert verified_by(note, [key]) == (key,)
    assert key.encode() == EXAMPLE_KEY
    assert note.encode() == EXAMPLE


def test_signing_gives_the_bytes_of_the_reference_implementation() -> None:
    peter = SignerKey("PeterNeumann", PETER_SEED)
    assert peter.verifier.encode() == PETER_KEY
    assert Note(TEXT, (peter.sign(TEXT),)).encode() == f"{TEXT}\n{PETER}"


def test_keys_that_are_not_known_are_ignored() -> None:
    peter, enoch = VerifierKey.parse(PETER_KEY), VerifierKey.parse(ENOCH_KEY)
    note = parse_note(f"{TEXT}\n{PETER}{ENOCH}".encode())
    assert verified_by(note, [enoch]) == (enoch,)
    assert verified_by(note, [peter, enoch]) == (peter, enoch)
    with pytest.raises(NoteInvalid, match="unknown keys only: PeterNeumann") as refused:
        verified_by(note, [VerifierKey.parse(EXAMPLE_KEY)])
    assert refused.value.defect is Defect.UNKNOWN_KEY


def test_a_cosignature_is_dated_and_covers_time_and_text() -> None:
    key = VerifierKey.parse(COSIGNER_KEY)
    assert key.kind is SignatureType.COSIGNATURE_V1
    (seen,) = parse_signatures(f"— w {COSIGNATURE}\n")
    assert cosigned_at(seen) == 1_727_964_367
    witness = SignerKey("w.example/1", bytes(range(32)), SignatureType.COSIGNATURE_V1)
    made = witness.sign(BODY, 1_679_315_147)
    assert cosigned_at(made) == 1_679_315_147
    plain = SignerKey("w.example/1", bytes(range(32)))
    header = "cosignature/v1\ntime 1679315147\n"
    assert made.value[8:] == plain.sign(header + BODY).value
    assert verified_by(Note(BODY, (made,)), [witness.verifier]) == (witness.verifier,)
    later = NoteSignature(made.name, made.key_id, (1_679_315_148).to_bytes(8) + made.value[8:])
    assert not witness.verifier.verifies(BODY, later)
    assert not witness.verifier.verifies(BODY.replace("163", "164"), made)
    assert plain.verifier.key_id != witness.verifier.key_id


def test_a_checkpoint_is_read_and_written_as_the_specification_shows_it() -> None:
    read = Checkpoint.parse(BODY)
    assert (read.origin, read.head.size) == ("example.com/behind-the-sofa", 20_852_163)
    assert read.text() == BODY
    assert Checkpoint.parse(f"{BODY}more\n").extensions == ("more",)
    assert Checkpoint("o", Head(0, bytes(32))).text().split("\n")[1] == "0"


def test_no_changed_byte_of_a_note_passes() -> None:
    whole = f"{TEXT}\n{PETER}".encode()
    for at in range(len(whole)):
        raw = bytearray(whole)
        raw[at] ^= 1
        with pytest.raises(NoteInvalid):
            verified_by(parse_note(bytes(raw)), [VerifierKey.parse(PETER_KEY)])


@pytest.mark.parametrize(
    ("note", "defect"),
    [
        ("", Defect.NO_SIGNATURE),
        (TEXT, Defect.NO_SIGNATURE),
        (TEXT + PETER, Defect.NO_SIGNATURE),
        (f"\n\n{PETER}", Defect.NO_SIGNATURE),
        (f"{TEXT}\n", Defect.NO_SIGNATURE),
        (f"{TEXT}\n{PETER[:-1]}", Defect.SIGNATURE_LINE),
        (f"{TEXT}\n{PETER.replace('— ', '- ')}", Defect.SIGNATURE_LINE),
        (f"{TEXT}\n{PETER}{PETER.replace('=', '')}", Defect.SIGNATURE_LINE),
        (f"{TEXT}\n— PeterNeumann x08gow==\n", Defect.SIGNATURE_LINE),
        (f"{TEXT}\n— PeterNeumann AAAA\n", Defect.SIGNATURE_LINE),
        (f"{TEXT}\n{PETER.replace('Pe', 'P+')}", Defect.KEY_NAME),
        (f"{TEXT}\n{PETER.replace('Pe', 'P' + WIDE)}", Defect.KEY_NAME),
        (f"{TEXT}\r\n\n{PETER}", Defect.CONTROL_CHARACTER),
        (f"{TEXT}\x00\n\n{PETER}", Defect.CONTROL_CHARACTER),
        (f"{TEXT}\n{PETER * (MAXIMUM_SIGNATURES + 1)}", Defect.TOO_MANY_SIGNATURES),
        (f"{'x' * MAXIMUM_NOTE_BYTES}\n\n{PETER}", Defect.TOO_LARGE),
    ],
)
def test_what_is_no_note_is_refused_by_name(note: str, defect: Defect) -> None:
    with pytest.raises(NoteInvalid) as refused:
        parse_note(note.encode())
    assert refused.value.defect is defect


def test_what_is_no_text_is_refused_by_name() -> None:
    with pytest.raises(NoteInvalid) as refused:
        parse_note(TEXT.encode() + b"\xff\n\n" + PETER.encode())
    assert refused.value.defect is Defect.NOT_TEXT


def test_a_note_holds_at_least_the_signatures_that_the_specification_asks_for() -> None:
    signers = [SignerKey(f"k{each}", bytes([each]) * 32) for each in range(16)]
    note = Note(TEXT, tuple(each.sign(TEXT) for each in signers))
    keys = [each.verifier for each in signers]
    assert verified_by(parse_note(note.encode().encode()), keys) == tuple(keys)


@pytest.mark.parametrize(
    ("body", "defect"),
    [
        (BODY.replace("20852163", "020852163"), Defect.TREE_SIZE),
        (BODY.replace("20852163", "+20852163"), Defect.TREE_SIZE),
        (BODY.replace("20852163", "-1"), Defect.TREE_SIZE),
        (BODY.replace("20852163", "2٣"), Defect.TREE_SIZE),
        (BODY.replace("20852163", str(2**63)), Defect.TREE_SIZE),
        (BODY.replace("q2I=", "q2J="), Defect.ROOT_HASH),
        (BODY.replace("CsUYapGG", ""), Defect.ROOT_HASH),
        (BODY.replace("CsUY", "-sUY"), Defect.ROOT_HASH),
        (f"{BODY}\nmore\n", Defect.EXTENSION_LINE),
        ("o\n1\n", Defect.NO_CHECKPOINT),
        (f"\n{BODY}", Defect.NO_CHECKPOINT),
        (TEXT, Defect.NO_CHECKPOINT),
    ],
)
def test_what_is_no_checkpoint_is_refused_by_name(body: str, defect: Defect) -> None:
    note = Note(body, (SignerKey("k", bytes(32)).sign(body),))
    with pytest.raises(NoteInvalid) as refused:
        read_signed_head(note.encode().encode())
    assert refused.value.defect is defect


@pytest.mark.parametrize(
    "key",
    [
        "",
        PETER_KEY.replace("c74f20a3", "c74f20a4"),
        PETER_KEY.replace("PeterNeumann", "Peter Neumann"),
        PETER_KEY.replace("+AR", "+BR"),
        PETER_KEY[:-4],
        # The same tests of golang.org/x/mod: a key that is too long, and an unknown algorithm
        "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",
        "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
    ],
)
def test_what_is_no_verifier_key_is_refused(key: str) -> None:
    with pytest.raises(NoteInvalid):
        VerifierKey.parse(key)


def test_a_private_key_is_never_shown() -> None:
    assert PETER_SEED.hex() not in repr(SignerKey("PeterNeumann", PETER_SEED))
    assert repr(PETER_SEED) not in repr(SignerKey("PeterNeumann", PETER_SEED))
