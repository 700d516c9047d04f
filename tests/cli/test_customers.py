"""A bank's own customers: importing them from files."""

import json
import os
import resource
import shlex
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.conftest import Teller
from tests.cli.program import environment
from tests.remote.faulty_server import FAULTS, misbehaving

from chainteller.cli.error_output import Exit
from chainteller.sqlite import sqlite3
from chainteller.storage.log import entry
from chainteller.workspace.store import Workspace

HEADER = "reference,name,kycLevel,termsAccepted,bankAccountId,bankAccountType,bankAccountBalance"
ADA = "C-1,Ada Lovelace,enhanced,yes,ACC-1,checking,1500.00"
ALAN = "C-5,Alan Turing,basic,no,ACC-5,checking,"
GRACE = "C-2,Grace Hopper,basic,no,ACC-2,savings,20"
NOBODY = {"created": 0, "changed": 0, "bankAccounts": 0, "unchanged": 2}
BAD = {
    "C 3,Kurt,basic,no,,,": "REFERENCE_INVALID",
    "C-3,,basic,no,,,": "NAME_INVALID",
    f"C-3,{'x' * 201},basic,no,,,": "NAME_INVALID",
    "C-3,Kurt\a Gödel,basic,no,,,": "NAME_INVALID",
    "C-3,Kurt \u202eGödel,basic,no,,,": "NAME_INVALID",
    "C-3,\"=cmd|' /C calc'!A0\",basic,no,,,": "NAME_IS_FORMULA",
    f"C-3,{'abandon ' * 11}about,basic,no,,,": "SECRET_PASTED",
    f"{'4f' * 32},Kurt,basic,no,,,": "SECRET_PASTED",
    "C-3,Kurt,vip,no,,,": "KYC_LEVEL_UNKNOWN",
    "C-3,Kurt,basic,maybe,,,": "TERMS_UNREADABLE",
    "C-3,Kurt,basic,no,,checking,": "BANK_ACCOUNT_MISSING",
    "C-3,Kurt,basic,no,ACC 3,checking,": "BANK_ACCOUNT_INVALID",
    "C-3,Kurt,basic,no,ACC-3,current,": "BANK_ACCOUNT_TYPE_UNKNOWN",
    "C-3,Kurt,basic,no,ACC-3,checking,-1.00": "BALANCE_INVALID",
    "C-3,Kurt,basic,no,ACC-3,checking,1.001": "BALANCE_INVALID",
    "C-3,Kurt,basic,no,ACC-1,checking,": "BANK_ACCOUNT_TAKEN",
    "C-5,Alan Turing,basic,no,ACC-5,savings,": "BANK_ACCOUNT_TYPE_DIFFERS",
    "C-2,Grace Hopper,basic,yes,ACC-9,savings,": "LINES_CONTRADICT",
    GRACE: "LINE_REPEATED",
    'C-3,"Kurt,basic,no,,,': "LINE_UNREADABLE",
    "C-3,Kurt": "LINE_UNREADABLE",
    f"C-3,{'x' * 1_000_000},basic,no,,,": "LINE_TOO_LONG",
}


def file_of(folder: Path, *lines: str, encoding: str = "utf-8") -> str:
    path = folder / "customers.csv"
    path.write_text("\n".join([HEADER, *lines, ""]), encoding=encoding)
    return str(path)


def test_a_refused_line_is_named_and_stops_no_other(
    home: Path, tmp_path: Path, teller: Teller
) -> None:
    teller("customers", "import", file_of(tmp_path, ADA, GRACE, ALAN))
    report = tmp_path / "report.jsonl"
    ending = "C-4,Emmy Noether,enhanced,yes,ACC-4,checking,7.50"
    lines = file_of(tmp_path, GRACE, *BAD, ending)
    ended = teller("customers", "import", lines, "--report", str(report), "--json")
    assert ended.code == 1
    told = [(each["line"], each["error"]) for each in ended.body["refused"]]
    assert told == list(enumerate(BAD.values(), start=3))
    assert all(each["message"] and each["suggestion"] for each in ended.body["refused"])
    assert (ended.body["created"], ended.body["unchanged"]) == (1, 1)
    written = [json.loads(each) for each in report.read_text(encoding="utf-8").splitlines()]
    assert written == [{"kind": "refused", **each} for each in ended.body["refused"]]
    found = teller("customers", "find", "noether", "--json").body["data"]
    assert [each["bankAccounts"][0]["balance"] for each in found] == ["7.50"]
    assert teller("db", "verify").out == "every invariant holds\n"


def test_importing_again_changes_what_is_different_and_no_balance(
    home: Path, tmp_path: Path, teller: Teller
) -> None:
    assert teller("customers", "import", file_of(tmp_path, ADA, GRACE)).code == 0
    again = teller("customers", "import", file_of(tmp_path, ADA, GRACE), "--json")
    assert again.body == {**NOBODY, "refused": [], "differences": []}
    married = "C-2,Grace Murray,enhanced,yes,ACC-2,savings,99.00"
    changed = teller("customers", "import", file_of(tmp_path, married), "--json")
    assert changed.body["changed"] == 1
    assert [each["error"] for each in changed.body["differences"]] == ["BALANCE_NOT_APPLIED"]
    (found,) = teller("customers", "find", "murray", "--json").body["data"]
    assert (found["kycLevel"], found["termsAccepted"]) == ("enhanced", True)
    assert found["bankAccounts"][0]["balance"] == "20.00"
    for text, count in (("hopper", 0), ("lovelace", 1), ("ACC-1", 1)):
        assert len(teller("customers", "find", text, "--json").body["data"]) == count
    assert teller("db", "verify").out == "every invariant holds\n"


def test_a_report_is_never_the_imported_file(tmp_path: Path, teller: Teller) -> None:
    lines = file_of(tmp_path, ADA)
    before = Path(lines).read_bytes()
    ended = teller("customers", "import", lines, "--report", lines)
    assert (ended.code, Path(lines).read_bytes()) == (2, before)
    report = tmp_path / "report.jsonl"
    assert teller("customers", "import", lines, "--report", str(report)).code == 0
    assert report.stat().st_mode & 0o777 == 0o600


def test_a_check_changes_nothing(home: Path, tmp_path: Path, teller: Teller) -> None:
    teller("customers", "import", file_of(tmp_path, ADA))
    before = (home / "data" / "bank.db").read_bytes()
    lines = file_of(tmp_path, ADA, GRACE)
    ended = teller("customers", "import", lines, "--check", "--read-only", "--json")
    assert (ended.code, ended.body["created"]) == (0, 1)
    assert (home / "data" / "bank.db").read_bytes() == before


def test_a_check_counts_a_customer_once(home: Path, tmp_path: Path, teller: Teller) -> None:
    """As the import does, though the second line about a customer is in another batch."""
    kinds = ("checking", "savings")
    for kyc in ("basic", "enhanced"):
        path = file_of(
            tmp_path,
            *(f"C-{n},Ada {n},{kyc},yes,ACC-{k}{n},{k}," for k in kinds for n in range(250)),
        )
        checked = teller("customers", "import", path, "--check", "--json").body
        assert checked["created"] + checked["changed"] == 250
        assert teller("customers", "import", path, "--json").body == checked


def test_a_check_counts_a_customer_whose_first_line_is_refused(
    home: Path, tmp_path: Path, teller: Teller
) -> None:
    teller("customers", "import", file_of(tmp_path, ADA))
    taken = (f"C-2,Grace Hopper,basic,no,{each},checking," for each in ("ACC-1", "ACC-2", "ACC-3"))
    filled = (f"C-{n},Ada {n},basic,yes,,," for n in range(1000, 1500))
    for lines in ([*taken], ["C-3,Alan Turing,basic,no,ACC-1,checking,", *filled]):
        path = file_of(tmp_path, *lines, "C-3,Alan Turing,basic,no,ACC-4,checking,")
        checked = teller("customers", "import", path, "--check", "--json").body
        done = teller("customers", "import", path, "--json").body
        assert checked == done
        assert len(done["refused"]) == 1


def test_no_more_findings_are_printed_than_are_said(
    home: Path, tmp_path: Path, teller: Teller
) -> None:
    lines = [f"C-{n},Ada {n},basic,yes,ACC-{n},checking,1.00" for n in range(700)]
    teller("customers", "import", file_of(tmp_path, *lines))
    other = [each.replace("1.00", "2.00") for each in lines]
    mixed = (each for line in other for each in (line, "C 1,,,no,,,"))
    unlike = (f"C-{n},Ada {n},basic,yes,,," for n in range(1_000, 1_100))
    ended = teller("customers", "import", file_of(tmp_path, *unlike, *mixed))
    assert ended.complaint[-1].startswith("These are the first 1,000.")
    assert len(ended.complaint) == 1_001


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("separator", [";", "\t"])
def test_files_of_spreadsheets_are_read(
    home: Path, tmp_path: Path, teller: Teller, encoding: str, separator: str
) -> None:
    path = tmp_path / "other.csv"
    mark = "\ufeff" if encoding == "utf-16-le" else ""
    rows = ("termsAccepted,KycLevel, name,reference", 'YES,Basic,"Søren, Æ. Ødegaard",C-7')
    text = "\r\n".join(rows).replace(",", separator).replace(f"Søren{separator}", "Søren,")
    path.write_bytes(f"{mark}{text}\r\n".encode(encoding))
    assert teller("customers", "import", str(path)).code == 0
    (found,) = teller("customers", "find", "odegaard", "--json").body["data"]
    assert (found["name"], found["reference"]) == ("Søren, Æ. Ødegaard", "C-7")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            f"{HEADER}\nC-1,Zoë,basic,no,,,\n".encode("latin-1"),
            "line 2 has the byte 0xEB, as Latin",
        ),
        (f"{HEADER}\nC-1,Zoë".encode("utf-16-le"), "UTF-16 without a byte order mark"),
        (b"reference,nam,kycLevel,termsAccepted\n", "did you mean name?"),
        (b"reference,name,kycLevel\n", "doesn't name termsAccepted"),
        (b"reference,name,name\n", "names the column name twice"),
        (b"", "doesn't name reference, name"),
    ],
)
def test_a_file_of_another_form_is_refused_as_a_whole(
    home: Path, tmp_path: Path, teller: Teller, text: bytes, told: str
) -> None:
    path = tmp_path / "other.csv"
    path.write_bytes(text)
    ended = teller("customers", "import", str(path))
    assert (ended.code, told in ended.err) == (2, True), ended.err
    assert ended.err.startswith("USAGE: The ")


def test_a_pipe_is_refused_in_words(home: Path, tmp_path: Path, teller: Teller) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    handle = os.open(pipe, os.O_RDWR)  # whoever reads it waits for nobody
    os.write(handle, f"{HEADER}\n{ADA}\n".encode())
    ended = teller("customers", "import", str(pipe))
    os.close(handle)
    assert ended.complaint[0] == f"USAGE: {pipe} can't be read twice."


def test_an_import_that_was_killed_is_finished_by_the_next(
    home: Path, tmp_path: Path, teller: Teller
) -> None:
    lines = [f"C-{n},Nobody {n},basic,no,ACC-{n},checking," for n in range(3_000)]
    teller("db", "init")
    path = file_of(tmp_path, *lines)
    command = [sys.executable, "-m", "chainteller", "customers", "import", path]
    with closing(sqlite3.connect(home / "data" / "bank.db")) as bank:
        imported = bank.execute
        with subprocess.Popen(command, env=environment()) as process:
            while not imported("SELECT count(*) FROM customer").fetchone()[0]:
                with pytest.raises(subprocess.TimeoutExpired):
                    process.wait(0.02)
            process.kill()
        done = imported("SELECT count(*) FROM customer").fetchone()[0]
    assert 0 < done < len(lines)
    body = teller("customers", "import", path, "--json").body
    assert (body["created"], body["unchanged"]) == (len(lines) - done, done)
    assert teller("db", "verify").out == "every invariant holds\n"


def test_an_import_into_a_full_disk_says_what_is_imported_and_goes_on_later(
    home: Path, tmp_path: Path, teller: Teller
) -> None:
    lines = [f"C-{n},Nobody {n},basic,no,ACC-{n},checking," for n in range(3_000)]
    teller("db", "init")
    bank, path = home / "data" / "bank.db", file_of(tmp_path, *lines)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bank.stat().st_size + 500_000, hard))
    try:
        ended = teller("customers", "import", path)
        checked = teller("customers", "import", path, "--check")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    with closing(sqlite3.connect(bank)) as opened:
        done = opened.execute("SELECT count(*) FROM customer").fetchone()[0]
    assert 0 < done < len(lines)
    assert f"{done:,} lines were imported before this." in ended.err, ended.err
    assert "nothing was changed" not in ended.err.lower()
    assert "imported" not in checked.err
    body = teller("customers", "import", path, "--json").body
    assert (body["created"], body["unchanged"]) == (len(lines) - done, done)


def test_an_import_without_an_answer_is_repeated_as_a_whole(
    home: Path, tmp_path: Path, teller: Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes no key: its requests have keys of their own."""
    monkeypatch.setenv("CHAINTELLER_API_KEY", "key")
    with misbehaving(FAULTS["closes at once"]) as address:
        line = ("customers", "import", file_of(tmp_path, ADA), "--url", address)
        ended = teller(*line)
    assert ended.code == Exit.UNKNOWN
    assert ended.complaint[-1] == f"Next: chainteller {shlex.join(line)}"
    assert "idempotency" not in ended.err


def test_no_entry_of_the_log_names_an_imported_customer(
    home: Path, tmp_path: Path, teller: Teller
) -> None:
    teller("customers", "import", file_of(tmp_path, ADA, GRACE))
    with closing(sqlite3.connect(home / "data" / "bank.db")) as bank:
        bodies = [entry.unpack(body) for (body,) in bank.execute("SELECT body FROM entry")]
        keys = bank.execute("SELECT count(*) FROM idempotency").fetchone()
    assert any(b"import_customers" in body for body in bodies)
    assert not any(b"Lovelace" in body for body in bodies)
    assert keys == (0,)


def test_forgetting_a_customer_erases_this_desk_too_and_names_the_copies(
    home: Path, tmp_path: Path, teller: Teller
) -> None:
    name = "Adelheid Zwetschgenbaum"
    person = f"C-10,{name},enhanced,yes,ACC-1,checking,100.00"
    teller("customers", "import", file_of(tmp_path, person))
    account = teller("accounts", "open", "ACC-1", "--type", "checking", "--json").body["id"]
    note = f"a friend of {name}"
    reason = ("--set", "FROZEN", "--reason", "COMPLIANCE_REVIEW", "--words", note)
    frozen = teller("accounts", "control", account, *reason, "--json")
    assert frozen.code == 0, frozen.err
    refused = teller("customers", "forget", "C-10", "--json")
    assert (refused.code, refused.body["details"]["reason"]) == (1, "CUSTOMER_ACTIVE")
    decision = frozen.body["id"]
    assert teller("decisions", "approve", decision, "--answer", "checked").code == 0
    with closing(Workspace(next((home / "state").glob("*.db")))) as desk:
        desk.set_note(account, note)
        desk.set_view("list.customers", {"text": "zwetschgen"})
        desk.set_view("list.trades", {"text": "sol"})
    backup, export = tmp_path / "backup.db", tmp_path / "people.csv"
    teller("db", "backup", str(backup))
    teller("customers", "find", "Adelheid", "--format", "csv", "--output", str(export))
    former, copy = teller("db", "restore", str(backup), "--json").body["kept"], tmp_path / "copy.db"
    assert teller("db", "copy", f"sqlite:///{copy}").code == 0
    done = teller("customers", "forget", "C-10", "--json").body
    assert {(each["kind"], each["name"]) for each in done["copies"]} == {
        ("backup", str(backup)),
        ("export", str(export)),
        ("former database", former),
        ("copy", str(copy)),
    }
    for file in (each for each in home.rglob("*") if each.is_file() and str(each) != former):
        assert b"zwetschgen" not in file.read_bytes().lower(), file
    with closing(Workspace(next((home / "state").glob("*.db")))) as desk:
        assert (desk.note(account), desk.view("list.trades")) == ("", {"text": "sol"})
    assert teller("db", "verify").out == "every invariant holds\n"


def test_forgetting_that_is_killed_after_its_commit_is_finished_by_the_next(
    home: Path, tmp_path: Path, teller: Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = "C-10,Adelheid Zwetschgenbaum,enhanced,yes,ACC-1,checking,0.00"
    teller("customers", "import", file_of(tmp_path, person))
    teller("accounts", "open", "ACC-1", "--type", "checking")
    file = next((home / "state").glob("*.db"))
    with closing(Workspace(file)) as desk:
        desk.set_note("TDA_1", "as Adelheid Zwetschgenbaum says")
        desk.set_view("list.customers", {"text": "zwetschgen"})
    with monkeypatch.context() as killed:
        killed.setattr(Workspace, "forget", _die)
        assert teller("customers", "forget", "C-10").code == 130
    assert "Adelheid" not in teller("customers", "find", "C-10").out
    assert b"zwetschgen" in file.read_bytes().lower()
    assert teller("customers", "forget", "C-10").code == 0
    assert b"zwetschgen" not in file.read_bytes().lower()


def _die(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_reference_that_is_too_short_to_be_found_is_named_as_that(
    home: Path, tmp_path: Path, teller: Teller
) -> None:
    teller("customers", "import", file_of(tmp_path, ADA, "C-10,Ada Byron,basic,no,,,"))
    assert "from three letters or digits on" in teller("customers", "find", "C-1").out
    assert "Ada Byron" in teller("customers", "find", "C-10").out
