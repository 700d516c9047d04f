"""A chart says no more than its samples do."""

from decimal import Decimal

from chainteller.tui.charts import braille_lines, by_time, price_chart
from chainteller.tui.widgets.lines import Line

SECOND = 1_000_000


def _samples(*pairs: tuple[int, str]) -> list[tuple[int, Decimal]]:
    return [(at * SECOND, Decimal(price)) for at, price in pairs]


def test_a_sample_stands_at_its_time_and_a_gap_stays_empty() -> None:
    steady = [(at, "10") for at in range(10)]
    later = [(at, "20") for at in range(60, 70)]
    shown = by_time(_samples(*steady, *later), 20)
    assert shown[0] == Decimal(10)
    assert shown[-1] == Decimal(20)
    empty = [place for place, price in enumerate(shown) if price is None]
    assert len(empty) >= 10
    assert empty == list(range(empty[0], empty[-1] + 1))


def test_few_samples_are_not_stretched_into_many() -> None:
    assert len(by_time(_samples((0, "1"), (1, "2"), (2, "3")), 80)) == 3


def _texts(rows: list[Line]) -> list[str]:
    return ["".join(text for text, _ in row.left) for row in rows]


def test_the_axis_names_its_ends() -> None:
    texts = _texts(price_chart(_samples((0, "1000.5"), (1, "1010"), (2, "1004.25")), 70, 4))
    assert texts[0].startswith(" 1,010.00 ")
    assert texts[1].startswith(" 1,005.25 ")
    assert texts[3].startswith(" 1,000.50 ")
    assert texts[4].split() == ["00:00:00", "00:00:02"]
    assert texts[5].endswith("last 1 min")
    assert all(len(text) <= 70 for text in texts)


def test_the_line_goes_through_its_dots_and_a_gap_breaks_it() -> None:
    assert braille_lines([0, 0, 1, 2, 3, 3], 1) == ["⣀⠔⠉"]
    assert braille_lines([0, 7], 2) == ["⢸", "⡸"]
    assert braille_lines([0, 0, None, None, 3, 3], 1) == ["⣀ ⠉"]


def test_an_even_course_is_a_line_in_the_middle_and_one_sample_is_no_chart() -> None:
    texts = _texts(price_chart(_samples((0, "5"), (1, "5")), 40, 4))
    assert [text.partition("│")[2].strip() for text in texts[:4]] == ["", "⣀⣀⣀⣀", "", ""]
    assert "unchanged" in texts[-1]
    (only,) = price_chart(_samples((0, "5")), 40, 4)
    assert "no recent prices" in "".join(text for text, _ in only.left)
