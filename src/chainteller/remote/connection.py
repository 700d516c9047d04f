"""One deployment as a client sees it: its sender and what it is known to offer."""

import re
import threading
from typing import Any

from chainteller.remote.queries import Query
from chainteller.remote.sending import Sender, Write
from chainteller.service.errors import (
    MethodNotAllowed,
    NotFound,
    NotOffered,
    ReplyUnusable,
    ServiceError,
    ValidationFailed,
)
from chainteller.service.features import Feature
from chainteller.service.models.base import Written
from chainteller.service.models.markets import Market
from chainteller.service.models.pages import Page
from chainteller.service.models.records import Capabilities

_KEY = re.compile(r"[!-~]{1,255}", re.ASCII)


class Connection:
    """Shared by the three parts of the remote service; asks for capabilities once."""

    def __init__(self, sender: Sender) -> None:
        self.sender = sender
        self._lock = threading.Lock()
        self._capabilities: Capabilities | None = None

    def capabilities(self) -> Capabilities:
        """What the deployment offers; one that cannot say offers the specification alone.

        Raises:
            ClientError: it cannot be asked.
        """
        with self._lock:
            if self._capabilities is None:
                self._capabilities = self._ask()
            return self._capabilities

    def _ask(self) -> Capabilities:
        try:
            offered: Capabilities = self.sender.read("/capabilities", Capabilities)
        except (NotFound, MethodNotAllowed, ReplyUnusable):
            return self._plain()
        return offered

    def _plain(self) -> Capabilities:
        """A deployment of the bare specification: its markets and their networks are known."""
        try:
            listed: Page[Market] = self.sender.read("/trading/markets", Page[Market])
        except ServiceError:
            return Capabilities()
        return Capabilities(
            markets=tuple(market.market_name for market in listed.data),
            networks=tuple(dict.fromkeys(market.network for market in listed.data)),
        )

    def require(self, feature: Feature) -> None:
        """Raises NotOffered where the deployment lacks the addition."""
        if feature not in self.capabilities().features:
            raise NotOffered(f"This deployment does not offer {feature.value}.")

    def offers(self, feature: Feature) -> bool:
        return feature in self.capabilities().features

    def read(self, path: str, model: Any, query: Query = (), needs: Feature | None = None) -> Any:
        if needs is not None:
            self.require(needs)
        return self.sender.read(path, model, query)

    def write(
        self, path: str, body: Any, model: Any, key: str | None, query: Query = ()
    ) -> Written[Any]:
        """A POST; repeated on a failing line only if the deployment knows idempotency keys."""
        write = Write("POST", path, self._key(key), body, query)
        return self.sender.write(write, model, repeatable=self.offers(Feature.IDEMPOTENCY))

    def _key(self, given: str | None) -> str:
        """The key to send under. Raises ValidationFailed for one that no header can carry."""
        if given is None:
            return self.sender.new_key()
        if not _KEY.fullmatch(given):
            raise ValidationFailed.of("Idempotency-Key", "1 to 255 visible ASCII characters.")
        return given
