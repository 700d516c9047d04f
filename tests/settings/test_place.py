from pathlib import Path

import pytest

from chainteller.settings.flags import Flags
from chainteller.settings.place import Configured, configure
from chainteller.settings.values import SettingsInvalid

_FILE = """
[service]
database = "sqlite:///service.db"
[profiles.branch]
url = "https://branch.example"
read_only = true
theme = "light"
[profiles.local]
database = "sqlite:///local.db"
"""


def _configured(folder: Path, flags: Flags, text: str = _FILE, **environ: str) -> Configured:
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return configure(flags, {"CHAINTELLER_HOME": str(folder), **environ})


@pytest.mark.parametrize(
    ("flags", "environ", "address", "chosen_by"),
    [
        (Flags(url="http://a", profile="local"), {}, "http://a", "--url"),
        (Flags(database="sqlite:///f.db"), {"URL": "http://e"}, "sqlite:///f.db", "--database"),
        (Flags(profile="branch"), {"URL": "http://e"}, "https://branch.example", "--profile"),
        (Flags(profile="local"), {"DATABASE": "sqlite:///e"}, "sqlite:///local.db", "--profile"),
        (Flags(), {"URL": "http://e", "DATABASE": "sqlite:///e"}, "http://e", "CHAINTELLER_URL"),
        (
            Flags(),
            {"DATABASE": "sqlite:///e", "PROFILE": "branch"},
            "sqlite:///e",
            "CHAINTELLER_DATABASE",
        ),
        (Flags(), {"PROFILE": "branch"}, "https://branch.example", "the active profile"),
    ],
)
def test_the_first_that_names_a_place_wins(
    tmp_path: Path, flags: Flags, environ: dict[str, str], address: str, chosen_by: str
) -> None:
    variables = {f"CHAINTELLER_{name}": value for name, value in environ.items()}
    place = _configured(tmp_path, flags, **variables).place()
    assert (place.address, place.chosen_by) == (address, chosen_by)


def test_without_a_word_the_users_own_file_is_the_place(tmp_path: Path) -> None:
    place = _configured(tmp_path, Flags(), "").place()
    assert place.address == f"sqlite:///{tmp_path}/data/bank.db"
    assert not place.remote


@pytest.mark.parametrize("port", ["99999", "0", "http", "-1", "\N{FULLWIDTH DIGIT EIGHT}"])
def test_an_address_has_a_port_that_can_be(tmp_path: Path, port: str) -> None:
    with pytest.raises(SettingsInvalid, match="--url needs http://HOST"):
        _configured(tmp_path, Flags(url=f"http://127.0.0.1:{port}/teller")).place()


@pytest.mark.parametrize("flags", [Flags(url=""), Flags(database=""), Flags(profile="")])
def test_an_empty_flag_names_no_other_place(tmp_path: Path, flags: Flags) -> None:
    with pytest.raises(SettingsInvalid):
        _configured(tmp_path, flags, CHAINTELLER_PROFILE="branch").place()


def test_two_flags_that_name_a_place_exclude_each_other(tmp_path: Path) -> None:
    configured = _configured(tmp_path, Flags(url="http://a", database="sqlite:///b"))
    with pytest.raises(SettingsInvalid, match="exclude each other"):
        configured.place()


@pytest.mark.parametrize(
    ("flags", "environ", "address"),
    [
        (Flags(database="sqlite:///f.db"), {"DATABASE": "sqlite:///e"}, "sqlite:///f.db"),
        (Flags(), {"DATABASE": "sqlite:///e", "URL": "http://e"}, "sqlite:///e"),
        (Flags(), {"URL": "http://e", "PROFILE": "branch"}, "sqlite:///service.db"),
    ],
)
def test_serve_db_and_keys_work_on_a_database_only(
    tmp_path: Path, flags: Flags, environ: dict[str, str], address: str
) -> None:
    variables = {f"CHAINTELLER_{name}": value for name, value in environ.items()}
    assert _configured(tmp_path, flags, **variables).database().address == address


@pytest.mark.parametrize("flags", [Flags(url="http://a"), Flags(profile="branch")])
def test_a_remote_place_is_none_for_a_database_command(tmp_path: Path, flags: Flags) -> None:
    with pytest.raises(SettingsInvalid, match="works on a database"):
        _configured(tmp_path, flags).database()


def test_the_profile_in_force_brings_its_theme_and_its_guard(tmp_path: Path) -> None:
    by_flag = _configured(tmp_path, Flags(profile="branch"))
    by_variable = _configured(tmp_path, Flags(), CHAINTELLER_PROFILE="branch")
    for configured in (by_flag, by_variable):
        assert configured.settings.desk.theme == "light"
        assert configured.place().read_only
        assert configured.place().label == "branch"


def test_an_active_profile_that_lost_its_place_brings_nothing(tmp_path: Path) -> None:
    configured = _configured(tmp_path, Flags(url="http://other"), CHAINTELLER_PROFILE="branch")
    assert configured.settings.desk.theme == ""
    assert not configured.place().read_only


def test_a_password_is_no_part_of_a_label(tmp_path: Path) -> None:
    place = _configured(tmp_path, Flags(database="postgresql://bank:secret@db/teller")).place()
    assert "secret" not in place.label
    assert "secret" in place.address


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://teller:secret@bank.example", "an address without credentials"),
        ("https://:secret@bank.example/trading", "an address without credentials"),
        ("https://secret@bank.example", "an address without credentials"),
        ("https://[secret", "http://HOST, https://HOST or unix:/PATH"),
    ],
)
@pytest.mark.parametrize("origin", ["--url", "CHAINTELLER_URL"])
def test_the_address_of_a_deployment_with_credentials_is_refused_without_showing_them(
    tmp_path: Path, address: str, reason: str, origin: str
) -> None:
    by_flag = origin == "--url"
    flags = Flags(url=address) if by_flag else Flags()
    with pytest.raises(SettingsInvalid, match=f"{origin} needs {reason}") as refused:
        _configured(tmp_path, flags, **({} if by_flag else {origin: address})).place()
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("written", ["unix:/run/a teller.sock", "unix:///run/a teller.sock"])
def test_a_socket_is_one_place_however_it_is_written(tmp_path: Path, written: str) -> None:
    place = _configured(tmp_path, Flags(url=written)).place()
    assert (place.remote, place.address) == (True, "unix:/run/a teller.sock")
    assert place.label == place.address
    assert not place.sends_key_in_the_clear


@pytest.mark.parametrize("address", ["unix:", "unix:teller.sock", "unix://run/teller.sock"])
def test_a_socket_has_an_absolute_path(tmp_path: Path, address: str) -> None:
    with pytest.raises(SettingsInvalid, match="--url needs unix:/PATH, with an absolute path"):
        _configured(tmp_path, Flags(url=address)).place()


@pytest.mark.parametrize("address", ["foo", "sqlite://", "sqlite:///", "mysql://h/x", ""])
def test_an_address_that_is_none_is_a_configuration_error(tmp_path: Path, address: str) -> None:
    flags = Flags(database=address or "x")
    with pytest.raises(SettingsInvalid, match="--database needs sqlite:///FILE"):
        _configured(tmp_path, flags).place()
