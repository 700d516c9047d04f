"""Wallets screen: register a customer's wallet, verify it by a signature, withdraw to it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from textual import events
from textual.containers import Container, VerticalScroll
from textual.widget import Widget

from chainteller.domain.signing_pages import new_token
from chainteller.records.formats import RECORD_ID
from chainteller.service.errors import NotOffered, ServiceUnavailable, TellerError
from chainteller.tui.desk import Desk
from chainteller.tui.desk_screen import draw_around, is_detail_alone, refusal_text
from chainteller.tui.dialogs.question import Ask
from chainteller.tui.exports import Export, ready
from chainteller.tui.list_screen import Listed, ListScreen
from chainteller.tui.messages import FieldPasted, FieldSubmitted
from chainteller.tui.service_calls import call_service
from chainteller.tui.steps import Result, take
from chainteller.tui.wallets import flow, several, view
from chainteller.tui.wallets.book import (
    Book,
    Kind,
    Session,
    Shown,
    Verdict,
    Wallet,
    account_of,
    accounts_page,
    customer_of,
    find_account,
    read_book,
    wallet_of,
)
from chainteller.tui.widgets.challenge_box import ChallengeBox
from chainteller.tui.widgets.failure_panel import FailurePanel
from chainteller.tui.widgets.ground import Ground, titled
from chainteller.tui.widgets.lines import Lines, line
from chainteller.tui.widgets.paged_list import PAGE_ROWS, PagedList
from chainteller.tui.widgets.paste_field import SIGNATURE, STATEMENT, PasteFieldBar

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.counterparties import BlockchainAccount
    from chainteller.service.models.funding import LimitUsage
    from chainteller.tui.wallets.paste import Several

_NO_REAL_CUSTOMERS = frozenset({"DEMO", "TRAINING"})
"""Kinds of deployments where a sample wallet can sign."""
_REDRAW_WINDOW = 2_000_000
"""How long after its expiry a challenge is still redrawn, in microseconds."""


class WalletsScreen(ListScreen[Shown]):
    """The blockchain accounts of the selected customer with their wallets, or all accounts."""

    KEY = "wallets"
    CSS_PATH = "wallets.tcss"
    HAS_OWN_FIELD = True
    ORDERS = view.ORDERS
    EVERYTHING = {"only": 0}  # noqa: RUF012 - is never changed
    REMEMBERED = ("sort",)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.session = Session()
        self.book = Book()
        self.usage: tuple[LimitUsage, ...] = ()
        """Withdrawal limits of the selected wallet's trading account."""
        self.registered: dict[str, datetime | None] = {}
        """When wallets were registered, where the list doesn't say so."""
        self.listed_id = ""
        """The trading account whose wallets the list shows; empty for all accounts."""
        self.is_placed = False
        """Whether the cursor has its place in this list."""
        self.checking = ""
        self.searching = ""
        """Id of the challenge for which a signature is being checked."""
        self.unchecked = ("", "")
        """A wallet's key, and the paste that can be checked for it though it looks like text."""
        self.is_secret_typed = False
        """Whether a secret was typed into the address field, which was cleared then."""

    def body(self) -> Sequence[Widget]:
        left = Container(
            titled("Wallets", PagedList(view.COLUMNS, id="list")),
            titled("Message to sign", ChallengeBox(id="challenge-wide", classes="empty")),
            classes="list-side",
        )
        right = titled(
            "Wallet",
            VerticalScroll(
                Lines(id="wallet-head"),
                ChallengeBox(id="challenge-narrow", classes="empty"),
                Lines(id="wallet-rest"),
                classes="detail-side",
                can_focus=False,
            ),
        )
        pair = Container(left, right, classes="pair", id="wallet-pair")
        return [Ground(pair, PasteFieldBar(id="field-bar"), id="wallet-side")]

    @property
    def field_bar(self) -> PasteFieldBar:
        return self.query_one("#field-bar", PasteFieldBar)

    def mounted(self) -> None:
        super().mounted()
        self.run_worker(call_service(_load_libraries), group="libraries")
        if self.desk.settings.poll_interval_s > 0:
            self.set_interval(1.0, partial(_tick, self))
        self.desk.on_under_way.subscribe(self, partial(_draw_answered, self))
        _draw_title(self)

    # -- the list -----------------------------------------------------------------------------

    @property
    def shows_all(self) -> bool:
        return self.KEY in self.desk.customer.lists_all

    def resumed(self) -> None:
        _bind_to_customer(self)
        super().resumed()

    def _customer_changed(self, before: str) -> None:
        super()._customer_changed(before)
        if self.is_current and _bind_to_customer(self):
            self.reload()

    def fetch(self, page: int) -> Listed[Shown]:
        listed_id = account_to_list(self)
        service = self.desk.service_for(listed_id)
        if not listed_id:
            found, total = accounts_page(service, self.typed, page, PAGE_ROWS)
            return Listed(tuple((view.account_row(row), row) for row in found), total)
        own = self.desk.session
        self.session.workspace = own.workspace if own is not None else None
        self.session.offers = self.desk.offers
        self.book = read_book(service, listed_id, self.session)
        rows = view.book_rows(self.book, self.session, self.desk.now, self.typed, self.sort)
        start = (page - 1) * PAGE_ROWS
        return Listed(tuple(rows[start : start + PAGE_ROWS]), len(rows))

    def listed(self, total: int) -> None:
        can_list = self.desk.offers("blockchain-accounts")
        self.paged.say_empty(*view.empty_text(account_to_list(self), self.typed, can_list=can_list))
        if self.wanted_key is not None and self.paged.move_to_key(self.wanted_key):
            self.wanted_key, self.is_placed = None, True
        elif not self.is_placed and total:
            _place_cursor(self)
        _draw_running(self)  # with verdicts that are newer than these rows
        self.check_sent()
        self.row_chosen()

    def check_sent(self) -> None:
        """Check what came from a signing page, as if it had been pasted for its wallet."""
        wallet = None if self.checking else self.session.take_sent(self.book.wallets, self.desk.now)
        if wallet is not None and wallet.challenge is not None:
            self.desk.notify("the signing page has sent a signature", "muted")
            check_signature(self, wallet, str(wallet.challenge.page_signature))

    def row_chosen(self) -> None:
        self.read("limits", partial(_load_limits, self))
        draw(self)

    def _changed(self, kinds: tuple[str, ...]) -> None:
        if not all(kind.startswith(("quote.", "market.", "trade.")) for kind in kinds):
            super()._changed(kinds)

    def draw(self) -> None:
        draw(self)

    def find(self, text: str) -> None:
        """Show a blockchain account, wallet, challenge or claim, from the palette or a paste."""
        self.read("find", partial(_find, self, text))

    def action_open(self) -> None:
        """Enter: the detail first where it is hidden, then the wallet's next step."""
        chosen = self.selected
        if chosen is None:
            return
        if not isinstance(chosen, Wallet) and not account_to_list(self):
            self.read("go", partial(_go_to, self, chosen))
        elif not self.has_class("-wide") and not self.has_class("detail-open"):
            self.add_class("detail-open")
            draw(self)
        elif self.checking:
            self.desk.notify("the signature is still being checked", "muted")
        elif isinstance(chosen, Wallet):
            self.clear_failure()
            take(self, flow.next_step(chosen, self.session, self.desk.now, new_link(self.desk)))

    def step_back(self) -> bool:
        if super().step_back():
            draw(self)
            return True
        if self.typed:
            filter_by(self, "")
            return True
        return False

    def move_cursor(self, step: int) -> None:
        if is_detail_alone(self):
            self.query_one(".detail-side", VerticalScroll).scroll_relative(y=step, animate=False)
        else:
            super().move_cursor(step)

    # -- the field and pastes -----------------------------------------------------------------

    def field_changed(self, purpose: str, value: str) -> None:
        """A secret is cleared before it is whole. The field stays open, so that the rest of a
        paste that arrives as keys isn't taken for commands.
        """
        if purpose == "filter":
            filter_by(self, value.strip())
        elif purpose == flow.ADDRESS and value:
            self.is_secret_typed = self.is_secret_typed or flow.is_secret_typed(value)
            if self.is_secret_typed:
                self.field_bar.clear()

    def field_submitted(self, purpose: str, value: str) -> None:
        self.close_field()
        if purpose == SIGNATURE and value.strip():
            take_signature(self, value)
        elif purpose == flow.ADDRESS:
            _take_address(self, value)

    def on_field_pasted(self, message: FieldPasted) -> None:
        """Show a pasted address for the agent to register; a secret is refused at once."""
        if message.purpose == STATEMENT:
            self.field_bar.fill(" ".join(message.value.split()))
        elif flow.is_secret_typed(message.value):
            self.field_event(FieldSubmitted(message.purpose, message.value))
        elif self.field_bar.purpose == message.purpose:
            self.field_bar.fill("".join(message.value.split()))

    def field_closed(self, purpose: str) -> None:
        if purpose == "filter":
            filter_by(self, "")
        elif purpose == flow.ADDRESS:
            self.clear_failure()  # of the address, which is gone with its line

    def on_paste(self, event: events.Paste) -> None:
        """Check what looks like a signature; find an address, or offer to register it."""
        if RECORD_ID.fullmatch(event.text.strip()):
            return
        event.stop()
        self.read("paste", partial(_sort_paste, self, event.text))

    # -- what can be copied, exported and told ------------------------------------------------

    def object_id(self) -> str:
        chosen = self.selected
        if isinstance(chosen, Wallet):
            return chosen.counterparty.id
        return chosen.id if chosen else ""

    def main_text(self) -> str:
        """While a challenge waits for its signature, its link, or its text byte for byte."""
        wallet = wallet_of(self.selected)
        challenge = wallet.open_challenge(self.desk.now) if wallet else None
        if challenge is None:
            return self.query_one("#wallet-head", Lines).plain_text
        return self.session.link(challenge) or challenge.challenge

    def customer_text(self) -> str:
        failure, wallet = self.query_one(FailurePanel).failure, wallet_of(self.selected)
        if failure is not None and failure.code == flow.SECRET:
            return self.desk.customer_texts.fill("wallet.secret", {})
        if failure is not None or wallet is None:
            return refusal_text(self)
        if wallet.challenge is not None and wallet.challenge.id == self.checking:
            return self.desk.customer_texts.fill("wallet.checking", view.told_values(wallet, ""))
        verdict, now = self.session.verdict(wallet), self.desk.now
        values = view.told_values(wallet, self.desk.settings.bank_name)
        name, link = view.told_name(wallet, now), self.session.link(wallet.open_challenge(now))
        if verdict is not None and name == "signing":
            if not verdict.accepted:
                return verdict.diagnosis.ask_customer
            name = "claimed"  # enter submits it
        if link and name == "signing":
            name, values["link"] = "signing_page", link
        return self.desk.customer_texts.fill(f"wallet.{name}", values)

    def exports(self) -> Sequence[Export]:
        """The open challenge as a file with its bytes and nothing else, then those of the list."""
        wallet = wallet_of(self.selected)
        challenge = wallet.open_challenge(self.desk.now) if wallet else None
        if challenge is None:
            return super().exports()
        text, size = challenge.challenge, f"{len(challenge.challenge.encode()):,} bytes"
        make, file = partial(ready, text), f"chainteller-{challenge.id}.txt"
        file_of_text = Export("the message to sign, unchanged", file, make, lambda: size)
        return [file_of_text, *super().exports()]

    # -- the palette --------------------------------------------------------------------------

    def palette_entries(self) -> list[tuple[str, Callable[[], object]]]:
        """What a sample customer can do, and what runs it."""
        from chainteller.wallets.networks import known_network
        from chainteller.wallets.simulated import mistakes_of

        wallet = wallet_of(self.selected)
        network = known_network(wallet.network) if wallet is not None else None
        challenge = wallet.open_challenge(self.desk.now) if wallet is not None else None
        if not _can_simulate(self):
            return []
        if wallet is None or challenge is None or network is None:
            reason = "no message is waiting for a signature"
            return [(f"simulate: {reason}", partial(self.desk.notify, reason, "warn"))]
        rows: list[tuple[str, Callable[[], object]]]
        rows = [("simulate: sign correctly", partial(simulate, self, ""))]
        for name, words in mistakes_of(network.family).items():
            if name != "earlier-challenge" or wallet.earlier is not None:
                rows.append((f"simulate {name}: {words}", partial(simulate, self, name)))
        return rows


def _load_libraries() -> None:
    """Load what checks signatures, in a thread, so that the first check doesn't wait for it."""
    from chainteller.tui.wallets import paste as wallet_pastes

    wallet_pastes.load_curve()


# -- places ----------------------------------------------------------------------------------------


def account_to_list(screen: WalletsScreen) -> str:
    """The trading account whose wallets are to be listed; empty for all blockchain accounts."""
    return "" if screen.shows_all else customer_of(screen.desk)


def _bind_to_customer(screen: WalletsScreen) -> bool:
    """Put away what belongs to another customer than the one served; whether there was any."""
    if account_to_list(screen) == screen.listed_id:
        return False
    screen.close_field()
    screen.book, screen.usage, screen.typed = Book(), (), ""
    screen.unchecked = ("", "")
    start_over(screen)
    draw(screen)
    return True


def start_over(screen: WalletsScreen) -> None:
    """Forget the rows of another account or filter; the cursor is placed again."""
    screen.listed_id, screen.is_placed = account_to_list(screen), False
    screen.remove_class("detail-open")
    screen.pages.forget()


def filter_by(screen: WalletsScreen, wanted: str) -> None:
    screen.typed = wanted
    start_over(screen)
    screen.reload()


def show_all(screen: WalletsScreen, *, on: bool) -> None:
    (set.add if on else set.discard)(screen.desk.customer.lists_all, screen.KEY)
    start_over(screen)
    screen.reload()
    draw_around(screen)


def _place_cursor(screen: WalletsScreen) -> None:
    """Move to a wallet that waits for the agent, else to the first one."""
    screen.is_placed = True
    wallets = screen.book.wallets if screen.listed_id else ()
    now = screen.desk.now
    waiting = [row for row in wallets if row.state(now) in {"signing", "claimed"}]
    any(screen.paged.move_to_key(row.key) for row in (*waiting, *wallets))


async def _find(screen: WalletsScreen, text: str) -> None:
    try:
        found = await call_service(find_account, screen.desk, text)
    except NotOffered:
        await _ask_whose(screen, text)
        return
    if found is None:
        screen.desk.notify(f"no account found for {text}", "warn")
    else:
        await _go_to(screen, *found)


async def _ask_whose(screen: WalletsScreen, identifier: str) -> None:
    """Add a blockchain account to the served customer's, once the agent has said that it's theirs.

    Raises:
        NotFound: the deployment knows no such account.
    """
    desk, owner_id = screen.desk, customer_of(screen.desk)
    if not owner_id:
        desk.notify(f"{identifier}: select its customer first, then paste it again", "warn")
        return
    await call_service(desk.service.linked_counterparties, identifier)
    question = Ask(
        f"ADD {identifier} TO {owner_id}?",
        ("This deployment doesn't tell whose it is.", f"Customer: {desk.customer.label}"),
    )
    if await desk.confirm(question):
        known = await call_service(_know_account, desk, owner_id, identifier)
        await _go_to(screen, known)


async def _go_to(
    screen: WalletsScreen, account: "BlockchainAccount", counterparty_id: str = ""
) -> None:
    """Select the customer of a blockchain account and show it, or a wallet of it."""
    desk = screen.desk
    owner = await call_service(desk.service.trading_account, account.trading_account_id)
    desk.customer.serve(owner)
    screen.typed = ""
    screen.wanted_key = f"{account.id}/{counterparty_id}" if counterparty_id else account.id
    show_all(screen, on=False)


async def _load_limits(screen: WalletsScreen) -> None:
    """What may leave to the selected wallet, and when it was registered (for its hold)."""
    wallet, account = wallet_of(screen.selected), account_of(screen.selected)
    if account is None:
        return
    service = screen.desk.service_for(account.trading_account_id)
    try:
        found = await call_service(service.limits, account.trading_account_id)
        if wallet is not None and wallet.counterparty.created is None:
            known = await call_service(service.counterparty, wallet.counterparty.id)
            screen.registered[known.id] = known.created
    except TellerError:
        screen.usage = ()
    else:
        screen.usage = found.data
    draw(screen)


# -- addresses and signatures ----------------------------------------------------------------------


def networks(screen: WalletsScreen) -> tuple[str, ...]:
    """The networks that the deployment offers; where it doesn't say, all that are known."""
    from chainteller.wallets.networks import network_names

    started = screen.desk.started
    offered = started.capabilities.networks if started and started.capabilities else ()
    return offered or network_names()


def begin_registration(screen: WalletsScreen, address: str = "") -> None:
    screen.is_secret_typed = False
    can_open = screen.desk.offers("blockchain-accounts")
    offered = networks(screen) if can_open else ()
    customer_id = customer_of(screen.desk)
    know = partial(_know_account, screen.desk, customer_id)
    take(screen, flow.begin_registration(customer_id, screen.book, offered, know, address=address))


def _know_account(desk: Desk, customer_id: str, identifier: str) -> "BlockchainAccount":
    """Put a blockchain account of the customer on this desk's list.

    Raises:
        NotFound: the deployment knows no such account.
        ServiceUnavailable: the desk is still starting.
    """
    if desk.session is None:
        raise ServiceUnavailable("The engine is still starting.", {"reason": "STARTING"})
    return desk.session.know_blockchain_account(identifier, customer_id)


def _take_address(screen: WalletsScreen, text: str) -> None:
    if screen.is_secret_typed:
        screen.is_secret_typed = False
        take(screen, flow.refuse_secret())
        return
    account = account_of(screen.selected) or next(iter(screen.book.accounts), None)
    owner_id = account.trading_account_id if account is not None else customer_of(screen.desk)
    if owner_id and text.strip():
        screen.clear_failure()
        take(screen, flow.register(text, owner_id, account, networks(screen), screen.session))


def new_link(desk: Desk) -> flow.PageLink:
    """A link for a new signing page, where the deployment has them."""
    pages = desk.signing_pages
    return flow.PageLink(pages, new_token(desk.settings.randomness) if pages else "")


def take_signature(screen: WalletsScreen, text: str, *, signed_text: str = "") -> None:
    """Check a signature for the selected wallet, without submitting it; ``signed_text`` is what the
    customer's wallet shows as signed.
    """
    screen.clear_failure()
    wallet = wallet_of(screen.selected)
    if wallet is None or wallet.challenge is None:
        take(screen, flow.refuse_signature(wallet, text))
        return
    if not screen.has_class("-wide"):
        screen.add_class("detail-open")
    check_signature(screen, wallet, text, signed_text)


def check_signature(
    screen: WalletsScreen, wallet: Wallet, text: str, signed_text: str = ""
) -> None:
    """Check a signature of a wallet that has a challenge."""
    if wallet.challenge is None:
        return
    screen.checking = wallet.challenge.id
    draw(screen)
    screen.read("diagnosis", partial(_check_signature, screen, wallet, text, signed_text))


async def _check_signature(
    screen: WalletsScreen, wallet: Wallet, text: str, signed_text: str
) -> None:
    """Show the verdict, and then what a longer search finds where the first one found nothing."""
    from chainteller.tui.wallets import paste as wallet_pastes

    desk = screen.desk
    service = desk.service_for(wallet.account.trading_account_id)
    judge = partial(
        wallet_pastes.judge, service, screen.book, wallet, text, desk.now, signed_text=signed_text
    )
    try:
        found = await call_service(partial(wallet_pastes.several, screen.book, text, desk.now))
        if found is not None:
            await _check_several(screen, found, service)
            return
        verdict = await call_service(judge)
    finally:
        screen.checking = ""
    _show_verdict(screen, wallet, verdict)
    screen.check_sent()
    if not verdict.can_search_longer:
        return
    screen.searching = verdict.challenge_id
    draw(screen)
    try:
        verdict = await call_service(partial(judge, longer=True))
    finally:
        screen.searching = ""
        draw(screen)
    _show_verdict(screen, wallet, verdict)


async def _check_several(screen: WalletsScreen, found: "Several", service: "Service") -> None:
    """Show the verdict on each of several signatures, at the wallet that it's about."""
    from chainteller.tui.wallets import paste as wallet_pastes

    judge, proved = partial(wallet_pastes.judge, service, screen.book), 0
    chosen = wallet_of(screen.selected)
    for wallet, signature in found.parts:
        verdict = await call_service(partial(judge, wallet, signature, screen.desk.now))
        proved += verdict.accepted
        if verdict.accepted or not found.is_key or chosen is None or wallet.key == chosen.key:
            _show_verdict(screen, wallet, verdict)
    count = len(several.ready(screen.book, screen.session, screen.desk.now))
    text = f"{proved} of {proved + found.others} signatures prove a message to sign"
    if found.is_key:
        text = f"the key proves {proved} of {len(found.parts)} wallets"
    links = f"   l: link {count} wallet{'s' if count > 1 else ''}" if count else ""
    screen.desk.notify(f"{text}{links}", "good" if proved and not found.others else "warn")


def _show_verdict(screen: WalletsScreen, wallet: Wallet, verdict: Verdict) -> None:
    """A longer search that found nothing more isn't news."""
    desk, shown = screen.desk, screen.session.verdicts.get(verdict.challenge_id)
    screen.session.verdicts[verdict.challenge_id] = verdict
    if shown is None or not verdict.repeats(shown):
        desk.notify(*flow.verdict_notice(wallet, verdict, desk.now))
    screen.paged.replace_row(view.wallet_row(wallet, verdict, desk.now))
    draw(screen)


async def _sort_paste(screen: WalletsScreen, text: str) -> None:
    from chainteller.tui.wallets import paste as wallet_pastes
    from chainteller.wallets.reader import is_of

    wallet = wallet_of(screen.selected)
    network = wallet.network if wallet else ""
    ours = wallet_pastes.messages(screen.book)
    paste = await call_service(lambda: wallet_pastes.look_at(text, network, ours))
    address, screen.unchecked = "".join(text.split()), ("", "")
    if paste.kind is Kind.ADDRESS and wallet is not None and wallet.counterparty.address == address:
        take_signature(screen, text)  # instead of the signature that this step is for
    elif paste.kind is Kind.ADDRESS:
        known = [row for row in screen.book.wallets if row.counterparty.address == address]
        if not (known and screen.paged.move_to_key(known[0].key)):
            begin_registration(screen, address)
    elif paste.kind in {Kind.SIGNATURE, Kind.SECRET} or is_of(text, ours):
        take_signature(screen, text)
    elif paste.kind is Kind.TEXT and (refused := _unexplained(screen, wallet)):
        take_signature(screen, refused, signed_text=text)
    elif paste.kind is Kind.TEXT:
        anyway = ""
        if wallet is not None and wallet.open_challenge(screen.desk.now):
            anyway, screen.unchecked = "   v: check it anyway", (wallet.key, text)
        screen.desk.notify(f"the pasted text isn't a signature{anyway}", "muted")


def _unexplained(screen: WalletsScreen, wallet: Wallet | None) -> str:
    """The wallet's refused signature that the text of the customer's wallet may explain."""
    verdict = screen.session.verdict(wallet) if wallet is not None else None
    return verdict.unexplained if verdict is not None else ""


def _can_simulate(screen: WalletsScreen) -> bool:
    return screen.desk.settings.kind in _NO_REAL_CUSTOMERS


def simulate(screen: WalletsScreen, mistake: str) -> None:
    """Let the sample customer answer, as if by mail."""
    wallet = wallet_of(screen.selected)
    if wallet is None or not _can_simulate(screen):
        screen.desk.notify("only in the demo and in training", "warn")
    else:
        screen.read("simulate", partial(_simulate, screen, wallet, mistake))


async def _simulate(screen: WalletsScreen, wallet: Wallet, mistake: str) -> None:
    answer = await call_service(flow.simulated_answer, wallet, mistake)
    if isinstance(answer, Result):
        take(screen, answer)
    else:
        screen.desk.notify("the sample customer has answered", "muted")
        take_signature(screen, answer)


# -- drawing ---------------------------------------------------------------------------------------


def _tick(screen: WalletsScreen) -> None:
    """Redraw once a second while a challenge is running out."""
    if screen.is_current and _draw_running(screen):
        draw(screen)


def _draw_running(screen: WalletsScreen) -> bool:
    """Redraw the rows whose challenge is running out; whether there are any."""
    now = screen.desk.now
    running = [
        row
        for row in screen.book.wallets
        if row.challenge_state(now - _REDRAW_WINDOW) == "open" or row.is_sending(now)
    ]
    for row in running:
        screen.paged.replace_row(view.wallet_row(row, screen.session.verdict(row), now))
    return bool(running)


def draw(screen: WalletsScreen) -> None:
    """Draw the title, the footer and what is selected."""
    _draw_title(screen)
    screen.draw_footer()
    chosen, now = screen.selected, screen.desk.now
    head, rest = screen.query_one("#wallet-head", Lines), screen.query_one("#wallet-rest", Lines)
    _draw_challenge(screen, wallet_of(chosen))
    if not isinstance(chosen, Wallet):
        head.show(view.account_detail(chosen, now) if chosen else [])
        rest.show([])
        return
    row = chosen.counterparty
    registered = row.created or screen.registered.get(row.id)
    challenge_id = chosen.challenge.id if chosen.challenge is not None else None
    is_checking = screen.checking == challenge_id
    verdict = None if is_checking else screen.session.verdict(chosen)
    detail = view.Detail(
        chosen, verdict, screen.usage, registered,
        is_checking=is_checking,
        is_searching=screen.searching == challenge_id,
        is_sending="claim" in screen.desk.writing,
        can_simulate=_can_simulate(screen),
    )  # fmt: skip
    frame = view.Frame(*screen.size, is_wide=screen.has_class("-wide"))
    head.show(view.head_lines(chosen, verdict, frame, now, screen.customer_text()))
    rest.show(view.rest_lines(detail, frame, now))


def _draw_answered(screen: WalletsScreen, _: None) -> None:
    """A request was answered, or isn't after a while."""
    if screen.is_current:
        draw(screen)


def _draw_challenge(screen: WalletsScreen, wallet: Wallet | None) -> None:
    """Below the list in wide windows, in the detail in narrow ones; the other box is hidden."""
    wide = screen.query_one("#challenge-wide", ChallengeBox)
    narrow = screen.query_one("#challenge-narrow", ChallengeBox)
    challenge = wallet.open_challenge(screen.desk.now) if wallet else None
    if wallet is None or challenge is None:
        wide.show(line(), "", [])
        narrow.show(line(), "", [])
        return
    link = screen.session.link(challenge)
    if link:
        signed = several.progress(screen.book, screen.session, challenge, screen.desk.now)
        head, text, how = view.PAGE_HEAD, link, view.page_lines(challenge, *signed)
    else:
        head, text = view.challenge_head(wallet), challenge.challenge
        how = view.how_to_sign(wallet)
    wide.show(head, text, how)
    narrow.show(head, text, [] if screen.session.verdict(wallet) else how)


def _draw_title(screen: WalletsScreen) -> None:
    wallet, served = wallet_of(screen.selected), screen.desk.customer.account
    if is_detail_alone(screen) and wallet is not None and served is not None:
        screen.title_line(view.wallet_title(wallet, served))
    else:
        listed = served if account_to_list(screen) else None
        book = screen.book if screen.paged.total is not None else None
        screen.title_line(view.title(listed, book, screen.typed))
