"""What the commands about heads of the audit log, witnesses and signing keys do with the configured
database."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from chainteller.bootstrap import operator
from chainteller.cli.administration import Outcome, engine
from chainteller.cli.error_output import Usage
from chainteller.cli.options import options
from chainteller.service.errors import ValidationFailed

if TYPE_CHECKING:
    from chainteller.witnessing.notes import VerifierKey


def witnesses() -> list[Mapping[str, object]]:
    """Each witness with the largest head that it has of each log, or what is wrong with it."""
    from chainteller.engine.heads.signed_heads import witness_rows

    with engine() as found:
        return list(witness_rows(found.context))


def accept_restore(reason: str, confirmed: Callable[[Sequence[str]], None]) -> Outcome:
    """Accept a restored database in place of the heads that it doesn't have any more.

    Args:
        reason: why, for the audit trail.
        confirmed: is called with what is left behind; returns if that is accepted.
    """
    from chainteller.engine.heads.signed_heads import accept_restore as accept
    from chainteller.engine.heads.signed_heads import find_restore

    with engine() as found, _reason_judged("chainteller audit restored --help"):
        restore = find_restore(found.context)
        confirmed(restore.said)
        moved = accept(found.context, operator(options().configured.settings), reason, restore)
        return {"reason": reason, "logs": len(restore.left), "setAside": moved}


@contextmanager
def _reason_judged(next_step: str) -> Iterator[None]:
    """Report an invalid reason as a usage error."""
    try:
        yield
    except ValidationFailed as error:
        said = "; ".join(each["message"] for each in error.details["errors"])
        raise Usage(f"--reason: {said}", next_step) from None


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
        with _reason_judged("chainteller audit writer replace --help"):
            writer_key.replace(found.context, operator(options().configured.settings), reason)
        return dict(writer_key.described(found.context))


def known_keys(origin: str) -> "Mapping[VerifierKey, str]":
    """The keys of a log that this place signs with; none where it is remote."""
    from chainteller.engine.heads import signing_keys as own

    if options().configured.place().remote:
        return {}
    with engine() as found:
        return own.known(found.context, origin)
