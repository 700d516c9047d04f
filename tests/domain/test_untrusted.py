"""Nothing that a terminal obeys leaves the program as data."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainteller.domain.untrusted import marked, printable, printable_lines, spreadsheet_cell

HOSTILE = "\x1b]52;c;aGk=\x07 \x9b31m \u202e \u200b \ufeff \U000e0041 \x00 \r\n \x7f"


def test_what_a_terminal_obeys_or_hides_is_replaced() -> None:
    shown = printable(HOSTILE)
    assert not any(
        letter in shown for letter in HOSTILE.replace(" ", "") if not letter.isprintable()
    )
    assert len(shown) == len(HOSTILE)


@given(st.text())
def test_no_control_or_format_character_is_left(text: str) -> None:
    kinds = {unicodedata.category(letter) for letter in printable(text)}
    assert not kinds & {"Cc", "Cs", "Zl", "Zp"}


@given(st.text(alphabet=st.characters(categories=("L", "N", "P", "S"))))
def test_letters_digits_and_signs_stay_as_they_are(text: str) -> None:
    assert printable(text) == text


PREPENDED = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
"""Prepended_Concatenation_Mark: signs before Arabic, Syriac and Kaithi numbers, which are drawn."""
SPACES = {0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000}
CHARTS = {0x2800}


def test_of_every_code_point_only_what_is_seen_passes() -> None:
    passing = {code for code in range(0x110000) if printable(chr(code)) == chr(code)}
    kinds: dict[str, set[int]] = {}
    for code in passing:
        kinds.setdefault(unicodedata.category(chr(code)), set()).add(code)
    assert not kinds.keys() & {"Cc", "Cs", "Zl", "Zp"}
    assert kinds["Cf"] - PREPENDED == set()
    assert kinds["Zs"] == SPACES
    fillers = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0x16FE4, 0x1D159}
    selectors = {*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0000, 0xE1000)}
    assert not passing & (fillers | selectors | {0x200C, 0x200D, 0x2065, 0xFFF0})
    assert passing > PREPENDED | SPACES | CHARTS
    assert len(passing) > 1_100_000


@pytest.mark.parametrize(
    "word", ["\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0915\u094d\u200d\u0937"]
)
def test_joiners_stay_between_letters_that_need_them(word: str) -> None:
    assert printable(word) == word
    assert "\ufffd" in marked(word)
    assert len(marked(word)) == len(word)


@pytest.mark.parametrize("joiner", ["\u200c", "\u200d"])
@pytest.mark.parametrize(
    "frame",
    [
        "a{}b",
        "{}\u0645",
        "\u0645{}",
        "\u0645{} \u0645",
        "0x{}1",
        "\u0661{}\u0662",
        "\u0645{0}{0}\u0645",
        "\u0645{}a",
        "\U0001f468{}\U0001f469",
    ],
)
def test_a_joiner_anywhere_else_is_marked(frame: str, joiner: str) -> None:
    assert joiner not in printable(frame.format(joiner))


def test_lines_keep_their_ends() -> None:
    assert printable_lines("a\nb\x1b\n") == "a\nb\ufffd\n"


@pytest.mark.parametrize(
    "formula",
    [
        *(
            "=cmd|' /C calc'!A0",
            "+1+1",
            "@SUM(A1)",
            "-1+1",
            "-2,000.00=A1",
            '=HYPERLINK("http://x")',
        ),
        *("\uff1dA1", "\uff0b1", "\uff0d1+A1", "\uff20A1", " =A1", "\u3000+A1"),
    ],
)
def test_a_spreadsheet_computes_nothing_that_a_customer_wrote(formula: str) -> None:
    assert spreadsheet_cell(formula) == f"'{formula}"


@pytest.mark.parametrize(
    "text", ["-", "-2,000.00", "-5", "1,250.00", "Ada Lovelace", "", "a=b", " - ", "'=A1"]
)
def test_numbers_and_words_stay_as_they_are_in_a_spreadsheet(text: str) -> None:
    assert spreadsheet_cell(text) == text


@given(st.text())
def test_a_cell_never_begins_a_formula_behind_what_is_stripped(text: str) -> None:
    cell = spreadsheet_cell(text)
    assert len(cell.strip()) < 2 or cell.strip()[0] not in "=+@"
    assert "\t" not in cell
    assert "\r" not in cell
