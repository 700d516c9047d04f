"""The desk's side of a sign-in: the code, and tokens that are renewed once."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("jwt", reason="the extra sign-in isn't installed")

from tests.sign_in.desks import Desk, Pauses
from tests.sign_in.small_issuer import small_issuer

from chainteller.remote.signed_in import RENEWED_AFTER_S
from chainteller.service.errors import ServiceUnreachable, SignInRequired
from chainteller.settings.place import Place
from chainteller.settings.tree import Profile
from chainteller.settings.values import SettingsInvalid
from chainteller.sign_ins import sign_in_of


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with small_issuer() as issuer:
        yield Desk(issuer, tmp_path)


def test_a_code_is_asked_for_as_often_as_the_issuer_wants(desk: Desk) -> None:
    desk.issuer.told = ["authorization_pending", "slow_down", "authorization_pending"]
    client, pauses = desk.program().issuer, Pauses()
    begun = client.begin()
    assert begun.prompt.code == "WDJB-MJHT\N{REPLACEMENT CHARACTER}[2J"
    assert client.wait(begun, pauses) is not None
    assert pauses.seconds == [1, 1, 6, 6]


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (["access_denied"], "The sign-in was refused."),
        (["expired_token"], "The code has expired. Nobody has signed in."),
        (["authorization_pending"] * 40, "The code has expired. Nobody has signed in."),
    ],
)
def test_why_nobody_signed_in(desk: Desk, told: list[str], words: str) -> None:
    desk.issuer.told = told
    client = desk.program().issuer
    with pytest.raises(SignInRequired, match=words):
        client.wait(client.begin(), Pauses())


def test_programs_of_one_machine_renew_once(desk: Desk) -> None:
    desk.sign_in()
    desk.wait(RENEWED_AFTER_S)
    programs = [desk.program() for _ in range(4)]
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda each=each: found.append(each.token())) for each in programs
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert desk.issuer.renewed == 1
    assert len(found) == 4
    assert len(set(found)) == 1


def test_a_token_is_used_until_it_is_old_or_refused(desk: Desk) -> None:
    program = desk.sign_in()
    first = program.token()
    desk.wait(RENEWED_AFTER_S - 1)
    assert program.token() == first
    desk.issuer.is_gone = True
    desk.wait(1)
    assert program.token() == first
    with pytest.raises(ServiceUnreachable):
        program.token(refused=first)
    desk.issuer.is_gone = False
    second = program.token(refused=first)
    assert second != first
    assert desk.program().token() == second


def test_an_ended_sign_in_is_forgotten(desk: Desk) -> None:
    program = desk.sign_in()
    desk.issuer.refresh = "revoked"
    desk.wait(RENEWED_AFTER_S)
    with pytest.raises(SignInRequired, match="has ended"):
        program.token()
    with pytest.raises(SignInRequired, match="Nobody has signed in"):
        desk.program().token()
    assert desk.sign_in().end()
    assert desk.issuer.refresh == ""
    assert not desk.program().end()


def test_others_may_not_read_it(desk: Desk) -> None:
    desk.sign_in()
    (file,) = (desk.paths.config_file.parent / "sign-ins").glob("*.key")
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    with pytest.raises(SettingsInvalid, match="may be read by others"):
        desk.program().token()
    file.write_text("{}")
    file.chmod(0o600)
    with pytest.raises(SettingsInvalid, match="is no sign-in"):
        desk.program().token()


def test_tokens_are_not_sent_in_the_clear(desk: Desk) -> None:
    profile = Profile("bank", issuer=desk.issuer.address)
    far = Place(True, "http://teller.bank.example", "bank", "--profile", profile=profile)
    with pytest.raises(SettingsInvalid, match="without TLS"):
        sign_in_of(desk.paths, far)
