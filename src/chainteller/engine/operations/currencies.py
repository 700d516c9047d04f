"""Currencies: resolve the currency object of specification 2.2 to an asset."""

from dataclasses import dataclass

from chainteller.domain.assets import CRYPTO, DEPOSIT_TOKENS, STABLECOINS, Asset
from chainteller.engine.core.reading import shown
from chainteller.service.errors import (
    FIELD_REQUIRED,
    UnsupportedCurrency,
    UnsupportedNetwork,
    ValidationFailed,
)
from chainteller.service.models.funding import Currency
from chainteller.service.models.records import CurrencyOffer

STABLECOIN = "stablecoin-currency"
DEPOSIT_TOKEN = "deposit-token-currency"  # noqa: S105 - a discriminator of the wire
CRYPTO_CURRENCY = "crypto-currency"
_BY_TYPE = {STABLECOIN: STABLECOINS, CRYPTO_CURRENCY: CRYPTO}


@dataclass(frozen=True, slots=True)
class Resolved:
    type: str
    asset: Asset
    id: str | None = None


def resolve(currency: Currency, *, crypto: bool) -> Resolved:
    """Resolve a request's currency; crypto assets only if ``crypto``. Raises ValidationFailed,
    UnsupportedCurrency, UnsupportedNetwork."""
    if currency.type == DEPOSIT_TOKEN:
        return _deposit_token(currency)
    _require_only(currency, ("symbol", "network"))
    if currency.type == CRYPTO_CURRENCY and not crypto:
        raise _unsupported(str(currency.symbol))
    offered = [
        asset for asset in _BY_TYPE[currency.type] if asset.symbol == str(currency.symbol).upper()
    ]
    if not offered:
        raise _unsupported(str(currency.symbol))
    for asset in offered:
        if asset.network == str(currency.network).lower():
            return Resolved(currency.type, asset)
    raise UnsupportedNetwork(
        "This currency is not offered on that network.",
        {
            "network": shown(str(currency.network)),
            "supported": [asset.network for asset in offered],
        },
    )


def _deposit_token(currency: Currency) -> Resolved:
    _require_only(currency, ("id",))
    asset = DEPOSIT_TOKENS.get(str(currency.id))
    if asset is None:
        raise _unsupported(str(currency.id))
    return Resolved(DEPOSIT_TOKEN, asset, currency.id)


def _require_only(currency: Currency, fields: tuple[str, ...]) -> None:
    """Require the fields of this type of currency and no others (specification 2.2)."""
    for name in ("id", "symbol", "network"):
        given = getattr(currency, name) is not None
        if given != (name in fields):
            code, message = (
                ("UNKNOWN_FIELD", f"not a field of {currency.type}")
                if given
                else ("REQUIRED", FIELD_REQUIRED)
            )
            raise ValidationFailed.of(f"currency.{name}", message, code)


def _unsupported(symbol: str) -> UnsupportedCurrency:
    supported = [*DEPOSIT_TOKENS, *(asset.key for asset in STABLECOINS)]
    return UnsupportedCurrency(
        "This currency is not offered here.", {"symbol": shown(symbol), "supported": supported}
    )


def offers() -> tuple[CurrencyOffer, ...]:
    """Every currency object that deposits or withdrawals accept."""
    tokens = [(DEPOSIT_TOKEN, token_id, asset) for token_id, asset in DEPOSIT_TOKENS.items()]
    others = [(kind, None, asset) for kind, assets in _BY_TYPE.items() for asset in assets]
    return tuple(
        CurrencyOffer(
            type=kind,
            id=currency_id,
            symbol=asset.symbol,
            network=asset.network,
            decimals=asset.decimals,
        )
        for kind, currency_id, asset in (*tokens, *others)
    )
