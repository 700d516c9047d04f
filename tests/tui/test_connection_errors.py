"""Deployments that answer with an error or the wrong shape, and the way back."""

import re
from typing import TypeVar

import pytest
from tests.tui.conftest import Bench, press, seen, settle

from chainteller.service.error_codes import from_wire
from chainteller.service.errors import (
    AccountRestricted,
    Conflict,
    Forbidden,
    InsufficientFunds,
    LimitExceeded,
    NotFound,
    NotOffered,
    ServiceError,
    ServiceUnavailable,
    ServiceUnreachable,
    TellerError,
    Unauthorized,
)
from chainteller.service.interface import Service
from chainteller.service.operations import Call
from chainteller.tui import failures
from chainteller.tui.console.app import Console
from chainteller.tui.start import StartedDesk
from chainteller.tui.widgets.failure_panel import failure_lines

Answer = TypeVar("Answer")


class Refusing(Service):
    """A deployment that refuses some operations, or all, with one error."""

    def __init__(self, service: Service, error: TellerError, *refused: str) -> None:
        self._service, self._error, self._refused = service, error, refused
        self.refuses = True

    def call(self, call: Call[Answer]) -> Answer:
        if self.refuses and (not self._refused or call.operation.name in self._refused):
            raise self._error
        return self._service.call(call)


_NO_KEY = Unauthorized("REVOKED")
_NO_SCOPE = Forbidden("events:read", "key-1")


async def test_a_key_that_was_revoked_is_no_silence(bench: Bench) -> None:
    bench.open(1)
    place = Refusing(bench.deployment, _NO_KEY)
    place.refuses = False
    app = bench.console(place)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        place.refuses = True
        await press(pilot, "r", "r")
        top = seen(app).splitlines()[0]
        assert re.search(r"key refused, retry in \d+ s", top)
        assert "no answer" not in top


@pytest.mark.forms(1)
@pytest.mark.parametrize("refused", [("events",), ("events", "markets")])
async def test_a_scope_that_is_missing_leaves_the_desk_live(
    bench: Bench, refused: tuple[str, ...]
) -> None:
    bench.open(1)
    app = bench.console(Refusing(bench.deployment, _NO_SCOPE, *refused))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "live" in seen(app).splitlines()[0]
        await press(pilot, "r")
        assert "live" in seen(app).splitlines()[0]


async def test_a_key_that_is_refused_at_the_start_is_said_in_the_top_bar(bench: Bench) -> None:
    def start() -> StartedDesk:
        raise _NO_KEY

    app = Console(start, bench.settings)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot, started=False)
        assert "key refused, r: again" in seen(app).splitlines()[0]


async def test_a_place_that_never_answered_isnt_said_to_have_changed_nothing(bench: Bench) -> None:
    """A request of an earlier session may have no answer yet."""

    def start() -> StartedDesk:
        raise ServiceUnreachable("No connection.")

    app = Console(start, bench.settings)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot, started=False)
        assert "UNREACHABLE  No connection." in seen(app)
        assert "Nothing was changed" not in seen(app)


async def test_a_place_that_answers_again_is_no_longer_called_out_of_reach(bench: Bench) -> None:
    bench.open(1, deposit="1234.56")
    place = Refusing(bench.deployment, ServiceUnreachable("No connection."))
    place.refuses = False
    app = bench.console(place)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        place.refuses = True
        await press(pilot, "r")
        assert "[x] UNREACHABLE" in seen(app)
        place.refuses = False
        await press(pilot, "2", "1")
        app.desk.shell.poll_now()
        await settle(pilot)
        shown = seen(app)
        assert "[x] UNREACHABLE" not in shown
        assert "1,234.56" in shown
        await press(pilot, "t")
        assert "cannot be reached" not in seen(app)


async def test_a_refusal_of_another_kind_stays_until_it_is_closed(bench: Bench) -> None:
    bench.open(1)
    app = bench.console()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "w", *"5", "enter")
        assert "[x] INSUFFICIENT_FUNDS" in seen(app)
        app.desk.heard(1)
        await settle(pilot)
        assert "[x] INSUFFICIENT_FUNDS" in seen(app)


@pytest.mark.parametrize(
    ("error", "sentences", "facts"),
    [
        (
            InsufficientFunds("1212.52", "9999999.00", "USD"),
            "Not enough money: 1,212.52 USD free, 9,999,999.00 wanted. Nothing was moved.",
            (),
        ),
        (NotOffered("Not here.", "audit"), "This deployment has no audit trail.", ()),
        (NotFound("trading account", "TDA_X"), "No trading account TDA_X.", ()),
        (
            LimitExceeded("The limit would be exceeded.", {"limit": "5000", "used": "1"}),
            "The limit would be exceeded. Nothing was moved.",
            ("limit 5,000", "used 1"),
        ),
        (
            LimitExceeded(
                "The limit would be exceeded.",
                {
                    "limit": "5000.00",
                    "used": "4900.00",
                    "requested": "200.00",
                    "remaining": "100.00",
                    "currency": "USD",
                    "resetsAt": "2026-12-01T03:04:05.123456Z",
                    "suggestion": "The limit allows 100.00 USD now; more from "
                    "2026-12-01T03:04:05.123456Z.",
                },
            ),
            "The limit would be exceeded. Nothing was moved.",
            ("limit 5,000.00", "used 4,900.00", "requested 200.00"),
        ),
        (
            AccountRestricted("FROZEN", "FRAUD"),
            "The account is restricted: FROZEN.",
            (),
        ),
        (
            Conflict("It has 100 of them.", {"id": "100", "limit": "10"}),
            "It has 100 of them.",
            ("limit 10",),
        ),
    ],
)
def test_a_refusal_is_a_sentence_with_its_figures_and_what_did_not_happen(
    error: TellerError, sentences: str, facts: tuple[str, ...]
) -> None:
    failure = failures.explain(error)
    assert (failure.sentences, failure.told) == (sentences, facts)
    assert not re.search(r"\dT\d", failure.next_step), "a time as people write it"


@pytest.mark.parametrize("code", sorted({*failures._UNDONE, *failures._NEXT}))
def test_what_did_not_happen_and_the_key_that_goes_on_fit_into_80_columns(code: str) -> None:
    error = ServiceError("short", {})
    error.code = code  # type: ignore[misc]  # any code at all
    failure = failures.explain(error)
    for row in failure_lines(failure, 80)[1:]:
        assert sum(len(text) for text, _ in row.left) <= 80


@pytest.mark.parametrize(
    ("own", "shown"),
    [
        ("Make a backup, then run: chainteller db upgrade.",) * 2,
        ("Retry.", "r: retry"),
        ("", "r: retry"),
    ],
)
def test_a_store_that_is_shut_says_itself_what_opens_it(own: str, shown: str) -> None:
    error = ServiceUnavailable("It is shut.", {"reason": "OUTDATED_SCHEMA", "suggestion": own})
    assert failures.explain(error).next_step == shown


@pytest.mark.forms(1)
@pytest.mark.parametrize(
    ("error", "words"),
    [(_NO_SCOPE, "failed   r: retry"), (NotOffered("Not here."), "not offered by this deployment")],
)
async def test_prices_that_never_came_are_not_waited_for(
    bench: Bench, error: TellerError, words: str
) -> None:
    bench.open(1)
    app = bench.console(Refusing(bench.deployment, error, "markets"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "2")
        shown = seen(app)
        assert words in shown
        assert "loading" not in shown


@pytest.mark.parametrize("found", [None, "amount", [1], [{"path": "amount"}]])
def test_fields_in_another_shape_are_told_by_the_message(found: object) -> None:
    error = from_wire("VALIDATION_ERROR", "The amount is odd.", {"errors": found}, 400)
    assert failures.explain(error).what == "The amount is odd."


def test_a_conflict_names_the_record_that_stands_in_the_way() -> None:
    told = ("The account is open.", "Use it.")
    named = failures.explain(Conflict.over("trading account", "TDA_1", "ALREADY_OPEN", *told))
    assert (named.told[-1], named.next_step) == ("see TDA_1", "Use it.")
    assert failures.explain(Conflict("It's there.", {})).next_step == "esc: close"
