"""Statements compared with what the log says was posted, which is added up here once more."""

import json
from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal, localcontext
from itertools import chain

from sqlalchemy import select
from tests.world.samples import NOW

from chainteller.domain.assets import ASSETS_BY_KEY
from chainteller.domain.clock import DAY, format_instant, from_datetime
from chainteller.domain.randomness import Randomness, below
from chainteller.engine.core.context import EngineContext
from chainteller.engine.engine import Engine
from chainteller.service.models.pages import ListQuery
from chainteller.service.models.statements import Statement
from chainteller.storage.log import entry
from chainteller.storage.schema.wallet_tables import Tables
from chainteller.workspace.statements import contradictions

Posting = tuple[str, int, int, str]
"""An asset, by how much its balance changed, when, and for which record."""


def compare(bank: EngineContext, draw: Randomness, *, accounts: int) -> int:
    """Compare statements of drawn accounts and periods with the rows; how many accounts."""
    engine, rows = Engine(bank), _postings(bank)
    known = sorted(_all_accounts(engine), key=lambda _: draw.bytes(8))
    chosen = known[:accounts]
    for account in chosen:
        first, last = sorted(NOW - below(draw, 120 * DAY) for _ in "12")
        _compare_with_rows(rows, engine.statement(account))
        period = {"from_time": format_instant(first), "to_time": format_instant(last)}
        _compare_with_rows(rows, engine.statement(account, **period))
    return len(chosen)


def _postings(bank: EngineContext) -> dict[str, list[Posting]]:
    """What the log says that was posted, by account and asset of the ledger."""
    found: dict[str, list[Posting]] = defaultdict(list)
    with bank.database.read() as connection:
        bodies = connection.execute(select(Tables.entry.c.body)).scalars().all()
    for body in bodies:
        _, second, _ = entry.unpack(body).split(b"\n")
        for _, record, at, legs in json.loads(second)["journals"]:
            for code, asset, change, *_ in legs:
                found[code].append((asset, int(change), at, record))
    return found


def _all_accounts(engine: Engine) -> list[str]:
    found: list[str] = []
    while page := engine.trading_accounts(ListQuery(page=len(found) // 100 + 1, limit=100)).data:
        found += [each.id for each in page]
        if len(page) < 100:
            break
    return found


def _compare_with_rows(rows: Mapping[str, list[Posting]], statement: Statement) -> None:
    """Sums of what was posted alone: all it takes of the program are the decimals of each asset."""
    account, first, last = (
        statement.trading_account_id,
        from_datetime(statement.from_time),
        from_datetime(statement.to_time),
    )
    codes = [f"customer:{account}:{bucket}" for bucket in ("available", "held", "incoming")]
    opening: dict[str, int] = defaultdict(int)
    closing: dict[str, int] = defaultdict(int)
    moved: dict[tuple[str, str], int] = defaultdict(int)
    for asset, change, at, reference in chain.from_iterable(rows.get(each, ()) for each in codes):
        opening[asset] += change if at < first else 0
        closing[asset] += change if at < last else 0
        moved[asset, reference] += change if first <= at < last else 0
    told: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
    with localcontext(prec=100):
        for movement in statement.movements:
            for change_ in movement.changes:
                key = f"{change_.token.symbol}@{change_.token.network}"
                told[key, movement.transaction_id] += Decimal(change_.amount)
        assert {key: _atoms(key[0], amount) for key, amount in told.items() if amount} == {
            key: atoms for key, atoms in moved.items() if atoms
        }
        for balance in statement.balances:
            key = f"{balance.token.symbol}@{balance.token.network}"
            assert _atoms(key, Decimal(balance.opening)) == opening.pop(key)
            assert _atoms(key, Decimal(balance.closing)) == closing.pop(key)
    assert not any(opening.values())
    assert not any(closing.values())
    assert list(contradictions(statement)) == []


def _atoms(asset: str, amount: Decimal) -> int:
    scaled = amount.scaleb(ASSETS_BY_KEY[asset].decimals)
    assert scaled == scaled.to_integral_value()
    return int(scaled)
