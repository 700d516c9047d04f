"""How deeply foreign JSON is nested is told before it is parsed, in linear time."""

import json
import time

import pytest

from chainteller.domain.json_depth import DEEPEST, NestedTooDeeply, is_nested_deeper, parse_json


@pytest.mark.parametrize(("begin", "end"), [("[", "]"), ('{"a":', "}")])
def test_levels_are_counted_and_not_brackets(begin: str, end: str) -> None:
    deepest = begin * DEEPEST + "1" + end * DEEPEST
    assert json.dumps(parse_json(deepest), separators=(",", ":")) == deepest
    with pytest.raises(NestedTooDeeply):
        parse_json(begin + deepest + end)
    assert len(parse_json("[" + ",".join(["[]", "{}"] * 500) + "]")) == 1_000


@pytest.mark.parametrize("text", ["[" * 1_000, '"' + "[" * 1_000, "\\" + "[" * 1_000, "é[" * 200])
def test_brackets_in_a_text_are_no_levels(text: str) -> None:
    assert parse_json(json.dumps([text])) == [text]
    assert parse_json(json.dumps({text: 1}, ensure_ascii=False).encode()) == {text: 1}


@pytest.mark.parametrize("body", ["[" * 200_000, '{"a":' * 200_000, "[[" * 40 + '"' + "[" * 9])
def test_what_is_nested_too_deeply_is_never_parsed(body: str) -> None:
    with pytest.raises(NestedTooDeeply):
        parse_json(body)


@pytest.mark.parametrize("part", ['\\"', '"', "\\"], ids=["escaped", "quotes", "escapes"])
def test_a_text_that_never_ends_is_searched_once(part: str) -> None:
    """Searched from each of its quotes, a body of this size took a minute."""
    never_ended = '"' + part * 99_999
    body = ("[]" * DEEPEST + "[" + never_ended).encode()
    began = time.process_time()
    assert not is_nested_deeper(body)
    assert time.process_time() - began < 5
