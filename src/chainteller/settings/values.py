"""Convert and check the values of settings: one reader per kind, for file and environment."""

import math
import re
from collections.abc import Callable, Iterable
from ipaddress import ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from chainteller.domain.assets import MARKETS_BY_NAME, USD
from chainteller.domain.bank_names import check_bank_code, check_bank_name
from chainteller.domain.books import minutes_of_day
from chainteller.domain.money import AmountInvalid, parse_typed
from chainteller.domain.spelling import nearest
from chainteller.service.errors import TellerError

DATABASE_SCHEMES = ("sqlite:///", "postgresql://", "postgresql+psycopg://")


class SettingsInvalid(TellerError):
    """A flag, an environment variable or the configuration file is invalid."""

    code = "CONFIGURATION"
    next_step = "Correct it, then look at the result with: chainteller config show"

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))


Reader = Callable[[object], Any]
"""Converts a raw value into a setting's value, or raises ValueError."""


def text(value: object) -> str:
    if isinstance(value, str | int) and not isinstance(value, bool):
        if str(value).isprintable():
            return str(value)
        raise ValueError("needs text without control characters")
    raise ValueError("needs text")


def bank_name(value: object) -> str:
    try:
        return check_bank_name(text(value))
    except ValueError:
        raise ValueError(
            "needs 1 to 39 printable ASCII characters without quotes, backslashes, doubled spaces "
            "or blank ends"
        ) from None


def bank_code(value: object) -> str:
    code = text(value)
    try:
        return code and check_bank_code(code)
    except ValueError:
        raise ValueError("needs 1 to 12 capital letters and digits") from None


_MOST_SECONDS = 10**11
"""Twice as many from now on end in a year that can be written."""


def seconds(minimum: int) -> Reader:
    def read(value: object) -> float:
        wrong = ValueError(f"needs a number of seconds, {minimum} or more")
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise wrong
        try:
            number = float(value)
        except ValueError:
            raise wrong from None
        if not math.isfinite(number) or number < minimum:
            raise wrong
        if number > _MOST_SECONDS:
            raise ValueError(f"needs at most {_MOST_SECONDS} seconds")
        return int(number) if number.is_integer() else number

    return read


def rate(value: object) -> float:
    """Requests per second, at least one in a hundred seconds."""
    try:
        number = float(value) if isinstance(value, str | int | float) else 0.0
    except ValueError:
        number = 0.0
    if isinstance(value, bool) or not 0.01 <= number <= 1_000_000:
        raise ValueError("needs a number of requests per second, 0.01 to 1000000")
    return int(number) if number.is_integer() else number


def count(value: object) -> int:
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not re.fullmatch(r"[0-9]{1,6}", text) or int(text) < 1:
        raise ValueError("needs a whole number, 1 or more")
    return int(text)


def switch(value: object) -> bool:
    word = str(value).lower() if isinstance(value, str | bool) else ""
    if word in {"on", "true", "yes", "1"}:
        return True
    if word in {"off", "false", "no", "0"}:
        return False
    raise ValueError('needs "on" or "off"')


def one_of(*words: str) -> Reader:
    *most, last = words
    needs = f"{', '.join(most)} or {last}" if most else last

    def read(value: object) -> str:
        if value not in words:
            raise ValueError(f"needs {needs}")
        return str(value)

    return read


def time_of_day(value: object) -> str:
    found = text(value)
    try:
        if found:
            minutes_of_day(found)
    except ValueError:
        raise ValueError("needs a time of day such as 02:00, or nothing") from None
    return found


def cents(value: object) -> int:
    try:
        return parse_typed(text(value), USD).atoms
    except AmountInvalid:
        raise ValueError("needs an amount of USD such as 10000.00") from None


def names(value: object) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise ValueError("needs a list of names")
    return tuple(part.strip() for part in parts if part.strip())


def markets(value: object) -> tuple[str, ...]:
    named = names(value)
    for name in named:
        if name not in MARKETS_BY_NAME:
            raise ValueError(f"knows no market {name!r}{did_you_mean(name, MARKETS_BY_NAME)}")
    return named


def price_feed(value: object) -> str:
    feed = text(value)
    if feed not in ("simulated", "venue") and not re.fullmatch(r"(replay|http):.+", feed):
        raise ValueError("needs simulated, venue, replay:FILE or http:NAME")
    return feed


def arrivals(value: object) -> str:
    source = text(value)
    if source not in ("simulated", "none") and not re.fullmatch(
        r"file:.+|https?://[^\s/]+(/\S*)?", source
    ):
        raise ValueError("needs none, simulated, file:FILE or an address (https://HOST/PATH)")
    return source


def port(*, file: bool = False) -> Reader:
    """``simulated`` or an address; ``file`` where files may be exchanged instead."""
    ways = r"file:.+|" if file else ""
    needs = "simulated, file:PATH" if file else "simulated"

    def read(value: object) -> str:
        found = text(value)
        if found != "simulated" and not re.fullmatch(
            rf"{ways}https?://[^\s/@?#]+(/[^\s?#]*)?", found
        ):
            raise ValueError(f"needs {needs} or an address (https://HOST/PATH)")
        return found.rstrip("/")

    return read


def database(value: object) -> str:
    address = text(value)
    if not address.startswith(DATABASE_SCHEMES) or address in DATABASE_SCHEMES:
        raise ValueError("needs sqlite:///FILE or postgresql://HOST/NAME")
    if address.startswith("sqlite:") and "?" in address:
        raise ValueError("needs sqlite:///FILE without ?; --read-only is an option of its own")
    return address


def url(value: object) -> str:
    address = text(value)
    if not re.fullmatch(r"https?://[^\s/]+(/\S*)?", address) or not _has_port(address):
        raise ValueError("needs http://HOST or https://HOST")
    return address.rstrip("/")


def _has_port(address: str) -> bool:
    """Whether the port of an address, if it names one, can be."""
    try:
        return urlsplit(address).port != 0
    except ValueError:
        return False


def otlp_endpoint(value: object) -> str:
    """A collector's address; empty for none."""
    return url(value) if text(value) else ""


def public_url(value: object) -> str:
    """An address that is reached over TLS, or is on this machine; empty for none."""
    address = text(value)
    if not address:
        return address
    found = url(address)
    host = urlsplit(found).hostname or ""
    if not found.startswith("https://") and host not in {"localhost", "127.0.0.1", "::1"}:
        raise ValueError("needs https://HOST; http:// is for this machine alone")
    return found


def issuer(value: object) -> str:
    """The identifier of an OpenID provider, as it writes it: with a final slash if it has one."""
    identifier = text(value)
    public_url(identifier)
    return identifier


def deployment_url(value: object) -> str:
    """An address, or ``unix:`` and the path of a socket, which may also be written unix:///PATH."""
    address = text(value)
    if address.startswith("unix:"):
        path = address.removeprefix("unix:").removeprefix("//")
        if not path.startswith("/"):
            raise ValueError("needs unix:/PATH, with an absolute path")
        return f"unix:{path}"
    try:
        return url(address)
    except ValueError:
        raise ValueError("needs http://HOST, https://HOST or unix:/PATH") from None


def witnesses(value: object) -> tuple[str, ...]:
    """Folders, and addresses with the verifier keys of their witnesses after a space."""
    named = names(value)
    for each in named:
        address, *keys = each.split() if _is_address(each) else [each]
        if _is_address(each):
            url(address)
        elif not Path(each).expanduser().is_absolute():
            raise ValueError(f"needs absolute folders and addresses, not {each!r}")
        if not all(re.fullmatch(r"[^+]+\+[0-9a-f]{8}\+\S+", key) for key in keys):
            raise ValueError(f"needs verifier keys (NAME+ID+KEY) after {address}")
    return named


def evm_rpc(value: object) -> tuple[str, ...]:
    """Networks with the address of a provider after a space; a network may have several."""
    named = names(value)
    for each in named:
        network, _, address = each.partition(" ")
        if not network or not _is_address(address) or " " in address:
            raise ValueError("needs a network and an address: ethereum https://rpc.example")
        url(address)
    return named


def proxies(value: object) -> tuple[str, ...]:
    """Addresses and networks, and ``unix`` for whoever connects over a UNIX socket."""
    named = names(value)
    for each in named:
        try:
            if each != "unix":
                ip_network(each, strict=False)
        except ValueError:
            raise ValueError(
                f"needs addresses, networks such as 10.0.0.0/8, or unix, not {each!r}"
            ) from None
    return named


def hosts(value: object) -> tuple[str, ...]:
    """Names as a browser sends them, without a port; ``*.NAME`` is every name below NAME."""
    named = names(value)
    for each in named:
        if each != "*" and not re.fullmatch(r"(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?", each):
            raise ValueError(
                f"needs names such as teller.bank.example or *.bank.example, or *, not {each!r}"
            )
    return named


def webhook_hosts(value: object) -> tuple[str, ...]:
    """Names, addresses and networks (``domain.webhooks.WebhookHosts``)."""
    from chainteller.domain.webhooks import check_host  # noqa: PLC0415 - loads OpenSSL's hashes

    named = names(value)
    for each in named:
        check_host(each)
    return named


def _is_address(witness: str) -> bool:
    return witness.startswith(("http://", "https://"))


def verifier_key(value: object) -> str:
    key = text(value)
    if key and not re.fullmatch(r"[^+\s]+\+[0-9a-f]{8}\+\S+", key):
        raise ValueError("needs a verifier key, NAME+ID+KEY, as chainteller audit key show prints")
    return key


def listening_address(value: object) -> str:
    address = text(value)
    found = re.fullmatch(r"/.+|(?:\[[0-9A-Fa-f:.]+\]|[^\s:/]+):([1-9][0-9]{0,4})", address)
    if found is None or int(found[1] or 0) > 65_535:
        raise ValueError("needs HOST:PORT or the absolute path of a UNIX socket")
    return address


def why_unreadable(error: OSError | UnicodeDecodeError) -> str:
    """Why a file can't be read, without Python's own words."""
    if isinstance(error, UnicodeDecodeError):
        return f"it isn't UTF-8, see its byte {error.start + 1}"
    return error.strerror or type(error).__name__


def did_you_mean(word: str, known: Iterable[str]) -> str:
    meant = nearest(word, known)
    return f", did you mean {meant}?" if meant else ""


def without_password(url: str) -> str:
    """Mask the password in an address."""
    return re.sub(r"(://[^:/@\s]*):[^@/\s]*@", r"\1:***@", url)
