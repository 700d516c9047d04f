"""Make, rotate and show the keys that sign heads; the deployment's log has each change."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from chainteller.domain.actors import Actor
from chainteller.domain.clock import format_instant
from chainteller.engine.core.context import EngineContext
from chainteller.engine.core.signers import origins
from chainteller.engine.heads import signed_heads
from chainteller.service.errors import ServiceError
from chainteller.storage.log.marks import derived_deployment
from chainteller.witnessing.errors import SigningKeysUnusable
from chainteller.witnessing.keys import (
    SEED_BYTES,
    SigningKeys,
    create_keys,
    load_keys,
    replace_keys,
)
from chainteller.witnessing.notes import VerifierKey


def create(context: EngineContext, actor: Actor) -> SigningKeys:
    """Make the first key of this database's deployment.

    Raises:
        SigningKeysUnusable: the file has keys already, or can't be written.
        ServiceUnavailable: the database can't be written; no key was made.
    """
    with context.database.read() as connection:
        deployment = derived_deployment(connection)
    file = _file(context, deployment)
    seed, at = context.randomness.bytes(SEED_BYTES), format_instant(context.clock.now())
    keys = create_keys(file, seed, at, deployment, context.signers.place)
    try:
        signed_heads.record_key(context, actor, signed_heads.KEY_CREATED, keys)
    except ServiceError:
        file.unlink(missing_ok=True)
        raise
    _release_place(context, deployment)
    return keys


def _release_place(context: EngineContext, deployment: str) -> None:
    """A person put another database in the place: its former one isn't expected here any more."""
    for other in context.signers.others(deployment):
        found = load_keys(other)
        if found is not None and found.place == context.signers.place:
            replace_keys(other, replace(found, place=""))


def rotate(context: EngineContext, actor: Actor) -> SigningKeys:
    """Make a new key; the former one signs beside it. Raises as ``create``."""
    seed, at = context.randomness.bytes(SEED_BYTES), format_instant(context.clock.now())
    return _changed(context, actor, signed_heads.KEY_ROTATED, lambda keys: keys.rotated(seed, at))


def retire(context: EngineContext, actor: Actor) -> SigningKeys:
    """Let the current key sign alone. Raises as ``create``."""
    at = format_instant(context.clock.now())
    return _changed(
        context, actor, signed_heads.KEY_RETIRED, lambda keys: keys.with_outgoing_retired(at)
    )


def _changed(
    context: EngineContext,
    actor: Actor,
    action: str,
    change: Callable[[SigningKeys], SigningKeys],
) -> SigningKeys:
    """Change the file and write the entry; the file goes back where that fails."""
    before = keys_of(context)
    file = _file(context, before.deployment)
    after = change(before)
    replace_keys(file, after)
    try:
        signed_heads.record_key(context, actor, action, after)
    except ServiceError:
        replace_keys(file, before)
        raise
    return after


def keys_of(context: EngineContext) -> SigningKeys:
    """The keys of this database's deployment. Raises SigningKeysUnusable: there are none, or the
    file can't be used."""
    with context.database.read() as connection:
        standing = context.signers.standing(connection)
    if standing.keys is None:
        what = "Put its database back, or make" if standing.is_replaced else "Make"
        raise SigningKeysUnusable(standing.problem, f"{what} a key: chainteller audit key create.")
    return standing.keys


def shown(context: EngineContext, keys: SigningKeys) -> dict[str, object]:
    """The keys without their secrets, each with its verifier keys: one for each log."""
    with context.database.read() as connection:
        names = origins(connection, keys.deployment)
    return {
        "file": str(_file(context, keys.deployment)),
        "deployment": keys.deployment,
        "keys": [
            {
                "state": each.state.value,
                "created": each.created,
                "retired": each.retired or None,
                "verifierKeys": [each.verifier(name).encode() for name in names],
            }
            for each in keys.keys
        ],
    }


def known(context: EngineContext, origin: str) -> dict[VerifierKey, str]:
    """Every key of a log with the time at which it was retired, empty for one that signs."""
    with context.database.read() as connection:
        standing = context.signers.standing(connection)
    keys = standing.keys.keys if standing.keys is not None else ()
    return {each.verifier(origin): each.retired for each in keys}


def _file(context: EngineContext, deployment: str) -> Path:
    file = context.signers.file_of(deployment)
    if file is None:
        raise SigningKeysUnusable("this deployment has no folder for signing keys")
    return file
