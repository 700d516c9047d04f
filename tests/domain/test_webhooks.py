"""Webhooks: which hosts and addresses may be called, signatures, progress and pauses."""

from base64 import b64decode

import pytest

from chainteller.domain.webhooks import (
    WebhookHosts,
    advance,
    check_host,
    pause_us,
    sign,
    target_of,
    wants,
)

HOSTS = WebhookHosts(
    ("hooks.bank.example", "*.partner.example", "http://collector", "10.20.0.0/16", "http://[::1]")
)


def test_a_message_is_signed_as_the_standards_own_libraries_sign_it() -> None:
    secret = b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    signed = sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.bank.example/teller",
        "https://HOOKS.bank.example:8443/teller",
        "https://a.b.partner.example",
        "http://collector/in",
        "https://10.20.3.4/in",
        "http://[::1]:9000/",
    ],
)
def test_a_host_of_the_list_may_be_called(url: str) -> None:
    assert HOSTS.refusal(target_of(url)) is None


@pytest.mark.parametrize(
    "url",
    [
        "https://bank.example/",
        "https://hooks.bank.example.evil.example/",
        "https://partner.example/",
        "https://evilpartner.example/",
        "https://10.21.0.1/",
        "https://169.254.169.254/",
        "https://169477030/",
        "http://hooks.bank.example/",
        "http://10.20.3.4/",
    ],
)
def test_any_other_host_and_cleartext_elsewhere_are_refused(url: str) -> None:
    assert HOSTS.refusal(target_of(url))
    assert WebhookHosts().refusal(target_of(url))


@pytest.mark.parametrize(
    "url",
    [
        "ftp://hooks.bank.example/",
        "hooks.bank.example",
        "https://user@hooks.bank.example/",
        "https://hooks.bank.example/?token=1",
        "https://hooks.bank.example/#x",
        "https://hooks.bank.example/a b",
        "https://hooks.bank.example\\@evil.example/",
        "https:///path",
        "https://höoks.example/",
        "https://hooks.bank.example:99999/",
        "https://hooks.bank.example:0/",
        "https://hooks.bank.example:secret/",
        "https://[::1/",
        "https://hooks.bank.example/" + "x" * 500,
    ],
)
def test_an_address_in_another_form_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"Write|Leave out") as refused:
        target_of(url)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "0.0.0.1", "224.0.0.1", "255.255.255.255", "::", "fe80::1", "fc00::1", "fd00:ec2::254",
        "ff02::1", "fec0::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::", "2001:0:53aa:64c:0:0:80ff:fffe", "::127.0.0.1", "2001:db8::1",
    ],
)  # fmt: skip
def test_an_address_that_is_not_public_is_called_only_if_the_list_names_it(address: str) -> None:
    assert not HOSTS.may_connect(address)
    assert WebhookHosts((address,)).may_connect(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1", "10.20.0.9"])
def test_a_public_address_and_one_of_the_list_are_called(address: str) -> None:
    assert HOSTS.may_connect(address)


@pytest.mark.parametrize("entry", ["", "*", "https://x", "*.*.x", "bank.example/x", "10.0.0.0/99"])
def test_an_entry_in_another_form_is_refused(entry: str) -> None:
    with pytest.raises(ValueError, match="needs names"):
        check_host(entry)


def test_an_endpoint_wants_its_types_and_those_of_its_records() -> None:
    assert wants((), "trade.settled")
    assert wants(("deposit.completed", "trade.*"), "trade.settled")
    assert not wants(("deposit.completed", "trade.*"), "trader.settled")


def test_progress_stops_at_the_first_event_that_was_not_accepted() -> None:
    window = (10, 20, 30, 40)
    assert advance(window, {10, 20, 30, 40}, 5, 99) == (99, ())
    assert advance(window, {10, 30, 40}, 5, 99) == (10, (30, 40))
    assert advance(window, {30}, 5, 99) == (5, (30,))
    assert advance((), set(), 5, 99) == (99, ())


def test_pauses_grow_to_a_day_and_honour_what_the_endpoint_asks_for() -> None:
    pauses = [pause_us(attempts, 0, 0) for attempts in range(1, 20)]
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (1_000_000, 86_400_000_000)
    assert pause_us(1, 120, 0) == 120_000_000
    assert pause_us(1, 10**7, 0) == 86_400_000_000
    assert pause_us(2, 0, 255) == 5_500_000
