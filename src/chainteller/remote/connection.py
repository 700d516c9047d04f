"""Connection to one deployment: its sender and its capabilities."""

import re
import threading

from chainteller.remote.sending import Sender
from chainteller.remote.transport import Outgoing
from chainteller.service.errors import (
    NotOffered,
    ReplyUnusable,
    ServiceError,
    ValidationFailed,
)
from chainteller.service.models.markets import Market
from chainteller.service.models.pages import Page
from chainteller.service.models.records import Capabilities
from chainteller.service.operations import CAPABILITIES, MARKETS

_KEY = re.compile(r"[!-~]{1,255}", re.ASCII)
_NO_SUCH_PATH = frozenset({403, 404, 405, 410, 501})
"""Statuses with which a deployment may refuse a path that it doesn't have, whatever its code."""


class Connection:
    """Sends requests to a deployment; fetches its capabilities once, unless they are given."""

    def __init__(self, sender: Sender, capabilities: Capabilities | None = None) -> None:
        self.sender = sender
        self._lock = threading.Lock()
        self._capabilities = capabilities

    def capabilities(self) -> Capabilities:
        """Fetch the capabilities; without that endpoint, a deployment has no additions. Raises
        ClientError: the deployment can't be reached."""
        with self._lock:
            if self._capabilities is None:
                self._capabilities = self._ask()
            return self._capabilities

    def _ask(self) -> Capabilities:
        try:
            offered: Capabilities = self.sender.read(
                Outgoing("GET", CAPABILITIES.path, route=CAPABILITIES.path), CAPABILITIES.response
            )
        except ReplyUnusable:
            return self._plain()
        except ServiceError as refusal:
            if refusal.status not in _NO_SUCH_PATH:
                raise
            return self._plain()
        return offered

    def _plain(self) -> Capabilities:
        """Capabilities of a deployment without additions: derived from its markets."""
        try:
            listed: Page[Market] = self.sender.read(
                Outgoing("GET", MARKETS.path, route=MARKETS.path), MARKETS.response
            )
        except (ServiceError, ReplyUnusable):
            return Capabilities()
        return Capabilities(
            markets=tuple(market.market_name for market in listed.data),
            networks=tuple(dict.fromkeys(market.network for market in listed.data)),
        )

    def offers(self, feature: str) -> bool:
        return feature in self.capabilities().features

    def require(self, feature: str) -> None:
        """Raises NotOffered if the deployment lacks the addition."""
        if not self.offers(feature):
            raise NotOffered(f"This deployment doesn't offer {feature}.", feature)

    def key(self, given: str | None) -> str:
        """The idempotency key to send. Raises ValidationFailed if it can't be sent in a header."""
        if given is None:
            return self.sender.new_key()
        if not _KEY.fullmatch(given):
            raise ValidationFailed.of("Idempotency-Key", "1 to 255 visible ASCII characters.")
        return given
