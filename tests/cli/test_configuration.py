from pathlib import Path

from tests.cli.conftest import Teller


def _configure(home: Path, text: str) -> Path:
    file = home / "config.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_path_is_told_even_when_the_file_is_broken(home: Path, teller: Teller) -> None:
    file = _configure(home, "broken")
    ended = teller("config", "path")
    assert (ended.code, ended.out) == (0, f"{file}\n")


def test_validate_names_every_problem_and_ends_with_2(home: Path, teller: Teller) -> None:
    file = _configure(home, "[engine]\nfill_delay_s = -1\nsed = 2\n")
    ended = teller("config", "validate")
    assert ended.code == 2
    assert ended.err.splitlines() == [
        f"CONFIGURATION: {file}, line 3: unknown key engine.sed, did you mean engine.seed?",
        f"CONFIGURATION: {file}, line 2: engine.fill_delay_s needs a number of seconds, 0 or more",
        "Next: Correct it, then look at the result with: chainteller config show",
    ]


def test_validate_names_profiles_that_cannot_be_used_also_with_json(
    home: Path, teller: Teller
) -> None:
    _configure(home, '[profiles.a]\nkind = "remote"\n[profiles.b]\nkind = "embedded"\n')
    ended = teller("config", "validate", "--json")
    assert (ended.code, ended.body["error"]) == (2, "CONFIGURATION")
    assert ended.body["message"] == "profile 'a' is remote and has no url"
    assert ended.err.startswith(f"CONFIGURATION: {ended.body['message']}\n")


def test_validate_names_the_keys_that_the_console_would_refuse(home: Path, teller: Teller) -> None:
    _configure(home, '[keys]\n"accounts.deposit" = "w"\n"accounts.fly" = "x"\n')
    ended = teller("config", "validate")
    assert ended.code == 2
    assert "CONFIGURATION: keys.accounts.fly: no such command" in ended.err
    assert "accounts.deposit and accounts.withdraw both want w" in ended.err


def test_show_names_the_layer_of_each_value_and_hides_passwords(home: Path, teller: Teller) -> None:
    _configure(home, '[service]\ndatabase = "postgresql://bank:hunter2@db/t"\n[engine]\nseed = 7\n')
    shown = teller("config", "show", "--json").body
    assert shown["settings"]["engine.seed"] == {
        "value": "7",
        "origin": f"{home / 'config.toml'}, line 4",
    }
    assert shown["settings"]["engine.fill_delay_s"] == {"value": "10", "origin": "default"}
    assert "hunter2" not in str(shown)
    assert "hunter2" not in teller("config", "show").out


def test_a_broken_file_stops_other_commands(home: Path, teller: Teller) -> None:
    _configure(home, "[engine]\nsed = 2\n")
    ended = teller("markets", "--json")
    assert ended.code == 2
    assert ended.body["error"] == "CONFIGURATION"
    assert "line 2: unknown key engine.sed" in ended.err


def test_a_file_that_cannot_be_read_is_told_in_plain_words(home: Path, teller: Teller) -> None:
    file = home / "config.toml"
    file.write_bytes(b"# \xff")
    assert f"{file}: it isn't UTF-8, see its byte 3\n" in teller("info").err
    file.unlink()
    file.mkdir()
    assert f"{file}: Is a directory\n" in teller("info").err


def test_info_tells_place_and_backend(home: Path, teller: Teller) -> None:
    shown = teller("info", "--json").body
    assert shown["config"] == str(home / "config.toml")
    assert shown["place"].startswith(f"embedded sqlite:///{home}/data/bank.db")
    assert "sol-usd" in shown["markets"]


def test_the_shipped_themes_are_listed_and_good(teller: Teller) -> None:
    assert "dark" in teller("themes", "list").out.splitlines()
    assert teller("themes", "check").code == 0


def test_a_bad_theme_of_the_user_is_named(home: Path, teller: Teller) -> None:
    (home / "themes").mkdir()
    (home / "themes" / "mine.toml").write_text("name = 3", encoding="utf-8")
    ended = teller("themes", "check")
    assert ended.code == 1
    assert "mine.toml" in ended.err
