"""Markets (specification 2.4) and recent price samples."""

from chainteller.service.models.base import Amount, Timestamp, WireModel


class Market(WireModel):
    """``status`` is open or the reason of MARKET_UNAVAILABLE, with its estimated end."""

    market_name: str
    network: str
    current_price: Amount
    yesterdays_price: Amount
    at: Timestamp
    status: str | None = None
    estimated_resolution: Timestamp | None = None


class PriceSample(WireModel):
    price: Amount
    at: Timestamp
