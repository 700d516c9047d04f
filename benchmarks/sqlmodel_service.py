"""A page of trades as FastAPI's and SQLModel's tutorials write it: a session for each request, rows
as objects, a count, an offset and a response model. No key, no log, no limits, no metrics.

Run: python benchmarks/sqlmodel_service.py DATABASE_FILE PORT
"""

import sys
from collections.abc import Iterator
from typing import Annotated

import uvicorn
from fastapi import Depends, FastAPI, HTTPException
from sqlmodel import Session, SQLModel, col, create_engine, func, select

from chainteller.storage.schema.tables import TradeRow, TradingAccountRow

engine = create_engine(f"sqlite:///{sys.argv[1]}", connect_args={"check_same_thread": False})
app = FastAPI()


class TradePublic(SQLModel):
    id: str
    status: str
    market: str
    side: str
    price_cents: int
    amount: int
    sold: int
    bought: int
    fee_cents: int
    fee_bps: int
    created: int
    updated: int
    trading_account_id: str
    quote_id: str
    executed_at: int | None
    settled_at: int | None
    cancelled_at: int | None
    failure_code: str | None
    version: int


class PaginationPublic(SQLModel):
    total: int
    page: int
    limit: int


class TradesPublic(SQLModel):
    data: list[TradePublic]
    pagination: PaginationPublic


def session() -> Iterator[Session]:
    with Session(engine) as opened:
        yield opened


@app.get("/trading-accounts/{account_id}/trades", response_model=TradesPublic)
def trades(
    account_id: str,
    opened: Annotated[Session, Depends(session)],
    page: int = 1,
    limit: int = 20,
) -> object:
    account = opened.get(TradingAccountRow, account_id)
    if account is None:
        raise HTTPException(status_code=404, detail="Trading account not found")
    mine = TradeRow.trading_account_id == account_id
    found = opened.exec(
        select(TradeRow)
        .where(mine)
        .order_by(col(TradeRow.created).desc(), col(TradeRow.id).desc())
        .offset((page - 1) * limit)
        .limit(limit)
    ).all()
    total = opened.exec(select(func.count()).select_from(TradeRow).where(mine)).one()
    return {"data": found, "pagination": {"total": total, "page": page, "limit": limit}}


if __name__ == "__main__":
    uvicorn.run(
        app,
        port=int(sys.argv[2]),
        loop="uvloop",
        http="httptools",
        access_log=False,
        log_level="error",
    )
