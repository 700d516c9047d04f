"""What ``python -m tests.sentences`` lists, and words that no sentence uses."""

import re

import pytest
from tests.sentences import PARTS, Sentence, is_sentence, main, sentences

AVOIDED = {
    r"\bno attempt is burned|burns? an attempt": "doesn't count as an attempt",
    r"\banew\b": "again",
    r"\bran out\b|\brun out\b": "expired",
    r"\bwriting is on\b": "Read-only mode off",
    r"\bnone like that\b": "No matches",
    r"\b[Yy]ou g(a|i)ve\b(?! me)": "you paid, you pay",
    r"\border in the other direction\b": "the opposite trade",
    r"\bthe desk\b": "the console",
    r"^not told|: not told": "not provided",
    r"\bkeep your hands\b": "Don't press anything yet",
    r"\bknows nobody\b": "no customer matches",
}
"""What to write instead, by words that no sentence uses."""


@pytest.fixture(scope="module")
def found() -> list[Sentence]:
    return [each for part in PARTS for each in sentences(part)]


def test_every_part_has_sentences_and_an_unknown_part_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert all(sentences(part) for part in PARTS)
    assert main(["texts"]) == 0
    assert "customer_texts.toml" in capsys.readouterr().out
    assert main(["screens"]) == 2
    assert "parts: console" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The quote has expired.", True),
        ("f'{count} more'", True),
        ("SELECT id FROM trade", False),
        ("Service | None", False),
        ("quote.settled", False),
        (r"\d+ and (?:more)", False),
    ],
)
def test_a_sentence_is_told_from_code(text: str, wanted: bool) -> None:
    assert is_sentence(text) is wanted


def test_sentences_come_from_screens_errors_help_texts_training_and_documents(
    found: list[Sentence],
) -> None:
    files = {each.file for each in found}
    assert {
        "src/chainteller/tui/failures.py",
        "src/chainteller/service/errors.py",
        "src/chainteller/cli/trades.py",
        "sample_data/customer_texts.toml",
        "sample_data/scenarios/01-first-steps.toml",
        "README.md",
    } <= files
    texts = {each.text for each in found}
    assert "Execute a quote at its price." in texts  # the help of a command
    assert "No trade was made." in texts


@pytest.mark.parametrize("words", sorted(AVOIDED))
def test_nobody_reads_words_of_our_own(found: list[Sentence], words: str) -> None:
    wrong = [
        f"{each.file}:{each.line}: {each.text}" for each in found if re.search(words, each.text)
    ]
    assert not wrong, f"write: {AVOIDED[words]}"
