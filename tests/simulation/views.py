"""What each read must answer, from the model: one function per read operation."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tests.simulation import searches
from tests.simulation.calls import Answered, Asked, Client, Wire
from tests.simulation.figures import (
    ASSETS,
    DAY,
    DECIMALS,
    MARKETS,
    MINUTE,
    SECOND,
    USD,
    Refused,
    dollars,
    instant,
    moment,
    read,
    shown,
)
from tests.simulation.model import DECISION_KINDS, Model, is_right
from tests.simulation.records import (
    ANYTHING,
    LEVELS,
    NEVER,
    PERIODS,
    VERIFIED,
    Account,
    Anything,
    Bucket,
    Custody,
    Decision,
    Event,
    Move,
    Trade,
    Transfer,
    Wallet,
    worth,
)

_MOST_ON_A_PAGE = 100
_EVENTS_KEPT = 400 * DAY


def answer(model: Model, client: Client, asked: Asked) -> Answered:
    try:
        return Answered(VIEWS[asked.operation](model, client, asked))
    except Refused as refusal:
        return Answered(code=refusal.code, details=dict(refusal.details))


def unit_cents(model: Model) -> dict[str, int]:
    """Whole cents of one unit of each coin, as of this minute."""
    at = model.now - model.now % MINUTE
    return {base: model.mid(name, at) // 10_000 for name, (base, _) in MARKETS.items()}


def checked(asked: Asked, sorts: Sequence[str] = ("-created", "created")) -> tuple[int, int]:
    """(page, limit) of a list's query. Raises Refused."""
    page, limit = asked.query.get("page", 1), asked.query.get("limit", 20)
    if not 1 <= page <= 2**53 - 1 or limit < 1:
        raise Refused("VALIDATION_ERROR")
    sort = asked.query.get("sort")
    if sort is not None and sort not in sorts:
        raise Refused("VALIDATION_ERROR")
    return page, min(limit, _MOST_ON_A_PAGE)


def paged(rows: Sequence[Any], page: int, limit: int) -> Wire:
    start = (page - 1) * limit
    return {
        "data": list(rows[start : start + limit]),
        "pagination": {"total": len(rows), "page": page, "limit": limit},
    }


def whole(rows: Sequence[Any]) -> Wire:
    return {
        "data": list(rows),
        "pagination": {"total": len(rows), "page": 1, "limit": max(20, len(rows))},
    }


def newest_first(asked: Asked, rows: Sequence[Any]) -> list[Any]:
    """By creation, then by id; the other way round where it's asked for."""
    ordered = sorted(rows, key=lambda each: (each.created, each.id), reverse=True)
    return ordered[::-1] if asked.query.get("sort") == "created" else ordered


def created_within(asked: Asked, rows: Sequence[Any]) -> list[Any]:
    """The bounds are instants as the wire writes them, which sort as text."""
    low, high = asked.query.get("created_gte"), asked.query.get("created_lt")
    return [
        each
        for each in rows
        if (low is None or str(moment(each.created)) >= low)
        and (high is None or str(moment(each.created)) < high)
    ]


def matching(asked: Asked, rows: Sequence[Any], **of: Callable[[Any], Any]) -> list[Any]:
    """The rows that have the values asked for."""
    kept = list(rows)
    for name, value_of in of.items():
        wanted = asked.query.get(name)
        if wanted is not None:
            kept = [each for each in kept if value_of(each) == wanted]
    return kept


def own(client: Client, rows: Any) -> list[Any]:
    return [each for each in rows if each.organisation == client.organisation]


# -- trading accounts ---------------------------------------------------------------------------


def _trading_accounts(model: Model, client: Client, asked: Asked) -> Wire:
    page, limit = checked(asked, ("-created", "created", "-lastActivity", "lastActivity"))
    rows = matching(
        asked, own(client, model.accounts.values()), bank_account_id=lambda each: each.bank.id
    )
    text = asked.query.get("text")
    if text:
        rows = [each for each in rows if searches.is_account(each, text)]
    if "lastActivity" in asked.query.get("sort", ""):
        rows.sort(key=lambda each: (each.active, each.id))
        rows = rows[::-1] if asked.query["sort"].startswith("-") else rows
    else:
        rows = newest_first(asked, rows)
    values = unit_cents(model)
    return paged([each.wire(values, model.now) for each in rows], page, limit)


def _trading_account(model: Model, client: Client, asked: Asked) -> Wire:
    return model.account(client, asked.ids[0]).wire(unit_cents(model), model.now)


def _token_balances(model: Model, client: Client, asked: Asked) -> Wire:
    account = model.account(client, asked.ids[0])
    values, rows = unit_cents(model), []
    for asset in ASSETS:
        parts = [each[asset] for each in (account.available, account.held, account.incoming)]
        if any(parts) or asked.query.get("include_zero"):
            symbol, network = asset.split("@")
            rows.append(
                {
                    "token": {"symbol": symbol, "network": network},
                    "amount": shown(parts[0], asset),
                    "held": shown(parts[1], asset),
                    "incoming": shown(parts[2], asset),
                    "total": shown(sum(parts), asset),
                    "valueUsd": dollars(worth(asset, sum(parts), values)),
                    "valuedAt": moment(model.now - model.now % MINUTE),
                }
            )
    return whole(rows)


def _limits(model: Model, client: Client, asked: Asked) -> Wire:
    account = model.account(client, asked.ids[0])
    rows = []
    for goes_to, amounts in model.settings.limits.items():
        for (name, period), limit in zip(PERIODS, amounts, strict=True):
            counted = model.counted(account, goes_to, period)
            used = sum(each.cents for each in counted)
            oldest = min((each.created for each in counted), default=None)
            rows.append(
                {
                    "ruleId": f"{goes_to}:{name}",
                    "destinationClass": goes_to,
                    "periodSeconds": period // SECOND,
                    "limit": dollars(limit),
                    "used": dollars(used),
                    "remaining": dollars(max(0, limit - used)),
                    "resetsAt": moment(None if oldest is None else oldest + period),
                }
            )
    return whole([*rows, *_level_limits(model, account)])


def _level_limits(model: Model, account: Account) -> list[Wire]:
    """Listed where a wallet of the account was verified by such evidence."""
    links = [
        link
        for custody in model.custodies.values()
        if custody.account is account
        for link in custody.links.values()
    ]
    if all(LEVELS[each.claim.method] == "high" for each in links):
        return []
    rows = []
    for (name, period), limit in zip(PERIODS, model.settings.medium, strict=True):
        counted = model.counted(account, VERIFIED, period, "medium")
        used = sum(each.cents for each in counted)
        oldest = min((each.created for each in counted), default=None)
        rows.append(
            {
                "ruleId": f"{VERIFIED}:medium:{name}",
                "destinationClass": VERIFIED,
                "evidenceLevel": "medium",
                "periodSeconds": period // SECOND,
                "limit": dollars(limit),
                "used": dollars(used),
                "remaining": dollars(max(0, limit - used)),
                "resetsAt": moment(None if oldest is None else oldest + period),
            }
        )
    return rows


class Movements(Anything):
    """Movements in the order of their instants; those of one instant may come in any order."""

    def __init__(self, moves: list[Move], opening: Bucket) -> None:
        self.moves, self.opening = moves, opening

    def wrong(self, found: Any) -> str:
        running, told = dict(self.opening), []
        for row in found:
            net = {}
            for change in row["changes"]:
                asset = f"{change['token']['symbol']}@{change['token']['network']}"
                net[asset] = _signed(change["amount"], asset)
                running[asset] = running.get(asset, 0) + net[asset]
                if change["balance"] != shown(running[asset], asset):
                    return f"a balance of {change['balance']}, expected {running[asset]}"
            owed = int((row.get("owedChangeUsd") or "0").replace(".", ""))
            told.append((row["at"], row["event"], row["transactionId"], sorted(net.items()), owed))
        meant = [
            (moment(m.at), m.event, m.record, sorted(m.net.items()), m.owed) for m in self.moves
        ]
        if [each[0] for each in told] != [each[0] for each in meant]:
            return f"other instants than {meant}"
        return "" if sorted(told) == sorted(meant) else f"expected {meant}"


def _signed(text: str, asset: str) -> int:
    atoms = read(text.removeprefix("-"), asset)
    return -atoms if text.startswith("-") else atoms


def _statement(model: Model, client: Client, asked: Asked) -> Wire:
    account = model.account(client, asked.ids[0])
    present = max(model.now, account.touched + 1)
    first, last = asked.query.get("from_time"), asked.query.get("to_time")
    end = present if last is None else instant(last) + DAY * _is_day(last)
    start = min(account.created, end) if first is None else instant(first)
    if start > end or (last is not None and _is_day(last) and start == end):
        raise Refused("VALIDATION_ERROR")
    if start > present:
        raise Refused("VALIDATION_ERROR")
    end = max(start, min(end, present))
    opening: Bucket = dict.fromkeys(ASSETS, 0)
    closing: Bucket = dict.fromkeys(ASSETS, 0)
    moves = []
    for move in account.moves:
        for asset, atoms in move.net.items():
            opening[asset] += atoms * (move.at < start)
            closing[asset] += atoms * (move.at < end)
        if start <= move.at < end:
            moves.append(move)
    customer, bank = account.bank.customer, account.bank
    return {
        "tradingAccountId": account.id,
        "bank": model.bank_name,
        "customerId": customer.id,
        "customerName": customer.name,
        "customerReference": customer.reference,
        "bankAccountId": bank.id,
        "bankAccountType": bank.type,
        "from": moment(start),
        "to": moment(end),
        "asOf": moment(present),
        "balances": _statement_balances(opening, closing, moves),
        "movements": Movements(moves, opening),
        "fees": _statement_fees(model, moves),
        "openingOwedUsd": dollars(sum(m.owed for m in account.moves if m.at < start)),
        "closingOwedUsd": dollars(sum(m.owed for m in account.moves if m.at < end)),
    }


def _statement_balances(opening: Bucket, closing: Bucket, moves: list[Move]) -> list[Wire]:
    rows = []
    for asset in ASSETS:
        changes = [each.net[asset] for each in moves if asset in each.net]
        if not (closing[asset] or changes):
            continue
        symbol, network = asset.split("@")
        rows.append(
            {
                "token": {"symbol": symbol, "network": network},
                "opening": shown(opening[asset], asset),
                "credits": shown(sum(each for each in changes if each > 0), asset),
                "debits": shown(-sum(each for each in changes if each < 0), asset),
                "closing": shown(closing[asset], asset),
            }
        )
    return rows


def _statement_fees(model: Model, moves: list[Move]) -> list[Wire]:
    trades = [model.trades[each.record] for each in moves if each.event == "fill"]
    cents = sum(each.quote.sized.fee for each in trades)
    dollar = {"symbol": "USD", "network": "fiat"}
    return [{"token": dollar, "amount": dollars(cents)}] if cents else []


def _is_day(text: str) -> bool:
    return len(text) == len("2026-11-20")


def _customers(model: Model, client: Client, asked: Asked) -> Wire:
    page, limit = checked(asked, ("reference", "-reference"))
    text = asked.query.get("text")
    rows = []
    for customer in own(client, model.customers.values()):
        banks = [each for each in model.bank_accounts.values() if each.customer is customer]
        banks.sort(key=lambda each: each.id)
        if text and not searches.is_customer(customer, banks, text):
            continue
        rows.append(
            {
                "id": customer.id,
                "name": customer.name,
                "reference": customer.reference,
                "kycLevel": customer.kyc,
                "termsAccepted": customer.terms == "2026-01",
                "controls": [customer.control] if customer.control else [],
                "bankAccounts": [each.wire() for each in banks],
            }
        )
    rows.sort(key=lambda each: (each["reference"], each["id"]))
    if asked.query.get("sort") == "-reference":
        rows.reverse()
    return paged(rows, page, limit)


def _find(model: Model, client: Client, asked: Asked) -> Wire:
    return {"data": searches.finds(model, client, asked.query["text"])}


# -- funding and trades -------------------------------------------------------------------------


def _of_account(
    model: Model, client: Client, asked: Asked, keep: Callable[[Any], bool]
) -> tuple[list[Any], int, int]:
    """An account's records newest first, by their order in the account."""
    page, limit = checked(asked)
    account = model.account(client, asked.ids[0])
    rows = [each for each in account.history if keep(each)]
    if asked.query.get("sort") != "created":
        rows.reverse()
    return created_within(asked, rows), page, limit


def _transfers_of(name: str) -> Callable[[Model, Client, Asked], Wire]:
    def listed(model: Model, client: Client, asked: Asked) -> Wire:
        rows, page, limit = _of_account(
            model, client, asked, lambda each: isinstance(each, Transfer) and each.name == name
        )
        rows = matching(asked, rows, status=lambda each: each.status)
        return paged([each.wire() for each in rows], page, limit)

    return listed


def _transfer_of(name: str) -> Callable[[Model, Client, Asked], Wire]:
    def one(model: Model, client: Client, asked: Asked) -> Wire:
        account = model.account(client, asked.ids[0])
        found = model.transfers.get(asked.ids[1])
        if found is None or found.account is not account or found.name != name:
            raise Refused("NOT_FOUND", resource=name)
        return found.wire()

    return one


def _all_transfers(model: Model, client: Client, asked: Asked) -> Wire:
    page, limit = checked(asked)
    kinds = ("deposit-transaction", "withdrawal-transaction")
    if asked.query.get("type") not in (None, *kinds):
        raise Refused("VALIDATION_ERROR")
    rows = [
        each
        for each in model.transfers.values()
        if each.account.organisation == client.organisation
    ]
    rows = matching(
        asked,
        rows,
        trading_account_id=lambda each: each.account.id,
        type=lambda each: each.type,
        status=lambda each: each.status,
    )
    rows = created_within(asked, rows)
    for word in (asked.query.get("text") or "").split():
        rows = [each for each in rows if searches.is_transfer(each, word)]
    return paged([each.wire() for each in newest_first(asked, rows)], page, limit)


def _transactions(model: Model, client: Client, asked: Asked) -> Wire:
    kind = asked.query.get("type")
    checked(asked)
    kinds = ("trade-execution-transaction", "deposit-transaction", "withdrawal-transaction")
    if kind not in (None, *kinds):
        raise Refused("VALIDATION_ERROR")
    rows, page, limit = _of_account(
        model, client, asked, lambda each: kind is None or each.type == kind
    )
    return paged([each.wire() for each in rows], page, limit)


def _transaction(model: Model, client: Client, asked: Asked) -> Wire:
    account = model.account(client, asked.ids[0])
    found = _found_transaction(model, asked.ids[1])
    if found is None or found.account is not account:
        raise Refused("NOT_FOUND", resource="transaction")
    return found.wire()


def _transaction_by_id(model: Model, client: Client, asked: Asked) -> Wire:
    found = _found_transaction(model, asked.ids[0])
    if found is None or found.account.organisation != client.organisation:
        raise Refused("NOT_FOUND", resource="transaction")
    return found.wire()


def _found_transaction(model: Model, name: str) -> Trade | Transfer | None:
    return model.trades.get(name) or model.transfers.get(name)


def _trades(model: Model, client: Client, asked: Asked) -> Wire:
    rows, page, limit = _of_account(model, client, asked, lambda each: isinstance(each, Trade))
    return paged([each.wire() for each in _trade_filters(asked, rows)], page, limit)


def _trade_filters(asked: Asked, rows: list[Any]) -> list[Any]:
    return matching(
        asked,
        rows,
        status=lambda each: each.status,
        side=lambda each: each.quote.price.side,
        market=lambda each: each.quote.price.market,
    )


def _all_trades(model: Model, client: Client, asked: Asked) -> Wire:
    page, limit = checked(asked)
    rows = [
        each for each in model.trades.values() if each.account.organisation == client.organisation
    ]
    rows = created_within(asked, _trade_filters(asked, rows))
    return paged([each.wire() for each in newest_first(asked, rows)], page, limit)


def _trade(model: Model, client: Client, asked: Asked) -> Wire:
    account = model.account(client, asked.ids[0])
    found = model.trades.get(asked.ids[1])
    if found is None or found.account is not account:
        raise Refused("NOT_FOUND", resource="trade")
    return found.wire()


# -- markets and quotes -------------------------------------------------------------------------


def _market_row(model: Model, name: str) -> Wire:
    now = model.now
    closed = model.closure(name, now)
    return {
        "marketName": name,
        "network": MARKETS[name][0].split("@")[1],
        "currentPrice": dollars(model.mid(name, now) // 10_000),
        "yesterdaysPrice": dollars(model.mid(name, now - DAY) // 10_000),
        "at": moment(now - now % SECOND),
        "status": closed[0] if closed else "open",
        "estimatedResolution": moment(closed[1] if closed else None),
    }


def _markets(model: Model, _client: Client, asked: Asked) -> Wire:
    names = asked.query.get("names")
    shown_names = [name for name in MARKETS if names is None or name in names]
    return whole([_market_row(model, name) for name in shown_names])


def _market(model: Model, _client: Client, asked: Asked) -> Wire:
    if asked.ids[0] not in MARKETS:
        raise Refused("UNSUPPORTED_MARKET")
    return _market_row(model, asked.ids[0])


def _prices(model: Model, _client: Client, asked: Asked) -> Wire:
    """The last hour, a sample every thirty seconds, oldest first."""
    name = asked.ids[0]
    if name not in MARKETS:
        raise Refused("UNSUPPORTED_MARKET")
    step = 30 * SECOND
    end = model.now - model.now % step
    return whole(
        [
            {"price": dollars(model.mid(name, at) // 10_000), "at": moment(at)}
            for at in range(end - 60 * MINUTE, end + 1, step)
        ]
    )


def _quotes(model: Model, client: Client, asked: Asked) -> Wire:
    page, limit = checked(asked)
    rows = matching(
        asked,
        own(client, model.quotes.values()),
        side=lambda each: each.price.side,
        market=lambda each: each.price.market,
        trading_account_id=lambda each: each.account and each.account.id,
        status=lambda each: each.status(model.now),
    )
    rows = newest_first(asked, created_within(asked, rows))
    return paged([each.wire(model.now) for each in rows], page, limit)


def _quote(model: Model, client: Client, asked: Asked) -> Wire:
    found = model._own(client, model.quotes.get(asked.ids[0]), "quote")
    wire: Wire = found.wire(model.now)
    return wire


# -- wallets ------------------------------------------------------------------------------------


def _counterparties(model: Model, client: Client, asked: Asked) -> Wire:
    page, limit = checked(asked)
    rows = own(client, model.wallets.values())
    text = asked.query.get("text")
    if text:
        rows = [each for each in rows if searches.is_wallet(each, text)]
    return paged([each.wire() for each in newest_first(asked, rows)], page, limit)


def _counterparty(model: Model, client: Client, asked: Asked) -> Wire:
    return model.wallet(client, asked.ids[0]).wire()


def _linked_counterparties(model: Model, client: Client, asked: Asked) -> Wire:
    page, limit = checked(asked)
    custody = model.custody(client, asked.ids[0])
    links = sorted(
        custody.links.values(), key=lambda each: (each.first, each.wallet.id), reverse=True
    )
    if asked.query.get("sort") == "created":
        links.reverse()
    return paged([each.wire(model.now) for each in links], page, limit)


def _shared_wallets(model: Model, client: Client, asked: Asked) -> Wire:
    page, limit = checked(asked)
    text = asked.query.get("text")
    shared = [
        each
        for each in own(client, model.wallets.values())
        if len(each.customers) > 1
        and (not text or text == each.id or text.casefold() in each.address.casefold())
    ]
    rows = []
    for wallet in newest_first(asked, shared):
        held = [each for each in model.custodies.values() if wallet.id in each.links]
        held.sort(key=lambda each: (each.links[wallet.id].first, each.id))
        rows += [_shared_wallet(wallet, each, model.now) for each in held]
    return paged(rows, page, limit)


def _shared_wallet(wallet: Wallet, custody: Custody, now: int) -> Wire:
    customer, link = custody.account.bank.customer, custody.links[wallet.id]
    return {
        "counterpartyId": wallet.id,
        "network": wallet.network,
        "address": wallet.address,
        "tradingAccountId": custody.account.id,
        "blockchainAccountId": custody.id,
        "customerName": customer.name,
        "customerReference": customer.reference,
        "status": link.state(now),
        "verifiedAt": moment(link.verified),
    }


def _blockchain_accounts(model: Model, client: Client, asked: Asked) -> Wire:
    page, limit = checked(asked)
    rows = [
        each
        for each in model.custodies.values()
        if each.account.organisation == client.organisation
    ]
    rows = matching(asked, rows, trading_account_id=lambda each: each.account.id)
    return paged([each.wire() for each in newest_first(asked, rows)], page, limit)


def _blockchain_account(model: Model, client: Client, asked: Asked) -> Wire:
    return model.custody(client, asked.ids[0]).wire()


def _of_custody(
    model: Model, client: Client, asked: Asked, known: Iterable[Any], wire: Callable[[Any], Wire]
) -> Wire:
    page, limit = checked(asked)
    custody = model.custody(client, asked.ids[0])
    rows = [each for each in known if each.custody is custody]
    return paged([wire(each) for each in newest_first(asked, rows)], page, limit)


def _challenges(model: Model, client: Client, asked: Asked) -> Wire:
    known = model.challenges.values()
    return _of_custody(model, client, asked, known, lambda each: each.wire(model.now))


def _challenge_by_id(model: Model, client: Client, asked: Asked) -> Wire:
    found = model.challenges.get(asked.ids[0])
    model._own(client, found and found.wallet, "ownership challenge")
    return model.challenges[asked.ids[0]].wire(model.now)


def _small_transfers(model: Model, client: Client, asked: Asked) -> Wire:
    known = model.small_transfers.values()
    return _of_custody(model, client, asked, known, lambda each: each.wire(model.now))


def _small_transfer_by_id(model: Model, client: Client, asked: Asked) -> Wire:
    found = model.small_transfers.get(asked.ids[0])
    model._own(client, found and found.wallet, "small transfer")
    return model.small_transfers[asked.ids[0]].wire(model.now)


def _ownership_statements(model: Model, client: Client, asked: Asked) -> Wire:
    known = model.statements.values()
    return _of_custody(model, client, asked, known, lambda each: each.wire())


def _ownership_statement_by_id(model: Model, client: Client, asked: Asked) -> Wire:
    found = model.statements.get(asked.ids[0])
    model._own(client, found and found.wallet, "ownership statement")
    return model.statements[asked.ids[0]].wire()


def _claim_by_id(model: Model, client: Client, asked: Asked) -> Wire:
    found = model.claims.get(asked.ids[0])
    model._own(client, found and found.challenge.wallet, "ownership claim")
    return model.claims[asked.ids[0]].wire(model.now)


def _claim_attestation(model: Model, client: Client, asked: Asked) -> Wire:
    _claim_by_id(model, client, asked)
    return _unsigned(model, client, asked)


def _diagnose_signature(model: Model, client: Client, asked: Asked) -> Wire:
    challenge = model.answerable(client, asked)
    expired = challenge.state(model.now) == "expired"
    accepted = not expired and is_right((asked.body or {})["completedChallenge"], challenge)
    return {
        "accepted": accepted,
        "cause": None if accepted else "EXPIRED_CHALLENGE" if expired else ANYTHING,
        "challengeId": challenge.id,
        "counterpartyId": challenge.wallet.id,
        "network": challenge.wallet.network,
        "expectedAddress": challenge.wallet.address,
        "expiredAt": moment(challenge.expires if expired else None),
    }


# -- the deployment -----------------------------------------------------------------------------


def _capabilities(model: Model, client: Client, _asked: Asked) -> Wire:
    return {
        "name": model.bank_name,
        "actor": client.name,
        "markets": list(MARKETS),
        "currencies": [
            {
                "symbol": asset.split("@")[0],
                "network": asset.split("@")[1],
                "decimals": DECIMALS[asset],
            }
            for asset in ASSETS
            if asset != USD
        ],
    }


def kept_events(model: Model, client: Client) -> list[Event]:
    """The organisation's events that are not too old to be told."""
    return [each for each in own(client, model.events) if each.at >= model.now - _EVENTS_KEPT]


def _events(model: Model, client: Client, asked: Asked) -> Wire:
    """From the beginning or from the newest: cursors are the deployment's own numbers."""
    if asked.query.get("after", 0) < 0:
        return {"data": [], "next": ANYTHING}
    rows = kept_events(model, client)[: asked.query["limit"]]
    return {"data": [each.wire() for each in rows], "next": ANYTHING}


def _audit(model: Model, client: Client, asked: Asked) -> Wire:
    page, limit = checked(asked)
    rows = own(client, model.deeds)
    text, account = asked.query.get("text"), asked.query.get("trading_account_id")
    if text:
        rows = [each for each in rows if each.object == text]
    if account:
        rows = [each for each in rows if each.account == account]
    if asked.query.get("sort") != "created":
        rows.reverse()
    return paged([each.wire() for each in rows], page, limit)


def _decisions(model: Model, client: Client, asked: Asked) -> Wire:
    """The earliest deadline first, unless another order is asked for."""
    page, limit = checked(asked, ("due", "-due", "-created", "created"))
    if asked.query.get("type") not in (None, *DECISION_KINDS):
        raise Refused("VALIDATION_ERROR")
    rows = matching(
        asked,
        own(client, model.decisions.values()),
        type=lambda each: each.kind,
        status=lambda each: each.status,
        trading_account_id=lambda each: each.account and each.account.id,
        text=lambda each: each.subject,
    )
    rows = newest_first(asked, created_within(asked, rows))
    sort = asked.query.get("sort", "due")
    if sort.endswith("due"):
        rows.sort(
            key=lambda each: (each.due or NEVER, each.created, each.id),
            reverse=sort.startswith("-"),
        )
    return paged([each.wire() for each in rows], page, limit)


def _decision(model: Model, client: Client, asked: Asked) -> Wire:
    found: Decision = model._own(client, model.decisions.get(asked.ids[0]), "decision")
    return found.wire()


def _agents(model: Model, client: Client, asked: Asked) -> Wire:
    page, limit = checked(asked)
    rows = newest_first(asked, created_within(asked, own(client, model.agents.values())))
    return paged([each.wire(model.now) for each in rows], page, limit)


def _notes(model: Model, client: Client, asked: Asked) -> Wire:
    page, limit = checked(asked)
    rows = matching(
        asked,
        own(client, model.notes.values()),
        subject=lambda each: each.subject,
        trading_account_id=lambda each: each.account and each.account.id,
    )
    rows = newest_first(asked, created_within(asked, rows))
    return paged([each.wire() for each in rows], page, limit)


def _unsigned(_model: Model, _client: Client, _asked: Asked) -> Wire:
    """The simulated bank has no signing key; ``tests/witnessing`` proves what a key signs."""
    raise Refused("NOT_FOUND", resource="checkpoint")


def _disputes(model: Model, client: Client, _asked: Asked) -> Wire:
    rows = [each for each in model.disputes.values() if each.concerns(client.organisation)]
    rows.sort(key=lambda each: (-each.found, each.id))
    return whole([each.wire() for each in rows])


VIEWS: dict[str, Callable[[Model, Client, Asked], Wire]] = {
    "trading_accounts": _trading_accounts,
    "trading_account": _trading_account,
    "token_balances": _token_balances,
    "limits": _limits,
    "customers": _customers,
    "find": _find,
    "deposits": _transfers_of("deposit"),
    "deposit_record": _transfer_of("deposit"),
    "withdrawals": _transfers_of("withdrawal"),
    "withdrawal_record": _transfer_of("withdrawal"),
    "all_transfers": _all_transfers,
    "transactions": _transactions,
    "transaction": _transaction,
    "transaction_by_id": _transaction_by_id,
    "markets": _markets,
    "market": _market,
    "prices": _prices,
    "quotes": _quotes,
    "quote": _quote,
    "trades": _trades,
    "all_trades": _all_trades,
    "trade": _trade,
    "counterparties": _counterparties,
    "counterparty": _counterparty,
    "shared_wallets": _shared_wallets,
    "linked_counterparties": _linked_counterparties,
    "blockchain_accounts": _blockchain_accounts,
    "blockchain_account": _blockchain_account,
    "challenges": _challenges,
    "challenge_by_id": _challenge_by_id,
    "claim_by_id": _claim_by_id,
    "small_transfers": _small_transfers,
    "small_transfer_by_id": _small_transfer_by_id,
    "ownership_statements": _ownership_statements,
    "ownership_statement_by_id": _ownership_statement_by_id,
    "statement": _statement,
    "diagnose_signature": _diagnose_signature,
    "capabilities": _capabilities,
    "events": _events,
    "audit": _audit,
    "audit_checkpoint": _unsigned,
    "audit_consistency": _unsigned,
    "audit_proof": _unsigned,
    "claim_attestation": _claim_attestation,
    "disputes": _disputes,
    "decisions": _decisions,
    "decision": _decision,
    "agents": _agents,
    "notes": _notes,
}
