"""What the engine needs of the outside world; the adapters fulfil these by shape."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from chainteller.domain.assets import Asset
from chainteller.domain.prices import PricePoint
from chainteller.domain.simulated import Part

if TYPE_CHECKING:
    from chainteller.domain.outside import Answer as OutsideAnswer
    from chainteller.domain.outside import Step
    from chainteller.domain.second_method import Awaited, Seen
    from chainteller.domain.sign_ins import SignedIn
    from chainteller.domain.trades import Rejection
    from chainteller.domain.webhooks import Answer, Target
    from chainteller.service.errors import ServiceUnavailable
    from chainteller.service.operations import Call
    from chainteller.service.told import Told
    from chainteller.wallets.contracts import ChainAnswer, CodeAnswer, Question
    from chainteller.wallets.family import Address, Network


class PriceFeed(Protocol):
    """Mid prices of the markets."""

    checks_staleness: bool
    """Whether age and jumps of its prices may halt a market; a simulation never does."""

    def answers_at_once(self) -> bool:
        """Whether a price is told without waiting for anything; it may become so later."""

    def price(self, market: str, at: int) -> PricePoint | None:
        """The newest price observed at or before the instant, or None before the first."""

    def samples(self, market: str, start: int, end: int, step: int) -> tuple[PricePoint, ...]:
        """Prices at ``start``, ``start + step`` ... up to ``end``, oldest first, gaps left out."""


class PegFeed(Protocol):
    """How far stablecoins are from the dollar that they stand for."""

    def deviation_bps(self, asset: Asset, at: int) -> int:
        """Basis points above (or, negative, below) one dollar; 0 for an asset without a market."""


class Chain(Protocol):
    """Providers of chains, which are asked about contract wallets and their signatures."""

    def serves(self, network: "Network") -> bool:
        """Whether a network has providers here."""

    def ask(
        self, network: "Network", question: "Question", *, newest: bool = False
    ) -> "ChainAnswer":
        """Ask all providers of a network, at a block that can't be undone where one will do, or at
        the ``newest``; takes seconds. Raises nothing that a provider does."""

    def code(self, address: "Address") -> "CodeAnswer":
        """What all providers of its network have at an address; as ``ask``."""


class Arrivals(Protocol):
    """Watches deposit addresses for small transfers."""

    def since(self, awaited: "Awaited") -> "Sequence[Seen]":
        """Every final transfer to the awaited one's recipient since it was asked for; takes seconds
        at most. Raises ArrivalsUnavailable."""


class Issuer(Protocol):
    """The bank's OpenID provider, with which people sign in."""

    @property
    def host(self) -> str:
        """Its host, as the trail names it."""

    def signed_in(self, token: str) -> "SignedIn":
        """What an access token says, at whatever time; takes seconds where keys are fetched.

        Raises:
            Unauthorized: TOKEN_INVALID, TOKEN_ISSUER or TOKEN_AUDIENCE.
            ServiceUnavailable: ISSUER_UNREACHABLE, its keys aren't known and can't be fetched.
        """


class Provider(Protocol):
    """The deployment that a gateway is in front of; it has the specification's calls alone."""

    @property
    def address(self) -> str: ...
    @property
    def honours_keys(self) -> bool:
        """Whether it answers a repeated request with its key as it did first."""

    def ask(self, call: "Call[Any]", *, briefly: bool = False) -> "Told":
        """Send a call; takes seconds, or less if it's asked ``briefly``.

        Raises:
            ServiceError: it refused. ServiceUnavailable: nothing was sent.
            OutcomeUnknown: it was sent, and what became of it isn't known.
            ClientError: a read has no usable answer.
        """

    def close(self) -> None: ...


class ExecutionVenue(Protocol):
    """The liquidity provider that fills trades."""

    def decide(self, trade_id: str) -> "Rejection | None":
        """None when the trade is filled at its price, else why it is not."""


class Outside(Protocol):
    """One of the bank's other systems."""

    def carry_out(self, step: "Step", key: str, body: Mapping[str, str]) -> "OutsideAnswer":
        """Send a request, or ask again what became of it; takes seconds. Raises NotCarriedOut,
        Unanswered, AnswerUnusable."""

    def read(self, path: str, query: Mapping[str, str]) -> Any:
        """The JSON that a question is answered with; takes seconds. Raises ServiceUnavailable."""

    def unavailable(self, why: str) -> "ServiceUnavailable":
        """The error of a call that needs this system's answer."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Ports:
    """The bank's systems that are connected; the others are simulated."""

    core_bank: Outside | None = None
    custody: Outside | None = None
    screening: Outside | None = None
    venue: Outside | None = None

    def of(self, part: Part) -> Outside | None:
        return getattr(self, part.name.lower(), None)

    def close(self) -> None:
        for each in (self.core_bank, self.custody, self.screening, self.venue):
            if each is not None:
                each.close()


class WebhookLine(Protocol):
    """Connections to one endpoint, whose host was resolved and checked once."""

    async def post(self, headers: Mapping[str, str], body: bytes) -> "Answer":
        """Send a message; takes seconds at most. Raises nothing that an endpoint does."""


class WebhookSender(Protocol):
    """Sends messages to the endpoints of webhooks."""

    def line(self, target: "Target") -> AbstractAsyncContextManager[WebhookLine]:
        """Connections to an endpoint, closed at the end."""
