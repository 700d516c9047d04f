"""The settings as frozen dataclasses; each field names the reader of its value."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from chainteller.domain.challenges import ChallengeForm, SharedWallets
from chainteller.domain.evidence import EvidenceLevel
from chainteller.domain.limits import DEFAULT_LEVEL_LIMITS, DEFAULT_LIMITS, DestinationClass
from chainteller.domain.money import format_cents
from chainteller.domain.options import EngineOptions, Rates
from chainteller.domain.sign_ins import TOKEN_AGE_S
from chainteller.paths import Paths
from chainteller.settings import values
from chainteller.settings.values import Reader, without_password

PREFIX = "CHAINTELLER_"
_ENGINE = EngineOptions()
_RATES = Rates()
_OWN_BANK, _UNVERIFIED, _VERIFIED = (DEFAULT_LIMITS[each] for each in DestinationClass)
_MEDIUM = DEFAULT_LEVEL_LIMITS[EvidenceLevel.MEDIUM]


def _setting(default: object, read: Reader) -> Any:
    return field(default=default, metadata={"read": read})


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """The embedded engine. Every delay is in seconds. ``policy`` is the file that says what waits
    for a person; nothing does without one."""

    quote_window_s: float = _setting(_ENGINE.quote_window_s, values.seconds(1))
    deposit_delay_s: float = _setting(_ENGINE.deposit_delay_s, values.seconds(0))
    fill_delay_s: float = _setting(_ENGINE.fill_delay_s, values.seconds(0))
    settle_delay_s: float = _setting(_ENGINE.settle_delay_s, values.seconds(0))
    withdrawal_delay_s: float = _setting(_ENGINE.withdrawal_delay_s, values.seconds(0))
    review_delay_s: float = _setting(_ENGINE.review_delay_s, values.seconds(0))
    challenge_ttl_s: float = _setting(_ENGINE.challenge_ttl_s, values.seconds(1))
    challenge_form: str = _setting(_ENGINE.challenge_form.value, values.one_of(*ChallengeForm))
    keep_events_days: int = _setting(_ENGINE.keep_events_days, values.count)
    price_feed: str = _setting("simulated", values.price_feed)
    maintenance: tuple[str, ...] = _setting(_ENGINE.maintenance, values.markets)
    policy: str = _setting("", values.text)
    seed: str = _setting("42", values.text)


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """Withdrawal limits by destination, in cents of USD.

    Those of medium evidence hold besides those of a verified wallet.
    """

    own_bank_per_transaction: int = _setting(_OWN_BANK[0], values.cents)
    own_bank_24h: int = _setting(_OWN_BANK[1], values.cents)
    own_bank_30d: int = _setting(_OWN_BANK[2], values.cents)
    unverified_per_transaction: int = _setting(_UNVERIFIED[0], values.cents)
    unverified_24h: int = _setting(_UNVERIFIED[1], values.cents)
    unverified_30d: int = _setting(_UNVERIFIED[2], values.cents)
    verified_per_transaction: int = _setting(_VERIFIED[0], values.cents)
    verified_24h: int = _setting(_VERIFIED[1], values.cents)
    verified_30d: int = _setting(_VERIFIED[2], values.cents)
    medium_evidence_per_transaction: int = _setting(_MEDIUM[0], values.cents)
    medium_evidence_24h: int = _setting(_MEDIUM[1], values.cents)
    medium_evidence_30d: int = _setting(_MEDIUM[2], values.cents)


@dataclass(frozen=True, slots=True)
class ReadRate:
    """Reads of one API key."""

    per_second: float = _setting(_RATES.read.per_second, values.rate)
    burst: int = _setting(_RATES.read.burst, values.count)


@dataclass(frozen=True, slots=True)
class WriteRate:
    """Writes of one API key."""

    per_second: float = _setting(_RATES.write.per_second, values.rate)
    burst: int = _setting(_RATES.write.burst, values.count)


@dataclass(frozen=True, slots=True)
class QuoteRate:
    """Quotes of one API key."""

    per_second: float = _setting(_RATES.quote.per_second, values.rate)
    burst: int = _setting(_RATES.quote.burst, values.count)


@dataclass(frozen=True, slots=True)
class RateSettings:
    """``keys``: all keys of an organisation together have so many times the rates of one."""

    keys: int = _setting(_RATES.keys, values.count)
    read: ReadRate = field(default_factory=ReadRate)
    write: WriteRate = field(default_factory=WriteRate)
    quote: QuoteRate = field(default_factory=QuoteRate)


@dataclass(frozen=True, slots=True)
class QuotaSettings:
    """What an organisation may have at once."""

    keys: int = _setting(_ENGINE.quotas.keys, values.count)
    agents: int = _setting(_ENGINE.quotas.agents, values.count)
    webhooks: int = _setting(_ENGINE.quotas.webhooks, values.count)
    challenges: int = _setting(_ENGINE.quotas.challenges, values.count)


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    database: str = _setting("", values.database)
    bank_name: str = _setting(_ENGINE.bank_name, values.bank_name)
    bank_code: str = _setting(_ENGINE.bank_code, values.bank_code)
    public_url: str = _setting(_ENGINE.public_url, values.public_url)
    rate_limits: bool = _setting(_ENGINE.rate_limits, values.switch)
    test_networks: bool = _setting(_ENGINE.test_networks, values.switch)
    docs: bool = _setting(False, values.switch)  # noqa: FBT003 - the default of a switch
    cleartext: str = _setting("refuse", values.one_of("refuse", "allow"))
    tls_certificate: str = _setting("", values.text)
    tls_key: str = _setting("", values.text)
    metrics_address: str = _setting("", values.listening_address)
    otlp_endpoint: str = _setting("", values.otlp_endpoint)
    log_format: str = _setting("json", values.one_of("json"))
    stop_notice_s: float = _setting(0, values.seconds(0))
    key_days: int = _setting(365, values.count)
    trusted_proxies: tuple[str, ...] = _setting((), values.proxies)
    hosts: tuple[str, ...] = _setting((), values.hosts)
    webhook_hosts: tuple[str, ...] = _setting(_ENGINE.webhook_hosts, values.webhook_hosts)
    limits: LimitSettings = field(default_factory=LimitSettings)
    rates: RateSettings = field(default_factory=RateSettings)
    quotas: QuotaSettings = field(default_factory=QuotaSettings)


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """The provider of ``serve --for``: where its API key is, and whether it answers a repeated
    idempotency key as it did first."""

    key_env: str = _setting("", values.text)
    key_file: str = _setting("", values.text)
    key_command: str = _setting("", values.text)
    honours_keys: bool = _setting(False, values.switch)  # noqa: FBT003 - the default of a switch
    settle_after_s: float = _setting(_ENGINE.settle_after_s, values.seconds(1))


@dataclass(frozen=True, slots=True)
class PortSettings:
    """The bank's other systems: each is simulated, or its address with where its key is."""

    core_bank: str = _setting("simulated", values.port())
    core_bank_key_env: str = _setting("", values.text)
    core_bank_key_file: str = _setting("", values.text)
    core_bank_key_command: str = _setting("", values.text)
    custody: str = _setting("simulated", values.port(file=True))
    custody_key_env: str = _setting("", values.text)
    custody_key_file: str = _setting("", values.text)
    custody_key_command: str = _setting("", values.text)
    screening: str = _setting("simulated", values.port())
    screening_key_env: str = _setting("", values.text)
    screening_key_file: str = _setting("", values.text)
    screening_key_command: str = _setting("", values.text)
    venue: str = _setting("simulated", values.port())
    venue_key_env: str = _setting("", values.text)
    venue_key_file: str = _setting("", values.text)
    venue_key_command: str = _setting("", values.text)


@dataclass(frozen=True, slots=True)
class SignInSettings:
    """The OpenID provider with which people sign in, and how its access tokens are read; nobody can
    without an ``issuer``. ``token_age_s``: how long after it was issued one is accepted."""

    issuer: str = _setting("", values.issuer)
    audience: str = _setting("", values.text)
    name_claim: str = _setting("preferred_username", values.text)
    groups_claim: str = _setting("groups", values.text)
    token_type: str = _setting("at+jwt", values.text)
    token_age_s: float = _setting(TOKEN_AGE_S, values.seconds(1))


@dataclass(frozen=True, slots=True)
class WalletSettings:
    """The verification of wallets."""

    evm_rpc: tuple[str, ...] = _setting((), values.evm_rpc)
    text_names_account: bool = _setting(_ENGINE.text_names_account, values.switch)
    shared: str = _setting(_ENGINE.shared_wallets.value, values.one_of(*SharedWallets))
    extended_keys: bool = _setting(_ENGINE.extended_keys, values.switch)
    arrivals: str = _setting("simulated", values.arrivals)


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """The writer's key and the heads of the audit log, its archive, and when it's verified. An
    empty ``writer_key`` is a file beside the settings, an empty ``key_folder`` the one in the data
    folder."""

    writer_key: str = _setting("", values.text)
    witnesses: tuple[str, ...] = _setting((), values.witnesses)
    key_folder: str = _setting("", values.text)
    archive: str = _setting(_ENGINE.archive, values.text)
    archive_after_days: int = _setting(_ENGINE.archive_after_days, values.count)
    verify_at: str = _setting(_ENGINE.verify_at, values.time_of_day)


@dataclass(frozen=True, slots=True)
class DeskSettings:
    """The console. Empty: ``operator`` is the system's user, ``theme`` the default theme."""

    operator: str = _setting("", values.text)
    theme: str = _setting("", values.text)
    poll_interval_s: float = _setting(1, values.seconds(0))
    confirm_above: int = _setting(1_000_000, values.cents)
    profile: str = _setting("", values.text)

    @property
    def operator_name(self) -> str:
        """The configured operator, or the operating system's user."""
        if self.operator:
            return self.operator
        from getpass import getuser  # noqa: PLC0415 - only if no operator is configured

        try:
            return getuser()
        except (OSError, KeyError, ImportError):  # no name in the environment, and no users' list
            return "local"


@dataclass(frozen=True, slots=True)
class Profile:
    """A named place with its own settings; empty and None mean not set. With an ``issuer``, people
    sign in there."""

    name: str
    kind: str = _setting("", values.one_of("embedded", "remote"))
    database: str = _setting("", values.database)
    url: str = _setting("", values.deployment_url)
    key_env: str = _setting("", values.text)
    key_file: str = _setting("", values.text)
    key_command: str = _setting("", values.text)
    issuer: str = _setting("", values.issuer)
    client_id: str = _setting("chainteller", values.text)
    audience: str = _setting("", values.text)
    sign_in_scope: str = _setting("openid offline_access", values.text)
    audit_key: str = _setting("", values.verifier_key)
    cleartext: str = _setting("", values.one_of("refuse", "allow"))
    read_only: bool = _setting(False, values.switch)  # noqa: FBT003 - the default of a switch
    theme: str = _setting("", values.text)
    confirm_above: int | None = _setting(None, values.cents)
    label: str = _setting("", values.text)

    @property
    def is_remote(self) -> bool:
        return self.kind == "remote" or (not self.kind and bool(self.url))


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. ``origins`` names the source of each value, by dotted name."""

    paths: Paths
    engine: EngineSettings = field(default_factory=EngineSettings)
    service: ServiceSettings = field(default_factory=ServiceSettings)
    gateway: GatewaySettings = field(default_factory=GatewaySettings)
    ports: PortSettings = field(default_factory=PortSettings)
    sign_in: SignInSettings = field(default_factory=SignInSettings)
    wallets: WalletSettings = field(default_factory=WalletSettings)
    audit: AuditSettings = field(default_factory=AuditSettings)
    desk: DeskSettings = field(default_factory=DeskSettings)
    keys: Mapping[str, str] = field(default_factory=dict)
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def sections_of(kind: type) -> Iterator[tuple[str, type]]:
    """The sections that the settings, or a section, have; with their names."""
    for each in fields(kind):
        if isinstance(each.default_factory, type) and is_dataclass(each.default_factory):
            yield each.name, each.default_factory


def _sections(kind: type, prefix: str = "") -> Iterator[tuple[str, type]]:
    for name, section in sections_of(kind):
        yield prefix + name, section
        yield from _sections(section, f"{prefix}{name}.")


SECTIONS: Mapping[str, type] = dict(_sections(Settings))


def readers(section: type) -> dict[str, Reader]:
    """The settings of a section with their readers."""
    return {each.name: each.metadata["read"] for each in fields(section) if "read" in each.metadata}


NAMES: Mapping[str, Reader] = {
    f"{section}.{name}": read
    for section, kind in SECTIONS.items()
    for name, read in readers(kind).items()
}
"""Every setting by its dotted name."""
PROFILE_NAMES = readers(Profile)


def variable_of(name: str) -> str:
    """The environment variable of a setting (``engine.seed``: ``CHAINTELLER_ENGINE__SEED``)."""
    return PREFIX + name.replace(".", "__").upper()


def shown_values(settings: Settings) -> Iterator[tuple[str, str, str]]:
    """Every setting as (dotted name, value as text, origin)."""
    for name in NAMES:
        value: Any = settings
        for part in name.split("."):
            value = getattr(value, part)
        yield name, _as_text(name, value), settings.origins.get(name, "default")


def _as_text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, int) and NAMES[name] is values.cents:
        return format_cents(value)
    return without_password(str(value))
