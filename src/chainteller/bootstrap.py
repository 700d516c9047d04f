"""Open a service from settings: the only module that imports both implementations.

An embedded place gets an engine on a database, with its worker; a remote place gets a client. In
both cases the caller gets a ``Service`` that acts for the operator, and a function to close it.
"""

import hashlib
import math
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from chainteller import __version__, garbage
from chainteller.domain.actors import DEFAULT_ORGANISATION, Actor
from chainteller.domain.clock import Clock, ElapsedClock, SystemClock
from chainteller.domain.randomness import Randomness, SeededRandomness, SystemRandomness
from chainteller.paths import Paths, private_folder, shipped
from chainteller.service.errors import ServiceUnavailable, WriterKeyMissing
from chainteller.settings.place import Configured, Place, sqlite_path, sqlite_url
from chainteller.settings.tree import (
    DeskSettings,
    EngineSettings,
    LimitSettings,
    Profile,
    RateSettings,
    Settings,
)
from chainteller.settings.values import SettingsInvalid, why_unreadable
from chainteller.storage.log.writer_keys import PublicKey
from chainteller.storage.upkeep.worlds import kept_world, sample_world, world_file

if TYPE_CHECKING:
    from chainteller.adapters.evm_rpc import EvmRpc
    from chainteller.domain.options import EngineOptions, Rates
    from chainteller.domain.policy import Policy
    from chainteller.domain.simulated import Part
    from chainteller.engine.core.ports import (
        Arrivals,
        Issuer,
        Outside,
        Ports,
        PriceFeed,
        WebhookSender,
    )
    from chainteller.engine.core.signers import Signers
    from chainteller.engine.deployment import EmbeddedDeployment
    from chainteller.engine.engine import Engine
    from chainteller.remote.outside import HttpPort
    from chainteller.remote.provider import Provider
    from chainteller.remote.transport import Bearer, Sign
    from chainteller.service.interface import Service
    from chainteller.service.models.records import Capabilities, ChainReport
    from chainteller.storage.database import Database
    from chainteller.storage.log.writer_keys import WriterKeys
    from chainteller.telemetry.destinations import Destination
    from chainteller.training.scenarios import Scenario
    from chainteller.training.session import Session
    from chainteller.tui.start import StartedDesk
    from chainteller.witnessing.submissions import Witness
    from chainteller.writer_keys import ConfiguredKeys

_DUE_BATCH = 500
_PROBE_DEADLINE_S = 3.0
_KEY_SETTINGS = ("key_env", "key_file", "key_command")


@dataclass(frozen=True, slots=True)
class OpenedService:
    """A service ready for use. ``run_due`` does due work and returns how many pieces it did."""

    service: "Service"
    kind: str
    label: str
    close: Callable[[], None]
    run_due: Callable[[], int] = int
    publish_heads: Callable[[], list[str]] = list
    """Signs and publishes what is new in the audit logs; returns what went wrong, in words."""


def open_service(configured: Configured, place: Place, *, is_signed: bool = True) -> OpenedService:
    """Open the place for commands; replies about another account than was asked are refused.
    Requests to a remote place are signed by this machine's agent, if it has one and ``is_signed``.

    Raises:
        SettingsInvalid: a remote place has no key, or the price feed is unavailable.
        ServiceUnavailable: the database can't be used.
    """
    from chainteller.service.layers import Layered
    from chainteller.service.ownership import Ownership

    opened = _open(configured, place, is_signed=is_signed)
    return replace(opened, service=Layered(Ownership().check_reply, opened.service))


def _open(configured: Configured, place: Place, *, is_signed: bool) -> OpenedService:
    if place.remote:
        sign = _signer(configured.settings, place) if is_signed else None
        return _remote(configured.settings, place, sign)
    if place.read_only:
        from chainteller.storage.upkeep.maintenance import require_database

        require_database(place.address)
    engine = open_engine(configured.settings, place)
    acting = _guarded(engine.acting_as(operator(configured.settings)), place)
    if place.read_only:
        return OpenedService(acting, place.kind, place.label, engine.close)
    return OpenedService(
        acting,
        place.kind,
        place.label,
        engine.close,
        lambda: _do_due(engine),
        lambda: _publish_heads(engine),
    )


def _do_due(engine: "Engine") -> int:
    """Due work waits for the writer's key, reading doesn't."""
    try:
        return engine.run_due(_DUE_BATCH)
    except WriterKeyMissing:
        return 0


def _publish_heads(engine: "Engine") -> list[str]:
    from chainteller.engine.heads.signed_heads import make_heads

    found = make_heads(engine.context)
    return [f"{each.origin}: {problem}" for each in found for problem in each.problems]


def operator(settings: Settings) -> Actor:
    """The operator of this console, as shown in the audit trail."""
    return Actor(organisation=DEFAULT_ORGANISATION, name=settings.desk.operator_name)


def _guarded(service: "Service", place: Place) -> "Service":
    if not place.read_only:
        return service
    from chainteller.service.layers import Layered
    from chainteller.service.read_only import ReadOnly

    return Layered(ReadOnly(), service)


@garbage.loading()
def _remote(settings: Settings, place: Place, sign: "Sign | None") -> OpenedService:
    from chainteller.remote.client import RemoteService

    try:
        client = RemoteService(place.address, _bearer(settings, place), sign=sign)
    except ValueError as error:
        raise SettingsInvalid([f"{place.chosen_by}: {error}"]) from None
    guarded = _guarded(client, place)
    return OpenedService(guarded, place.kind, place.label, client.close)


def _bearer(settings: Settings, place: Place) -> "str | Bearer":
    """The API key of a place, or what gives the access token of whoever signed in."""
    from chainteller.credentials import api_key

    if place.signs_in:
        from chainteller.sign_ins import sign_in_of

        return sign_in_of(settings.paths, place).token
    return api_key(place, os.environ)


def _signer(settings: Settings, place: Place) -> "Sign | None":
    """Signs requests as this machine's agent; None where it has none for the place, or people sign
    in there."""
    if place.signs_in:
        return None
    from chainteller.desk_keys import desk_key

    own = desk_key(settings.paths, place)
    if own is None:
        return None
    from chainteller.remote.signing import AgentSigner

    return AgentSigner(own.agent_id, own.seed, SystemClock())


@garbage.loading()
def open_engine(
    settings: Settings,
    place: Place,
    *,
    randomness: Randomness | None = None,
    clock: Clock | None = None,
    keys: "WriterKeys | None" = None,
) -> "Engine":
    """Open the engine on the place's database; a new file gets the schema.

    Its logs are marked with the writer's key, by default the one that the settings name.

    The machine's clocks are compared with the records, unless the place is read-only or another
    clock is given.

    Raises:
        ServiceUnavailable: the database can't be used.
        SettingsInvalid: the configured price feed is unavailable.
    """
    from chainteller.adapters.venue_simulated import SimulatedVenue
    from chainteller.engine.core.context import EngineContext
    from chainteller.engine.core.kept_heads import KeptHeads
    from chainteller.engine.core.ports import Ports
    from chainteller.engine.core.timekeeping import KeptClock, Timekeeper
    from chainteller.engine.engine import Engine
    from chainteller.engine.upkeep import epochs
    from chainteller.storage.database import open_database
    from chainteller.storage.log.verified_state import VerifiedState

    clock, keeper = clock or SystemClock(), Timekeeper()
    own = writer_keys(settings) if keys is None else None
    database = open_database(database_url(settings, place), keys or own)
    its = {"database": _name_of(database, place)}
    feed = price_feed(settings, KeptClock(clock, keeper))
    context = EngineContext(
        database=database,
        clock=clock,
        randomness=randomness or SystemRandomness(),
        feed=feed,
        venue=SimulatedVenue(),
        options=engine_options(settings),
        keeper=keeper,
        signers=signers(settings, place),
        kept=KeptHeads(partial(own.heads_file, **its), writes=not place.read_only) if own else None,
        state=VerifiedState(
            partial(own.state_file, **its) if own and not place.read_only else None
        ),
        chain=chain(settings),
        arrivals=arrivals(settings),
        simulated=simulated(settings),
        webhooks=webhook_sender(settings),
        ports=Ports() if place.read_only else ports(settings),  # searches would write
    )
    # Whoever needs the database says what's wrong with it, and no write is kept unless the
    # provider is the database's own (``engine.core.unit_of_work``).
    with suppress(ServiceUnavailable):
        address = _provider_address(context.database)
        if address:
            context = replace(
                context, provider=provider(settings, address), simulated=(), ports=Ports()
            )
        if not place.read_only:
            epochs.tick(context)
    return Engine(context)


def simulated(settings: Settings) -> "tuple[Part, ...]":
    """The parts of the bank that these settings leave simulated."""
    from chainteller.domain.simulated import SIMULATED, Part

    found = []
    for part in SIMULATED:
        if part is Part.CHAIN:
            source = settings.wallets.arrivals
        elif part is Part.PRICES:
            source = settings.engine.price_feed
        else:
            source = getattr(settings.ports, part.name.lower())
        if source == "simulated":
            found.append(part)
    return tuple(found)


def _provider_address(database: "Database") -> str:
    """Of the provider that a database is in front of; empty in a bank's own, and where the log
    says otherwise."""
    from chainteller.storage.queries import providers

    with database.read() as connection:
        address = providers.address(connection)
        if not address:
            return ""
        from chainteller.engine.forwarding.marking import is_as_logged

        return address if is_as_logged(connection) else ""


def ports(settings: Settings) -> "Ports":
    """The bank's systems that are connected; the key of each is looked for when it's first called.
    Raises SettingsInvalid: everybody on the way could read a key."""
    from chainteller.domain.simulated import Part
    from chainteller.engine.core.ports import Ports

    found: dict[str, Outside] = {}
    for part in Part:
        name = part.name.lower()
        where: str = getattr(settings.ports, name, "simulated")
        if where.startswith("file:"):
            from chainteller.adapters.port_files import FolderCustody

            found[name] = FolderCustody(Path(where[5:]).expanduser())
        elif where != "simulated":
            found[name] = http_port(settings, part, where)
    return Ports(**found)


def http_port(settings: Settings, part: "Part", address: str) -> "HttpPort":
    """One of the bank's systems over HTTP. Raises as ``ports``."""
    from chainteller.remote.outside import HttpPort

    return HttpPort(part, address, _port_key(settings, part.name.lower(), address))


def _port_key(settings: Settings, name: str, address: str) -> Callable[[], str]:
    """Looks for the key of one of the bank's systems. Raises as ``ports``."""
    from chainteller.credentials import api_key

    place = Place(
        remote=True,
        address=address,
        label=f"ports.{name}",
        chosen_by=f"ports.{name}",
        profile=Profile(
            name, **{each: getattr(settings.ports, f"{name}_{each}") for each in _KEY_SETTINGS}
        ),
        cleartext=settings.service.cleartext == "allow",
    )
    if place.sends_key_in_the_clear and not place.cleartext:
        raise SettingsInvalid(
            [f'ports.{name} is http://: use https://, or set service.cleartext = "allow"']
        )
    wanted = f"ports.{name}_key_file or ports.{name}_key_command"
    return partial(api_key, place, os.environ, "", wanted)


def provider(settings: Settings, address: str) -> "Provider":
    """The provider of a gateway; its API key is looked for when it's first called."""
    from chainteller.credentials import VARIABLE, api_key
    from chainteller.remote.provider import Provider

    gateway = settings.gateway
    names = {each: getattr(gateway, each) for each in _KEY_SETTINGS}
    place = Place(
        remote=True,
        address=address,
        label=address.partition("://")[2] or address,
        chosen_by="--for",
        profile=Profile("gateway", **names) if any(names.values()) else None,
        cleartext=settings.service.cleartext == "allow",
    )
    variable = "" if any(names.values()) else VARIABLE
    wanted = "gateway.key_file or gateway.key_command"
    key = partial(api_key, place, os.environ, variable, wanted)
    return Provider(address, key, honours_keys=gateway.honours_keys)


def gateway(engine: "Engine", settings: Settings, address: str) -> "Engine":
    """The engine as a gateway in front of a provider; its database is marked as such. Raises
    SettingsInvalid: it's another provider's database, or the bank's own; or there is no key."""
    from chainteller.engine.core.ports import Ports
    from chainteller.engine.engine import Engine
    from chainteller.engine.forwarding.marking import mark
    from chainteller.service.errors import Conflict

    found = provider(settings, address)
    found.require_key()
    try:
        mark(engine.context, operator(settings), address)
    except Conflict as error:
        raise SettingsInvalid([f"--for: {error.message} {error.suggestion}"]) from None
    context = replace(engine.context, provider=found, simulated=(), ports=Ports())
    return Engine(context)


def chain(settings: Settings) -> "EvmRpc | None":
    """The providers of ``wallets.evm_rpc``; None without any. Raises SettingsInvalid: a network
    isn't an EVM network that this build knows."""
    if not settings.wallets.evm_rpc:
        return None
    from chainteller.adapters.evm_rpc import EvmRpc
    from chainteller.wallets.networks import UnknownNetwork, resolve_network

    found: dict[str, list[str]] = {}
    for each in settings.wallets.evm_rpc:
        name, _, address = each.partition(" ")
        try:
            network = resolve_network(name, test_networks=True)
        except UnknownNetwork:
            raise SettingsInvalid([f"wallets.evm_rpc: {name} is no known network"]) from None
        if network.namespace != "eip155":
            raise SettingsInvalid([f"wallets.evm_rpc: {name} is no EVM network"])
        found.setdefault(network.name, []).append(address)
    return EvmRpc(found)


def arrivals(settings: Settings) -> "Arrivals | None":
    """Who says what arrived for small transfers: ``wallets.arrivals``; None for ``none``."""
    source = settings.wallets.arrivals
    if source == "none":
        return None
    if source == "simulated":
        from chainteller.adapters.arrivals_simulated import SampleArrivals

        return SampleArrivals(shipped("sample_data") / "wallets.toml")
    from chainteller.adapters.arrivals_read import FileArrivals, HttpArrivals

    kind, _, file = source.partition(":")
    return FileArrivals(Path(file).expanduser()) if kind == "file" else HttpArrivals(source)


def webhook_sender(settings: Settings) -> "WebhookSender | None":
    """Who sends events to endpoints; None where ``service.webhook_hosts`` names no host."""
    hosts = settings.service.webhook_hosts
    if not hosts:
        return None
    from chainteller.adapters.webhook_http import HttpWebhooks
    from chainteller.domain.webhooks import WebhookHosts

    return HttpWebhooks(WebhookHosts(hosts))


def writer_keys(settings: Settings) -> "ConfiguredKeys":
    """Where the key is that marks the logs of the place's database."""
    from chainteller.writer_keys import ConfiguredKeys

    paths = settings.paths
    return ConfiguredKeys(settings.audit.writer_key, paths.writer_keys, os.environ, paths.state)


def signers(settings: Settings, place: Place) -> "Signers":
    """The signing keys and witnesses of the place's database, as they are configured. Raises
    SettingsInvalid: a witness's verifier key isn't one."""
    from chainteller.engine.core.signers import Signers
    from chainteller.settings.values import without_password

    audit = settings.audit
    keys = Path(audit.key_folder).expanduser() if audit.key_folder else settings.paths.signing_keys
    witnesses = tuple(_witness(each) for each in audit.witnesses)
    return Signers(keys, witnesses, without_password(place.address))


def _witness(configured: str) -> "Witness":
    if not configured.startswith(("http://", "https://")):
        from chainteller.witnessing.folders import FolderWitness

        return FolderWitness(Path(configured).expanduser())
    from chainteller.adapters.witness_http import HttpWitness
    from chainteller.witnessing.notes import NoteInvalid, VerifierKey

    address, *keys = configured.split()
    try:
        return HttpWitness(address.rstrip("/"), tuple(VerifierKey.parse(each) for each in keys))
    except NoteInvalid as error:
        raise SettingsInvalid([f"audit.witnesses: the key of {address} {error}"]) from None


def _name_of(database: "Database", place: Place) -> str:
    """What tells a database of a deployment from another one: its file, or its name."""
    if database.path is not None:
        return str(database.path.resolve())
    return place.address.partition("?")[0].rpartition("/")[2]


def database_url(settings: Settings, place: Place) -> str:
    """The place's address. Creates the data folder if the place is the default database."""
    if place.address == sqlite_url(settings.paths.database):
        with suppress(OSError):  # opening the database says why
            private_folder(settings.paths.data)
    return place.address


def engine_options(settings: Settings) -> "EngineOptions":
    """Convert settings to engine options; windows are rounded up to whole seconds."""
    from chainteller.domain.challenges import ChallengeForm, SharedWallets
    from chainteller.domain.evidence import EvidenceLevel
    from chainteller.domain.limits import DestinationClass
    from chainteller.domain.options import EngineOptions, Quotas
    from chainteller.settings.policy import read_policy

    engine, service = settings.engine, settings.service
    limits = {each: _of_periods(service.limits, each.name.lower()) for each in DestinationClass}
    options = {
        each.name: getattr(group, each.name)
        for group in (engine, service, settings.audit, settings.gateway)
        for each in fields(EngineOptions)
        if hasattr(group, each.name)
    }
    options |= {
        "quote_window_s": math.ceil(engine.quote_window_s),
        "challenge_ttl_s": math.ceil(engine.challenge_ttl_s),
        "challenge_form": ChallengeForm(engine.challenge_form),
        "policy": read_policy(engine.policy),
        "limits": limits,
        "level_limits": {EvidenceLevel.MEDIUM: _of_periods(service.limits, "medium_evidence")},
        "quotas": Quotas(**asdict(service.quotas)),
        "text_names_account": settings.wallets.text_names_account,
        "shared_wallets": SharedWallets(settings.wallets.shared),
        "extended_keys": settings.wallets.extended_keys,
    }
    return EngineOptions(**options)


def _of_periods(limits: LimitSettings, name: str) -> tuple[int, int, int]:
    """The limits whose settings begin with a name: of one withdrawal, a day and thirty days."""
    return tuple(getattr(limits, f"{name}_{each}") for each in ("per_transaction", "24h", "30d"))


def price_feed(settings: Settings, clock: Clock) -> "PriceFeed":
    """Open the price feed named by ``engine.price_feed``; ``clock`` stamps fetched prices. Raises
    SettingsInvalid: its file can't be read, there is no such feed, or no venue is connected."""
    engine = settings.engine
    kind, _, argument = engine.price_feed.partition(":")
    if kind == "simulated":
        from chainteller.adapters.prices_simulated import SimulatedPrices

        return SimulatedPrices(engine.seed)
    if kind == "replay":
        from chainteller.adapters.prices_replay import ReplayPrices

        try:
            return ReplayPrices.from_path(Path(argument).expanduser(), opens_at=clock.now())
        except (OSError, UnicodeDecodeError) as error:
            told = f"engine.price_feed: {argument}: {why_unreadable(error)}"
            raise SettingsInvalid([told]) from None
        except ValueError as error:
            raise SettingsInvalid([f"engine.price_feed: {error}"]) from None
    from chainteller.adapters.prices_http import http_prices, venue_prices

    if kind == "venue":
        address = settings.ports.venue
        if address == "simulated":
            raise SettingsInvalid(["engine.price_feed is venue, and ports.venue is simulated"])
        return venue_prices(address, _port_key(settings, "venue", address)(), clock)
    try:
        return http_prices(argument, clock)
    except ValueError as error:
        raise SettingsInvalid([f"engine.price_feed: {error}"]) from None


def load_samples(engine: "Engine", seed: str) -> bool:
    """Load the sample data; False if it is loaded already."""
    from chainteller.adapters.prices_simulated import SimulatedPrices
    from chainteller.engine.samples.loading import load_samples as load

    return load(engine.context, shipped("sample_data"), SimulatedPrices(seed), seed)


def deployment(
    engine: "Engine",
    settings: Settings,
    place: Place | None = None,
    issuer: "Issuer | None" = None,
) -> "EmbeddedDeployment":
    """The engine with worker and API keys, for ``serve`` and the console.

    The books of a ``place`` are verified as a whole in another process, however large they are.
    """
    from chainteller.engine.deployment import EmbeddedDeployment
    from chainteller.engine.verification.in_rounds import Process
    from chainteller.service.deployment import DeploymentOptions

    service = settings.service
    options = DeploymentOptions(
        version=__version__,
        bank_name=service.bank_name,
        rate_limits=service.rate_limits,
        docs=service.docs,
        trusted_proxies=service.trusted_proxies,
        hosts=service.hosts,
        public_url=service.public_url,
        stop_notice_s=service.stop_notice_s,
        rates=_rates(service.rates),
        needs_agents=bool(engine.context.options.policy.roles),
        token_age_s=settings.sign_in.token_age_s,
    )
    whole_pass = None
    if place is not None:
        command = [sys.executable, "-P", "-m", "chainteller.whole_pass"]
        whole_pass = Process(command, pickle.dumps((settings, place)))
    return EmbeddedDeployment(engine, options, whole_pass, issuer)


def issuer_of(settings: Settings, policy: "Policy") -> "Issuer | None":
    """The OpenID provider with which people sign in; None without ``sign_in.issuer``. Raises
    SettingsInvalid: something that sign-in needs is missing."""
    chosen = settings.sign_in
    if not chosen.issuer:
        return None
    if not chosen.audience:
        raise SettingsInvalid(["sign_in.issuer needs sign_in.audience: whom its tokens are for"])
    if not policy.sign_in:
        raise SettingsInvalid(["sign_in.issuer needs a policy with [sign_in]: which group is what"])
    try:
        from chainteller.adapters.issuer_http import HttpIssuer
    except ModuleNotFoundError:
        raise SettingsInvalid(
            ["sign_in.issuer needs more packages: pip install 'chainteller[sign-in]'"]
        ) from None
    return HttpIssuer(
        chosen.issuer,
        chosen.audience,
        token_type=chosen.token_type,
        name_claim=chosen.name_claim,
        groups_claim=chosen.groups_claim,
    )


def _rates(rates: RateSettings) -> "Rates":
    from chainteller.domain.options import Rate, Rates

    given = rates.read, rates.write, rates.quote
    read, write, quote = (Rate(each.per_second, each.burst) for each in given)
    return Rates(read, write, quote, rates.keys)


def workspace_file(paths: Paths, place: Place) -> Path:
    """The console's own database for a place: one file per profile or address."""
    digest = hashlib.sha256(place.address.encode()).hexdigest()[:12]
    name = place.profile.name if place.profile else place.kind
    return paths.state / f"{name}-{digest}.db"


def start_desk(
    configured: Configured, place: Place, telemetry: "Destination | None" = None
) -> "StartedDesk":
    """Open the console's service and start its worker; runs in a thread after the first frame.

    Its traces and log lines are sent to ``telemetry``.
    """
    desk = _opened_desk(configured, place)
    if telemetry is None:
        return desk
    from chainteller.api.logs import JsonLines
    from chainteller.telemetry.sending import start

    stop_sending = start(telemetry, __version__, JsonLines())

    def close() -> None:
        desk.close()
        stop_sending()

    return desk._replace(close=close)


def _opened_desk(configured: Configured, place: Place) -> "StartedDesk":
    from chainteller.tui.start import StartedDesk

    if place.remote:
        sign = _signer(configured.settings, place)
        opened = _remote(configured.settings, place, sign)
        try:
            offered = fetch_capabilities(configured.settings, place, sign)
        except BaseException:
            opened.close()
            raise
        file = workspace_file(configured.settings.paths, place)
        return StartedDesk(
            opened.service,
            opened.label,
            offered,
            close=opened.close,
            is_agents=sign is not None,
            workspace_file=file,
        )
    engine = open_engine(configured.settings, place)
    file = workspace_file(configured.settings.paths, place)
    worked = deployment(engine, configured.settings, place)
    return _desk(worked, engine, configured.settings, place)._replace(workspace_file=file)


def fetch_capabilities(
    settings: Settings, place: Place, sign: "Sign | None" = None
) -> "Capabilities":
    """Fetch a remote deployment's capabilities, with a short deadline."""
    from chainteller.remote.client import RemoteService

    key = _bearer(settings, place)
    probe = RemoteService(place.address, key, deadline_s=_PROBE_DEADLINE_S, sign=sign)
    try:
        return probe.capabilities()
    finally:
        probe.close()


def start_demo(
    paths: Paths, place: Place, seed: str, agent: str = "demo", number: int = 0
) -> "StartedDesk":
    """Open the demo's service on the sample bank of ``seed``, cached for a day.

    ``number`` counts the agents who worked on the place before; its bank then goes on.
    """
    policy = EngineSettings(policy=str(shipped("sample_data") / "policy.toml"))
    settings = Settings(paths, desk=DeskSettings(operator=agent), engine=policy)
    if not number:
        world = kept_world(sample_world(paths, seed), partial(_make_in_process, "past", seed))
        shutil.copyfile(world, sqlite_path(place.address))
    engine = open_engine(
        settings,
        place,
        randomness=SeededRandomness(f"{seed} {number}" if number else seed),
        clock=ElapsedClock(),
        keys=PublicKey(),
    )
    load_samples(engine, seed)
    return _desk(deployment(engine, settings), engine, settings, place)


def _make_in_process(kind: str, seed: str, draft: Path) -> None:
    """Create a sample database in another process; import the engine meanwhile.

    If that process fails, creates it in this process, which raises the reason.

    Raises:
        ServiceUnavailable: the file can't be written.
    """
    command = [sys.executable, "-P", "-m", "chainteller.sample_worlds", kind, str(draft), seed]
    quiet = subprocess.DEVNULL
    process = None
    with suppress(OSError):
        process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: S603
    from chainteller.sample_worlds import MAKERS

    if process is None or process.wait() != 0:
        draft.unlink(missing_ok=True)
        MAKERS[kind](draft, seed)


def training_session(paths: Paths, scenario: "Scenario", folder: Path, seed: str) -> "Session":
    """Start a training session on a temporary bank in ``folder``, which must be empty.

    Settings aren't read and a place can't be given, so training can't reach another bank.

    Raises:
        ScenarioInvalid: a step of the scenario's setup fails.
    """
    from chainteller.settings.policy import read_policy
    from chainteller.training.opening import open_session
    from chainteller.training.reactions import read_temperaments
    from chainteller.training_world import ThrowawayWorld
    from chainteller.wallets.simulated import sample_wallets

    base = kept_world(
        world_file(paths, f"training {seed}"), partial(_make_in_process, "base", seed)
    )
    data = shipped("sample_data")
    world = ThrowawayWorld(folder, seed, base, read_policy(str(data / "policy.toml")))
    wallets = sample_wallets(data / "wallets.toml")
    return open_session(scenario, world, seed, wallets, read_temperaments(data / "training.toml"))


def _desk(
    worked: "EmbeddedDeployment", engine: "Engine", settings: Settings, place: Place
) -> "StartedDesk":
    from chainteller.engine.operations.disputes import are_stopped
    from chainteller.tui.start import StartedDesk

    worked.start()
    service = worked.acting_as(operator(settings))
    return StartedDesk(
        service=service,
        label=place.label,
        capabilities=service.capabilities(),
        payouts_stopped=are_stopped(engine.context, DEFAULT_ORGANISATION),
        verify_audit=lambda: _verify_chain(engine),
        close=worked.stop,
        load_samples=None if engine.context.provider else partial(_load_samples, engine, settings),
    )


def _verify_chain(engine: "Engine") -> "ChainReport":
    from chainteller.engine.verification.full_pass import verify_chain

    return verify_chain(engine.context.database)


def _load_samples(engine: "Engine", settings: Settings) -> None:
    load_samples(engine, settings.engine.seed)
