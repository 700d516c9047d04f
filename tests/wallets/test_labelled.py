"""Labelled cases that a seed makes: causes, signers, secrets, and what must never happen."""

import pytest
from tests.wallets.labelled import KINDS, Rates, judge_all, labelled_cases


def check(rates: Rates) -> None:
    examples = "\n".join(rates.examples[:20])
    assert not {fault for fault in rates.faults if fault != "signer not named"}, examples
    assert rates.share("clipboard") == 1, examples
    assert rates.share("secret") >= 0.99, examples
    assert rates.share("short text", "long text", "own words") >= 0.95, examples
    assert rates.share("other wallet", "other family", "unknown wallet") == 1, examples


def test_a_few_cases_of_every_kind() -> None:
    rates = judge_all(labelled_cases(8, 36, texts=2), back=True)
    assert len(rates.cases) == len(set(KINDS))
    check(rates)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_many_cases_with_48_texts_and_24_addresses_and_the_text_back(seed: int) -> None:
    rates = judge_all(labelled_cases(seed, 1000, texts=48, addresses=24), back=True)
    check(rates)
    assert rates.share() >= 0.97
