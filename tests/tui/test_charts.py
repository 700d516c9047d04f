"""A chart says no more than its samples do."""

from decimal import Decimal

from chainteller.tui.charts import by_time, price_chart

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


def test_the_scale_names_the_lowest_and_the_highest_price() -> None:
    rows = price_chart(_samples((0, "1000.5"), (1, "1010"), (2, "1004.25")), 40, 4)
    texts = ["".join(text for text, _ in row.left) for row in rows]
    assert texts[0].startswith(" 1,010.00 ")
    assert texts[3].startswith(" 1,000.50 ")
    assert texts[-1].split() == ["00:00:00", "00:00:02"]
    assert all(len(text) <= 40 for text in texts)


def test_an_even_course_is_a_line_in_the_middle_and_one_sample_is_no_chart() -> None:
    rows = price_chart(_samples((0, "5"), (1, "5")), 40, 4)
    blocks = ["".join(text for text, _ in row.left).partition("│")[2] for row in rows[:4]]
    assert blocks == ["  ", "  ", "██", "██"]
    (only,) = price_chart(_samples((0, "5")), 40, 4)
    assert "no recent prices" in "".join(text for text, _ in only.left)
