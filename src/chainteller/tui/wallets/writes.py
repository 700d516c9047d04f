"""What Wallets sends to the service, as plain functions that run in a thread."""

from typing import TYPE_CHECKING

from chainteller.tui.wallets.book import Wallet, claim_request

if TYPE_CHECKING:
    from chainteller.domain.assets import Asset
    from chainteller.service.interface import Service
    from chainteller.service.models.counterparties import (
        BlockchainAccount,
        Challenge,
        Counterparty,
        OwnershipClaim,
    )
    from chainteller.service.models.funding import Transfer


def open_blockchain_account(
    service: "Service", trading_account_id: str, network: str, key: str
) -> "BlockchainAccount":
    from chainteller.service.models.counterparties import (  # noqa: PLC0415 - after the first frame
        OpenBlockchainAccount,
    )

    request = OpenBlockchainAccount(trading_account_id=trading_account_id, network=network)
    return service.open_blockchain_account(request, idempotency_key=key).value


def create_challenge(service: "Service", wallet: Wallet, key: str) -> "Challenge":
    from chainteller.service.models.counterparties import (  # noqa: PLC0415 - after the first frame
        ChallengeRequest,
    )

    request = ChallengeRequest(counterparty_id=wallet.counterparty.id)
    return service.create_challenge(wallet.account.id, request, idempotency_key=key).value


def submit_claim(service: "Service", wallet: Wallet, signature: str, key: str) -> "OwnershipClaim":
    request = claim_request(wallet, signature)
    return service.submit_claim(wallet.account.id, request, idempotency_key=key).value


def link(service: "Service", wallet: Wallet, claim_id: str, key: str) -> "Counterparty":
    from chainteller.service.models.counterparties import (  # noqa: PLC0415 - after the first frame
        LinkRequest,
    )

    request = LinkRequest(
        address=wallet.counterparty.address,
        network=wallet.network,
        ownership_claim_id=claim_id,
    )
    return service.link_counterparty(wallet.account.id, request, idempotency_key=key).value


def require_reverification(
    service: "Service", wallet: Wallet, reason: str, key: str
) -> "Counterparty":
    from chainteller.service.models.counterparties import (  # noqa: PLC0415 - after the first frame
        ReverificationRequest,
    )

    request = ReverificationRequest(reason=reason)
    written = service.require_reverification(
        wallet.account.id, wallet.counterparty.id, request, idempotency_key=key
    )
    return written.value


def withdraw(
    service: "Service", wallet: Wallet, asset: "Asset", amount: str, key: str
) -> "Transfer":
    """To the wallet, from the blockchain account that it belongs to."""
    from chainteller.domain.assets import CRYPTO  # noqa: PLC0415 - after the first frame
    from chainteller.service.models.funding import (  # noqa: PLC0415 - after the first frame
        Currency,
        Destination,
        WithdrawalRequest,
    )

    currency = Currency(
        type="crypto-currency" if asset in CRYPTO else "stablecoin-currency",
        symbol=asset.symbol,
        network=asset.network,
    )
    destination = Destination(
        type="counterparty",
        counterparty_id=wallet.counterparty.id,
        blockchain_account_id=wallet.account.id,
    )
    request = WithdrawalRequest(amount=amount, currency=currency, destination=destination)
    return service.withdraw(wallet.account.trading_account_id, request, idempotency_key=key).value
