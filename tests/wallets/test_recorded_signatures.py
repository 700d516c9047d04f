"""Signatures recorded from wallets' own libraries, verified without Node."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.wallets.customers import HERE, IDS, address, case, challenge, recorded, text_for

from chainteller.wallets.diagnose import diagnose
from chainteller.wallets.verify import verify_signature

FAMILIES = ("evm", "solana", "bitcoin", "tron")


@pytest.mark.parametrize("family", FAMILIES)
def test_wallet_libraries_signed_the_very_text_that_was_issued(family: str) -> None:
    for row in recorded(family):
        registered = address(row["address"], row["network"])
        assert row["text"] in {text_for(registered, challenge_id) for challenge_id in IDS}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_recorded_signature_is_judged_as_labelled(family: str) -> None:
    rows = recorded(family)
    assert len({row["library"] for row in rows}) >= 2
    for row in rows:
        registered = address(row["address"], row["network"])
        attempt = challenge(registered, text=row["text"])
        answer = diagnose(case(registered, row["signature"], challenge=attempt))
        assert ("accepted" if answer.accepted else answer.finding) == row["expect"], row


@pytest.mark.parametrize("family", FAMILIES)
def test_a_claim_can_be_checked_again_from_its_own_record(family: str) -> None:
    for row in recorded(family):
        if row["expect"] != "accepted":
            continue
        registered = address(row["address"], row["network"])
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
