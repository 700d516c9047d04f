"""Heads of the audit trail: checkpoints, proofs, witnesses and the keys that sign."""

import base64
import binascii
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chainteller.bootstrap import operator
from chainteller.cli.administration import engine, judged
from chainteller.cli.confirmation import confirm
from chainteller.cli.error_output import Exit, Usage, say
from chainteller.cli.lists import Output, Row, output_options, row_fields, write_new_file
from chainteller.cli.open_services import opened, service
from chainteller.cli.options import FILE, command, group, options
from chainteller.cli.output import answer, document, line, pairs, verbatim
from chainteller.domain.actors import Actor
from chainteller.given_files import read_bytes
from chainteller.service import operations as op
from chainteller.service.models.heads import AuditProof

if TYPE_CHECKING:
    from chainteller.witnessing.notes import VerifierKey

_YES = click.option("--yes", is_flag=True, help="Don't ask for confirmation.")


def _operator() -> Actor:
    return operator(options().configured.settings)


WITNESS = row_fields(
    "witness", address="witness", kind="kind", origin="log", size="entries", problem="problem"
)


# -- checkpoints and proofs ---------------------------------------------------------------------


@command(
    "checkpoint",
    calls=[op.AUDIT_CHECKPOINT],
    example="audit checkpoint --output 2026-11-20.checkpoint",
)
@click.option("--output", "file", type=FILE, metavar="FILE", help="Write the note to a new file.")
def checkpoint(file: Path | None) -> None:
    """Print the signed head of the audit log: a C2SP signed note.

    On a database the witnesses are asked first, so that the note has their cosignatures.
    """
    with opened() as found:
        say(*(f"note: {each}" for each in found.publish_heads()))
        made = found.service.audit_checkpoint()
    if file is not None:
        write_new_file(file, made.note)
    if options().json:
        document(made)
    elif file is None:
        verbatim(made.note.removesuffix("\n"))
    else:
        line(f"head of {made.size} entries written to {file}")


@command("proof", calls=[op.AUDIT_PROOF], example=("audit proof 120", "audit proof 120 --json"))
@click.argument("row", type=click.IntRange(1))
def proof(row: int) -> int:
    """Prove that audit ROW, by its number, is in the log, and check the proof.

    The head's signature is checked with the profile's key, else with the keys of this place.
    """
    with service() as bank:
        found = bank.audit_proof(str(row))
    holds = proves(found) and _is_signed(found)
    answer(
        found,
        [
            ("audit row", f"{found.seq} of {found.size}"),
            ("root", found.root_hash),
            ("hashes", len(found.hashes)),
            ("proven", holds),
        ],
    )
    if holds:
        return Exit.DONE
    say(
        f"AUDIT_CONTRADICTED: the proof doesn't lead from entry {found.seq} to the signed root",
        "Next: keep the answer, and run chainteller audit verify on the database.",
    )
    return Exit.REFUSED


def proves(found: AuditProof) -> bool:
    """Whether a proof leads from its entry to the root of the head that was signed."""
    from chainteller.domain.merkle import leaf_hash, verify_inclusion
    from chainteller.witnessing.checkpoints import read_signed_head
    from chainteller.witnessing.notes import NoteInvalid

    try:
        head = read_signed_head(found.note.encode()).head
        hashes = [base64.b64decode(each, validate=True) for each in found.hashes]
    except (NoteInvalid, binascii.Error):
        return False
    leaf = leaf_hash(found.entry.encode())
    return verify_inclusion(leaf, found.seq - 1, head.size, hashes, head.root)


def _is_signed(found: AuditProof) -> bool:
    """Whether a key that is known here signed the head; True where none is known."""
    from chainteller.witnessing.checkpoints import read_signed_head
    from chainteller.witnessing.comparing import known_here
    from chainteller.witnessing.notes import NoteInvalid, verified_by

    read = read_signed_head(found.note.encode())
    keys, _ = known_here(read.checkpoint.origin, _pinned(), _known_keys)
    try:
        return not keys or bool(verified_by(read.note, keys))
    except NoteInvalid:
        return False


def _known_keys(origin: str) -> "Mapping[VerifierKey, str]":
    """The keys of a log that this place signs with; none where it is remote."""
    from chainteller.engine.heads import signing_keys as own

    if options().configured.place().remote:
        return {}
    with engine() as found:
        return own.known(found.context, origin)


def _pinned() -> str:
    """The verifier key that the profile names, or empty."""
    profile = options().configured.place().profile
    return profile.audit_key if profile is not None else ""


def verify_head(file: Path) -> dict[str, object]:
    """Compare a checkpoint in a file with the log; returns what was found out.

    Raises:
        CheckpointRefused: it says nothing about this log.
        AuditContradicted: the log isn't the one that it was made of.
        Usage: the file can't be read.
    """
    from chainteller.witnessing.comparing import compare_file

    try:
        data = read_bytes(file)
    except OSError as error:
        raise Usage(f"{file}: {error.strerror}.", "Name a file with a checkpoint.") from None
    with service() as bank:
        return compare_file(bank, data, _pinned(), _known_keys)


# -- restores and witnesses ---------------------------------------------------------------------


@command(
    "restored", changes=True, example="audit restored --reason 'db1 was lost, db2 was 2 s behind'"
)
@click.option("--reason", required=True, metavar="R", help="Why, for the audit trail.")
@_YES
def restored(reason: str, *, yes: bool) -> None:
    """Accept the database as it is after a restore, or a failover that lost entries.

    Each log gets an entry that says so. Folders set aside the notes that the log doesn't have any
    more, in a folder `former-N`. A witness over HTTP is its operator's: ask there.
    """
    from chainteller.engine.heads.signed_heads import accept_restore, find_restore

    with engine() as found, judged():
        restore = find_restore(found.context)
        say(*restore.said)
        known = "in place of these heads" if restore.said else "(all known heads agree with it)"
        confirm(f"Accept the database as it is {known}?", yes=yes)
        moved = accept_restore(found.context, _operator(), reason, restore)
    answer(
        {"reason": reason, "logs": len(restore.left), "setAside": moved},
        f"accepted, and on record in each log; {moved} notes set aside",
    )


@group("witness")
def witness() -> None:
    """Witnesses of the audit log, as `audit.witnesses` names them."""


@witness.command("list", changes=False, example="audit witness list")
@output_options(WITNESS)
def list_witnesses(output: Output[Row]) -> None:
    """List witnesses with the largest head that each has of each log; asks them."""
    from chainteller.engine.heads.signed_heads import witness_rows

    with engine() as found:
        rows = list(witness_rows(found.context))
    nothing = "no witnesses; name folders or addresses in the setting audit.witnesses"
    output.write({"data": rows}, rows, nothing=nothing)


# -- keys ---------------------------------------------------------------------------------------


@group("key")
def key() -> None:
    """Keys that sign heads of the audit log; they are in a file, never in the database."""


def _tell_keys(change: str = "") -> None:
    """Make that change of the signing keys, if any, and print what there is then."""
    from chainteller.engine.heads import signing_keys as own

    changes = {"create": own.create, "rotate": own.rotate, "retire": own.retire}
    with engine() as found:
        made = changes[change](found.context, _operator()) if change else None
        shown = own.shown(found.context, made or own.keys_of(found.context))
    if options().json:
        document(shown)
        return
    pairs([("file", shown["file"]), ("deployment", shown["deployment"])])
    listed = shown["keys"]
    for each in listed if isinstance(listed, list) else []:
        line(f"{each['state']}  since {each['created']}")
        for text in each["verifierKeys"]:
            line(f"  {text}")


@key.command("create", changes=True, example="audit key create")
def create_key() -> None:
    """Make the key that signs heads, and print its verifier keys: one for each log."""
    _tell_keys("create")


@key.command("rotate", changes=True, example="audit key rotate")
def rotate_key() -> None:
    """Make a new key; the former one signs beside it until the next rotation."""
    _tell_keys("rotate")


@key.command("retire", changes=True, example="audit key retire")
def retire_key() -> None:
    """Let the current key sign alone; what the former one signed is still recognised."""
    _tell_keys("retire")


@key.command("show", changes=False, example="audit key show")
def show_keys() -> None:
    """Print the verifier keys, for witnesses, profiles and auditors."""
    _tell_keys()


# -- the writer's key ---------------------------------------------------------------------------


@group("writer")
def writer() -> None:
    """The key that marks the audit log; without it, nobody can write to it."""


@writer.command(
    "replace",
    changes=True,
    example="audit writer replace --reason 'the file was copied by mistake'",
)
@click.option("--reason", required=True, metavar="R", help="Why, for the audit trail.")
def replace_writer(reason: str) -> None:
    """Make another key, and mark the log with it as it is now.

    Verify the books first, and stop servers and consoles: they have the former key. Elsewhere than
    in a file, put the new key there before.
    """
    from chainteller.engine.heads import writer_key

    with engine() as found:
        with judged():
            writer_key.replace(found.context, _operator(), reason)
        shown = dict(writer_key.described(found.context))
    answer(shown, list(shown.items()))


COMMANDS = (checkpoint, proof, restored, witness, key, writer)
