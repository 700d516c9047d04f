"""Wallets: from an address to a verified wallet, and every way in which a signature fails."""

import pytest
from tests.tui.conftest import REPOSITORY, Bench, answer, press, seen, settle
from textual import events
from textual.pilot import Pilot

from chainteller.domain.challenges import MAXIMUM_ATTEMPTS
from chainteller.service.errors import InvalidSignature
from chainteller.service.models.counterparties import (
    Challenge,
    ChallengeRequest,
    ClaimRequest,
    LinkRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
)
from chainteller.service.models.pages import ListQuery
from chainteller.tui.qr import half_blocks
from chainteller.tui.screens.wallets import WalletsScreen
from chainteller.tui.widgets.paste_field import PasteField
from chainteller.wallets.simulated import sample_wallets, sign_sample

WALLETS = sample_wallets(REPOSITORY / "sample_data" / "wallets.toml")
ADDRESSES = {wallet.name: wallet.address.display for wallet in WALLETS}
ALICE, BOB = ADDRESSES["alice-ethereum"], ADDRESSES["bob-ethereum"]
SMALL_AND_LARGE = [(80, 24), (120, 40)]
LARGE = (120, 40)
SECRET = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
WORDS = "test test test test test test test test test test test junk"


def signed(name: str, challenge: Challenge, mistake: str | None = None) -> str:
    return sign_sample(name, challenge.challenge, wallets=WALLETS, mistake=mistake)


class Case:
    """A trading account with a blockchain account, and wallets challenged on it."""

    def __init__(self, bench: Bench, *names: str) -> None:
        self.service = bench.service
        trading_account = bench.open(1, deposit="100.00")
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
    await pilot.pause(0.3)
    await press(pilot, "enter")


def kept(pilot: Pilot[None]) -> str:
    """All that the desk holds of what was pasted: the screen, the log, the verdicts, the field."""
    app = pilot.app
    assert isinstance(app.screen, WalletsScreen)
    log = [(told.text, told.detail) for told in app.screen.desk.log]
    field = app.screen.query_one(PasteField)
    return f"{seen(app)}{log}{app.screen.verdicts}{field.value}"  # type: ignore[arg-type]  # the console


@pytest.mark.parametrize("size", SMALL_AND_LARGE)
async def test_from_an_address_to_a_verified_wallet(bench: Bench, size: tuple[int, int]) -> None:
    bench.open(1, deposit="100.00")
    app, narrow = bench.console(), size[0] < 110
    async with app.run_test(size=size) as pilot:
        await wallets(pilot)
        assert "No blockchain account yet." in seen(app)
        await press(pilot, "plus")
        await press(pilot, "enter")
        await press(pilot, "plus")
        await paste(pilot, BOB)
        await press(pilot, "enter")
        await press(pilot, *(["enter"] if narrow else []), "enter")
        await press(pilot, *(["escape"] if narrow else []))
        await press(pilot, "plus")
        await paste(pilot, ALICE)
        await press(pilot, "enter")
        assert "[1/5] registered" in seen(app)
        await press(pilot, *(["enter"] if narrow else []), "enter")
        (account,) = bench.service.blockchain_accounts(ListQuery()).data
        challenge = bench.service.challenges(account.id).data[0]
        assert challenge.address == ALICE
        assert challenge.id in seen(app)
        assert "1:00:00" in seen(app)

        await paste(pilot, signed("alice-ethereum", challenge, "wrong-account"))
        shown = seen(app)
        assert "NOT ACCEPTED - here is why" in shown
        assert "not accepted: OTHER_REGISTERED_ADDRESS" in shown
        assert BOB in shown
        assert "ASK THE CUSTOMER" in shown
        assert bench.service.challenges(account.id).data[0].attempts == 0
        await press(pilot, "t")
        assert "WHAT TO TELL THE CUSTOMER" in seen(app)
        assert "You signed with your other wallet" in seen(app)
        await press(pilot, "t")
        assert "sent to the terminal's clipboard" in seen(app)
        await press(pilot, "escape")

        await paste(pilot, signed("alice-ethereum", challenge))
        assert "WOULD BE ACCEPTED" in seen(app)
        assert bench.service.challenges(account.id).data[0].status == "open"
        await press(pilot, "enter")
        assert "to a verified 1P wallet" in seen(app)
    (linked,) = bench.service.linked_counterparties(account.id).data
    assert (linked.type, linked.address) == ("VerifiedCounterparty1P", ALICE)


@pytest.mark.parametrize(
    ("name", "network"),
    [("alice-solana", "solana"), ("alice-bitcoin", "bitcoin"), ("bob-bitcoin-taproot", "bitcoin")],
)
async def test_the_network_is_recognised_where_the_address_tells_it(
    bench: Bench, name: str, network: str
) -> None:
    case = Case(bench)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await press(pilot, "plus")
        await paste(pilot, f"  {ADDRESSES[name]}\n")
        assert f"on {network}" in seen(app)
    (found,) = case.service.counterparties().data
    assert (found.network, found.address) == (network, ADDRESSES[name])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92267", "checksum is wrong"),
        ("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb922", "too short or too long"),
        ("alice.eth", "a name, not an address"),
        ("11111111111111111111111111111111", "Nobody can have the key"),
    ],
)
async def test_a_wrong_address_is_refused_with_its_reason(
    bench: Bench, text: str, says: str
) -> None:
    case = Case(bench)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await press(pilot, "plus")
        await paste(pilot, text)
        assert says in seen(app)
    assert case.service.counterparties().data == ()


@pytest.mark.parametrize("secret", [SECRET, SECRET[2:], WORDS])
@pytest.mark.parametrize("key", ["", "v", "plus"])
async def test_a_pasted_secret_is_never_kept_shown_or_sent(
    bench: Bench, secret: str, key: str
) -> None:
    case = Case(bench, "alice-ethereum")
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await press(pilot, *([key] if key else []))
        await paste(pilot, secret)
        assert "SECRET_PASTED" in seen(app)
        assert secret[-20:] not in kept(pilot)
        await press(pilot, "t")
        assert "never send anyone your private key" in seen(app)
    assert case.newest().attempts == 0
    audit = case.service.audit(ListQuery(limit=100)).data
    assert secret[-20:] not in str(audit)


@pytest.mark.parametrize("secret", [SECRET, WORDS])
@pytest.mark.parametrize("key", ["v", "plus"])
async def test_a_secret_that_arrives_as_keys_is_not_shown_either(
    bench: Bench, secret: str, key: str
) -> None:
    Case(bench, "alice-ethereum")
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await press(pilot, key)
        await press(pilot, *(("space" if sign == " " else sign) for sign in secret))
        assert secret[:24] not in seen(app)
        await press(pilot, "enter")
        assert "SECRET_PASTED" in seen(app)
        assert secret[-20:] not in kept(pilot)


@pytest.mark.parametrize(
    ("mistake", "finding", "says"),
    [
        ("trailing-newline", "TRAILING_NEWLINE", "another text or form was signed"),
        ("lower-case", "LOWER_CASE_TEXT", "in small letters"),
        ("wrong-network", "LOOKS_LIKE_SOLANA", "a wallet of another network signed"),
        ("truncated", "TRUNCATED", "cut short"),
        ("contract-wallet", "CONTRACT_WALLET", "smart-contract wallets"),
        ("typed-by-hand", "UNKNOWN_SIGNER", "points to"),
    ],
)
async def test_a_mistake_is_named_and_no_try_is_burned(
    bench: Bench, mistake: str, finding: str, says: str
) -> None:
    case = Case(bench, "alice-ethereum")
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await paste(pilot, signed("alice-ethereum", case.newest(), mistake))
        shown = seen(app)
        assert finding in shown
        assert says in " ".join(shown.split())
        assert "certain" in shown or "likely" in shown
    assert case.newest().attempts == 0


async def test_a_paste_that_is_no_signature_is_ignored_and_never_keys(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await paste(pilot, "Hello, the signature follows tomorrow.")
        assert "NOT ACCEPTED" not in seen(app)
        assert "is no signature" in seen(app)
        assert isinstance(app.screen, WalletsScreen)
        assert not app.screen.field_bar.is_open
    assert case.newest().attempts == 0


async def test_a_megabyte_is_judged_without_being_sent(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await press(pilot, "v")
        await paste(pilot, "0x" + "ab" * 500_000)
        assert "TOO_LONG" in seen(app)
    assert case.newest().attempts == 0


async def test_the_field_takes_a_signature_typed_as_keys(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await press(pilot, "v")
        await press(pilot, *signed("alice-ethereum", case.newest()))
        await press(pilot, "enter")
        assert "WOULD BE ACCEPTED" in seen(app)
        await press(pilot, "enter")
        assert case.types == ["VerifiedCounterparty1P"]


async def test_the_text_is_copied_and_written_byte_for_byte(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await wallets(pilot)
        await press(pilot, "enter", "c")
        assert app.clipboard == case.newest().challenge
        await press(pilot, "e")
    assert bench.look.export_folder is not None
    written = bench.look.export_folder / f"chainteller-{case.newest().id}.txt"
    assert written.read_bytes() == case.newest().challenge.encode()


async def test_the_code_shows_the_text_or_says_what_room_it_needs(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    rows = half_blocks(case.newest().challenge)
    for size, fits in (((120, 40), True), ((80, 24), False)):
        app = bench.console()
        async with app.run_test(size=size) as pilot:
            await wallets(pilot)
            await press(pilot, "q")
            assert (rows[3].strip() in seen(app)) == fits
            assert ("The code needs a window of" in seen(app)) != fits
            await press(pilot, "escape")
            assert "WALLETS" in seen(app)


def test_the_code_is_that_of_the_text() -> None:
    import segno  # noqa: PLC0415 - this test's own

    text = "Example Bank: I control ethereum wallet " + ALICE
    pixels = {" ": (0, 0), "▀": (1, 0), "▄": (0, 1), "█": (1, 1)}
    found: list[list[int]] = []
    for row in half_blocks(text):
        found.append([pixels[sign][0] for sign in row])
        found.append([pixels[sign][1] for sign in row])
    wanted = [list(row) for row in segno.make(text, error="l", boost_error=False).matrix]
    inner = [row[2:-2] for row in found[2 : 2 + len(wanted)]]
    assert inner == wanted
    assert not any(any(row[:2] + row[-2:]) for row in found)


async def test_an_expired_text_leads_to_a_new_one(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    late = case.newest()
    bench.world.advance(3_700)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        assert "text expired" in seen(app)
        assert "enter issue a new text" in seen(app)
        await paste(pilot, signed("alice-ethereum", late))
        shown = " ".join(seen(app).split())
        assert "CHALLENGE_EXPIRED" in shown
        await press(pilot, "enter")
    assert case.newest().id != late.id
    assert case.newest().status == "open"


async def test_a_locked_text_says_so_and_leads_to_a_new_one(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    wrong = signed("bob-ethereum", case.newest())
    for _ in range(MAXIMUM_ATTEMPTS):
        with pytest.raises(InvalidSignature):
            case.claim("alice-ethereum", wrong)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        assert "text locked" in seen(app)
        await press(pilot, "t")
        assert "tried too often" in seen(app)
        await press(pilot, "escape")
        await press(pilot, "enter")
    assert case.newest().status == "open"


async def test_a_claim_that_was_not_linked_is_found_and_linked(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    case.claim("alice-ethereum")
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        assert "[5/5] link" in seen(app)
        await press(pilot, "enter")
        assert case.types == ["VerifiedCounterparty1P"]
        assert "[ok] Verified 1P" in seen(app)


async def test_a_claim_that_is_too_old_is_refused_with_the_way_on(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    case.claim("alice-ethereum")
    bench.world.advance(25 * 3_600)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await press(pilot, "enter")
        assert "CLAIM_EXPIRED" in seen(app)
    assert case.types == []


async def test_reverification_asks_and_takes_the_limits_away_at_once(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    case.link("alice-ethereum")
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        assert "to a verified 1P wallet" in seen(app)
        await palette(pilot, "re-verify agent")
        assert f"END THE VERIFICATION of {ALICE}" in seen(app)
        await press(pilot, "enter")
        assert case.types == ["VerifiedCounterparty1P"]
        await answer(pilot, "y")
        assert "[x] revoked" in seen(app)
        assert "not verified: reviewed" in seen(app)
        assert case.types == ["counterparty"]
        await press(pilot, "enter")
        assert "[3/5] signature" in seen(app)


async def test_the_customer_is_simulated_in_the_demo_only(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum", "bob-ethereum")
    app = bench.console(kind="DEMO")
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await palette(pilot, "simulate wrong-account")
        assert "OTHER_REGISTERED_ADDRESS" in seen(app)
        await palette(pilot, "simulate sign rightly")
        assert "WOULD BE ACCEPTED" in seen(app)
    app = bench.console(kind="REMOTE")
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        screen = app.screen
        assert isinstance(screen, WalletsScreen)
        assert not [name for name, _ in screen.palette_entries() if "simulate" in name]
        await screen.run_action("simulate('')")
        await settle(pilot)
        assert "only in the demo" in seen(app)
    assert case.types == []


async def test_a_read_only_desk_issues_nothing_but_still_judges(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    bench.world.advance(1)
    app = bench.console(read_only=True)
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await paste(pilot, signed("alice-ethereum", case.newest()))
        assert "WOULD BE ACCEPTED" in seen(app)
        await press(pilot, "enter")
        assert "READ_ONLY" in seen(app)
    assert case.types == []


async def test_a_pasted_wallet_id_is_found_on_any_account(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    bench.open(3, deposit="5.00")
    wallet = case.newest().counterparty_id or ""
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await settle(pilot)
        await paste(pilot, wallet)
        await settle(pilot)
        assert wallet in seen(app)
        assert case.account.trading_account_id in seen(app)


async def test_a_signature_never_waits_in_memory_unless_it_would_pass(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    wrong = signed("bob-ethereum", case.newest())
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await paste(pilot, wrong)
        screen = app.screen
        assert isinstance(screen, WalletsScreen)
        (verdict,) = screen.verdicts.values()
        assert verdict.signature == ""
        assert wrong not in kept(pilot)
