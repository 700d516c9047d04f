"""What the commands about heads of the audit log, witnesses and signing keys do with the configured
database."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from chainteller.bootstrap import operator
from chainteller.cli.administration import Outcome, engine
from chainteller.cli.error_output import Usage
from chainteller.cli.options import options
from chainteller.service.errors import ValidationFailed

if TYPE_CHECKING:
    from chainteller.engine.heads.signed_heads import HeadsReport
    from chainteller.witnessing.notes import VerifierKey


def heads_report() -> "HeadsReport":
    """What all known heads say about the logs of the configured database."""
    from chainteller.engine.heads.signed_heads import judge_heads

    with engine() as found:
        return judge_heads(found.context)


def witnesses() -> list[Mapping[str, object]]:
    """Each witness with the largest head that it has of each log, or what is wrong with it."""
    from chainteller.engine.heads.signed_heads import witness_rows

    with engine() as found:
        return list(witness_rows(found.context))


def accept_restored() -> int:
    """Set aside the notes that a restore explains; returns how many."""
    from chainteller.engine.heads.signed_heads import set_restored_aside

    with engine() as found:
        return set_restored_aside(found.context)


def create_signing_key() -> Outcome:
    from chainteller.engine.heads import signing_keys as own

    with engine() as found:
        keys = own.create(found.context, operator(options().configured.settings))
        return own.shown(found.context, keys)


def rotate_signing_key() -> Outcome:
    from chainteller.engine.heads import signing_keys as own

    with engine() as found:
        keys = own.rotate(found.context, operator(options().configured.settings))
        return own.shown(found.context, keys)


def retire_signing_key() -> Outcome:
    from chainteller.engine.heads import signing_keys as own

    with engine() as found:
        keys = own.retire(found.context, operator(options().configured.settings))
        return own.shown(found.context, keys)


def signing_keys() -> Outcome:
    from chainteller.engine.heads import signing_keys as own

    with engine() as found:
        return own.shown(found.context, own.keys_of(found.context))


def replace_writer_key(reason: str) -> Outcome:
    from chainteller.engine.heads import writer_key

    with engine() as found:
        actor = operator(options().configured.settings)
        try:
            writer_key.replace(found.context, actor, reason)
        except ValidationFailed as error:
            said = "; ".join(each["message"] for each in error.details["errors"])
            raise Usage(f"--reason: {said}", "chainteller audit writer replace --help") from None
        return dict(writer_key.described(found.context))


def known_keys(origin: str) -> "Mapping[VerifierKey, str]":
    """The keys of a log that this place signs with; none where it is remote."""
    from chainteller.engine.heads import signing_keys as own

    if options().configured.place().remote:
        return {}
    with engine() as found:
        return own.known(found.context, origin)
