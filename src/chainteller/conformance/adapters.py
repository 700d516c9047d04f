"""Checks of an adapter of the bank's own systems against docs/reference/ports.md.

Each check makes its own requests and returns what is wrong; the requests of those that move
something are small, and are only made in a sandbox.
"""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

from chainteller.conformance.checks import State
from chainteller.conformance.exchanges import Sender
from chainteller.conformance.probing import Unreachable
from chainteller.domain.customer_lines import BANK_ACCOUNT_TYPES
from chainteller.domain.outside import Answer, Step, Unanswered, read_answer
from chainteller.domain.outside import State as AnswerState
from chainteller.domain.preconditions import KYC_LEVELS
from chainteller.remote.transport import NotSent, Outgoing, Reply, TransportFault

PARTS = ("core-bank", "custody", "screening", "venue")
_MONEY = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?", re.ASCII)
_AT_ONCE = 8
_PAUSE_S = 0.2
_LATE_S = 5.0
Body = Mapping[str, Any]


class Deviates(Exception):
    """What an adapter does otherwise than the contract says."""


class NotChecked(Exception):
    """Why a check can't be made."""


class Finding(NamedTuple):
    id: str
    sentence: str
    state: State
    note: str = ""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What may be used up: a bank account that holds a few USD, a wallet, a market."""

    bank_account: str = ""
    wallet: tuple[str, str] | None = None
    market: str = "sol-usd"
    writes: bool = False


@dataclass(slots=True)
class Adapter:
    """An adapter under test. ``keyed`` has its key, ``impostor`` another one."""

    part: str
    keyed: Sender
    impostor: Sender
    sandbox: Sandbox
    new_key: Callable[[], str]
    wait_s: float = 10.0
    slowest_s: float = 0.0
    _moved: dict[Step, tuple[str, Body, Answer]] = field(default_factory=dict)

    def send(self, request: Outgoing, by: Sender | None = None) -> Reply:
        """Raises Deviates: there is no complete answer. Unreachable: nothing can be sent."""
        began = time.monotonic()
        try:
            return (by or self.keyed).send(request)
        except NotSent as fault:
            raise Unreachable(str(fault)) from None
        except TransportFault as fault:
            raise Deviates(
                f"no complete answer to {request.method} {request.path}: {fault}"
            ) from None
        finally:
            self.slowest_s = max(self.slowest_s, time.monotonic() - began)

    def read(self, path: str, **query: str) -> Any:
        reply = self.send(Outgoing("GET", path, tuple(query.items())))
        if reply.status != 200:
            raise Deviates(f"GET {path} was answered with HTTP status {reply.status}")
        return _json(reply)

    def post(self, step: Step, key: str, body: Body) -> Reply:
        if not self.sandbox.writes:
            raise NotChecked("needs --write")
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        body_text = json.dumps(body).encode()
        return self.send(Outgoing("POST", step.path, headers=headers, body=body_text))

    def ask(self, step: Step, key: str, body: Body) -> Answer:
        reply = self.post(step, key, body)
        if reply.status not in (200, 201, 202):
            raise Deviates(f"a {step} was answered with HTTP status {reply.status}")
        try:
            return read_answer(_json(reply), key, body["amount"])
        except Unanswered as fault:
            raise Deviates(f"the answer to a {step} can't be used: {fault}") from None

    def body(self, step: Step, amount: str = "1.00") -> dict[str, Any]:
        """A small request. Raises NotChecked: the sandbox lacks what it needs."""
        if step is Step.ORDER:
            usd = {"usd": amount}
            return {"market": self.sandbox.market, "side": "buy", "amount": "0.01", **usd}
        if step is Step.TRANSFER:
            if self.sandbox.wallet is None:
                raise NotChecked("needs --to ADDRESS@NETWORK")
            address, network = self.sandbox.wallet
            return {"network": network, "symbol": "USDC", "amount": amount, "address": address}
        if not self.sandbox.bank_account:
            raise NotChecked("needs --bank-account ID@TYPE")
        account = {"bankAccountId": self.sandbox.bank_account}
        return {**account, "amount": amount, "currency": "USD"}

    def moved(self, step: Step) -> tuple[str, Body, Answer]:
        """A request that was made once for all checks of its step: key, body, first answer."""
        if step not in self._moved:
            key, body = f"{self.new_key()}.{step}", self.body(step)
            self._moved[step] = key, body, self.ask(step, key, body)
        return self._moved[step]

    def balance(self) -> Decimal:
        (account,) = _bank_accounts(
            self.read("/customers", bankAccountId=self._account()), self._account()
        )
        return Decimal(account["balance"])

    def _account(self) -> str:
        if not self.sandbox.bank_account:
            raise NotChecked("needs --bank-account ID@TYPE")
        return self.sandbox.bank_account


class Check(NamedTuple):
    """``run`` raises Deviates or NotChecked."""

    id: str
    sentence: str
    run: Callable[[Adapter], None]


def check_adapter(adapter: Adapter) -> Iterator[Finding]:
    """Make every check of the adapter's part, in order. Raises Unreachable."""
    for each in _CHECKS[adapter.part]:
        state, note = State.OK, ""
        try:
            each.run(adapter)
        except Deviates as problem:
            state, note = State.DEVIATES, str(problem)
        except NotChecked as reason:
            state, note = State.NOT_CHECKED, str(reason)
        yield Finding(each.id, each.sentence, state, note)


def _json(reply: Reply) -> Any:
    try:
        return json.loads(reply.body)
    except ValueError:
        raise Deviates("an answer isn't JSON") from None


def _require(holds: object, problem: str) -> None:
    if not holds:
        raise Deviates(problem)


# -- questions ------------------------------------------------------------------------------------


def _bank_accounts(told: Any, account: str) -> list[Any]:
    customers = told.get("customers") if isinstance(told, dict) else None
    _require(isinstance(customers, list), "the answer has no list of customers")
    for each in customers or ():
        _require(isinstance(each, dict), "a customer isn't an object")
        for name in ("reference", "name"):
            _require(isinstance(each.get(name), str) and each[name], f"{name} isn't a text")
        _require(each.get("kycLevel") in KYC_LEVELS, f"kycLevel is none of {', '.join(KYC_LEVELS)}")
        _require(isinstance(each.get("termsAccepted"), bool), "termsAccepted isn't true or false")
        for one in each.get("bankAccounts", ()):
            _require(one.get("type") in BANK_ACCOUNT_TYPES, "the type of a bank account is unknown")
            _require(_is_money(one.get("balance")), "a balance isn't an amount as a text")
    found = [one for each in customers or () for one in each.get("bankAccounts", ())]
    return [one for one in found if one.get("id") == account]


def _is_money(value: object) -> bool:
    return isinstance(value, str) and _MONEY.fullmatch(value) is not None


def _customer_is_found(adapter: Adapter) -> None:
    account = adapter.sandbox.bank_account
    if not account:
        raise NotChecked("needs --bank-account ID@TYPE")
    found = _bank_accounts(adapter.read("/customers", bankAccountId=account), account)
    _require(len(found) == 1, "the bank account isn't found, or more than once")


def _nobody_is_found(adapter: Adapter) -> None:
    told = adapter.read("/customers", bankAccountId="NO-SUCH-ACCOUNT-0")
    _require(told == {"customers": []}, "an unknown bank account has a customer")


def _address_stays(adapter: Adapter) -> None:
    query = {"account": "TDA_CHECK", "network": "ethereum"}
    first, second = (adapter.read("/addresses", **query) for _ in range(2))
    _require(
        isinstance(first, dict) and isinstance(first.get("address"), str), "there's no address"
    )
    _require(first == second, "an account has two addresses on one network")


def _screening_has_its_form(adapter: Adapter) -> None:
    address = "0x000000000000000000000000000000000000dEaD"
    told = adapter.read("/screenings", network="ethereum", address=address, bankAccountId="ACC-1")
    _require(isinstance(told, dict), "the answer isn't an object")
    score, hits, rule = (told.get(name) for name in ("score", "hits", "travelRule"))
    _require(type(score) is int and 0 <= score <= 100, "score is no whole number from 0 to 100")
    are_texts = isinstance(hits, list) and all(isinstance(each, str) for each in hits)
    _require(are_texts, "hits isn't a list of texts")
    _require(rule is None or isinstance(rule, str), "travelRule is neither a text nor null")


def _price_is_sane(adapter: Adapter) -> None:
    told = adapter.read("/prices", market=adapter.sandbox.market)
    bid, ask = (told.get(name) if isinstance(told, dict) else None for name in ("bid", "ask"))
    _require(_is_money(bid) and _is_money(ask), "bid and ask aren't amounts as texts")
    _require(0 < Decimal(str(bid)) <= Decimal(str(ask)), "the bid is above the ask, or zero")


QUESTIONS = {
    "core-bank": ("/customers", "bankAccountId"),
    "custody": ("/addresses", "account"),
    "screening": ("/screenings", "address"),
    "venue": ("/prices", "market"),
}


def _key_is_required(adapter: Adapter) -> None:
    path, name = QUESTIONS[adapter.part]
    status = adapter.send(Outgoing("GET", path, ((name, "ACC-1"),)), adapter.impostor).status
    _require(status == 401, f"another key was answered with HTTP status {status}")


def _is_in_time(adapter: Adapter) -> None:
    said = f"the slowest answer took {adapter.slowest_s:.1f} s"
    _require(adapter.slowest_s < _LATE_S, said)


# -- requests -------------------------------------------------------------------------------------


def _is_accepted(adapter: Adapter, step: Step) -> None:
    answer = adapter.moved(step)[2]
    _require(answer.state is not AnswerState.REFUSED, f"it was refused: {answer.code}")


def _is_done_once(adapter: Adapter, step: Step) -> None:
    key, body, first = adapter.moved(step)
    before = adapter.balance() if step.part == "core bank" else None
    again = adapter.ask(step, key, body)
    _require(again.state is not AnswerState.REFUSED, "a repeated key was refused")
    if first.hash is not None:
        _require(again.hash == first.hash, "a repeated key has another transaction")
    if before is not None:
        _require(adapter.balance() == before, "a repeated key moved money again")


def _is_done_once_at_once(adapter: Adapter, step: Step) -> None:
    key, body = f"{adapter.new_key()}.{step}", adapter.body(step)
    before = adapter.balance() if step.part == "core bank" else None
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        answers = list(threads.map(lambda _: adapter.ask(step, key, body), range(_AT_ONCE)))
    hashes = {each.hash for each in answers if each.hash}
    _require(len(hashes) < 2, "one key, sent at the same time, has several transactions")
    if before is not None:
        moved = abs(adapter.balance() - before)
        _require(moved == Decimal(body["amount"]), f"one key, sent at the same time, moved {moved}")


def _key_has_one_body(adapter: Adapter, step: Step) -> None:
    key, body, _ = adapter.moved(step)
    other = {**body, "amount": "2.00"}
    status = adapter.post(step, key, other).status
    _require(400 <= status < 500, f"a key with another body was answered with {status}")


def _amounts_are_checked(adapter: Adapter, step: Step) -> None:
    for wrong in ("-1.00", "0.00", "one", 1.0):
        body = {**adapter.body(step), "amount": wrong}
        if step is Step.ORDER:
            body["usd"] = wrong
        status = adapter.post(step, f"{adapter.new_key()}.{step}", body).status
        _require(400 <= status < 500, f"the amount {wrong!r} was answered with {status}")


def _is_refused(adapter: Adapter, step: Step) -> None:
    body = adapter.body(step)
    if step is Step.DEBIT:
        body["amount"] = f"{adapter.balance() + 1:.2f}"
    elif step is Step.TRANSFER:
        body["address"] = "no-address"
    elif step is Step.ORDER:
        body["market"] = "none-usd"
    else:
        body["bankAccountId"] = "NO-SUCH-ACCOUNT-0"
    key = f"{adapter.new_key()}.{step}"
    answer = adapter.ask(step, key, body)
    _require(answer.state is AnswerState.REFUSED, f"it is {answer.state}")
    told = _json(adapter.post(step, key, body))
    is_told = told.get("code") == answer.code and isinstance(told.get("message"), str)
    _require(is_told, "a refusal has no code in capital letters, or no message")


def _is_final(adapter: Adapter, step: Step) -> None:
    key, body, _ = adapter.moved(step)
    deadline = time.monotonic() + adapter.wait_s
    while (answer := adapter.ask(step, key, body)).state is AnswerState.PENDING:
        if time.monotonic() > deadline:
            raise NotChecked(f"it was still pending after {adapter.wait_s:.0f} s")
        time.sleep(_PAUSE_S)
    _require(answer.state is AnswerState.DONE, f"it was {answer.state} after it was accepted")
    if step is Step.TRANSFER:
        _require(answer.hash, "a transfer that is done has no hash")
    _require(adapter.ask(step, key, body) == answer, "what was done has another answer later")


_OF_REQUESTS: tuple[tuple[str, str, Callable[..., None]], ...] = (
    ("accepted", "{} is accepted, and answered with its key and amount", _is_accepted),
    ("repeated", "A repeated key of {} isn't carried out again", _is_done_once),
    (
        "at-once",
        "One key of {}, sent at the same time, is carried out once",
        _is_done_once_at_once,
    ),
    ("one-body", "A key of {} with another body is refused with 4xx", _key_has_one_body),
    (
        "amounts",
        "Amounts of {} that aren't above zero, or no texts, get 4xx",
        _amounts_are_checked,
    ),
    (
        "refused",
        "{} that can't be carried out is refused with 200, code and message",
        _is_refused,
    ),
    ("final", "{} that is done stays as it was answered", _is_final),
)


def _of_step(step: Step) -> tuple[Check, ...]:
    named = f"{'an' if step is Step.ORDER else 'a'} {step}"
    return tuple(
        Check(f"{step}.{name}", _begun(sentence.format(named)), partial(run, step=step))
        for name, sentence, run in _OF_REQUESTS
    )


def _begun(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


_KEY = Check("key", "A request with another key is answered with 401", _key_is_required)
_TIME = Check("time", "Every answer came within five seconds", _is_in_time)
_CHECKS: Mapping[str, tuple[Check, ...]] = {
    "core-bank": (
        _KEY,
        Check("customers.found", "The customer of a bank account is found", _customer_is_found),
        Check("customers.none", "An unknown bank account has no customer", _nobody_is_found),
        *_of_step(Step.DEBIT),
        *_of_step(Step.CREDIT),
        _TIME,
    ),
    "custody": (
        _KEY,
        Check("addresses.same", "An account keeps its address on a network", _address_stays),
        *_of_step(Step.TRANSFER),
        _TIME,
    ),
    "screening": (
        _KEY,
        Check(
            "screenings.form", "A score, lists and a reference are told", _screening_has_its_form
        ),
        _TIME,
    ),
    "venue": (
        _KEY,
        Check("prices.sane", "A market has a bid that isn't above its ask", _price_is_sane),
        *_of_step(Step.ORDER),
        _TIME,
    ),
}
