"""Heads of a real log: signed, witnessed, remembered by consoles, and what tampering leaves."""

import base64
import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import func, select
from tests.witnessing import places
from tests.witnessing.places import OPERATOR, Place, open_place
from tests.witnessing.witnesses import NAME, running_witness
from tests.world.files import KEYS

from chainteller.adapters.witness_http import HttpWitness
from chainteller.cli.audit_heads import proves
from chainteller.domain.clock import DAY
from chainteller.domain.merkle import verify_consistency
from chainteller.engine.core.signers import Signers
from chainteller.engine.heads import signing_keys
from chainteller.engine.heads.checkpointing import Checkpointer
from chainteller.engine.heads.signed_heads import (
    LeftBehind,
    accept_restore,
    find_restore,
    heads_of,
    judge_heads,
    record_restore,
)
from chainteller.engine.upkeep import archiving
from chainteller.engine.upkeep.drill import compare
from chainteller.engine.verification.full_pass import verify
from chainteller.service.errors import Conflict, NotFound, ValidationFailed
from chainteller.service.models.heads import AuditProof
from chainteller.sqlite import sqlite3
from chainteller.storage.database import open_database
from chainteller.storage.schema.wallet_tables import Tables
from chainteller.witnessing.checkpoints import Head, read_signed_head
from chainteller.witnessing.comparing import compare_file
from chainteller.witnessing.errors import AuditContradicted, CheckpointRefused, Refusal
from chainteller.witnessing.folders import FolderWitness
from chainteller.witnessing.notes import verified_by
from chainteller.witnessing.remembering import HeadConflict, SeenHead, accepted, follow


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bank with a key and a few entries; nothing of it was signed."""
    folder = tmp_path_factory.mktemp("template")
    place = open_place(folder / "bank.db", folder / "keys", is_new=True)
    place.open_accounts(1, 4)
    place.close()
    return folder


@pytest.fixture
def place(template: Path, tmp_path: Path) -> Iterator[Place]:
    """The template's bank, witnessed by a folder."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    for each in (tmp_path / "keys").iterdir():
        each.write_text(each.read_text().replace(str(template), str(tmp_path)))
    opened = _open(tmp_path)
    yield opened
    opened.close()


def _open(folder: Path) -> Place:
    witness = FolderWitness(folder / "witness")
    return open_place(folder / "bank.db", folder / "keys", [witness])


def _problems(place: Place) -> str:
    """What goes wrong when the head of ``default`` is to be signed."""
    found = [each for each in place.make_heads() if each.origin == place.origin()]
    return "\n".join(problem for each in found for problem in each.problems)


def _again(place: Place) -> Place:
    """The bank after its file was changed behind it."""
    place.close()
    return _open(place.file.parent)


def test_heads_are_signed_for_every_log_that_has_new_entries(place: Place) -> None:
    made = {each.origin.rpartition("/")[2]: each for each in place.make_heads()}
    assert set(made) == {"*", "default", "other"}
    assert not any(each.problems for each in made.values())
    assert place.make_heads() == []
    place.open_accounts(5, 1)
    assert [each.origin for each in place.make_heads()] == [place.origin()]


def test_a_head_of_the_service_is_the_logs_and_is_signed(place: Place) -> None:
    place.make_heads()
    answer = place.engine.audit_checkpoint()
    keys = signing_keys.keys_of(place.engine.context)
    read = read_signed_head(answer.note.encode())
    assert verified_by(read.note, keys.verifiers(place.origin()))
    assert heads_of(place.engine.context)["default"] == read.head
    assert (answer.origin, answer.size) == (place.origin(), read.head.size)
    assert answer.witnessed_size == answer.size
    place.open_accounts(5, 2)
    later = place.engine.audit_checkpoint()
    assert later.size > answer.size == later.witnessed_size


def test_without_a_key_there_are_no_heads(template: Path, tmp_path: Path) -> None:
    shutil.copy(template / "bank.db", tmp_path / "bank.db")
    place = open_place(tmp_path / "bank.db", tmp_path / "keys")
    assert place.make_heads() == []
    for call in (
        place.engine.audit_checkpoint,
        lambda: place.engine.audit_consistency(0, 1),
        lambda: place.engine.audit_proof("1"),
    ):
        with pytest.raises(NotFound, match="This checkpoint doesn't exist") as refused:
            call()
        assert "audit key create" in refused.value.suggestion
    report = judge_heads(place.engine.context)
    assert report.breaches == []
    assert report.notes == ["no signing key: chainteller audit key create"]
    place.close()


def test_a_larger_head_is_proven_to_continue_a_smaller_one(place: Place) -> None:
    first = place.engine.audit_checkpoint()
    place.open_accounts(5, 3)
    second = place.engine.audit_checkpoint()
    found = place.engine.audit_consistency(first.size, second.size)
    hashes = [base64.b64decode(each) for each in found.hashes]
    roots = [base64.b64decode(each.root_hash) for each in (first, second)]
    assert verify_consistency(first.size, second.size, roots[0], roots[1], hashes)
    assert place.engine.audit_consistency(0, second.size).hashes == ()
    with pytest.raises(ValidationFailed):
        place.engine.audit_consistency(2, 1)
    with pytest.raises(NotFound):
        place.engine.audit_consistency(1, second.size + 1)


def test_every_audit_row_is_proven_and_no_other(place: Place) -> None:
    rows = place.engine.audit().data
    assert rows
    for row in rows:
        proof = place.engine.audit_proof(str(row.seq))
        assert proves(proof)
        assert not proves(proof.model_copy(update={"seq": proof.seq + 1}))
        for entry in (proof.entry + " ", "{", "{}", '{"events":[1]}', '{"events":' + "[" * 100_000):
            assert not proves(proof.model_copy(update={"entry": entry}))
        assert not proves(proof.model_copy(update={"seq": 10**6}))
    for unknown in ("0", "99999", "x", "٣", "1" * 30):
        with pytest.raises(NotFound):
            place.engine.audit_proof(unknown)


def test_a_proof_says_nothing_of_what_other_organisations_do(
    template: Path, tmp_path: Path
) -> None:
    found = []
    for deposits in (0, 3):
        shutil.copytree(template, folder := tmp_path / str(deposits))
        for each in (folder / "keys").iterdir():
            each.write_text(each.read_text().replace(str(template), str(folder)))
        place = _open(folder)
        place.deposit("other", "ODA-1", deposits)
        place.deposit("default", "DDA-5", 2)
        proofs = [place.engine.audit_proof(str(row.seq)) for row in place.engine.audit().data]
        assert all(map(proves, proofs))
        found.append([_counted(each) for each in proofs])
        place.close()
    assert found[0] == found[1]
    assert "'action': 'deposit'" in str(found[0])


def _counted(proof: AuditProof) -> object:
    """A proof without what is random or a hash in it."""
    entry = json.loads(proof.entry)
    events = [kind for kind, _, _ in entry.pop("events")]
    assert (len(entry.pop("rows")), len(entry.pop("inputs"))) == (43, 43)
    told = entry | {"object": entry["object"][:3], "account": entry.get("account", "")[:3]}
    return proof.seq, proof.size, len(proof.hashes), events, told


@pytest.mark.parametrize("without_own", [False, True])
def test_a_cut_tail_is_found_and_the_last_honest_head_named(
    place: Place, *, without_own: bool
) -> None:
    place.make_heads()
    honest = heads_of(place.engine.context)["default"]
    place.open_accounts(5, 3)
    place.make_heads()
    places.cut(place.file, honest.size + 1)
    if without_own:
        places.forget_checkpoints(place.file)
    place = _again(place)
    report = judge_heads(place.engine.context)
    found = next(each for each in report.judgements if each.origin == place.origin())
    assert found.honest == found.witnessed == honest
    assert found.first_unwitnessed == honest.size + 1
    assert f"the last honest head is {honest}" in "\n".join(report.breaches)
    place.close()


@pytest.mark.parametrize("without_own", [False, True])
def test_a_rewritten_log_is_found_although_it_was_hashed_again(
    place: Place, *, without_own: bool
) -> None:
    place.make_heads()
    honest = heads_of(place.engine.context)["default"]
    place.open_accounts(5, 3)
    place.make_heads()
    places.rewrite(place.file, honest.size + 2)
    if without_own:
        places.forget_checkpoints(place.file)
    place = _again(place)
    report = judge_heads(place.engine.context)
    found = next(each for each in report.judgements if each.origin == place.origin())
    assert found.honest == honest
    assert found.contradictions
    assert _problems(place)
    with pytest.raises(Conflict) as refused:
        place.engine.audit_checkpoint()
    assert refused.value.details["reason"] == "AUDIT_CONTRADICTED"
    place.close()


def test_what_was_changed_after_the_last_head_is_named_as_unwitnessed(place: Place) -> None:
    place.make_heads()
    honest = heads_of(place.engine.context)["default"]
    place.open_accounts(5, 3)
    places.rewrite(place.file, honest.size + 2)
    place = _again(place)
    report = judge_heads(place.engine.context)
    found = next(each for each in report.judgements if each.origin == place.origin())
    assert (found.contradictions, found.honest) == ((), honest)
    assert found.first_unwitnessed == honest.size + 1
    assert f"from entry {honest.size + 1} on nothing is witnessed" in "\n".join(report.notes)
    place.close()


def test_an_altered_checkpoint_in_the_database_is_named(place: Place) -> None:
    place.make_heads()
    with closing(sqlite3.connect(place.file)) as database:
        database.execute(
            "UPDATE checkpoint SET note = replace(note, ?, 'x') WHERE organisation_id = 'default'",
            (place.origin(),),
        )
        database.commit()
    place = _again(place)
    report = judge_heads(place.engine.context)
    assert "the database's checkpoint of" in "\n".join(report.notes)
    assert "OTHER_DEPLOYMENT" in "\n".join(report.notes)
    assert report.breaches == []
    place.open_accounts(5, 1)
    assert "the stored checkpoint of" in _problems(place)
    place.close()


def test_another_database_in_the_place_of_this_one_is_noticed(place: Place) -> None:
    place.close()
    other = place.file.parent / "other"
    other.mkdir()
    open_database(f"sqlite:///{other / 'bank.db'}", KEYS).close()
    stranger = open_place(other / "bank.db", other / "keys")
    stranger.close()
    shutil.copy(other / "bank.db", place.file)
    replaced = _open(place.file.parent)
    report = judge_heads(replaced.engine.context)
    assert "which was in this place" in report.breaches[0]
    elsewhere = open_place(other / "bank.db", place.file.parent / "keys")
    assert judge_heads(elsewhere.engine.context).breaches == []
    elsewhere.close()
    signing_keys.create(replaced.engine.context, OPERATOR)
    assert judge_heads(replaced.engine.context).breaches == []
    replaced.close()


# -- consoles -----------------------------------------------------------------------------------


def test_a_console_follows_a_log_that_grows_and_notices_one_that_does_not(place: Place) -> None:
    first = follow(place.engine, {}, "", "")
    assert isinstance(first, SeenHead)
    seen = {first.organisation: first}
    place.open_accounts(5, 2)
    second = follow(place.engine, seen, "default", "")
    assert isinstance(second, SeenHead)
    assert second.size > first.size
    places.cut(place.file, first.size - 1)
    places.forget_checkpoints(place.file)
    place = _again(place)
    conflict = follow(place.engine, {"default": second}, "default", "")
    assert isinstance(conflict, HeadConflict)
    assert "entries were removed" in conflict.reason
    assert (conflict.seen, conflict.shown and conflict.shown.size) == (second, first.size - 1)
    taken = accepted(conflict, "")
    assert taken is not None
    assert taken == conflict.shown
    assert follow(place.engine, {"default": taken}, "default", "") == taken
    place.close()


def test_a_console_notices_a_rewritten_log_and_a_log_without_heads(place: Place) -> None:
    seen = follow(place.engine, {}, "", "")
    assert isinstance(seen, SeenHead)
    places.rewrite(place.file, 2)
    place = _again(place)
    conflict = follow(place.engine, {"default": seen}, "default", "")
    assert isinstance(conflict, HeadConflict)
    assert "entries were changed" in conflict.reason
    place.close()
    shutil.rmtree(place.file.parent / "keys")
    place = _open(place.file.parent)
    gone = follow(place.engine, {"default": seen}, "default", "")
    assert isinstance(gone, HeadConflict)
    assert gone.shown is None
    assert follow(place.engine, {}, "", "") is None
    place.close()


def test_a_console_trusts_the_key_of_its_profile_else_the_first_it_sees(place: Place) -> None:
    context = place.engine.context
    old = signing_keys.keys_of(context).verifiers(place.origin())[0].encode()
    seen = follow(place.engine, {}, "", old)
    assert isinstance(seen, SeenHead)
    assert seen.keys == (old,)
    signing_keys.rotate(context, OPERATOR)
    assert isinstance(follow(place.engine, {"default": seen}, "default", ""), SeenHead)
    signing_keys.retire(context, OPERATOR)
    for pinned in ("", old):
        conflict = follow(place.engine, {"default": seen}, "default", pinned)
        assert isinstance(conflict, HeadConflict)
        assert "UNKNOWN_KEY" in conflict.reason
    new = signing_keys.keys_of(context).verifiers(place.origin())[0].encode()
    assert isinstance(follow(place.engine, {"default": seen}, "default", new), SeenHead)


def test_a_console_is_not_told_that_another_log_is_its_own(place: Place) -> None:
    seen = follow(place.engine, {}, "", "")
    assert isinstance(seen, SeenHead)
    other = place.engine.acting_as(type(OPERATOR)("other", "test"))
    conflict = follow(other, {"default": seen}, "default", "")
    assert isinstance(conflict, HeadConflict)
    assert Refusal.OTHER_ORGANISATION in conflict.reason


# -- files, keys, restores ----------------------------------------------------------------------


def test_a_checkpoint_in_a_file_is_compared_with_the_log(place: Place) -> None:
    context = place.engine.context
    note = place.engine.audit_checkpoint().note.encode()

    def compared(data: bytes, pinned: str = "") -> dict[str, object]:
        return compare_file(
            place.engine, data, pinned, lambda origin: signing_keys.known(context, origin)
        )

    place.open_accounts(5, 1)
    assert compared(note)["retiredKey"] is None
    signing_keys.rotate(context, OPERATOR)
    signing_keys.retire(context, OPERATOR)
    assert compared(note)["retiredKey"]
    with pytest.raises(CheckpointRefused) as refused:
        compared(b"no note\n")
    assert refused.value.reason is Refusal.MALFORMED


def test_a_checkpoint_larger_than_the_log_is_refused_by_name(place: Place) -> None:
    place.open_accounts(5, 2)
    note = place.engine.audit_checkpoint().note.encode()
    places.cut(place.file, 3)
    place = _again(place)
    context = place.engine.context
    with pytest.raises(CheckpointRefused) as refused:
        compare_file(place.engine, note, "", lambda origin: signing_keys.known(context, origin))
    assert refused.value.reason is Refusal.LARGER_THAN_LOG
    place.close()


def test_a_checkpoint_of_a_rewritten_log_is_contradicted_and_a_retired_key_named(
    place: Place,
) -> None:
    note = place.engine.audit_checkpoint().note.encode()
    signing_keys.rotate(place.engine.context, OPERATOR)
    signing_keys.retire(place.engine.context, OPERATOR)
    places.rewrite(place.file, 2)
    place = _again(place)
    context = place.engine.context
    with pytest.raises(AuditContradicted, match="retired at"):
        compare_file(place.engine, note, "", lambda origin: signing_keys.known(context, origin))
    place.close()


def test_key_changes_are_entries_of_the_deployments_log(place: Place) -> None:
    before = heads_of(place.engine.context)["*"].size
    signing_keys.rotate(place.engine.context, OPERATOR)
    signing_keys.retire(place.engine.context, OPERATOR)
    assert heads_of(place.engine.context)["*"].size == before + 2
    assert verify(place.database) == ()


def test_a_permitted_restore_is_explained_and_accepted_by_a_person(place: Place) -> None:
    place.make_heads()
    backup = place.file.with_name("backup.db")
    shutil.copy(place.file, backup)
    place.open_accounts(5, 4)
    place.make_heads()
    old = heads_of(place.engine.context)
    place.close()
    shutil.copy(backup, place.file)
    restored = _open(place.file.parent)
    context = restored.engine.context
    new = heads_of(context)["default"]
    left = {name: LeftBehind(head) for name, head in old.items()}
    record_restore(context, OPERATOR, {"backup": "backup.db"}, left)
    entry = restored.engine.audit().data[0]
    assert entry.action == "restore_database"
    assert dict(entry.inputs) == {
        "backup": "backup.db",
        "oldSize": old["default"].size,
        "oldRoot": old["default"].root.hex(),
        "newSize": new.size,
        "newRoot": new.root.hex(),
    }
    report = judge_heads(context)
    assert report.breaches == []
    assert f"audit row {entry.seq} says that it was restored" in "\n".join(report.notes)
    assert _problems(restored)
    assert accept_restore(context, OPERATOR, "the disk failed", find_restore(context)) == 1
    assert restored.engine.audit().data[0].inputs["reason"] == "the disk failed"
    assert not any(each.problems for each in restored.make_heads())
    report = judge_heads(context)
    assert (report.breaches, [each.explained for each in report.judgements]) == ([], [()] * 3)
    assert verify(restored.database) == ()
    restored.close()


def test_an_undeclared_rollback_is_a_breach(place: Place) -> None:
    place.make_heads()
    backup = place.file.with_name("backup.db")
    shutil.copy(place.file, backup)
    place.open_accounts(5, 4)
    place.make_heads()
    place.close()
    shutil.copy(backup, place.file)
    place = _open(place.file.parent)
    assert len(judge_heads(place.engine.context).breaches) == 1
    place.close()


def test_a_drill_names_a_backup_that_witnesses_contradict(place: Place) -> None:
    """What they have seen since the backup is no contradiction."""
    backup = place.file.with_name("backup.db")
    for is_rewritten in (False, True):
        if is_rewritten:
            place.close()
            places.rewrite(place.file, 2)
            place = _again(place)
        shutil.copy(place.file, backup)
        if not is_rewritten:
            place.open_accounts(5, 2)
            place.make_heads()
        with closing(open_database(f"sqlite:///{backup}", KEYS)) as restored:
            loss = compare(place.engine.context, restored)
        said = [each for each in loss.breaches if "witnesses have seen another log" in each]
        assert len(said) == is_rewritten
        assert bool(loss.entries) != is_rewritten
    place.close()


def test_a_witness_over_http_knows_better_than_a_database_without_its_heads(
    template: Path, tmp_path: Path
) -> None:
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    place = open_place(tmp_path / "bank.db", tmp_path / "keys")
    keys = signing_keys.keys_of(place.engine.context)
    known = [keys.verifiers(place.origin(each))[0] for each in ("*", "default", "other")]
    with running_witness(known) as running:

        def again() -> Place:
            witness = HttpWitness(running.address, (running.key,))
            return open_place(tmp_path / "bank.db", tmp_path / "keys", [witness])

        place.close()
        place = again()
        assert not any(each.problems for each in place.make_heads())
        answer = place.engine.audit_checkpoint()
        assert [each.name for each in answer.cosignatures] == [NAME]
        assert answer.witnessed_size == answer.size
        report = judge_heads(place.engine.context)
        assert report.breaches == []
        assert all(each.first_unwitnessed is None for each in report.judgements)
        place.close()
        places.cut(place.file, answer.size - 1)
        places.forget_checkpoints(place.file)
        place = again()
        (breach,) = judge_heads(place.engine.context).breaches
        assert f"it has seen {answer.size} entries, and the log has {answer.size - 1}" in breach
        place.close()
        running.behave(silent=True)
        witness = HttpWitness(running.address, (running.key,), deadline_s=0.2)
        place = open_place(tmp_path / "bank.db", tmp_path / "keys", [witness])
        report = judge_heads(place.engine.context)
        assert report.breaches == []
        assert "SILENT: no answer within 0.2 s" in "\n".join(report.notes)
        place.close()


def test_the_thread_signs_what_is_new_at_its_interval_and_at_the_end(place: Place) -> None:
    context = place.engine.context
    thread = Checkpointer(context, interval_s=0.01)
    thread.start()
    folder = FolderWitness(place.file.parent / "witness")
    while not folder.kept(place.origin()):
        thread._thread.join(0.01)
    thread.stop()
    place.open_accounts(5, 1)
    last = Checkpointer(context)
    last.start()
    last.stop()
    size = heads_of(context)["default"].size
    assert folder.kept(place.origin())[0].size == size
    assert Head(size, heads_of(context)["default"].root) == heads_of(context)["default"]


def test_a_place_without_keys_or_witnesses_reads_nothing(tmp_path: Path) -> None:
    signers = Signers()
    assert signers.contradicted("x/y") == ""
    assert not (tmp_path / "keys").exists()


def test_heads_of_an_archived_log_are_proved_and_its_rows_are_named_by_their_archive(
    place: Place,
) -> None:
    made = place.make_heads()
    old = heads_of(place.engine.context)["default"]
    rows = place.engine.audit().data
    assert place.world.clock is not None
    place.world.clock.advance(2 * DAY)
    place.open_accounts(5, 1)
    file = place.file.with_name("audit.archive")
    assert sum(archiving.archive(place.engine.context, file, 1))

    assert made
    assert place.make_heads()
    assert judge_heads(place.engine.context).breaches == []
    place.close()
    place = _open(place.file.parent)  # with nothing in memory
    assert judge_heads(place.engine.context).breaches == []
    now = heads_of(place.engine.context)["default"]
    proof = place.engine.audit_consistency(old.size).hashes
    hashes = [base64.b64decode(each) for each in proof]
    assert verify_consistency(old.size, now.size, old.root, now.root, hashes)
    gone = select(func.max(Tables.entry.c.number)).where(
        Tables.entry.c.organisation_id == "default", Tables.entry.c.body.is_(None)
    )
    with place.engine.context.database.read() as connection:
        archived = connection.execute(gone).scalar_one()
    assert archived in {row.seq for row in rows}
    with pytest.raises(NotFound) as refused:
        place.engine.audit_proof(str(archived))
    assert refused.value.details["archive"] == file.name
    newest = place.engine.audit().data[0]
    assert place.engine.audit_proof(str(newest.seq)).seq == newest.seq
    with closing(sqlite3.connect(file)) as connection:
        kept = "SELECT size, root FROM checkpoint WHERE organisation_id = 'default'"
        assert connection.execute(kept).fetchall() == [(old.size, old.root.hex())]
    assert place.world.clock is not None
    place.world.clock.advance(4 * DAY)
    place.open_accounts(6, 1)
    assert sum(archiving.archive(place.engine.context, file, 1))
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute(kept).fetchall() == [(now.size, now.root.hex())]
