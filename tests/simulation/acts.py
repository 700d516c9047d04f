"""Steps that are no calls: time, due work, restarts, and acts of the core bank and the operator.

Acts on rows go through a unit of work, as the product's own acts do, so that they're in the trail.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tests.simulation import work
from tests.simulation.calls import Asked, Client
from tests.simulation.figures import (
    ASSETS,
    CASH,
    DAY,
    HOUR,
    MARKETS,
    MINUTE,
    SECOND,
    Fees,
    atoms_of,
    moment,
    plain,
)
from tests.simulation.model import REFUSALS, Model
from tests.simulation.networks import key_of, keys_of, place_of
from tests.simulation.records import (
    TERMS,
    VERIFIED,
    ApiKey,
    BankAccount,
    Challenge,
    Custody,
    Customer,
    Decision,
    Deed,
    Dispute,
    Quote,
    ReviewLine,
    Sent,
    Settings,
    SmallTransfer,
    Transfer,
    Two,
    Wallet,
)
from tests.simulation.signing import signed, signed_by_another
from tests.simulation.turns import Killed
from tests.world.customers import CustomerSeed

from chainteller.domain.actors import DESK, OF_PEOPLE, SCOPES, Actor
from chainteller.domain.assets import ASSETS_BY_KEY
from chainteller.domain.preconditions import Control
from chainteller.engine.core.breaches import Breach
from chainteller.engine.core.outcome import AuditEntry, Outcome, Update, apply
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.engine.operations import accounts, deposits, payouts
from chainteller.engine.operations.disputes import clear_any, open_for
from chainteller.storage.db import records
from chainteller.storage.queries import disputes

if TYPE_CHECKING:
    from tests.simulation.generators import Draw
    from tests.simulation.run import Simulation

_WITHOUT_ADMIN = tuple(scope for scope in SCOPES if scope != "admin")
_REFUSE, _APPROVE, _ESCALATE = "refuse", "approve", "escalate"
REVIEWS = (
    (),
    (
        ReviewLine("unverified_wallet", 5_000, 3_600, _REFUSE),
        ReviewLine("unverified_wallet", 1_000, 1_800, _APPROVE),
    ),
    (
        ReviewLine("shared_wallet", 0, 60, _APPROVE),
        ReviewLine("evidence_medium", 2_000, 600, _ESCALATE, "supervisor"),
        ReviewLine("first_use", 10_000, 86_400, _APPROVE),
        ReviewLine("unverified_wallet", 0, 7_200, _REFUSE),
    ),
    (
        ReviewLine("first_use", 0, 30, _ESCALATE, "supervisor"),
        ReviewLine("unverified_wallet", 500, 5, _APPROVE),
    ),
)
"""Policies: which withdrawals wait for a person, and what is done if nobody decides."""
TWOS = (
    Two(),
    Two(3_000, 600),
    Two(15_000, 30, ("control.lift",)),
    Two(None, 3_600, ("control.lift", "market.open", "statement.accept")),
)
"""What needs two persons."""
_CONTROLS = ("FROZEN", "SELL_ONLY", "DORMANT", "CLOSED")


def _operator(organisation: str) -> Client:
    return Client(organisation, work.OPERATOR)


# -- the beginning ------------------------------------------------------------------------------


def admit(sim: "Simulation", seeds: list[CustomerSeed]) -> None:
    """The customers of both organisations, and an API key for each organisation's desk."""
    sim.bank.admit(seeds, sim.model.clock)
    for seed in seeds:
        name = f"CUS_{seed.bank_account_id}"
        customer = Customer(
            name,
            seed.organisation,
            seed.name,
            seed.reference,
            seed.kyc_level,
            seed.terms_version,
        )
        sim.model.customers[name] = customer
        bank = BankAccount(seed.bank_account_id, customer, seed.type, seed.balance_cents)
        sim.model.bank_accounts[seed.organisation, seed.bank_account_id] = bank
    for organisation in dict.fromkeys(seed.organisation for seed in seeds):
        sim.model.note(Deed(sim.model.now, organisation, "test", "test", "", {}))
        sim.model.fees[organisation] = Fees()
        new_key(sim, "desk", organisation, SCOPES, None)
        new_key(sim, "clerk", organisation, _WITHOUT_ADMIN, None)


# -- time ---------------------------------------------------------------------------------------


def _wait(sim: "Simulation", draw: "Draw") -> None:
    """Forward: often to the last instant of something, or the one beside it."""
    model = sim.model
    ends = [each.expires for each in model.quotes.values() if each.status(model.now) == "open"]
    ends += [each.expires for each in model.challenges.values() if each.state(model.now) == "open"]
    ends += [at for at, _, _ in model.jobs]
    ahead = [each for each in ends if each >= model.now]
    if ahead and draw.chance(4):
        target = draw.near(draw.pick(sorted(ahead)[:8]))
        _move(sim, max(0, target - model.clock))
        return
    seconds = draw.pick((0, 1, 4, 5, 10, 20, 31, 61))
    if draw.chance(6):
        seconds = draw.pick((299, 3_600, 86_400))
    if draw.chance(40):
        seconds = draw.pick((30 * 86_400, 181 * 86_400, 366 * 86_400, 3_652 * 86_400))
    _move(sim, max(0, draw.near(seconds * SECOND)))


def _edge(sim: "Simulation", draw: "Draw") -> None:
    """The last instant of a quote, a text to sign or a claim, or the one beside it, and its use."""
    model = sim.model
    ends: list[tuple[int, Any]] = [
        (each.expires, each)
        for rows in (model.quotes, model.challenges, model.claims)
        for each in rows.values()
        if each.expires >= model.now
    ]
    unused = [(at, each) for at, each in ends if _is_open(each, model.now)]
    if not unused:
        return
    at, record = draw.pick(unused[-8:])
    if model.now > at + 1:
        return
    _move(sim, max(0, draw.near(at) - model.clock))
    organisation, asked = edge_use(model, draw, record)
    client = sim.client(draw, organisation)
    if client is not None:
        sim.call(client, asked, "", draw)


def _is_open(record: Any, now: int) -> bool:
    state = record.status(now) if isinstance(record, Quote) else record.state(now)
    return state in ("open", "valid")


def edge_use(model: Model, draw: "Draw", record: Any) -> tuple[str, Asked]:
    """(organisation, the call that a record is for)."""
    if isinstance(record, Quote):
        own = [each for each in model.accounts.values() if each.organisation == record.organisation]
        account = record.account or (draw.pick(own) if own else None)
        body = {"tradingAccountId": account.id if account else "TDA_0"}
        return record.organisation, Asked("execute_quote", (record.id,), body)
    if isinstance(record, Challenge):
        body = {
            "challengeId": record.id,
            "completedChallenge": signed(record.wallet.address, record.text),
            "counterpartyId": record.wallet.id,
        }
        return record.wallet.organisation, Asked("submit_claim", (record.custody.id,), body)
    wallet, custody = record.challenge.wallet, record.challenge.custody
    body = {
        "address": wallet.address,
        "network": wallet.network,
        "ownershipClaimId": record.id,
    }
    return wallet.organisation, Asked("link_counterparty", (custody.id,), body)


def _lock(sim: "Simulation", draw: "Draw") -> None:
    """A text is answered with wrong signatures until nobody may answer it any more."""
    model = sim.model
    fresh = [each for each in model.challenges.values() if each.state(model.now) == "open"]
    if not fresh:
        return
    challenge = draw.recent(fresh)
    for number in range(11):
        asked = edge_use(model, draw, challenge)[1]
        wrong = signed_by_another(challenge.wallet.address, challenge.text, number)
        body = {**(asked.body or {}), "completedChallenge": wrong}
        client = sim.client(draw, challenge.wallet.organisation)
        if client is not None:
            sim.call(client, replace(asked, body=body), "", draw)


def _back(sim: "Simulation", draw: "Draw") -> None:
    """The clock jumps backwards; what was written keeps time from following it."""
    _move(sim, -draw.pick((1, SECOND, 5 * SECOND, MINUTE, HOUR, DAY, 3_652 * DAY)))


def _move(sim: "Simulation", microseconds: int) -> None:
    sim.said.append(f"the clock moves by {microseconds / SECOND} s")
    sim.bank.clock.advance(microseconds)
    sim.model.clock += microseconds


def _work(sim: "Simulation", draw: "Draw") -> None:
    """Due work, all of it or a few pieces; sometimes it dies at a commit and begins again."""
    most = 1 + draw.below(3) if draw.chance(3) else 1_000
    sim.said.append(f"due work, at most {most}")
    turns = sim.bank.turns
    turns.dies = draw.pick(("before", "after")) if draw.chance(12) else ""
    first = work.first_due(sim.model)
    if first is not None and first[2] == work.WATCH:
        turns.dies = ""  # its first commit only finds out that a chain must be asked
    try:
        done = sim.bank.run_due(most)
    except Killed:
        sim.restart()
        if turns.died == "after":
            work.run_due(sim.model, 1)
            _learn_claims(sim)
        return
    finally:
        turns.dies = ""
    expected = work.run_due(sim.model, most)
    _learn_claims(sim)
    if done != expected and sim.compares:
        from tests.simulation.run import Difference  # noqa: PLC0415 - it imports this module

        raise Difference("due work", f"{done} pieces, expected {expected}")
    if done < most:
        sim.require_waiting(done_until=sim.model.now)


def _learn_claims(sim: "Simulation") -> None:
    """Ask for the ids of the claims that transfers have proven."""
    from tests.simulation.run import Difference  # noqa: PLC0415 - it imports this module

    for small in sim.model.unnamed:
        auditor = Client(small.wallet.organisation, "auditor")
        answered = Asked("small_transfer_by_id", (small.id,)).send(sim.bank.service(auditor))
        claim_id = (answered.value or {}).get("claimId")
        if claim_id is not None:
            work.named(sim.model, small, claim_id)
        elif sim.compares:
            raise Difference("a small transfer", f"{small.id} verified nothing: {answered}")
    sim.model.unnamed.clear()


def _arrive(sim: "Simulation", draw: "Draw") -> None:
    """Something arrives on a chain: mostly what a small transfer waits for, or almost that."""
    model = sim.model
    every = [*model.small_transfers.values()]
    waiting = [each for each in every if each.state(model.now) == "waiting"]
    if not every:
        return
    small = draw.recent(waiting if waiting and not draw.chance(6) else every)
    for _ in range(25 if draw.chance(30) else 1 + draw.chance(4)):
        _send(sim, draw, small)
    if draw.chance(2):
        _move(sim, draw.pick((SECOND, 10 * SECOND, MINUTE)))
        _work(sim, draw)


def _send(sim: "Simulation", draw: "Draw", small: SmallTransfer) -> None:
    model, wallet = sim.model, small.wallet
    place = place_of(wallet.network)
    assert place is not None
    right = _right(draw, small, min(model.now, small.deadline))
    other = draw.pick(keys_of(place.family)).registered.canonical
    kin = [key for key in ASSETS_BY_KEY if key.endswith(f"@{wallet.network}")]
    elsewhere = [each.address for each in model.custodies.values()]
    wrong: tuple[dict[str, Any], ...] = (
        {"atoms": small.atoms + draw.pick((-1, 1, 100, -(small.atoms // 2)))},
        {"sender": other},
        {"asset": draw.pick(kin)},
        {"at": small.deadline + draw.pick((0, 1, SECOND, HOUR))},
        {"at": small.created + draw.pick((-1, 0, 1, -2 * HOUR, -2 * HOUR - 1, -DAY))},
        {"at": model.now + draw.pick((1, MINUTE, HOUR))},
        {"recipient": draw.pick(elsewhere)},
        {"signers": (other,)},
        draw.pick(
            (
                {"paid": (right.sender, other)},
                {"paid": ("x", "y", right.sender)},
                {"sent": draw.pick((100, 101, 10**6))},
                {"service": "An exchange"},
            )
        ),
    )
    sent = right
    while (sent is right and draw.chance(2)) or draw.chance(5):
        sent = sent._replace(**draw.pick(wrong))
    sim.said.append(f"a chain: {sent}")
    model.sent.append(sent)


def _prove(sim: "Simulation", draw: "Draw") -> None:
    """A wallet is verified by a transfer, paid up to its limits, and paid when that is too old."""
    proven = _proven(sim, draw)
    if proven is None:
        return
    client, custody, wallet, asset = proven
    link = custody.links.get(wallet.id)
    if link is not None and draw.chance(2):
        _move(sim, max(0, draw.near(link.expires) - sim.model.clock))
    for _ in range(3):
        sim.call(client, payment(sim.model, draw, custody, wallet, asset), "", draw)


def _outlive(sim: "Simulation", draw: "Draw") -> None:
    """A wallet is paid after the end of the transfer that verified it, by an instant or by days."""
    model = sim.model
    linked = [
        (custody, link)
        for custody in model.custodies.values()
        for link in custody.links.values()
        if link.claim.method == "transfer" and link.revoked is None
    ]
    if not linked:
        proven = _proven(sim, draw)
        link = None if proven is None else proven[1].links.get(proven[2].id)
        if proven is None or link is None:
            return
        linked.append((proven[1], link))
    custody, link = draw.recent(linked)
    _move(sim, max(0, link.expires + draw.pick((1, 1, SECOND, DAY, 200 * DAY)) - model.clock))
    client = sim.client(draw, link.wallet.organisation)
    if client is None:
        return
    of_network = [asset for asset in ASSETS if asset.endswith(f"@{custody.network}")]
    held = [asset for asset in of_network if custody.account.available[asset] > 0]
    for _ in range(2):
        asked = payment(model, draw, custody, link.wallet, draw.pick(held or of_network))
        sim.call(client, asked, "", draw)


def _proven(sim: "Simulation", draw: "Draw") -> "tuple[Client, Custody, Wallet, str] | None":
    """A wallet that was just verified by a transfer, or should have been: who asked for it, by
    a key that outlives it, for which blockchain account, and an asset to pay."""
    model = sim.model
    pairs = [
        (custody, wallet, asset)
        for custody in model.custodies.values()
        for wallet in model.wallets.values()
        for asset in ASSETS
        if asset.endswith(f"@{custody.network}")
        and custody.network == wallet.network
        and custody.account.organisation == wallet.organisation
        and custody.account.available[asset] > 0
    ]
    if not pairs:
        return None
    custody, wallet, asset = draw.pick(pairs)
    client = sim.desk(wallet.organisation)
    sim.call(client, small_transfer_to(custody, wallet), "", draw)
    of_pair = [
        each
        for each in model.small_transfers.values()
        if (each.custody, each.wallet) == (custody, wallet)
    ]
    if not of_pair:
        return None
    small = of_pair[-1]
    if small.state(model.now) == "waiting":
        model.sent.append(_right(draw, small, model.now))
        _move(sim, draw.pick((10, 10, 60, 3_600, 86_400)) * SECOND)
        _work(sim, draw)
    if small.claim is not None and small.claim.id:
        sim.call(client, edge_use(model, draw, small.claim)[1], "", draw)
    return client, custody, wallet, asset


def small_transfer_to(custody: Custody, wallet: Wallet) -> Asked:
    return Asked("create_small_transfer", (custody.id,), {"counterpartyId": wallet.id})


def payment(model: Model, draw: "Draw", custody: Custody, wallet: Wallet, asset: str) -> Asked:
    """A withdrawal to a wallet, often of what its evidence allows or the cent beside it."""
    account = custody.account
    have, (symbol, network) = account.available[asset], asset.split("@")
    atoms = max(1, have // draw.pick((2, 20, 300)))
    if asset in CASH and draw.chance(2):
        periods = (0, DAY, 30 * DAY)
        rooms = [
            limit - sum(each.cents for each in model.counted(account, VERIFIED, period, "medium"))
            for limit, period in zip(model.settings.medium, periods, strict=True)
        ]
        atoms = max(1, draw.near(atoms_of(max(1, min(rooms)), asset)))
    kind = "stablecoin-currency" if asset in CASH else "crypto-currency"
    body = {
        "amount": plain(atoms, asset),
        "currency": {"type": kind, "symbol": symbol, "network": network},
        "destination": {
            "type": "counterparty",
            "counterpartyId": wallet.id,
            "blockchainAccountId": custody.id,
        },
    }
    return Asked("withdraw", (account.id,), body)


def _review(sim: "Simulation", draw: "Draw") -> None:
    """A withdrawal waits for a person: it's decided, cancelled, left until its deadline, or its
    account is frozen, sometimes after others have taken it and asked for more."""
    model = sim.model
    waiting = _waiting(model)
    if not waiting:
        _pay_somebody(sim, draw)
        waiting = _waiting(model)
    if not waiting:
        return
    decision = draw.recent(waiting)
    account, answer = decision.account, {"answer": "The customer called back."}
    assert account is not None
    last = (
        Asked("approve_decision", (decision.id,), answer),
        Asked("refuse_decision", (decision.id,), answer | {"reason": draw.pick(REFUSALS)}),
        Asked("cancel_withdrawal", (account.id, decision.subject)),
        None,
    )
    if decision.needs_two and draw.chance(2):
        for person in _people(model, decision.organisation):
            sim.call(person, Asked("approve_decision", (decision.id,), answer), "", draw)
        return
    freeze = {"kind": "control", "subject": account.id, "control": "FROZEN", "reason": "FRAUD"}
    asked = [
        Asked("take_decision", (decision.id,)),
        Asked("note_decision", (decision.id,), {"note": "A photo of the device"}),
        Asked("open_decision", (), freeze | {"until": str(moment(model.now + HOUR))}),
    ]
    for call in [each for each in asked if draw.chance(3)] + [draw.pick(last)]:
        if call is None:
            due = decision.due or model.now
            _move(sim, max(0, draw.near(due) - model.clock))
            _work(sim, draw)
            continue
        client = sim.client(draw, decision.organisation)
        if client is not None:
            sim.call(client, call, "", draw)


def _people(model: Model, organisation: str) -> list[Client]:
    """Two persons, by keys that never end."""
    keys = [each for each in model.api_keys.values() if each.organisation == organisation]
    return [each.client for each in keys[:2]]


def _waiting(model: Model) -> list[Decision]:
    """Withdrawals that wait for a person."""
    rows = model.decisions.values()
    return [each for each in rows if (each.kind, each.status) == ("withdrawal", "open")]


def _pay_somebody(sim: "Simulation", draw: "Draw") -> None:
    """A withdrawal to a wallet that may be paid, if the policy gives any to a person."""
    model = sim.model
    pairs = [
        (custody, wallet, asset)
        for custody in model.custodies.values()
        for wallet in model.wallets.values()
        for asset in ASSETS
        if asset.endswith(f"@{wallet.network}")
        and custody.account.organisation == wallet.organisation
        and custody.account.available[asset] > 0
    ]
    if not pairs or not model.settings.review:
        return
    custody, wallet, asset = draw.pick(pairs)
    if wallet.id not in custody.links:
        _move(sim, max(0, wallet.created + DAY - model.clock))
    client = sim.client(draw, wallet.organisation)
    if client is not None:
        sim.call(client, payment(model, draw, custody, wallet, asset), "", draw)


def _right(draw: "Draw", small: SmallTransfer, at: int) -> Sent:
    """What a small transfer waits for."""
    wallet = key_of(small.wallet.address).registered.canonical
    name = f"0x{draw.below(2**60):064x}"
    return Sent(name, wallet, wallet, small.asset, small.atoms, at, (wallet,), (wallet,))


def _forget(sim: "Simulation", _draw: "Draw") -> None:
    sim.bank.forget_keys()
    work.forget_keys(sim.model)


# -- restarts and settings ----------------------------------------------------------------------


def _restart(sim: "Simulation", _draw: "Draw") -> None:
    sim.restart()


def _settings(sim: "Simulation", draw: "Draw") -> None:
    sim.restart(drawn_settings(draw, sim.bank.settings))
    sim.said.append(f"settings: {sim.bank.settings}")


def drawn_settings(draw: "Draw", settings: Settings) -> Settings:
    """Some of the settings changed."""
    choices: dict[str, tuple[Any, ...]] = {
        "window": (5 * SECOND, 60 * SECOND, 300 * SECOND, 300 * SECOND + 500_000, 3_600 * SECOND),
        "deposit_delay": (0, 0, 3 * SECOND, HOUR),
        "fill_delay": (0, 10 * SECOND, 500_000),
        "settle_delay": (0, 20 * SECOND, DAY),
        "withdrawal_delay": (0, 5 * SECOND, HOUR),
        "review_delay": (0, 2 * HOUR, 3 * DAY),
        "challenge_life": (60 * SECOND, HOUR, DAY),
        "maintenance": ((), (), (draw.pick(tuple(MARKETS)),)),
        "test_networks": (True, False),
        "rate_limits": (True, False),
        "open_quotes": (1, 3, 10),
        "premium": (0, 5, 250),
        "arrivals": ("watched", "watched", "watched", "down", "unwatched"),
        "review": REVIEWS,
        "two": TWOS,
        "medium": (settings.medium, (2_000, 4_000, 9_000), (60_000, 100_000, 250_000)),
        "limits": (settings.limits, scaled(settings, draw.pick((1, 2, 3)), draw.pick((1, 2)))),
    }
    names = [name for name in choices if draw.chance(3)]
    return replace(settings, **{name: draw.pick(choices[name]) for name in names})


def scaled(settings: Settings, times: int, parts: int) -> dict[str, tuple[int, int, int]]:
    """Limits raised or lowered together, within a range in which they still matter."""

    def one(amounts: tuple[int, int, int]) -> tuple[int, int, int]:
        low, middle, high = (min(10**9, max(100, amount * times // parts)) for amount in amounts)
        return low, middle, high

    return {name: one(amounts) for name, amounts in settings.limits.items()}


def _fees(sim: "Simulation", draw: "Draw") -> None:
    organisation = draw.pick(tuple(sim.model.fees))
    fees = Fees(draw.pick((0, 0, 25)), draw.pick((0, 10, 50, 200)), draw.pick((0, 1, 100)))
    values = {"fee_flat_cents": fees.flat, "fee_bps": fees.bps, "fee_minimum_cents": fees.least}
    change = Update(records.Tables.organisation, {"id": organisation}, values)
    entry = AuditEntry("set_fees", organisation)
    sim.bank.change(_operator(organisation), Outcome(organisation, (change,), audit=(entry,)))
    sim.model.fees[organisation] = fees
    sim.model.note(Deed(sim.model.now, organisation, work.OPERATOR, "set_fees", organisation, {}))
    sim.model.written()


# -- the core bank and the operator -------------------------------------------------------------


def _core_bank(sim: "Simulation", draw: "Draw") -> None:
    """Deposits and withdrawals that end badly."""
    name, why = draw.pick(tuple(_ENDINGS)), f"no {draw.below(10)}"
    rows = [
        each
        for each in sim.model.transfers.values()
        if each.name == ("deposit" if "deposit" in name else "withdrawal")
    ]
    fitting = [each for each in rows if each.status in _FITTING[name]]
    chosen = fitting if fitting and not draw.chance(6) else rows
    if not chosen:
        return
    transfer = draw.recent(chosen)
    real, modelled = _ENDINGS[name]
    sim.said.append(f"core bank: {name} {transfer.id}")
    client = _operator(transfer.account.organisation)
    sim.bank.operate(client, lambda tx: real(tx, transfer.id, why))
    modelled(sim, transfer, why)
    sim.learn_decisions()


_Real = Callable[[UnitOfWork, str, str], None]
_Modelled = Callable[["Simulation", Transfer, str], None]
_ENDINGS: dict[str, tuple[_Real, _Modelled]] = {
    "refuse deposit": (
        lambda tx, name, why: deposits.fail(tx, name, "CORE_REFUSED", why),
        lambda sim, row, _why: work.refuse_deposit(sim.model, row, "CORE_REFUSED"),
    ),
    "claw back deposit": (
        deposits.claw_back,
        lambda sim, row, why: work.claw_back(sim.model, row, why),
    ),
    "fail withdrawal": (
        lambda tx, name, why: payouts.fail(tx, name, "BANK_REFUSED", why),
        lambda sim, row, _why: work.fail_withdrawal(sim.model, row, "BANK_REFUSED"),
    ),
    "bounce withdrawal": (
        payouts.bounce,
        lambda sim, row, _why: work.bounce(sim.model, row),
    ),
}
_FITTING = {
    "refuse deposit": ("processing",),
    "claw back deposit": ("completed",),
    "fail withdrawal": ("processing", "sent"),
    "bounce withdrawal": ("completed",),
}


def _closed_account(sim: "Simulation", draw: "Draw") -> None:
    """An account is closed for good, unless a person decides on it."""
    model = sim.model
    free = [each for each in model.accounts.values() if not each.control]
    if not free:
        return
    account = draw.pick(free)

    def change(tx: UnitOfWork) -> None:
        row = accounts.locked(tx, account.id)
        update, told = accounts.restrict(row, Control.CLOSED, "CUSTOMER_REQUEST")
        entry = AuditEntry("set_control", row.id)
        apply(tx, Outcome(row.id, (update,), events=(told,), audit=(entry,)))

    sim.bank.operate(_operator(account.organisation), change)
    work.close_account(model, account, "CUSTOMER_REQUEST")


def _customer(sim: "Simulation", draw: "Draw") -> None:
    """The core bank knows something else of a customer: terms, identity level or a control."""
    customer = draw.pick([*sim.model.customers.values()])
    kind = draw.pick(("terms", "kyc", "control"))
    if kind == "terms":
        change = {"terms": draw.pick((TERMS, TERMS, "2025-01", None))}
    elif kind == "kyc":
        change = {"kyc": draw.pick(("enhanced", "enhanced", "basic"))}
    else:
        control = draw.pick((None, None, *_CONTROLS))
        change = {"control": control, "reason": control and "CORE_ORDER"}
    columns = {"terms": "terms_version", "kyc": "kyc_level", "reason": "control_reason"}
    values = {columns.get(name, name): value for name, value in change.items()}
    update = Update(records.Tables.customer, {"id": customer.id}, values)
    entry = AuditEntry("set_customer", customer.id)
    outcome = Outcome(customer.id, (update,), audit=(entry,))
    sim.bank.change(_operator(customer.organisation), outcome)
    work.change_customer(sim.model, customer, change)


# -- API keys -----------------------------------------------------------------------------------


def new_key(
    sim: "Simulation",
    name: str,
    organisation: str,
    scopes: tuple[str, ...],
    expires_s: int | None,
) -> None:
    made = sim.bank.api_keys.create(
        name, scopes, organisation, None if expires_s is None else f"{expires_s}s"
    )
    expires = None if expires_s is None else sim.model.now + expires_s * SECOND
    key = ApiKey(made.text, made.key_id, name, organisation, scopes, sim.model.now, expires)
    _made(sim, key)
    sim.model.written()


def _made(sim: "Simulation", key: ApiKey) -> None:
    model, org = sim.model, key.organisation
    model.api_keys[key.id] = key
    inputs = {"name": key.name, "scopes": " ".join(key.scopes)}
    model.tell(org, "api_key.created", key.id, "local", {"name": key.name})
    model.note(Deed(model.now, org, "local", "create_api_key", key.id, inputs))


def _keys(sim: "Simulation", draw: "Draw") -> None:
    """A key more, one revoked, or one replaced."""
    model = sim.model
    spare = [each for each in model.api_keys.values() if each.name not in ("desk", "clerk")]
    act = draw.below(4)
    if not spare or act < 2:
        scopes = tuple(scope for scope in SCOPES if not draw.chance(4)) or SCOPES
        if DESK not in scopes:  # only keys for desks do what people do
            scopes = tuple(each for each in scopes if each not in OF_PEOPLE) or SCOPES
        seconds = draw.pick((None, 3, 60, 86_400))
        new_key(sim, f"spare-{draw.below(100)}", draw.pick(tuple(model.fees)), scopes, seconds)
        return
    key = draw.recent(spare)
    if act == 2:
        sim.bank.api_keys.revoke(key.id)
        if key.revoked is not None and key.revoked <= model.now:
            return
        key.revoked = model.now
        model.tell(key.organisation, "api_key.revoked", key.id, "local", {})
        model.note(Deed(model.now, key.organisation, "local", "revoke_api_key", key.id, {}))
        model.written()
        return
    if key.replaced or key.refusal(model.now):
        return
    overlap = draw.pick((0, 5, 3_600))
    text = f"{overlap}s" if overlap else "0"
    made = sim.bank.api_keys.rotate(key.id, text)
    life = None if key.expires is None else key.expires - key.created
    expires = None if life is None else model.now + life
    newer = ApiKey(
        made.text, made.key_id, key.name, key.organisation, key.scopes, model.now, expires
    )
    _made(sim, newer)
    key.revoked, key.replaced = model.now + overlap * SECOND, True
    org, told = key.organisation, {"replacedBy": newer.id}
    model.tell(org, "api_key.rotated", key.id, "local", told)
    model.note(Deed(model.now, org, "local", "rotate_api_key", key.id, told | {"overlap": text}))
    model.written()


# -- the books ----------------------------------------------------------------------------------


def _dispute(sim: "Simulation", draw: "Draw") -> None:
    """Verification finds a breach, a withdrawal is refused, and the dispute is cleared.

    It is cleared before time goes on: ``tests/engine/test_disputes.py`` has payouts that wait.
    """
    model, organisation = sim.model, draw.pick(tuple(sim.model.fees))
    of = draw.pick((organisation, "*"))
    what, where = "a balance differs", f"account {len(model.disputes)}"
    invariant = draw.pick((3, 20))
    open_for(sim.bank.context, [Breach(invariant, what, where, of)])
    name = next(each.id for each in sim.bank.on(disputes.listed) if each.where == where)
    model.disputed(Dispute(name, of, invariant, what, where, model.now), "worker")
    client = Client(organisation, "admin")
    sim.call(client, Asked("disputes"), "", draw)
    mine = [each.id for each in model.accounts.values() if each.organisation == organisation]
    body = {"amount": "1.00", "currency": {"type": "deposit-token-currency", "id": "DPT_USD"}}
    sim.call(client, Asked("withdraw", (draw.pick(mine or ["no-id"]),), body), "", draw)
    for why in ("", "The rows were put back."):
        sim.call(client, Asked("clear_dispute", (name,), {"reason": why}), "", draw)
    if of == "*":
        clear_any(sim.bank.context, Actor(name="root"), name, "put back")
        model.cleared(name, "root", "put back")
    sim.call(client, Asked("disputes"), "", draw)


# -- all ----------------------------------------------------------------------------------------


def _strangers(sim: "Simulation", draw: "Draw") -> None:
    """Whoever belongs to another organisation asks for one record of each kind, by its id."""
    model = sim.model
    asked: list[tuple[str, Asked]] = []
    of_organisation: tuple[tuple[str, Any, Callable[[Any], str]], ...] = (
        ("trading_account", model.accounts, lambda each: each.organisation),
        ("token_balances", model.accounts, lambda each: each.organisation),
        ("transactions", model.accounts, lambda each: each.organisation),
        ("quote", model.quotes, lambda each: each.organisation),
        ("transaction_by_id", model.trades, lambda each: each.account.organisation),
        ("transaction_by_id", model.transfers, lambda each: each.account.organisation),
        ("counterparty", model.wallets, lambda each: each.organisation),
        ("blockchain_account", model.custodies, lambda each: each.account.organisation),
        ("challenges", model.custodies, lambda each: each.account.organisation),
        ("challenge_by_id", model.challenges, lambda each: each.wallet.organisation),
        ("small_transfer_by_id", model.small_transfers, lambda each: each.wallet.organisation),
        ("ownership_statement_by_id", model.statements, lambda each: each.wallet.organisation),
        ("statement", model.accounts, lambda each: each.organisation),
        ("claim_by_id", model.claims, lambda each: each.challenge.wallet.organisation),
        ("decision", model.decisions, lambda each: each.organisation),
    )
    for name, rows, organisation_of in of_organisation:
        if rows:
            record = draw.pick([*rows.values()])
            owner = organisation_of(record)
            stranger = next(each for each in model.fees if each != owner)
            asked.append((stranger, Asked(name, (record.id,))))
    for organisation, call in asked:
        client = sim.client(draw, organisation)
        if client is not None:
            sim.call(client, call, "", draw)


def _burst(sim: "Simulation", draw: "Draw") -> None:
    sim.burst(draw)


def _check(sim: "Simulation", _draw: "Draw") -> None:
    sim.check()


def _verify(sim: "Simulation", _draw: "Draw") -> None:
    sim.verify()


ACTS: dict[str, Callable[["Simulation", "Draw"], None]] = {
    "wait": _wait,
    "at the edge": _edge,
    "wrong signatures": _lock,
    "clock back": _back,
    "due work": _work,
    "a chain": _arrive,
    "proof by transfer": _prove,
    "evidence outlived": _outlive,
    "review": _review,
    "forget keys": _forget,
    "restart": _restart,
    "settings": _settings,
    "fees": _fees,
    "core bank": _core_bank,
    "closed account": _closed_account,
    "customer": _customer,
    "API keys": _keys,
    "a dispute": _dispute,
    "strangers": _strangers,
    "at once": _burst,
    "check": _check,
    "verify": _verify,
}
WEIGHTS = {
    "wait": 60,
    "at the edge": 25,
    "wrong signatures": 3,
    "clock back": 8,
    "due work": 80,
    "a chain": 25,
    "proof by transfer": 12,
    "evidence outlived": 10,
    "review": 20,
    "forget keys": 4,
    "restart": 5,
    "settings": 6,
    "fees": 3,
    "core bank": 18,
    "closed account": 2,
    "customer": 10,
    "API keys": 8,
    "a dispute": 5,
    "strangers": 5,
    "at once": 25,
    "check": 8,
    "verify": 5,
}
