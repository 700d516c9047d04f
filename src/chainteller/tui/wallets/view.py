"""Wallets as lines: accounts and wallets of the list, the five steps, the text to be signed."""

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from chainteller.domain.challenges import MAXIMUM_ATTEMPTS
from chainteller.domain.clock import from_datetime
from chainteller.domain.limits import UNVERIFIED_HOLD, DestinationClass
from chainteller.tui.formats import (
    Piece,
    countdown,
    grouped,
    short_address,
    short_id,
    status,
    when,
)
from chainteller.tui.wallets.book import Book, Wallet
from chainteller.tui.wallets.paste import Verdict
from chainteller.tui.widgets.lines import Line, heading, line
from chainteller.tui.widgets.paged_list import Column, Row

if TYPE_CHECKING:
    from chainteller.service.models.counterparties import BlockchainAccount
    from chainteller.service.models.funding import LimitUsage

COLUMNS = (
    Column("ADDRESS", 17, grows=True),
    Column("NETWORK", 10),
    Column("STATE", 18),
    Column("TIME LEFT", 17),
)
_EXPIRING_S = 300
_DAY_S = 86_400

_STATES: dict[str, Piece] = {
    "registered": ("[1/5] registered", "muted"),
    "signing": ("[3/5] signature", "warn"),
    "lapsed": ("[2/5] text expired", "bad"),
    "locked": ("[2/5] text locked", "bad"),
    "claimed": ("[5/5] link", "accent"),
    "current": ("[ok] Verified 1P", "good"),
    "expiring": ("[ok] expiring", "warn"),
    "expired": ("[x] expired", "bad"),
    "revoked": ("[x] revoked", "bad"),
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
            status(account.status),
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
    )


def _time(wallet: Wallet, now: int) -> Piece:
    state, verification = wallet.state(now), wallet.counterparty.verification
    if state == "signing":
        return left_piece(wallet, now)
    if verification is not None and state in {"current", "expiring"}:
        tone = "warn" if state == "expiring" else "muted"
        return f"re-verify {verification.expires_at:%d%b%y}", tone
    return "-", "muted"


def left_piece(wallet: Wallet, now: int) -> Piece:
    seconds = wallet.seconds_left(now)
    return countdown(seconds), "expiring" if seconds < _EXPIRING_S else ""


def book_rows(
    book: Book, verdicts: dict[str, Verdict], now: int, wanted: str, order: int = 0
) -> "list[tuple[Row, Wallet | BlockchainAccount]]":
    """Each account with its wallets below it; ``wanted`` filters by address, id or network."""
    rows: list[tuple[Row, Wallet | BlockchainAccount]] = []
    for account in book.accounts:
        own = matching(book.of(account.id), wanted)
        own.sort(key=lambda wallet: _place(wallet, order, now))
        if wanted and not own:
            continue
        rows.append((account_row(account, len(own)), account))
        rows += [(wallet_row(each, verdict_of(each, verdicts), now), each) for each in own]
    return rows


ORDERS = ("as registered", "waiting first", "network")
_WAITING = ("signing", "claimed", "registered", "lapsed", "locked", "expiring", "expired")


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
    return not wanted or any(wanted.lower() in part.lower() for part in told)


def verdict_of(wallet: Wallet, verdicts: dict[str, Verdict]) -> Verdict | None:
    return verdicts.get(wallet.challenge.id) if wallet.challenge else None


# -- the steps ------------------------------------------------------------------------------------

_DONE: Piece = ("[ok]", "good")
_NOW: Piece = ("[>] ", "warn")
_LATER: Piece = ("[ ] ", "muted")
_WRONG: Piece = ("[x] ", "bad")


def wallet_head(wallet: Wallet, width: int) -> list[Line]:
    """The address whole: it is compared here."""
    address = wallet.counterparty.address
    width = max(1, width)  # a window may leave nothing
    rows = [address[at : at + width] for at in range(0, len(address), width)]
    return [
        line((wallet.counterparty.id, "strong"), right=((wallet.network, ""),)),
        *(line(row) for row in rows),
    ]


def steps(wallet: Wallet, verdict: Verdict | None, now: int) -> list[Line]:
    """The five steps below each other."""
    marks, notes = _marks(wallet, verdict, now), _notes(wallet, verdict, now)
    names = (
        "1 address registered",
        "2 challenge issued",
        "3 customer signs",
        "4 claim",
        "5 link counterparty",
    )
    return [
        line(mark, f" {name}", right=(note,))
        for mark, name, note in zip(marks, names, notes, strict=True)
    ]


def steps_line(wallet: Wallet, verdict: Verdict | None, now: int) -> Line:
    """The five steps on one line, for narrow windows."""
    names = ("1 registered", "2 challenge", "3 sign", "4 claim", "5 link")
    pieces: list[Piece] = []
    for place, (mark, name) in enumerate(zip(_marks(wallet, verdict, now), names, strict=True)):
        pieces.append((" > " if place else "", "muted"))
        if mark is _DONE:
            pieces += [(name, ""), (" ok", "good")]
        elif mark is _LATER:
            pieces.append((name, "muted"))
        else:
            pieces.append((f"[{name.upper()}]", "key" if mark is _NOW else "bad"))
    right = (left_piece(wallet, now),) if wallet.state(now) == "signing" else ()
    return line(*pieces, right=right)


def _marks(wallet: Wallet, verdict: Verdict | None, now: int) -> tuple[Piece, ...]:
    match wallet.state(now):
        case "registered":
            return (_DONE, _NOW, _LATER, _LATER, _LATER)
        case "signing" if verdict is None:
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
        _challenge_note(wallet, now),
        _signature_note(wallet, verdict, now),
        ("", ""),
        _link_note(wallet, now),
    )


def _challenge_note(wallet: Wallet, now: int) -> Piece:
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
    tries = f"{wallet.tries_left} of {MAXIMUM_ATTEMPTS} tries left"
    if verdict is None:
        return f"waiting, {wallet.tries_left} tries left", "muted"
    return ("would pass", "good") if verdict.accepted else (tries, "muted")


def _link_note(wallet: Wallet, now: int) -> Piece:
    verification, state = wallet.counterparty.verification, wallet.state(now)
    if verification is None:
        return "", ""
    if state in {"current", "expiring"}:
        tone = "warn" if state == "expiring" else "good"
        return f"to {verification.expires_at:%d %b %Y}", tone
    if state in {"expired", "revoked"}:
        return state, "bad"
    return "", ""


_NEXT = {
    "registered": "issue the text that the customer signs",
    "lapsed": "issue a new text",
    "locked": "issue a new text",
    "claimed": "link the wallet to the account",
    "expiring": "verify anew: issue a text to sign",
    "expired": "verify anew: issue a text to sign",
    "revoked": "verify anew: issue a text to sign",
}


SIMULATE = line((": simulate", "key"), (" lets the sample customer sign", "muted"))


def next_line(wallet: Wallet, verdict: Verdict | None, now: int) -> Line:
    """What enter does here."""
    state = wallet.state(now)
    if state == "signing":
        if verdict is not None and verdict.accepted:
            return line(("enter", "key"), (" submit the signature and link the wallet", "accent"))
        return line(
            ("paste", "key"),
            (" the customer's signature anywhere, or ", "muted"),
            ("v", "key"),
        )
    if state == "current":
        return line(("nothing to do; ", "muted"), (": re-verify", "key"), (" ends it", "muted"))
    return line(("enter", "key"), (f" {_NEXT.get(state, 'next step')}", "accent"))


# -- the text to be signed ------------------------------------------------------------------------


def challenge_head(wallet: Wallet) -> Line:
    text = wallet.challenge.challenge if wallet.challenge else ""
    size = f"exactly these {len(text.encode())} bytes"
    return line(("CHALLENGE TEXT", "strong"), (f"  {size}; ", "muted"), ("c", "key"),
                (" copies them unchanged", "muted"))  # fmt: skip


def how_to_sign(wallet: Wallet) -> list[Line]:
    from chainteller.wallets.networks import (  # noqa: PLC0415 - when a wallet is shown
        UnknownNetwork,
        resolve_network,
    )

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
    return [
        line((account.id, "strong"), right=(status(account.status),)),
        line((f"{account.network}  the bank's custody address", "muted")),
        line(account.address),
        line((f"opened {when(account.created, now)}   {account.trading_account_id}", "muted")),
        line(),
        line(("+", "key"), (" registers a wallet of the customer", "muted")),
        line(("a wallet of any network can be verified here", "muted")),
    ]


def standing(wallet: Wallet) -> list[Line]:
    """Since when and until when the wallet is verified."""
    verification = wallet.counterparty.verification
    if verification is None:
        return []
    since, until = verification.verified_at, verification.expires_at
    state = verification.status
    rows = [line(("VERIFICATION", "strong"), right=(state_of_verification(state),))]
    rows.append(line(("verified", "muted"), right=(f"{since:%d %b %Y}",)))
    again = ("to be verified again by", "muted")
    rows.append(line(again, right=((f"{until:%d %b %Y}", _STATES.get(state, ("", ""))[1]),)))
    return [*rows, line()]


def state_of_verification(state: str) -> Piece:
    return _STATES.get(state, (f"[?] {state}", "muted"))


_PERIODS = {0: "one withdrawal", _DAY_S: "24 hours", 30 * _DAY_S: "30 days"}


def limits(
    wallet: Wallet, found: "tuple[LimitUsage, ...]", registered: datetime | None, now: int
) -> list[Line]:
    """What may leave to this wallet: it follows the verification at once."""
    verified = wallet.is_verified
    wanted = DestinationClass.VERIFIED if verified else DestinationClass.UNVERIFIED
    own = [row for row in found if row.destination_class == wanted]
    if not own:
        return []
    kind = "to a verified 1P wallet" if verified else "not verified: reviewed"
    rows = [heading("WITHDRAWAL LIMITS", kind)]
    for row in own:
        period = _PERIODS.get(row.period_seconds, f"{row.period_seconds} s")
        text = f"{grouped(row.remaining if row.period_seconds else row.limit)} USD"
        of = f" of {grouped(row.limit)}" if row.period_seconds else ""
        rows.append(line((period, "muted"), right=((text, ""), (of, "muted"))))
    if not verified and registered is not None:
        held_until = from_datetime(registered) + UNVERIFIED_HOLD
        if now < held_until:
            left = countdown((held_until - now) // 1_000_000)
            rows.append(line(("receives nothing yet: on hold for", "warn"), right=((left, ""),)))
    return rows
