"""What every kept picture shows: the answer first, each fact once, one customer, no foreign chart.

It reads the pictures as text, so that it needs no console. A dialog that somebody opened names
again what it is about, so pictures of dialogs are left out.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import NamedTuple

import pytest
from rich.cells import set_cell_size
from tests.tui.pictures.album import PAGES, VAST
from tests.tui.pictures.painting import BASELINE, CELL, MARGIN, ROW

KEPT = Path(__file__).parent / "kept"
SCENES = PAGES | {
    "accounts-no-match",
    "accounts-none",
    "expired",
    "expiring",
    "market-closed",
    "no-answer",
    "quote-form",
    "refusal",
    "renewed",
    "trade",
    "transfer-in-review",
    "transfer-requested-here",
    "transfers-none",
    "transfers-not-cancellable",
    "transfers-requested-here",
    "unknown",
    "unreachable",
    "wallet",
    "why",
}
"""The pages, and details and refusals on them."""
_SIZE = re.compile(r'width="(\d+)" height="(\d+)"')
_ROW = re.compile(r'<text y="(\d+)">(.*?)</text>')
_WORD = re.compile(r'<tspan x="(\d+)"[^>]*>(.*?)</tspan>')
_TITLE = re.compile(r" [A-Z]{5,}\b")
_TOP = re.compile(r"╭─ ([^─]+?) ─*╮")
_ID = re.compile(r"\b(?:TDA|TXN|QTE|CPT|BCA|CHG|CLM|STM)_[0-9A-Z]{22}\b")
_RECORD = re.compile(r"^[>\s]*(\d\d:\d\d)(?::\d\d)?\b")
_AMOUNT = re.compile(r"\d[\d,]*\.\d+")
_HEADLINE = re.compile(r" (\w+-usd)  \w+  [\d,.]+ ")
"""What stands above the chart of a market."""
_CHART = re.compile("[\u2801-\u28ff]{2,}")
_LISTS = frozenset(
    {"Accounts", "Decisions", "Trades", "Transfers", "Wallets", "Audit", "Markets", "Timeline"}
)
_AS_WRITTEN = "Entry"
"""An entry of the audit trail is shown as it was written."""
ANSWERS = {
    "Account": r"^ ?SAY ",
    "Decision": r"^ ?NOW ",
    "Trade": r"^ ?NOW ",
    "Transfer": r"^ ?NOW ",
    "Wallet": r"^ ?NOW ",
    "Entry": r"(done|refused|[A-Z_]{5,})$",
    "Customer": r"^ WAITS|\[x\]",
    "Quote": r"QUOTED|EXECUTED|EXPIRED|UNKNOWN|No quote",
}
"""What each detail begins with: how far its record is, or what to tell."""
ROOM = 2
"""Lines from the title of a detail to its answer."""
MOST_BEFORE = 6
"""Lines above what to say: the name of the record, and what is so now."""


class Pane(NamedTuple):
    """A frame of a page, by its title."""

    title: str
    rows: tuple[str, ...]

    @property
    def is_list(self) -> bool:
        return self.title in _LISTS


class Frame:
    """The rows of a picture, each as wide as the window."""

    def __init__(self, picture: Path) -> None:
        drawn = picture.read_text(encoding="utf-8")
        found = _SIZE.search(drawn)
        assert found is not None
        width = (int(found[1]) - 2 * MARGIN) // CELL
        self.scene = picture.name.partition(".")[0]
        self.rows = [" " * width for _ in range((int(found[2]) - 2 * MARGIN) // ROW)]
        for y, words in _ROW.findall(drawn):
            text = ""
            for x, word in sorted((int(x), unescape(word)) for x, word in _WORD.findall(words)):
                text = set_cell_size(text, (x - MARGIN) // CELL) + word
            self.rows[(int(y) - MARGIN - BASELINE) // ROW] = set_cell_size(text, width)
        self.title = next((row for row in self.rows[1:4] if _TITLE.match(row)), "")
        self.panes = [
            Pane(top[1], tuple(self._inside(y, top.start(), top.end())))
            for y, row in enumerate(self.rows)
            for top in _TOP.finditer(row)
        ]
        """The framed panes; none in a window without room for frames."""

    def _inside(self, top: int, left: int, right: int) -> Iterator[str]:
        for row in self.rows[top + 1 :]:
            if row[left] not in "│┃":
                return
            yield row[left + 1 : right - 1]


def frames() -> list[object]:
    pictures = sorted(KEPT.glob("*/*.svg"))
    shown = [each for each in pictures if each.name.partition(".")[0] in SCENES]
    return [pytest.param(Frame(each), id=each.stem) for each in shown]


FRAMES = frames()
of_each_frame = pytest.mark.parametrize("frame", FRAMES)


def test_the_pages_are_kept_at_the_largest_size() -> None:
    assert {each.name.partition(".")[0] for each in KEPT.glob(f"*/*.{VAST}.*")} == PAGES


@of_each_frame
def test_no_fact_stands_twice(frame: Frame) -> None:
    """An id in two places that aren't a list, a record in two panes, or what waits among what was
    done. A record is a line with a time and an amount.
    """
    ids: dict[str, list[str]] = defaultdict(list)
    records: dict[tuple[str, str], set[str]] = defaultdict(set)
    for pane in (Pane("title", (frame.title,)), *frame.panes):
        for row in pane.rows:
            for each in () if pane.is_list or pane.title == _AS_WRITTEN else _ID.findall(row):
                ids[each].append(pane.title)
            begun = _RECORD.match(row)
            for amount in _AMOUNT.findall(row) if begun is not None else ():
                assert begun is not None
                records[begun[1], f"{float(amount.replace(',', '')):.4g}"].add(pane.title)
    assert not {each: where for each, where in ids.items() if len(where) > 1}
    assert not {each: where for each, where in records.items() if len(where) > 1}
    days = [pane for pane in frame.panes if pane.title.startswith("The day of")]
    assert not [row for pane in days for row in pane.rows if "[>]" in row]


@of_each_frame
def test_a_chart_is_of_the_market_that_was_chosen(frame: Frame) -> None:
    charted = [row for row in frame.rows if _CHART.search(row)]
    if not charted:
        return
    text = "\n".join(frame.rows)
    chosen = re.search(r"\[(\w+-usd)\]|>(\w+-usd)", text)
    assert chosen is not None, "a chart where no market is chosen"
    own = chosen[1] or chosen[2]
    for pane in frame.panes:
        if any(_CHART.search(row) for row in pane.rows):
            heads = [_HEADLINE.match(row) for row in pane.rows]
            assert {head[1] for head in heads if head} <= {own}, pane.title


@of_each_frame
def test_it_shows_one_customer(frame: Frame) -> None:
    """Others stand only in lists."""
    shown = [row for pane in frame.panes if not pane.is_list for row in (pane.title, *pane.rows)]
    text = "\n".join([frame.title, *shown])
    assert len({name for name in NAMES if re.search(rf"\b{name}\b", text)}) <= 1


@of_each_frame
def test_the_answer_stands_at_most_two_lines_below_the_title_of_a_detail(frame: Frame) -> None:
    for pane in frame.panes:
        answer = ANSWERS.get(pane.title)
        if answer is not None and any(row.strip() for row in pane.rows):
            first = pane.rows[:ROOM]
            assert any(re.search(answer, row.rstrip()) for row in first), "\n".join(first)


@of_each_frame
def test_what_to_say_stands_above_the_facts(frame: Frame) -> None:
    for pane in frame.panes:
        said = [at for at, row in enumerate(pane.rows) if row.startswith(("SAY ", " SAY "))]
        assert max(said, default=0) <= MOST_BEFORE, pane.title


def _names() -> frozenset[str]:
    """The customers of the largest list of accounts, and those of a bank made for a test."""
    frame = Frame(KEPT / f"desk/accounts.{VAST}.dark.svg")
    rows = next(pane.rows for pane in frame.panes if pane.title == "Accounts")
    found = [re.match(r"[> ]TDA_\S+ +(\S.*?)  +DDA-", row) for row in rows]
    return frozenset(each[1] for each in found if each) | {f"Customer {at}" for at in range(1, 9)}


NAMES = _names()
