"""Commands of the wallets screen."""

from typing import TYPE_CHECKING

from chainteller.tui.commands import Command, always

if TYPE_CHECKING:
    from chainteller.tui.wallets.screen import WalletsScreen


def _no_account(screen: "WalletsScreen") -> str:
    return "" if screen.desk.choice.account is not None else "no account is selected"


def _nothing_selected(screen: "WalletsScreen") -> str:
    return "" if screen.selected is not None else "no wallet is selected"


def _no_next_step(screen: "WalletsScreen") -> str:
    wallet = screen.wallet
    is_hidden = not screen.has_class("-wide") and not screen.has_class("detail-open")
    if wallet is None:
        shown = screen.whose and not is_hidden
        return "no wallet is selected" if shown else _nothing_selected(screen)
    if is_hidden:
        return ""
    if screen.checking:
        return "the signature is still being looked at"
    is_current = wallet.state(screen.desk.now) == "current"
    return "the wallet is verified" if is_current else ""


def _no_challenge(screen: "WalletsScreen") -> str:
    wallet = screen.wallet
    if wallet is None:
        return "no wallet is selected"
    return "" if wallet.challenge is not None else "no text was issued to this wallet"


def _no_open_challenge(screen: "WalletsScreen") -> str:
    wallet = screen.wallet
    is_open = wallet is not None and wallet.challenge_state(screen.desk.now) == "open"
    return "" if is_open else "no text waits for its signature"


COMMANDS: tuple[Command["WalletsScreen"], ...] = (
    Command(
        "wallets.open",
        "enter",
        "The next step of the wallet",
        lambda screen: screen.action_open(),
        _no_next_step,
        footer="next step",
        rank=1,
        writes=True,
    ),
    Command(
        "wallets.new",
        "plus",
        "Register a wallet's address",
        lambda screen: screen.action_new(),
        _no_account,
        footer="new address",
        rank=1,
        writes=True,
    ),
    Command(
        "wallets.paste",
        "v",
        "Paste and verify a signature",
        lambda screen: screen.action_paste_signature(),
        _no_challenge,
        footer="verify",
        rank=1,
    ),
    Command(
        "wallets.withdraw",
        "w",
        "Withdraw to the wallet",
        lambda screen: screen.action_withdraw(),
        lambda screen: "" if screen.wallet is not None else "no wallet is selected",
        footer="withdraw",
        rank=4,
        writes=True,
    ),
    Command(
        "wallets.code",
        "q",
        "The text to be signed as a QR code",
        lambda screen: screen.action_code(),
        _no_open_challenge,
        footer="QR",
        rank=3,
    ),
    Command(
        "wallets.filter",
        "slash,ctrl+f",
        "Filter the wallets",
        lambda screen: screen.action_filter(),
        always,
        footer="filter",
        rank=5,
    ),
    Command(
        "wallets.sort",
        "o",
        "Change the order of the list",
        lambda screen: screen.next_order(),
        always,
    ),
    Command(
        "wallets.all",
        "0",
        "All accounts, or the selected one",
        lambda screen: screen.action_all_accounts(),
        _no_account,
        footer="all",
        rank=4,
        feature="blockchain-accounts",
    ),
)
