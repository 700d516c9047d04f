"""Commands of the Wallets screen."""

from functools import partial
from typing import TYPE_CHECKING

from chainteller.domain.challenges import ReverificationReason
from chainteller.domain.preconditions import Act
from chainteller.records.formats import short_id
from chainteller.tui.commands import Command, always, control_against
from chainteller.tui.customer_list import other_list
from chainteller.tui.dialogs.code import CodeBox, half_blocks
from chainteller.tui.list_screen import nothing_to_filter, orders
from chainteller.tui.steps import take
from chainteller.tui.wallets import flow as wallet_flow
from chainteller.tui.wallets import second_method, several
from chainteller.tui.wallets.book import customer_of, wallet_of
from chainteller.tui.wallets.screen import (
    begin_registration,
    networks,
    new_link,
    show_all,
    take_signature,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from chainteller.tui.steps import Step
    from chainteller.tui.wallets.book import Wallet
    from chainteller.tui.wallets.screen import WalletsScreen


def _wallet(screen: "WalletsScreen") -> "Wallet | None":
    return wallet_of(screen.selected)


# -- when they can run ------------------------------------------------------------------------


def _no_account(screen: "WalletsScreen") -> str:
    return "" if customer_of(screen.desk) else "no account is selected"


def _no_wallet(screen: "WalletsScreen") -> str:
    return "" if _wallet(screen) is not None else "no wallet is selected"


def _not_withdrawable(screen: "WalletsScreen") -> str:
    return _no_wallet(screen) or control_against(screen.desk.customer.account, Act.WITHDRAW)


def _no_next_step(screen: "WalletsScreen") -> str:
    wallet = _wallet(screen)
    is_hidden = not screen.has_class("-wide") and not screen.has_class("detail-open")
    if wallet is None:
        is_openable = screen.selected is not None and (is_hidden or not screen.listed_id)
        return "" if is_openable else "no wallet is selected"
    if is_hidden:
        return ""
    if screen.checking:
        return "the signature is still being checked"
    if "claim" in screen.desk.writing:
        return "the signature is submitted and not answered yet"
    is_current = wallet.state(screen.desk.now) == "current"
    return wallet_flow.already_verified(wallet) if is_current else ""


def _no_open_challenge(screen: "WalletsScreen") -> str:
    wallet = _wallet(screen)
    is_open = wallet is not None and wallet.open_challenge(screen.desk.now) is not None
    return "" if is_open else "no message is waiting for a signature"


def _not_verified(screen: "WalletsScreen") -> str:
    wallet = _wallet(screen)
    return "" if wallet is not None and wallet.is_verified else "the wallet is not verified"


# -- what they do -----------------------------------------------------------------------------


def _register(screen: "WalletsScreen") -> None:
    screen.clear_failure()
    begin_registration(screen)


def _begin(step: "Callable[[Wallet], Step]", screen: "WalletsScreen") -> None:
    """Take the first step with the selected wallet."""
    wallet = _wallet(screen)
    if wallet is not None:
        screen.clear_failure()
        take(screen, step(wallet))


def _verify(screen: "WalletsScreen") -> None:
    """Check what was pasted for the wallet and looked like text; else take a signature."""
    (key, text), screen.unchecked = screen.unchecked, ("", "")
    wallet = _wallet(screen)
    if text and wallet is not None and wallet.key == key:
        take_signature(screen, text)
    else:
        _begin(wallet_flow.signature_field, screen)


def _withdraw(screen: "WalletsScreen") -> None:
    desk = screen.desk
    limit = desk.settings.confirm_above_cents
    _begin(partial(wallet_flow.withdraw, now=desk.now, confirm_above_cents=limit), screen)


def _show_code(screen: "WalletsScreen") -> None:
    wallet = _wallet(screen)
    challenge = wallet.open_challenge(screen.desk.now) if wallet else None
    if wallet is None or challenge is None:
        return
    link = screen.session.link(challenge)
    title = f"{short_id(challenge.id)}  {'signing page' if link else wallet.network}"
    screen.app.push_screen(CodeBox(title, half_blocks(link or challenge.challenge)))


def _no_pages(screen: "WalletsScreen") -> str:
    return _no_wallet(screen) or (
        "" if screen.desk.signing_pages else "this deployment has no signing pages"
    )


def _new_page(screen: "WalletsScreen") -> None:
    link = new_link(screen.desk)
    _begin(partial(wallet_flow.issue, session=screen.session, link=link), screen)


def _issue_all(screen: "WalletsScreen") -> None:
    screen.clear_failure()
    desk = screen.desk
    link = new_link(desk) if desk.has_shared_pages else wallet_flow.NO_PAGE
    take(screen, several.issue_all(screen.book, screen.session, link, desk.now))


def _ready(screen: "WalletsScreen") -> "tuple[Wallet, ...]":
    return several.ready(screen.book, screen.session, screen.desk.now)


def _none_ready(screen: "WalletsScreen") -> str:
    if "claim" in screen.desk.writing:
        return "the signatures are submitted and not answered yet"
    return "" if _ready(screen) else "no wallet has a valid signature"


def _link_all(screen: "WalletsScreen") -> None:
    screen.clear_failure()
    take(screen, several.link_all(_ready(screen), screen.session))


def _filter(screen: "WalletsScreen") -> None:
    note = (("address, id or network   esc: all", "muted"),)
    screen.field_bar.open("filter", (("/ ", "key"),), value=screen.typed, note=note)


def _toggle_all(screen: "WalletsScreen") -> None:
    show_all(screen, on=not screen.shows_all)


def _open_account(screen: "WalletsScreen") -> None:
    customer_id = customer_of(screen.desk)
    if customer_id:
        take(screen, wallet_flow.open_account(customer_id, networks(screen)))


def _reverify(reason: ReverificationReason, words: str, screen: "WalletsScreen") -> None:
    _begin(partial(wallet_flow.require_reverification, reason=reason, words=words), screen)


_REASONS = {
    ReverificationReason.AGENT_REQUEST: "requested by an agent",
    ReverificationReason.SUSPICIOUS_ACTIVITY: "suspicious activity",
    ReverificationReason.SANCTIONS_HIT: "match on a sanctions list",
    ReverificationReason.POLICY_CHANGE: "change of the bank's policy",
}


# fmt: off
COMMANDS: tuple[Command["WalletsScreen"], ...] = (
    Command("wallets.open", "enter", "The next step of the wallet",
        lambda screen: screen.action_open(), _no_next_step, footer="next step", rank=1,
        scope="wallets:write"),
    Command("wallets.new", "plus", "Register a wallet's address",
        _register, _no_account, footer="new address", rank=1,
        scope="wallets:write"),
    Command("wallets.paste", "v", "Paste and verify a signature",
        _verify, _no_open_challenge, footer="verify", rank=1),
    Command("wallets.withdraw", "w", "Withdraw to the wallet",
        _withdraw, _not_withdrawable, footer="withdraw", rank=4, scope="transfers:write",
        feature="withdrawals"),
    Command("wallets.code", "q", "The link or the message to sign as a QR code",
        _show_code, _no_open_challenge, footer="QR", rank=3),
    Command("wallets.issue_all", "s", "A message to sign for each wallet that isn't verified",
        _issue_all, lambda screen: "" if screen.book.wallets else "no wallet is listed",
        scope="wallets:write"),
    Command("wallets.link_all", "l", "Link all wallets with a valid signature",
        _link_all, _none_ready, scope="wallets:write"),
    Command("wallets.filter", "slash,ctrl+f", "Filter the wallets",
        _filter, nothing_to_filter, footer="filter", rank=5, of_list=True),
    orders("wallets"),
    Command("wallets.all", "0", "All accounts, or the selected one",
        _toggle_all, _no_account, footer="all", footer_now=other_list, rank=4,
        feature="blockchain-accounts", of_list=True),
    Command("wallets.page", "", "signing page: a new message to sign, with a link",
        _new_page, _no_pages, scope="wallets:write"),
    Command("wallets.small_transfer", "", "small transfer: verify a wallet that can't sign",
        partial(_begin, second_method.ask_for_transfer), _no_wallet, scope="wallets:write",
        feature="small-transfers"),
    Command("wallets.statement", "",
        "ownership statement: record what the customer says about this wallet",
        partial(_begin, second_method.record_statement), _no_wallet, scope="wallets:write",
        feature="ownership-statements"),
    Command("wallets.open_account", "", "open a blockchain account",
        _open_account, always, scope="wallets:write", feature="blockchain-accounts"),
    *(
        Command(f"wallets.reverify_{reason}", "", f"re-verify this wallet: {words}",
            partial(_reverify, reason, words), _not_verified, scope="wallets:write",
            feature="reverifications")
        for reason, words in _REASONS.items()
    ),
)
# fmt: on
