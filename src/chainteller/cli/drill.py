"""A drill: the newest backup restored, verified and compared, beside the database."""

import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import click

from chainteller.cli.administration import Outcome, address, existing, keys_of_place
from chainteller.cli.error_output import Exit, report_error, say
from chainteller.cli.options import PLACE, command, options
from chainteller.cli.output import answer, document
from chainteller.service.errors import ServiceUnavailable


@command("drill", changes=False, example=("drill /srv/backups", "drill bank-2026-11-20.db --json"))
@click.argument("place", metavar="FOLDER|FILE", type=PLACE)
def drill(place: Path) -> int:
    """Restore the newest backup of FOLDER beside the database, verify and compare it.

    Says what would be lost if the database were lost now, and how long it took. The database isn't
    changed, and nothing is left of the restored one. Ends with 1 if the backup isn't sound.
    """
    try:
        outcome, breaches = _drilled(place)
    except ServiceUnavailable as error:
        if options().json:
            document(error.to_wire())
        code = report_error(error)
        return Exit.REFUSED if code is Exit.UNREACHABLE else code
    answer(
        {"ok": not breaches, "breaches": breaches, **outcome},
        [(name, _shown(value)) for name, value in _told(outcome).items()],
    )
    if breaches:
        say(
            f"BREACH: {breaches[0]}",
            *(f"  {each}" for each in breaches[1:]),
            "Next: keep the backup as it is, and make another one of a database that verifies.",
        )
    return Exit.REFUSED if breaches else Exit.DONE


def _drilled(place: Path) -> tuple[Outcome, list[str]]:
    """What would be lost, and how long it took; and why the backup isn't sound. Raises
    ServiceUnavailable: the backup is another deployment's, or can't be restored."""
    from chainteller.engine.upkeep.drill import compare, require_same_deployment
    from chainteller.engine.verification.full_pass import verify as verified
    from chainteller.storage.database import open_database
    from chainteller.storage.upkeep import trial_restore
    from chainteller.storage.upkeep import upgrade as upgrades

    backup, began = trial_restore.newest_backup(place), time.monotonic()
    with existing() as found, trial_restore.restored_beside(backup, address()) as url:
        restored = time.monotonic()
        upgrades.upgrade(url, keys_of_place(), say)
        upgraded = time.monotonic()
        with closing(open_database(url, keys_of_place())) as copy:
            require_same_deployment(found.context.database, copy)
            breaches = [str(each) for each in verified(copy)]
            done = time.monotonic()
            loss = compare(found.context, copy)
    outcome: Outcome = {
        "backup": str(backup),
        "backupAt": loss.backup_at,
        "databaseAt": loss.database_at,
        "lostEntries": loss.entries,
        "lostActs": loss.acts,
        "accounts": loss.accounts,
        "changedAccounts": loss.changed,
        "changedByAsset": loss.by_asset,
        "restoreSeconds": round(restored - began, 1),
        "upgradeSeconds": round(upgraded - restored, 1),
        "verifySeconds": round(done - upgraded, 1),
        "seconds": round(done - began, 1),
    }
    return outcome, [*breaches, *loss.breaches]


def _told(outcome: Mapping[str, object]) -> Mapping[str, object]:
    return {
        "backup": outcome["backup"],
        "newest entry of the backup": outcome["backupAt"],
        "newest entry of the database": outcome["databaseAt"],
        "entries that would be lost": outcome["lostEntries"],
        "what they did": outcome["lostActs"],
        "ledger accounts that differ": f"{outcome['changedAccounts']} of {outcome['accounts']}",
        "customers' balances, in sum": outcome["changedByAsset"],
        "seconds to restore": outcome["restoreSeconds"],
        "seconds to upgrade": outcome["upgradeSeconds"],
        "seconds to verify": outcome["verifySeconds"],
        "seconds in all": outcome["seconds"],
    }


def _shown(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return ", ".join(f"{name} {each}" for name, each in value.items()) or "none"


COMMANDS = (drill,)
