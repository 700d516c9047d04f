"""A small bank with at least three rows in every table, on either database."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from eth_account import Account
from eth_account.messages import encode_defunct
from eth_utils.address import to_checksum_address
from sqlalchemy import Integer, func, select
from tests.ownership.nodes import Chain, Node, running
from tests.wallets.extended import JUNK, extended_public_key, private_node
from tests.world.customers import CustomerSeed
from tests.world.engines import USDC_ETHEREUM, World, make_world
from tests.world.files import sealed
from tests.world.waiting import PATIENCE_S

from chainteller.adapters.evm_rpc import EvmRpc
from chainteller.domain.actors import DEFAULT_ORGANISATION
from chainteller.domain.agents import public_key_text
from chainteller.domain.clock import DAY, HOUR, SECOND
from chainteller.domain.limits import DEFAULT_LIMITS
from chainteller.domain.options import EngineOptions
from chainteller.domain.signing_pages import hash_of
from chainteller.engine.engine import Engine
from chainteller.engine.operations import signing_pages
from chainteller.engine.operations.keys import ApiKeys
from chainteller.engine.upkeep import archiving
from chainteller.service.errors import InvalidSignature
from chainteller.service.models.agents import ApproveAgent, EnrolAgent
from chainteller.service.models.counterparties import (
    Challenge,
    ChallengeRequest,
    ClaimRequest,
    LinkRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
    SmallTransferRequest,
    StatementRequest,
)
from chainteller.service.models.funding import Destination, WithdrawalRequest
from chainteller.storage.db.records import Tables
from chainteller.storage.db.table import Table
from chainteller.storage.queries import markets
from chainteller.storage.schema.wallet_tables import declared
from chainteller.wallets.simulated import sample_wallets, sign_sample

LEAST = 3
OF_GATEWAYS = (
    Tables.note,
    Tables.provider,
    Tables.provider_request,
    Tables.provider_challenge,
    Tables.webhook,
)
_LIMITS = DEFAULT_LIMITS.items()
_DECLARED = {each.name: each for each in declared()}
_REPOSITORY = Path(__file__).parents[2]
_WALLETS = sample_wallets(_REPOSITORY / "sample_data" / "wallets.toml")
SENDERS = [f"customer-ethereum-0{number}" for number in range(1, LEAST + 1)]
SAFES = [to_checksum_address(f"0x5afe{number:036x}") for number in range(1, LEAST + 1)]
_CONTRACT_SIGNATURE = bytes(range(130))
_KEY_PATH = "m/44'/60'/0'"
NAMES = [wallet.name for wallet in _WALLETS if wallet.address.network.name == "ethereum"][:LEAST]
"""Their addresses are the first of the key at ``_KEY_PATH`` of ``JUNK``."""


def busy_bank(place: Path | str) -> World:
    """Three customers who trade, pay in and out and prove their wallets, under three settings."""
    customers = [
        CustomerSeed(bank_account_id=f"DDA-{number}", type="checking") for number in range(1, 4)
    ]
    world = _under_settings(place, 0, customers)
    _a_day(world, 0)
    for number in range(1, LEAST):
        world.close()
        world = _under_settings(place, number)
        world.clock.advance(number * HOUR)
        _a_day(world, number)
    with sealed(world.database) as rows:
        for market in ("btc-usd", "eth-usd", "sol-usd"):
            markets.close(rows, market, "HALTED", world.clock.now() + SECOND)
    return world


def gateway(place: Path | str) -> World:
    """Rows of the tables that the busy bank has none of, as they are stored at a gateway."""
    world = make_world(place, customers=[CustomerSeed()])
    with sealed(world.database) as rows:
        rows.insert(Tables.counterparty, [_any_row(Tables.counterparty, 0)])
        for table in OF_GATEWAYS:
            count = 1 if table is Tables.provider else LEAST
            rows.insert(table, [_any_row(table, number) for number in range(count)])
    return world


def _any_row(table: Table, number: int) -> dict[str, object]:
    """A row with a value in every column that refers to no other row, or has to."""
    row: dict[str, object] = {}
    for column in _DECLARED[table.name].columns:
        is_number = isinstance(column.type, Integer)
        value = number if is_number else f"{column.name}-{number}"
        row[column.name] = value if not column.foreign_keys else None if column.nullable else "id-0"
    return row | {"organisation_id": DEFAULT_ORGANISATION}


def _under_settings(
    place: Path | str, number: int, customers: Sequence[CustomerSeed] = ()
) -> World:
    """The bank, opened with limits of its own."""
    limits = {name: (once + number, day, month) for name, (once, day, month) in _LIMITS}
    options = EngineOptions(limits=limits, rate_limits=False, public_url="https://bank.example")
    return make_world(place, options=options, customers=customers, seed=str(number))


def _a_day(world: World, number: int) -> None:
    name = f"DDA-{number + 1}"
    key = public_key_text(bytes([number]) * 32)
    agent = world.engine.enrol_agent(EnrolAgent(name=f"agent-{number}", public_key=key)).value
    world.engine.approve_agent(agent.id, ApproveAgent(expires="90d"))
    world.open(name)
    world.deposit("2000.00")
    world.deposit("500.00", USDC_ETHEREUM)
    world.buy("100.00")
    world.settle()
    prove_by_transfer(world, SENDERS[number])
    world.execute(world.quote("10.00"), key=f"key-{number}")
    world.withdraw("12.00")
    world.quote("33.00")
    world.quote("0.01", "sell")
    prove_wallet(world.engine, world.account, NAMES[number])
    prove_on_page(world, number)
    prove_contract(world, SAFES[number])
    keys = ApiKeys(world.context)
    first = keys.create(f"key {number}", organisation=f"bank-{number}", expires="90d")
    keys.revoke(first.key_id)


def archive_all(world: World, path: Path) -> None:
    """Move everything so far to an archive."""
    world.clock.advance(2 * DAY)
    assert sum(archiving.archive(world.context, path, 1)) > 0


def prove_wallet(engine: Engine, account: str, name: str, custody_id: str = "") -> None:
    """Open custody unless there is one, refuse a wrong signature, accept a right one, link, and pay
    the wallet."""
    wallet = next(each for each in _WALLETS if each.name == name)

    def answer(text: str) -> str:
        return sign_sample(name, text, wallets=_WALLETS)

    custody_id = custody_id or _custody(engine, account)
    counterparty_id = _prove(engine, custody_id, wallet.address.display, answer)
    destination = Destination(
        type="counterparty", counterparty_id=counterparty_id, blockchain_account_id=custody_id
    )
    request = WithdrawalRequest(amount="20.00", currency=USDC_ETHEREUM, destination=destination)
    engine.withdraw(account, request)


def prove_contract(world: World, address: str) -> None:
    """As ``prove_wallet``, of a contract whose chain confirms the signature; nothing is paid."""
    chain = Chain()

    def answer(text: str) -> str:
        chain.accept(address, text, _CONTRACT_SIGNATURE)
        return "0x" + _CONTRACT_SIGNATURE.hex()

    with running(Node(chain), Node(chain, host="localhost")) as urls:
        rpc = EvmRpc({"ethereum": urls}, PATIENCE_S)
        engine = Engine(replace(world.context, chain=rpc))
        _prove(engine, _custody(engine, world.account), address, answer)


def prove_on_page(world: World, number: int) -> None:
    """Two wallets of one signing page and of the key whose address ``prove_wallet`` proved: one
    signs on the page, the other one is proved by the extended public key."""
    engine, token = world.engine, f"{number:022}"
    custody_id = _custody(engine, world.account)
    keys = [
        Account.from_key(private_node(JUNK, f"{_KEY_PATH}/0/{address}")[0])
        for address in (10 + number, 20 + number)
    ]
    asked = [_ask(engine, custody_id, each.address, hash_of(token)) for each in keys]
    message = encode_defunct(text=str(asked[0].page_text))
    signature = keys[0].sign_message(message).signature.to_0x_hex()
    signing_pages.receive(world.context, token, asked[0].id, signature)
    for each, completed in zip(
        asked, (signature, extended_public_key(JUNK, _KEY_PATH)), strict=True
    ):
        _link(engine, custody_id, str(each.address), _claim(engine, custody_id, each, completed))


def _prove(engine: Engine, custody_id: str, address: str, answer: Callable[[str], str]) -> str:
    """The id of the counterparty that is linked now."""
    asked = _ask(engine, custody_id, address)
    with suppress(InvalidSignature):
        _claim(engine, custody_id, asked, "0x" + "11" * 65)
    _link(engine, custody_id, address, _claim(engine, custody_id, asked, answer(asked.challenge)))
    return str(asked.counterparty_id)


def _custody(engine: Engine, account: str) -> str:
    request = OpenBlockchainAccount(trading_account_id=account, network="ethereum")
    return engine.open_blockchain_account(request).value.id


def _register(engine: Engine, address: str) -> str:
    request = RegisterCounterparty(address=address, network="ethereum")
    return engine.register_counterparty(request).value.id


def _ask(engine: Engine, custody_id: str, address: str, page: str | None = None) -> Challenge:
    request = ChallengeRequest(counterparty_id=_register(engine, address), page_token_hash=page)
    return engine.create_challenge(custody_id, request).value


def _claim(engine: Engine, custody_id: str, asked: Challenge, completed: str) -> str:
    request = ClaimRequest(
        challenge_id=asked.id,
        completed_challenge=completed,
        counterparty_id=str(asked.counterparty_id),
    )
    return engine.submit_claim(custody_id, request).value.id


def _link(engine: Engine, custody_id: str, address: str, claim_id: str) -> None:
    request = LinkRequest(address=address, network="ethereum", ownership_claim_id=claim_id)
    engine.link_counterparty(custody_id, request)


def prove_by_transfer(world: World, name: str) -> None:
    """State that a wallet is the customer's, and let it send a small transfer and be linked."""
    engine = world.engine
    custody_id = _custody(engine, world.account)
    address = next(each for each in _WALLETS if each.name == name).address.display
    wallet_id = _register(engine, address)
    stated = StatementRequest(counterparty_id=wallet_id, reason="OTHER", statement="It is mine.")
    engine.create_ownership_statement(custody_id, stated)
    asked = SmallTransferRequest(counterparty_id=wallet_id)
    small = engine.create_small_transfer(custody_id, asked).value
    world.settle()
    _link(engine, custody_id, address, str(engine.small_transfer_by_id(small.id).claim_id))


def counts(world: World) -> dict[str, int]:
    """Rows by table."""
    with world.database.read() as connection:
        return {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in declared()
        }
