"""Makes the requests that the checks judge, chapter by chapter.

A chapter ends early where a reply that it needs is missing; the reason is kept for the requests
that it didn't make.
"""

import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from http import HTTPStatus

from chainteller.conformance.checks import (
    MAXIMUM_ROWS,
    amounts,
    arrived,
    left,
    record,
    rows,
    verified,
)
from chainteller.conformance.exchanges import (
    Blocked,
    Exchange,
    Session,
    require_success,
    segment,
)
from chainteller.conformance.probes import WRITING, Probe, probes_between
from chainteller.conformance.values import MISSING, at, instant, number
from chainteller.conformance.wallets import (
    ETHEREUM,
    SOLANA,
    Wallet,
    new_wallet,
    signing_network,
)
from chainteller.domain.randomness import Randomness
from chainteller.wallets.family import Network

DEPOSIT = "500.00"
TRADE = "100.00"
WITHDRAWAL = "10.00"
"""In units of the deposited currency, or US dollars."""
_FREE: tuple[object, ...] = (MISSING, None, [])
_POLL_S = 0.5
_SEARCHED = 5
_PASSED_S = 1.0
_ACCOUNTS = "/trading-accounts"
_CHAINS = "/blockchain-accounts"
_MARKETS = "/trading/markets"
_CHALLENGES = "1P-counterparty-ownership-challenges"
_CLAIMS = "1P-counterparty-ownership-claims"
_NETWORKS = ("ethereum", "solana")
_REGISTRATIONS = (Probe.REGISTER_ETHEREUM, Probe.REGISTER_SOLANA)


class Unreachable(Exception):
    """The first request got no reply; the message says why."""


class KeyRefused(Exception):
    """The first request was answered with 401: nothing can be checked with this key."""


@dataclass(frozen=True, slots=True)
class Target:
    """What the check may use, as far as it was named.

    ``chains`` are blockchain accounts by network. ``currency`` is the currency object of deposits
    and withdrawals.
    """

    write: bool = False
    account: str | None = None
    bank_account: tuple[str, str] | None = None
    chains: Mapping[str, str] = field(default_factory=dict)
    currency: Mapping[str, str] | None = None


class Prober:
    """Makes the requests of one check."""

    def __init__(self, session: Session, target: Target, randomness: Randomness) -> None:
        self.session = session
        self.target = target
        self.account = target.account
        self.randomness = randomness
        self.market = ""
        self.prices: dict[str, Fraction] = {}
        self.chains = dict(target.chains)
        self.currency = target.currency
        self.wallets: dict[str, Registered] = {}
        self._is_known = False

    def run(self) -> None:
        """Make every request that is possible.

        Raises:
            Unreachable: the first request got no reply.
            KeyRefused: it was answered with 401.
        """
        self._chapter(self.read_markets, Probe.MARKETS, Probe.MARKETS_TWO)
        first = self.session.exchanges[Probe.MARKETS]
        if first.is_unanswered:
            raise Unreachable(first.fault)
        if first.status == HTTPStatus.UNAUTHORIZED:
            raise KeyRefused
        self._chapter(self.read_capabilities, Probe.CAPABILITIES, Probe.CAPABILITIES)
        if not self.target.write:
            self.session.reasons |= dict.fromkeys(WRITING, "needs --write")
        elif self.account is None or self.target.bank_account is not None:
            self._chapter(self.open_account, Probe.OPEN_NO_BANK, Probe.OPEN)
        else:
            opening = probes_between(Probe.OPEN_NO_BANK, Probe.OPEN)
            reason = "--account names an open account; --bank-account opens another one"
            self.session.reasons |= dict.fromkeys(opening, reason)
        self._chapter(self.read_account, Probe.BALANCES, Probe.UNKNOWN_TRADE)
        self._chapter(self.read_counterparties, Probe.COUNTERPARTIES, Probe.COUNTERPARTIES)
        if self.target.write:
            self._write()

    def _write(self) -> None:
        chapter = self._chapter
        chapter(self.quote, Probe.CLOSED_MARKET, Probe.SELL_QUOTE)
        chapter(self.execute_beyond_the_balance, Probe.SHORT_QUOTE, Probe.EXECUTE_SHORT)
        chapter(self.deposit, Probe.DEPOSIT_NO_AMOUNT, Probe.AFTER_DEPOSIT)
        chapter(self.execute, Probe.TO_EXECUTE, Probe.EXECUTED_LIST)
        chapter(self.cancel, Probe.POST_TARGET, Probe.CANCEL_DELETE)
        chapter(self.withdraw, Probe.BEFORE_WITHDRAWAL, Probe.AFTER_WITHDRAWAL)
        chapter(self.register, Probe.REGISTER_NO_ADDRESS, Probe.REGISTER_SOLANA)
        chapter(self.verify_ethereum_wallet, Probe.CHALLENGE, Probe.LISTED_AFTER)
        chapter(self.verify_solana_wallet, Probe.CLAIM_SOLANA, Probe.CLAIM_SOLANA)
        chapter(self.execute_after_expiry, Probe.EXPIRING_QUOTE, Probe.EXECUTE_EXPIRED)

    def _chapter(self, chapter: Callable[[], None], first: Probe, last: Probe) -> None:
        """Make the requests of a chapter; a reason for ending early is kept for its probes."""
        try:
            chapter()
        except Blocked as reason:
            for probe in probes_between(first, last):
                self.session.reasons.setdefault(probe, str(reason))

    # -- reading --------------------------------------------------------------------------------

    def read_markets(self) -> None:
        session = self.session
        listed = session.probe(Probe.MARKETS, "GET", _MARKETS)
        if listed.is_unanswered:
            return
        senders = session.senders
        session.probe(Probe.MARKETS_NO_KEY, "GET", _MARKETS, sender=senders.anonymous)
        session.probe(Probe.MARKETS_WRONG_KEY, "GET", _MARKETS, sender=senders.impostor)
        markets = rows(listed)[:MAXIMUM_ROWS]
        names = [segment(at(row, "marketName")) for row in markets]
        prices = [number(at(row, "currentPrice")) for row in markets]
        self.prices = {
            name: price or Fraction(0) for name, price in zip(names, prices, strict=True)
        }
        session.probe(Probe.MARKETS_ONE, "GET", _MARKETS, query={"filter[name]": names[0]})
        if len(names) < 2:
            raise Blocked("only one market is listed")
        two = ",".join(names[:2])
        session.probe(Probe.MARKETS_TWO, "GET", _MARKETS, query={"filter[name]": two})

    def read_capabilities(self) -> None:
        self.session.probe(Probe.CAPABILITIES, "GET", "/capabilities", unknown=True)

    def read_account(self) -> None:
        session = self.session
        unknown = f"{_ACCOUNTS}/TDA_{uuid.UUID(bytes=self.randomness.bytes(16)).hex}"
        session.probe(Probe.UNKNOWN_ACCOUNT, "GET", f"{unknown}/token-balances", unknown=True)
        account = f"{_ACCOUNTS}/{segment(self._account_to_read())}"
        doubtful = not self._is_known
        balances, trades = (
            session.probe(probe, "GET", f"{account}/{name}", unknown=doubtful)
            for probe, name in ((Probe.BALANCES, "token-balances"), (Probe.TRADES, "trades"))
        )
        if balances.is_success or trades.is_success:
            for probe, made in ((Probe.BALANCES, balances), (Probe.TRADES, trades)):
                session.keep(probe, replace(made, unknown=False))
        senders = session.senders
        for probe, sender in (
            (Probe.BALANCES_NO_KEY, senders.anonymous),
            (Probe.BALANCES_WRONG_KEY, senders.impostor),
        ):
            session.probe(probe, "GET", f"{account}/token-balances", sender=sender)
        session.probe(Probe.UNKNOWN_TRADE, "GET", f"{account}/trades/TXN_unknown", unknown=True)
        trade_id = segment(at(rows(trades)[0], "id"))
        session.probe(Probe.TRADE, "GET", f"{account}/trades/{trade_id}")

    def _account_to_read(self) -> str:
        """The named account, or one that the deployment lists, preferably with trades. Raises
        Blocked: there is none."""
        if self.target.account is not None:
            return self.target.account
        found = self._listed(_ACCOUNTS)
        for account in found[:_SEARCHED]:
            trades = self.session.call("GET", f"{_ACCOUNTS}/{segment(account)}/trades")
            if trades.is_success and at(trades.body, "data"):
                self._is_known = True
                return account
        if self.account is None and not found:
            raise Blocked("no trading account is listed: name one with --account")
        self._is_known = True
        return self.account or found[0]

    def _listed(self, path: str) -> list[str]:
        """The ids of a list that is no call of the specification; empty where it isn't offered."""
        listed = self.session.call("GET", path, unknown=True)
        if listed.reply is None:
            require_success(listed)
        try:
            ids = [at(row, "id") for row in rows(listed) if at(row, "controls") in _FREE]
        except Blocked:
            return []
        return [each for each in ids if isinstance(each, str)]

    def read_counterparties(self) -> None:
        found = next(iter(self.chains.values()), None)
        listed = found is None
        if listed:
            found = next(iter(self._listed(_CHAINS)), None)
        if found is None:
            raise Blocked("no blockchain account is listed: name one with --blockchain-account")
        path = f"{_CHAINS}/{segment(found)}/counterparties"
        self.session.probe(Probe.COUNTERPARTIES, "GET", path, unknown=not listed)

    # -- trading --------------------------------------------------------------------------------

    def open_account(self) -> None:
        session = self.session
        offered = self._bank_accounts()
        bank_id, kind = offered[0]
        session.probe(Probe.OPEN_NO_BANK, "POST", _ACCOUNTS, {"bankAccountType": kind})
        session.probe(Probe.OPEN_NO_TYPE, "POST", _ACCOUNTS, {"bankAccountId": bank_id})
        other = {"bankAccountId": bank_id, "bankAccountType": "brokerage"}
        session.probe(Probe.OPEN_BAD_TYPE, "POST", _ACCOUNTS, other)
        for bank_id, kind in offered[:_SEARCHED]:
            wanted = {"bankAccountId": bank_id, "bankAccountType": kind}
            opened = session.probe(Probe.OPEN, "POST", _ACCOUNTS, wanted, unknown=True)
            if not opened.is_refusal:
                break
        require_success(session.exchanges[Probe.OPEN])
        self.account = segment(_id(session.exchanges[Probe.OPEN]))
        self._is_known = True

    def _bank_accounts(self) -> list[tuple[str, str]]:
        """Bank accounts without a trading account: the named one, or customers' that are listed.
        Raises Blocked: there is none."""
        if self.target.bank_account is not None:
            return [self.target.bank_account]
        listed = self.session.call("GET", "/customers", unknown=True)
        customers = rows(listed, empty=True) if listed.is_success and listed.is_json else []
        found = [
            (bank_id, str(kind))
            for customer in customers
            if at(customer, "termsAccepted") is True and at(customer, "controls") in _FREE
            for bank_id, kind in _free_bank_accounts(customer)
        ]
        if not found:
            raise Blocked("no bank account is offered: name one with --bank-account ID@TYPE")
        return found

    def _trading(self) -> str:
        """The path of the account to trade in. Raises Blocked: there is none."""
        if self.account is None:
            found = self._listed(_ACCOUNTS)
            if not found:
                raise Blocked("no trading account can be opened or found: name one with --account")
            self.account = found[0]
        return f"{_ACCOUNTS}/{segment(self.account)}"

    def _quote(self, probe: Probe | None, side: str, amount: str) -> Exchange:
        if not self.market:
            raise Blocked("no market is listed")
        request = ("POST", f"{_MARKETS}/{self.market}/quotes", {"amount": amount, "side": side})
        if probe is None:
            made = self.session.call(*request, query={"side": side})
        else:
            made = self.session.probe(probe, *request, query={"side": side})
        require_success(made)
        return made

    def _execute(self, probe: Probe | None, quote: Exchange) -> Exchange:
        path = f"/trading/quotes/{segment(_id(quote))}"
        body = {"tradingAccountId": self.account}
        if probe is None:
            return self.session.call("POST", path, body)
        return self.session.probe(probe, "POST", path, body)

    def quote(self) -> None:
        """Quote both sides in the first listed market that isn't closed."""
        if not self.prices:
            raise Blocked("no market is listed")
        session = self.session
        self.market = self._open_market()
        path = f"{_MARKETS}/{self.market}/quotes"
        buy = {"amount": TRADE, "side": "buy"}
        nobody = session.senders.anonymous
        session.probe(Probe.QUOTE_NO_KEY, "POST", path, buy, query={"side": "buy"}, sender=nobody)
        hold = {"amount": TRADE, "side": "hold"}
        session.probe(Probe.QUOTE_BAD_SIDE, "POST", path, hold, query={"side": "hold"})
        self._quote(Probe.BUY_QUOTE, "buy", TRADE)
        price = self.prices[self.market]
        if price <= 0:
            raise Blocked("the market has no price")
        self._quote(Probe.SELL_QUOTE, "sell", _units(Fraction(TRADE) / price))

    def _open_market(self) -> str:
        """The first market that isn't closed; of those that are, the last refusal is kept."""
        for name in tuple(self.prices)[:_SEARCHED]:
            body = {"amount": TRADE, "side": "buy"}
            made = self.session.call(
                "POST", f"{_MARKETS}/{name}/quotes", body, query={"side": "buy"}
            )
            if made.error != "MARKET_UNAVAILABLE":
                return name
            self.session.keep(Probe.CLOSED_MARKET, made)
        raise Blocked("every listed market is unavailable")

    def execute_beyond_the_balance(self) -> None:
        held = self.session.call("GET", f"{self._trading()}/token-balances")
        most = max(amounts(held).values(), default=Fraction(0))
        beyond = f"{int(most) + 1000}.00"
        quote = self._quote(Probe.SHORT_QUOTE, "buy", beyond)
        self._execute(Probe.EXECUTE_SHORT, quote)

    def deposit(self) -> None:
        session = self.session
        account = self._trading()
        path = f"{account}/deposits"
        currency = self._currency()
        session.probe(Probe.DEPOSIT_NO_AMOUNT, "POST", path, {"currency": currency})
        session.probe(Probe.DEPOSIT_NO_CURRENCY, "POST", path, {"amount": DEPOSIT})
        other = {"amount": DEPOSIT, "currency": {**currency, "type": "no-such-currency"}}
        session.probe(Probe.DEPOSIT_BAD_CURRENCY, "POST", path, other)
        before = session.succeed(Probe.BEFORE_DEPOSIT, "GET", f"{account}/token-balances")
        wanted = {"amount": DEPOSIT, "currency": currency}
        made = session.succeed(Probe.DEPOSIT, "POST", path, wanted)
        self._settled(Probe.AFTER_DEPOSIT, lambda after: list(arrived(after, before, made)))

    def _currency(self) -> Mapping[str, str]:
        """The named currency, the first deposit token that the deployment offers, or DPT_USD."""
        if self.currency is None:
            offered = self.session.exchanges[Probe.CAPABILITIES]
            listed = at(offered.body, "currencies") if offered.is_success else None
            ids = [at(each, "id") for each in listed] if isinstance(listed, list) else []
            tokens = [each for each in ids if isinstance(each, str) and each.startswith("DPT_")]
            self.currency = {
                "type": "deposit-token-currency",
                "id": tokens[0] if tokens else "DPT_USD",
            }
        return self.currency

    def _settled(self, probe: Probe, settled: Callable[[Exchange], object]) -> None:
        """Read the balances until they have settled, as long as ``--wait`` allows."""
        while True:
            after = self.session.succeed(probe, "GET", f"{self._trading()}/token-balances")
            try:
                settled(after)
            except Blocked:
                if self.session.wait(_POLL_S):
                    continue
            return

    def execute(self) -> None:
        session = self.session
        account = self._trading()
        quote = self._quote(Probe.TO_EXECUTE, "buy", TRADE)
        path = f"/trading/quotes/{segment(_id(quote))}"
        session.probe(Probe.EXECUTE_NO_ACCOUNT, "POST", path, {})
        executed = self._execute(Probe.EXECUTE, quote)
        require_success(executed)
        trade_id = segment(_id(executed))
        session.probe(Probe.EXECUTED, "GET", f"{account}/trades/{trade_id}")
        session.probe(Probe.EXECUTED_LIST, "GET", f"{account}/trades")

    def cancel(self) -> None:
        account = self._trading()
        for target, cancel, method, suffix in (
            (Probe.POST_TARGET, Probe.CANCEL_POST, "POST", "/cancellations"),
            (Probe.DELETE_TARGET, Probe.CANCEL_DELETE, "DELETE", ""),
        ):
            executed = self._execute(target, self._quote(None, "buy", TRADE))
            require_success(executed)
            trade_id = segment(_id(executed))
            self.session.probe(cancel, method, f"{account}/trades/{trade_id}{suffix}")

    def withdraw(self) -> None:
        session = self.session
        account = self._trading()
        before = session.succeed(Probe.BEFORE_WITHDRAWAL, "GET", f"{account}/token-balances")
        wanted = {"amount": WITHDRAWAL, "currency": self._currency()}
        made = session.succeed(Probe.WITHDRAWAL, "POST", f"{account}/withdrawals", wanted)
        self._settled(Probe.AFTER_WITHDRAWAL, lambda after: list(left(after, before, made)))

    def execute_after_expiry(self) -> None:
        session = self.session
        executed = session.exchanges.get(Probe.EXECUTE)
        if executed is None or not executed.is_success:
            raise Blocked("no quote could be executed in this account before")
        quote = self._quote(Probe.EXPIRING_QUOTE, "buy", TRADE)
        created, expires = (instant(at(record(quote), name)) for name in ("created", "expires"))
        if created is None or expires is None:
            raise Blocked("the quote has no usable created and expires")
        window_s = (expires - created).total_seconds() + _PASSED_S
        if not session.wait(window_s):
            raise Blocked(f"a quote is valid for some time: needs --wait {window_s:.0f}s or more")
        self._execute(Probe.EXECUTE_EXPIRED, quote)

    # -- wallets --------------------------------------------------------------------------------

    def register(self) -> None:
        """Register a wallet of each kind; a network that is unknown blocks only its own."""
        session = self.session
        blocked: list[str] = []
        for name, registration in zip((ETHEREUM, SOLANA), _REGISTRATIONS, strict=True):
            wallet = new_wallet(self._network(name), self.randomness)
            body = {"address": wallet.address.display, "network": wallet.address.network.name}
            if name == ETHEREUM:
                for probe, left_out in (
                    (Probe.REGISTER_NO_ADDRESS, "address"),
                    (Probe.REGISTER_NO_NETWORK, "network"),
                ):
                    session.probe(probe, "POST", "/counterparties", _less(body, left_out))
            made = session.probe(registration, "POST", "/counterparties", body)
            if made.is_success:
                self.wallets[name] = Registered(wallet, _id(made))
            else:
                blocked.append(f"{made.title}: {made.error or made.fault or made.status}")
        if blocked:
            raise Blocked("; ".join(blocked))

    def _network(self, family: str) -> Network:
        """A network of the family: of a named blockchain account, or of a listed market."""
        listed = self.session.exchanges[Probe.MARKETS]
        data = at(listed.body, "data") if listed.is_success else None
        markets = data[:MAXIMUM_ROWS] if isinstance(data, list) else []
        names = [at(each, "network") for each in markets]
        for name in (*self.chains, *names, *_NETWORKS):
            try:
                network = signing_network(str(name))
            except Blocked:
                continue
            if network.family.name == family:
                return network
        raise Blocked(f"no network of the family {family}")

    def _chain(self, wallet: Wallet) -> str:
        """The path of a blockchain account on the wallet's network. Raises Blocked: none was named,
        and the deployment doesn't open one."""
        network = wallet.address.network.name
        if network not in self.chains:
            body = {"tradingAccountId": self.account, "network": network}
            opened = self.session.call("POST", _CHAINS, body, unknown=True)
            if not opened.is_success or not opened.is_json:
                raise Blocked(f"name a blockchain account: --blockchain-account BCA@{network}")
            self.chains[network] = segment(_id(opened))
        return f"{_CHAINS}/{segment(self.chains[network])}"

    def _registered(self, family: str) -> "Registered":
        if family not in self.wallets:
            raise Blocked("no wallet could be registered")
        return self.wallets[family]

    def verify_ethereum_wallet(self) -> None:
        """Claims that must be refused, each on a challenge of its own, then the right one."""
        session = self.session
        mine = self._registered(ETHEREUM)
        chain = self._chain(mine.wallet)
        claims = f"{chain}/{_CLAIMS}"
        first = self._challenge(Probe.CHALLENGE, chain, mine)
        body = mine.claim(first, mine.wallet.sign(_text(first))[0])
        for probe, left_out in (
            (Probe.CLAIM_NO_CHALLENGE, "challengeId"),
            (Probe.CLAIM_NO_SIGNATURE, "completedChallenge"),
            (Probe.CLAIM_NO_COUNTERPARTY, "counterpartyId"),
        ):
            session.probe(probe, "POST", claims, _less(body, left_out))
        second = self._challenge(Probe.CHALLENGE_AGAIN, chain, mine)
        if _text(first) != _text(second):
            earlier = mine.claim(second, mine.wallet.sign(_text(first))[0])
            session.probe(Probe.CLAIM_OLD_SIGNATURE, "POST", claims, earlier)
        others = {
            Probe.CLAIM_OTHER_WALLET: new_wallet(mine.wallet.address.network, self.randomness),
            Probe.CLAIM_OTHER_NETWORK: new_wallet(self._network(SOLANA), self.randomness),
        }
        for probe, wallet in others.items():
            challenge = self._challenge(None, chain, mine)
            wrong = mine.claim(challenge, wallet.sign(_text(challenge))[0])
            session.probe(probe, "POST", claims, wrong)
        challenge = self._challenge(None, chain, mine)
        wrong = mine.claim(challenge, mine.wallet.sign(_text(challenge) + " and more")[0])
        session.probe(Probe.CLAIM_OTHER_TEXT, "POST", claims, wrong)
        self._link(chain, mine, self._claim(Probe.CLAIM_ETHEREUM, chain, mine))

    def verify_solana_wallet(self) -> None:
        mine = self._registered(SOLANA)
        self._claim(Probe.CLAIM_SOLANA, self._chain(mine.wallet), mine)

    def _challenge(self, probe: Probe | None, chain: str, mine: "Registered") -> Exchange:
        path = f"{chain}/{_CHALLENGES}"
        body = {"counterpartyId": mine.counterparty}
        if probe is None:
            made = self.session.call("POST", path, body)
        else:
            made = self.session.probe(probe, "POST", path, body, unknown=True)
        require_success(made)
        return made

    def _claim(self, probe: Probe, chain: str, mine: "Registered") -> Exchange:
        """Claim with the right signature, in each encoding until one is accepted."""
        made: Exchange | None = None
        for encoding in range(len(mine.wallet.sign(""))):
            challenge = self._challenge(None, chain, mine)
            signature = mine.wallet.sign(_text(challenge))[encoding]
            body = mine.claim(challenge, signature)
            made = self.session.probe(probe, "POST", f"{chain}/{_CLAIMS}", body)
            if made.is_success or made.reply is None:
                break
        if made is None:
            raise Blocked("no encoding of signatures is known")
        require_success(made)
        return made

    def _link(self, chain: str, mine: "Registered", claim: Exchange) -> None:
        session = self.session
        path = f"{chain}/counterparties"
        address = mine.wallet.address
        body = {
            "address": address.display,
            "network": address.network.name,
            "ownershipClaimId": _id(claim),
        }
        session.probe(Probe.LISTED_BEFORE, "GET", path)
        made_up = f"CLM_{uuid.UUID(bytes=self.randomness.bytes(16)).hex}"
        wrong = {**body, "ownershipClaimId": made_up}
        session.probe(Probe.LINK_WRONG_CLAIM, "POST", path, wrong)
        for probe, left_out in (
            (Probe.LINK_NO_ADDRESS, "address"),
            (Probe.LINK_NO_NETWORK, "network"),
            (Probe.LINK_NO_CLAIM, "ownershipClaimId"),
        ):
            session.probe(probe, "POST", path, _less(body, left_out))
        linked = session.succeed(Probe.LINK, "POST", path, body)
        while True:
            listed = session.succeed(Probe.LISTED_AFTER, "GET", path)
            if not list(verified(listed, linked)) or not session.wait(_POLL_S):
                return


@dataclass(frozen=True, slots=True)
class Registered:
    """A wallet and the id of its counterparty, as the deployment returned it."""

    wallet: Wallet
    counterparty: str

    def claim(self, challenge: Exchange, signature: str) -> dict[str, object]:
        """The body of a claim."""
        return {
            "challengeId": _id(challenge),
            "completedChallenge": signature,
            "counterpartyId": self.counterparty,
        }


def _free_bank_accounts(customer: object) -> Iterator[tuple[str, str]]:
    held = at(customer, "bankAccounts")
    for each in held if isinstance(held, list) else ():
        bank_id, kind = at(each, "id"), at(each, "type")
        if at(each, "tradingAccountId") is None and isinstance(bank_id, str):
            yield bank_id, str(kind)


def _id(made: Exchange) -> str:
    """The id of a record. Raises Blocked if there is none."""
    found = at(record(made), "id")
    if not isinstance(found, str):
        raise Blocked(f"{made.title}: the record has no id")
    return found


def _text(challenge: Exchange) -> str:
    """The text to sign. Raises Blocked if there is none."""
    text = at(record(challenge), "challenge")
    if not isinstance(text, str) or not text:
        raise Blocked("the challenge has no text to sign")
    return text


def _less(body: Mapping[str, object], name: str) -> dict[str, object]:
    return {key: value for key, value in body.items() if key != name}


def _units(amount: Fraction) -> str:
    """An amount of an asset with six decimal places, rounded up."""
    millionths = -(-amount.numerator * 1_000_000 // amount.denominator)
    return f"{millionths // 1_000_000}.{millionths % 1_000_000:06}"
