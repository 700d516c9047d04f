"""One generator for every declared operation: a call, drawn from a number and the model's state.

A generator never fails: where the state has nothing to name, it names what doesn't exist. So a
list of steps stays meaningful when some of them are taken out.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from tests.simulation.calls import Asked, Wire
from tests.simulation.figures import (
    CASH,
    DAY,
    DECIMALS,
    HOUR,
    MARKETS,
    MINUTE,
    SECOND,
    USD,
    atoms_of,
    moment,
    plain,
)
from tests.simulation.model import (
    AGENT_NAMES,
    DECISION_KINDS,
    LIVES,
    PUBLIC_KEYS,
    REASONS,
    REFUSALS,
    SET_CONTROLS,
    STATEMENT_REASONS,
    UNFIT_STATEMENTS,
    Model,
)
from tests.simulation.networks import NOWHERE, PLACES, addresses_of, place_of
from tests.simulation.records import NEVER, Account, Challenge, Decision, Transfer
from tests.simulation.signing import signed, signed_by_another

from chainteller.domain.randomness import SeededRandomness, below

Item = TypeVar("Item")
CURRENCIES: tuple[Wire, ...] = (
    {"type": "deposit-token-currency", "id": "DPT_USD"},
    {"type": "stablecoin-currency", "symbol": "USDC", "network": "solana"},
    {"type": "stablecoin-currency", "symbol": "USDC", "network": "ethereum"},
)
ODD_CURRENCIES: tuple[Wire, ...] = (
    {"type": "deposit-token-currency", "id": "DPT_EUR"},
    {"type": "deposit-token-currency", "id": "DPT_USD", "symbol": "USD"},
    {"type": "stablecoin-currency", "symbol": "USDT", "network": "ethereum"},
    {"type": "stablecoin-currency", "symbol": "USDC", "network": "polygon"},
    {"type": "stablecoin-currency", "symbol": "usdc", "network": "Solana"},
    {"type": "stablecoin-currency", "symbol": "USDC"},
    {"type": "crypto-currency", "symbol": "DOGE", "network": "dogecoin"},
    {"type": "crypto-currency", "symbol": "SOL", "network": "ethereum"},
)
ODD_AMOUNTS = (
    "0", "0.00", "-1.00", "+1", "1e3", " 1.00", "1,000.00", "007", "1.", ".5", "", "1.005",
    "1.0000000000000000001", "0.001",
    "12.345", "2.50001", "99999999999999999999999999999999999999", "0.01", "ten",
)  # fmt: skip
WORDS = ("The customer called back.", "  It's known.  ", "é" * 500)
ODD_WORDS = (*UNFIT_STATEMENTS, "", " ", "two\nlines", "x" * 501)
NOBODYS = ("0" * 22, "7" * 22)


class Draw:
    """Random choices from one number."""

    def __init__(self, number: int) -> None:
        self._random = SeededRandomness(str(number))

    def below(self, bound: int) -> int:
        return below(self._random, bound)

    def chance(self, one_in: int) -> bool:
        return self.below(one_in) == 0

    def pick(self, choices: Sequence[Item]) -> Item:
        return choices[self.below(len(choices))]

    def recent(self, choices: Sequence[Item]) -> Item:
        """Usually one of the newest."""
        if len(choices) > 6 and not self.chance(4):
            choices = choices[-6:]
        return self.pick(choices)

    def shuffle(self, items: list[Any]) -> None:
        for place in range(len(items) - 1, 0, -1):
            other = self.below(place + 1)
            items[place], items[other] = items[other], items[place]

    def near(self, exact: int) -> int:
        return exact + self.pick((-1, 0, 0, 1))


class Maker:
    """Makes calls of one organisation."""

    def __init__(self, model: Model, draw: Draw, organisation: str) -> None:
        self.model, self.draw, self.organisation = model, draw, organisation

    # -- names -----------------------------------------------------------------------------------

    def _of(self, records: Any, organisation_of: Callable[[Any], str], prefix: str) -> str:
        """The id of a record: usually the organisation's own, sometimes a foreign or no id."""
        odd = self.draw.below(40)
        if odd == 0:
            return self.draw.pick(
                (f"{prefix}_{NOBODYS[0]}", f"{prefix}_{NOBODYS[1]}", "no-id", "a b")
            )
        own = [
            each.id
            for each in records
            if (organisation_of(each) == self.organisation) != (odd == 1)
        ]
        return self.draw.recent(own) if own else f"{prefix}_{NOBODYS[0]}"

    def account(self) -> str:
        found = self.accounts()
        if found and not self.draw.chance(25):
            return self.draw.pick(found).id
        return self._of(self.model.accounts.values(), lambda each: each.organisation, "TDA")

    def accounts(self) -> list[Account]:
        return [
            each for each in self.model.accounts.values() if each.organisation == self.organisation
        ]

    def quote(self) -> str:
        return self._of(self.model.quotes.values(), lambda each: each.organisation, "QTE")

    def trade(self) -> tuple[str, str]:
        """(account, trade), usually of each other."""
        name = self._of(self.model.trades.values(), lambda each: each.account.organisation, "TXN")
        found = self.model.trades.get(name)
        return self._owner(found.account if found else None), name

    def transfer(self, kind: str) -> tuple[str, str]:
        rows = [each for each in self.model.transfers.values() if each.name == kind]
        if self.draw.chance(20):
            rows = [*self.model.transfers.values()]
        name = self._of(rows, lambda each: each.account.organisation, "TXN")
        found = self.model.transfers.get(name)
        return self._owner(found.account if found else None), name

    def _owner(self, account: Account | None) -> str:
        return self.account() if account is None or self.draw.chance(20) else account.id

    def custody(self) -> str:
        return self._of(
            self.model.custodies.values(), lambda each: each.account.organisation, "BCA"
        )

    def wallet(self) -> str:
        return self._of(self.model.wallets.values(), lambda each: each.organisation, "CPT")

    def challenge(self) -> Challenge | None:
        rows = [
            each
            for each in self.model.challenges.values()
            if each.wallet.organisation == self.organisation
        ]
        fresh = [each for each in rows if each.state(self.model.now) == "open"]
        if fresh and not self.draw.chance(6):
            return self.draw.recent(fresh)
        return self.draw.recent(rows) if rows else None

    def market(self) -> str:
        return "doge-usd" if self.draw.chance(50) else self.draw.pick(tuple(MARKETS))

    def decision(self) -> Decision | None:
        """One of the organisation, mostly an open one."""
        rows = [
            each for each in self.model.decisions.values() if each.organisation == self.organisation
        ]
        waiting = [each for each in rows if each.status == "open"]
        if waiting and not self.draw.chance(8):
            return self.draw.pick(waiting)
        return self.draw.recent(rows) if rows else None

    def decision_id(self) -> str:
        found = self.decision()
        if found is not None and not self.draw.chance(12):
            return found.id
        return self._of(self.model.decisions.values(), lambda each: each.organisation, "DEC")

    def agent_id(self) -> str:
        return self._of(self.model.agents.values(), lambda each: each.organisation, "AGT")

    def note_id(self) -> str:
        return self._of(self.model.notes.values(), lambda each: each.organisation, "NTE")

    def words(self) -> str:
        return self.draw.pick(ODD_WORDS if self.draw.chance(10) else WORDS)

    def until(self) -> str | None:
        """A time that a control or a closed market ends at, if any."""
        now = self.model.now
        if self.draw.chance(8):
            return self.draw.pick((moment(now), moment(now - SECOND), moment(NEVER), "later", ""))
        spans = (1, SECOND, MINUTE, HOUR, DAY)
        return None if self.draw.chance(3) else moment(now + self.draw.pick(spans))

    # -- amounts ---------------------------------------------------------------------------------

    def amount(self, atoms: int, asset: str) -> str:
        """An amount about which something may be wrong."""
        if self.draw.chance(30):
            return self.draw.pick(ODD_AMOUNTS)
        return plain(max(1, atoms), asset)

    def cents(self, bound: int, most: int) -> int:
        """Often exactly a bound, or a cent beside it."""
        if bound > 0 and self.draw.chance(5):
            return max(1, self.draw.near(bound))
        return 1 + self.draw.below(most)

    def page(self, **filters: Any) -> Wire:
        """Paging, an order and some of the filters."""
        query: Wire = {
            name: value
            for name, value in filters.items()
            if value is not None and self.draw.chance(3)
        }
        if self.draw.chance(3):
            query["limit"] = self.draw.pick((1, 2, 5, 100, 1000))
            query["page"] = self.draw.pick((1, 1, 2, 3, 10**9))
        if self.draw.chance(4):
            query["sort"] = self.draw.pick(("created", "-created"))
        if self.draw.chance(60):
            query |= self.draw.pick(({"page": 0}, {"limit": 0}, {"sort": "name"}))
        return query

    def dates(self) -> Wire:
        query: Wire = {}
        now = self.model.now
        if self.draw.chance(6):
            query["created_gte"] = moment(now - self.draw.below(3_600_000_000))
        if self.draw.chance(6):
            query["created_lt"] = moment(now - self.draw.below(60_000_000))
        return query


# -- writes -------------------------------------------------------------------------------------


def _open_trading_account(make: Maker) -> Asked:
    mine = [bank for (org, _), bank in make.model.bank_accounts.items() if org == make.organisation]
    free = [bank for bank in mine if bank.account is None]
    bank = make.draw.pick(free if free and not make.draw.chance(3) else mine)
    kind = make.draw.pick(("checking", "savings", "gold")) if make.draw.chance(12) else bank.type
    name = make.draw.pick(("DDA-1", "ODA-1", "DDA-9999")) if make.draw.chance(20) else bank.id
    return Asked("open_trading_account", (), {"bankAccountId": name, "bankAccountType": kind})


def _deposit(make: Maker) -> Asked:
    account, draw = make.account(), make.draw
    currency = draw.pick(ODD_CURRENCIES if draw.chance(25) else CURRENCIES)
    known = make.model.accounts.get(account)
    cents = make.cents(known.bank.cents if known else 0, 150_000)
    body = {"amount": make.amount(cents, USD), "currency": dict(currency)}
    return Asked("deposit", (account,), body)


def _withdraw(make: Maker) -> Asked:
    draw, account = make.draw, make.account()
    known = make.model.accounts.get(account)
    if known is not None and draw.chance(2):
        return _withdraw_to_wallet(make, known)
    currency = draw.pick(ODD_CURRENCIES if draw.chance(25) else CURRENCIES)
    bound = known.power() if known else 0
    if known is not None and draw.chance(2):
        bound = _room(make.model, known, "own-bank-account")
    body: Wire = {
        "amount": make.amount(make.cents(bound, 40_000), USD),
        "currency": dict(currency),
    }
    if draw.chance(6):
        body["destination"] = {"type": "bank-account"}
        if draw.chance(4):
            body["destination"]["counterpartyId"] = make.wallet()
    return Asked("withdraw", (account,), body)


def _room(model: Model, account: Account, goes_to: str) -> int:
    """What may leave the account by its limits."""
    limits = model.settings.limits[goes_to]
    used = [0, *(_used(model, account, goes_to, period) for period in (86_400, 30 * 86_400))]
    return min(limit - spent for limit, spent in zip(limits, used, strict=True))


def _used(model: Model, account: Account, goes_to: str, seconds: int) -> int:
    return sum(each.cents for each in model.counted(account, goes_to, seconds * 1_000_000))


def _withdraw_to_wallet(make: Maker, account: Account) -> Asked:
    draw, model = make.draw, make.model
    custodies = [each for each in model.custodies.values() if each.account is account]
    via = draw.pick(custodies).id if custodies and not draw.chance(15) else make.custody()
    linked = list(model.custodies[via].links) if via in model.custodies else []
    name = draw.pick(linked) if linked and not draw.chance(3) else make.wallet()
    wallet = model.wallets.get(name)
    fitting = [
        asset
        for asset in DECIMALS
        if wallet and asset.endswith(f"@{wallet.network}") and account.available[asset]
    ]
    network = wallet.network if wallet else "solana"
    fitting = fitting or [asset for asset in DECIMALS if asset.endswith(f"@{network}")]
    asset = draw.pick(fitting) if fitting and not draw.chance(12) else draw.pick((*DECIMALS,))
    have, symbol, network = account.available[asset], *asset.split("@")
    kind = "stablecoin-currency" if asset in CASH else "crypto-currency"
    if draw.chance(4):
        atoms = draw.near(have)
    elif asset in CASH and draw.chance(3):
        goes_to = draw.pick(("VerifiedCounterparty1P", "unverified-counterparty"))
        atoms = atoms_of(max(1, draw.near(_room(model, account, goes_to))), asset)
    else:
        atoms = 1 + draw.below(max(1, have // draw.pick((1, 3, 20))))
    destination = {"type": "counterparty", "counterpartyId": name, "blockchainAccountId": via}
    if draw.chance(30):
        del destination["counterpartyId"]
    body = {
        "amount": make.amount(atoms, asset),
        "currency": {"type": kind, "symbol": symbol, "network": network},
        "destination": destination,
    }
    return Asked("withdraw", (account.id,), body)


def _cancel_withdrawal(make: Maker) -> Asked:
    return Asked("cancel_withdrawal", make.transfer("withdrawal"))


def _create_quote(make: Maker) -> Asked:
    draw, market = make.draw, make.market()
    base = MARKETS.get(market, ("SOL@solana", 0))[0]
    side = draw.pick(("buy", "sell"))
    of = draw.pick((None, None, "sold", "bought"))
    asset = USD if (side == "buy") != (of == "bought") else base
    accounts = make.accounts()
    taker = draw.pick(accounts) if accounts else None
    if asset == USD:
        bound = taker.power() if taker and side == "buy" else 0
        atoms = draw.near(100) if draw.chance(12) else make.cents(bound, 60_000)
        atoms = draw.near(10_000_000) if draw.chance(40) else atoms
    else:
        have = taker.available[base] if taker and side == "sell" else 0
        atoms = (
            draw.near(have)
            if have and draw.chance(3)
            else 1 + draw.below(max(have, 10 ** max(2, DECIMALS[base] - draw.below(5))))
        )
    body: Wire = {"amount": make.amount(atoms, asset), "side": side}
    if of:
        body["amountOf"] = of
    if taker is not None and draw.chance(2):
        body["tradingAccountId"] = make.account() if draw.chance(10) else taker.id
    if draw.chance(40):
        body |= draw.pick(({"side": "hold"}, {"amountOf": "both"}, {"side": side.upper()}))
    return Asked("create_quote", (market,), body)


def _execute_quote(make: Maker) -> Asked:
    live = [
        each.id
        for each in make.model.quotes.values()
        if each.organisation == make.organisation and each.status(make.model.now) == "open"
    ]
    name = make.draw.recent(live) if live and not make.draw.chance(5) else make.quote()
    quote = make.model.quotes.get(name)
    account = make.account()
    if quote is not None and not make.draw.chance(8):
        able = [each.id for each in make.accounts() if _can_pay(each, quote)]
        if quote.account is not None and not make.draw.chance(4):
            account = quote.account.id
        elif able:
            account = make.draw.pick(able)
    return Asked("execute_quote", (name,), {"tradingAccountId": account})


def _can_pay(account: Account, quote: Any) -> bool:
    if quote.price.side == "buy":
        return account.power() >= int(quote.sized.sold)
    return bool(account.available[quote.price.base] >= quote.sized.sold)


def _cancel_trade(make: Maker) -> Asked:
    return Asked("cancel_trade", make.trade())


def _place(make: Maker) -> tuple[str, str]:
    """(name as written, family) of a network."""
    if make.draw.chance(30):
        return make.draw.pick(NOWHERE), "evm"
    places = [each for each in PLACES if each.main or make.draw.chance(4)]
    place = (
        make.draw.pick([each for each in places if each.name in _FREQUENT])
        if not (make.draw.chance(3))
        else make.draw.pick(places)
    )
    written = make.draw.pick((place.name, place.name, *place.others))
    return (written.upper() if make.draw.chance(9) else written), place.family


_FREQUENT = ("ethereum", "solana", "bitcoin")


def _register_counterparty(make: Maker) -> Asked:
    network, family = _place(make)
    if make.draw.chance(20):
        family = make.draw.pick(("evm", "solana", "bitcoin", "tron"))
    address = make.draw.pick(tuple(addresses_of(family)))
    if make.draw.chance(25):
        address = make.draw.pick(("", "not an address", f"{address}0", f"{address} x"))
    return Asked("register_counterparty", (), {"address": address, "network": network})


def _open_blockchain_account(make: Maker) -> Asked:
    network, _ = _place(make)
    body = {"tradingAccountId": make.account(), "network": network}
    return Asked("open_blockchain_account", (), body)


def _create_challenge(make: Maker) -> Asked:
    body: Wire = {"counterpartyId": make.wallet()}
    if make.draw.chance(4):
        body["validSeconds"] = make.draw.pick((59, 60, 61, 3_600, 604_800, 604_801, 0, -1))
    return Asked("create_challenge", (make.custody(),), body)


def _claim(make: Maker, operation: str) -> Asked:
    draw, challenge = make.draw, make.challenge()
    if challenge is None:
        body = {
            "challengeId": f"CHG_{NOBODYS[0]}",
            "completedChallenge": "0x00",
            "counterpartyId": make.wallet(),
        }
        return Asked(operation, (make.custody(),), body)
    address, text = challenge.wallet.address, challenge.text
    how = draw.below(12)
    if how < 8:
        signature = signed(address, text)
    elif how == 8:
        signature = signed_by_another(address, text, draw.below(2))
    elif how == 9:
        signature = signed(address, draw.pick((f"{text} ", text[:-1], text.lower())))
    elif how == 10:
        others = [each.text for each in make.model.challenges.values() if each is not challenge]
        signature = signed(address, draw.pick(others) if others else "Hello")
    else:
        signature = draw.pick(("", "yes", "0x1234", "AAAA", address, text))
    custody = make.custody() if draw.chance(15) else challenge.custody.id
    wallet = make.wallet() if draw.chance(15) else challenge.wallet.id
    body = {
        "challengeId": challenge.id,
        "completedChallenge": signature,
        "counterpartyId": wallet,
    }
    return Asked(operation, (custody,), body)


def _submit_claim(make: Maker) -> Asked:
    return _claim(make, "submit_claim")


def _link_counterparty(make: Maker) -> Asked:
    draw = make.draw
    claims = [
        each
        for each in make.model.claims.values()
        if each.challenge.wallet.organisation == make.organisation
    ]
    fresh = [each for each in claims if each.linked is None]
    chosen = fresh if fresh and not draw.chance(5) else claims
    if not chosen:
        nothing = {"address": "x", "network": "solana", "ownershipClaimId": f"CLM_{NOBODYS[0]}"}
        return Asked("link_counterparty", (make.custody(),), nothing)
    claim = draw.recent(chosen)
    wallet, custody = claim.challenge.wallet, claim.challenge.custody.id
    place = place_of(wallet.network)
    assert place is not None
    address = wallet.address
    if place.family == "evm" and draw.chance(4):
        address = address.lower()
    body: Wire = {
        "address": draw.pick((*addresses_of(place.family),)) if draw.chance(15) else address,
        "network": draw.pick((place.name, *place.others)),
        "ownershipClaimId": claim.id,
    }
    if draw.chance(10):
        body["acknowledged"] = bool(draw.chance(2))
    if draw.chance(40):
        body["ownershipClaimId"] = f"CLM_{NOBODYS[0]}"
    return Asked("link_counterparty", (make.custody() if draw.chance(5) else custody,), body)


def _require_reverification(make: Maker) -> Asked:
    pairs = [
        (custody.id, name)
        for custody in make.model.custodies.values()
        for name in custody.links
        if custody.account.organisation == make.organisation
    ]
    known = pairs and not make.draw.chance(6)
    ids = make.draw.pick(pairs) if known else (make.custody(), make.wallet())
    why = "BOREDOM" if make.draw.chance(30) else make.draw.pick(REASONS)
    return Asked("require_reverification", ids, {"reason": why})


def _create_small_transfer(make: Maker) -> Asked:
    """Mostly for a wallet on the network of the blockchain account."""
    draw, model = make.draw, make.model
    custody, wallet = make.custody(), make.wallet()
    pairs = [
        (one.id, other.id)
        for one in model.custodies.values()
        for other in model.wallets.values()
        if one.account.organisation == other.organisation == make.organisation
        and one.network == other.network
    ]
    if pairs and not draw.chance(8):
        custody, wallet = draw.recent(pairs)
    body: Wire = {"counterpartyId": wallet}
    if draw.chance(3):
        body["validSeconds"] = draw.pick((600, 601, 3_600, 604_800))
    if draw.chance(12):
        body["validSeconds"] = draw.pick((599, 604_801, 0, -1))
    return Asked("create_small_transfer", (custody,), body)


def _create_ownership_statement(make: Maker) -> Asked:
    draw = make.draw
    texts = ("It's mine.", "  The exchange holds it\nfor me.  ", "é" * 2_000)
    odd = (*UNFIT_STATEMENTS, "", " \n ", "x" * 2_001)
    body = {
        "counterpartyId": make.wallet(),
        "reason": "BECAUSE" if draw.chance(12) else draw.pick(STATEMENT_REASONS),
        "statement": draw.pick(odd if draw.chance(4) else texts),
    }
    return Asked("create_ownership_statement", (make.custody(),), body)


def _clear_dispute(make: Maker) -> Asked:
    """Mostly one that was cleared; the act ``a dispute`` clears those that are open."""
    draw, mine = make.draw, make.organisation
    rows = make.model.disputes.values()
    name = make._of(rows, lambda each: mine if each.concerns(mine) else each.organisation, "DSP")
    odd = (*UNFIT_STATEMENTS, "", "  ", "x" * 201)
    why = draw.pick(odd if draw.chance(6) else ("The rows were put back.", "mended", "x" * 200))
    return Asked("clear_dispute", (name,), {"reason": why})


_CODES = ("COMPLIANCE_REVIEW", "MAINTENANCE", "HALTED", "A1", "Z" * 40)
_ODD_CODES = ("because", "", "_", "123", "É", "TWO WORDS", "Z" * 41)


def _open_decision(make: Maker) -> Asked:
    """A control on an account, or a closed market."""
    draw = make.draw
    if draw.chance(3):
        body: Wire = {"kind": "market", "subject": make.market()}
    else:
        body = {"kind": "control", "subject": make.account(), "control": draw.pick(SET_CONTROLS)}
    body["reason"] = draw.pick(_ODD_CODES if draw.chance(12) else _CODES)
    if draw.chance(2):
        body["words"] = make.words()
    until = make.until()
    if until is not None:
        body["until"] = until
    if draw.chance(15):
        kinds = ({"kind": "withdrawal"}, {"kind": "market"}, {"kind": "control"})
        body |= draw.pick(({"control": "CLOSED"}, {"control": "frozen"}, *kinds))
    return Asked("open_decision", (), body)


def _take_decision(make: Maker) -> Asked:
    return Asked("take_decision", (make.decision_id(),))


def _approve_decision(make: Maker) -> Asked:
    body = {} if make.draw.chance(4) else {"answer": make.words()}
    return Asked("approve_decision", (make.decision_id(),), body)


def _refuse_decision(make: Maker) -> Asked:
    draw, found = make.draw, make.decision()
    stays = found is not None and found.kind in ("control", "market")
    body: Wire = {"answer": make.words()}
    body["reason"] = draw.pick(_CODES if stays != draw.chance(12) else REFUSALS)
    if draw.chance(20):
        body["reason"] = draw.pick(_ODD_CODES)
    until = make.until() if stays or draw.chance(12) else None
    if until is not None:
        body["until"] = until
    name = make.decision_id() if found is None or draw.chance(12) else found.id
    return Asked("refuse_decision", (name,), body)


def _note_decision(make: Maker) -> Asked:
    return Asked("note_decision", (make.decision_id(),), {"note": make.words()})


# -- reads --------------------------------------------------------------------------------------


def _trading_accounts(make: Maker) -> Asked:
    texts = ("DDA-", "customer 1", "Customer", "REF-", "ODA-2", "tda_", "%", "nobody")
    query = make.page(
        text=make.draw.pick(texts), bank_account_id=make.draw.pick(("DDA-1", "ODA-1"))
    )
    if make.draw.chance(3):
        query["sort"] = make.draw.pick(("-lastActivity", "lastActivity"))
    return Asked("trading_accounts", query=query)


def _of_account(name: str) -> Callable[[Maker], Asked]:
    return lambda make: Asked(name, (make.account(),))


def _token_balances(make: Maker) -> Asked:
    query = {"include_zero": True} if make.draw.chance(2) else {}
    return Asked("token_balances", (make.account(),), query=query)


def _customers(make: Maker) -> Asked:
    texts = ("Customer 1", "REF-ODA", "dda-2", "_", "nobody")
    query = make.page(text=make.draw.pick(texts))
    if make.draw.chance(3):
        query["sort"] = make.draw.pick(("reference", "-reference"))
    return Asked("customers", query=query)


def _find(make: Maker) -> Asked:
    ids = (
        *(make.account(), make.quote(), make.trade()[1], make.custody(), make.wallet()),
        *(make.transfer(kind)[1] for kind in ("deposit", "withdrawal")),
    )
    name = make.draw.pick(ids)
    wallets = [each.address for each in make.model.wallets.values()] or ["0x12"]
    banks = [each.id for each in make.model.bank_accounts.values()]
    customer = make.draw.pick([*make.model.customers.values()])
    words = (customer.name, customer.name.upper(), "Custmer 2", "nobody", "the wallet of", "%", "")
    texts = (
        *(name, name, f"{name[:8]}..{name[-4:]}", name[:8], name[4:10].lower()),
        *(make.draw.pick(wallets), make.draw.pick(banks), customer.reference, customer.id),
        *(make.draw.pick(words), _words(make), f"{customer.name} {_words(make)}"),
    )
    return Asked("find", query={"text": make.draw.pick(texts)})


_STATUSES = (
    "processing", "completed", "sent", "cancelled", "returned", "failed", "reviewing", "settled",
    "executed", "gone",
)  # fmt: skip


def _transfers(name: str) -> Callable[[Maker], Asked]:
    def made(make: Maker) -> Asked:
        query = make.page(status=make.draw.pick(_STATUSES)) | make.dates()
        return Asked(name, (make.account(),), query=query)

    return made


def _deposit_record(make: Maker) -> Asked:
    return Asked("deposit_record", make.transfer("deposit"))


def _withdrawal_record(make: Maker) -> Asked:
    return Asked("withdrawal_record", make.transfer("withdrawal"))


def _all_transfers(make: Maker) -> Asked:
    query = make.page(
        text=_words(make),
        trading_account_id=make.account(),
        type=make.draw.pick(("deposit-transaction", "withdrawal-transaction", "other")),
        status=make.draw.pick(_STATUSES),
    )
    return Asked("all_transfers", query=query | make.dates())


def _words(make: Maker) -> str:
    rows: list[Transfer] = [*make.model.transfers.values()]
    if not rows:
        return "customer"
    row = make.draw.recent(rows)
    name = f"{row.id[:8]}..{row.id[-4:]}"
    return make.draw.pick(
        (row.id, row.id[4:10], name, plain(row.atoms, row.asset), "Customer 1", "DDA-1", "1 2")
    )


def _transactions(make: Maker) -> Asked:
    kinds = ("trade-execution-transaction", "deposit-transaction", "withdrawal-transaction", "odd")
    return Asked("transactions", (make.account(),), query=make.page(type=make.draw.pick(kinds)))


def _transaction(make: Maker) -> Asked:
    ids = make.trade() if make.draw.chance(2) else make.transfer("withdrawal")
    return Asked("transaction", ids)


def _transaction_by_id(make: Maker) -> Asked:
    return Asked("transaction_by_id", (_transaction(make).ids[1],))


def _markets(make: Maker) -> Asked:
    names = make.draw.pick((None, ("sol-usd",), ("eth-usd", "doge-usd"), ("none",)))
    return Asked("markets", query={} if names is None else {"names": names})


def _of_market(name: str) -> Callable[[Maker], Asked]:
    return lambda make: Asked(name, (make.market(),))


def _quotes(make: Maker) -> Asked:
    query = make.page(
        status=make.draw.pick(("open", "expired", "executed", "odd")),
        side=make.draw.pick(("buy", "sell")),
        market=make.market(),
        trading_account_id=make.account(),
    )
    return Asked("quotes", query=query | make.dates())


def _quote(make: Maker) -> Asked:
    return Asked("quote", (make.quote(),))


def _trade_query(make: Maker) -> Wire:
    query = make.page(
        status=make.draw.pick(_STATUSES),
        side=make.draw.pick(("buy", "sell")),
        market=make.market(),
    )
    return query | make.dates()


def _trades(make: Maker) -> Asked:
    return Asked("trades", (make.account(),), query=_trade_query(make))


def _all_trades(make: Maker) -> Asked:
    return Asked("all_trades", query=_trade_query(make))


def _trade(make: Maker) -> Asked:
    return Asked("trade", make.trade())


def _counterparties(make: Maker) -> Asked:
    texts = ("0x", "bc1", "T", make.wallet(), "zz_z")
    return Asked("counterparties", query=make.page(text=make.draw.pick(texts)))


def _shared_wallets(make: Maker) -> Asked:
    return Asked("shared_wallets", query=make.page(text=make.draw.pick(("0x", make.wallet()))))


def _counterparty(make: Maker) -> Asked:
    return Asked("counterparty", (make.wallet(),))


def _of_custody(name: str) -> Callable[[Maker], Asked]:
    return lambda make: Asked(name, (make.custody(),), query=make.page())


def _blockchain_accounts(make: Maker) -> Asked:
    return Asked("blockchain_accounts", query=make.page(trading_account_id=make.account()))


def _blockchain_account(make: Maker) -> Asked:
    return Asked("blockchain_account", (make.custody(),))


def _challenge_by_id(make: Maker) -> Asked:
    rows = make.model.challenges.values()
    return Asked("challenge_by_id", (make._of(rows, lambda each: each.wallet.organisation, "CHG"),))


def _claim_by_id(make: Maker) -> Asked:
    rows, prefix = make.model.claims.values(), "CLM"
    name = make._of(rows, lambda each: each.challenge.wallet.organisation, prefix)
    return Asked("claim_by_id", (name,))


def _claim_attestation(make: Maker) -> Asked:
    return replace(_claim_by_id(make), operation="claim_attestation")


def _small_transfer_by_id(make: Maker) -> Asked:
    rows = make.model.small_transfers.values()
    name = make._of(rows, lambda each: each.wallet.organisation, "CHG")
    return Asked("small_transfer_by_id", (name,))


def _ownership_statement_by_id(make: Maker) -> Asked:
    rows = make.model.statements.values()
    name = make._of(rows, lambda each: each.wallet.organisation, "STM")
    return Asked("ownership_statement_by_id", (name,))


def _statement(make: Maker) -> Asked:
    """A whole history, or a part that begins or ends at one of its events."""
    draw, account = make.draw, make.account()
    known = make.model.accounts.get(account)
    ats = [each.at for each in known.moves] if known else []
    at = draw.near(draw.pick([*ats, make.model.now]))
    query: Wire = {}
    if draw.chance(2):
        query["from_time"] = moment(at)
    if draw.chance(2):
        query["to_time"] = moment(draw.near(draw.pick([*ats, make.model.now])))
    if draw.chance(6):
        day = str(moment(at))[:10]
        query |= draw.pick(({"from_time": day}, {"to_time": day}, {"from_time": "yesterday"}))
    return Asked("statement", (account,), query=query)


def _diagnose_signature(make: Maker) -> Asked:
    return _claim(make, "diagnose_signature")


def _capabilities(_make: Maker) -> Asked:
    return Asked("capabilities")


def _events(make: Maker) -> Asked:
    after = make.draw.pick((0, 0, -1))
    return Asked("events", query={"after": after, "limit": make.draw.pick((1, 10, 100))})


def _audit(make: Maker) -> Asked:
    named = make.draw.pick((make.quote(), make.wallet(), make.account(), make.trade()[1]))
    return Asked("audit", query=make.page(text=named, trading_account_id=make.account()))


def _audit_checkpoint(_make: Maker) -> Asked:
    return Asked("audit_checkpoint")


def _audit_consistency(make: Maker) -> Asked:
    sizes = {"from_size": make.draw.pick((0, 1, 7)), "to_size": make.draw.pick((None, 7, 10**9))}
    return Asked("audit_consistency", query=sizes)


def _audit_proof(make: Maker) -> Asked:
    return Asked("audit_proof", (make.draw.pick(("1", "2", "999999", "0", "x")),))


def _disputes(_make: Maker) -> Asked:
    return Asked("disputes")


def _decisions(make: Maker) -> Asked:
    draw, found = make.draw, make.decision()
    query = make.page(
        type=draw.pick((*DECISION_KINDS, "other")),
        status=draw.pick(("open", "open", "approved", "refused", "withdrawn", "lapsed", "gone")),
        trading_account_id=make.account(),
        text=make.market() if found is None or draw.chance(4) else found.subject,
    )
    if draw.chance(3):
        query["sort"] = draw.pick(("due", "-due"))
    return Asked("decisions", query=query | make.dates())


def _decision(make: Maker) -> Asked:
    return Asked("decision", (make.decision_id(),))


def _agents(make: Maker) -> Asked:
    return Asked("agents", query=make.page())


def _enrol_agent(make: Maker) -> Asked:
    draw = make.draw
    name = draw.pick(("", "A Brandt", "worker", "x" * 65) if draw.chance(8) else AGENT_NAMES)
    key = draw.pick(("", "AAAA") if draw.chance(8) else PUBLIC_KEYS)
    return Asked("enrol_agent", (), {"name": name, "publicKey": key})


def _approve_agent(make: Maker) -> Asked:
    draw = make.draw
    body: dict[str, Any] = {"roles": ["agent"] if draw.chance(6) else []}
    if draw.chance(3):
        body["expires"] = draw.pick(("soon", "90") if draw.chance(5) else (*LIVES,))
    return Asked("approve_agent", (make.agent_id(),), body)


def _revoke_agent(make: Maker) -> Asked:
    return Asked("revoke_agent", (make.agent_id(),))


def _notes(make: Maker) -> Asked:
    return Asked("notes", query=make.page(subject=_noted(make), trading_account_id=make.account()))


def _noted(make: Maker) -> str:
    draw = make.draw
    kinds: tuple[Callable[[], str], ...] = (
        make.account, make.market, make.wallet, make.custody, make.decision_id,
        lambda: make.transfer("withdrawal")[1],
    )  # fmt: skip
    return draw.pick(kinds)()


def _add_note(make: Maker) -> Asked:
    return Asked("add_note", (), {"subject": _noted(make), "content": make.words()})


def _erase_note(make: Maker) -> Asked:
    return Asked("erase_note", (make.note_id(),))


GENERATORS: dict[str, Callable[[Maker], Asked]] = {
    "open_trading_account": _open_trading_account,
    "deposit": _deposit,
    "withdraw": _withdraw,
    "cancel_withdrawal": _cancel_withdrawal,
    "create_quote": _create_quote,
    "execute_quote": _execute_quote,
    "cancel_trade": _cancel_trade,
    "register_counterparty": _register_counterparty,
    "open_blockchain_account": _open_blockchain_account,
    "create_challenge": _create_challenge,
    "submit_claim": _submit_claim,
    "link_counterparty": _link_counterparty,
    "require_reverification": _require_reverification,
    "create_small_transfer": _create_small_transfer,
    "create_ownership_statement": _create_ownership_statement,
    "small_transfers": _of_custody("small_transfers"),
    "small_transfer_by_id": _small_transfer_by_id,
    "ownership_statements": _of_custody("ownership_statements"),
    "ownership_statement_by_id": _ownership_statement_by_id,
    "statement": _statement,
    "trading_accounts": _trading_accounts,
    "trading_account": _of_account("trading_account"),
    "token_balances": _token_balances,
    "limits": _of_account("limits"),
    "customers": _customers,
    "find": _find,
    "deposits": _transfers("deposits"),
    "deposit_record": _deposit_record,
    "withdrawals": _transfers("withdrawals"),
    "withdrawal_record": _withdrawal_record,
    "all_transfers": _all_transfers,
    "transactions": _transactions,
    "transaction": _transaction,
    "transaction_by_id": _transaction_by_id,
    "markets": _markets,
    "market": _of_market("market"),
    "prices": _of_market("prices"),
    "quotes": _quotes,
    "quote": _quote,
    "trades": _trades,
    "all_trades": _all_trades,
    "trade": _trade,
    "counterparties": _counterparties,
    "counterparty": _counterparty,
    "shared_wallets": _shared_wallets,
    "linked_counterparties": _of_custody("linked_counterparties"),
    "blockchain_accounts": _blockchain_accounts,
    "blockchain_account": _blockchain_account,
    "challenges": _of_custody("challenges"),
    "challenge_by_id": _challenge_by_id,
    "claim_by_id": _claim_by_id,
    "claim_attestation": _claim_attestation,
    "diagnose_signature": _diagnose_signature,
    "capabilities": _capabilities,
    "events": _events,
    "audit": _audit,
    "audit_checkpoint": _audit_checkpoint,
    "audit_consistency": _audit_consistency,
    "audit_proof": _audit_proof,
    "disputes": _disputes,
    "clear_dispute": _clear_dispute,
    "open_decision": _open_decision,
    "take_decision": _take_decision,
    "approve_decision": _approve_decision,
    "refuse_decision": _refuse_decision,
    "note_decision": _note_decision,
    "decisions": _decisions,
    "decision": _decision,
    "agents": _agents,
    "enrol_agent": _enrol_agent,
    "approve_agent": _approve_agent,
    "revoke_agent": _revoke_agent,
    "notes": _notes,
    "add_note": _add_note,
    "erase_note": _erase_note,
}
WEIGHTS = {
    "open_trading_account": 8,
    "deposit": 40,
    "withdraw": 60,
    "cancel_withdrawal": 20,
    "create_quote": 70,
    "execute_quote": 75,
    "cancel_trade": 25,
    "register_counterparty": 15,
    "open_blockchain_account": 10,
    "create_challenge": 30,
    "submit_claim": 35,
    "link_counterparty": 25,
    "require_reverification": 8,
    "create_small_transfer": 20,
    "create_ownership_statement": 8,
    "clear_dispute": 8,
    "open_decision": 16,
    "take_decision": 8,
    "approve_decision": 30,
    "refuse_decision": 12,
    "note_decision": 10,
    "enrol_agent": 6,
    "approve_agent": 8,
    "revoke_agent": 4,
    "add_note": 6,
    "erase_note": 4,
}
"""How often each write is drawn; every read weighs the same."""
READ_WEIGHT = 5
