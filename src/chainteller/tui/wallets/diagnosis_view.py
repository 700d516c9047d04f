"""Why a signature is not accepted, as lines: what is right, what is wrong, what to ask."""

from chainteller.tui.dialogs.boxes import wrapped
from chainteller.tui.formats import Piece, countdown, short_id
from chainteller.tui.wallets.book import Wallet
from chainteller.tui.wallets.paste import Kind, Verdict
from chainteller.tui.widgets.lines import Line, heading, line

_OK: Piece = ("[ok] ", "good")
_NO: Piece = ("[x]  ", "bad")
_CAUSES = {
    "WRONG_MESSAGE_FORMAT": "another text or form was signed",
    "WRONG_WALLET_ADDRESS": "another wallet signed",
    "NETWORK_MISMATCH": "a wallet of another network signed",
    "EXPIRED_CHALLENGE": "the text is out of date",
}
_OPEN_QUESTIONS = frozenset({"UNKNOWN_SIGNER", "NO_MATCH"})


def signature_line(verdict: Verdict | None) -> Line:
    if verdict is None:
        return line(("SIGNATURE", "strong"), ("  none pasted yet", "muted"))
    if verdict.paste.kind is Kind.SECRET:
        return line(("SIGNATURE", "strong"), ("  a secret: nothing of it was kept", "bad"))
    return line(("SIGNATURE", "strong"), (f"  {verdict.paste.shape}", ""))


def verdict_lines(
    wallet: Wallet, verdict: Verdict, now: int, width: int, *, compact: bool = False
) -> list[Line]:
    """``compact`` leaves out what the rest implies, for windows of 24 lines."""
    found = verdict.diagnosis
    if verdict.accepted:
        return _accepted(verdict, width)
    sure = ("certain", "strong") if found.certain else ("likely", "warn")
    checks = _checks(wallet, verdict, now)
    rows = [heading("NOT ACCEPTED - here is why")]
    if compact:
        checks = [tuple(piece for check in checks for piece in (*check, ("   ", "")))]
    rows += [line(*check) for check in checks]
    rows += _signer(wallet, verdict, width)
    cause = _CAUSES.get(found.cause or "", "it cannot be used")
    if found.finding in _OPEN_QUESTIONS:
        cause = "another account, or another text"
    rows.append(line(_NO, (cause, "bad"), right=(sure,)))
    rows += [line(f"  {row}") for row in wrapped(found.explanation, width - 2)]
    if not compact:
        rows += _more(verdict, width)
    return [*rows, *_ask(found.ask_customer, width)]


def _more(verdict: Verdict, width: int) -> list[Line]:
    """What else was tried, and what the agent does next."""
    found, rows = verdict.diagnosis, []
    if found.finding in _OPEN_QUESTIONS:
        tried = "also tried: altered texts, earlier challenges, other wallets and networks: no"
        rows += [line((f"  {row}", "muted")) for row in wrapped(tried, width - 2)]
    rows.append(line((f"  {found.finding}", "muted")))
    rows += [line((row, "accent")) for row in wrapped(f"next: {found.suggestion}", width)]
    return [*rows, line()]


def _ask(text: str, width: int) -> list[Line]:
    return [
        line(("ASK THE CUSTOMER", "strong"), ("  t", "key"), (" shows, ", "muted"), ("t", "key"),
             (" again copies", "muted")),
        *(line(("| ", "rule"), row) for row in wrapped(text, width - 2)),
    ]  # fmt: skip


def _accepted(verdict: Verdict, width: int) -> list[Line]:
    found = verdict.diagnosis
    return [
        heading("WOULD BE ACCEPTED"),
        line(_OK, verdict.paste.form),
        *(line(_OK if not at else ("     ", ""), row)
          for at, row in enumerate(wrapped(found.explanation, width - 5))),
        line(("enter", "key"), (" submits it and links the wallet", "accent")),
    ]  # fmt: skip


def _checks(wallet: Wallet, verdict: Verdict, now: int) -> list[tuple[Piece, ...]]:
    rows: list[tuple[Piece, ...]] = []
    if verdict.paste.form:
        rows.append((_OK, (verdict.paste.form, "")))
    if wallet.challenge_state(now) == "open":
        left = countdown(wallet.seconds_left(now))
        rows.append((_OK, (f"challenge is live ({left} left)", "")))
    else:
        rows.append((_NO, (f"challenge is {wallet.challenge_state(now) or 'gone'}", "bad")))
    return rows


def _signer(wallet: Wallet, verdict: Verdict, width: int) -> list[Line]:
    """Addresses whole, below each other, where both are known: they are compared."""
    found = verdict.diagnosis
    signed_by, registered = found.recovered_address, wallet.counterparty.address
    if not signed_by or signed_by == registered:
        return []
    label = "signed by" if found.certain else "points to"
    whose = short_id(found.other_counterparty_id) if found.other_counterparty_id else ""
    whose = f"= customer's {whose}" if whose else ""
    rows = [*_address(_NO, label, signed_by, width, whose)]
    return rows + _address(("     ", ""), "registered", registered, width)


def _address(mark: Piece, label: str, address: str, width: int, whose: str = "") -> list[Line]:
    if len(label) + len(address) + 7 <= width:
        rows = [line(mark, (f"{label:<10} ", "muted"), address)]
        return [*rows, line((f"     {whose}", "warn"))] if whose else rows
    room = width - 2
    parts = [address[at : at + room] for at in range(0, len(address), room)]
    note: Piece = (f"  {whose}" if whose else "", "warn")
    return [line(mark, (label, "muted"), note), *(line(f"  {part}") for part in parts)]
