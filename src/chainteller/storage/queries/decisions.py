"""Query decisions: what waits for a person."""

from chainteller.domain.assets import ASSETS_BY_KEY
from chainteller.domain.decisions import NEVER, DecisionStatus
from chainteller.domain.money import format_atoms
from chainteller.service.models.decisions import Decision
from chainteller.service.models.pages import ListQuery
from chainteller.storage.db import records
from chainteller.storage.db.query import Atoms, Record, Session, remembered
from chainteller.storage.db.sources import Finder, Source
from chainteller.storage.lists.pages import Counted, Extra, Listing

find = Finder(records.Decision, "organisation_id", "id")
_SHOWN = Source(
    records.Decision,
    "LEFT JOIN trading_account ON trading_account.id = decision.trading_account_id "
    "LEFT JOIN customer ON customer.id = trading_account.customer_id "
    "LEFT JOIN transfer ON transfer.id = decision.subject",
    customer_name=("customer.name", str | None),
    amount=("transfer.amount", Atoms | None),
    asset=("transfer.asset", str | None),
)
"""A decision with its customer's name, and the amount of a withdrawal."""
shown = Finder(_SHOWN, "organisation_id", "id")
_OPEN = f"status = '{DecisionStatus.OPEN}'"
find_open = Finder(records.Decision, "organisation_id", "subject", condition=_OPEN)
"""The open decision about a record; there is at most one."""
_LISTED = Listing(
    _SHOWN,
    "organisation_id",
    filters=("status", "trading_account_id"),
    orders={"due": ("due", "created", "id")},
)
_STORED = Decision.model_fields.keys() - {"type", "due", "amount", "symbol"}
_KIND, _SUBJECT = "decision.kind = :kind", "decision.subject = :subject"


newest = (
    Source(records.Decision)
    .where(
        "organisation_id = :organisation AND subject = :subject "
        "ORDER BY created DESC, id DESC LIMIT 1"
    )
    .first
)
"""The last decision about a record."""


def page(
    connection: Session, organisation_id: str, query: ListQuery
) -> tuple[tuple[Decision, ...], Counted]:
    """Decisions of an organisation; ``query.type`` is a kind, ``query.text`` a subject."""
    extras = []
    if query.type is not None:
        extras.append(Extra(_KIND, {"kind": query.type}))
    if query.text is not None:
        extras.append(Extra(_SUBJECT, {"subject": query.text}))
    rows, total = _LISTED.page(connection, (organisation_id,), query, *extras)
    return tuple(to_model(row) for row in rows), total


@remembered
def to_model(row: Record) -> Decision:
    """Of a row that ``shown`` finds."""
    asset = None if row.asset is None else ASSETS_BY_KEY[row.asset]
    values = {name: getattr(row, name) for name in _STORED}
    values["customer_name"] = row.customer_name or None
    return Decision(
        due=None if row.due == NEVER else row.due,
        amount=None if asset is None else format_atoms(row.amount, asset),
        symbol=None if asset is None else asset.symbol,
        **values,
    )
