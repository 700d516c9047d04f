"""Lines of two parts: the left one gives way, and they never touch."""

from rich.style import Style
from tests.tui.conftest import Bench, settle

from chainteller.tui.widgets.lines import Toned, line, wrapped

WIDTH = 12
SHOWN = [
    ("ethereum", "TDA", "ethereum TDA"),
    ("ethereums", "TDA", "ethereu… TDA"),
    ("ethereum and more", "TDA", "ethereu… TDA"),
    ("ethereum ", "TDA", "ethereum TDA"),
    ("ethereums", " TD", "ethereums TD"),
    ("ethereum", "", "ethereum    "),
    ("for 1,000.00 USD", "", "for …       "),
    ("1,000.00 ETH and", "", "1,000.00 ET…"),
    ("about 1,000.00", "now", "about …  now"),
]


async def test_the_left_part_is_cut_before_it_touches_the_right_one(bench: Bench) -> None:
    app = bench.console()
    async with app.run_test() as pilot:
        await settle(pilot)
        painter = app.screen.query(Toned).first()
        for left, right, shown in SHOWN:
            row = line((left, ""), right=((right, ""),) if right else ())
            assert painter.strip_of(row, WIDTH, Style()).text == shown


def test_words_are_wrapped_by_their_cells() -> None:
    """A wide letter takes two."""
    assert wrapped("王王王 李李 abc", 8) == ["王王王", "李李 abc"]
    assert wrapped("王王王王王a", 6) == ["王王王", "王王a"]
    assert wrapped("two  gaps", 20) == ["two  gaps"]
