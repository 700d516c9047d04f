"""The labelled matrix: no verdict wrong, no cause claimed as certain and wrong, signers named."""

from collections import Counter

import pytest
from tests.wallets.matrix_cases import FAMILIES, Labelled, all_cases

from chainteller.wallets.diagnose import Diagnosis, diagnose


def shortcomings(labelled: Labelled, answer: Diagnosis) -> list[str]:
    """What is wrong with the answer; empty when it is right."""
    if answer.accepted != labelled.accepted:
        return ["verdict"]
    if labelled.accepted:
        return [] if answer.proof and answer.cause is None else ["no proof"]
    wrong = []
    if answer.certain and answer.cause not in labelled.truth:
        wrong.append(f"certain {answer.cause}")
    if labelled.finding is not None and answer.finding != labelled.finding:
        wrong.append(f"finding {answer.finding}")
    if labelled.certain is not None and answer.certain != labelled.certain:
        wrong.append(f"certain is {answer.certain}")
    if labelled.signer is not None and answer.recovered_address != labelled.signer:
        wrong.append("signer not named")
    return wrong


def judge(family: str) -> tuple[Counter[str], list[str]]:
    """How many cases each group has, and every shortcoming."""
    counted: Counter[str] = Counter()
    failures = []
    for labelled in all_cases(family):
        counted[labelled.group.partition(":")[0]] += 1
        wrong = shortcomings(labelled, diagnose(labelled.case))
        if wrong:
            failures.append(f"{labelled.group} / {labelled.name}: {', '.join(wrong)}")
    return counted, failures


@pytest.mark.parametrize("family", FAMILIES)
def test_every_labelled_case_is_judged_as_it_happened(family: str) -> None:
    counted, failures = judge(family)
    assert sum(counted.values()) > 700
    assert not failures, "\n".join(Counter(failures))
