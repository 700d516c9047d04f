"""Statements and receipts as documents: added up again, safe to open, the same bytes each time."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.world.bank import World

from chainteller.engine.core.unit_of_work import act
from chainteller.engine.operations import deposits
from chainteller.service import operations as op
from chainteller.service.errors import PdfUnavailable, ReplyUnusable
from chainteller.service.layers import Next, layered
from chainteller.service.models.accounts import OpenTradingAccount
from chainteller.service.models.decisions import Approval
from chainteller.service.models.funding import Currency, DepositRequest
from chainteller.service.models.quotes import ExecuteRequest, QuoteRequest
from chainteller.service.models.statements import Statement
from chainteller.service.operations import Call
from chainteller.workspace import receipts
from chainteller.workspace.documents import Column, Document, Table
from chainteller.workspace.forms import label
from chainteller.workspace.pdf import as_pdf
from chainteller.workspace.statements import contradictions, render, statement_of

TOKEN = Currency(type="deposit-token-currency", id="DPT_USD")
HOSTILE = "=1+1 \x1b[31mŁucja Đặng\n王"


@pytest.fixture
def traded(world: World) -> tuple[World, str, str]:
    """A bank, an account that bought something, and the trade."""
    opened = OpenTradingAccount(bank_account_id="DDA-1", bank_account_type="checking")
    account = world.engine.open_trading_account(opened).value.id
    world.engine.deposit(account, DepositRequest(amount="500.00", currency=TOKEN))
    quote = world.engine.create_quote("sol-usd", QuoteRequest(amount="100.00", side="buy")).value
    request = ExecuteRequest(trading_account_id=account)
    trade = world.engine.execute_quote(quote.id, request).value
    world.advance(60)
    world.advance(60)
    return world, account, trade.id


ALTERED: dict[str, Callable[[dict[str, Any]], object]] = {
    "an opening balance": lambda body: body["balances"][0].update(opening="0.01"),
    "a closing balance": lambda body: body["balances"][0].update(closing="400.01"),
    "a part of it": lambda body: body["balances"][0].update(held="0.01"),
    "a total": lambda body: body["balances"][0].update(credits="500.01"),
    "an amount": lambda body: body["movements"][0]["changes"][0].update(amount="500.01"),
    "a balance between": lambda body: body["movements"][0]["changes"][0].update(balance="500.01"),
    "a fee": lambda body: body["movements"][1]["fee"].update(amount="0.00"),
    "the sum of the fees": lambda body: body.update(fees=()),
    "a missing movement": lambda body: body.update(movements=body["movements"][:1]),
    "a movement twice": lambda body: body.update(
        movements=body["movements"] + body["movements"][1:]
    ),
    "a missing balance": lambda body: body.update(balances=body["balances"][:-1]),
    "a movement before the period": lambda body: body.update({"from": body["to"]}),
}


@pytest.mark.parametrize("what", ALTERED)
def test_a_statement_that_contradicts_itself_is_not_shown(
    traded: tuple[World, str, str], what: str
) -> None:
    world, account, _ = traded
    whole = statement_of(world.engine, account, None, None)
    body = whole.model_dump(by_alias=True)
    ALTERED[what](body)
    wrong = Statement.model_validate(body)
    assert list(contradictions(wrong)) != []

    def deployment(call: Call[Any], onward: Next) -> Any:
        return wrong if call.operation is op.STATEMENT else onward(call)

    with pytest.raises(ReplyUnusable):
        statement_of(layered(world.engine, deployment), account, None, None)


def test_a_receipt_that_the_ledger_contradicts_is_not_made(traded: tuple[World, str, str]) -> None:
    world, account, trade = traded

    def deployment(call: Call[Any], onward: Next) -> Any:
        answer = onward(call)
        if call.operation is op.SHOW_TRANSACTION:
            more = answer.asset_bought.model_copy(update={"amount": "9.99"})
            return answer.model_copy(update={"asset_bought": more})
        return answer

    assert trade in receipts.render(receipts.receipt_of(world.engine, account, trade), "text")
    with pytest.raises(ReplyUnusable):
        receipts.receipt_of(layered(world.engine, deployment), account, trade)


@pytest.mark.parametrize("amount", ["20.00", "500.00"])
def test_a_deposit_that_repays_what_is_owed_has_a_receipt(
    traded: tuple[World, str, str], amount: str
) -> None:
    """Also one of which nothing else is left."""
    world, account, _ = traded
    (spent,) = world.engine.deposits(account).data
    act(world.context, world.engine.actor, lambda tx: deposits.claw_back(tx, spent.id, "unpaid"))
    (decision,) = world.engine.decisions().data
    world.engine.approve_decision(decision.id, Approval())
    world.advance(1)
    made = world.engine.deposit(account, DepositRequest(amount=amount, currency=TOKEN)).value
    assert f"{amount} USD" in receipts.render(
        receipts.receipt_of(world.engine, account, made.id), "text"
    )


def test_hostile_names_execute_nothing_in_any_form(traded: tuple[World, str, str]) -> None:
    world, account, _ = traded
    whole = statement_of(world.engine, account, None, None)
    found = whole.model_copy(update={"customer_name": HOSTILE})
    for form in ("text", "csv", "json"):
        written = render(found, form)
        assert isinstance(written, str)
        assert "\x1b" not in written
        assert "Łucja Đặng" in written
    assert ",'=1+1" in str(render(found, "csv"))
    assert "".join(str(render(found, "text")).splitlines()[3:4]).startswith("customer  ")


def test_a_pdf_says_what_its_font_cannot_show_and_has_the_same_bytes_again(
    traded: tuple[World, str, str],
) -> None:
    world, account, trade = traded
    whole = statement_of(world.engine, account, None, None)
    found = whole.model_copy(update={"customer_name": HOSTILE})
    written = render(found, "pdf")
    assert isinstance(written, bytes)
    assert written == render(found, "pdf")
    assert written.startswith(b"%PDF-")
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler) isn't installed")
    shown = _text(written)
    for expected in ("Łucja Đặng", "[U+738B]", "400.00", account, trade, "Bought SOL"):
        assert expected in shown
    receipt = receipts.render(receipts.receipt_of(world.engine, account, trade), "pdf")
    assert isinstance(receipt, bytes)
    assert "Receipt of a trade" in _text(receipt)


def _text(pdf: bytes) -> str:
    done = subprocess.run(
        ["pdftotext", "-layout", "-", "-"], input=pdf, capture_output=True, check=True
    )
    return done.stdout.decode()


def test_a_cell_of_a_pdf_loses_nothing_where_it_is_broken() -> None:
    """Between words, within a word that is too long, and over pages."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler) isn't installed")
    columns = [Column("WHAT", 40), Column("AMOUNT", 20, is_amount=True)]
    words = [f"w{number}" for number in range(900)] + ["Y" * 200]
    amount = "-987,654,321.123456789012345678901"
    rows = [[" ".join(words) + "\n\nend", amount], *([["next", "1"]] * 90)]
    text = _text(as_pdf(Document("Title", [], [Table("Lines", columns, rows)])))
    written = "".join(text.replace("WHAT", "").replace("AMOUNT", "").split())
    assert written.count("next") == 90
    assert re.findall("w[0-9]+", " ".join(text.split())) == words[:-1]
    assert written.count("Y") == 200
    assert text.count("WHAT") >= 4, "the titles stand on every page"
    assert all(part in text for part in ("-987,654", "8901", "end"))


@pytest.mark.parametrize("before", range(36, 46))
def test_a_heading_of_a_pdf_is_on_the_page_of_its_first_row(before: int) -> None:
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler) isn't installed")
    columns = [Column("WHAT", 40)]
    tables = [
        Table("Movements", columns, [["moved"]] * before),
        Table("Fees", columns, [["paid\nby\nsomebody\nelse"]]),
    ]
    pages = _text(as_pdf(Document("Title", [], tables))).split("\f")
    assert ["Fees" in page for page in pages] == ["else" in page for page in pages]


def test_without_the_library_a_pdf_is_refused_with_the_next_step(
    traded: tuple[World, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, account, _ = traded
    monkeypatch.setitem(sys.modules, "fpdf", None)
    with pytest.raises(PdfUnavailable) as refused:
        render(statement_of(world.engine, account, None, None), "pdf")
    wanted = r" -m pip install (--require-hashes -r \S+requirements/pdf\.txt|fpdf2)\. Text and CSV"
    assert re.search(wanted, refused.value.suggestion)
    assert label("pdf") == "PDF (not installed)"
    locked = Path(__file__).parents[2] / "requirements" / "pdf.txt"
    assert "fpdf2==" in locked.read_text(encoding="utf-8")
