"""An attestation is verified by the published script, on its own: nothing of the product helps."""

import base64
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.cli.conftest import Teller
from tests.cli.program import in_this_process
from tests.wallets.customers import Customer, address, customers, recorded, text_for

from chainteller.cli.attestations import as_json, signed_document, unsigned_document
from chainteller.service.errors import ReplyUnusable
from chainteller.service.models.counterparties import OwnershipClaim
from chainteller.service.models.heads import WalletAttestation
from chainteller.wallets.attestation import KIND, attested_text
from chainteller.wallets.families import FAMILIES
from chainteller.wallets.family import Address
from chainteller.wallets.pasted_secrets import SecretPasted
from chainteller.wallets.proof import Proof
from chainteller.wallets.verify import verify_signature
from chainteller.witnessing.checkpoints import Checkpoint, Head
from chainteller.witnessing.notes import Note, SignerKey, parse_note

SCRIPT = Path(__file__).parents[2] / "docs" / "how-to" / "verify_attestation.py"
ALONE = """
import io, json, runpy, sys
sys.modules["chainteller"] = None
out = sys.stdout
run = runpy.run_path(sys.argv[1])["run"]
for line in sys.stdin:
    sys.stdout = io.StringIO()
    code = run(json.loads(line))
    print(json.dumps([code, sys.stdout.getvalue()]), file=out, flush=True)
"""
"""Runs the script on one file after the other, where the product can't be imported."""
OTHER_SCHEMES = {"bip322-full"}
STRANGER = "0x000000000000000000000000000000000000dEaD"
CLAIM = f"verified: 'eip155:1:{STRANGER}' by 'the bank'"
NOT_BY_A_BANK = "text and signature match; not by a bank: "

Json = dict[str, Any]


class Said(NamedTuple):
    code: int
    text: str

    @property
    def verdict(self) -> str:
        return self.text.split("\n", 1)[0]


Judged = Callable[..., list[Said]]


@pytest.fixture(scope="module")
def judged() -> Iterator[Judged]:
    """What the script makes of files in a folder, with the bank's key or without."""
    command = [sys.executable, "-c", ALONE, str(SCRIPT)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as script:
        asked, said = script.stdin, script.stdout
        assert asked is not None
        assert said is not None

        def judge(folder: Path, files: list[str], key: str | None = None) -> list[Said]:
            found = []
            for number, content in enumerate(files):
                file = folder / f"{number}.json"
                file.write_text(content, encoding="utf-8")
                words = [str(file)] if key is None else [str(file), key]
                asked.write(f"{json.dumps(words)}\n")
                asked.flush()
                found.append(Said(*json.loads(said.readline())))
            return found

        yield judge


def attested(text: str, paste: str, customer: Customer) -> Json:
    """An attestation that nobody signed, of what a customer signed."""
    proof = verify_signature(text, paste, customer.registered)
    assert proof is not None
    return unsigned_document(
        OwnershipClaim(
            id="CLM_1",
            method="signature",
            scheme=proof.scheme,
            network=customer.registered.network.name,
            address=customer.registered.display,
            signer=proof.signer,
            text=text,
            signature=proof.signature,
        )
    )


def self_made(family: str = "evm", who: int = 0) -> Json:
    mine = customers(family)[who]
    text = text_for(mine.registered)
    return attested(text, mine.answer(text), mine)


@dataclass(frozen=True)
class Signed:
    """An attestation that the bank signed, another one of the same bank, and its key."""

    document: Json
    other: Json
    key: str
    seed: bytes

    @property
    def bank(self) -> SignerKey:
        """The bank's own key."""
        return SignerKey(self.key.split("+")[0], self.seed)

    @property
    def facts(self) -> Json:
        found: Json = json.loads(self.document["note"].split("\n")[2])
        return found


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory, sample_world: Path) -> Signed:
    home = tmp_path_factory.mktemp("signed")
    (home / "data").mkdir()
    shutil.copyfile(sample_world, home / "data" / "bank.db")

    def made(*arguments: str) -> Any:
        return in_this_process(*arguments, "--json", CHAINTELLER_HOME=str(home)).body

    made("audit", "key", "create")
    claims = made("wallets", "recheck")["data"]
    mine, other, *_ = (each for each in claims if each["network"] == "ethereum")
    documents = [made("wallets", "attestation", each["id"]) for each in (mine, other)]
    key = made("audit", "checkpoint")["verifierKeys"][0]
    (file,) = (each for each in home.rglob("*") if '"seed"' in _text_of(each))
    seed = bytes.fromhex(json.loads(_text_of(file))["keys"][0]["seed"])
    return Signed(documents[0], documents[1], key, seed)


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8") if file.is_file() else ""
    except UnicodeDecodeError:
        return ""


def test_the_bank_signs_all_facts_and_their_place_in_its_log(
    signed: Signed, tmp_path: Path, judged: Judged
) -> None:
    (done,) = judged(tmp_path, [as_json(signed.document)], signed.key)
    facts, name = signed.facts, signed.key.split("+")[0]
    assert done.code == 0
    lines = done.text.splitlines()
    assert lines[0] == f"verified: {facts['account']!a} by {name!a}"
    assert facts["account"].startswith("eip155:1:0x")
    assert set(lines[1:]) == {f"{fact}: {value!a}" for fact, value in facts.items()}
    assert {"id", "method", "level", "created", "status", "attestedAt", "entry"} <= set(facts)


def test_without_the_banks_key_nothing_is_verified(
    signed: Signed, tmp_path: Path, judged: Judged
) -> None:
    (done,) = judged(tmp_path, [as_json(signed.document)])
    assert done.code == 1
    assert done.text == (
        "NOT VERIFIED: the bank's verifier key is missing: give it after the file\n"
    )


def forger(signed: Signed) -> SignerKey:
    """A key of somebody else's under the bank's name."""
    return SignerKey(signed.key.split("+")[0], b"\x07" * 32)


def note(text: str, *keys: SignerKey) -> str:
    return Note(text, tuple(each.sign(text) for each in keys)).encode()


def swapped(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


def changed_facts(signed: Signed) -> Iterator[tuple[str, Json]]:
    """Each fact changed under the bank's signature, taken away, and added."""
    real, facts = signed.document, signed.facts
    lines = real["note"].split("\n")
    for name, value in facts.items():
        other = value + 1 if isinstance(value, int) else f"{value}0"
        for what, altered in (
            ("changed", facts | {name: other}),
            ("missing", {each: facts[each] for each in facts if each != name}),
        ):
            made = [*lines[:2], attested_text("", altered).split("\n")[2], *lines[3:]]
            yield f"{name} {what}", real | {"note": "\n".join(made)}
    bare = attested_text("", facts | {"bank": CLAIM}).split("\n")[2]
    yield "a fact more", real | {"note": "\n".join([*lines[:2], bare, *lines[3:]])}


def other_notes(signed: Signed) -> Iterator[tuple[str, Json]]:
    """Notes that aren't the bank's about this claim."""
    real, facts, key = signed.document, signed.facts, forger(signed)
    text, origin = parse_note(real["note"].encode()).text, key.name
    stolen = attested_text(origin, facts | {"account": f"eip155:1:{STRANGER}"})
    head = real["checkpoint"]
    size = int(head.split("\n")[1])
    forged_head = Checkpoint(origin, Head(size, b"\x01" * 32)).text()
    signature = real["note"].rpartition("\n\n")[2]
    yield "signed by another key", real | {"note": note(stolen, key)}
    yield "and its log as well", real | {
        "note": note(stolen, key), "checkpoint": note(forged_head, key)
    }  # fmt: skip
    yield "the bank's signature copied", real | {"note": f"{stolen}\n{signature}"}
    yield "the bank's signature beside another", real | {"note": note(stolen, key) + signature}
    claimed = note(stolen, key).split("\n\n")[1].split(" ")
    raw = base64.b64decode(signature.split(" ")[2])[:4] + base64.b64decode(claimed[2])[4:]
    yield (
        "another signature under the key's id",
        real | {"note": f"{stolen}\n\u2014 {origin} {base64.b64encode(raw).decode()}\n"},
    )
    yield "no signature", real | {"note": f"{stolen}\n"}
    yield "an empty signature", real | {"note": f"{stolen}\n\n"}
    yield "another log's name", real | {"note": swapped(real["note"], origin, "other.bank/x")}
    yield "another kind", real | {"note": swapped(real["note"], "version 2", "version 3")}
    others = attested_text("other.bank/x", facts)
    yield (
        "of another log of the bank, under this one's name",
        real | {"note": note(others, signed.bank)},
    )
    unlike = text.replace(KIND, "a letter of the bank")
    yield "of the bank, of another kind", real | {"note": note(unlike, signed.bank)}
    yield "a head in place of the note", real | {"note": head}
    yield "the note in place of a head", real | {"checkpoint": real["note"]}
    yield "a line more", real | {"note": f"{CLAIM}\n{real['note']}"}
    yield "a line after it", real | {"note": swapped(real["note"], "\n\n", f"\n{CLAIM}\n\n")}
    yield "spaces in the facts", real | {"note": swapped(real["note"], '","', '", "')}
    yield (
        "a fact twice",
        real
        | {"note": swapped(real["note"], '{"account":', f'{{"account":"{STRANGER}","account":')},
    )
    yield "letters that look alike", real | {"note": swapped(real["note"], "eip155", "e\u0456p155")}
    yield "no note", {name: real[name] for name in real if name != "note"}
    yield "a note that isn't a text", real | {"note": [text]}


def other_places(signed: Signed) -> Iterator[tuple[str, Json]]:
    """Places in the log that don't lead to its head."""
    real, other, key = signed.document, signed.other, forger(signed)
    hashes, head = real["hashes"], real["checkpoint"]
    text = parse_note(head.encode()).text
    size = int(text.split("\n")[1])
    yield "no proof", real | {"hashes": []}
    yield "a hash less", real | {"hashes": hashes[:-1]}
    yield "a hash more", real | {"hashes": [*hashes, hashes[0]]}
    yield "hashes in another order", real | {"hashes": hashes[::-1]}
    yield "a hash changed", real | {"hashes": [base64.b64encode(b"\0" * 32).decode(), *hashes[1:]]}
    yield "another entry's proof", real | {"hashes": other["hashes"]}
    yield "hashes that aren't any", real | {"hashes": [CLAIM]}
    yield "a head of another key", real | {"checkpoint": note(text, key)}
    for what, new in (
        ("a larger head", swapped(text, f"\n{size}\n", f"\n{size + 1}\n")),
        ("a smaller head", swapped(text, f"\n{size}\n", "\n1\n")),
        ("a head of another log", swapped(text, key.name, "other.bank/x")),
        ("another root", swapped(text, text.split("\n")[2], base64.b64encode(bytes(32)).decode())),
    ):
        yield what, real | {"checkpoint": swapped(head, text, new)}
    others = swapped(text, key.name, "other.bank/x")
    yield "a head of another log of the bank", real | {"checkpoint": note(others, signed.bank)}
    yield "no head", {name: real[name] for name in real if name != "checkpoint"}


def other_files(signed: Signed) -> Iterator[tuple[str, Any]]:
    """Files of other kinds, and self-made ones that say more than they prove."""
    real, mine = signed.document, self_made()
    facts = mine["facts"]
    owner = customers("evm")[0]
    yield "a text that names no wallet", attested("I own it", owner.answer("I own it"), owner)
    yield "version 1", {"type": "chainteller wallet attestation, version 1", **facts}
    yield "no type", {name: real[name] for name in real if name != "type"}
    yield "a list", [real]
    yield "nested", json.loads("[" * 200 + "]" * 200)
    yield "facts and a note", {"facts": facts, **real, "note": ""}
    for what, altered in (
        ("another address", {"account": f"eip155:1:{STRANGER}"}),
        ("a part of the address", {"account": facts["account"][:-1]}),
        ("a chain of another family", {"account": facts["account"].replace("eip155", "tron")}),
        ("a line in the address", {"account": f"{facts['account']}\r\x1b[2K{CLAIM}"}),
        ("turned letters", {"account": f"eip155:1:\u202e{STRANGER}"}),
        ("an address that is a pattern", {"account": "eip155:1:.*"}),
        ("another text", {"text": facts["text"] + "."}),
        ("a cleared screen", {"text": f"{facts['text']}\x1b[2J\x1b[H{CLAIM}"}),
        ("a line separator", {"text": f"{facts['text']}\u2028{CLAIM}"}),
        ("a text that isn't one", {"text": [CLAIM]}),
        ("another signature", {"signature": self_made(who=1)["facts"]["signature"]}),
        ("a verdict as a signature", {"signature": f"zz {CLAIM}"}),
        ("an unknown scheme", {"scheme": f"{CLAIM} \u0430"}),
        ("another scheme", {"scheme": "bip137"}),
        ("no scheme", {"scheme": None}),
    ):
        yield what, {**mine, "facts": facts | altered}


KINDS: tuple[Callable[[Signed], Iterator[tuple[str, Any]]], ...] = (
    changed_facts, other_notes, other_places, other_files,
)  # fmt: skip


def test_no_forged_file_is_verified_and_nothing_of_it_is_printed(
    signed: Signed, tmp_path: Path, judged: Judged
) -> None:
    forged = {f"{kind.__name__}: {name}": file for kind in KINDS for name, file in kind(signed)}
    assert len(forged) >= 50
    texts = [json.dumps(each) for each in forged.values()]
    for name, done in zip(forged, judged(tmp_path, texts, signed.key), strict=True):
        assert done.code == 1, name
        assert done.text.startswith("NOT VERIFIED: "), name
        assert done.text.count("\n") == 1, name
        assert done.text[:-1].isascii(), name
        assert done.text[:-1].isprintable(), name
        assert not any(part in done.text for part in ("0x", CLAIM, "eip155", "bank/")), name


def test_a_self_made_file_isnt_by_a_bank(signed: Signed, tmp_path: Path, judged: Judged) -> None:
    """What else it says isn't printed, and the bank's key makes no difference."""
    mine = self_made()
    file = as_json({**mine, "facts": mine["facts"] | {"level": CLAIM, "attestedAt": CLAIM}})
    address = customers("evm")[0].registered.display
    for key in (None, signed.key):
        (done,) = judged(tmp_path, [file], key)
        assert done.code == 3
        verdict, text, rest = done.text.split("\n")
        assert (verdict, rest) == (f"{NOT_BY_A_BANK}{address!a}", "")
        assert text == f"text: {mine['facts']['text']!a}"


def test_what_a_chain_said_isnt_checked_and_the_first_line_says_so(
    signed: Signed, tmp_path: Path, judged: Judged
) -> None:
    bank = forger(signed)
    facts = signed.facts | {"method": "transfer", "scheme": "transfer"}
    real = signed.document
    head = parse_note(real["checkpoint"].encode()).text
    made = {
        **real, "note": note(attested_text(bank.name, facts), bank), "checkpoint": note(head, bank),
    }  # fmt: skip
    (done,) = judged(tmp_path, [as_json(made)], bank.verifier.encode())
    assert done.code == 3
    assert done.verdict == (
        f"signed by {bank.name!a}: {facts['account']!a}; NOT CHECKED: what a chain said"
    )


def _proof(text: str, paste: str, registered: Address) -> Proof | None:
    try:
        return verify_signature(text, paste, registered)
    except SecretPasted:
        return None


@pytest.mark.thorough
@pytest.mark.parametrize("family", [each.name for each in FAMILIES])
def test_the_script_verifies_each_family_and_refuses_what_was_changed(
    family: str, tmp_path: Path, judged: Judged
) -> None:
    mine = self_made(family)
    facts = mine["facts"]
    changed: list[Mapping[str, Any]] = [
        {"text": facts["text"] + "."},
        {"text": "I own it"},
        {"signature": self_made(family, 1)["facts"]["signature"]},
        {"scheme": "unknown"},
    ]
    files = [as_json({**mine, "facts": facts | each}) for each in ({}, *changed)]
    assert [each.code for each in judged(tmp_path, files)] == [3, 1, 1, 1, 1]


@pytest.mark.thorough
def test_the_script_knows_every_scheme_that_wallets_sign_with(
    tmp_path: Path, judged: Judged
) -> None:
    """One recorded signature of each scheme; those it doesn't know are named."""
    found: dict[str, str] = {}
    for family in FAMILIES:
        for row in recorded(family.name):
            registered = address(row["address"], row["network"])
            proof = _proof(row["text"], row["signature"], registered)
            if proof and proof.scheme not in found:
                facts = {"text": row["text"], "scheme": proof.scheme, "signature": proof.signature}
                account = f"{registered.network.caip2}:{registered.display}"
                made = {"type": KIND, "facts": {**facts, "account": account}}
                found[proof.scheme] = json.dumps(made)
    assert len(found) >= 11
    codes = {
        scheme: done.code
        for scheme, done in zip(found, judged(tmp_path, list(found.values())), strict=True)
    }
    assert {scheme for scheme, code in codes.items() if code != 3} <= OTHER_SCHEMES


@pytest.mark.parametrize(
    "note", ["", "a\nb", "a\nb\n{", "a\nb\n[]", 'a\nb\n{"id":7}', "a\nb\n" + "[" * 10_000]
)
def test_a_deployments_answer_that_is_no_attestation_is_unusable(note: str) -> None:
    with pytest.raises(ReplyUnusable):
        signed_document(WalletAttestation(note=note, hashes=(), checkpoint=""))


def test_a_claim_is_attested_to_a_file_and_to_the_terminal(
    teller: Teller, bank: Path, tmp_path: Path, judged: Judged
) -> None:
    """Where no key signs for the bank, that is said, and the file is worth no more than a
    self-made one."""
    assert bank.exists()
    (claim,) = teller("wallets", "recheck", "--json").body["data"][:1]
    ended = teller("wallets", "attestation", claim["id"], "--json")
    assert "No key of the bank signed this attestation." in ended.err
    facts = ended.body["facts"]
    assert facts["id"] == claim["id"]
    assert facts["account"].endswith(f":{claim['address']}")
    file = tmp_path / "attestation.json"
    assert teller("wallets", "attestation", claim["id"], "--output", str(file)).code == 0
    (done,) = judged(tmp_path, [file.read_text("utf-8")])
    assert done.code == 3
