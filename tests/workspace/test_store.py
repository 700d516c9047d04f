"""What the desk keeps for itself."""

from pathlib import Path

import pytest

from chainteller.domain.clock import SECOND, ManualClock
from chainteller.workspace.store import Kind, SentState, Workspace


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(1_000 * SECOND)


@pytest.fixture
def workspace(tmp_path: Path, clock: ManualClock) -> Workspace:
    return Workspace(tmp_path / "state" / "desk.db", clock)


def test_known_objects_come_back_last_seen_first(workspace: Workspace, clock: ManualClock) -> None:
    workspace.remember("TDA_1", Kind.TRADING_ACCOUNT, label="Miller")
    clock.advance(1)
    workspace.remember("TDA_2", Kind.TRADING_ACCOUNT)
    clock.advance(1)
    workspace.remember("TXN_1", Kind.TRANSACTION, parent="TDA_1")
    workspace.remember("TDA_1", Kind.TRADING_ACCOUNT)
    assert [(k.id, k.label) for k in workspace.known(Kind.TRADING_ACCOUNT)] == [
        ("TDA_1", "Miller"),
        ("TDA_2", ""),
    ]
    assert [k.id for k in workspace.known(Kind.TRANSACTION, parent="TDA_1")] == ["TXN_1"]
    assert workspace.known(Kind.TRANSACTION, parent="TDA_2") == []
    assert workspace.known_object("TXN_1", Kind.TRANSACTION) is not None
    assert workspace.known_object("TXN_1", Kind.TRADING_ACCOUNT) is None


def test_everything_is_there_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "desk.db"
    first = Workspace(path)
    first.sending("k1", "deposit", {"ids": ["TDA_1"], "request": {"amount": "1.00"}})
    first.set_note("TDA_1", "called twice\nwill call again")
    first.set_view("accounts.sort", ["name", True])
    first.close()
    second = Workspace(path)
    [request] = second.in_doubt()
    assert (request.key, request.operation, request.state) == ("k1", "deposit", SentState.SENT)
    assert request.arguments == {"ids": ["TDA_1"], "request": {"amount": "1.00"}}
    assert second.note("TDA_1") == "called twice\nwill call again"
    assert second.view("accounts.sort") == ["name", True]
    assert second.view("nothing", "default") == "default"
    second.close()


def test_only_what_is_unclear_is_in_doubt(workspace: Workspace, clock: ManualClock) -> None:
    for key, state in enumerate(SentState):
        clock.advance(1)
        workspace.sending(str(key), "deposit", {})
        if state is not SentState.SENT:
            workspace.answered(str(key), state, "answer")
    assert {request.state for request in workspace.in_doubt()} == {
        SentState.SENT,
        SentState.UNKNOWN,
    }
    assert [request.key for request in workspace.sent_requests()] == ["4", "3", "2", "1", "0"]


def test_requests_of_one_instant_keep_the_order_in_which_they_were_sent(
    workspace: Workspace, clock: ManualClock
) -> None:
    keys = ["m", "z", "a", "q", "b"]
    for key in keys:
        workspace.sending(key, "deposit", {})
    clock.advance(1)
    workspace.sending("later", "withdraw", {})
    workspace.sending("z", "deposit", {})
    assert [request.key for request in workspace.sent_requests()] == ["later", *reversed(keys)]
    last = workspace.last_sent(["deposit"])
    assert last is not None
    assert last.key == "b"
    assert [request.key for request in workspace.in_doubt()] == [*keys, "later"]


def test_an_empty_note_is_no_note(workspace: Workspace) -> None:
    workspace.set_note("TDA_1", "text")
    workspace.set_note("TDA_1", "")
    assert workspace.note("TDA_1") == ""


def test_an_id_that_no_database_can_hold_is_kept_all_the_same(workspace: Workspace) -> None:
    assert workspace.note("lone \ud800 surrogate") == ""
    workspace.set_note("lone \ud800 surrogate", "text")
    assert workspace.note("lone \ud800 surrogate") == "text"


def test_the_file_is_for_this_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "state" / "desk.db"
    Workspace(path).close()
    assert path.stat().st_mode & 0o077 == 0


def test_a_damaged_file_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "desk.db"
    path.write_bytes(b"this is no database" * 100)
    workspace = Workspace(path)
    workspace.set_note("TDA_1", "goes on")
    assert workspace.note("TDA_1") == "goes on"
    assert path.with_suffix(".broken").exists()
    workspace.close()


def test_two_desks_may_share_a_file(tmp_path: Path) -> None:
    first, second = Workspace(tmp_path / "desk.db"), Workspace(tmp_path / "desk.db")
    first.set_view("place", 1)
    second.set_view("place", 2)
    assert first.view("place") == 2
    first.close()
    second.close()


def test_without_a_file_it_forgets() -> None:
    workspace = Workspace(None)
    workspace.set_note("TDA_1", "text")
    workspace.close()
    again = Workspace(None)
    assert again.note("TDA_1") == ""
    again.close()


def test_half_a_character_is_kept_as_its_escape() -> None:
    store = Workspace(None)
    store.set_note("TDA_\ud800", "lone \ud800")
    store.remember("TXN_\udfff", Kind.TRANSACTION)
    assert store.note("TDA_\ud800") == "lone \\ud800"
    assert [known.id for known in store.known(Kind.TRANSACTION)] == ["TXN_\\udfff"]
