"""Wallet flows: register an address, verify that the customer owns it, and withdraw to it.

Each function takes values and returns the next step (``tui/steps.py``). The service is called by
the private functions alone, which run in a thread.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from chainteller.domain.assets import ASSETS_BY_KEY, CRYPTO, Asset
from chainteller.domain.challenges import ReverificationReason, SharedWallets
from chainteller.domain.clock import from_datetime
from chainteller.domain.evidence import AddressCode
from chainteller.domain.limits import UNVERIFIED_HOLD
from chainteller.domain.preconditions import Act
from chainteller.domain.signing_pages import hash_of
from chainteller.paths import shipped
from chainteller.records.formats import (
    countdown,
    grouped,
    money,
    seconds_between,
    short_address,
    short_id,
)
from chainteller.service.errors import (
    InsufficientFunds,
    InvalidSignature,
    LimitExceeded,
    NotOffered,
    TellerError,
    WalletShared,
)
from chainteller.service.models.counterparties import (
    ChallengeRequest,
    LinkRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
    ReverificationRequest,
)
from chainteller.service.models.funding import Currency, Destination, WithdrawalRequest
from chainteller.tui.customer import CustomerRequest
from chainteller.tui.dialogs.question import Ask, retype_above
from chainteller.tui.failures import Failure
from chainteller.tui.queries import query
from chainteller.tui.steps import (
    Choose,
    LookUp,
    OpenField,
    Result,
    Step,
    Write,
    answer,
    notice,
)
from chainteller.tui.wallets.book import (
    Book,
    Session,
    Verdict,
    Wallet,
    claim_request,
    limits_of,
    read_book,
)
from chainteller.tui.widgets.paste_field import SIGNATURE

if TYPE_CHECKING:
    from chainteller.service.interface import Service
    from chainteller.service.models.accounts import TokenBalance
    from chainteller.service.models.counterparties import BlockchainAccount, Counterparty
    from chainteller.service.models.funding import LimitUsage
    from chainteller.tui.wallets.paste import AddressRead

ADDRESS = "address"
WITHDRAWAL = "withdraw-to-wallet"
SECRET = "SECRET_PASTED"  # noqa: S105 - a finding
_ADDRESS_REASONS = {
    "CHECKSUM": "The checksum is wrong: a character was changed or is missing.",
    "LENGTH": "It's too short or too long: a part is missing or was added.",
    "ENCODING": "It contains characters that an address can't have.",
    "WRONG_NETWORK": "It's an address on a network that isn't offered here.",
    "ZERO": "Nobody can control this address.",
    "OFF_CURVE": "It belongs to a program, which can't sign, or a character is wrong.",
    "SMALL_ORDER": "Nobody can control this address.",
    "NAME": "It's a name, not an address. Ask for the address that it stands for.",
    "UNSUPPORTED_TYPE": "This kind of address can't be verified here.",
}
_NAMED_REASONS = {"WRONG_NETWORK": "It's an address of {}, which isn't offered here."}
_NOBODYS = "It's {}, which is nobody's wallet."
_MAX_ADDRESS_WORDS = 2
"""An address has no words; more of them are a sentence or a recovery phrase."""
_SAMPLE_WALLETS = shipped("sample_data") / "wallets.toml"


# -- an account and an address ---------------------------------------------------------------------


def begin_registration(
    trading_account_id: str,
    book: Book,
    networks: tuple[str, ...],
    know: "Callable[[str], BlockchainAccount]",
    *,
    address: str = "",
) -> Step:
    """Open the field for an address.

    ``trading_account_id`` is empty when no customer is selected, ``networks`` where the deployment
    can't open blockchain accounts: there ``know`` adds the first one by its id.
    """
    if not trading_account_id:
        return notice("no account is selected yet   1: choose one")
    if book.accounts or networks:
        return _address_field(address)
    return _ask_for_account(trading_account_id, know)


def _address_field(address: str) -> OpenField:
    note = (("enter: register", "muted"),)
    return OpenField(ADDRESS, (("new address ", "strong"),), note, address)


def _ask_for_account(trading_account_id: str, know: "Callable[[str], BlockchainAccount]") -> Step:
    def add(identifier: str, _service: "Service") -> Step:
        known = know(identifier)
        if known.trading_account_id != trading_account_id:
            return notice(
                f"{known.id} belongs to {known.trading_account_id}   paste it to go there"
            )
        text = f"{known.id} was added to the list   + registers a wallet"
        return Result((text, "good"), record=known.id)

    return OpenField(
        "blockchain-account",
        (("blockchain account ", "strong"),),
        (("its id (BCA_...)   enter: add", "muted"),),
        submitted=lambda typed: Write("account", LookUp(partial(add, typed.strip()))),
    )


def open_account(trading_account_id: str, networks: tuple[str, ...]) -> Step:
    note = f"for {trading_account_id}; it takes signatures of any network"

    def send(network: str) -> Step:
        return LookUp(partial(_ask_for_another, trading_account_id, network))

    return Write(
        "blockchain account",
        Choose("OPEN A BLOCKCHAIN ACCOUNT on", note, networks, send),
    )


def _ask_for_another(trading_account_id: str, network: str, service: "Service") -> Step:
    """Ask whether a customer needs another one who has one already."""
    found = service.blockchain_accounts(query(trading_account_id=trading_account_id)).data
    has = ", ".join(f"{short_id(each.id)} ({each.network})" for each in found)
    facts = (f"The customer has {has}, which takes signatures of any network.",)
    asked = Ask(f"OPEN ANOTHER BLOCKCHAIN ACCOUNT on {network}?", facts) if found else None
    opens = partial(_open_account, trading_account_id, network)
    return CustomerRequest(trading_account_id, opens, asked)


def _open_account(trading_account_id: str, network: str, service: "Service", key: str) -> Step:
    request = OpenBlockchainAccount(trading_account_id=trading_account_id, network=network)
    opened = service.open_blockchain_account(request, idempotency_key=key).value
    text = f"{short_id(opened.id)} opened on {network}   + registers a wallet"
    return Result((text, "good"), record=opened.id)


def is_secret_typed(value: str) -> bool:
    """Whether the text of the address field is, or is becoming, a secret."""
    from chainteller.tui.wallets import paste as wallet_pastes

    return len(value.split()) > _MAX_ADDRESS_WORDS or wallet_pastes.holds_secret(value)


def register(
    text: str,
    trading_account_id: str,
    account: "BlockchainAccount | None",
    networks: tuple[str, ...],
    session: Session,
) -> Step:
    """Register a typed or pasted address on the network that it's of, once that is known.

    The customer's first address opens their blockchain account, on the same network. A text that
    is no address stays in the field.
    """

    def read(_: "Service") -> Step:
        from chainteller.tui.wallets import paste as wallet_pastes

        found = wallet_pastes.read_address(text, networks)
        if found.reason == SECRET:
            return refuse_secret()
        if found.reason:
            return _refuse_address(text, found)
        if len(found.networks) == 1:
            return send(found.networks[0])
        known = account.network if account is not None else ""
        preset = known if known in found.networks else found.networks[0]
        note = "The address is valid on each of them. Ask which one the customer uses."
        return Choose("WHICH NETWORK?", note, found.networks, send, preset)

    def send(network: str) -> Step:
        request = RegisterCounterparty(address=text.strip(), network=network)

        def send_to(opened: "BlockchainAccount") -> Step:
            return CustomerRequest(trading_account_id, partial(_register, opened, request, session))

        if account is not None:
            return send_to(account)
        opening = OpenBlockchainAccount(trading_account_id=trading_account_id, network=network)
        return CustomerRequest(trading_account_id, partial(_open_first, opening, send_to))

    return Write("registration", LookUp(read))


def _refuse_address(text: str, found: "AddressRead") -> Result:
    meaning = _ADDRESS_REASONS.get(found.reason, found.reason)
    if found.name:
        meaning = _NAMED_REASONS.get(found.reason, _NOBODYS).format(found.name)
    what, next_step = "This isn't a wallet address.", "Correct it, then press enter."
    refusal = Failure("INVALID_ADDRESS", what, meaning, next_step)
    return Result(refusal=refusal, field=_address_field(text))


def _open_first(
    request: OpenBlockchainAccount,
    then: "Callable[[BlockchainAccount], Step]",
    service: "Service",
    key: str,
) -> Step:
    return then(service.open_blockchain_account(request, idempotency_key=key).value)


def _register(
    account: "BlockchainAccount",
    request: RegisterCounterparty,
    session: Session,
    service: "Service",
    key: str,
) -> Step:
    made = service.register_counterparty(request, idempotency_key=key).value
    session.add_registered(account.id, made)
    return Result(
        (
            f"registered {short_address(made.address)} on {request.network}{_what(made)}"
            "   enter: message to sign",
            "good",
        ),
        record=f"{account.id}/{made.id}",
        clears_failure=True,
    )


def _what(made: "Counterparty") -> str:
    is_contract = made.on_chain is not None and made.on_chain.code == AddressCode.CONTRACT
    return ", a contract" if is_contract else ""


def refuse_secret() -> Result:
    return Result(
        ("A wallet secret was pasted. It wasn't saved.", "bad"),
        Failure(
            SECRET,
            "This looks like a private key or recovery phrase. It wasn't saved.",
            "Anyone who has seen it can take the customer's money.",
            "t: text for the customer; delete it where it came from",
        ),
    )


# -- challenge, signature, claim and link ----------------------------------------------------------


class PageLink(NamedTuple):
    """The link of a signing page that is about to be made; both parts are empty without one."""

    pages: str = ""
    token: str = ""

    @property
    def url(self) -> str:
        return self.pages + self.token

    @property
    def token_hash(self) -> str | None:
        return hash_of(self.token) if self.token else None


NO_PAGE = PageLink()


def next_step(wallet: Wallet, session: Session, now: int, link: PageLink = NO_PAGE) -> Step:
    """What enter does for a wallet; ``link`` is for the message that it may create."""
    verdict = session.verdict(wallet)
    match wallet.state(now):
        case "signing" if verdict is not None and verdict.accepted:
            return Write("claim", _request(wallet, partial(_submit, wallet, verdict, session)))
        case "signing":
            return signature_field(wallet)
        case "sending":
            return notice("waiting for the small transfer   t: what to tell the customer", "muted")
        case "claimed":
            return Write("link", LookUp(partial(_link_of_claim, wallet)))
        case "current":
            return notice(already_verified(wallet), "muted")
        case _:
            return issue(wallet, session, link)


def already_verified(wallet: Wallet) -> str:
    """Why there is no next step, and what ends the verification where it has an end."""
    has_end = wallet.counterparty.verification is not None
    return f"already verified{'   : re-verify ends the verification' if has_end else ''}"


def _request(wallet: Wallet, call: "Callable[[Service, str], Step]") -> CustomerRequest[Step]:
    return CustomerRequest(wallet.account.trading_account_id, call)


def issue(wallet: Wallet, session: Session, link: PageLink) -> Step:
    """Create a message to sign, with the signing page of ``link`` if it names one."""
    return Write("challenge", _request(wallet, partial(issue_now, wallet, session, link)))


def issue_now(
    wallet: Wallet, session: Session, link: PageLink, service: "Service", key: str
) -> Result:
    """Create the message; it's called in a thread."""
    request = ChallengeRequest(
        counterparty_id=wallet.counterparty.id, page_token_hash=link.token_hash
    )
    made = service.create_challenge(wallet.account.id, request, idempotency_key=key).value
    session.add_issued(wallet.account.id, made)
    copies = "c copies"
    if link.token:
        session.links[made.id] = link.url
        copies = "c copies the link, q: QR"
    until = f", valid to {made.expires:%H:%M}Z" if made.expires else ""
    return Result(
        (f"message to sign {short_id(made.id)} created{until}   {copies}", "good"),
        record=wallet.key,
        changed="ownership_challenge.created",
    )


def signature_field(wallet: Wallet) -> Step:
    end = wallet.counterparty.address[-4:]
    return OpenField(
        SIGNATURE,
        (("signature ", "strong"), (f"of ..{end} ", "muted")),
        (("paste, enter: check signature", "muted"),),
    )


def refuse_signature(wallet: Wallet | None, text: str = "") -> Result:
    """Refuse a signature without a challenge that it could be for; a secret is named all the
    same.
    """
    from chainteller.tui.wallets import paste as wallet_pastes

    if text and wallet_pastes.holds_secret(text):
        return refuse_secret()
    if wallet is None:
        return answer("choose the wallet that the signature belongs to first")
    return notice("this wallet has no message to sign   enter: create it")


def verdict_notice(wallet: Wallet, verdict: Verdict, now: int) -> tuple[str, str]:
    """One line about a verdict, and its tone."""
    if verdict.accepted:
        challenge = short_id(verdict.challenge_id)
        return f"valid signature for {challenge}   enter submits and links it", "good"
    then = "message expired" if wallet.seconds_left(now) == 0 else "t: what to ask"
    if verdict.unexplained:
        then = "paste the text that the wallet shows as signed"
    return f"not accepted: {verdict.diagnosis.finding}   {then}", "bad"


def _submit(
    wallet: Wallet, verdict: Verdict, session: Session, service: "Service", key: str
) -> Step:
    request = claim_request(wallet, verdict.signature)
    try:
        claim = service.submit_claim(wallet.account.id, request, idempotency_key=key).value
    except InvalidSignature as error:
        session.verdicts.pop(verdict.challenge_id, None)
        return Result(refusal=error, record=wallet.key)
    session.verdicts.pop(verdict.challenge_id, None)
    return _link_request(wallet, claim.id, is_shared=bool(claim.shared))


def _link_of_claim(wallet: Wallet, service: "Service") -> Step:
    """Link by a claim that was made before, whose reply isn't known any more."""
    is_shared = is_claim_shared(service, wallet.claim_id)
    return _link_request(wallet, wallet.claim_id, is_shared=is_shared)


def is_claim_shared(service: "Service", claim_id: str) -> bool:
    """Whether another customer has verified the wallet, too, as far as the deployment tells."""
    try:
        return bool(service.claim_by_id(claim_id).shared)
    except NotOffered:
        return False


def _link_request(wallet: Wallet, claim_id: str, *, is_shared: bool) -> CustomerRequest[Step]:
    request = LinkRequest(
        address=wallet.counterparty.address,
        network=wallet.network,
        ownership_claim_id=claim_id,
        acknowledged=is_shared or None,
    )
    sent = _request(wallet, partial(_link, wallet, request))
    if not is_shared:
        return sent
    facts = (
        f"{wallet.counterparty.address} on {wallet.network}",
        "Another customer of the bank has verified this wallet.",
        "Ask the customer who else uses it. Your yes is recorded.",
    )
    return sent._replace(question=Ask("LINK A SHARED WALLET?", facts))


def _link(wallet: Wallet, request: LinkRequest, service: "Service", key: str) -> Step:
    try:
        done = service.link_counterparty(wallet.account.id, request, idempotency_key=key).value
    except WalletShared as error:
        if request.acknowledged or error.details.get("policy") == SharedWallets.REFUSE:
            return Result(refusal=error, record=wallet.key)
        return _link_request(wallet, request.ownership_claim_id, is_shared=True)
    except TellerError as error:
        return Result(refusal=error, record=wallet.key)
    until = f" until {done.verification.expires_at:%d %b %Y}" if done.verification else ""
    return Result(
        (f"linked: ..{done.address[-6:]} is Verified 1P{until}", "good"),
        record=wallet.key,
        changed="counterparty.linked",
    )


def require_reverification(wallet: Wallet, reason: ReverificationReason, words: str) -> Step:
    """End a wallet's verification, once the agent has confirmed it."""
    facts = (
        f"{wallet.counterparty.id} on {wallet.network}: {words}",
        "The higher limits end at once. To restore them, the customer signs a new message.",
    )
    question = Ask(f"END THE VERIFICATION of {wallet.counterparty.address}?", facts)
    request = CustomerRequest(
        wallet.account.trading_account_id, partial(_require, wallet, reason), question
    )
    return Write("re-verification", request)


def _require(wallet: Wallet, reason: str, service: "Service", key: str) -> Step:
    request = ReverificationRequest(reason=reason)
    done = service.require_reverification(
        wallet.account.id, wallet.counterparty.id, request, idempotency_key=key
    ).value
    return Result(
        (f"{done.address} must be verified again   enter: create a message to sign", "warn"),
        record=wallet.key,
        changed="counterparty.reverification_required",
    )


def simulated_answer(wallet: Wallet, mistake: str) -> str | Result:
    """What a sample customer would send by mail; a Result when the wallet is none of theirs."""
    from chainteller.tui.wallets import paste as wallet_pastes

    try:
        return wallet_pastes.simulated_answer(wallet, _SAMPLE_WALLETS, mistake)
    except LookupError:
        return notice("this isn't a sample wallet, or it can't make this mistake")


# -- withdrawals -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Means:
    """What decides a withdrawal beforehand: the asset, its price, the balance and the limits."""

    wallet: Wallet
    balance: "TokenBalance"
    asset: Asset
    price: Decimal
    limits: "tuple[LimitUsage, ...]"

    @property
    def wallet_class(self) -> str:
        return "verified 1P wallet" if self.wallet.is_verified else "wallet that is not verified"

    def usd(self, amount: str) -> str:
        return f"{Decimal(amount) * self.price:.2f}"

    @property
    def remaining(self) -> str:
        """The least that any rule of this class still allows, in USD; empty without rules."""
        left = [Decimal(row.remaining) for row in self.limits]
        return f"{min(left):.2f}" if left else ""


def choose_wallet(trading_account_id: str, now: int, confirm_above_cents: int) -> Step:
    """Let the agent choose one of the account's wallets, each with what may still leave to it."""

    def look_up(service: "Service") -> Step:
        book = read_book(service, trading_account_id, Session())
        limits = service.limits(trading_account_id).data
        balances = service.token_balances(trading_account_id).data
        funded = {row.token.network for row in balances if Decimal(row.amount) > 0}
        wallets: dict[str, Wallet] = {}
        for wallet in book.wallets:
            held = _hold_left(service, wallet, now) if wallet.network in funded else ""
            against = f"on hold for {held}" if held else "no assets on its network"
            is_open = wallet.network in funded and not held
            wallets[_destination(wallet, limits, "" if is_open else against)] = wallet
        if not wallets:
            return notice("this account has no wallets yet   5: wallets")
        return Choose(
            "WITHDRAW to which wallet?",
            "The last question shows the whole address.",
            tuple(wallets),
            lambda chosen: _choose_asset(wallets[chosen], now, confirm_above_cents),
        )

    return Write("destination", LookUp(look_up))


def withdraw(wallet: Wallet, now: int, confirm_above_cents: int) -> Step:
    """Withdraw to a wallet, unless it's known that it may not receive anything."""
    return Write("withdrawal", _choose_asset(wallet, now, confirm_above_cents))


def _choose_asset(wallet: Wallet, now: int, confirm_above_cents: int) -> Step:
    def look_up(service: "Service") -> Step:
        held = _hold_left(service, wallet, now)
        if held:
            return Result(refusal=_hold_failure(held))
        balances = service.token_balances(wallet.account.trading_account_id).data
        sendable = {
            f"{row.token.symbol}  {grouped(row.amount)} available": row
            for row in balances
            if row.token.network == wallet.network and Decimal(row.amount) > 0
        }

        def ask_amount(chosen: str) -> Step:
            return _ask_amount(wallet, sendable[chosen], confirm_above_cents)

        match tuple(sendable):
            case ():
                return Result(refusal=_nothing_to_send(wallet.network))
            case (only,):
                return ask_amount(only)
            case several:
                note = f"held on {wallet.network}"
                return Choose("WITHDRAW what?", note, several, ask_amount)

    return LookUp(look_up)


def _nothing_to_send(network: str) -> Failure:
    return Failure(
        "NOTHING_TO_SEND",
        f"The account has no assets on {network}.",
        "A wallet can only receive assets of its own network.",
        "b on Accounts: buy one of them first",
    )


def _hold_left(service: "Service", wallet: Wallet, now: int) -> str:
    """How long nothing may leave to the wallet; empty where it may."""
    registered = None
    if not wallet.is_verified:
        registered = service.counterparty(wallet.counterparty.id).created
    until = now if registered is None else from_datetime(registered) + UNVERIFIED_HOLD
    return countdown(seconds_between(now, until)) if now < until else ""


def _hold_failure(left: str) -> Failure:
    return Failure(
        "DESTINATION_ON_HOLD",
        f"You can't withdraw to this new wallet for another {left}.",
        "It isn't verified yet. Nothing was sent.",
        "5: verify it to end the hold",
    )


def _ask_amount(wallet: Wallet, balance: "TokenBalance", confirm_above_cents: int) -> Step:
    def look_up(service: "Service") -> Step:
        means = _means(service, wallet, balance)
        end, symbol = wallet.counterparty.address[-6:], means.asset.symbol
        has, may = Decimal(means.usd(balance.amount)), means.remaining
        least = f"at most {grouped(may)} USD now   " if may and Decimal(may) < has else ""
        return OpenField(
            WITHDRAWAL,
            (("withdraw to ", "strong"), (f"..{end} ", ""), (f"{symbol} ", "muted")),
            ((f"{least}{money(balance.amount, symbol)} available", "muted"),),
            asset=means.asset,
            submitted=lambda amount: _confirm(means, amount, confirm_above_cents),
        )

    return LookUp(look_up)


def _means(service: "Service", wallet: Wallet, balance: "TokenBalance") -> Means:
    token = balance.token
    asset = ASSETS_BY_KEY.get(f"{token.symbol}@{token.network}") or Asset(
        token.symbol, token.network, 18
    )
    price = Decimal(1)
    if asset in CRYPTO:
        price = Decimal(service.market(f"{asset.symbol.lower()}-usd").current_price)
    usage = service.limits(wallet.account.trading_account_id).data
    return Means(wallet, balance, asset, price, limits_of(wallet, usage))


def _confirm(means: Means, amount: str, confirm_above_cents: int) -> Step:
    refused = _withdrawal_failure(means, amount)
    if refused is not None:
        return Result(refusal=refused)
    wallet = means.wallet
    request = CustomerRequest(
        wallet.account.trading_account_id,
        partial(_withdraw, wallet, means.asset, amount),
        renew=partial(_withdrawal_question, means, amount, confirm_above_cents),
        act=Act.WITHDRAW,
        words=f"withdrawal of {money(amount, means.asset.symbol)}",
    )
    return Write("withdrawal", request)


def _withdrawal_question(
    before: Means, amount: str, confirm_above_cents: int, service: "Service"
) -> Ask:
    """Raises InsufficientFunds or LimitExceeded: less may leave now."""
    means = _means_now(service, before)
    wallet, usd, symbol = means.wallet, means.usd(amount), means.asset.symbol
    available, remaining = means.balance.amount, means.remaining
    if Decimal(amount) > Decimal(available):
        raise InsufficientFunds(available, amount, symbol)
    if remaining and Decimal(usd) > Decimal(remaining):
        facts = {"requested": usd, "remaining": remaining}
        raise LimitExceeded("The withdrawal limit would be exceeded.", facts)
    waits = "" if wallet.is_verified else ", so it's held first"
    return Ask(
        f"WITHDRAW {money(amount, symbol)} (about {grouped(usd)} USD) to a wallet?",
        (
            f"to {wallet.counterparty.address} on {wallet.network}",
            f"{wallet.counterparty.id}, a {means.wallet_class}{waits}",
            f"from {wallet.account.trading_account_id}; a withdrawal to a wallet can't be reversed",
        ),
        retype=retype_above(confirm_above_cents, usd, amount),
    )


def _means_now(service: "Service", before: Means) -> Means:
    """Read the wallet's link, the balance, the price and the limits again."""
    wallet, token = before.wallet, before.balance.token
    linked = service.linked_counterparties(wallet.account.id, query(limit=100)).data
    row = next((each for each in linked if each.id == wallet.counterparty.id), None)
    if row is not None:
        wallet = replace(wallet, counterparty=row)
    balances = service.token_balances(wallet.account.trading_account_id).data
    held = next((each for each in balances if each.token == token), None)
    balance = held or before.balance.model_copy(update={"amount": "0"})
    return _means(service, wallet, balance)


def _withdraw(wallet: Wallet, asset: Asset, amount: str, service: "Service", key: str) -> Step:
    kind = "crypto-currency" if asset in CRYPTO else "stablecoin-currency"
    destination = Destination(
        type="counterparty",
        counterparty_id=wallet.counterparty.id,
        blockchain_account_id=wallet.account.id,
    )
    request = WithdrawalRequest(
        amount=amount,
        currency=Currency(type=kind, symbol=asset.symbol, network=asset.network),
        destination=destination,
    )
    done = service.withdraw(wallet.account.trading_account_id, request, idempotency_key=key).value
    return Result(
        (f"withdrawal {grouped(done.amount)} {asset.symbol} {done.status}  {done.id}", "good"),
        changed=f"withdrawal.{done.status}",
        transfer=done.key,
        clears_failure=True,
    )


def _withdrawal_failure(means: Means, amount: str) -> Failure | None:
    """What the service would refuse, as far as it's known here."""
    if Decimal(amount) > Decimal(means.balance.amount):
        available = f"{grouped(means.balance.amount)} {means.asset.symbol}"
        return Failure(
            "INSUFFICIENT_FUNDS",
            f"Only {available} is available.",
            "Nothing was sent.",
            "w: enter a smaller amount",
        )
    usd = means.usd(amount)
    if means.remaining and Decimal(usd) > Decimal(means.remaining):
        verify = "" if means.wallet.is_verified else "; 5: verify the wallet for higher limits"
        return Failure(
            "LIMIT_EXCEEDED",
            f"About {grouped(usd)} USD is above the limit for a {means.wallet_class}.",
            f"You can withdraw up to {grouped(means.remaining)} USD now. Nothing was sent.",
            f"w: enter a smaller amount{verify}",
        )
    return None


def _destination(wallet: Wallet, usage: "tuple[LimitUsage, ...]", against: str) -> str:
    """A wallet with what may leave to it, or what is ``against`` that."""
    own = [Decimal(row.remaining) for row in limits_of(wallet, usage)]
    most = f"at most {grouped(f'{min(own):.2f}')} USD" if own else ""
    address = wallet.counterparty.address
    kind = "Verified 1P" if wallet.is_verified else "not verified"
    return f"{address[:6]}..{address[-6:]}  {wallet.network}  {kind}  {against or most}".rstrip()
