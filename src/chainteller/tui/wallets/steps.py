"""The steps of a verification, as Wallets takes them: what is asked, sent and told at each."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from textual.app import App

from chainteller.domain.challenges import ReverificationReason
from chainteller.records.wallets import CHALLENGE, WALLET
from chainteller.service.errors import InvalidSignature, TellerError
from chainteller.tui.customer_texts import CustomerTexts
from chainteller.tui.desk import Desk
from chainteller.tui.dialogs.question import Ask
from chainteller.tui.failures import Failure
from chainteller.tui.formats import countdown, short_address, short_id
from chainteller.tui.service_calls import call_service
from chainteller.tui.wallets import paste as wallet_paste
from chainteller.tui.wallets import writes as wallet_writes
from chainteller.tui.wallets.book import Book, Session, Wallet
from chainteller.tui.wallets.pane import SIMULATING
from chainteller.tui.wallets.paste import AddressRead, Verdict, read_address
from chainteller.tui.widgets.paste_field import SIGNATURE, PasteFieldBar

if TYPE_CHECKING:
    from chainteller.service.models.counterparties import BlockchainAccount, Counterparty
    from chainteller.tui.exports import Export

SECRET = "SECRET_PASTED"  # noqa: S105 - a finding
Work = Callable[[], Awaitable[None]]
_REASONS = {
    ReverificationReason.AGENT_REQUEST: "the agent asks for it",
    ReverificationReason.SUSPICIOUS_ACTIVITY: "suspicious activity",
    ReverificationReason.SANCTIONS_HIT: "a hit on a sanctions list",
    ReverificationReason.POLICY_CHANGE: "the bank's policy changed",
}
_ADDRESS_REASONS = {
    "CHECKSUM": "Its checksum is wrong: a character was changed or lost.",
    "LENGTH": "It is too short or too long: a part is missing or added.",
    "ENCODING": "It holds characters that no address has.",
    "WRONG_NETWORK": "It is an address of a network that is not offered here.",
    "ZERO": "Nobody can have the key of this address.",
    "OFF_CURVE": "It belongs to a program, which cannot sign.",
    "SMALL_ORDER": "Nobody can have the key of this address.",
    "NAME": "It is a name, not an address: ask for the address behind it.",
    "UNSUPPORTED_TYPE": "This kind of address cannot be verified here.",
}


class Host(Protocol):
    """What the steps need of the screen."""

    desk: Desk
    session: Session
    verdicts: dict[str, Verdict]

    @property
    def app(self) -> App[Any]: ...
    @property
    def texts(self) -> CustomerTexts: ...
    @property
    def field_bar(self) -> PasteFieldBar: ...
    @property
    def wallet(self) -> Wallet | None: ...
    @property
    def blockchain_account(self) -> "BlockchainAccount | None": ...
    @property
    def book(self) -> Book: ...
    def read(self, group: str, work: Work) -> None: ...
    def write(self, lock: str, work: Work) -> None: ...
    async def confirm(self, asked: Ask) -> bool: ...
    def fail(self, error: TellerError) -> None: ...
    def show_failure(self, failure: Failure) -> None: ...
    def clear_failure(self) -> None: ...
    def show_wallet(self, key: str) -> None: ...
    def show_verdict(self, wallet: Wallet, verdict: Verdict) -> None: ...
    def take_signature(self, text: str) -> None: ...


class WalletSteps:
    def __init__(self, host: Host) -> None:
        self._host = host
        self._tainted = False
        """Whether a secret was typed into the address field; it was taken out again."""

    @property
    def _desk(self) -> Desk:
        return self._host.desk

    # -- 1: an account and an address ---------------------------------------------------------

    def begin_new(self, address: str = "") -> None:
        """The field for an address; without a blockchain account, that is opened first."""
        if self._desk.customer.account is None:
            self._desk.notify("no account is selected yet   1: choose one", "warn")
        elif not self._host.book.accounts and not self._desk.offers("blockchain-accounts"):
            self._desk.notify(
                "paste the blockchain account's id, or : and the id (BCA_...)", "warn"
            )
        elif not self._host.book.accounts:
            self.open_account()
        else:
            self._tainted = False
            self._host.field_bar.open(
                "address",
                (("new address ", "strong"),),
                value=address,
                note=(("enter: register   esc: no", "muted"),),
            )

    def open_account(self) -> None:
        account = self._desk.customer.account
        if account is not None:
            self._host.write("blockchain account", lambda: self._open_account(account.id))

    async def _open_account(self, trading_account_id: str) -> None:
        note = f"for {trading_account_id}; it verifies wallets of any network"
        network = await self._choose("OPEN A BLOCKCHAIN ACCOUNT on", note, self._networks(), "")
        if network is None:
            return
        self._desk.customer.require(trading_account_id)
        service, key = self._desk.service, self._desk.new_key()
        opened = await call_service(
            wallet_writes.open_blockchain_account, service, trading_account_id, network, key
        )
        self._desk.notify(
            f"{short_id(opened.id)} opened on {network}   + registers a wallet", "good"
        )
        self._host.show_wallet(opened.id)

    def _networks(self) -> tuple[str, ...]:
        started = self._desk.started
        offered = started.capabilities.networks if started and started.capabilities else ()
        if offered:
            return offered
        from chainteller.wallets.networks import network_names  # noqa: PLC0415 - at the first use

        return network_names()

    async def _choose(
        self, title: str, note: str, options: tuple[str, ...], preset: str
    ) -> str | None:
        from chainteller.tui.dialogs.choice import Choice  # noqa: PLC0415 - at the first choice

        return await self._host.app.push_screen_wait(Choice(title, note, options, preset))

    def guard_typed_address(self, value: str, *, words_allowed: int) -> None:
        """What is typed is seen: it is taken away before it is a whole secret. The field stays,
        so that what still comes of a paste without brackets does not become keys.
        """
        if len(value.split()) > words_allowed or wallet_paste.holds_secret(value):
            self._tainted = True
        if self._tainted:
            self._host.field_bar.clear()

    def register(self, text: str) -> None:
        if self._tainted:
            self._tainted = False
            self._refuse_secret()
            return
        account = self._host.blockchain_account or next(iter(self._host.book.accounts), None)
        if account is not None and text.strip():
            self._host.write("registration", lambda: self._register(account, text))

    async def _register(self, account: "BlockchainAccount", text: str) -> None:
        found: AddressRead = await call_service(read_address, text, self._networks())
        if found.reason == "SECRET_PASTED":
            self._refuse_secret()
        elif found.reason:
            meaning = _ADDRESS_REASONS.get(found.reason, found.reason)
            self._host.show_failure(
                Failure("INVALID_ADDRESS", "This is no wallet address.", meaning, "+: once more")
            )
        else:
            network = await self._network_of(found, account)
            if network is not None:
                await self._send_registration(account, text, network)

    async def _network_of(self, found: AddressRead, account: "BlockchainAccount") -> str | None:
        """The address alone tells it where only one network has such addresses."""
        if len(found.networks) == 1:
            return found.networks[0]
        preset = account.network if account.network in found.networks else found.networks[0]
        note = "it exists on each: ask which one the customer uses"
        return await self._choose("WHICH NETWORK?", note, found.networks, preset)

    async def _send_registration(
        self, account: "BlockchainAccount", text: str, network: str
    ) -> None:
        from chainteller.tui.writes import register_counterparty  # noqa: PLC0415 - at the first use

        self._desk.customer.require(account.trading_account_id)
        key = self._desk.new_key()
        made = await call_service(
            register_counterparty, self._desk.service, text.strip(), network, key
        )
        self._host.clear_failure()
        self._keep(account.id, made)
        self._desk.notify(
            f"registered {short_address(made.address)} on {network}   enter: issue the text", "good"
        )
        self._host.show_wallet(f"{account.id}/{made.id}")

    def _keep(self, account_id: str, made: "Counterparty") -> None:
        kept = self._host.session.registered.setdefault(account_id, [])
        if made.id not in {row.id for row in kept}:
            kept.append(made)

    def _refuse_secret(self) -> None:
        self._host.show_failure(
            Failure(
                SECRET,
                "This looks like a private key or recovery words. Nothing of it was kept.",
                "Whoever has seen it can take the customer's money.",
                "t: tell the customer; delete it wherever it came from",
            )
        )
        self._desk.notify("a wallet secret was pasted: nothing of it was kept", "bad")

    # -- 2 to 5 -------------------------------------------------------------------------------

    def next_step(self, wallet: Wallet) -> None:
        """What enter does for a wallet."""
        self._host.clear_failure()
        match wallet.state(self._desk.now):
            case "signing":
                verdict = self._host.verdicts.get(wallet.challenge.id) if wallet.challenge else None
                if verdict is not None and verdict.accepted:
                    self._host.write("claim", lambda: self._submit(wallet, verdict))
                else:
                    self.open_signature_field()
            case "claimed":
                self._host.write("link", lambda: self._link(wallet, wallet.claim_id))
            case "current":
                self._desk.notify("verified already   : re-verify ends the verification", "muted")
            case _:
                self._host.write("challenge", lambda: self._issue(wallet))

    async def _issue(self, wallet: Wallet) -> None:
        key = self._desk.new_key()
        made = await call_service(wallet_writes.create_challenge, self._desk.service, wallet, key)
        self._host.session.issued.setdefault(wallet.account.id, []).insert(0, made)
        until = f", valid to {made.expires:%H:%M:%S}Z" if made.expires else ""
        self._desk.notify(f"text {short_id(made.id)} issued{until}   c copies it", "good")
        self._host.show_wallet(wallet.key)
        self._desk.on_change.publish(("ownership_challenge.created",))

    def open_signature_field(self) -> None:
        wallet = self._host.wallet
        if wallet is None or wallet.challenge is None:
            self.refuse_early(wallet, "")
            return
        end = wallet.counterparty.address[-4:]
        self._host.field_bar.open(
            SIGNATURE,
            (("signature ", "strong"), (f"of ..{end} ", "muted")),
            note=(("paste, enter: judge it   esc: no", "muted"),),
        )

    def refuse_early(self, wallet: Wallet | None, text: str) -> None:
        """A signature without a text that it could be of; a secret is named all the same."""
        if text and wallet_paste.holds_secret(text):
            self._refuse_secret()
        elif wallet is None:
            self._desk.notify("a signature belongs to a wallet: choose one first", "warn")
        else:
            self._desk.notify("no text was issued to this wallet   enter: issue it", "warn")

    async def judged(self, book: Book, wallet: Wallet, text: str) -> Verdict:
        """Raises what the service raises; the outcome is told."""
        verdict: Verdict = await call_service(
            wallet_paste.judge, self._desk.service, book, wallet, text, self._desk.now
        )
        challenge = short_id(verdict.challenge_id)
        left = countdown(wallet.seconds_left(self._desk.now))
        if verdict.accepted:
            self._desk.notify(f"the signature is right for {challenge}   enter submits it", "good")
        else:
            open_ = f"text stays open {left}" if left != "0:00" else "text is over"
            self._desk.notify(f"not accepted: {verdict.diagnosis.finding}   {open_}", "bad")
        return verdict

    async def _submit(self, wallet: Wallet, verdict: Verdict) -> None:
        service, key = self._desk.service, self._desk.new_key()
        try:
            claim = await call_service(
                wallet_writes.submit_claim, service, wallet, verdict.signature, key
            )
        except InvalidSignature:
            self._host.verdicts.pop(verdict.challenge_id, None)
            self._host.show_wallet(wallet.key)
            raise
        self._host.verdicts.pop(verdict.challenge_id, None)
        await self._link(wallet, claim.id)

    async def _link(self, wallet: Wallet, claim_id: str) -> None:
        try:
            key = self._desk.new_key()
            done = await call_service(wallet_writes.link, self._desk.service, wallet, claim_id, key)
        finally:
            self._host.show_wallet(wallet.key)
        until = f" until {done.verification.expires_at:%d %b %Y}" if done.verification else ""
        self._desk.notify(f"linked: ..{done.address[-6:]} is Verified 1P{until}", "good")
        self._desk.on_change.publish(("counterparty.linked",))

    # -- afterwards ---------------------------------------------------------------------------

    def require_reverification(self, wallet: Wallet | None, reason: str) -> None:
        if wallet is None or not wallet.is_verified:
            self._desk.notify("only a verified wallet can be asked for anew", "warn")
            return
        self._host.write("re-verification", lambda: self._require(wallet, reason))

    async def _require(self, wallet: Wallet, reason: str) -> None:
        address = wallet.counterparty.address
        why = _REASONS[ReverificationReason(reason)]
        facts = (
            f"{wallet.counterparty.id} on {wallet.network}: {why}",
            "The higher limits end at once; a new text must be signed to restore them.",
        )
        if not await self._host.confirm(Ask(f"END THE VERIFICATION of {address}?", facts)):
            return
        self._desk.customer.require(wallet.account.trading_account_id)
        key = self._desk.new_key()
        done = await call_service(
            wallet_writes.require_reverification, self._desk.service, wallet, reason, key
        )
        self._desk.notify(f"{done.address} must be verified anew   enter: issue a text", "warn")
        self._host.show_wallet(wallet.key)
        self._desk.on_change.publish(("counterparty.reverification_required",))

    def palette_entries(self, wallet: Wallet | None) -> list[tuple[str, str]]:
        """(name, action) of what Wallets offers without a key."""
        rows = [("open a blockchain account", "open_account")]
        if wallet is not None and wallet.is_verified:
            rows += [
                (f"re-verify this wallet: {words}", f"reverify('{reason}')")
                for reason, words in _REASONS.items()
            ]
        if wallet is not None and self._can_simulate and wallet.challenge is not None:
            from chainteller.wallets.simulated import MISTAKES  # noqa: PLC0415 - at the first use

            rows.append(("simulate the customer: sign rightly", "simulate('')"))
            rows += [
                (f"simulate the customer: {name}: {words}", f"simulate('{name}')")
                for name, words in MISTAKES.items()
            ]
        return rows

    @property
    def _can_simulate(self) -> bool:
        return self._desk.settings.kind in SIMULATING

    def simulate(self, wallet: Wallet | None, mistake: str, file: Path) -> None:
        """A sample customer's answer, as if it had come by mail."""
        if wallet is None or not self._can_simulate:
            self._desk.notify("only in the demo and in training", "warn")
            return
        self._host.read("simulate", lambda: self._simulate(wallet, mistake, file))

    async def _simulate(self, wallet: Wallet, mistake: str, file: Path) -> None:
        try:
            answer = await call_service(wallet_paste.simulated_answer, wallet, file, mistake)
        except LookupError:
            self._desk.notify("this is no sample wallet, or it cannot err like that", "warn")
            return
        self._desk.notify("the sample customer's answer came by mail", "muted")
        self._host.take_signature(answer)

    # -- handing the text over ----------------------------------------------------------------

    def challenge_exports(self, wallet: Wallet | None) -> "list[Export]":
        """The open text as a file: its bytes and nothing else."""
        challenge = wallet.challenge if wallet else None
        if wallet is None or challenge is None or wallet.challenge_state(self._desk.now) != "open":
            return []
        from chainteller.tui.exports import Export, ready  # noqa: PLC0415 - at the first file

        size = f"{len(challenge.challenge.encode()):,} bytes"
        made, file = partial(ready, challenge.challenge), f"chainteller-{challenge.id}.txt"
        return [Export("the text to be signed, unchanged", file, made, lambda: size)]

    def show_code(self, wallet: Wallet | None) -> None:
        if wallet is None or wallet.challenge_state(self._desk.now) != "open":
            self._desk.notify("no text waits for its signature here", "muted")
            return
        from chainteller.tui.dialogs.code import CodeBox  # noqa: PLC0415 - at the first code
        from chainteller.tui.dialogs.qr import half_blocks  # noqa: PLC0415 - as above

        text = wallet.challenge.challenge if wallet.challenge else ""
        title = f"{short_id(wallet.challenge.id) if wallet.challenge else ''}  {wallet.network}"
        self._host.app.push_screen(CodeBox(title, half_blocks(text)))

    def customer_text(self, wallet: Wallet | None) -> str:
        """What to say now: about the signature, else about the next step."""
        if wallet is None:
            return ""
        verdict = self._host.verdicts.get(wallet.challenge.id) if wallet.challenge else None
        state = wallet.state(self._desk.now)
        if verdict is not None and state == "signing" and not verdict.accepted:
            return verdict.diagnosis.ask_customer
        values = {
            "bank": self._desk.settings.bank_name,
            "network": wallet.network,
            **WALLET.spoken(wallet.counterparty),
            **(CHALLENGE.spoken(wallet.challenge) if wallet.challenge is not None else {}),
        }
        return self._host.texts.fill(f"wallet.{state}", values)
