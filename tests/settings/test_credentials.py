import os
import sys
from pathlib import Path

import pytest

from chainteller.credentials import api_key
from chainteller.settings.flags import Flags
from chainteller.settings.place import Place, configure
from chainteller.settings.tree import Profile
from chainteller.settings.values import SettingsInvalid


def _place(profile: Profile | None = None) -> Place:
    return Place(True, "https://h", "h", "--url", profile=profile)


def test_the_variable_beats_the_profile(tmp_path: Path) -> None:
    place = _place(Profile("p", key_file=str(tmp_path / "none")))
    assert api_key(place, {"CHAINTELLER_API_KEY": "any form at all"}) == "any form at all"


def test_a_key_file_is_read_when_only_its_owner_can(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("k-1\n", encoding="utf-8")
    file.chmod(0o640)
    place = _place(Profile("p", key_file=str(file)))
    with pytest.raises(SettingsInvalid, match="chmod 600"):
        api_key(place, {})
    file.chmod(0o600)
    assert api_key(place, {}) == "k-1"


def test_a_key_file_without_an_end_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.symlink_to("/dev/zero")
    place = _place(Profile("p", key_file=str(file)))
    with pytest.raises(SettingsInvalid, match="is too large"):
        api_key(place, {})
    file.unlink()
    file.touch(0o600)
    os.truncate(file, 1 << 40)
    with pytest.raises(SettingsInvalid, match="is too large"):
        api_key(place, {})


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "is empty"), ("one\ntwo", "no single line"), ("schl\u00fcssel", "ASCII")],
)
def test_a_key_that_no_header_can_carry_is_a_complaint(
    tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "key"
    file.write_text(text, encoding="utf-8")
    file.chmod(0o600)
    with pytest.raises(SettingsInvalid, match=said):
        api_key(_place(Profile("p", key_file=str(file))), {})


def test_a_key_command_is_run_without_a_shell() -> None:
    command = f"{sys.executable} -c 'print(\"k-2\")'"
    assert api_key(_place(Profile("p", key_command=command)), {}) == "k-2"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("false", "key_command false: ended with 1"),
        ("true", "key_command true: printed nothing"),
        ("no-such-program s3cret", "key_command no-such-program: No such file"),
        ("echo 'open", "key_command echo: is no command line"),
    ],
)
def test_a_key_command_that_gives_no_key_says_why_without_its_arguments(
    command: str, told: str
) -> None:
    with pytest.raises(SettingsInvalid, match=told) as refused:
        api_key(_place(Profile("p", key_command=command)), {})
    assert "s3cret" not in str(refused.value)


def test_a_named_variable_that_is_not_set_is_named() -> None:
    profile = Profile("p", key_env="BRANCH_KEY")
    assert api_key(_place(profile), {"BRANCH_KEY": "k-3"}) == "k-3"
    with pytest.raises(SettingsInvalid, match="BRANCH_KEY, which is not set"):
        api_key(_place(profile), {})


def test_without_any_source_the_complaint_says_where_a_key_goes() -> None:
    with pytest.raises(SettingsInvalid, match="set CHAINTELLER_API_KEY"):
        api_key(_place(), {})


@pytest.mark.parametrize(
    ("address", "is_refused"),
    [
        ("https://bank.example", False),
        ("http://bank.example", True),
        ("http://10.0.0.1:8080/teller", True),
        ("http://127.0.0.1.bank.example", True),
        ("http://localhost.bank.example", True),
        ("http://127.0.0.1:8080", False),
        ("http://127.9.9.9", False),
        ("http://[::1]:8080", False),
        ("http://[2001:db8::1]", True),
        ("http://localhost:8080", False),
    ],
)
@pytest.mark.parametrize("allowed", ["nobody", "profile", "service"])
def test_a_key_goes_to_other_machines_over_tls_only(
    tmp_path: Path, address: str, is_refused: bool, allowed: str
) -> None:
    said = {
        "profile": f'[profiles.p]\nurl = "{address}"\ncleartext = "allow"\n',
        "service": f'[service]\ncleartext = "allow"\n[profiles.p]\nurl = "{address}"\n',
    }.get(allowed, f'[profiles.p]\nurl = "{address}"\n')
    (tmp_path / "config.toml").write_text(said, encoding="utf-8")
    environ = {"CHAINTELLER_HOME": str(tmp_path), "CHAINTELLER_API_KEY": "k"}
    place = configure(Flags(profile="p"), environ).place()
    if is_refused and allowed == "nobody":
        with pytest.raises(SettingsInvalid, match=r"profiles\.p\.cleartext"):
            api_key(place, environ)
    else:
        assert api_key(place, environ) == "k"


def test_a_profile_can_refuse_what_the_service_allows(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        '[service]\ncleartext = "allow"\n'
        '[profiles.p]\nurl = "http://bank.example"\ncleartext = "refuse"\n',
        encoding="utf-8",
    )
    environ = {"CHAINTELLER_HOME": str(tmp_path), "CHAINTELLER_API_KEY": "k"}
    with pytest.raises(SettingsInvalid, match=r"profiles\.p\.cleartext"):
        api_key(configure(Flags(profile="p"), environ).place(), environ)
