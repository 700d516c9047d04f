"""Options of the engine, with their defaults."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from chainteller.domain.challenges import ChallengeForm, SharedWallets
from chainteller.domain.clock import SECOND
from chainteller.domain.evidence import EvidenceLevel
from chainteller.domain.limits import DEFAULT_LEVEL_LIMITS, DEFAULT_LIMITS, DestinationClass
from chainteller.domain.policy import Policy
from chainteller.domain.signing_pages import PATH


@dataclass(frozen=True, slots=True)
class Rate:
    """How many requests are allowed: so many per second, and so many at once after a pause."""

    per_second: float
    burst: int


@dataclass(frozen=True, slots=True)
class Rates:
    """The rates of one API key; all keys of an organisation together have ``keys`` times as much.

    They hold for all servers of a deployment together.
    """

    read: Rate = Rate(20, 40)
    write: Rate = Rate(5, 10)
    quote: Rate = Rate(2, 10)
    keys: int = 10


class Quota(StrEnum):
    """What an organisation may have only so many of at once, by the names of the settings."""

    KEYS = "keys"
    AGENTS = "agents"
    WEBHOOKS = "webhooks"
    CHALLENGES = "challenges"


@dataclass(frozen=True, slots=True)
class Quotas:
    """How many of each ``Quota`` an organisation may have at once."""

    keys: int = 1_000
    agents: int = 1_000
    webhooks: int = 20
    challenges: int = 10_000


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """What an operator can set of the engine. Delays and windows are in seconds.

    ``settings/tree.py`` reads the options of the same names, and takes its defaults from here.
    """

    quote_window_s: float = 300
    deposit_delay_s: float = 0
    fill_delay_s: float = 10
    settle_delay_s: float = 20
    withdrawal_delay_s: float = 5
    review_delay_s: float = 7200
    challenge_ttl_s: float = 3600
    challenge_form: ChallengeForm = ChallengeForm.SHORT
    maintenance: tuple[str, ...] = ()
    bank_name: str = "Example Bank"
    bank_code: str = ""
    """What short challenges begin with; empty for the code of the bank's name."""
    public_url: str = ""
    """Where customers reach the service; empty where there is no signing page."""
    test_networks: bool = False
    rate_limits: bool = True
    settle_after_s: float = 60
    """When a gateway looks for the outcome of what its provider didn't answer."""
    open_quotes_per_account: int = 10
    hold_premium_bps_per_minute: int = 5
    quotas: Quotas = Quotas()
    keep_events_days: int = 400
    """How long events are kept; the worker removes older ones."""
    archive: str = ""
    """Where the worker archives old audit entries; empty for nowhere."""
    archive_after_days: int = 400
    verify_at: str = "02:00"
    """When all books are verified, in UTC; empty for never."""
    webhook_hosts: tuple[str, ...] = ()
    """The hosts that webhooks may call; see ``domain.webhooks.WebhookHosts``."""
    text_names_account: bool = False
    shared_wallets: SharedWallets = SharedWallets.ALLOW
    extended_keys: bool = True
    """Other values refuse calls that a client of the specification alone can't complete."""
    limits: Mapping[DestinationClass, tuple[int, int, int]] = field(
        default_factory=lambda: dict(DEFAULT_LIMITS)
    )
    policy: Policy = field(default_factory=Policy)
    level_limits: Mapping[EvidenceLevel, tuple[int, int, int]] = field(
        default_factory=lambda: dict(DEFAULT_LEVEL_LIMITS)
    )

    @property
    def signing_pages(self) -> str | None:
        """What the address of each signing page begins with; None where there are none."""
        return f"{self.public_url}{PATH}" if self.public_url else None

    @property
    def quote_window(self) -> int:
        """How long a quote is good for, in microseconds."""
        return round(self.quote_window_s * SECOND)
