"""A bank whose log has signed heads and witnesses, on a SQLite file that a test may tamper with."""

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from tests.world.bank import START, World, build

from chainteller.domain.actors import Actor
from chainteller.domain.canonical import canonical
from chainteller.domain.clock import ManualClock
from chainteller.engine.core.signers import Signers
from chainteller.engine.engine import Engine
from chainteller.engine.heads import signing_keys
from chainteller.engine.heads.signed_heads import MadeHead, make_heads
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.sqlite import sqlite3
from chainteller.storage.database import Database
from chainteller.storage.log import entry
from chainteller.witnessing.submissions import Witness

OPERATOR = Actor(name="test")
FIVE_DOLLARS = DepositRequest(
    amount="5.00", currency=Currency(type="deposit-token-currency", id="DPT_USD")
)


def opening(number: int) -> OpenTradingAccount:
    """The request to open the account DDA-n."""
    kind = "checking" if number % 2 else "savings"
    return OpenTradingAccount(bank_account_id=f"DDA-{number}", bank_account_type=kind)


@dataclass(frozen=True, slots=True)
class Place:
    """A bank in ``folder``; its keys and notes are beside its database, as a test needs them."""

    world: World
    file: Path

    @property
    def engine(self) -> Engine:
        return self.world.engine

    @property
    def database(self) -> Database:
        return self.engine.context.database

    def close(self) -> None:
        self.engine.close()

    def open_accounts(self, first: int, count: int) -> None:
        """Write entries: open the accounts DDA-n."""
        for number in range(first, first + count):
            self.engine.open_trading_account(opening(number))

    def deposit(self, organisation: str, bank_account: str, count: int) -> None:
        """Write entries: open an account, and deposit into it."""
        engine = Engine(self.engine.context, Actor(organisation, "m.okafor"))
        kind = "checking" if int(bank_account[4:]) % 2 else "savings"
        request = OpenTradingAccount(bank_account_id=bank_account, bank_account_type=kind)
        account = engine.open_trading_account(request).value.id
        for _ in range(count):
            engine.deposit(account, FIVE_DOLLARS)

    def make_heads(self) -> list[MadeHead]:
        return make_heads(self.engine.context)

    def origin(self, organisation: str = "default") -> str:
        return f"{signing_keys.keys_of(self.engine.context).deployment}/{organisation}"


def open_place(
    file: Path, key_folder: Path, witnesses: Sequence[Witness] = (), *, is_new: bool = False
) -> Place:
    """Open a bank; a new one gets a signing key."""
    clock = ManualClock(START)
    world = build(f"sqlite:///{file}", clock=clock)
    signers = Signers(key_folder, tuple(witnesses), f"sqlite:///{file}")
    context = replace(world.context, signers=signers)
    place = Place(replace(world, engine=Engine(context, OPERATOR)), file)
    if is_new:
        signing_keys.create(context, OPERATOR)
    return place


# -- tampering ----------------------------------------------------------------------------------


def size_of(file: Path, organisation: str = "default") -> int:
    with closing(sqlite3.connect(file)) as database:
        found = database.execute(
            "SELECT size FROM log WHERE organisation_id = ?", (organisation,)
        ).fetchone()
    return int(found[0]) if found else 0


def cut(file: Path, size: int, organisation: str = "default") -> None:
    """Remove the newest entries of a log, with everything in the database that says there were."""
    with closing(sqlite3.connect(file)) as database:
        _unguarded(database)
        database.execute(
            "DELETE FROM entry WHERE organisation_id = ? AND number > ?", (organisation, size)
        )
        database.execute(
            "UPDATE log SET size = ?, (last_at, mark) = (SELECT at, mark FROM entry "
            "WHERE organisation_id = ? AND number = ?) WHERE organisation_id = ?",
            (size, organisation, size, organisation),
        )
        database.commit()


def rewrite(file: Path, number: int, organisation: str = "default") -> None:
    """Change what an entry says, and hash it again."""
    with closing(sqlite3.connect(file)) as database:
        _unguarded(database)
        here = (organisation, number)
        (stored,) = database.execute(
            "SELECT body FROM entry WHERE organisation_id = ? AND number = ?", here
        ).fetchone()
        shown, _, kept = entry.unpack(stored).partition(b"\n")
        changed = canonical(json.loads(shown) | {"by": "somebody else"}).encode()
        body = b"\n".join((changed, kept))
        database.execute(
            "UPDATE entry SET body = ?, leaf = ? WHERE organisation_id = ? AND number = ?",
            (entry.pack(body), entry.leaf_of(body), *here),
        )
        database.commit()


def forget_checkpoints(file: Path, organisation: str = "default", above: int = -1) -> None:
    """Remove the signed heads that the database itself keeps."""
    with closing(sqlite3.connect(file)) as database:
        database.execute(
            "DELETE FROM checkpoint WHERE organisation_id = ? AND size > ?", (organisation, above)
        )
        database.commit()


def _unguarded(database: sqlite3.Connection) -> None:
    """Drop the triggers, as somebody would who owns the file."""
    for (name,) in database.execute(
        "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    ).fetchall():
        database.execute(f'DROP TRIGGER "{name}"')
