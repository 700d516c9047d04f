"""A bank's own texts for customers: what they replace, and what isn't taken."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.program import chainteller
from tests.tui.conftest import Bench, press, seen, settle

from chainteller.tui.customer_texts import CustomerTexts

SHIPPED = Path(__file__).parents[2] / "sample_data" / "customer_texts.toml"


def own(tmp_path: Path, text: str) -> CustomerTexts:
    file = tmp_path / "customer_texts.toml"
    file.write_text(text, encoding="utf-8")
    return CustomerTexts.load(SHIPPED, file)


def test_an_own_text_replaces_the_shipped_one_and_others_stay(tmp_path: Path) -> None:
    shipped = CustomerTexts.load(SHIPPED)
    texts = own(tmp_path, '[quote]\nexpired = "At {bank}, this quote\\nhas expired."')
    assert texts.problems == ()
    assert texts.fill("quote.expired", {"bank": "Alder Bank"}) == (
        "At Alder Bank, this quote has expired."
    )
    changed = {name for name, text in texts.templates.items() if shipped.templates[name] != text}
    assert changed == {"quote.expired"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[quote]\nexpried = "x"', "quote.expried: no text has this name"),
        ('[quote]\nexpired = ""', "quote.expired: the text is empty"),
        ('[quote]\nexpired = "{amount} is gone"', "{amount} isn't known here; known: bank"),
        ('[trade]\nsettled = "{price.__class__}"', "has more than a name in its braces"),
        ('[trade]\nsettled = "{price!r:>9999}"', "has more than a name in its braces"),
        ('[trade]\nsettled = "{price"', "trade.settled: "),
        ('[trade]\nsettled = "{}"', "has more than a name in its braces"),
        ("[trade]\nsettled = 5", "trade.settled needs to be a text"),
        ('trade = "x"', "trade needs to be a table of texts"),
        ("[trade", "customer_texts.toml: "),
    ],
)
def test_what_cannot_be_used_is_named_and_the_shipped_text_stays(
    tmp_path: Path, text: str, problem: str
) -> None:
    texts = own(tmp_path, text)
    assert len(texts.problems) == 1
    assert problem in texts.problems[0]
    assert texts.templates == CustomerTexts.load(SHIPPED).templates


def test_nothing_in_a_text_acts_on_the_terminal(tmp_path: Path) -> None:
    texts = own(tmp_path, '[quote]\nexpired = "\\u001b[2J[bold]Expired[/]\\u202e"')
    said = texts.fill("quote.expired", {"bank": "x"})
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert "[bold]Expired[/]" in said  # no markup: it is shown as it is written


@pytest.mark.needs("buying-power")
async def test_the_console_shows_the_banks_own_text(bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "customer_texts.toml"
    file.write_text('[account]\nopen = "Alder Bank has {available} for you."', encoding="utf-8")
    bench.open(1, deposit="500.00")
    own_texts = replace(bench, settings=bench.settings._replace(own_customer_texts=file))
    app = own_texts.console()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "t")
        assert "Alder Bank has " in seen(app)


def test_a_file_that_cannot_be_used_is_reported_by_config_validate(tmp_path: Path) -> None:
    (tmp_path / "customer_texts.toml").write_text('[quote]\nexpried = "x"', encoding="utf-8")
    ended = chainteller("config", "validate", CHAINTELLER_HOME=str(tmp_path))
    assert ended.code == 2
    assert "CONFIGURATION: customer_texts.toml: quote.expried: no text has this name" in ended.err
