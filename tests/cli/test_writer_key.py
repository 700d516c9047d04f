"""The writer's key as an operator meets it: made, named, kept out of backups, replaced."""

import stat
from pathlib import Path

import pytest
from tests.cli.conftest import Teller
from tests.world.files import KEY, KEY_SETTING

Folder = Path


@pytest.fixture
def keys(home: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """The folder of keys of a place whose settings don't say where they are."""
    for name in KEY_SETTING:
        monkeypatch.delenv(name)
    return home / "writer_keys"


def written(folder: Folder) -> Path:
    (file,) = folder.glob("*.key")
    return file


def test_init_makes_a_key_for_its_owner_outside_the_data_folder(
    keys: Folder, home: Path, teller: Teller
) -> None:
    assert teller("db", "init").code == 0
    file = written(keys)
    key = file.read_text().strip()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(bytes.fromhex(key)) == 32
    assert home / "data" not in file.parents
    assert teller("db", "init").code == 0
    assert file.read_text().strip() == key
    shown = teller("info", "--json")
    assert str(file) in shown.body["writer key"]
    assert key not in shown.out
    assert key not in (home / "data" / "bank.db").read_bytes().hex()
    assert key.encode() not in (home / "data" / "bank.db").read_bytes()


@pytest.mark.parametrize(
    "first",
    [
        ("customers", "find", "x"),
        ("keys", "list"),
        pytest.param(("db", "sample"), marks=pytest.mark.thorough),
    ],
)
def test_whichever_command_creates_the_schema_makes_the_key(
    keys: Folder, teller: Teller, first: tuple[str, ...]
) -> None:
    teller(*first)
    assert written(keys).exists()
    assert teller("keys", "create", "--name", "first").code == 0
    assert teller("db", "verify").code == 0


def test_without_the_key_commands_read_refuse_to_write_and_do_not_verify(
    keys: Folder, teller: Teller
) -> None:
    teller("keys", "create", "--name", "first")
    written(keys).rename(keys / "elsewhere")
    refused = teller("keys", "create", "--name", "second")
    assert refused.code == 3
    assert refused.complaint[0].startswith("WRITER_KEY_MISSING: The writer's key can't be read: ")
    assert "audit.writer_key" in refused.complaint[1]
    listed = teller("keys", "list", "--json")
    assert listed.code == 0
    assert [each["name"] for each in listed.body["data"]] == ["first"]
    verified = teller("db", "verify")
    assert verified.code == 1
    assert "marks weren't checked: The writer's key can't be read" in verified.err
    assert "The writer's key isn't where it is looked for" in verified.err
    assert "can't be read" in teller("info", "--json").body["writer key"]
    (keys / "elsewhere").rename(keys / teller("info", "--json").body["writer key"].split(": ")[0])
    assert teller("keys", "create", "--name", "second").code == 0
    assert teller("db", "verify").code == 0


def test_due_work_waits_for_the_key_and_reading_does_not(
    bank: Path, teller: Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINTELLER_ENGINE__FILL_DELAY_S", "0")
    account = teller("accounts", "list", "--json").body["data"][0]["id"]
    line = ("trade", "buy", "sol-usd", "--spend", "10", "--account", account, "--fund", "--yes")
    bought = teller(*line, "--json").body
    monkeypatch.delenv("WRITER_KEY_OF_TESTS")
    found = teller("trades", "show", bought["id"], "--json")
    assert found.code == 0
    assert found.body["status"] == "processing"
    monkeypatch.setenv("WRITER_KEY_OF_TESTS", KEY)
    assert teller("trades", "show", bought["id"], "--json").body["status"] != "processing"


@pytest.mark.parametrize("source", ["env:BANK_KEY", "command:printenv BANK_KEY", "file"])
def test_the_setting_names_a_variable_a_command_or_a_file(
    keys: Folder, home: Path, teller: Teller, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    file = home / "secrets" / "teller"
    named = str(file) if source == "file" else source
    monkeypatch.setenv("CHAINTELLER_AUDIT__WRITER_KEY", named)
    if source != "file":
        refused = teller("db", "init")
        assert refused.code == 3
        assert "WRITER_KEY_MISSING" in refused.err
    monkeypatch.setenv("BANK_KEY", KEY)
    assert teller("db", "init").code == 0
    assert teller("keys", "create", "--name", "first").code == 0
    assert teller("db", "verify").code == 0
    assert not keys.exists()
    assert file.exists() == (source == "file")
    told = teller("info", "--json").body["writer key"]
    assert told.startswith(named.split()[0])
    assert KEY not in told


def test_replacing_the_key_ends_the_former_one(keys: Folder, teller: Teller) -> None:
    teller("keys", "create", "--name", "first")
    file = written(keys)
    former = file.read_text()
    assert teller("audit", "writer", "replace").code == 2
    for reason in ("", " ", "x" * 201, "a\x1bb", "0x" + KEY):
        assert teller("audit", "writer", "replace", "--reason", reason).code == 2
    assert file.read_text() == former
    assert teller("audit", "writer", "replace", "--reason", "it was copied", "--json").code == 0
    assert file.read_text() != former
    assert teller("keys", "create", "--name", "second").code == 0
    assert teller("db", "verify").code == 0
    file.write_text(former)
    refused = teller("keys", "create", "--name", "third")
    assert refused.code == 3
    assert "isn't the one that marked this database" in refused.err
    assert teller("db", "verify").code == 1


def test_the_key_of_another_deployment_is_refused(
    keys: Folder, home: Path, teller: Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    teller("db", "init")
    own = written(keys)
    teller("--database", f"sqlite:///{home / 'other.db'}", "db", "init")
    (other,) = set(keys.glob("*.key")) - {own}
    monkeypatch.setenv("CHAINTELLER_AUDIT__WRITER_KEY", str(other))
    refused = teller("keys", "create", "--name", "first")
    assert refused.code == 3
    assert "isn't the one that marked this database" in refused.err


def test_a_backup_has_no_key_and_a_copy_goes_on_with_it(
    keys: Folder, home: Path, teller: Teller
) -> None:
    teller("keys", "create", "--name", "first")
    backup, copy = home / "backup.db", f"sqlite:///{home / 'copy.db'}"
    said = teller("db", "backup", str(backup))
    assert said.code == 0
    assert "the writer's key isn't in it" in said.out
    key = written(keys).read_text().strip()
    assert key.encode() not in backup.read_bytes()
    assert bytes.fromhex(key) not in backup.read_bytes()
    assert teller("db", "copy", copy).code == 0
    assert teller("--database", copy, "keys", "create", "--name", "second").code == 0
    assert teller("--database", copy, "db", "verify").code == 0
    assert written(keys).read_text().strip() == key
    assert teller("db", "restore", str(backup)).code == 0
    assert teller("db", "verify").code == 0
    written(keys).unlink()
    assert teller("--database", f"sqlite:///{backup}", "keys", "list").code == 0
    refused = teller("--database", f"sqlite:///{backup}", "keys", "create", "--name", "third")
    assert refused.code == 3
