"""What the customer states as signed, in whatever they paste with it."""

import html
import time
from base64 import urlsafe_b64encode
from hashlib import sha256

import pytest

from chainteller.wallets.stated import stated_texts

OURS = "EXAMPLEBANK-REFDDA1-0Y1JTCEV2BTD2CM6VBY0CA"


@pytest.mark.parametrize("blank", [" ", "\t", "\n", " \n", "\u00a0", "\t ", " )"])
def test_long_runs_of_blanks_take_no_longer_than_other_text(blank: str) -> None:
    paste = f"It says:{(blank * 2_900)[:2_900]}{OURS}{(blank * 2_900)[:2_900]}thanks"

    def seconds() -> float:
        started = time.thread_time()
        stated_texts(paste, OURS)
        return time.thread_time() - started

    assert min(seconds() for _ in range(3)) < 0.05


LONG = (
    "Bank: I, customer 7, control evm wallet 0xf39F. Sign only if you asked us. Ref CHG_7Q2M9K4T8X."
)
SIGNATURE = "5" + "3a9f" * 32 + "c"
REPLY = "On 20 Nov 2026, at 14:02, Bank wrote:\n\n> {}\n\nI pasted:\n{}\n\n{}"
CHANGED = LONG.replace("customer", "Customer")
HASH = sha256(OURS.encode()).hexdigest()
CODED = urlsafe_b64encode(f">> {LONG} \u00ff\u00fe".encode()).decode()


@pytest.mark.parametrize(
    ("given", "paste"),
    [
        (CHANGED, REPLY.format(LONG, CHANGED, SIGNATURE)),
        (f"{{quote}}{LONG}{{quote}}", REPLY.format(LONG, f"{{quote}}{LONG}{{quote}}", SIGNATURE)),
        (CODED, REPLY.format(LONG, CODED, SIGNATURE)),
        (CHANGED, REPLY.format(LONG, CHANGED, SIGNATURE).replace(" ", "\u00a0")),
        (CHANGED, html.escape(REPLY.format(LONG, CHANGED, SIGNATURE))),
        (HASH, f"> It says\n> \n> {HASH}\n> \n> {SIGNATURE}"),
        (f"AW: {LONG}", f"Address\n0xf39F\nMessage\nAW: {LONG}\nSignature\n{SIGNATURE}"),
        (LONG.replace(". ", ".\r\n"), LONG.replace(". ", ".\r\n") + f"\n\n{SIGNATURE}"),
        (HASH, f"-----BEGIN SIGNED MESSAGE----- {HASH} -----BEGIN SIGNATURE----- {SIGNATURE}"),
    ],
    ids=[
        "reply",
        "marked",
        "coded",
        "no-break",
        "escaped",
        "hash",
        "label",
        "line ends",
        "one line",
    ],
)
def test_what_was_signed_is_among_the_likeliest_parts(given: str, paste: str) -> None:
    asked = OURS if given == HASH else LONG
    assert given in [text for _, text in stated_texts(paste, asked)[:8]]
