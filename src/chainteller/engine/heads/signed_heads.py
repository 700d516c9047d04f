"""Signed heads of the logs: made, published to witnesses, handed out, and judged."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chainteller.domain.actors import WORKER, Actor
from chainteller.domain.clock import LAST_INSTANT, SECOND
from chainteller.domain.merkle import GrownTree
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.signers import Signers, Standing
from chainteller.engine.core.table import reads_in_context
from chainteller.engine.core.unit_of_work import act
from chainteller.engine.operations import disputes
from chainteller.service import operations
from chainteller.service.errors import Conflict, NotFound, ValidationFailed
from chainteller.service.models.heads import (
    AuditCheckpoint,
    AuditConsistency,
    AuditProof,
    ConsistencyQuery,
    HeadCosignature,
)
from chainteller.storage.db.query import Session
from chainteller.storage.log import checkpoints, entry, views
from chainteller.storage.log.checkpoints import StoredCheckpoint
from chainteller.storage.log.moved import DATABASE
from chainteller.storage.log.rows import DEPLOYMENT
from chainteller.storage.upkeep import archives, inspection
from chainteller.witnessing.checkpoints import (
    Head,
    SignedHead,
    origin_of,
    read_signed_head,
    split_origin,
)
from chainteller.witnessing.errors import (
    CheckpointRefused,
    SigningKeysUnusable,
    WitnessFailed,
    WitnessProblem,
)
from chainteller.witnessing.folders import FolderWitness
from chainteller.witnessing.judging import (
    Asked,
    Evidence,
    Judgement,
    Restored,
    Source,
    accept,
    continues,
    judge,
)
from chainteller.witnessing.keys import SigningKeys
from chainteller.witnessing.notes import (
    NoteInvalid,
    SignatureType,
    VerifierKey,
    cosigned_at,
    parse_note,
    to_base64,
)
from chainteller.witnessing.publishing import Published, ask, publish, sign
from chainteller.witnessing.submissions import KeptNote, Witness

RESTORED = "restore_database"
"""The action of the entry in each log that says that the database was restored."""
KEY_CREATED = "create_signing_key"
KEY_ROTATED = "rotate_signing_key"
KEY_RETIRED = "retire_signing_key"
CHECKPOINT = "checkpoint"


# Making and publishing


@dataclass(frozen=True, slots=True)
class MadeHead:
    """A head that was signed, and what each witness did with it; or why it wasn't signed."""

    origin: str
    size: int
    outcomes: tuple[Published, ...] = ()
    problem: str = ""

    @property
    def problems(self) -> tuple[str, ...]:
        """Everything that went wrong, in words."""
        said = (f"{each.witness}: {each.failure.message}" for each in self.outcomes if each.failure)
        return (*([self.problem] if self.problem else ()), *said)


@dataclass(frozen=True, slots=True)
class _Due:
    """A log whose head is to be signed."""

    organisation_id: str
    origin: str
    tree: GrownTree
    head: Head


def make_heads(context: EngineContext) -> list[MadeHead]:
    """Sign the head of every log that has entries since the last time, and have it witnessed.

    A head that doesn't continue the one signed before is not signed. A witness that fails is asked
    again the next time.

    Raises:
        ServiceUnavailable: the database can't be used.
        SigningKeysUnusable: the key file can't be used.
    """
    signers = context.signers
    if signers.key_folder is None or not signers.key_folder.exists():
        return []
    made: list[MadeHead] = []
    silent: set[str] = set()
    with context.database.read() as connection:
        standing = signers.standing(connection)
        names = list(views.sizes(connection))
    keys = standing.keys
    if keys is None:
        return []
    for name in names:
        origin = origin_of(standing.deployment, name)
        try:
            with context.database.read() as connection:
                due = _due(signers, connection, name, origin, keys)
        except Conflict as conflict:
            made.append(MadeHead(origin, 0, problem=f"not signed: {conflict.details['found']}"))
        else:
            if due is not None:
                made.append(_make(context, keys, due, silent))
    return made


def _due(
    signers: Signers, connection: Session, organisation_id: str, origin: str, keys: SigningKeys
) -> _Due | None:
    """The log, if it has entries that weren't signed or witnessed. Raises Conflict: it contradicts
    the head that was signed last."""
    size = views.head(connection, organisation_id).size
    latest = checkpoints.latest(connection, organisation_id)
    published = [signers.published.get((each.address, origin)) for each in signers.witnesses]
    is_published = all(each is not None and each.failure is None for each in published)
    if not size or (latest is not None and latest.size == size and is_published):
        return None
    tree, found = signers.trees.of(connection, organisation_id)
    _require_continuation(tree, latest, origin, keys)
    return _Due(organisation_id, origin, tree, found)


def _require_continuation(
    tree: GrownTree, latest: StoredCheckpoint | None, origin: str, keys: SigningKeys
) -> None:
    """Raises Conflict: the log doesn't continue the head that was signed last."""
    if latest is None:
        return
    try:
        head = accept(latest.note.encode(), origin, keys.verifiers(origin)).head
    except CheckpointRefused as error:
        raise _contradicted(f"the stored checkpoint of {latest.size}: {error.message}") from None
    if not continues(tree, head):
        raise _contradicted(f"it contradicts its own head of {head.size} entries")


def _make(context: EngineContext, keys: SigningKeys, due: _Due, silent: set[str]) -> MadeHead:
    """Sign and publish one head; a witness among the ``silent`` isn't waited for again."""
    signers = context.signers
    signed = sign(due.origin, due.head, keys)
    outcomes, note = [], signed.note
    for witness in sorted(signers.witnesses, key=_folders_last):
        if witness.address in silent:
            continue
        key = (witness.address, due.origin)
        before = signers.published.get(key)
        done = publish(
            signed._replace(note=note),
            due.tree,
            witness,
            before.size if before else 0,
            lambda: _size_now(context, due.organisation_id),
        )
        note = note.with_signatures(done.cosignatures)
        signers.published[key] = done
        outcomes.append(done)
        if done.failure is not None and done.failure.problem is WitnessProblem.SILENT:
            silent.add(witness.address)
    _keep(context, due, note.encode())
    return MadeHead(due.origin, due.head.size, tuple(outcomes))


def _folders_last(witness: Witness) -> bool:
    """Folders keep the note with the cosignatures of the others."""
    return witness.kind == "folder"


def _size_now(context: EngineContext, organisation_id: str) -> int:
    with context.database.read() as connection:
        return views.head(connection, organisation_id).size


def _keep(context: EngineContext, due: _Due, note: str) -> None:
    act(
        context,
        WORKER,
        lambda tx: checkpoints.keep(
            tx.rows,
            due.organisation_id,
            StoredCheckpoint(due.head.size, due.head.root.hex(), note, tx.now),
        ),
    )


# Answering calls


@reads_in_context(operations.AUDIT_CHECKPOINT, is_short=False)
def audit_checkpoint(
    context: EngineContext, connection: Session, organisation_id: str
) -> AuditCheckpoint:
    if context.kept is not None and (disputed := context.kept.disputed(organisation_id)):
        raise _contradicted(disputed)
    standing, keys = signing(context, connection)
    _, signed = signed_head(context, connection, organisation_id, standing.deployment, keys)
    origin = signed.checkpoint.origin
    known = (each for each in context.signers.witnesses)
    sizes = [_published_size(context.signers, each, origin) for each in known]
    return AuditCheckpoint(
        origin=origin,
        size=signed.head.size,
        root_hash=to_base64(signed.head.root),
        note=signed.note.encode(),
        verifier_keys=tuple(each.verifier.encode() for each in keys.signers(origin)),
        cosignatures=tuple(_cosignatures(signed)),
        witnessed_size=max([*sizes, _cosigned_size(context, connection, organisation_id)]),
    )


def signing(context: EngineContext, connection: Session) -> tuple[Standing, SigningKeys]:
    """Raises NotFound: no key signs this database's heads."""
    try:
        standing = context.signers.standing(connection)
    except SigningKeysUnusable:
        raise _unsigned(
            "The file of signing keys can't be used. Its operator corrects it: chainteller info "
            "names it."
        ) from None
    if standing.keys is None:
        raise _unsigned(
            "This deployment has no signing key for its audit log. Its operator makes one: "
            "chainteller audit key create."
        )
    return standing, standing.keys


def _unsigned(why: str) -> NotFound:
    refused = NotFound(CHECKPOINT, "")
    refused.details["suggestion"] = why
    return refused


def signed_head(
    context: EngineContext,
    connection: Session,
    organisation_id: str,
    deployment: str,
    keys: SigningKeys,
) -> tuple[GrownTree, SignedHead]:
    """The log's head, as it was stored with its cosignatures, or signed now. Raises Conflict: the
    log isn't the one whose heads were signed or witnessed before."""
    origin = origin_of(deployment, organisation_id)
    tree, head = context.signers.trees.of(connection, organisation_id)
    latest = checkpoints.latest(connection, organisation_id)
    _require_continuation(tree, latest, origin, keys)
    if said := context.signers.contradicted(origin):
        raise _contradicted(said)
    if latest is not None and latest.size == head.size:
        return tree, read_signed_head(latest.note.encode())
    return tree, sign(origin, head, keys)


def _contradicted(said: str) -> Conflict:
    return Conflict(
        "The audit log isn't the one whose heads were signed.",
        {"reason": "AUDIT_CONTRADICTED", "found": said},
    )


def _published_size(signers: Signers, witness: Witness, origin: str) -> int:
    done = signers.published.get((witness.address, origin))
    return done.size if done is not None and done.failure is None else 0


def _cosigned_size(context: EngineContext, connection: Session, organisation_id: str) -> int:
    """The size of the largest stored head that a configured witness cosigned."""
    keys = witness_keys(context.signers)
    latest = checkpoints.latest(connection, organisation_id)
    if not keys or latest is None:
        return 0
    try:
        note = parse_note(latest.note.encode())
    except NoteInvalid:
        return 0
    signed = any(key.verifies(note.text, one) for key in keys for one in note.signatures)
    return latest.size if signed else 0


def _cosignatures(signed: SignedHead) -> Iterator[HeadCosignature]:
    for each in signed.note.signatures:
        if len(each.value) == 72:
            at = min(cosigned_at(each) * SECOND, LAST_INSTANT)
            yield HeadCosignature(name=each.name, at=at)


@reads_in_context(operations.AUDIT_CONSISTENCY, is_short=False)
def audit_consistency(
    context: EngineContext, connection: Session, organisation_id: str, query: ConsistencyQuery
) -> AuditConsistency:
    standing, _ = signing(context, connection)
    tree, head = context.signers.trees.of(connection, organisation_id)
    old, size = query.from_size, head.size if query.to_size is None else query.to_size
    if old > size:
        raise ValidationFailed.of("from", "Not larger than to.")
    if size > head.size:
        raise NotFound("head", str(size))
    return AuditConsistency(
        origin=origin_of(standing.deployment, organisation_id),
        from_size=old,
        to_size=size,
        hashes=tuple(map(to_base64, tree.consistency_proof(old, size))),
    )


@reads_in_context(operations.AUDIT_PROOF, is_short=False)
def audit_proof(
    context: EngineContext, connection: Session, organisation_id: str, seq: str
) -> AuditProof:
    standing, keys = signing(context, connection)
    number = int(seq) if seq.isascii() and seq.isdecimal() and len(seq) < 17 else 0
    body = views.body_of(connection, organisation_id, number)
    if body is None:
        archive = archives.name_of(connection, organisation_id, number)
        raise (
            _archived(number, archive) if archive else NotFound("audit row", seq if number else "")
        )
    tree, signed = signed_head(context, connection, organisation_id, standing.deployment, keys)
    return AuditProof(
        seq=number,
        entry=entry.shown(body).decode(),
        size=signed.head.size,
        root_hash=to_base64(signed.head.root),
        hashes=tuple(map(to_base64, tree.inclusion_proof(number - 1, signed.head.size))),
        note=signed.note.encode(),
    )


def _archived(row: int, archive: str) -> NotFound:
    """Say where an audit row is that was archived."""
    refused = NotFound("audit row", str(row))
    refused.details["archive"] = archive
    refused.details["suggestion"] = (
        f"It was archived: its operator has it in {archive} "
        f"(chainteller db verify --archive {archive})."
    )
    return refused


# Judging


def witness_keys(signers: Signers) -> tuple[VerifierKey, ...]:
    """The keys that the witnesses over HTTP are configured with."""
    found = (key for each in signers.witnesses for key in getattr(each, "keys", ()))
    return tuple(key for key in found if key.kind is SignatureType.COSIGNATURE_V1)


_CAUSE = (
    "Likely cause: entries were changed or removed behind the program, or an older file was put in "
    "place. Find out who wrote to it since the last honest head. If it was restored, or a server "
    "failed over with loss, accept that on record: chainteller audit restored --reason R."
)


@dataclass(frozen=True, slots=True)
class HeadsReport:
    """What all known heads say about all logs; ``problem`` where no keys can be used."""

    judgements: tuple[Judgement, ...] = ()
    problem: str = ""
    is_replaced: bool = False

    @property
    def breaches(self) -> list[str]:
        """Contradictions in words, each with the last honest head and what is unwitnessed."""
        said = [self.problem] if self.is_replaced else []
        for each in self.judgements:
            said += [f"{each.origin}: {found}; {describe(each)}" for found in each.contradictions]
        return said

    @property
    def causes(self) -> list[str]:
        """The likely cause of the breaches, and the next step."""
        return [_CAUSE] if self.breaches else []

    @property
    def notes(self) -> list[str]:
        """What is worth knowing and no breach."""
        said = [] if self.is_replaced or not self.problem else [self.problem]
        for each in self.judgements:
            if each.size:
                said.append(f"{each.origin}: {describe(each)}")
            said += [f"{each.origin}: {found}" for found in (*each.explained, *each.unusable)]
        return said


def describe(judgement: Judgement) -> str:
    """The last honest head of a log, and from where on nothing is witnessed."""
    head, first = judgement.honest, judgement.first_unwitnessed
    if judgement.contradictions:
        said = f"the last honest head is {head}" if head else "no honest head is known"
    else:
        said = f"it continues its head of {head.size} entries" if head else "no head is known"
    unseen = f"from entry {first} on nothing is witnessed" if first else "every entry is witnessed"
    return f"{said}; {unseen}"


def judge_heads(context: EngineContext) -> HeadsReport:
    """Compare every log with every head that is known of it, here and at the witnesses. Raises
    ServiceUnavailable: the database can't be read."""
    signers = context.signers
    with inspection.snapshot(context.database) as connection:
        try:
            standing = signers.standing(connection)
        except SigningKeysUnusable as error:
            return HeadsReport(problem=error.message)
        if standing.keys is None:
            return HeadsReport(problem=standing.problem, is_replaced=standing.is_replaced)
        names = checkpoints.organisations(connection)
        return HeadsReport(
            tuple(_judge_log(signers, connection, standing, standing.keys, each) for each in names)
        )


def _judge_log(
    signers: Signers,
    connection: Session,
    standing: Standing,
    keys: SigningKeys,
    organisation_id: str,
) -> Judgement:
    origin = origin_of(standing.deployment, organisation_id)
    tree = GrownTree(_leaves_here(connection, organisation_id))
    stored = (
        KeptNote(f"the database's checkpoint of {each.size}", each.size, each.note.encode())
        for each in checkpoints.stored(connection, organisation_id)
    )
    sources, asked = [Source(stored, is_outside=False)], []
    for witness in signers.witnesses:
        if witness.kind == "folder":
            try:
                sources.append(Source(witness.kept(origin)))
            except WitnessFailed as failure:
                asked.append(Asked(witness.address, 0, failure))
        else:
            asked.append(ask(witness, origin, tree, keys))
    restores = list(_restores(connection, organisation_id))
    evidence = Evidence(sources, asked, keys, witness_keys(signers), restores)
    return judge(origin, tree, evidence)


def _leaves_here(connection: Session, organisation_id: str) -> Iterator[bytes]:
    """The leaf of every entry; that of its body, where that is here."""
    for leaf, stored in checkpoints.leaves_and_bodies(connection, organisation_id):
        try:
            yield leaf if stored is None else entry.leaf_of(entry.unpack(stored))
        except ValueError:
            yield b""  # it isn't the entry that a head has seen


def _restores(connection: Session, organisation_id: str) -> Iterator[Restored]:
    for found in views.about(connection, organisation_id, DATABASE):
        inputs = found.inputs or {}
        if found.action == RESTORED and inputs.get("oldSize") is not None:
            yield Restored(found.number, int(inputs["oldSize"]), int(inputs["newSize"]))


def witness_rows(context: EngineContext) -> Iterator[dict[str, object]]:
    """Each witness with each log: the size of the head that it has, or what is wrong.

    Raises:
        SigningKeysUnusable: the key file can't be used.
        ServiceUnavailable: the database can't be read.
    """
    with context.database.read() as connection:
        standing = context.signers.standing(connection)
        names = list(views.sizes(connection))
        trees = {name: context.signers.trees.of(connection, name)[0] for name in names}
    for witness in context.signers.witnesses:
        for name, tree in trees.items():
            origin = origin_of(standing.deployment, name)
            found = _witness_size(witness, origin, tree, standing)
            yield {
                "address": witness.address,
                "kind": witness.kind,
                "origin": origin,
                "size": found.size,
                "problem": found.failure.message if found.failure else "",
            }


def _witness_size(witness: Witness, origin: str, tree: GrownTree, standing: Standing) -> Asked:
    if witness.kind == "folder":
        try:
            kept = witness.kept(origin)
        except WitnessFailed as failure:
            return Asked(witness.address, 0, failure)
        return Asked(witness.address, kept[0].size if kept else 0)
    if standing.keys is None:
        unsigned = WitnessFailed(WitnessProblem.UNKNOWN_KEY, standing.problem)
        return Asked(witness.address, 0, unsigned)
    return ask(witness, origin, tree, standing.keys)


# Restores


class LeftBehind(NamedTuple):
    """The heads of a log that a restore left behind: the largest, and the size of the smallest."""

    largest: Head
    smallest: int | None = None
    """None: the size restored is that of the log."""


def heads_of(context: EngineContext) -> dict[str, Head]:
    """The head of every log, by organisation. Raises ServiceUnavailable."""
    with context.database.read() as connection:
        return {
            name: context.signers.trees.of(connection, name)[1] for name in views.sizes(connection)
        }


def record_restore(
    context: EngineContext,
    actor: Actor,
    told: Mapping[str, str],
    left: Mapping[str, LeftBehind],
) -> None:
    """Write into each log that the database was restored: old and new head, who, and the backup or
    the reason that is ``told``. ``left`` has the old heads by organisation, as far as they're
    known."""
    for organisation_id, head in heads_of(context).items():
        former = left.get(organisation_id)
        restored = _restored_size(former, head.size)
        with context.database.read() as connection:
            root = context.signers.trees.of(connection, organisation_id)[0].root(restored)
        inputs = {
            **told,
            "oldSize": former.largest.size if former else None,
            "oldRoot": former.largest.root.hex() if former and former.largest.root else None,
            "newSize": restored,
            "newRoot": root.hex(),
        }
        owner = Actor(organisation_id, actor.name)
        act(context, owner, lambda tx, inputs=inputs: tx.audit(RESTORED, DATABASE, inputs))  # type: ignore[misc]  # the inputs are bound


def _restored_size(left: LeftBehind | None, size: int) -> int:
    """How many entries a log had when it was restored; it may have grown since then."""
    return size if left is None or left.smallest is None else min(size, left.smallest - 1)


@dataclass(frozen=True, slots=True)
class Restore:
    """What a restore left behind, by organisation, and in words."""

    left: Mapping[str, LeftBehind]
    said: tuple[str, ...]


def find_restore(context: EngineContext) -> Restore:
    """Compare the logs with every head that is known of them, here and at the witnesses. Raises
    ServiceUnavailable: the database can't be read."""
    report = judge_heads(context)
    heads: dict[str, list[Head]] = {}
    said: list[str] = []
    for each in report.judgements:
        _, organisation_id = split_origin(each.origin)
        heads[organisation_id] = list(each.left_behind)
        said += [f"{each.origin}: {found}" for found in (*each.contradictions, *each.explained)]
    if context.kept is not None:
        for organisation_id, size in context.kept.left_behind(context.database).items():
            heads.setdefault(organisation_id, []).append(Head(size, b""))
            said.append(f"log {organisation_id}: the head of {size} entries kept on this machine")
    left = {
        name: LeftBehind(max(found), min(each.size for each in found))
        for name, found in heads.items()
        if found
    }
    return Restore(left, tuple(said))


def accept_restore(context: EngineContext, actor: Actor, reason: str, found: Restore) -> int:
    """Accept the database as it is in place of the heads that it doesn't have any more.

    The act is on record in each log. Folders set aside the notes that were left behind, and this
    machine keeps the heads as they are now.

    Returns:
        How many notes were set aside.

    Raises:
        ValidationFailed: the reason is empty, too long or a secret.
        ServiceUnavailable: the database or the file of kept heads can't be used.
        WitnessFailed: a folder can't be written.
    """
    record_restore(context, actor, {"reason": disputes.checked_reason(reason)}, found.left)
    moved = _set_aside(context)
    context.accept_logs()
    return moved


def _set_aside(context: EngineContext) -> int:
    """Have folders set aside the notes that a restore left behind; returns how many."""
    moved = 0
    folders = [each for each in context.signers.witnesses if isinstance(each, FolderWitness)]
    with context.database.read() as connection:
        standing = context.signers.standing(connection)
        for name in views.sizes(connection):
            tree, _ = context.signers.trees.of(connection, name)
            restores = list(_restores(connection, name))
            origin = origin_of(standing.deployment, name)
            moved += sum(each.set_aside(origin, _left_behind(tree, restores)) for each in folders)
    return moved


def _left_behind(tree: GrownTree, restores: Sequence[Restored]) -> Callable[[Head], bool]:
    """Whether a head is one that a restore explains and the log doesn't have."""
    return lambda head: (
        not continues(tree, head) and any(each.explains(head.size) for each in restores)
    )


# Entries about keys


def record_key(context: EngineContext, actor: Actor, action: str, keys: SigningKeys) -> None:
    """Write into the deployment's log which keys sign from now on."""
    signing = [each.public.hex() for each in keys.keys if each.seed]
    owner = Actor(DEPLOYMENT, actor.name)
    act(context, owner, lambda tx: tx.audit(action, DATABASE, {"signing": signing}))
