"""Wallets as lines: rows of the list, the title, the selected wallet and its verification."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from chainteller.domain import search_texts
from chainteller.domain.challenges import MAXIMUM_ATTEMPTS, is_verified
from chainteller.domain.clock import from_datetime
from chainteller.domain.evidence import AddressCode
from chainteller.domain.limits import UNVERIFIED_HOLD
from chainteller.records.formats import (
    Piece,
    countdown,
    grouped,
    seconds_between,
    short_address,
    short_id,
    status,
    when,
)
from chainteller.records.wallets import CHALLENGE, SMALL_TRANSFER, VERIFICATIONS, WALLET
from chainteller.tui.answer import say, work_title
from chainteller.tui.wallets.book import (
    SEARCHED,
    Book,
    Kind,
    Session,
    Shown,
    Verdict,
    Wallet,
    limits_of,
)
from chainteller.tui.wallets.second_method import second_lines
from chainteller.tui.widgets.lines import Line, cut, heading, line, wrapped
from chainteller.tui.widgets.paged_list import Column, Row
from chainteller.wallets.findings import INCOMPLETE

if TYPE_CHECKING:
    from chainteller.service.models.accounts import TradingAccount
    from chainteller.service.models.counterparties import BlockchainAccount, Challenge
    from chainteller.service.models.funding import LimitUsage

COLUMNS = (
    Column("ADDRESS", 17, grows=True, whole=66),
    Column("NETWORK", 8, most=10),
    Column("STATE", 16, most=18),
    Column("TIME LEFT", 9, most=17),
)
_EXPIRING_S = 300
_DAY_S = 86_400

_STATES: dict[str, Piece] = {
    "registered": ("[1/5] registered", "muted"),
    "sending": ("[3/5] transfer", "warn"),
    "signing": ("[3/5] signature", "warn"),
    "lapsed": ("[2/5] expired", "bad"),
    "locked": ("[2/5] locked", "bad"),
    "claimed": ("[5/5] enter link", "accent"),
    **VERIFICATIONS,
}


def state_piece(wallet: Wallet, verdict: Verdict | None, now: int) -> Piece:
    state = wallet.state(now)
    if state == "signing" and verdict is not None:
        return ("[4/5] claim", "accent") if verdict.accepted else ("[3/5] not accepted", "bad")
    return _STATES.get(state, (f"[?] {state}", "muted"))


def account_row(account: "BlockchainAccount", wallets: int | None = None) -> Row:
    """A blockchain account; ``wallets`` is left out where they were not counted."""
    count = "" if wallets is None else f"{wallets} wallet{'' if wallets == 1 else 's'}"
    whose = count or short_id(account.trading_account_id)
    return Row(
        account.id,
        (
            (short_id(account.id), "strong"),
            (account.network, "muted"),
            status(account.status) if account.created else ("-", "muted"),
            (whose, "muted"),
        ),
    )


def wallet_row(wallet: Wallet, verdict: Verdict | None, now: int) -> Row:
    return Row(
        wallet.key,
        (
            ("  " + short_address(wallet.counterparty.address), ""),
            (wallet.network, ""),
            state_piece(wallet, verdict, now),
            _time(wallet, now),
        ),
        ((0, f"  {wallet.counterparty.address}"),),
    )


def _time(wallet: Wallet, now: int) -> Piece:
    state, verification = wallet.state(now), wallet.counterparty.verification
    if state in {"sending", "signing"}:
        return left_piece(wallet, now)
    if verification is not None and is_verified(state):
        tone = "warn" if state == "expiring" else "muted"
        return f"re-verify {verification.expires_at:%d%b%y}", tone
    return "-", "muted"


_UNTOLD: Piece = ("until: not provided", "muted")


def left_piece(wallet: Wallet, now: int) -> Piece:
    """How long the transfer is awaited or the challenge open, as far as the deployment tells."""
    seconds = wallet.seconds_for_transfer(now)
    if seconds is None:
        seconds = wallet.seconds_left(now)
    if seconds is None:
        return _UNTOLD
    return countdown(seconds), "expiring" if seconds < _EXPIRING_S else ""


def book_rows(
    book: Book, session: Session, now: int, wanted: str, order: int = 0
) -> list[tuple[Row, Shown]]:
    """Each account with its wallets below it; ``wanted`` filters by address, id or network."""
    rows: list[tuple[Row, Shown]] = []
    for account in book.accounts:
        own = matching(book.of(account.id), wanted)
        own.sort(key=lambda wallet: _place(wallet, order, now))
        if wanted and not own:
            continue
        rows.append((account_row(account, len(own)), account))
        rows += [(wallet_row(each, session.verdict(each), now), each) for each in own]
    return rows


ORDERS = (("", "as registered"), ("", "waiting first"), ("", "network"))
_WAITING = (
    "sending", "signing", "claimed", "registered", "lapsed", "locked", "expiring", "expired",
)  # fmt: skip


def _place(wallet: Wallet, order: int, now: int) -> tuple[int, str]:
    """Where a wallet stands among those of its account; equal ones stay as they are."""
    state = wallet.state(now)
    if order == 1:
        return (_WAITING.index(state) if state in _WAITING else len(_WAITING), "")
    return (0, wallet.network if order else "")


def matching(wallets: Iterable[Wallet], wanted: str) -> list[Wallet]:
    return [wallet for wallet in wallets if _matches(wallet, wanted)]


def _matches(wallet: Wallet, wanted: str) -> bool:
    told = (wallet.counterparty.address, wallet.counterparty.id, wallet.network)
    if not wanted or any(wanted.lower() in part.lower() for part in told):
        return True
    asked, keys = search_texts.read(wanted), [search_texts.key_of(part) for part in told]
    ends = [(search_texts.key_of(each.begin), each.end.lower()) for each in asked.ids]
    return any(
        key.startswith(begin) and key.endswith(end)
        for begin, end in [*asked.ends, *ends]
        for key in keys
    )


def title(listed: "TradingAccount | None", book: Book | None, wanted: str) -> Line:
    """The title over the list; ``listed`` is None when it shows all accounts, ``book`` until it's
    there."""
    if listed is None:
        searched = f"  in the newest {SEARCHED}  /{wanted}" if wanted else ""
        note = (searched, "accent") if searched else ("  enter: its wallets", "muted")
        return line((" WALLETS", "strong"), "  all blockchain accounts", note)
    narrowed, counted = f"  /{wanted}" if wanted else "", _count(book, wanted) if book else ""
    bank_account = (f"  {listed.bank_account_id}", "")
    return work_title("WALLETS", listed, narrowed, bank_account, right=((counted, "muted"),))


def wallet_title(wallet: Wallet, owner: "TradingAccount") -> Line:
    """The title over a wallet's detail where that hides the list."""
    name = owner.customer_name or ""
    which = f"  {short_id(wallet.counterparty.id)}  {wallet.network}"
    right = ((f"{short_id(owner.id)} ", "muted"),)
    return line((" WALLET", "strong"), f"  {name}" if name else "", which, right=right)


def _count(book: Book, wanted: str) -> str:
    count = len(book.wallets)
    linked = sum(bool(each.counterparty.verification_state) for each in book.wallets)
    of = f"{len(matching(book.wallets, wanted))} of " if wanted else ""
    more = "" if book.is_complete else ", more than shown"
    return f"{of}{count} wallet{'' if count == 1 else 's'}, {linked} linked{more} "


def empty_text(listed_id: str, wanted: str, *, can_list: bool) -> tuple[Piece, ...]:
    """The text of a list without rows; it names the next key."""
    nothing = ("No wallet yet.  ", "")
    if wanted:
        return ((f'No matches for "{wanted}"   ', ""), ("esc", "key"), (" all", "muted"))
    if listed_id and not can_list:
        cannot = ("This deployment can't list blockchain accounts.  ", "")
        return (cannot, ("paste", "key"), (" BCA_... to add one", "muted"))
    if listed_id:
        opens = (" registers an address   ", "muted")
        return (nothing, ("+", "key"), opens, ("0", "key"), (" all accounts", "muted"))
    return (nothing, ("1", "key"), (" choose an account first", "muted"))


# -- the selected wallet ---------------------------------------------------------------------------

_WIDE_ROOM = 45
_TALL = 30
_TELLS = 36
"""Rows of a window in which the words for the customer stand beside the rest."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The room for the detail: beside the list in wide windows, instead of it in narrow ones."""

    window_width: int
    window_height: int
    is_wide: bool

    @property
    def width(self) -> int:
        return _WIDE_ROOM if self.is_wide else self.window_width - 3

    @property
    def is_tall(self) -> bool:
        return self.window_height >= _TALL

    @property
    def says(self) -> bool:
        """Whether what to tell the customer stands above the steps."""
        return self.is_wide and self.window_height >= _TELLS


@dataclass(frozen=True, slots=True)
class Detail:
    """What the detail of a wallet is drawn from.

    Attributes:
        registered: When the wallet was registered, if that is known.
        is_checking: Whether a signature for its challenge is being checked.
        is_searching: Whether a longer search follows the verdict.
        is_sending: Whether a signature is submitted and not answered yet.
        can_simulate: Whether a sample customer can sign here.
    """

    wallet: Wallet
    verdict: Verdict | None
    usage: "tuple[LimitUsage, ...]"
    registered: datetime | None
    is_checking: bool
    is_searching: bool
    is_sending: bool
    can_simulate: bool


def head_lines(
    wallet: Wallet, verdict: Verdict | None, frame: Frame, now: int, words: str = ""
) -> list[Line]:
    """How far the wallet is, ``words`` for the customer where there is room, its address, and the
    steps.
    """
    rows = wallet_head(wallet, frame.width)
    if not frame.is_wide:
        return [*rows[1:], steps_line(wallet, verdict, now)]
    state = line(("NOW  ", "key"), state_piece(wallet, verdict, now))
    said = [*say(words, frame.width), line()] if words and frame.says else []
    return [state, *said, *rows, line(), *steps(wallet, verdict, now), line()]


def rest_lines(detail: Detail, frame: Frame, now: int) -> list[Line]:
    """Signature and verdict, or the next step, with what may leave to the wallet."""
    wallet, verdict = detail.wallet, detail.verdict
    is_signing = wallet.challenge is not None and wallet.state(now) == "signing"
    if detail.is_checking and (is_signing or verdict is not None):
        return [line(("SIGNATURE", "strong"), ("  checking", "muted"))]
    if verdict is not None:
        why = verdict_lines(wallet, verdict, frame, now, is_searching=detail.is_searching)
        if verdict.accepted:
            why.append(_IS_SENT if detail.is_sending else _SUBMITS)
        return [signature_line(verdict), *((line(),) if frame.is_tall else ()), *why]
    rows = [signature_line(None)] if is_signing else []
    rows.append(next_line(wallet, None, now))
    if wallet.state(now) == "expiring":
        rows.append(line(*_ENDS))
    if is_signing and detail.can_simulate:
        rows.append(SIMULATE)
    other = second_lines(wallet, now, frame.width)
    below = limits(wallet, detail.usage, detail.registered, now)
    return [*rows, line(), *other, *standing(wallet, has_state=not frame.is_wide), *below]


_SUBMITS = line(("enter", "key"), (" submits it and links the wallet", "accent"))
_IS_SENT = line(("submitted, waiting for the answer", "muted"))

# -- the steps ------------------------------------------------------------------------------------

_DONE: Piece = ("[ok]", "good")
_NOW: Piece = ("[>] ", "warn")
_LATER: Piece = ("[ ] ", "muted")
_WRONG: Piece = ("[x] ", "bad")


_ON_CHAIN = {
    AddressCode.CONTRACT.value: "a contract, which has owners and no key",
    AddressCode.DELEGATED.value: "has a key, and lets a contract act for it",
}


def wallet_head(wallet: Wallet, width: int) -> list[Line]:
    """The address whole: it is compared here. Then what it is, where a chain said it."""
    address, on_chain = wallet.counterparty.address, wallet.counterparty.on_chain
    what = _ON_CHAIN.get(on_chain.code) if on_chain is not None else None
    told = f"{what} (block {on_chain.block})" if on_chain is not None and what else ""
    return [
        line((wallet.counterparty.id, "strong"), right=((wallet.network, ""),)),
        *(line(row) for row in cut(address, width)),
        *(line((row, "muted")) for row in wrapped(told, width) if row),
    ]


def steps(wallet: Wallet, verdict: Verdict | None, now: int) -> list[Line]:
    """The five steps below each other."""
    marks, notes = _marks(wallet, verdict, now), _notes(wallet, verdict, now)
    is_sending = wallet.transfer(now) is not None
    names = (
        "1 address registered",
        "2 transfer requested" if is_sending else "2 message created",
        "3 customer sends" if is_sending else "3 customer signs",
        "4 claim",
        "5 link counterparty",
    )
    return [
        line(mark, f" {name}", right=(note,))
        for mark, name, note in zip(marks, names, notes, strict=True)
    ]


def steps_line(wallet: Wallet, verdict: Verdict | None, now: int) -> Line:
    """The five steps on one line, for narrow windows."""
    is_sending = wallet.transfer(now) is not None
    by = ("2 transfer", "3 send") if is_sending else ("2 challenge", "3 sign")
    names = ("1 registered", *by, "4 claim", "5 link")
    pieces: list[Piece] = []
    for place, (mark, name) in enumerate(zip(_marks(wallet, verdict, now), names, strict=True)):
        pieces.append((" > " if place else "", "muted"))
        if mark is _DONE:
            pieces += [(name, ""), (" ok", "good")]
        elif mark is _LATER:
            pieces.append((name, "muted"))
        else:
            pieces.append((f"[{name.upper()}]", "key" if mark is _NOW else "bad"))
    left = left_piece(wallet, now)
    is_waiting = wallet.state(now) in {"sending", "signing"} and left != _UNTOLD
    right = (left,) if is_waiting else ()
    return line(*pieces, right=right)


def _marks(wallet: Wallet, verdict: Verdict | None, now: int) -> tuple[Piece, ...]:
    match wallet.state(now):
        case "registered":
            return (_DONE, _NOW, _LATER, _LATER, _LATER)
        case "sending" | "signing" if verdict is None or wallet.is_sending(now):
            return (_DONE, _DONE, _NOW, _LATER, _LATER)
        case "signing" if verdict is not None and verdict.accepted:
            return (_DONE, _DONE, _DONE, _NOW, _LATER)
        case "signing":
            return (_DONE, _DONE, _WRONG, _LATER, _LATER)
        case "claimed":
            return (_DONE, _DONE, _DONE, _DONE, _NOW)
        case "current" | "expiring":
            return (_DONE,) * 5
        case "expired" | "revoked":
            return (_DONE, _DONE, _DONE, _DONE, _WRONG)
        case _:
            return (_DONE, _WRONG, _LATER, _LATER, _LATER)


def _notes(wallet: Wallet, verdict: Verdict | None, now: int) -> tuple[Piece, ...]:
    registered = wallet.counterparty.created
    first: Piece = (when(registered, now) if registered else "", "muted")
    return (
        first,
        _request_note(wallet, now),
        _signature_note(wallet, verdict, now),
        ("", ""),
        _link_note(wallet, now),
    )


def _request_note(wallet: Wallet, now: int) -> Piece:
    small = wallet.transfer(now)
    if small is not None:
        return short_id(small.id), "muted"
    challenge, state = wallet.challenge, wallet.challenge_state(now)
    if challenge is None:
        return "", ""
    if state == "open":
        text, tone = left_piece(wallet, now)
        return f"{short_id(challenge.id)}  {text}", tone
    tone = "bad" if state in {"expired", "locked"} and not wallet.is_verified else "muted"
    return f"{short_id(challenge.id)}  {state}", tone


def _signature_note(wallet: Wallet, verdict: Verdict | None, now: int) -> Piece:
    if wallet.state(now) != "signing":
        return "", ""
    left = wallet.tries_left
    if verdict is None:
        return "waiting" if left is None else f"waiting, {left} tries left", "muted"
    tries = "" if left is None else f"{left} of {MAXIMUM_ATTEMPTS} tries left"
    return ("would pass", "good") if verdict.accepted else (tries, "muted")


def _link_note(wallet: Wallet, now: int) -> Piece:
    verification, state = wallet.counterparty.verification, wallet.state(now)
    if verification is None:
        return _UNTOLD if state == "current" else ("", "")
    if is_verified(state):
        tone = "warn" if state == "expiring" else "good"
        return f"to {verification.expires_at:%d %b %Y}", tone
    if state in {"expired", "revoked"}:
        return state, "bad"
    return "", ""


_NEXT = {
    "registered": "creates the message that the customer signs",
    "lapsed": "creates a new message to sign",
    "locked": "creates a new message to sign",
    "claimed": "links the wallet to the account",
    "expiring": "verifies again: creates a message to sign",
    "expired": "verifies again: creates a message to sign",
    "revoked": "verifies again: creates a message to sign",
}


SIMULATE = line((": simulate", "key"), (" lets the sample customer sign", "muted"))


_ENDS: tuple[Piece, ...] = ((": re-verify", "key"), (" ends the verification", "muted"))


def next_line(wallet: Wallet, verdict: Verdict | None, now: int) -> Line:
    """What enter does here."""
    state = wallet.state(now)
    if state == "sending":
        return line(("waiting for the customer's transfer", "muted"))
    if state == "signing":
        if verdict is not None and verdict.accepted:
            return line(("enter", "key"), (" submit the signature and link the wallet", "accent"))
        return line(
            ("paste", "key"),
            (" the customer's signature anywhere, or ", "muted"),
            ("v", "key"),
        )
    if state == "current":
        if wallet.counterparty.verification is None:
            return line(("done", "muted"))
        return line(("done   ", "muted"), *_ENDS)
    return line(("enter", "key"), (f" {_NEXT.get(state, 'goes on')}", "accent"))


def told_name(wallet: Wallet, now: int) -> str:
    """The name of the text for the customer: the wallet's state, or what was wrong with what they
    sent last."""
    arrivals = wallet.small.arrivals if wallet.small is not None else ()
    state = wallet.state(now)
    if state == "sending" and arrivals:
        return f"sending_{arrivals[-1].finding.lower()}"
    if wallet.is_sent(now):
        return "sent"
    is_signed = wallet.challenge_state(now) == "used"
    return "unlinked" if state == "lapsed" and is_signed else state


def told_values(wallet: Wallet, bank_name: str) -> dict[str, str]:
    """The values of a text for the customer."""
    return {
        "bank": bank_name,
        "network": wallet.network,
        **WALLET.spoken(wallet.counterparty),
        **(CHALLENGE.spoken(wallet.challenge) if wallet.challenge is not None else {}),
        **(SMALL_TRANSFER.spoken(wallet.small) if wallet.small is not None else {}),
    }


# -- the text to be signed ------------------------------------------------------------------------


def challenge_head(wallet: Wallet) -> Line:
    text = wallet.challenge.challenge if wallet.challenge else ""
    size = f"exactly these {len(text.encode())} bytes"
    return line(("MESSAGE TO SIGN", "strong"), (f"  {size}; ", "muted"), ("c", "key"),
                (" copies them unchanged", "muted"))  # fmt: skip


PAGE_HEAD = line(
    ("SIGNING PAGE", "strong"), ("  ", ""), ("c", "key"), (" copies the link, ", "muted"),
    ("q", "key"), (" shows it as a QR code", "muted"),
)  # fmt: skip


def page_lines(challenge: "Challenge", signed: int, wallets: int) -> list[Line]:
    """What the agent says of a signing page, and the text for a wallet that can't open it.

    ``signed`` of the page's ``wallets`` have a valid signature.
    """
    several = line((f"{signed} of {wallets} wallets on this page are proved.", "strong"))
    return [
        *([several] if wallets > 1 else []),
        line(("The customer opens it and signs. The signature comes here.", "muted")),
        line(("To sign elsewhere (", "muted"), ("e", "key"), (" writes it to a file):", "muted")),
        line((challenge.challenge, "")),
    ]


def how_to_sign(wallet: Wallet) -> list[Line]:
    from chainteller.wallets.networks import UnknownNetwork, resolve_network

    try:
        family = resolve_network(wallet.network, test_networks=True).family
    except UnknownNetwork:
        return []
    return [
        line(("HOW THE CUSTOMER SIGNS", "strong")),
        *(line((each, "")) for each in family.how_to_sign),
        line(("q", "key"), (" QR code   ", "muted"), ("e", "key"), (" to a file", "muted")),
    ]


# -- accounts and limits --------------------------------------------------------------------------


def account_detail(account: "BlockchainAccount", now: int) -> list[Line]:
    opened = f"opened {when(account.created, now)}" if account.created else "added by its id"
    rows = [
        line((f"{account.network}  the bank's custody address", "muted")),
        line(account.address),
    ]
    if account.created is None:
        rows = [line(("this deployment doesn't provide the network and address", "muted"))]
    return [
        line((account.id, "strong"), right=(status(account.status),) if account.created else ()),
        *rows,
        line((f"{opened}   {account.trading_account_id}", "muted")),
        line(),
        line(("+", "key"), (" registers a wallet of the customer", "muted")),
        line(("a wallet of any network can be verified here", "muted")),
    ]


def standing(wallet: Wallet, *, has_state: bool) -> list[Line]:
    """Since when and until when the wallet is verified, with its state if that is said nowhere."""
    verification = wallet.counterparty.verification
    if verification is None:
        if not wallet.is_verified:
            return []
        return [
            line(("VERIFICATION", "strong"), right=(_STATES["current"],) if has_state else ()),
            line(("since and until: not provided by this deployment", "muted")),
            line(),
        ]
    since, until = verification.verified_at, verification.expires_at
    state = verification.status
    shown = (_STATES.get(state, (f"[?] {state}", "muted")),) if has_state else ()
    rows = [line(("VERIFICATION", "strong"), right=shown)]
    rows.append(line(("verified", "muted"), right=(f"{since:%d %b %Y}",)))
    again = ("to be verified again by", "muted")
    rows.append(line(again, right=((f"{until:%d %b %Y}", _STATES.get(state, ("", ""))[1]),)))
    if verification.level is not None:
        evidence = f"{verification.method}, {verification.level}"
        rows.append(line(("evidence", "muted"), right=((evidence, ""),)))
    if wallet.counterparty.shared:
        rows.append(line(("another customer has verified it, too", "warn")))
    return [*rows, line()]


_PERIODS = {0: "one withdrawal", _DAY_S: "24 hours", 30 * _DAY_S: "30 days"}


def limits(
    wallet: Wallet, found: "tuple[LimitUsage, ...]", registered: datetime | None, now: int
) -> list[Line]:
    """What may leave to this wallet: it follows the verification at once."""
    verified, own = wallet.is_verified, limits_of(wallet, found)
    if not own:
        return []
    kind = "to a verified 1P wallet" if verified else "until verified, held first"
    rows = [heading("WITHDRAWAL LIMITS", kind)]
    level = None
    for row in own:
        if row.evidence_level != level:
            level = row.evidence_level
            rows.append(line((f"and for {level} evidence", "muted")))
        period = _PERIODS.get(row.period_seconds, f"{row.period_seconds} s")
        text, of = f"{grouped(row.limit)} USD", ""
        if row.period_seconds:
            text, of = f"{grouped(row.remaining)} USD left", f" of {grouped(row.limit)}"
        rows.append(line((period, "muted"), right=((text, ""), (of, "muted"))))
    if not verified and registered is not None:
        held_until = from_datetime(registered) + UNVERIFIED_HOLD
        if now < held_until:
            left = countdown(seconds_between(now, held_until))
            rows.append(line(("on hold, no withdrawals for another", "warn"), right=((left, ""),)))
    return rows


# -- the verdict on a signature --------------------------------------------------------------------

_OK: Piece = ("[ok] ", "good")
_NO: Piece = ("[x]  ", "bad")
_CAUSES = {
    "WRONG_MESSAGE_FORMAT": "another text was signed",
    "WRONG_WALLET_ADDRESS": "another wallet signed",
    "NETWORK_MISMATCH": "a wallet of another network signed",
    "EXPIRED_CHALLENGE": "the message has expired",
}
_OPEN_QUESTIONS = frozenset({"UNKNOWN_SIGNER", "NO_MATCH"})
_BY_FINDING = {
    **dict.fromkeys(_OPEN_QUESTIONS, "another account, or another text"),
    "SECRET_PASTED": "a secret was pasted",
    **dict.fromkeys(INCOMPLETE, "no complete signature was pasted"),
}
"""Instead of the cause, for findings of which it says too much or the wrong thing."""


def signature_line(verdict: Verdict | None) -> Line:
    if verdict is None:
        return line(("SIGNATURE", "strong"), ("  none pasted yet", "muted"))
    if verdict.paste.kind is Kind.SECRET:
        return line(("SIGNATURE", "strong"), ("  a secret: not saved", "bad"))
    return line(("SIGNATURE", "strong"), (f"  {verdict.paste.shape}", ""))


def verdict_lines(
    wallet: Wallet, verdict: Verdict, frame: Frame, now: int, *, is_searching: bool
) -> list[Line]:
    """The question to the customer, unless it stands above, then why. Windows of 24 lines leave out
    what the rest implies."""
    found, width, compact = verdict.diagnosis, frame.width, not frame.is_tall
    if verdict.accepted:
        return _accepted(verdict, width)
    sure = ("certain", "strong") if found.certain else ("likely", "warn")
    sure = ("searching on", "accent") if is_searching else sure
    checks = _checks(wallet, verdict, now)
    rows: list[Line] = []
    if not frame.says:
        rows = [heading("Signature not accepted"), *_ask(found.ask_customer, width)]
        rows += [] if compact else [line()]
    if compact:
        checks = [tuple(piece for check in checks for piece in (*check, ("   ", "")))]
    rows += [line(*check) for check in checks]
    rows += _signer(wallet, verdict, width)
    cause = _BY_FINDING.get(found.finding) or _CAUSES.get(found.cause or "", "it can't be used")
    rows.append(line(_NO, (cause, "bad"), right=(sure,)))
    rows += [line(f"  {row}") for row in wrapped(found.explanation, width - 2)]
    for difference in () if compact else found.differences or ():
        rows += [line((f"  {row}", "warn")) for row in wrapped(difference, width - 2)]
    if not compact:
        rows += _more(verdict, width)
    return rows


def _more(verdict: Verdict, width: int) -> list[Line]:
    """What else was tried, and what the agent does next."""
    found, rows = verdict.diagnosis, []
    if found.finding in _OPEN_QUESTIONS:
        tried = "also tried: altered texts, earlier challenges, other wallets and networks: no"
        rows += [line((f"  {row}", "muted")) for row in wrapped(tried, width - 2)]
    rows.append(line((f"  {found.finding}", "muted")))
    rows += [line((row, "accent")) for row in wrapped(f"next: {found.suggestion}", width)]
    return rows


def _ask(text: str, width: int) -> list[Line]:
    return [
        line(("ASK THE CUSTOMER", "strong"), ("  t", "key"), (" shows, ", "muted"), ("t", "key"),
             (" again copies", "muted")),
        *(line(("| ", "rule"), row) for row in wrapped(text, width - 2)),
    ]  # fmt: skip


def _accepted(verdict: Verdict, width: int) -> list[Line]:
    found = verdict.diagnosis
    return [
        heading("VALID, CHECKED ON THIS CONSOLE" if verdict.is_by_desk else "WOULD BE ACCEPTED"),
        line(_OK, verdict.paste.form),
        *(line(_OK if not at else ("     ", ""), row)
          for at, row in enumerate(wrapped(found.explanation, width - 5))),
    ]  # fmt: skip


def _checks(wallet: Wallet, verdict: Verdict, now: int) -> list[tuple[Piece, ...]]:
    rows: list[tuple[Piece, ...]] = []
    if verdict.paste.form:
        whole = verdict.diagnosis.finding not in INCOMPLETE
        rows.append((_OK if whole else _NO, (verdict.paste.form, "")))
    if wallet.challenge_state(now) == "open":
        seconds = wallet.seconds_left(now)
        left = "until: not provided" if seconds is None else f"{countdown(seconds)} left"
        rows.append((_OK, (f"message is open ({left})", "")))
    else:
        rows.append((_NO, (f"challenge is {wallet.challenge_state(now) or 'gone'}", "bad")))
    return rows


def _signer(wallet: Wallet, verdict: Verdict, width: int) -> list[Line]:
    """Addresses whole, below each other, where both are known: they are compared."""
    found = verdict.diagnosis
    signed_by, registered = found.recovered_address, wallet.counterparty.address
    if not signed_by or signed_by == registered:
        return []
    label = "signed by"
    whose = short_id(found.other_counterparty_id) if found.other_counterparty_id else ""
    whose = f"= customer's {whose}" if whose else ""
    rows = [*_address(_NO, label, signed_by, width, whose)]
    return rows + _address(("     ", ""), "registered", registered, width)


def _address(mark: Piece, label: str, address: str, width: int, whose: str = "") -> list[Line]:
    if len(label) + len(address) + 7 <= width:
        rows = [line(mark, (f"{label:<10} ", "muted"), address)]
        return [*rows, line((f"     {whose}", "warn"))] if whose else rows
    parts = cut(address, width - 2)
    note: Piece = (f"  {whose}" if whose else "", "warn")
    return [line(mark, (label, "muted"), note), *(line(f"  {part}") for part in parts)]
