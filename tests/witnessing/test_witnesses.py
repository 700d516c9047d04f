"""Witnesses: a folder, and a process that speaks C2SP tlog-witness over real sockets."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.witnessing.witnesses import NAME, RunningWitness, running_witness
from tests.world.waiting import PATIENCE_S

from chainteller.adapters.witness_http import HttpWitness
from chainteller.domain.merkle import GrownTree, leaf_hash
from chainteller.witnessing.checkpoints import Head, SignedHead, read_signed_head
from chainteller.witnessing.errors import WitnessProblem
from chainteller.witnessing.folders import FolderWitness
from chainteller.witnessing.judging import Asked
from chainteller.witnessing.keys import SigningKeys, create_keys
from chainteller.witnessing.notes import verified_by
from chainteller.witnessing.publishing import ask, known_size, publish, sign
from chainteller.witnessing.submissions import Submission, Witness

ORIGIN = "bank-7/default"
LEAVES = [leaf_hash(bytes([each])) for each in range(40)]
OTHER = [*LEAVES[:10], leaf_hash(b"other"), *LEAVES[11:]]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> SigningKeys:
    file = tmp_path_factory.mktemp("keys") / "signing.json"
    return create_keys(file, bytes(range(1, 33)), "2026-11-20T12:00:00.000000Z", "bank-7", "")


@pytest.fixture(scope="module")
def running(keys: SigningKeys) -> Iterator[RunningWitness]:
    with running_witness(keys.verifiers(ORIGIN)) as found:
        yield found


@pytest.fixture
def process(running: RunningWitness) -> RunningWitness:
    """The running witness, as if it had just been started."""
    running.behave(forget=True)
    return running


@pytest.fixture
def over_http(process: RunningWitness) -> HttpWitness:
    return HttpWitness(process.address, (process.key,), deadline_s=PATIENCE_S)


@pytest.fixture(params=["folder", "http"])
def witness(request: pytest.FixtureRequest, tmp_path: Path) -> Witness:
    if request.param == "folder":
        return FolderWitness(tmp_path / "witness")
    found = request.getfixturevalue("over_http")
    assert isinstance(found, HttpWitness)
    return found


def head_of(leaves: list[bytes], size: int, keys: SigningKeys) -> tuple[SignedHead, GrownTree]:
    tree = GrownTree(leaves)
    return sign(ORIGIN, Head(size, tree.root(size)), keys), tree


def published(witness: Witness, leaves: list[bytes], size: int, keys: SigningKeys, known: int = 0):  # type: ignore[no-untyped-def]
    signed, tree = head_of(leaves, size, keys)
    return publish(signed, tree, witness, known, lambda: tree.size)


def test_a_log_that_grows_is_remembered_whatever_was_known_of_the_witness(
    witness: Witness, keys: SigningKeys
) -> None:
    for size, known in ((1, 0), (7, 1), (8, 0), (8, 8), (8, 3), (40, 39), (40, 0)):
        done = published(witness, LEAVES, size, keys, known)
        assert (done.failure, done.size) == (None, size), (size, known)
    assert known_size(witness, ORIGIN, keys) == 40
    assert ask(witness, ORIGIN, GrownTree(LEAVES), keys) == Asked(witness.address, 40)


def test_another_root_is_refused_and_leaves_the_witness_as_it_was(
    witness: Witness, keys: SigningKeys
) -> None:
    published(witness, LEAVES, 20, keys)
    for size in (20, 21, 32, 40):
        failure = published(witness, OTHER, size, keys, 20).failure
        assert failure is not None
        assert failure.problem is WitnessProblem.OTHER_HEAD
    assert known_size(witness, ORIGIN, keys) == 20
    assert published(witness, LEAVES, 21, keys).failure is None


def test_a_log_that_lost_entries_is_refused(witness: Witness, keys: SigningKeys) -> None:
    published(witness, LEAVES, 20, keys)
    failure = published(witness, LEAVES[:12], 12, keys).failure
    assert failure is not None
    assert (failure.problem, failure.size) == (WitnessProblem.LARGER_HEAD, 20)
    assert known_size(witness, ORIGIN, keys) == 20


def test_a_head_that_another_server_overtook_is_no_failure(
    witness: Witness, keys: SigningKeys
) -> None:
    published(witness, LEAVES, 20, keys)
    done = published(witness, LEAVES, 12, keys)
    assert (done.failure, done.size) == (None, 20)


def test_a_changed_log_is_noticed_by_asking_the_witness(
    witness: Witness, keys: SigningKeys
) -> None:
    published(witness, LEAVES, 20, keys)
    problems = []
    for leaves in (OTHER, LEAVES[:12], [*LEAVES[:20], *OTHER[:20]]):
        failure = ask(witness, ORIGIN, GrownTree(leaves), keys).failure
        problems.append(failure and failure.problem)
    assert problems == [WitnessProblem.OTHER_HEAD, WitnessProblem.LARGER_HEAD, None]


def test_cosignatures_are_checked_and_become_part_of_the_note(
    over_http: HttpWitness, process: RunningWitness, keys: SigningKeys
) -> None:
    signed, tree = head_of(LEAVES, 33, keys)
    done = publish(signed, tree, over_http, 0, lambda: 40)
    note = signed.note.with_signatures(done.cosignatures)
    assert [each.name for each in note.signatures] == [ORIGIN, NAME]
    assert verified_by(note, [process.key]) == (process.key,)
    assert process.heads() == {ORIGIN: (33, tree.root(33))}


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ({"status": 200, "body": ""}, WitnessProblem.GARBAGE),
        ({"status": 200, "body": "<html>"}, WitnessProblem.GARBAGE),
        ({"status": 200, "body": "— w AAAAAAAA\n"}, WitnessProblem.BAD_COSIGNATURE),
        ({"status": 200, "body": "x" * 100_000}, WitnessProblem.GARBAGE),
        ({"status": 409, "body": ""}, WitnessProblem.GARBAGE),
        ({"status": 409, "body": "007\n"}, WitnessProblem.GARBAGE),
        ({"status": 409, "body": "99999999999999999999\n"}, WitnessProblem.GARBAGE),
        ({"status": 409, "body": "0\n"}, WitnessProblem.GARBAGE),
        ({"status": 409, "body": "41\n"}, WitnessProblem.LARGER_HEAD),
        ({"status": 403, "body": "no"}, WitnessProblem.UNKNOWN_KEY),
        ({"status": 404, "body": "no"}, WitnessProblem.UNKNOWN_LOG),
        ({"status": 422, "body": "no"}, WitnessProblem.OTHER_HEAD),
        ({"status": 500, "body": "no"}, WitnessProblem.REFUSED),
        ({"status": 204, "body": ""}, WitnessProblem.REFUSED),
    ],
)
def test_a_reply_that_is_no_cosignature_is_reported_by_name(
    over_http: HttpWitness,
    process: RunningWitness,
    keys: SigningKeys,
    reply: dict[str, object],
    problem: WitnessProblem,
) -> None:
    process.behave(**reply)
    failure = published(over_http, LEAVES, 40, keys).failure
    assert failure is not None
    assert failure.problem is problem


def test_a_redirect_is_not_followed(
    over_http: HttpWitness, process: RunningWitness, keys: SigningKeys
) -> None:
    with running_witness(keys.verifiers(ORIGIN)) as elsewhere:
        process.behave(location=f"{elsewhere.address}/add-checkpoint")
        failure = published(over_http, LEAVES, 40, keys).failure
        assert failure is not None
        assert failure.problem is WitnessProblem.REFUSED
        assert elsewhere.heads()[ORIGIN][0] == 0


def test_a_cosignature_of_another_checkpoint_is_reported(
    over_http: HttpWitness, process: RunningWitness, keys: SigningKeys
) -> None:
    signed, tree = head_of(LEAVES, 20, keys)
    line = publish(signed, tree, over_http, 0, lambda: 20).cosignatures[0].line()
    process.behave(status=200, body=line)
    failure = published(over_http, LEAVES, 40, keys, 20).failure
    assert failure is not None
    assert failure.problem is WitnessProblem.BAD_COSIGNATURE


def test_silence_ends_at_the_deadline(process: RunningWitness, keys: SigningKeys) -> None:
    process.behave(silent=True)
    impatient = HttpWitness(process.address, deadline_s=0.3)
    failure = published(impatient, LEAVES, 40, keys).failure
    assert failure is not None
    assert failure.problem is WitnessProblem.SILENT


def test_a_reply_that_drips_ends_at_the_deadline(keys: SigningKeys) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        done = threading.Event()

        def drip() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                while not done.wait(0.02):
                    try:
                        connection.sendall(b"x")
                    except OSError:
                        return

        thread = threading.Thread(target=drip)
        thread.start()
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        failure = published(HttpWitness(address, deadline_s=0.4), LEAVES, 40, keys).failure
        done.set()
        thread.join()
    assert failure is not None
    assert failure.problem is WitnessProblem.SILENT


def test_nobody_listening_is_reported(keys: SigningKeys) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
    failure = published(HttpWitness(address), LEAVES, 40, keys).failure
    assert failure is not None
    assert failure.problem is WitnessProblem.SILENT


def test_a_witness_without_a_configured_key_is_called_but_its_word_is_unchecked(
    process: RunningWitness, keys: SigningKeys
) -> None:
    done = published(HttpWitness(process.address), LEAVES, 5, keys)
    assert [each.name for each in done.cosignatures] == [NAME]


def test_a_folder_keeps_every_note_and_reads_it_back(tmp_path: Path, keys: SigningKeys) -> None:
    folder = FolderWitness(tmp_path / "notes")
    for size in (3, 9, 30):
        published(folder, LEAVES, size, keys)
    kept = folder.kept(ORIGIN)
    assert [each.size for each in kept] == [30, 9, 3]
    tree = GrownTree(LEAVES)
    assert [read_signed_head(each.data).head.root for each in kept] == [
        tree.root(30),
        tree.root(9),
        tree.root(3),
    ]
    assert not [each for each in tmp_path.rglob("*") if each.name.startswith(".0")]
    assert not folder.kept("bank-7/other")


def test_a_damaged_note_stops_the_folder_by_name(tmp_path: Path, keys: SigningKeys) -> None:
    folder = FolderWitness(tmp_path)
    published(folder, LEAVES, 3, keys)
    next(tmp_path.rglob("*.checkpoint")).write_text("torn")
    failure = published(folder, LEAVES, 5, keys).failure
    assert failure is not None
    assert failure.problem is WitnessProblem.UNUSABLE_FOLDER
    assert "00000000000000000003.checkpoint is damaged" in failure.message


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path, keys: SigningKeys) -> None:
    (tmp_path / "file").write_text("")
    failure = published(FolderWitness(tmp_path / "file"), LEAVES, 5, keys).failure
    assert failure is not None
    assert failure.problem is WitnessProblem.UNUSABLE_FOLDER


def test_two_writers_of_one_folder_agree_on_one_log(tmp_path: Path, keys: SigningKeys) -> None:
    outcomes: list[bool] = []
    start = threading.Barrier(2, timeout=PATIENCE_S)

    def write(leaves: list[bytes]) -> None:
        start.wait()
        for size in range(11, 40):
            done = published(FolderWitness(tmp_path), leaves, size, keys)
            outcomes.append(done.failure is None)

    threads = [threading.Thread(target=write, args=(each,)) for each in (LEAVES, OTHER)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    kept = [read_signed_head(each.data).head for each in FolderWitness(tmp_path).kept(ORIGIN)]
    one, other = GrownTree(LEAVES), GrownTree(OTHER)
    agreed = [[tree.root(each.size) == each.root for each in kept] for tree in (one, other)]
    assert all(agreed[0]) or all(agreed[1])
    assert kept


def test_notes_are_set_aside_for_a_restored_log(tmp_path: Path, keys: SigningKeys) -> None:
    folder = FolderWitness(tmp_path)
    for size in (9, 20, 30):
        published(folder, LEAVES, size, keys)
    assert folder.set_aside(ORIGIN, lambda head: head.size > 10) == 2
    assert [each.size for each in folder.kept(ORIGIN)] == [9]
    assert published(folder, OTHER, 12, keys).failure is None
    assert len(list(tmp_path.rglob("former-1/*.checkpoint"))) == 2


def test_no_proof_is_longer_than_a_witness_takes(keys: SigningKeys) -> None:
    signed, tree = head_of(LEAVES, 40, keys)
    body = Submission(signed, 33, tuple(tree.consistency_proof(33, 40))).body()
    assert body.startswith(b"old 33\n")
    assert body.endswith(signed.note.encode().encode())
