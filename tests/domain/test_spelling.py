"""A guess at a misspelt name: near ones only."""

import pytest

from chainteller.domain.spelling import nearest


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("acounts", "accounts"),
        ("lst", "list"),
        ("engine.sed", "engine.seed"),
        ("Accounts", "accounts"),
        ("engine.blue", ""),
        ("quit", ""),
        ("balance", ""),
        ("tree", ""),
    ],
)
def test_guesses_what_is_near_and_nothing_far_fetched(word: str, meant: str) -> None:
    known = ["accounts", "list", "engine.seed", "quote", "trades", "train", "wallets", "audit"]
    assert nearest(word, known) == meant


def test_takes_the_nearest_of_several() -> None:
    assert nearest("trads", ["train", "trade", "trades"]) == "trades"
