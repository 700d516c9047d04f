"""Secrets from the environment, a file, a command or the keyring; API keys of remote deployments.

Never from an argument, which other users of the machine can read. An API key's format isn't
checked, except that it must fit in a header: the deployment decides which keys are valid.
"""

import re
import shlex
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from chainteller.private_files import read_private
from chainteller.settings.place import Place
from chainteller.settings.values import SettingsInvalid

VARIABLE = "CHAINTELLER_API_KEY"
_COMMAND_TIMEOUT_S = 20
_CARRIED = re.compile(r"[ -~]+", re.ASCII)


def api_key(
    place: Place,
    environ: Mapping[str, str],
    variable: str = VARIABLE,
    settings: str = "a profile's key_file or key_command",
) -> str:
    """Find the API key for ``place``. ``variable`` is the one that comes before its profile; empty
    for none. ``settings`` are those that name the key, in words. Raises SettingsInvalid: no key was
    found, it can't be sent in a header, or everybody on the way could read it."""
    place.require_privacy()
    key = (environ.get(variable, "").strip() if variable else "") or _found(place, environ)
    if key is None:
        ways = f"{variable}, or {settings}" if variable else settings
        raise SettingsInvalid([f"no API key for {place.label}: set {ways}"])
    if not _CARRIED.fullmatch(key):
        what = "is empty" if not key else "is no single line of ASCII characters"
        raise SettingsInvalid([f"the API key for {place.label} {what}"])
    return key


def _found(place: Place, environ: Mapping[str, str]) -> str | None:
    profile = place.profile
    if profile is not None:
        if profile.key_env:
            return from_variable("key_env", profile.key_env, environ)
        if profile.key_file:
            return from_file("key_file", Path(profile.key_file).expanduser())
        if profile.key_command:
            return from_command("key_command", profile.key_command)
    return from_keyring("chainteller", profile.name if profile else place.address) or None


def from_variable(setting: str, name: str, environ: Mapping[str, str]) -> str:
    """Raises SettingsInvalid, which names the setting; so do the next two."""
    key = environ.get(name, "").strip()
    if not key:
        raise SettingsInvalid([f"{setting} names {name}, which is not set"])
    return key


def from_file(setting: str, path: Path) -> str:
    try:
        return read_private(path).strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is no text"
        raise SettingsInvalid([f"{setting} {path}: {reason}"]) from None


def from_command(setting: str, command: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - the user's own command, split and without a shell
            shlex.split(command),
            capture_output=True,
            text=True,
            timeout=_COMMAND_TIMEOUT_S,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        raise SettingsInvalid(
            [f"{setting} {_program(command)}: ended with {error.returncode}"]
        ) from None
    except subprocess.TimeoutExpired:
        raise SettingsInvalid(
            [f"{setting} {_program(command)}: no answer in {_COMMAND_TIMEOUT_S} s"]
        ) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is no command line"
        raise SettingsInvalid([f"{setting} {_program(command)}: {reason}"]) from None
    key = done.stdout.strip()
    if not key:
        raise SettingsInvalid([f"{setting} {_program(command)}: printed nothing"])
    return key


def _program(command: str) -> str:
    """The first word of a command; the rest may contain a secret."""
    return (command.split() or ["(empty)"])[0]


def from_keyring(service: str, name: str) -> str:
    """A secret of the system's keyring; empty where there's none, or no keyring."""
    try:
        import keyring  # noqa: PLC0415 - an optional package
        from keyring.errors import KeyringError  # noqa: PLC0415 - as above
    except ModuleNotFoundError:
        return ""
    try:
        return keyring.get_password(service, name) or ""
    except KeyringError:
        return ""


def into_keyring(service: str, name: str, secret: str) -> bool:
    """Keep a secret in the system's keyring; whether there is one that took it."""
    try:
        import keyring  # noqa: PLC0415 - an optional package
        from keyring.errors import KeyringError  # noqa: PLC0415 - as above
    except ModuleNotFoundError:
        return False
    try:
        keyring.set_password(service, name, secret)
    except KeyringError:
        return False
    return True


def out_of_keyring(service: str, name: str) -> None:
    """Remove a secret from the system's keyring, if it's there."""
    try:
        import keyring  # noqa: PLC0415 - an optional package
        from keyring.errors import KeyringError  # noqa: PLC0415 - as above
    except ModuleNotFoundError:
        return
    with suppress(KeyringError):
        keyring.delete_password(service, name)
