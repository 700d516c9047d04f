import re
from pathlib import Path

import pytest

from chainteller.settings.reading import load
from chainteller.settings.tree import NAMES, variable_of
from chainteller.settings.values import SettingsInvalid


def _home(folder: Path, text: str) -> dict[str, str]:
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return {"CHAINTELLER_HOME": str(folder)}


def test_defaults_hold_without_any_configuration(home: Path) -> None:
    found = load({"CHAINTELLER_HOME": str(home)})
    assert found.engine.quote_window_s == 300
    assert found.service.bank_name == "Example Bank"
    assert found.desk.confirm_above == 1_000_000
    assert found.paths.database == home / "data" / "bank.db"
    assert found.warnings == ()


def test_the_environment_beats_the_profile_beats_the_file(tmp_path: Path) -> None:
    environ = _home(
        tmp_path,
        '[desk]\ntheme = "dark"\nconfirm_above = "500.00"\npoll_interval_s = 2\n'
        '[profiles.branch]\ntheme = "light"\nconfirm_above = "250.00"\n',
    )
    assert load(environ).desk.theme == "dark"
    laid_over = load(environ, profile="branch")
    assert (laid_over.desk.theme, laid_over.desk.confirm_above) == ("light", 25_000)
    assert laid_over.desk.poll_interval_s == 2
    environ["CHAINTELLER_DESK__THEME"] = "high-contrast"
    assert load(environ, profile="branch").desk.theme == "high-contrast"
    assert load(environ, profile="branch").origins["desk.theme"] == "CHAINTELLER_DESK__THEME"


def test_an_unknown_key_says_what_was_meant_and_where_it_stands(tmp_path: Path) -> None:
    environ = _home(tmp_path, '[engine]\nseed = "1"\nfill_dely_s = 3\n')
    with pytest.raises(SettingsInvalid) as raised:
        load(environ)
    assert raised.value.problems == (
        f"{tmp_path / 'config.toml'}, line 3: unknown key engine.fill_dely_s, "
        "did you mean engine.fill_delay_s?",
    )


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("fill_delay_s = -1", "engine.fill_delay_s needs a number of seconds, 0 or more"),
        ('fill_delay_s = "soon"', "engine.fill_delay_s needs a number of seconds, 0 or more"),
        ("fill_delay_s = true", "engine.fill_delay_s needs a number of seconds, 0 or more"),
        ("fill_delay_s = inf", "engine.fill_delay_s needs a number of seconds, 0 or more"),
        ("fill_delay_s = 1e12", "engine.fill_delay_s needs at most 100000000000 seconds"),
        ("quote_window_s = 0.5", "engine.quote_window_s needs a number of seconds, 1 or more"),
        (
            'price_feed = "guess"',
            "engine.price_feed needs simulated, venue, replay:FILE or http:NAME",
        ),
        (
            '[service]\nhosts = ["bank.example:443"]',
            "service.hosts needs names such as teller.bank.example or *.bank.example, or *, "
            "not 'bank.example:443'",
        ),
        (
            '[service]\nmetrics_address = "127.0.0.1:65536"',
            "service.metrics_address needs HOST:PORT or the absolute path of a UNIX socket",
        ),
        (
            'maintenance = ["sol-usb"]',
            "engine.maintenance knows no market 'sol-usb', did you mean sol-usd?",
        ),
    ],
)
def test_a_wrong_value_names_file_line_and_key(tmp_path: Path, line: str, complaint: str) -> None:
    environ = _home(tmp_path, f"# ours\n[engine]\n{line}\n")
    with pytest.raises(SettingsInvalid) as raised:
        load(environ)
    at = f"{tmp_path / 'config.toml'}, line {3 + line.count(chr(10))}"
    assert raised.value.problems == (f"{at}: {complaint}",)


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    environ = _home(tmp_path, '[engine]\nfill_delay_s = "x"\n[desc]\na = 1\n')
    environ["CHAINTELLER_SERVICE__RATE_LIMITS"] = "sometimes"
    with pytest.raises(SettingsInvalid) as raised:
        load(environ)
    assert len(raised.value.problems) == 3
    assert raised.value.problems[-1] == (
        'CHAINTELLER_SERVICE__RATE_LIMITS: service.rate_limits needs "on" or "off"'
    )


def test_an_unknown_variable_only_warns(home: Path) -> None:
    found = load({"CHAINTELLER_HOME": str(home), "CHAINTELLER_ENGINE__SEDE": "1"})
    assert found.warnings == (
        "unknown variable CHAINTELLER_ENGINE__SEDE is ignored, did you mean "
        "CHAINTELLER_ENGINE__SEED?",
    )


def test_a_variable_that_a_profile_names_for_its_key_is_known(tmp_path: Path) -> None:
    environ = _home(
        tmp_path, '[profiles.a]\nurl = "http://h"\nkey_env = "CHAINTELLER_BRANCH_KEY"\n'
    )
    environ["CHAINTELLER_BRANCH_KEY"] = "secret"
    assert load(environ).warnings == ()


_FITTING = {
    "engine.challenge_form": "long",
    "engine.price_feed": "simulated",
    **dict.fromkeys(
        ("ports.core_bank", "ports.custody", "ports.screening", "ports.venue"),
        "https://adapter.bank.example/port",
    ),
    "engine.maintenance": "sol-usd,btc-usd",
    "service.database": "sqlite:///x.db",
    "service.public_url": "https://sign.bank.example",
    "sign_in.issuer": "https://login.bank.example/",
    "wallets.shared": "ask",
    "wallets.arrivals": "file:arrivals.json",
    "wallets.evm_rpc": "ethereum https://a.example/key,ethereum https://b.example",
    "wallets.text_names_account": "on",
    "wallets.extended_keys": "off",
    "audit.verify_at": "02:00",
    "audit.witnesses": "/notes,http://w.example/x w.example+da77ade7+BOvN63jn",
    "service.rate_limits": "off",
    "service.test_networks": "on",
    "service.docs": "on",
    "gateway.honours_keys": "on",
    "service.metrics_address": "127.0.0.1:9100",
    "service.otlp_endpoint": "http://127.0.0.1:4318",
    "service.log_format": "json",
    "service.cleartext": "allow",
    "service.rates.read.per_second": "0.5",
    "service.trusted_proxies": "10.0.0.0/8,unix",
    "service.hosts": "teller.bank.example,*.branch.example",
}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_setting_can_be_given_by_the_environment(home: Path, name: str) -> None:
    variable = variable_of(name)
    environ = {"CHAINTELLER_HOME": str(home), variable: _FITTING.get(name, "7")}
    assert load(environ).origins[name] == variable


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsInvalid, match="line 1"):
        load(_home(tmp_path, "engine = ]\n"))


def test_seconds_may_have_decimals_and_amounts_thousands_separators(tmp_path: Path) -> None:
    environ = _home(tmp_path, '[engine]\nfill_delay_s = 0.5\n[desk]\nconfirm_above = "2,500.00"\n')
    found = load(environ)
    assert found.engine.fill_delay_s == 0.5
    assert found.desk.confirm_above == 250_000


def test_keys_are_taken_as_they_are(tmp_path: Path) -> None:
    environ = _home(tmp_path, '[keys]\n"accounts.deposit" = "f5"\nhelp = ["h", "f1"]\n')
    assert load(environ).keys == {"accounts.deposit": "f5", "help": "h,f1"}


def test_an_unknown_profile_says_what_was_meant(tmp_path: Path) -> None:
    environ = _home(tmp_path, '[profiles.branch]\nurl = "http://h"\n')
    with pytest.raises(SettingsInvalid, match="no profile 'branhc', did you mean branch"):
        load(environ, profile="branhc")


def test_a_list_in_a_variable_is_written_as_the_reference_says(home: Path) -> None:
    reference = Path(__file__).parents[2] / "docs" / "reference" / "settings.md"
    found = re.search(r'`(CHAINTELLER_SERVICE__HOSTS)="([^"]+)"`', reference.read_text("utf-8"))
    assert found is not None
    settings = load({"CHAINTELLER_HOME": str(home), found[1]: found[2]})
    assert settings.service.hosts == ("teller.bank.example", "*.branch.example")
