"""A part of a secret is found wherever it is in a file, and less than a part isn't."""

from pathlib import Path

import pytest
from tests.secrets.generated import Secret
from tests.secrets.leaks import Parts, pages_in

KEY = Secret("key", "".join(f"{number:02x}" for number in range(7, 39)))


@pytest.mark.parametrize("at", range(20))
def test_sixteen_characters_are_found_at_every_place(at: int) -> None:
    parts = Parts([KEY])
    for begin in range(len(KEY.text) - 15):
        content = "_" * at + KEY.text[begin : begin + 16].upper() + "_" * 5
        assert {*parts.found(content.encode())} == {"key"}
        assert not {*parts.found(content.replace(KEY.text[begin + 15].upper() + "_", "_").encode())}


@pytest.mark.parametrize("at", range(9))
def test_four_words_are_found_at_every_place(at: int) -> None:
    secret = Secret("phrase", "oak fig elm ash bay box yew nut")
    parts, words = Parts([secret]), secret.text.split()
    for begin in range(len(words) - 3):
        found = [*["of"] * at, *words[begin : begin + 4], "and"]
        assert {*parts.found("\n1. ".join(found).encode())} == {"phrase"}
        assert not {*parts.found("\n1. ".join(found[:-2]).encode())}


def test_a_page_from_before_is_not_read_again_and_every_new_one_is(tmp_path: Path) -> None:
    file, page = tmp_path / "bank.db", KEY.text.center(4_096).encode()
    file.write_bytes(page)
    known = pages_in(tmp_path)
    assert Parts([KEY]).found_in(tmp_path) == {("bank.db", "key")}
    assert Parts([KEY], known).found_in(tmp_path) == set()
    file.write_bytes(page + b"x" + page)
    assert Parts([KEY], known).found_in(tmp_path) == {("bank.db", "key")}
