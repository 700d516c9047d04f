"""What is pasted on Wallets: named, never kept when it is secret, and no try burned."""

import pytest
from tests.tui.conftest import Bench, press, seen
from tests.tui.wallet_case import (
    ALICE,
    LARGE,
    SECRET,
    WORDS,
    Case,
    kept,
    paste,
    signed,
    valid,
    wallets,
)
from tests.wallets.extended import JUNK, extended_public_key

from chainteller.service.models.pages import ListQuery
from chainteller.tui.dialogs.code import half_blocks
from chainteller.tui.wallets.screen import WalletsScreen


@pytest.mark.forms(1)
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
        assert key == "plus" or "a secret was pasted" in seen(app)
        assert secret[-20:] not in kept(pilot)
        await press(pilot, "t")
        assert "never send anyone your private key" in seen(app).lower()
    assert case.newest().attempts == 0
    audit = case.service.audit(ListQuery(limit=100)).data
    assert secret[-20:] not in str(audit)


@pytest.mark.forms(1)
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


@pytest.mark.forms(1)
@pytest.mark.parametrize(
    ("mistake", "finding", "says"),
    [
        ("trailing-newline", "TRAILING_NEWLINE", "another text was signed"),
        ("lower-case", "LOWER_CASE_TEXT", "in small letters"),
        ("wrong-network", "LOOKS_LIKE_SOLANA", "a wallet of another network signed"),
        ("truncated", "TRUNCATED", "no complete signature was pasted"),
        ("contract-wallet", "CONTRACT_WALLET", "smart-contract wallets"),
        ("typed-by-hand", "UNKNOWN_SIGNER", "another account, or another text"),
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
        assert "--signed-text" not in shown
    assert case.newest().attempts == 0


async def test_a_paste_that_is_no_signature_is_ignored_and_never_keys(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await paste(pilot, "Hello, the signature follows tomorrow.")
        assert "Signature not accepted" not in seen(app)
        assert "isn't a signature" in seen(app)
        assert isinstance(app.screen, WalletsScreen)
        assert not app.screen.field_bar.is_open
    assert case.newest().attempts == 0


async def test_text_that_was_pasted_is_checked_anyway_and_an_empty_line_erases_no_verdict(
    bench: Bench,
) -> None:
    case = Case(bench, "alice-ethereum")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await wallets(pilot)
        await paste(pilot, "lorem ipsum dolor")
        assert "v: check it anyway" in seen(app)
        await press(pilot, "v")
        assert "text, not a signature" in seen(app)
        assert not app.screen.field_bar.is_open  # type: ignore[attr-defined]  # WalletsScreen
        await press(pilot, "v", "enter")
        assert "text, not a signature" in seen(app)
        assert "EMPTY" not in seen(app)
    assert case.newest().attempts == 0


@pytest.mark.parametrize("key", ["", "enter"])
async def test_the_wallets_own_address_and_our_message_are_named_where_a_signature_is_due(
    bench: Bench, key: str
) -> None:
    case = Case(bench, "alice-ethereum")
    message = case.newest().challenge
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await press(pilot, *([key] if key else []))
        await press(pilot, "escape")
        for pasted, said in (
            (ALICE, "ADDRESS_PASTED"),
            (message, "TEXT_PASTED"),
            (f"'{message[:20]}\n{message[20:]}'", "TEXT_PASTED"),
        ):
            await paste(pilot, pasted)
            assert said in seen(app)
            assert "a secret" not in seen(app)
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
        assert valid(bench) in seen(app)
        await press(pilot, "enter")
        assert case.types == ["VerifiedCounterparty1P"]


async def test_the_text_is_copied_and_written_byte_for_byte(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    app = bench.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await wallets(pilot)
        await press(pilot, "enter", "c")
        assert app.clipboard == case.newest().challenge
        await press(pilot, "e", "enter")
        assert f"written: chainteller-{case.newest().id}.txt, " in seen(app)
    assert bench.settings.export_folder is not None
    written = bench.settings.export_folder / f"chainteller-{case.newest().id}.txt"
    assert written.read_bytes() == case.newest().challenge.encode()


@pytest.mark.parametrize("size", [(120, 40), (60, 16)])
async def test_the_code_of_the_text_fits_into_the_smallest_window(
    bench: Bench, size: tuple[int, int]
) -> None:
    case = Case(bench, "alice-ethereum")
    rows = half_blocks(case.newest().challenge)
    app = bench.console()
    async with app.run_test(size=size) as pilot:
        await wallets(pilot)
        await press(pilot, "q")
        assert all(row.strip() in seen(app) for row in rows)
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


async def test_a_signature_never_waits_in_memory_unless_it_would_pass(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    wrong = signed("bob-ethereum", case.newest())
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await paste(pilot, wrong)
        screen = app.screen
        assert isinstance(screen, WalletsScreen)
        (verdict,) = screen.session.verdicts.values()
        assert verdict.signature == ""
        assert wrong not in kept(pilot)


async def test_each_signature_of_a_paste_finds_its_wallet_and_others_are_explained(
    bench: Bench,
) -> None:
    names = ("alice-ethereum", "alice-solana", "bob-ethereum")
    case = Case(bench, *names)
    alice, solana = (signed(name, case.newest(name)) for name in names[:2])
    altered = signed("bob-ethereum", case.newest("bob-ethereum"), "trailing-newline")
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await paste(pilot, f"Hi,\nSolana: {solana}\n{altered}\nand the last one:\n{alice}")
        assert "2 of 3 signatures prove a message to sign   l: link 2 wallets" in seen(app)
        assert seen(app).count("[4/5] claim") == 2
        assert "[3/5] not accepted" in seen(app)
        await press(pilot, "l")
        await press(pilot, "y")
        assert isinstance(app.screen, WalletsScreen)
        verdict = next(iter(app.screen.session.verdicts.values()))
        assert verdict.diagnosis.finding == "TRAILING_NEWLINE"
    assert case.types == ["VerifiedCounterparty1P"] * 2


async def test_an_extended_key_proves_the_wallets_beside_one_that_signed(bench: Bench) -> None:
    case = Case(bench, "alice-ethereum")
    case.link("alice-ethereum")
    for name in ("bob-ethereum", "carol-ethereum", "bob-solana"):
        case.challenge(name)
    app = bench.console()
    async with app.run_test(size=LARGE) as pilot:
        await wallets(pilot)
        await paste(pilot, extended_public_key(JUNK, "m/44'/60'/0'"))
        assert "the key proves 2 of 3 wallets   l: link 2 wallets" in seen(app)
        await press(pilot, "l")
        await press(pilot, "y")
    assert case.types == ["VerifiedCounterparty1P"] * 3
    linked = case.service.linked_counterparties(case.account.id).data
    levels = [row.verification.level for row in linked if row.verification]
    assert sorted(map(str, levels)) == ["high", "medium", "medium"]
