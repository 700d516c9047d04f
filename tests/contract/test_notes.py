"""Notes of the team: colleagues read them, the trail names who made them, words can be erased."""

import pytest
from tests.contract.conftest import Place

from chainteller.domain.actors import Actor
from chainteller.service.errors import Forbidden, NotFound, ServiceError
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.notes import AddNote
from chainteller.service.models.pages import ListQuery

SAID = "Call back after 16:00."


def account_of(place: Place) -> str:
    asked = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    return place.service.open_trading_account(asked).value.id


def test_a_note_is_of_the_whole_team_and_its_words_are_in_no_trail(place: Place) -> None:
    account = account_of(place)
    asked = AddNote(subject=account, content=f" {SAID} ")
    note = place.service.add_note(asked, idempotency_key="note-1").value
    again = place.service.add_note(asked, idempotency_key="note-1")
    assert (again.replayed, again.value) == (True, note)
    assert (note.subject, note.trading_account_id, note.content) == (account, account, SAID)
    colleague = place.world.engine.acting_as(Actor("default", "s.iyer"))
    assert colleague.notes(ListQuery(trading_account_id=account)).data == (note,)
    assert colleague.notes(ListQuery(text="AFTER 16")).data == (note,)
    assert colleague.notes(ListQuery(text="after_16")).data == ()
    assert place.stranger.notes().data == ()
    (row,) = (each for each in place.world.engine.audit().data if each.action == "add_note")
    assert (row.object, row.actor, row.inputs) == (account, note.author, {"subject": account})


def test_words_are_erased_by_their_author_or_who_may_freeze(place: Place) -> None:
    account = account_of(place)
    note = place.service.add_note(AddNote(subject=account, content=SAID)).value
    other = Actor("default", "s.iyer", scopes=frozenset({"accounts:read", "accounts:write"}))
    colleague = place.world.engine.acting_as(other)
    with pytest.raises(Forbidden):
        colleague.erase_note(note.id)
    erased = place.service.erase_note(note.id).value
    assert (erased.content, erased.erased_by) == (None, note.author)
    assert place.service.erase_note(note.id).value == erased
    theirs = colleague.add_note(AddNote(subject=account, content=SAID)).value
    supervisor = place.world.engine.acting_as(Actor("default", "m.koch"))
    assert supervisor.erase_note(theirs.id).value.erased_by == "m.koch"
    with pytest.raises(NotFound):
        place.stranger.erase_note(theirs.id)


@pytest.mark.parametrize(
    ("subject", "content", "code"),
    [
        ("TDA_0000000000000000000000", SAID, "NOT_FOUND"),
        ("no-market", SAID, "NOT_FOUND"),
        ("no record", SAID, "NOT_FOUND"),
        ("sol-usd", "two\nlines", "VALIDATION_ERROR"),
        ("sol-usd", " ", "VALIDATION_ERROR"),
        ("sol-usd", "x" * 501, "VALIDATION_ERROR"),
        ("sol-usd", "f" * 64, "VALIDATION_ERROR"),
    ],
)
def test_a_note_about_nothing_or_of_no_words_is_refused(
    place: Place, subject: str, content: str, code: str
) -> None:
    with pytest.raises(ServiceError) as refused:
        place.world.engine.add_note(AddNote(subject=subject, content=content))
    assert refused.value.code == code
    assert place.service.notes().data == ()
