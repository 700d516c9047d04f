"""A bank in a folder of its own, and one real command line for every command."""

import json
import shutil
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.cli.all_commands import commands
from tests.cli.program import Ended, in_this_process
from tests.webhooks.receiving import Receiver
from tests.world.files import KEYS
from tests.world.samples import keep_training_base

from chainteller.adapters.prices_simulated import SimulatedPrices
from chainteller.adapters.venue_simulated import SimulatedVenue
from chainteller.cli.sample_wallets import sign_challenge
from chainteller.domain.actors import Actor
from chainteller.domain.agents import public_key_text
from chainteller.domain.clock import SystemClock
from chainteller.domain.randomness import SystemRandomness
from chainteller.engine.core.breaches import Breach
from chainteller.engine.core.context import EngineContext
from chainteller.engine.engine import Engine
from chainteller.engine.operations import disputes
from chainteller.engine.upkeep.noted_callers import NotedCallers
from chainteller.service.models.agents import EnrolAgent
from chainteller.sqlite import sqlite3
from chainteller.storage.database import open_database
from chainteller.storage.queries.disputes import listed

Lines = Mapping[str, tuple[str, ...]]

INTERACTIVE = {
    "chainteller desk",
    "chainteller demo",
    "chainteller train",
    "chainteller serve",
    "chainteller check",
    "chainteller agents enroll",
    "chainteller sign-in",
    "chainteller sign-out",
}
"""Commands that go on until somebody ends them, and those that need another deployment."""
WALLETS = {
    "erin-ethereum": "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
    "frank-ethereum": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
    "dave-ethereum": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
}
SLOW = {
    "CHAINTELLER_SERVICE__PUBLIC_URL": "https://bank.example",
    "CHAINTELLER_ENGINE__FILL_DELAY_S": "7200",
    "CHAINTELLER_ENGINE__WITHDRAWAL_DELAY_S": "7200",
}


@dataclass(frozen=True, slots=True)
class Bank:
    """The sample bank in ``home``; nothing fills or leaves for two hours."""

    home: Path

    def run(self, *arguments: str, given: str = "", **variables: str) -> Ended:
        """Run one command line in this process; ``given`` is its standard input."""
        settings = SLOW | variables | {"CHAINTELLER_HOME": str(self.home)}
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.home)
            return in_this_process(*arguments, given=given, **settings)

    def made(self, *arguments: str) -> Any:
        ended = self.run(*arguments, "--json")
        assert ended.code == 0, ended.err
        return ended.body

    def files(self) -> dict[str, bytes]:
        """Every file with its bytes."""
        return {
            str(each.relative_to(self.home)): each.read_bytes()
            for each in sorted(self.home.rglob("*"))
            if each.is_file()
        }

    def content(self) -> bytes:
        """The bank's file with the changes that its log still holds."""
        return b"".join(text for name, text in self.files().items() if name.startswith("data/"))


def sample_bank(home: Path, sample_world: Path, training_world: Path) -> Bank:
    """Copies of both, so that neither a bank nor a training session has to be filled."""
    (home / "data").mkdir(parents=True)
    shutil.copyfile(sample_world, home / "data" / "bank.db")
    keep_training_base(home, training_world)
    configure(home)
    return Bank(home)


def configure(home: Path) -> None:
    """Write what the commands need of settings."""
    (home / "config.toml").write_text(
        f'[audit]\nwitnesses = ["{home / "witness"}"]\n[profiles.careful]\nread_only = true\n'
        '[service]\nwebhook_hosts = ["http://127.0.0.1"]\n',
        encoding="utf-8",
    )


def lines(bank: Bank) -> Lines:
    """A line for each command that ends; each writing one changes something the first time.

    In this order, each ends well.
    """
    _restore_older_log(bank)
    account = bank.made("accounts", "open", "DDA-1001", "--type", "checking")["id"]
    deposit = bank.made("deposit", account, "900")["id"]
    sent, held = (bank.made("withdraw", account, "20", "--yes")["id"] for _ in "12")
    asked, used = (bank.made("quote", "sol-usd", "buy", "10")["data"][0]["id"] for _ in "12")
    trade = bank.made("execute", used, "--account", account)["id"]
    custody = bank.made("blockchain-accounts", "open", account, "--network", "ethereum")["id"]
    wallets = {name: _wallet(bank, name, custody) for name in WALLETS}
    linked, claimed, open_ = wallets.values()
    claim = bank.made("wallets", "claim", *claimed.signed)["id"]
    bank.made("wallets", "link", bank.made("wallets", "claim", *linked.signed)["id"])
    for name in ("old", "new"):
        assert bank.run("keys", "create", "--name", name).code == 0
    old, new = (each["id"] for each in bank.made("keys", "list")["data"])
    bank.made("keys", "create", "--name", "branch", "--organisation", "branch")
    backup = bank.home / "backup.db"
    bank.made("db", "backup", str(backup))
    (bank.home / "empty").mkdir()
    rules = Path(__file__).parents[2] / "sample_data" / "scenarios" / "01-first-steps.toml"
    at = bank.home
    people = at / "people.csv"
    people.write_text("reference,name,kycLevel,termsAccepted\nC-1,Ada,basic,no\n", encoding="utf-8")
    disputed = _disputed(bank, backup)
    waiting, lost = _enrolled(bank, account)
    noted = bank.made("notes", "add", account, "Wants a statement.")["id"]
    receiver = Receiver()
    webhook, former = (bank.made("webhooks", "create", receiver.url)["id"] for _ in "12")
    policy = Path(__file__).parents[2] / "sample_data" / "policy.toml"
    other = next(
        each["id"]
        for each in bank.made("accounts", "list")["data"]
        if each["id"] != account and not each["controls"]
    )
    stated, doubted = (
        bank.made("decisions", "list", "--kind", kind)["data"][0]
        for kind in ("ownershipStatement", "control")
    )
    latest = bank.home / "latest.db"  # what is restored has all of this
    bank.made("db", "backup", str(latest))
    found = {
        "customers find": ("DDA-100",),
        "customers import": (str(people),),
        "customers forget": ("CU-001003",),
        "find": ("DDA-1001",),
        "accounts list": ("--text", "DDA-10"),
        "accounts open": ("DDA-1002", "--type", "savings"),
        "accounts show": (account,),
        "accounts text": (account,),
        "accounts balances": (account,),
        "accounts limits": (account,),
        "statement": (account, "--from", "2026-11-01"),
        "deposit": (account, "25.50"),
        "withdraw": (account, "5", "--yes"),
        "deposits list": (account,),
        "deposits show": (deposit,),
        "deposits receipt": (deposit,),
        "withdrawals list": (account, "--status", "processing"),
        "withdrawals show": (sent,),
        "withdrawals receipt": (sent,),
        "withdrawals cancel": (held, "--yes"),
        "transactions list": (account,),
        "transactions show": (trade,),
        "markets": ("sol-usd",),
        "prices": ("sol-usd",),
        "quote": ("sol-usd", "buy", "10"),
        "quotes list": (),
        "quotes show": (used,),
        "execute": (asked, "--account", account),
        "trade": ("buy", "sol-usd", "--spend", "2000", "--account", account, "--fund", "--yes"),
        "trades list": (account,),
        "trades show": (trade,),
        "trades text": (trade,),
        "trades receipt": (trade,),
        "trades cancel": (trade,),
        "wallets recheck": (),
        "blockchain-accounts open": (account, "--network", "solana"),
        "blockchain-accounts list": (),
        "blockchain-accounts show": (custody,),
        "counterparties list": (),
        "counterparties show": (linked.id,),
        "wallets register": ("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "--network", "base"),
        "wallets challenge": (open_.id, "--account", custody),
        "wallets link-page": (open_.id, "--account", custody),
        "wallets challenges": ("--account", custody),
        "wallets show": (claim,),
        "wallets diagnose": open_.signed,
        "wallets claim": open_.signed,
        "wallets transfer": (open_.id, "--account", custody),
        "wallets transfers": ("--account", custody),
        "wallets state": (open_.id, "It is mine.", "--account", custody, "--reason", "OTHER"),
        "wallets statements": ("--account", custody),
        "decisions list": ("--status", "open"),
        "decisions show": (stated["id"],),
        "decisions take": (stated["id"],),
        "decisions note": (stated["id"], "Send a photo of the device."),
        "decisions approve": (stated["id"], "--answer", "The photo came."),
        "decisions refuse": (doubted["id"], "--reason", "OTHER", "--answer", "No photo came."),
        "decisions close-market": ("eth-usd", "--reason", "MAINTENANCE"),
        "notes list": ("--account", account),
        "notes add": (account, "Call back after 16:00."),
        "notes erase": (noted,),
        "policy check": (str(policy),),
        "policy explain": (sent,),
        "policy try": (str(policy), "--days", "7"),
        "accounts control": (other, "--set", "SELL_ONLY", "--reason", "RISK_POLICY"),
        "wallets link": (claim,),
        "wallets shared": (),
        "wallets attestation": (claim,),
        "wallets list": ("--account", custody),
        "wallets reverify": (linked.id, "--account", custody, "--reason", "AGENT_REQUEST"),
        "wallets sign": ("--sample", "erin-ethereum"),
        "events": ("--limit", "5"),
        "webhooks create": (receiver.url, "--type", "trade.*"),
        "webhooks list": (),
        "webhooks show": (webhook,),
        "webhooks pause": (webhook,),
        "webhooks resume": (webhook,),
        "webhooks test": (webhook,),
        "webhooks rotate": (webhook, "--overlap", "1h"),
        "webhooks replay": (webhook, "--after", "64"),
        "webhooks delete": (former,),
        "audit list": (),
        "audit verify": (),
        "audit export": (str(at / "audit.jsonl"),),
        "clock show": (),
        "clock accept": ("--database", f"sqlite:///{_of_tomorrow(bank, backup)}"),
        "audit checkpoint": (),
        "audit proof": ("1",),
        "audit restored": ("--reason", "an older copy was put back", "--yes"),
        "audit witness list": (),
        "audit key show": (),
        "audit key create": ("--database", f"sqlite:///{at / 'empty' / 'signed.db'}"),
        "audit key rotate": (),
        "audit key retire": (),
        "audit writer replace": ("--reason", "the file was copied by mistake"),
        "whoami": (),
        "agents list": (),
        "agents approve": (waiting, "--expires", "90d"),
        "agents revoke": (lost,),
        "accounts access": (account,),
        "keys list": (),
        "keys create": ("--name", "third"),
        "keys rotate": (new,),
        "keys revoke": (old,),
        "db init": ("--database", f"sqlite:///{at / 'empty' / 'first.db'}"),
        "db sample": ("--database", f"sqlite:///{at / 'empty' / 'second.db'}"),
        "db upgrade": (),
        "db check": (),
        "db verify": (),
        "db dispute list": disputed[-2:],
        "db dispute clear": disputed,
        "db report": (deposit, "--status", "returned", "--reason", "sent back", *disputed[-2:]),
        "db archive": (str(at / "audit.archive"),),
        "db backup": (str(at / "again.db"),),
        "db copy": (f"sqlite:///{at / 'empty' / 'third.db'}",),
        "db restore": (str(latest),),
        "drill": (str(backup),),
        "scenarios validate": (str(rules),),
        "scenarios coverage": (),
        "config path": (),
        "config show": (),
        "config validate": (),
        "info": (),
        "themes list": (),
        "themes check": (),
    }
    return {f"chainteller {name}": (*name.split(), *line) for name, line in found.items()}


def _disputed(bank: Bank, backup: Path) -> tuple[str, ...]:
    """A dispute of a bank's books, and where it is."""
    file = bank.home / "disputed.db"
    shutil.copyfile(backup, file)
    with closing(open_database(f"sqlite:///{file}", KEYS)) as database:
        context = EngineContext(
            database, SystemClock(), SystemRandomness(), SimulatedPrices("1"), SimulatedVenue("1")
        )
        disputes.open_for(context, [Breach(20, "changed", "trade TXN_1", "default")])
        with database.read() as connection:
            (found,) = listed(connection)
    return found.id, "--reason", "put back", "--database", f"sqlite:///{file}"


def _enrolled(bank: Bank, account_id: str) -> tuple[str, str]:
    """Two agents who wait to be approved; one has looked at an account."""
    with closing(open_database(f"sqlite:///{bank.home / 'data' / 'bank.db'}", KEYS)) as database:
        context = EngineContext(
            database, SystemClock(), SystemRandomness(), SimulatedPrices("1"), SimulatedVenue("1")
        )
        first, second = (
            Engine(context)
            .enrol_agent(EnrolAgent(name=name, public_key=public_key_text(key)))
            .value
            for name, key in (("a.brandt", bytes(32)), ("s.iyer", bytes(31) + b"1"))
        )
        noted = NotedCallers(context)
        noted.look(Actor(name=first.name, agent_id=first.id), account_id, "INC-20931")
        noted.write()
    return first.id, second.id


def _of_tomorrow(bank: Bank, backup: Path) -> Path:
    """The bank with a record of a time that is still to come."""
    file = bank.home / "tomorrow.db"
    shutil.copyfile(backup, file)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE log SET last_at = last_at + 86400000000")
    return file


def _restore_older_log(bank: Bank) -> None:
    """Leave the witness with a head that the log doesn't have any more."""
    older = bank.home / "older.db"
    bank.made("audit", "key", "create")
    bank.made("db", "backup", str(older))
    for _ in "12":
        bank.made("quote", "sol-usd", "buy", "10")
    bank.made("audit", "checkpoint")
    bank.made("db", "restore", str(older))


@dataclass(frozen=True, slots=True)
class _Wallet:
    id: str
    signed: tuple[str, ...]
    """A challenge and its signature."""


def _wallet(bank: Bank, name: str, custody: str) -> _Wallet:
    made = bank.made("wallets", "register", WALLETS[name], "--network", "ethereum")
    challenge = bank.made("wallets", "challenge", made["id"], "--account", custody)
    signature = sign_challenge(name, challenge["challenge"], None, None)
    return _Wallet(made["id"], (challenge["id"], signature))


WRITING = sorted(path for path, command in commands().items() if command.writes)
READING = sorted(
    path for path, command in commands().items() if not command.writes and path not in INTERACTIVE
)


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
