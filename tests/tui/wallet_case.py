"""A customer's wallets under test, and what an agent does with them on Wallets."""

from tests.tui.conftest import REPOSITORY, Bench, press, seen, settle
from textual import events
from textual.pilot import Pilot

from chainteller.service.models.counterparties import (
    Challenge,
    ChallengeRequest,
    ClaimRequest,
    LinkRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
)
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.tui.wallets.screen import WalletsScreen
from chainteller.wallets.simulated import sample_wallets, sign_sample

WALLETS = sample_wallets(REPOSITORY / "sample_data" / "wallets.toml")
ADDRESSES = {wallet.name: wallet.address.display for wallet in WALLETS}
ALICE, BOB = ADDRESSES["alice-ethereum"], ADDRESSES["bob-ethereum"]
SMALL_AND_LARGE = [(80, 24), (120, 40)]
LARGE = (120, 40)
SECRET = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
WORDS = "test test test test test test test test test test test junk"


def valid(bench: Bench) -> str:
    """The heading over a signature that is right; this desk says so where the deployment can't."""
    return "WOULD BE ACCEPTED" if bench.place is None else "VALID, CHECKED ON THIS CONSOLE"


def signed(name: str, challenge: Challenge, mistake: str | None = None) -> str:
    return sign_sample(name, challenge.challenge, wallets=WALLETS, mistake=mistake)


class Case:
    """A trading account with a blockchain account, and wallets challenged on it."""

    def __init__(self, bench: Bench, *names: str, customer: int = 1) -> None:
        self.service = bench.service
        trading_account = bench.open(customer, deposit="100.00")
        self.trading_account_id = trading_account.id
        opened = OpenBlockchainAccount(trading_account_id=trading_account.id, network="ethereum")
        self.account = self.service.open_blockchain_account(opened).value
        for name in names:
            self.challenge(name)

    def challenge(self, name: str) -> Challenge:
        network = next(each for each in WALLETS if each.name == name).address.network.name
        asked = RegisterCounterparty(address=ADDRESSES[name], network=network)
        wallet = self.service.register_counterparty(asked).value
        request = ChallengeRequest(counterparty_id=wallet.id)
        return self.service.create_challenge(self.account.id, request).value

    def newest(self, name: str = "alice-ethereum") -> Challenge:
        found = self.service.challenges(self.account.id).data
        return next(row for row in found if row.address == ADDRESSES[name])

    def claim(self, name: str, signature: str = "") -> str:
        challenge = self.newest(name)
        request = ClaimRequest(
            challenge_id=challenge.id,
            completed_challenge=signature or signed(name, challenge),
            counterparty_id=challenge.counterparty_id or "",
        )
        return self.service.submit_claim(self.account.id, request).value.id

    def link(self, name: str) -> None:
        claim_id, challenge = self.claim(name), self.newest(name)
        request = LinkRequest(
            address=challenge.address or "",
            network=challenge.network or "",
            ownership_claim_id=claim_id,
        )
        self.service.link_counterparty(self.account.id, request)

    def fund(self, amount: str) -> None:
        currency = Currency(type="stablecoin-currency", symbol="USDC", network="ethereum")
        request = DepositRequest(amount=amount, currency=currency)
        self.service.deposit(self.account.trading_account_id, request)

    @property
    def withdrawals(self) -> list[tuple[str, str | None, bool | None]]:
        found = self.service.withdrawals(self.account.trading_account_id).data
        return [
            (row.amount, row.destination.address, row.destination.verified)
            for row in found
            if row.destination is not None
        ]

    @property
    def types(self) -> list[str]:
        return [row.type for row in self.service.linked_counterparties(self.account.id).data]


async def paste(pilot: Pilot[None], text: str) -> None:
    pilot.app.post_message(events.Paste(text))
    await pilot.pause()
    await settle(pilot)


async def wallets(pilot: Pilot[None]) -> None:
    await settle(pilot)
    await press(pilot, "5")


async def palette(pilot: Pilot[None], words: str) -> None:
    await press(pilot, "colon")
    await press(pilot, *(("space" if key == " " else key) for key in words))
    await settle(pilot)
    await press(pilot, "enter")


def kept(pilot: Pilot[None]) -> str:
    """All that the desk holds of what was pasted: the screen, the log, the verdicts, the field."""
    app = pilot.app
    assert isinstance(app.screen, WalletsScreen)
    log = [(told.text, told.detail) for told in app.screen.desk.log]
    field = app.screen.field_bar
    return f"{seen(app)}{log}{app.screen.session.verdicts}{field.value}"  # type: ignore[arg-type]  # the console
