"""An attestation is verified by the published script, on its own: nothing of the product helps."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Teller
from tests.wallets.customers import Customer, customers, recorded, text_for

from chainteller.cli.attestations import as_json, as_page, attestation
from chainteller.service.models.counterparties import OwnershipClaim
from chainteller.wallets.families import FAMILIES
from chainteller.wallets.family import Address
from chainteller.wallets.pasted_secrets import SecretPasted
from chainteller.wallets.proof import Proof
from chainteller.wallets.verify import verify_signature

SCRIPT = Path(__file__).parents[2] / "docs" / "how-to" / "verify_attestation.py"
ALONE = (
    "import runpy, sys; sys.modules['chainteller'] = None; sys.argv = sys.argv[1:]; "
    "runpy.run_path(sys.argv[0], run_name='__main__')"
)
"""Runs the script where the product can't be imported."""
OTHER_SCHEMES = {"bip322-full"}


def verdicts(folder: Path, files: list[str]) -> list[int]:
    """The exit codes of the script, for files that are verified one after the other; what it says
    begins with the verdict."""
    codes = []
    for content in files:
        done = said(folder, content)
        assert (done.stdout or done.stderr).startswith(("verified: ", "NOT VERIFIED: "))
        codes.append(done.returncode)
    return codes


def said(folder: Path, content: str) -> "subprocess.CompletedProcess[str]":
    """What the script makes of a file."""
    file = folder / "attestation.json"
    file.write_text(content, encoding="utf-8")
    command = [sys.executable, "-c", ALONE, str(SCRIPT), str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _proof(text: str, paste: str, registered: Address) -> Proof | None:
    try:
        return verify_signature(text, paste, registered)
    except SecretPasted:
        return None


def attested(text: str, paste: str, customer: Customer) -> dict[str, Any]:
    proof = verify_signature(text, paste, customer.registered)
    assert proof is not None
    claim = OwnershipClaim(
        id="CLM_1",
        method="signature",
        scheme=proof.scheme,
        network=customer.registered.network.name,
        address=customer.registered.display,
        signer=proof.signer,
        text=text,
        signature=proof.signature,
    )
    return attestation(claim, None)


def crafted(facts: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Files that would say something else on a terminal than they prove."""
    claim = f"verified: text and signature match, by the key of {STRANGER}"
    return {
        "another line": {**facts, "scheme": f"x\n{claim}"},
        "a line over it": {**facts, "address": f"{facts['address']}\r\x1b[2K{claim}"},
        "cleared screen": {**facts, "text": f"{facts['text']}\x1b[2J\x1b[H{claim}"},
        "turned letters": {**facts, "address": f"\u202e{facts['address']}"},
        "a line separator": {**facts, "text": f"{facts['text']}\u2028{claim}"},
        "no text": {**facts, "text": [claim]},
        "in an error": {**facts, "signature": f"zz {claim}"},
        "an unknown scheme": {**facts, "scheme": f"{claim} \u0430"},
        "nested": {**facts, "scheme": "[" * 200},
    }


STRANGER = "0x000000000000000000000000000000000000dEaD"


@pytest.mark.forms(3)
@pytest.mark.parametrize("file", crafted({"address": "", "text": ""}))
def test_a_crafted_file_says_nothing_of_another_address(file: str, tmp_path: Path) -> None:
    mine = customers("evm")[0]
    text = text_for(mine.registered)
    content = json.dumps(crafted(attested(text, mine.answer(text), mine))[file])
    done = said(tmp_path, content)
    assert done.returncode != 0
    (line,) = (done.stdout + done.stderr).splitlines()
    assert line.startswith("NOT VERIFIED: ")
    assert line.isprintable()
    assert line.isascii()


def test_the_script_says_what_it_proves_and_what_not(tmp_path: Path) -> None:
    mine = customers("evm")[0]
    text = text_for(mine.registered)
    done = said(tmp_path, json.dumps(attested(text, mine.answer(text), mine)))
    verdict, signed, rest = done.stdout.splitlines()
    assert verdict == (
        f"verified: text and signature match, by the key of {mine.registered.display!r}"
    )
    assert text in signed
    assert rest == "This file isn't signed by a bank: nothing else in it is proven."


@pytest.mark.thorough
@pytest.mark.parametrize("family", [each.name for each in FAMILIES])
def test_the_script_verifies_each_family_and_refuses_what_was_changed(
    family: str, tmp_path: Path
) -> None:
    mine, other = customers(family)[:2]
    text = text_for(mine.registered)
    facts = attested(text, mine.answer(text), mine)
    changed = [
        {**facts, "text": text + "."},
        {**facts, "text": "I own it"},
        {**facts, "signature": attested(text_for(other.registered), other.answer(
            text_for(other.registered)), other)["signature"]},
        {**facts, "scheme": "unknown"},
    ]  # fmt: skip
    codes = verdicts(tmp_path, [as_json(each) for each in (facts, *changed)])
    assert codes == [0, 1, 1, 1, 1]


@pytest.mark.thorough
def test_the_script_knows_every_scheme_that_wallets_sign_with(tmp_path: Path) -> None:
    """One recorded signature of each scheme; those it doesn't know are named."""
    found: dict[str, str] = {}
    for family in FAMILIES:
        for row in recorded(family.name):
            registered = next(
                (each.registered for each in customers(family.name)
                 if each.registered.display == row["address"]), None,
            )  # fmt: skip
            proof = registered and _proof(row["text"], row["signature"], registered)
            if proof and proof.scheme not in found:
                facts = {"text": row["text"], "address": row["address"], "scheme": proof.scheme}
                found[proof.scheme] = json.dumps({**facts, "signature": proof.signature})
    assert len(found) >= 5
    codes = dict(zip(found, verdicts(tmp_path, list(found.values())), strict=True))
    assert {scheme for scheme, code in codes.items() if code} <= OTHER_SCHEMES


@pytest.mark.thorough
def test_a_page_shows_hostile_values_as_they_are() -> None:
    facts = {"id": "<script>", "text": '"><img src=x onerror=alert(1)>&', "checkpoint": None}
    page = as_page(facts)
    assert "<script>" not in page
    assert "<img" not in page
    assert "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;" in page


def test_a_claim_is_attested_to_a_file_and_to_the_terminal(
    teller: Teller, bank: Path, tmp_path: Path
) -> None:
    (claim,) = teller("wallets", "recheck", "--json").body["data"][:1]
    told = teller("wallets", "attestation", claim["id"], "--json").body
    assert (told["id"], told["address"]) == (claim["id"], claim["address"])
    for ending in ("json", "html"):
        file = tmp_path / f"attestation.{ending}"
        ended = teller("wallets", "attestation", claim["id"], "--output", str(file))
        assert ended.code == 0
        assert told["signature"] in file.read_text(encoding="utf-8")
    assert verdicts(tmp_path, [(tmp_path / "attestation.json").read_text("utf-8")]) == [0]
    again = teller("wallets", "attestation", claim["id"], "--output", str(tmp_path / "a.pdf"))
    assert again.code == 2
