"""What a connected screening service says of a wallet: a reason and evidence for the person who
decides about a withdrawal, and nothing more."""

from typing import NamedTuple

from chainteller.engine.core.context import EngineContext
from chainteller.storage.queries import accounts, wallets

_MAXIMUM_HITS = 5
_MAXIMUM_NAME = 60
_OTHER_FORM = "its answer isn't as the contract says"


class Screening(NamedTuple):
    """A score from 0 to 100, where 100 is the worst, the lists that name the wallet, and the
    reference of what was exchanged under the Travel Rule."""

    score: int
    hits: tuple[str, ...] = ()
    travel_rule: str | None = None

    @property
    def words(self) -> str:
        """As evidence of a decision."""
        lists = f"on the lists: {', '.join(self.hits)}" if self.hits else "on no list"
        reference = self.travel_rule or "none"
        return f"Screening: score {self.score} of 100, {lists}. Travel Rule: {reference}."


def of_wallet(
    context: EngineContext, organisation_id: str, account_id: str, counterparty_id: str
) -> Screening | None:
    """None where screening is simulated, or there is no such account or wallet. Raises
    ServiceUnavailable: the service has no usable answer."""
    port = context.ports.screening
    if port is None:
        return None
    with context.database.read() as connection:
        account = accounts.find(connection, organisation_id, account_id)
        wallet = wallets.find_counterparty(connection, organisation_id, counterparty_id)
    if account is None or wallet is None:
        return None
    query = {
        "network": wallet.network,
        "address": wallet.address,
        "bankAccountId": account.bank_account_id,
    }
    told = port.read("/screenings", query)
    try:
        score, hits, reference = told["score"], told["hits"], told.get("travelRule")
    except (LookupError, TypeError, AttributeError):
        raise port.unavailable(_OTHER_FORM) from None
    is_score = type(score) is int and 0 <= score <= 100
    if not is_score or not isinstance(hits, list) or not isinstance(reference, str | None):
        raise port.unavailable(_OTHER_FORM)
    names = tuple(_name(each) for each in hits[:_MAXIMUM_HITS])
    return Screening(score, names, None if reference is None else _name(reference))


def _name(text: object) -> str:
    """A name as it's shown; whatever isn't one still counts."""
    is_name = isinstance(text, str) and text.isprintable() and 0 < len(text) <= _MAXIMUM_NAME
    return str(text) if is_name else "a name that can't be shown"
