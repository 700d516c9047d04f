"""Issuing keys: once shown, hashed, scoped, rotated with overlap, revoked at once, audited."""

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.world.bank import World, build, sqlite_url

from chainteller.domain.actors import Actor
from chainteller.domain.keys import ApiKey, new_key
from chainteller.domain.randomness import SystemRandomness
from chainteller.engine.core.context import EngineContext
from chainteller.engine.operations.keys import ApiKeys, Authenticator
from chainteller.engine.upkeep import archiving
from chainteller.service.deployment import Principal
from chainteller.service.errors import (
    BooksDisputed,
    Conflict,
    NotFound,
    ServiceError,
    Unauthorized,
    ValidationFailed,
)
from chainteller.service.models.pages import ListQuery
from chainteller.sqlite import sqlite3


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = build(sqlite_url(tmp_path))
    yield world
    world.engine.close()


@pytest.fixture
def keys(world: World) -> ApiKeys:
    return ApiKeys(world.context, Actor(name="operator"))


def authenticate(context: EngineContext, text: str) -> Principal:
    """Whom a key speaks for, read from the database now."""
    return Authenticator(context).principal(text)


def reason(world: World, key: ApiKey) -> str:
    with pytest.raises(Unauthorized) as refused:
        authenticate(world.context, key.text)
    found: str = refused.value.details["reason"]
    return found


def test_a_key_speaks_for_its_organisation_with_its_scopes(world: World, keys: ApiKeys) -> None:
    key = keys.create("branch 7", ("accounts:read",), "other")
    principal = authenticate(world.context, key.text)
    assert (principal.actor.organisation, principal.actor.key_id) == ("other", key.key_id)
    assert principal.actor.name == f"branch 7 ({key.key_id})"
    assert principal.scopes == {"accounts:read"}


def test_the_secret_is_nowhere_in_the_database(world: World, keys: ApiKeys) -> None:
    made = keys.create("canary")
    rotated = keys.rotate(made.key_id)
    path = world.context.database.path
    assert path is not None
    with closing(sqlite3.connect(path)) as database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        rows = [database.execute(f"SELECT * FROM {name}").fetchall() for (name,) in tables]  # noqa: S608 - our own names
    dump = str(rows)
    assert made.key_id in dump
    for key in (made, rotated):
        assert key.secret not in dump
        assert key.text not in dump


def test_a_revoked_key_is_refused_from_the_next_request_on(world: World, keys: ApiKeys) -> None:
    key = keys.create("branch")
    authenticate(world.context, key.text)
    keys.revoke(key.key_id)
    keys.revoke(key.key_id)
    assert reason(world, key) == "REVOKED"
    assert [row["status"] for row in keys.listed()] == ["revoked"]


def test_an_expired_key_is_refused_even_when_the_clock_is_set_back(
    world: World, keys: ApiKeys
) -> None:
    key = keys.create("branch", expires="1h")
    world.advance(3_600)
    keys.create("something that is written later")
    assert reason(world, key) == "EXPIRED"
    assert world.clock is not None
    world.clock.advance(-3_600_000_000)
    assert reason(world, key) == "EXPIRED"


def test_both_keys_hold_during_the_overlap_of_a_rotation(world: World, keys: ApiKeys) -> None:
    old = keys.create("branch", ("events:read",), "other", "90d")
    new = keys.rotate(old.key_id, "1h")
    assert authenticate(world.context, old.text).scopes == {"events:read"}
    assert authenticate(world.context, new.text).scopes == {"events:read"}
    assert authenticate(world.context, new.text).actor.organisation == "other"
    world.advance(3_600)
    assert reason(world, old) == "REVOKED"
    authenticate(world.context, new.text)
    by_id = {row["id"]: row for row in keys.listed()}
    assert by_id[old.key_id]["replacedBy"] == new.key_id
    assert by_id[new.key_id]["expires"] is not None


def test_both_keys_hold_for_a_week_at_most(world: World, keys: ApiKeys) -> None:
    old = keys.create("branch")
    with pytest.raises(ValidationFailed):
        keys.rotate(old.key_id, "169h")
    keys.rotate(old.key_id, "168h")
    world.advance(7 * 24 * 3_600 - 1)
    authenticate(world.context, old.text)
    world.advance(1)
    assert reason(world, old) == "REVOKED"


def test_an_unknown_key_is_named_unless_it_may_be_a_secret(keys: ApiKeys) -> None:
    for key_id, shown in (("KEY_NOBODY", "KEY_NOBODY"), ("a secret " * 20, "")):
        with pytest.raises(NotFound) as found:
            keys.revoke(key_id)
        assert found.value.details["id"] == shown


def test_a_rotation_without_overlap_ends_the_old_key_at_once(world: World, keys: ApiKeys) -> None:
    old = keys.create("branch")
    keys.rotate(old.key_id, "0")
    assert reason(world, old) == "REVOKED"


def test_a_key_is_rotated_once(keys: ApiKeys) -> None:
    old = keys.create("branch")
    keys.rotate(old.key_id)
    with pytest.raises(Conflict):
        keys.rotate(old.key_id)


def test_a_key_that_has_ended_is_not_rotated(world: World, keys: ApiKeys) -> None:
    revoked, expired = keys.create("one"), keys.create("two", expires="1h")
    keys.revoke(revoked.key_id)
    world.advance(3_600)
    for each in (revoked, expired):
        with pytest.raises(Conflict):
            keys.rotate(each.key_id)


def test_a_rotation_gives_no_scope_that_only_the_database_has(world: World, keys: ApiKeys) -> None:
    old = keys.create("branch", ("accounts:read",))
    alter(world, "scopes = 'accounts:read admin'")
    with pytest.raises(BooksDisputed):
        keys.rotate(old.key_id)
    assert [each.where for each in world.engine.disputes().data] == [f"api_key {old.key_id}"]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("",), "name"),
        (("x" * 65,), "name"),
        (("a\x1b[2J",), "name"),
        (("a", ("root",)), "scope"),
        (("a", (), "no such place!"), "organisation"),
        (("a", (), "default", "soon"), "expires"),
        (("a", (), "default", "999999w"), "expires"),
    ],
)
def test_refuses_what_no_key_can_have(keys: ApiKeys, arguments: tuple[str], field: str) -> None:
    with pytest.raises(ValidationFailed) as refused:
        keys.create(*arguments)
    assert refused.value.details["errors"][0]["field"] == field
    assert keys.listed() == []


def test_a_key_that_lasts_for_the_longest_is_listed(keys: ApiKeys) -> None:
    keys.create("branch", (), "default", "999999d")
    [listed] = keys.listed()
    assert str(listed["expires"]).startswith("4764-")


@pytest.mark.parametrize("overlap", ["8d", "later", "-1h"])
def test_refuses_an_overlap_that_cannot_be(keys: ApiKeys, overlap: str) -> None:
    key = keys.create("branch")
    with pytest.raises(ValidationFailed):
        keys.rotate(key.key_id, overlap)


@pytest.mark.parametrize("key_id", ["abcdefgh", "", "../..", "ö"])
def test_an_unknown_key_is_not_found(keys: ApiKeys, key_id: str) -> None:
    for act in (keys.revoke, keys.rotate):
        with pytest.raises(NotFound):
            act(key_id)


def test_every_change_is_in_the_audit_trail_and_among_the_events(
    world: World, keys: ApiKeys
) -> None:
    key = keys.create("branch")
    keys.rotate(key.key_id)
    keys.revoke(key.key_id)
    rows = world.engine.audit(ListQuery(text=key.key_id)).data
    assert [row.action for row in rows] == ["revoke_api_key", "rotate_api_key", "create_api_key"]
    assert {row.actor for row in rows} == {"operator"}
    events = [event.type for event in world.engine.events().data]
    assert events == ["api_key.created", "api_key.created", "api_key.rotated", "api_key.revoked"]


def test_last_use_is_written_once_a_minute(world: World, keys: ApiKeys) -> None:
    key = keys.create("branch")

    def used() -> object:
        authenticate(world.context, key.text)
        return keys.listed()[0]["lastUsedAt"]

    first = used()
    world.advance(59)
    assert used() == first
    world.advance(1)
    assert used() != first


def test_a_new_organisation_begins_with_its_first_key(world: World, keys: ApiKeys) -> None:
    key = keys.create("first", organisation="newcomer")
    service = world.engine.acting_as(authenticate(world.context, key.text).actor)
    assert service.trading_accounts().data == ()
    with pytest.raises(ServiceError):
        service.trading_account("TDA_1")


def test_the_authenticator_sees_a_revocation_after_a_moment_and_an_expiry_at_once(
    world: World, keys: ApiKeys
) -> None:
    seconds = [100.0]
    door = Authenticator(world.context, lambda: seconds[0])
    revoked, expiring = keys.create("one"), keys.create("two", expires="1h")
    for key in (revoked, expiring):
        assert door.principal(key.text).actor.key_id == key.key_id
    keys.revoke(revoked.key_id)
    assert door.principal(revoked.text).actor.key_id == revoked.key_id
    seconds[0] += 0.25
    with pytest.raises(Unauthorized) as refused:
        door.principal(revoked.text)
    assert refused.value.details == {"reason": "REVOKED"}
    world.advance(3_600)
    with pytest.raises(Unauthorized) as refused:
        door.principal(expiring.text)
    assert refused.value.details == {"reason": "EXPIRED"}


def test_a_remembered_key_ends_with_its_overlap(world: World, keys: ApiKeys) -> None:
    door = Authenticator(world.context, lambda: 100.0)
    old = keys.create("branch")
    keys.rotate(old.key_id, "1h")
    assert door.principal(old.text).actor.key_id == old.key_id
    world.advance(3_600)
    with pytest.raises(Unauthorized) as refused:
        door.principal(old.text)
    assert refused.value.details == {"reason": "REVOKED"}


def test_the_authenticator_remembers_no_wrong_key(world: World, keys: ApiKeys) -> None:
    door = Authenticator(world.context)
    key = keys.create("one")
    for wrong in (key.text[:-1], key.text + "x", "", "nonsense"):
        for _ in range(2):
            with pytest.raises(Unauthorized):
                door.principal(wrong)


def alter(world: World, setting: str, **values: object) -> None:
    """Change every key's row, as somebody with SQL can."""
    with world.context.database.write() as connection:
        connection.execute(text(f"UPDATE api_key SET {setting}"), values)  # noqa: S608 - our own words
        connection.commit()


def row_of(world: World) -> dict[str, object]:
    """The only key's row."""
    with world.context.database.read() as connection:
        return dict(connection.execute(text("SELECT * FROM api_key")).mappings().one())


def looks(world: World) -> tuple[Authenticator, Callable[[], tuple[str, ...]]]:
    """A server's door, which reads each key again, and what a look says of the keys it took."""
    door = Authenticator(world.context, count().__next__)
    return door, lambda: tuple(map(str, door.uses.breaches()))


@pytest.mark.parametrize(
    ("setting", "lifetime"),
    [
        ("revoked_at = NULL", None),
        ("expires = NULL", "1h"),
        ("expires = expires + 9000000000", "1h"),
        ("scopes = 'admin'", None),
        ("organisation_id = 'other'", None),
        ("replaced_by = 'x'", None),
        ("salt = 'x'", None),
    ],
)
def test_a_key_that_somebody_altered_opens_nothing_and_is_named(
    world: World, keys: ApiKeys, setting: str, lifetime: str | None
) -> None:
    door, look = looks(world)
    key = keys.create("branch", ("accounts:read",), "default", lifetime)
    keys.create("something that is written later", (), "other")
    door.principal(key.text)
    if "revoked_at" in setting:
        keys.revoke(key.key_id)
    world.advance(3_599)
    assert look() == ()
    alter(world, setting)
    with pytest.raises(Unauthorized) as refused:
        door.principal(key.text)
    assert refused.value.details == {"reason": "UNKNOWN"}
    (said,) = look()
    assert said.startswith("invariant 20: used as it wasn't: ")
    assert said.endswith(f"(api_key {key.key_id})")
    assert look() == ()


def test_a_key_that_nobody_issued_opens_nothing(world: World, keys: ApiKeys) -> None:
    door, look = looks(world)
    keys.create("branch")
    forged = new_key(SystemRandomness())
    alter(world, "key_id = :id, secret_hash = :hash", id=forged.key_id, hash=forged.secret_hash)
    with pytest.raises(Unauthorized) as refused:
        door.principal(forged.text)
    assert refused.value.details == {"reason": "UNKNOWN"}
    (said,) = look()
    assert f"no entry wrote api_key {forged.key_id}" in said


@pytest.mark.parametrize("hides", [False, True])
def test_a_key_as_it_was_before_it_was_revoked_is_named(
    world: World, keys: ApiKeys, *, hides: bool
) -> None:
    """This process has used the row as it was. Also where the log's size is altered beside it,
    and all is put back before the look."""
    door, look = looks(world)
    key = keys.create("branch")
    door.principal(key.text)
    before = row_of(world)
    keys.revoke(key.key_id)
    assert look() == ()
    after = row_of(world)
    setting = ", ".join(f"{name} = :{name}" for name in before)
    alter(world, setting, **before)
    resize(world, -2 if hides else 0)
    door.principal(key.text)
    resize(world, 2 if hides else 0)
    alter(world, setting, **after)
    (said,) = look()
    assert said.startswith("invariant 20: used as it wasn't: ")
    with pytest.raises(Unauthorized):
        door.principal(key.text)


def test_a_revoked_key_opens_no_server_that_is_told_a_log_of_before(
    world: World, keys: ApiKeys
) -> None:
    """The server has just started, and has seen no longer log."""
    key = keys.create("branch")
    before = row_of(world)
    keys.revoke(key.key_id)
    world.advance(120)
    alter(world, ", ".join(f"{name} = :{name}" for name in before), **before)
    resize(world, -1)
    door, _ = looks(world)
    with pytest.raises(Unauthorized):
        door.principal(key.text)


def resize(world: World, by: int) -> None:
    with world.context.database.write() as connection:
        connection.execute(text("UPDATE log SET size = size + :by"), {"by": by})
        connection.commit()


def test_keys_that_are_issued_rotated_and_revoked_are_as_the_log_says(
    world: World, keys: ApiKeys
) -> None:
    door, look = looks(world)
    for organisation in ("default", "other", "another"):
        old = keys.create("branch", (), organisation, "90d")
        new = keys.rotate(old.key_id, "1h")
        for key in (old, new, keys.rotate(new.key_id, "1h")):
            door.principal(key.text)
            keys.revoke(key.key_id)
            with pytest.raises(Unauthorized) as refused:
                door.principal(key.text)
            assert refused.value.details == {"reason": "REVOKED"}
    assert look() == ()


def test_a_key_of_which_an_archive_has_the_entries_opens(
    world: World, keys: ApiKeys, tmp_path: Path
) -> None:
    """They stay in the database, too."""
    door, look = looks(world)
    key = keys.create("branch")
    world.advance(40 * 24 * 3_600)
    assert sum(archiving.archive(world.context, tmp_path / "audit.archive", 30))
    door.principal(key.text)
    assert look() == ()
