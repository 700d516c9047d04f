"""Signatures recorded from wallets' own libraries, verified without Node."""

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.wallets.checker import proves
from tests.wallets.customers import (
    EVERY_FAMILY,
    HERE,
    IDS,
    address,
    case,
    challenge,
    customers,
    one_of_each_kind,
    recorded,
    text_for,
)

from chainteller.wallets.addresses import Address
from chainteller.wallets.diagnose import Diagnosis, diagnose
from chainteller.wallets.verify import verify_signature

FAMILIES = EVERY_FAMILY


@pytest.mark.parametrize("family", FAMILIES)
def test_wallet_libraries_signed_the_very_text_that_was_issued(family: str) -> None:
    for row in recorded(family):
        registered = address(row["address"], row["network"])
        assert row["text"] in {text_for(registered, challenge_id) for challenge_id in IDS}


class Judged(NamedTuple):
    """A recorded signature with what is found out about it."""

    row: dict[str, str]
    registered: Address
    answer: Diagnosis


ONE_OR_ALL = [
    pytest.param((family, choose), id=f"{family}-{name}", marks=marks)
    for name, choose, marks in (("one", one_of_each_kind, ()), ("all", list, pytest.mark.thorough))
    for family in FAMILIES
]


@pytest.fixture(scope="module", params=ONE_OR_ALL)
def judged(request: pytest.FixtureRequest) -> list[Judged]:
    """Recorded signatures of a family: one of each kind, or all of them."""
    family, choose = request.param
    found = []
    for row in choose(recorded(family)):
        registered = address(row["address"], row["network"])
        attempt = challenge(registered, text=row["text"])
        answer = diagnose(case(registered, row["signature"], challenge=attempt))
        found.append(Judged(row, registered, answer))
    return found


def test_every_recorded_signature_is_judged_as_labelled(judged: list[Judged]) -> None:
    assert len({row["library"] for row, _, _ in judged}) >= 2
    for row, _, answer in judged:
        assert ("accepted" if answer.accepted else answer.finding) == row["expect"], row


def test_the_checker_proves_every_scheme_and_refuses_each_change(judged: list[Judged]) -> None:
    """Of every scheme that the signatures and mistakes lead to, one witness."""
    found = {
        (answer.witness.scheme, registered.kind): (answer.witness, registered)
        for _, registered, answer in reversed(judged)
        if answer.witness is not None
    }
    assert len(found) >= 2
    for witness, registered in found.values():
        assert proves(witness), witness.scheme
        stranger = customers(registered.network.family.name)[2].registered.display
        changed = [
            replace(witness, message=witness.message + b" "),
            replace(witness, signed=bytes([witness.signed[0] ^ 1]) + witness.signed[1:]),
            replace(witness, signature=bytes([witness.signature[0] ^ 1]) + witness.signature[1:]),
            replace(witness, key=witness.key[::-1]),
            replace(witness, scheme="raw-sha256"),
            replace(witness, scheme="none"),
            replace(witness, signature=b""),
            replace(witness, address=stranger if witness.address != stranger else "x"),
        ]
        assert not any(proves(each) for each in changed), witness.scheme


def test_a_claim_can_be_checked_again_from_its_own_record(judged: list[Judged]) -> None:
    for row, registered, answer in judged:
        if not answer.accepted:
            continue
        proof = verify_signature(row["text"], row["signature"], registered)
        assert proof is not None
        assert proof.signer == registered.display
        again = verify_signature(row["text"], proof.signature, registered)
        assert again == proof
        assert verify_signature(row["text"] + " ", proof.signature, registered) is None


@pytest.mark.slow
def test_recording_again_gives_the_same_signatures(tmp_path: Path) -> None:
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("Node is not installed: the recorded signatures stand for it")
    folder = tmp_path / "npm"
    shutil.copytree(HERE / "npm", folder)
    install = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"]
    installed = subprocess.run(install, cwd=folder, capture_output=True, text=True, check=False)
    if installed.returncode:
        pytest.skip("npm cannot install the pinned libraries here")
    out = tmp_path / "recorded"
    subprocess.run(["node", "record.mjs", str(out)], cwd=folder, check=True, env=os.environ.copy())
    for family in FAMILIES:
        fresh = json.loads((out / f"{family}.json").read_text())
        for row, old in zip(fresh, recorded(family), strict=True):
            if row["form"].startswith("p2tr bip-322"):
                # BIP-340 signers mix in fresh randomness, so only the label can be the same.
                row.pop("signature"), old.pop("signature")
            assert row == old
