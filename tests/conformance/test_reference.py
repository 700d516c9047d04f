"""The declarations: their ids, the sentences that they quote, and the page made from them."""

import re
from pathlib import Path

from tests.conformance.reference import reference

from chainteller.conformance.probes import Probe
from chainteller.conformance.specification import CHECKS

ROOT = Path(__file__).parents[2]
SPECIFICATION = ROOT / "tests" / "spec_only" / "specification.md"


def test_the_page_is_what_the_declarations_say() -> None:
    page = ROOT / "docs" / "reference" / "checks.md"
    assert page.read_text(encoding="utf-8") == reference()


def test_ids_are_unique_and_plain() -> None:
    ids = [check.id for check in CHECKS]
    assert len(set(ids)) == len(ids) >= 100
    assert [each for each in ids if not re.fullmatch(r"[a-z-]+(\.[A-Za-z0-9-]+)+", each)] == []


def test_every_request_is_judged_by_a_check_or_prepares_another() -> None:
    judged = {probe for check in CHECKS for probe in (*check.on, *check.given)}
    preparing = {
        Probe.CAPABILITIES,
        Probe.UNKNOWN_ACCOUNT,
        Probe.UNKNOWN_TRADE,
        Probe.CLOSED_MARKET,
        Probe.SHORT_QUOTE,
        Probe.POST_TARGET,
        Probe.DELETE_TARGET,
    }
    assert set(Probe) - judged == preparing


def test_sentences_are_quoted_word_for_word() -> None:
    text = SPECIFICATION.read_text(encoding="utf-8")
    assert [check.id for check in CHECKS if check.sentence not in text] == []
