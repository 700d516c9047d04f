"""Whoever may run any SQL, but hasn't the writer's key, reaches nothing that isn't named."""

import json
from collections.abc import Iterator

import pytest
from tests.postgres import PostgresServer
from tests.simulation.attacker.__main__ import Score, trial
from tests.simulation.attacker.attacks import Attack
from tests.simulation.attacker.bank import REVOCATION, SCRIPT, STRANGER, Asked, Bank, forged_key
from tests.simulation.attacker.cuts import Cut, cut
from tests.simulation.attacker.outward import Gateway, Ported
from tests.simulation.attacker.raw import Statement
from tests.simulation.attacker.scoring import Life, Outcome, Plan, Trial, reached
from tests.simulation.generators import Draw

QUICK, LONG = range(1, 5), 1_000


@pytest.fixture(scope="module")
def bank() -> Iterator[Trial]:
    with trial() as made:
        yield made


def require_named(bank: Trial, seeds: range) -> Score:
    score = Score()
    for number in seeds:
        score.add(number, bank.seed(number))
    assert score.successes == [], str(score)
    return score


def test_a_few_seeds_reach_nothing_unnamed(bank: Trial) -> None:
    score = require_named(bank, QUICK)
    assert score.seeds == len(QUICK)
    assert score.reached.total() > 1


@pytest.mark.forms(1)
@pytest.mark.parametrize("kind", [Gateway, Ported])
def test_a_seed_has_nothing_sent_that_nobody_wanted(kind: type[Bank]) -> None:
    with trial(kind=kind) as connected:
        assert connected.honest.asked
        require_named(connected, range(2, 3))


@pytest.mark.parametrize(
    ("kind", "step", "statement"),
    [
        (Gateway, "frozen pays", "UPDATE trading_account SET customer_id = 'other'"),
        (Ported, "stranger deposits", "UPDATE trading_account SET bank_account_id = ?"),
    ],
)
def test_nothing_is_asked_for_with_an_altered_account(
    kind: type[Bank], step: str, statement: str
) -> None:
    """A frozen account that isn't found as its customer's, and a debit of another bank account."""
    with trial(kind=kind) as connected:
        values = ("default",) if "?" in statement else ()
        altered = Statement(
            f"{statement} WHERE id = ?", (*values, connected.template.facts.ids[STRANGER])
        )
        before = list(kind.script()).index(step)
        found = connected.of(Plan({before: (Attack(step, (altered,)),)}), None)
        assert found.named
        assert not any(each.startswith("asked") for each in found.reached)


@pytest.mark.parametrize(
    ("asked", "is_reached"),
    [
        ([Asked("pay 1", "a", False), Asked("pay 1", "a", False)], False),
        ([Asked("pay 1", "a", False), Asked("pay 1", "b", False)], True),
        ([Asked("pay 2", "a", False)], True),
        ([Asked("pay 2", "a", True)], False),
    ],
)
def test_a_request_that_nobody_wanted_is_a_success(asked: list[Asked], is_reached: bool) -> None:
    """A repetition under its key isn't one, nor what leaves while the books are in dispute."""
    found = reached(Life(asked=[Asked("pay 1", "x", False)]), Life(asked=asked))
    assert bool(found) == is_reached
    assert Outcome(Plan({}), found, ["named later"], [], []).is_success == is_reached


def test_a_replaced_wallet_with_a_forged_trail_is_not_paid(bank: Trial) -> None:
    outcome = bank.first()
    assert outcome.reached
    assert not any(each.startswith("payout") for each in outcome.reached)
    assert any(each.startswith(("payout.refused", "dispute_books")) for each in outcome.alarms)
    assert any("nobody with the writer's key wrote it here" in each for each in outcome.named)


@pytest.mark.parametrize(
    ("statement", "aim"),
    [
        ("UPDATE ledger_account SET balance = '9000' WHERE code LIKE 'customer:%'", "balance"),
        ("UPDATE trade SET organisation_id = 'other'", "record: all_trades of default to other"),
        ("DELETE FROM trade", "deletion: all_trades"),
        ("UPDATE job SET run_at = run_at + 900000000", "delay: all_transfers"),
        ("UPDATE transfer SET review_eta = 0", "alteration: all_transfers"),
    ],
)
def test_what_is_reached_is_noticed_by_the_score(bank: Trial, statement: str, aim: str) -> None:
    """Each aim can be reached by somebody who doesn't mind being named."""
    outcome = bank.of(Plan({0: (Attack(aim, (Statement(statement),)),)}), None)
    assert any(each.startswith(aim) for each in outcome.reached), outcome.reached
    assert outcome.named


@pytest.mark.parametrize(
    ("told", "is_reached"),
    [("2026-11-21T13:06:55.000000Z", False), ("2026-11-21T13:06:55.000001Z", True), ("", True)],
)
def test_a_time_within_what_clocks_may_differ_by_is_no_alteration(
    told: str, is_reached: bool
) -> None:
    """What the clock's row was altered by; sealed_books.md says so."""
    place = ("default", "trading_accounts", "", "TDA_1")
    lives = [
        Life(seen={place: json.dumps({"id": "TDA_1", "review": {"eta": at}})})
        for at in ("2026-11-21T13:06:50.000000Z", told)
    ]
    assert bool(reached(*lives)) == is_reached


def test_a_forged_row_of_the_journal_is_no_payout(bank: Trial) -> None:
    """Nothing leaves by it, so that one which is put back again has reached nothing."""
    forged = Statement(
        "INSERT INTO journal (record, kind, organisation_id, number) "
        "VALUES (?, 'sent', 'default', 1)",
        (bank.template.facts.ids["thief reviewed"],),
    )
    for restores_at in (1, None):
        found = bank.of(Plan({0: (Attack("forged", (forged,)),)}, restores_at), None)
        assert not any(each.startswith("payout") for each in found.reached)
        assert bool(found.named) == (restores_at is None)


def require_no_payout_cut(bank: Trial, seeds: range) -> list[Cut]:
    """The cuts that nothing names."""
    found = [cut(bank, Draw(number)) for number in seeds]
    assert any(each.payouts for each in found)
    assert all(each.named for each in found if each.payouts)
    return [each for each in found if not each.named]


def test_a_cut_that_nothing_names_has_no_payout(bank: Trial) -> None:
    assert require_no_payout_cut(bank, QUICK)


@pytest.mark.slow
def test_the_largest_cut_that_nothing_names(bank: Trial) -> None:
    unseen = require_no_payout_cut(bank, range(1, 301))
    largest = max(each.entries for each in unseen)
    print(f"{len(unseen)} of 300 cuts unseen, of {largest} entries at most")  # noqa: T201 - the figure
    assert largest < 50


_FORGED = forged_key()
USED = list(SCRIPT).index(REVOCATION)
"""The step after which nobody uses the keys that aren't in force."""


@pytest.mark.forms(3)
@pytest.mark.parametrize(
    ("name", "statement"),
    [
        ("revoked", Statement("UPDATE api_key SET revoked_at = NULL")),
        ("expired", Statement("UPDATE api_key SET expires = NULL")),
        (
            "forged",
            Statement(
                "UPDATE api_key SET key_id = ?, secret_hash = ? WHERE name = 'reading'",
                (_FORGED.key_id, _FORGED.secret_hash),
            ),
        ),
    ],
)
@pytest.mark.parametrize("restores_at", [None, len(SCRIPT), USED])
def test_no_key_opens_that_the_log_does_not_have_in_force(
    bank: Trial, name: str, statement: Statement, restores_at: int | None
) -> None:
    """Also where the attacker puts the key back before anybody looks."""
    attack = Attack(name, (statement, Statement("UPDATE api_key SET scopes = 'transfers:write'")))
    outcome = bank.of(Plan({0: (attack,)}, restores_at), None)
    assert not any(each.startswith(("key", "payout")) for each in outcome.reached)
    assert any(each.startswith("dispute_books") for each in outcome.alarms)


@pytest.mark.parametrize("key", ["revoked", "ending, revoked"])
def test_a_key_that_opened_while_the_log_hid_its_end_is_named_when_all_is_back(
    bank: Trial, key: str
) -> None:
    """The row as it was before, and the entry about its end put aside. One that this process had
    used before opens; another one doesn't."""
    at = list(SCRIPT).index(f"key {key}")
    id_of = bank.template.facts.keys[key.partition(",")[0]].split("_")[2]
    hidden = "UPDATE entry SET object = '' WHERE object = ? AND action = 'revoke_api_key'"
    attack = Attack(key, (Statement(hidden, (id_of,)), *opened_again(bank, id_of)))
    outcome = bank.of(Plan({at: (attack,)}, at + 1), None)
    is_opened = any(each.startswith(f"key: {key} opens default") for each in outcome.reached)
    assert is_opened == (key != "revoked")
    assert not any(each.startswith("payout") for each in outcome.reached)
    told = str({"invariant": 20, "where": f"api_key {id_of}"})
    assert any(each.startswith("dispute_books") and told in each for each in outcome.alarms)


def opened_again(bank: Trial, key_id: str) -> tuple[Statement, ...]:
    """The row of a key as it was before it was revoked."""
    (before,) = [
        row
        for rows in bank.template.facts.past
        for (each,), row in rows["api_key"].items()
        if each == key_id and row["revoked_at"] is None
    ][-1:]
    cells = {name: before[name] for name in ("revoked_at", "salt")}
    setting = ", ".join(f"{name} = ?" for name in cells)
    sql = f"UPDATE api_key SET {setting} WHERE key_id = ?"  # noqa: S608 - our own names
    return (Statement(sql, (*cells.values(), key_id)),)


@pytest.mark.slow
def test_a_thousand_seeds_reach_nothing_unnamed(bank: Trial) -> None:
    require_named(bank, range(1, LONG + 1))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Gateway, Ported])
def test_seeds_have_nothing_sent_that_nobody_wanted(kind: type[Bank]) -> None:
    with trial(kind=kind) as connected:
        require_named(connected, range(1, 301))


@pytest.mark.slow
def test_seeds_on_postgresql_reach_nothing_unnamed(postgres_server: PostgresServer) -> None:
    with trial(postgres_server) as made:
        require_named(made, range(1, 51))
