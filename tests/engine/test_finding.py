"""Finding records by what people remember of them."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from benchmarks.finding import filled, percentile, searched
from sqlalchemy import select
from tests.world.customers import CustomerSeed, add_customers
from tests.world.engines import DPT, World, make_world
from tests.world.files import sealed
from tests.world.searches import people, scripted

from chainteller.domain.actors import SCOPES, Actor
from chainteller.domain.clock import SECOND
from chainteller.domain.ids import short
from chainteller.domain.search_texts import folded, name_words, read
from chainteller.engine.engine import Engine
from chainteller.engine.operations.finding import nicknames
from chainteller.service.cases import ForCase
from chainteller.service.errors import ValidationFailed
from chainteller.service.layers import layered
from chainteller.service.models.counterparties import RegisterCounterparty
from chainteller.service.models.finding import Found
from chainteller.service.models.funding import DepositRequest
from chainteller.service.models.pages import ListQuery
from chainteller.storage.lists import search
from chainteller.storage.queries import organisations
from chainteller.storage.schema.wallet_tables import Tables

WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
NAMES = (
    "Mara Whitlock", "Séamus O'Cabe", "Ottilie Merriweather", "Jürgen Möhring", "Gwen Penrose",
    "James Cartwright", "Inês Brandão", "Søren Kjær", "Elizabeth Underhill", "Ana de la Cruz",
)  # fmt: skip


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    seeds = [
        CustomerSeed(f"DDA-{2510 + at}", name=name, reference=f"CU-{at:04d}")
        for at, name in enumerate(NAMES)
    ]
    seeds.append(CustomerSeed("ODA-1", organisation="other", name="Mara Whitlock", reference="X-1"))
    made = make_world(tmp_path_factory.mktemp("finding") / "bank.db", customers=())
    with sealed(made.database) as rows:
        organisations.create(rows, "other", 0)

        add_customers(rows, seeds)
    made.open("DDA-2510")
    made.deposit("412.50")
    made.buy("120.00")
    made.engine.register_counterparty(RegisterCounterparty(address=WALLET, network="ethereum"))
    yield made
    made.close()


def first(world: World, text: str) -> Found:
    found = world.engine.find(text).data
    assert found, text
    return found[0]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("whitlok", "Mara Whitlock"),
        ("ocabe", "Séamus O'Cabe"),
        ("meri", "Ottilie Merriweather"),
        ("moehring", "Jürgen Möhring"),
        ("mohring", "Jürgen Möhring"),
        ("penrose g", "Gwen Penrose"),
        ("j. cartwright", "James Cartwright"),
        ("ines", "Inês Brandão"),
        ("soeren kjaer", "Søren Kjær"),
        ("liz underhill", "Elizabeth Underhill"),
        ("delacruz", "Ana de la Cruz"),
        ("could you look for mara whitlock please", "Mara Whitlock"),
        ("whitlock mara", "Mara Whitlock"),
    ],
)
def test_people_are_found_as_they_are_remembered(world: World, text: str, name: str) -> None:
    found = first(world, text)
    assert (found.kind, found.name) == ("customer", name)


def test_numbers_and_ids_are_found_in_every_form(world: World) -> None:
    assert first(world, "DDA2514").id == "DDA-2514"
    assert first(world, "dda 2514").id == "DDA-2514"
    assert first(world, "2514").id == "DDA-2514"
    account = world.account
    trade = world.engine.trades(account).data[0].id
    for text in (
        trade,
        trade.lower(),
        short(trade),
        trade.replace("_", "-"),
        f"what of {short(trade)}?",
    ):
        assert (first(world, text).kind, first(world, text).id) == ("trade", trade)
    assert first(world, short(account)).id == account
    wallet = first(world, f"{WALLET[:6]}..{WALLET[-4:]}")
    assert wallet.kind == "counterparty"
    for text in (WALLET.lower(), WALLET[2:], WALLET[2:9], f"{WALLET[2:6]}..{WALLET[-4:]}"):
        assert first(world, text).id == wallet.id


def test_amounts_and_days_find_records_and_those_of_a_person_come_before_the_person(
    world: World,
) -> None:
    deposit = world.engine.deposits(world.account).data[0]
    assert first(world, "412.50").id == deposit.id
    assert first(world, "whitlock 412.50").id == deposit.id
    day = str(deposit.created)[:10]
    assert deposit.id in {each.id for each in world.engine.find(day).data}
    assert first(world, "I paid in 412.50 today, where is it?").id == deposit.id


def test_a_sentence_about_money_finds_records_of_its_kind_before_parts_of_numbers(
    tmp_path: Path,
) -> None:
    """120 is the end of a bank account's number, and 100 the beginning of another one."""
    world = make_world(tmp_path / "bank.db", customers=())
    numbers = ("DDA-2120", "DDA-1007", "DDA-2510")
    with sealed(world.database) as rows:
        add_customers(rows, [CustomerSeed(each, name="Wolfram Odd") for each in numbers])
    world.open("DDA-2510")
    world.deposit("412.50")
    withdrawn = world.withdraw("120.00").id
    traded = world.buy("100.00").id
    said = "my withdrawal of 120 dollars yesterday has not arrived"
    assert first(world, said).id == withdrawn, "of today"
    found = world.engine.find("i bought sol today for 100 dollars").data
    assert found[0].id == traded
    assert "quote" not in {each.kind for each in found}, "the trade stands for it"
    kinds = {each.kind for each in world.engine.find("withdrawals of today").data}
    assert kinds == {"withdrawal"}
    world.engine.cancel_trade(world.account, traded)
    world.buy("100.00")
    cancelled = world.engine.find("which orders of today were cancelled?").data
    assert [each.id for each in cancelled] == [traded]
    assert world.engine.find("withdrawals of yesterday").data == ()
    world.close()


def test_a_beginning_comes_before_a_short_name_that_is_one_letter_off(tmp_path: Path) -> None:
    world = make_world(tmp_path / "bank.db", customers=())
    names = ("Mei Lin", "Mia Meir", "Ottilie Grace Merriweather", "Ana Holl", "Bo Hollister")
    with sealed(world.database) as rows:
        seeds = [CustomerSeed(f"DDA-{at}", name=name) for at, name in enumerate(names)]
        add_customers(rows, seeds)
    assert first(world, "meri").name == "Ottilie Grace Merriweather"
    assert first(world, "merriwaet").name == "Ottilie Grace Merriweather"
    assert first(world, "holis").name == "Bo Hollister"
    assert first(world, "mei").name == "Mei Lin"
    world.close()


@pytest.mark.parametrize("text", ["customer 6", "the client 6", "client the"])
def test_a_name_of_words_that_are_left_out_elsewhere_is_found(tmp_path: Path, text: str) -> None:
    world = make_world(tmp_path / "bank.db", customers=())
    with sealed(world.database) as rows:
        names = ("Customer 5", "Customer 6", "The Client 6", "Client Wang")
        add_customers(rows, [CustomerSeed(f"DDA-{at}", name=name) for at, name in enumerate(names)])
    assert text.split(maxsplit=1)[0] in str(first(world, text).name).lower()
    world.close()


def test_numbers_beside_a_name_choose_among_people_of_that_name(tmp_path: Path) -> None:
    """A reference, an account, an amount, a day and a number that is part of the name count."""
    world = make_world(tmp_path / "bank.db", customers=())
    count = 30
    with sealed(world.database) as rows:
        seeds = [
            CustomerSeed(f"DDA-{3_000 + at}", name="Vera Holmquist", reference=f"KD-{7_000 + at}")
            for at in range(count)
        ]
        further = [CustomerSeed(f"DDA-{at}", name=f"Gate {at} Ltd") for at in (20, 21, 22)]
        add_customers(rows, [*seeds, *further])
    known = {each.reference: each.id for each in world.engine.customers(ListQuery(limit=100)).data}
    world.open("DDA-3017")
    world.deposit("733.10")
    day = world.engine.deposits(world.account).data[0].created
    for text in ("holmquist 733.10", "733.10 vera", f"vera holmquist {day:%Y-%m-%d}"):
        found = world.engine.find(text).data
        assert (found[0].kind, found[0].reference) == ("deposit", "KD-7017"), text
        assert found[1].id == known["KD-7017"], text
    assert first(world, "holmquist 7021").id == known["KD-7021"]
    assert first(world, "holmquist DDA-3009").id == "DDA-3009"
    assert first(world, "holmqvist 3009").reference == "KD-7009"
    assert first(world, "gate 21").name == "Gate 21 Ltd"
    assert first(world, "holmquist 99999").name == "Vera Holmquist"
    nobodys = [each.kind for each in world.engine.find("gate 733.10").data]
    assert nobodys[0] == "customer"
    assert "deposit" in nobodys, "an amount that none of these people has isn't ignored"
    world.close()


def test_an_item_says_whose_record_it_is(world: World) -> None:
    found = first(world, "412.50")
    assert (found.kind, found.name, found.reference) == ("deposit", "Mara Whitlock", "CU-0000")
    assert found.trading_account_id == world.account
    customer = first(world, "whitlock")
    assert (customer.reference, customer.matched) == ("CU-0000", "Mara Whitlock")
    scores = [each.score for each in world.engine.find("whitlock").data]
    assert scores == sorted(scores, reverse=True)


def test_another_organisations_records_never_appear(world: World) -> None:
    other = Engine(world.context, Actor("other", "test"))
    assert [each.name for each in other.find("whitlock").data if each.kind == "customer"] == [
        "Mara Whitlock"
    ]
    assert {each.reference for each in other.find("whitlock").data} == {"X-1"}
    trade = world.engine.trades(world.account).data[0].id
    for text in (trade, short(trade), WALLET, world.account, "DDA-2510", "412.50", "cartwright"):
        assert other.find(text).data == ()


def test_kinds_that_the_key_may_not_read_are_left_out(world: World) -> None:
    def kinds(text: str, *without: str) -> set[str]:
        scopes = frozenset(SCOPES) - set(without)
        service = Engine(world.context, Actor(name="key", scopes=scopes))
        return {each.kind for each in service.find(text).data}

    quote = world.engine.quotes().data[0].id
    assert kinds(quote) == {"quote"}
    assert kinds(quote, "trading:quote") == set()
    assert kinds(WALLET) == {"counterparty"}
    assert kinds(WALLET, "wallets:read") == set()


def test_an_expired_quote_is_found_as_expired(tmp_path: Path) -> None:
    world = make_world(tmp_path / "bank.db")
    world.open()
    quote = world.quote()
    assert first(world, quote.id).status == "open"
    world.clock.advance(3_600 * SECOND)
    found = first(world, quote.id)
    assert (found.status, "expired" in found.title) == ("expired", True)
    sold, bought = quote.asset_sold.amount, quote.asset_bought.amount
    assert first(world, sold).matched == f"{sold} for {bought}"
    world.close()


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_nothing_to_find_is_refused(world: World, text: str) -> None:
    with pytest.raises(ValidationFailed):
        world.engine.find(text)


@pytest.mark.parametrize(
    "text",
    ["%", "_", "\\", "'", "..", "….", "TXN_", "a" * 500, "\ud800", "😀 zz", "1" * 60, "- - -"],
)
def test_odd_texts_find_nothing_and_break_nothing(world: World, text: str) -> None:
    assert isinstance(world.engine.find(text + " qqqqq").data, tuple)
    world.engine.trading_accounts(ListQuery(text=text))
    world.engine.all_transfers(ListQuery(text=text))
    world.engine.customers(ListQuery(text=text))


def test_scripted_searches_find_the_right_record_first(tmp_path: Path) -> None:
    """The quick form of ``benchmarks/finding.py``."""
    world, trades = filled(f"sqlite:///{tmp_path / 'bank.db'}", 300, "7")
    searches = list(scripted(people(300, "7"), trades, 65, "7"))
    outcome = searched(world, searches)
    world.close()
    assert outcome.right >= 0.95 * len(searches), outcome.wrong


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_searches_among_many_customers_are_right_and_quick(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    place = f"sqlite:///{tmp_path / 'bank.db'}"
    if kind == "postgres":
        place = request.getfixturevalue("own_postgres_bank")
    world, trades = filled(place, 100_000, "11")
    searches = list(scripted(people(100_000, "11"), trades, 500, "11"))
    outcome = searched(world, searches)
    world.close()
    assert outcome.right >= 0.95 * len(searches), outcome.wrong
    assert percentile(outcome.times, 0.95) <= 50


def test_the_search_tables_follow_the_records(world: World) -> None:
    with world.database.write() as connection:
        assert list(search.missing(connection)) == []
        before = connection.execute(Tables.search_key.select()).all()
        connection.execute(Tables.search_key.delete())
        assert {kind for kind, _ in search.missing(connection)} == {
            "customer", "bank-account", "counterparty",
        }  # fmt: skip
        for row in before:
            connection.execute(Tables.search_key.insert(), row._asdict())
        assert list(search.missing(connection)) == []
        one = connection.execute(select(Tables.customer.c.id)).scalars().first()
        of_one = Tables.search_key.c.id == one
        connection.execute(Tables.search_key.update().where(of_one).values(id="CUS_GONE"))
        assert {record_id for _, record_id in search.missing(connection)} == {"CUS_GONE", one}


def test_names_are_folded_as_people_write_them() -> None:
    assert folded("Möhring") == ("mohring", "moehring")
    assert folded("Straße") == ("strasse",)
    assert {"obrien", "o", "brien"} <= name_words("Sean O'Brien")
    assert {"delacruz", "cruz"} <= name_words("Ana de la Cruz")
    assert "liz" in nicknames()["elizabeth"]
    assert nicknames()["liz"] >= {"elizabeth"}


def test_a_text_is_read_for_ids_amounts_and_days() -> None:
    wanted = read("TXN_E1FW..2CCQ of 21.11.2025 over $1,234.50", date(2026, 11, 23))
    assert [(each.begin, each.end) for each in wanted.ids] == [("TXN_E1FW", "2CCQ")]
    assert wanted.days == ((date(2025, 11, 21), date(2025, 11, 21)),)
    assert wanted.amounts == ("1234.50",)
    assert read("traded with tda").ids == ()


@pytest.mark.parametrize("text", ["#INC-20931", "# inc-20931", "INC-20931"])
def test_a_case_finds_whom_and_what_it_was_about_and_who_did_it(world: World, text: str) -> None:
    colleague = layered(world.engine.acting_as(Actor(name="s.iyer")), ForCase(lambda: "INC-20931"))
    done = colleague.deposit(
        world.account,
        DepositRequest(amount="12.00", currency=DPT),
        idempotency_key="of-case",
    ).value
    case, *touched = world.engine.find(text).data
    assert (case.kind, case.id, case.title) == ("case", "INC-20931", "1 entry by s.iyer")
    assert {(each.kind, each.id) for each in touched} >= {
        ("deposit", done.id), ("trading-account", world.account)
    }  # fmt: skip
    assert {each.name for each in touched} == {"Mara Whitlock"}
    assert all(each.matched.startswith("INC-20931: deposit, s.iyer 20") for each in touched)
    without_trail = world.engine.acting_as(Actor(scopes=frozenset({"accounts:read"})))
    assert not [each for each in without_trail.find(text).data if "s.iyer" in each.matched]


def test_a_case_without_entries_finds_nothing(world: World) -> None:
    assert world.engine.find("#INC-404").data == ()
