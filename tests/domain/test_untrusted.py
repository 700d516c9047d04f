"""Nothing that a terminal obeys leaves the program as data."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainteller.domain.untrusted import printable, printable_lines, spreadsheet_cell

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


def test_lines_keep_their_ends() -> None:
    assert printable_lines("a\nb\x1b\n") == "a\nb\ufffd\n"


@pytest.mark.parametrize(
    "formula",
    ["=cmd|' /C calc'!A0", "+1+1", "@SUM(A1)", "-1+1", "-2,000.00=A1", '=HYPERLINK("http://x")'],
)
def test_a_spreadsheet_computes_nothing_that_a_customer_wrote(formula: str) -> None:
    assert spreadsheet_cell(formula) == f"'{formula}"


@pytest.mark.parametrize("text", ["-", "-2,000.00", "-5", "1,250.00", "Ada Lovelace", "", "a=b"])
def test_numbers_and_words_stay_as_they_are_in_a_spreadsheet(text: str) -> None:
    assert spreadsheet_cell(text) == text


@given(st.text())
def test_a_cell_never_begins_a_formula_behind_what_is_stripped(text: str) -> None:
    cell = spreadsheet_cell(text)
    assert len(cell) < 2 or cell[0] not in "=+@"
    assert "\t" not in cell
    assert "\r" not in cell
