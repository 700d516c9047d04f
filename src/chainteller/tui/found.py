"""Where a search, a paste or a line of a page leads."""

from typing import NamedTuple


class Found(NamedTuple):
    """Where something is shown, and its rank among what else was found.

    Attributes:
        place: The screen; ``customers`` for a customer's page, ``bank`` for a bank account that may
            have no trading account, ``case`` for what was done for one, ``note`` for the agent's
            own words, ``find`` for an id that is looked for when it is chosen.
        text: What the screen is to show.
        account_id: The account to serve, where it is known.
        customer_id: Whose page it is, with ``reference``.
    """

    place: str
    text: str
    label: str = ""
    account_id: str = ""
    rank: float = 0.0
    customer_id: str = ""
    reference: str = ""
