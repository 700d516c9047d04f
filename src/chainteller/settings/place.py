"""The place that a command works on: an embedded database or a remote deployment."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from chainteller.settings.flags import Flags
from chainteller.settings.reading import load
from chainteller.settings.tree import Profile, Settings
from chainteller.settings.values import (
    Reader,
    SettingsInvalid,
    database,
    deployment_url,
    did_you_mean,
    without_password,
)

_ADDRESSES = ("CHAINTELLER_URL", "CHAINTELLER_DATABASE")
"""Variables that name a place; they come before the active profile."""


@dataclass(frozen=True, slots=True)
class Place:
    """A database or deployment; ``chosen_by`` names the flag or setting that selected it."""

    remote: bool
    address: str
    label: str
    chosen_by: str
    read_only: bool = False
    profile: Profile | None = None
    cleartext: bool = False
    """Whether the API key may be sent without TLS to another machine."""

    @property
    def sends_key_in_the_clear(self) -> bool:
        """Whether anybody between here and a remote deployment could read the API key."""
        parts = urlsplit(self.address)
        return self.remote and parts.scheme == "http" and not _is_loopback(parts.hostname or "")

    @property
    def signs_in(self) -> bool:
        """Whether people sign in here with the issuer of the profile."""
        return self.remote and self.profile is not None and bool(self.profile.issuer)

    def require_privacy(self) -> None:
        """Raises SettingsInvalid: everybody on the way to a deployment could read what is sent."""
        if self.sends_key_in_the_clear and not self.cleartext:
            name = f"profiles.{self.profile.name}" if self.profile else "service"
            raise SettingsInvalid(
                [
                    f"{self.label} is reached without TLS, so the API key could be read on the "
                    f'way: use https://, or set {name}.cleartext = "allow"'
                ]
            )

    @property
    def kind(self) -> str:
        return "remote" if self.remote else "embedded"


@dataclass(frozen=True, slots=True)
class Configured:
    """Settings, flags and environment, from which the place is selected."""

    settings: Settings
    flags: Flags
    environ: Mapping[str, str]

    def place(self) -> Place:
        """Select the place for the console and most commands. Raises SettingsInvalid: two flags
        name different places, or an address is invalid."""
        flags = self.flags
        if flags.url is not None and flags.database is not None:
            raise SettingsInvalid(["--url and --database exclude each other"])
        if flags.url is not None:
            return self._remote(flags.url, flags.url_given_as)
        if flags.database is not None:
            return self._embedded(flags.database, "--database")
        if flags.profile:
            return self._of_profile(flags.profile, "--profile")
        if address := self.environ.get("CHAINTELLER_URL"):
            return self._remote(address, "CHAINTELLER_URL")
        if address := self.environ.get("CHAINTELLER_DATABASE"):
            return self._embedded(address, "CHAINTELLER_DATABASE")
        if active := self.active_profile():
            return self._of_profile(active, "the active profile")
        return self._default()

    def database(self) -> Place:
        """Select the database for ``serve``, ``db`` and ``keys``.

        The active profile names no database here; its ``read_only`` holds all the same.

        Raises:
            SettingsInvalid: a flag names a remote deployment.
        """
        flags = self.flags
        if flags.url is not None:
            raise SettingsInvalid(["this command works on a database; --url names a deployment"])
        if flags.database is not None:
            return self._embedded(flags.database, "--database")
        if flags.profile:
            place = self._of_profile(flags.profile, "--profile")
            if place.remote:
                raise SettingsInvalid(
                    [f"this command works on a database; profile {flags.profile!r} is remote"]
                )
            return place
        if address := self.environ.get("CHAINTELLER_DATABASE"):
            return self._embedded(address, "CHAINTELLER_DATABASE")
        return self._default()

    def active_profile(self) -> str:
        """The profile that applies without a flag; empty if there is none."""
        return self.environ.get("CHAINTELLER_PROFILE") or self.settings.desk.profile

    def unusable_profiles(self) -> list[str]:
        """What is wrong with profiles, also with those that aren't in use."""
        found: list[str] = []
        for name in self.settings.profiles:
            try:
                self._of_profile(name, f"profiles.{name}")
            except SettingsInvalid as error:
                found += error.problems
        return found

    @property
    def is_read_only(self) -> bool:
        """Whether ``--read-only`` or the profile in use forbids every change."""
        named = self.flags.names_address or any(map(self.environ.get, _ADDRESSES))
        name = self.flags.profile or ("" if named else self.active_profile())
        profile = self.settings.profiles.get(name)
        return self.flags.read_only or (profile is not None and profile.read_only)

    def _default(self) -> Place:
        if self.settings.service.database:
            origin = self.settings.origins.get("service.database", "service.database")
            return self._embedded(self.settings.service.database, origin)
        return self._embedded(sqlite_url(self.settings.paths.database), "the embedded default")

    def _of_profile(self, name: str, chosen_by: str) -> Place:
        profile = self.settings.profiles.get(name)
        if profile is None:
            close = did_you_mean(name, self.settings.profiles)
            raise SettingsInvalid([f"{chosen_by}: no profile {name!r}{close}"])
        if profile.is_remote and not profile.url:
            raise SettingsInvalid([f"profile {name!r} is remote and has no url"])
        if profile.is_remote:
            return self._remote(profile.url, chosen_by, profile)
        return self._embedded(profile.database or self._default().address, chosen_by, profile)

    def _remote(self, address: str, origin: str, profile: Profile | None = None) -> Place:
        checked = _checked(address, origin, _deployment)
        allowed = (profile.cleartext if profile else "") or self.settings.service.cleartext
        return self._with_profile(
            Place(
                remote=True,
                address=checked,
                label=checked.partition("://")[2] or checked,
                chosen_by=origin,
                cleartext=allowed == "allow",
            ),
            profile,
        )

    def _embedded(self, address: str, origin: str, profile: Profile | None = None) -> Place:
        checked = _checked(address, origin, database)
        if checked.startswith("sqlite:///"):
            label = sqlite_path(checked).name
        else:
            label = without_password(checked)
        return self._with_profile(
            Place(remote=False, address=checked, label=label, chosen_by=origin), profile
        )

    def _with_profile(self, place: Place, profile: Profile | None) -> Place:
        if profile is None and self.flags.profile:
            profile = self.settings.profiles.get(self.flags.profile)
        label = profile.label or profile.name if profile else place.label
        return replace(place, label=label, read_only=self.is_read_only, profile=profile)


def _deployment(value: object) -> str:
    """The address of a deployment; the API key alone says who calls, so nothing secret is in it."""
    address = deployment_url(value)
    try:
        host = urlsplit(address).netloc
    except ValueError:
        raise ValueError("needs http://HOST, https://HOST or unix:/PATH") from None
    if "@" in host:
        raise ValueError("needs an address without credentials")
    return address


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def sqlite_url(path: Path) -> str:
    return f"sqlite:///{path}"


def sqlite_path(address: str) -> Path:
    return Path(address.removeprefix("sqlite:///"))


def configure(flags: Flags, environ: Mapping[str, str]) -> Configured:
    """Read the settings; the active profile takes precedence over the file. Raises SettingsInvalid:
    lists every problem."""
    configured = Configured(load(environ, profile=flags.profile), flags, environ)
    active = configured.active_profile()
    elsewhere = flags.profile or flags.names_address
    if active and not elsewhere and configured.place().profile is not None:
        return Configured(load(environ, profile=active), flags, environ)
    return configured


def _checked(address: str, origin: str, read: Reader) -> str:
    try:
        return str(read(address))
    except ValueError as error:
        raise SettingsInvalid([f"{origin} {error}"]) from None
