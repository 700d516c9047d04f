"""What customers are told: plain words, complete, and nothing of ours in it."""

import re
import tomllib
from pathlib import Path

import pytest

from chainteller.domain.trades import TradeStatus
from chainteller.service.error_codes import ERRORS

FILE = Path(__file__).parents[2] / "sample_data" / "customer_texts.toml"
TEXTS = {
    f"{group}.{name}": " ".join(text.split())
    for group, texts in tomllib.loads(FILE.read_text()).items()
    for name, text in texts.items()
}
CODE = re.compile(r"\b[A-Z]{2,}(_[A-Z]+)+\b|\b(TDA|TXN|QTE|CPT|CHG|CLM|BCA)_|API|HTTP|bps\b")


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_a_text_is_plain_words(name: str) -> None:
    text = TEXTS[name]
    assert not CODE.search(re.sub(r"\{\w+\}", "", text))
    assert text.endswith((".", "?"))
    assert len(text) < 400


def test_every_state_of_a_trade_has_its_text() -> None:
    assert {f"trade.{status}" for status in TradeStatus} <= set(TEXTS)


def test_refusal_texts_belong_to_codes_that_exist() -> None:
    codes = {name.partition(".")[2] for name in TEXTS if name.startswith("refusal.")}
    assert codes <= set(ERRORS)
