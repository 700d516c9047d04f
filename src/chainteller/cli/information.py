"""What this program is, what it works on, and what that offers."""

import platform

from chainteller import __version__
from chainteller.bootstrap import signers
from chainteller.cli.administration import existing, signing_problem
from chainteller.cli.error_output import Exit, report_error
from chainteller.cli.open_services import service
from chainteller.cli.options import command, options
from chainteller.cli.output import answer
from chainteller.service import operations as op
from chainteller.service.errors import TellerError
from chainteller.settings.place import Place
from chainteller.settings.tree import Settings
from chainteller.settings.values import without_password
from chainteller.sqlite import sqlite3


@command("info", calls=[op.CAPABILITIES], example="info --json")
def info() -> int:
    """Version, paths, the place it works on and what that offers."""
    given = options()
    settings = given.configured.settings
    place = given.configured.place()
    facts: dict[str, object] = {
        "version": __version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "config": str(settings.paths.config_file),
        "data": str(settings.paths.data),
        "state": str(settings.paths.state),
        "logs": str(settings.paths.logs),
        "cache": str(settings.paths.cache),
        "themes": ", ".join(map(str, settings.paths.theme_folders)),
        "place": f"{place.kind} {without_password(place.address)} ({place.chosen_by})",
        "read-only": place.read_only,
    }
    if not place.remote:
        facts |= _signing(settings, place)
    code = Exit.DONE
    try:
        offered = _capabilities()
    except TellerError as error:
        facts["backend"] = error.code
        code = report_error(error)
    else:
        facts |= offered
    answer(facts, list(facts.items()))
    return code


def _signing(settings: Settings, place: Place) -> dict[str, object]:
    """Which keys there are for the audit log, who is asked to witness it, and when the books were
    verified."""
    return {
        **_of_database(),
        "signing keys": str(signers(settings, place).key_folder),
        "audit heads": signing_problem() or "signed",
        "witnesses": ", ".join(each.split()[0] for each in settings.audit.witnesses),
    }


def _of_database() -> dict[str, object]:
    """The provider that it's in front of, where its writer's key is, and when its books were
    verified, and what a killed drill left; what is wrong with it, or that there is none."""
    from chainteller.engine.heads.writer_key import described
    from chainteller.engine.operations.disputes import standing
    from chainteller.storage.upkeep.trial_restore import left_behind

    try:
        with existing() as found:
            named, key = found.context.provider, dict(described(found.context))
            left = left_behind(found.context.database)
            with found.context.database.read() as connection:
                known = standing(connection)
    except TellerError as error:
        return {"writer key": error.message, "books": error.message}
    disputed = "; ".join(known.disputes)
    return {
        **({"gateway in front of": named.address} if named is not None else {}),
        **key,
        "books verified": known.verified_at,
        "books verified as a whole": known.wholly_verified_at,
        "books in dispute": f"{disputed}: payouts wait" if disputed else None,
        "left by a drill": f"{left}; the next drill removes it" if left else None,
    }


def _capabilities() -> dict[str, object]:
    with service() as bank:
        found = bank.capabilities()
    return {
        "backend": f"{found.name} {found.version}".strip(),
        "simulated": list(found.simulated),
        "features": list(found.features),
        "markets": list(found.markets),
        "networks": list(found.networks),
        "currencies": [f"{each.symbol}@{each.network}" for each in found.currencies],
    }


COMMANDS = (info,)
