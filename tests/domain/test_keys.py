"""API keys: their form, their checksum, their times."""

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainteller.domain.actors import SCOPES, WITHHELD
from chainteller.domain.clock import DAY, HOUR, MINUTE, SECOND
from chainteller.domain.keys import (
    ApiKey,
    checksum,
    duration_of,
    new_key,
    refusal_reason,
    scopes_of,
)
from chainteller.domain.randomness import SeededRandomness

KEY = new_key(SeededRandomness("a test"), "test")


@given(st.text(max_size=20))
def test_a_key_is_read_back_as_it_was_written(seed: str) -> None:
    key = new_key(SeededRandomness(seed))
    assert ApiKey.parse(key.text) == key
    assert re.fullmatch(r"chainteller_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}", key.text)


def test_every_character_of_an_id_is_drawn_from_all_62() -> None:
    randomness = SeededRandomness("many")
    ids = [new_key(randomness).key_id for _ in range(1_000)]
    assert [len(set(letters)) for letters in zip(*ids, strict=True)] == [62] * 8


@given(st.integers(0, len(KEY.text) - 1), st.sampled_from("0aZ_ "))
def test_one_wrong_character_is_noticed(position: int, letter: str) -> None:
    wrong = KEY.text[:position] + letter + KEY.text[position + 1 :]
    assert ApiKey.parse(wrong) == (KEY if wrong == KEY.text else None)


@pytest.mark.parametrize(
    "text",
    ["", "x", KEY.text[:-1], KEY.text + "0", KEY.text.upper(), f" {KEY.text}", KEY.text + "\n"],
)
def test_what_is_no_key_is_not_read(text: str) -> None:
    assert ApiKey.parse(text) is None


def test_the_checksum_is_the_crc_32_in_base_62() -> None:
    assert checksum("123456789") == "3jZRME"


def test_only_the_hash_of_the_secret_is_kept_and_it_matches_that_secret_alone() -> None:
    assert KEY.secret_hash == hashlib.sha256(KEY.secret.encode()).hexdigest()
    assert KEY.matches(KEY.secret_hash)
    assert not new_key(SeededRandomness("another")).matches(KEY.secret_hash)


def test_the_secret_shows_in_no_log() -> None:
    assert KEY.secret not in repr(KEY)
    assert KEY.secret not in f"{KEY}"


def test_scopes_are_ordered_and_none_means_all_that_need_no_name() -> None:
    assert scopes_of(("trading:quote", "accounts:read")) == ("accounts:read", "trading:quote")
    assert set(SCOPES) - set(scopes_of(())) == set(WITHHELD)
    assert {"wallets:review", "decisions:write", "desk", "admin"} <= set(WITHHELD)
    with pytest.raises(ValueError, match="no such scope: root"):
        scopes_of(("root", "admin"))


@pytest.mark.parametrize(
    ("text", "microseconds"),
    [
        ("30s", 30 * SECOND),
        ("15m", 15 * MINUTE),
        ("24h", 24 * HOUR),
        ("90d", 90 * DAY),
        ("2w", 14 * DAY),
    ],
)
def test_durations_are_a_number_and_a_unit(text: str, microseconds: int) -> None:
    assert duration_of(text) == microseconds


@pytest.mark.parametrize(
    "text", ["", "d", "1", "1.5h", "-1h", "1 h", "1y", "٣h", "9999999d", "142858w"]
)
def test_other_durations_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        duration_of(text)


def test_a_key_ends_at_its_instants() -> None:
    assert refusal_reason(now=9, expires=10, revoked_at=None) is None
    assert refusal_reason(now=10, expires=10, revoked_at=None) == "EXPIRED"
    assert refusal_reason(now=9, expires=None, revoked_at=10) is None
    assert refusal_reason(now=10, expires=10, revoked_at=10) == "REVOKED"
