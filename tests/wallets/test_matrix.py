"""The labelled matrix: no verdict wrong, no cause claimed as certain and wrong, signers named."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.wallets.matrix_cases import FAMILIES, Labelled, all_cases

from chainteller.wallets.diagnose import Diagnosis, diagnose

pytestmark = pytest.mark.thorough

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "wallet_verification.md"


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


@dataclass
class Tally:
    """What the table of docs/explanation/wallet_verification.md shows about one family."""

    groups: Counter[str] = field(default_factory=Counter)
    accepted: int = 0
    certain: int = 0
    likely_right: int = 0
    likely_wrong: int = 0
    signers_named: int = 0
    failures: list[str] = field(default_factory=list)

    def add(self, labelled: Labelled, answer: Diagnosis) -> None:
        self.groups[labelled.group.partition(":")[0]] += 1
        wrong = shortcomings(labelled, answer)
        if wrong:
            self.failures.append(f"{labelled.group} / {labelled.name}: {', '.join(wrong)}")
        self.signers_named += answer.recovered_address is not None
        if answer.accepted:
            self.accepted += 1
        elif answer.certain:
            self.certain += 1
        elif answer.cause in labelled.truth:
            self.likely_right += 1
        else:
            self.likely_wrong += 1

    def row(self, family: str) -> str:
        cells = [*(self.groups[group] for group in GROUPS), self.groups.total(), self.accepted]
        cells += [self.certain, self.likely_right, self.likely_wrong, self.signers_named]
        return f"| {family} | {' | '.join(map(str, cells))} |"


GROUPS = (
    "encoding", "library", "altered text", "hashed text", "other challenge", "wrong account",
    "wrong network", "damaged", "unknown text", "secret", "no signature",
)  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES)
def test_every_labelled_case_is_judged_as_it_happened(family: str) -> None:
    tally = Tally()
    for labelled in all_cases(family):
        tally.add(labelled, diagnose(labelled.case))
    assert tally.groups.total() > 1500
    assert not tally.failures, "\n".join(Counter(tally.failures))
    assert tally.row(family) in DOCUMENT.read_text(encoding="utf-8")
