"""The selected wallet on Wallets: address, steps, text, verdict and limits, drawn from values."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from textual.screen import Screen

from chainteller.tui.desk import Desk
from chainteller.tui.formats import Piece, short_id
from chainteller.tui.wallets import diagnosis_view as wallets_why
from chainteller.tui.wallets import view as wallets_view
from chainteller.tui.wallets.book import SEARCHED, Book, Wallet
from chainteller.tui.wallets.paste import Verdict
from chainteller.tui.widgets.challenge_box import ChallengeBox
from chainteller.tui.widgets.lines import Line, Lines, line

if TYPE_CHECKING:
    from chainteller.service.models.counterparties import BlockchainAccount
    from chainteller.service.models.funding import LimitUsage

_WIDE_ROOM = 45
_TALL = 30
_NO_TEXT = line()
SIMULATING = frozenset({"DEMO", "TRAINING"})
"""Places without real customers, where a sample wallet can sign."""


class Host(Protocol):
    """What the pane reads of the screen, which is a ``Screen`` with these values."""

    desk: Desk
    verdicts: dict[str, Verdict]
    book: Book
    limits: "tuple[LimitUsage, ...]"
    created: "dict[str, datetime | None]"
    checking: str
    wanted: str

    @property
    def wallet(self) -> Wallet | None: ...
    @property
    def blockchain_account(self) -> "BlockchainAccount | None": ...
    @property
    def whose(self) -> str: ...
    @property
    def as_screen(self) -> Screen[None]: ...

    def draw_footer(self) -> None: ...
    def title_line(self, shown: Line) -> None: ...


class WalletPane:
    def __init__(self, host: Host) -> None:
        self._host = host

    @property
    def _is_wide(self) -> bool:
        return self._host.as_screen.has_class("-wide")

    @property
    def _room(self) -> int:
        return _WIDE_ROOM if self._is_wide else self._host.as_screen.size.width - 3

    def draw(self) -> None:
        self.draw_title()
        self._host.draw_footer()
        host, wallet = self._host, self._host.wallet
        head = host.as_screen.query_one("#wallet-head", Lines)
        rest = host.as_screen.query_one("#wallet-rest", Lines)
        self._draw_challenge(wallet)
        if wallet is None:
            account = host.blockchain_account
            now = host.desk.now
            head.show(wallets_view.account_detail(account, now) if account else [])
            rest.show([])
        else:
            verdict = wallets_view.verdict_of(wallet, host.verdicts)
            head.show(self._head(wallet, verdict))
            rest.show(self._rest(wallet, verdict))

    def _head(self, wallet: Wallet, verdict: Verdict | None) -> list[Line]:
        now, rows = self._host.desk.now, wallets_view.wallet_head(wallet, self._room)
        if not self._is_wide:
            return [*rows[1:], wallets_view.steps_line(wallet, verdict, now)]
        return [*rows, line(), *wallets_view.steps(wallet, verdict, now), line()]

    def _rest(self, wallet: Wallet, verdict: Verdict | None) -> list[Line]:
        now = self._host.desk.now
        created = self.with_created(wallet).counterparty.created
        limits = wallets_view.limits(wallet, self._host.limits, created, now)
        next_line = wallets_view.next_line(wallet, verdict, now)
        if wallet.challenge is None or (verdict is None and wallet.state(now) != "signing"):
            return [next_line, line(), *wallets_view.standing(wallet), *limits]
        if self._host.checking == wallet.challenge.id:
            return [line(("SIGNATURE", "strong"), ("  checking", "muted"))]
        signature = wallets_why.signature_line(verdict)
        if verdict is None:
            standing = wallets_view.standing(wallet)
            simulates = self._host.desk.settings.kind in SIMULATING
            answers = [wallets_view.SIMULATE] if simulates else []
            return [signature, next_line, *answers, line(), *standing, *limits]
        compact = self._host.as_screen.size.height < _TALL
        why = wallets_why.verdict_lines(wallet, verdict, now, self._room, compact=compact)
        return [signature, *(() if compact else (line(),)), *why]

    def _draw_challenge(self, wallet: Wallet | None) -> None:
        """The box stands in the list's column where that is wide, else in the detail."""
        screen = self._host.as_screen
        wide = screen.query_one("#challenge-wide", ChallengeBox)
        narrow = screen.query_one("#challenge-narrow", ChallengeBox)
        challenge = wallet.challenge if wallet else None
        if (
            wallet is None
            or challenge is None
            or wallet.challenge_state(self._host.desk.now) != "open"
        ):
            wide.show(_NO_TEXT, "", [])
            narrow.show(_NO_TEXT, "", [])
            return
        head, how = wallets_view.challenge_head(wallet), wallets_view.how_to_sign(wallet)
        judged = wallets_view.verdict_of(wallet, self._host.verdicts) is not None
        wide.show(head, challenge.challenge, how)
        narrow.show(head, challenge.challenge, [] if judged else how)

    def with_created(self, wallet: Wallet) -> Wallet:
        """The wallet with the time of its registration, where that was asked for apart."""
        row = wallet.counterparty
        created = row.created or self._host.created.get(row.id)
        return replace(wallet, counterparty=row.model_copy(update={"created": created}))

    def empty_text(self) -> tuple[Piece, ...]:
        """What stands for the list when it has no rows; it names the next key."""
        host, nothing = self._host, ("No blockchain account yet.  ", "")
        if host.wanted:
            return ((f"nothing matches {host.wanted}   ", ""), ("esc", "key"), (" all", "muted"))
        if host.whose and not host.desk.offers("blockchain-accounts"):
            lists = ("This deployment cannot list blockchain accounts.  ", "")
            return (lists, ("paste", "key"), (" BCA_... to add one", "muted"))
        if host.whose:
            opens = (" open one   ", "muted")
            return (nothing, ("+", "key"), opens, ("0", "key"), (" all accounts", "muted"))
        return (nothing, ("1", "key"), (" choose an account first", "muted"))

    def draw_title(self) -> None:
        host = self._host
        account, wallet = host.desk.choice.account, host.wallet
        opened = host.as_screen.has_class("detail-open") and not self._is_wide
        if opened and wallet is not None:
            shown = line(
                (" WALLET", "strong"),
                f"  {wallet.counterparty.id}  {wallet.network}",
                right=((f"{short_id(wallet.account.id)} ", "muted"),),
            )
        elif not host.whose or account is None:
            keys = "  enter: its wallets   0: one account"
            searched = f"  in the newest {SEARCHED}  /{host.wanted}" if host.wanted else ""
            whole = "  all blockchain accounts"
            told = (searched, "accent") if searched else (keys, "muted")
            shown = line((" WALLETS", "strong"), whole, told)
        else:
            shown = line(
                (" WALLETS", "strong"),
                f"  {account.id}  {account.bank_account_id}",
                (f"  /{host.wanted}" if host.wanted else "", "accent"),
                ("  0: all", "muted"),
                right=((self._count(), "muted"),),
            )
        host.title_line(shown)

    def _count(self) -> str:
        host = self._host
        count = len(host.book.wallets)
        matching = (
            f"{len(wallets_view.matching(host.book.wallets, host.wanted))} of "
            if host.wanted
            else ""
        )
        more = "" if host.book.complete else ", more than shown"
        return f"{matching}{count} wallet{'' if count == 1 else 's'}{more} "
