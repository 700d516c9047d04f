"""The typed interface of a deployment, embedded or remote: what screens and commands call.

Every method is synchronous and raises ``TellerError`` only: the refusals that the operation
declares (``operations.py``), ``ServiceUnavailable`` (embedded) or a ``ClientError`` (remote).
Writes take an idempotency key: the same key with the same request gives the first outcome again;
with another request it is ``IdempotencyKeyReused``.

The order in which a call is checked: key, scope, body, records of the path, state of the
record, controls and preconditions, market, limits, funds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, TypeVar

from chainteller.service import operations as op
from chainteller.service.models.pages import (
    BalancesQuery,
    EventsQuery,
    ListQuery,
    MarketsQuery,
    Page,
)
from chainteller.service.operations import Call

if TYPE_CHECKING:
    from chainteller.service.models.accounts import (
        Customer,
        OpenTradingAccount,
        TokenBalance,
        TradingAccount,
    )
    from chainteller.service.models.agents import Agent, ApproveAgent, EnrolAgent
    from chainteller.service.models.base import Written
    from chainteller.service.models.books import ClearDispute, Dispute
    from chainteller.service.models.counterparties import (
        BlockchainAccount,
        Challenge,
        ChallengeRequest,
        ClaimRequest,
        Counterparty,
        DiagnosisRequest,
        LinkRequest,
        OpenBlockchainAccount,
        OwnershipClaim,
        OwnershipStatement,
        RegisterCounterparty,
        ReverificationRequest,
        SharedWallet,
        SignatureDiagnosis,
        SmallTransfer,
        SmallTransferRequest,
        StatementRequest,
    )
    from chainteller.service.models.customers import (
        CustomerImport,
        ForgetCustomer,
        ForgottenCustomer,
        ImportCustomers,
    )
    from chainteller.service.models.decisions import (
        Approval,
        Decision,
        DecisionNote,
        OpenDecision,
        Refusal,
    )
    from chainteller.service.models.finding import Found
    from chainteller.service.models.funding import (
        DepositRequest,
        LimitUsage,
        Transfer,
        WithdrawalRequest,
    )
    from chainteller.service.models.heads import (
        AuditCheckpoint,
        AuditConsistency,
        AuditProof,
        WalletAttestation,
    )
    from chainteller.service.models.markets import Market, PriceSample
    from chainteller.service.models.notes import AddNote, Note
    from chainteller.service.models.quotes import ExecuteRequest, Quote, QuoteRequest
    from chainteller.service.models.records import AuditRow, Capabilities, EventPage
    from chainteller.service.models.statements import Statement
    from chainteller.service.models.trades import Trade, Transaction
    from chainteller.service.models.webhooks import (
        CreateWebhook,
        ReplayEvents,
        RotateSecret,
        Webhook,
        WebhookTest,
        WebhookWithSecret,
    )

ALL = ListQuery()
Answer = TypeVar("Answer")


class Service(ABC):
    """A deployment. Whoever implements ``call`` implements every operation."""

    __slots__ = ()

    @abstractmethod
    def call(self, call: Call[Answer]) -> Answer:
        """Answer one call; raises TellerError."""

    # -- trading accounts -------------------------------------------------------------------

    def open_trading_account(
        self, request: OpenTradingAccount, *, idempotency_key: str | None = None
    ) -> Written[TradingAccount]:
        """A Conflict names the account that is open already in ``details.id``."""
        return self.call(Call(op.OPEN_TRADING_ACCOUNT, (), request, key=idempotency_key))

    def trading_accounts(self, query: ListQuery = ALL) -> Page[TradingAccount]:
        return self.call(Call(op.TRADING_ACCOUNTS, query=query))

    def trading_account(self, account_id: str) -> TradingAccount:
        return self.call(Call(op.SHOW_TRADING_ACCOUNT, (account_id,)))

    def token_balances(self, account_id: str, *, include_zero: bool = False) -> Page[TokenBalance]:
        query = BalancesQuery(include_zero=include_zero)
        return self.call(Call(op.TOKEN_BALANCES, (account_id,), query=query))

    def limits(self, account_id: str) -> Page[LimitUsage]:
        return self.call(Call(op.LIMITS, (account_id,)))

    def statement(
        self, account_id: str, *, from_time: str | None = None, to_time: str | None = None
    ) -> Statement:
        """An account's statement. The first and the last day or instant are as ``StatementQuery``
        says; left out, they are the account's beginning and the present."""
        from chainteller.service.models.statements import StatementQuery  # noqa: PLC0415 - seldom

        query = StatementQuery(from_time=from_time, to_time=to_time)
        return self.call(Call(op.STATEMENT, (account_id,), query=query))

    def customers(self, query: ListQuery = ALL) -> Page[Customer]:
        """The core bank's customers by ``text``: name, reference or bank account."""
        return self.call(Call(op.CUSTOMERS, query=query))

    def import_customers(
        self, request: ImportCustomers, *, idempotency_key: str | None = None
    ) -> Written[CustomerImport]:
        """Create customers and bank accounts, and change those that are known; importing the same
        lines again changes nothing."""
        return self.call(Call(op.IMPORT_CUSTOMERS, (), request, key=idempotency_key))

    def check_customer_import(self, request: ImportCustomers) -> CustomerImport:
        """What ``import_customers`` would do."""
        return self.call(Call(op.CHECK_CUSTOMER_IMPORT, (), request))

    def forget_customer(
        self, request: ForgetCustomer, *, idempotency_key: str | None = None
    ) -> Written[ForgottenCustomer]:
        """Erase a customer's personal data.

        Raises:
            NotFound: there is no customer with the reference.
            Conflict: the customer has a balance, owes money or has an open record.
        """
        return self.call(Call(op.FORGET_CUSTOMER, (), request, key=idempotency_key))

    def find(self, text: str) -> Page[Found]:
        """Everything that matches whatever somebody typed, said or pasted, the best match first.

        A kind of record that the API key may not read is left out.
        """
        from chainteller.service.models.finding import FindQuery  # noqa: PLC0415 - seldom

        return self.call(Call(op.FIND, query=FindQuery(text=text)))

    # -- funding ----------------------------------------------------------------------------

    def deposit(
        self, account_id: str, request: DepositRequest, *, idempotency_key: str | None = None
    ) -> Written[Transfer]:
        return self.call(Call(op.DEPOSIT, (account_id,), request, key=idempotency_key))

    def deposits(self, account_id: str, query: ListQuery = ALL) -> Page[Transfer]:
        return self.call(Call(op.DEPOSITS, (account_id,), query=query))

    def deposit_record(self, account_id: str, deposit_id: str) -> Transfer:
        return self.call(Call(op.DEPOSIT_RECORD, (account_id, deposit_id)))

    def withdraw(
        self, account_id: str, request: WithdrawalRequest, *, idempotency_key: str | None = None
    ) -> Written[Transfer]:
        return self.call(Call(op.WITHDRAW, (account_id,), request, key=idempotency_key))

    def withdrawals(self, account_id: str, query: ListQuery = ALL) -> Page[Transfer]:
        return self.call(Call(op.WITHDRAWALS, (account_id,), query=query))

    def withdrawal_record(self, account_id: str, withdrawal_id: str) -> Transfer:
        return self.call(Call(op.WITHDRAWAL_RECORD, (account_id, withdrawal_id)))

    def cancel_withdrawal(
        self, account_id: str, withdrawal_id: str, *, idempotency_key: str | None = None
    ) -> Written[Transfer]:
        """A cancelled one is answered again."""
        ids = (account_id, withdrawal_id)
        return self.call(Call(op.CANCEL_WITHDRAWAL, ids, key=idempotency_key))

    def all_transfers(self, query: ListQuery = ALL) -> Page[Transfer]:
        """The deposits and withdrawals of every account of the organisation."""
        return self.call(Call(op.ALL_TRANSFERS, query=query))

    def transactions(self, account_id: str, query: ListQuery = ALL) -> Page[Transaction]:
        """Deposits, withdrawals and trades."""
        return self.call(Call(op.TRANSACTIONS, (account_id,), query=query))

    def transaction(self, account_id: str, transaction_id: str) -> Transaction:
        return self.call(Call(op.SHOW_TRANSACTION, (account_id, transaction_id)))

    def transaction_by_id(self, transaction_id: str) -> Transaction:
        """A transaction of any account of the organisation."""
        return self.call(Call(op.TRANSACTION_BY_ID, (transaction_id,)))

    # -- markets, quotes and trades ---------------------------------------------------------

    def markets(self, names: tuple[str, ...] = ()) -> Page[Market]:
        """All markets, or the named ones; an unknown name is absent."""
        return self.call(Call(op.MARKETS, query=MarketsQuery(names=names or None)))

    def market(self, name: str) -> Market:
        return self.call(Call(op.SHOW_MARKET, (name,)))

    def prices(self, market: str) -> Page[PriceSample]:
        """Recent samples, oldest first."""
        return self.call(Call(op.PRICES, (market,)))

    def create_quote(
        self, market: str, request: QuoteRequest, *, idempotency_key: str | None = None
    ) -> Written[Quote]:
        return self.call(Call(op.CREATE_QUOTE, (market,), request, key=idempotency_key))

    def quote(self, quote_id: str) -> Quote:
        return self.call(Call(op.SHOW_QUOTE, (quote_id,)))

    def quotes(self, query: ListQuery = ALL) -> Page[Quote]:
        return self.call(Call(op.QUOTES, query=query))

    def execute_quote(
        self, quote_id: str, request: ExecuteRequest, *, idempotency_key: str | None = None
    ) -> Written[Trade]:
        return self.call(Call(op.EXECUTE_QUOTE, (quote_id,), request, key=idempotency_key))

    def trade(self, account_id: str, trade_id: str) -> Trade:
        return self.call(Call(op.SHOW_TRADE, (account_id, trade_id)))

    def trades(self, account_id: str, query: ListQuery = ALL) -> Page[Trade]:
        return self.call(Call(op.TRADES, (account_id,), query=query))

    def all_trades(self, query: ListQuery = ALL) -> Page[Trade]:
        """The trades of every account of the organisation."""
        return self.call(Call(op.ALL_TRADES, query=query))

    def cancel_trade(
        self, account_id: str, trade_id: str, *, idempotency_key: str | None = None
    ) -> Written[Trade]:
        """A cancelled one is answered again."""
        return self.call(Call(op.CANCEL_TRADE, (account_id, trade_id), key=idempotency_key))

    # -- wallets ----------------------------------------------------------------------------

    def open_blockchain_account(
        self, request: OpenBlockchainAccount, *, idempotency_key: str | None = None
    ) -> Written[BlockchainAccount]:
        return self.call(Call(op.OPEN_BLOCKCHAIN_ACCOUNT, (), request, key=idempotency_key))

    def blockchain_accounts(self, query: ListQuery = ALL) -> Page[BlockchainAccount]:
        return self.call(Call(op.BLOCKCHAIN_ACCOUNTS, query=query))

    def blockchain_account(self, blockchain_account_id: str) -> BlockchainAccount:
        return self.call(Call(op.SHOW_BLOCKCHAIN_ACCOUNT, (blockchain_account_id,)))

    def register_counterparty(
        self, request: RegisterCounterparty, *, idempotency_key: str | None = None
    ) -> Written[Counterparty]:
        """A known address is answered again."""
        return self.call(Call(op.REGISTER_COUNTERPARTY, (), request, key=idempotency_key))

    def counterparties(self, query: ListQuery = ALL) -> Page[Counterparty]:
        return self.call(Call(op.COUNTERPARTIES, query=query))

    def counterparty(self, counterparty_id: str) -> Counterparty:
        return self.call(Call(op.SHOW_COUNTERPARTY, (counterparty_id,)))

    def create_challenge(
        self,
        blockchain_account_id: str,
        request: ChallengeRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Written[Challenge]:
        ids = (blockchain_account_id,)
        return self.call(Call(op.CREATE_CHALLENGE, ids, request, key=idempotency_key))

    def challenges(self, blockchain_account_id: str, query: ListQuery = ALL) -> Page[Challenge]:
        """The account's challenges, newest first."""
        return self.call(Call(op.CHALLENGES, (blockchain_account_id,), query=query))

    def challenge_by_id(self, challenge_id: str) -> Challenge:
        """A challenge of any account of the organisation."""
        return self.call(Call(op.CHALLENGE_BY_ID, (challenge_id,)))

    def submit_claim(
        self,
        blockchain_account_id: str,
        request: ClaimRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Written[OwnershipClaim]:
        ids = (blockchain_account_id,)
        return self.call(Call(op.SUBMIT_CLAIM, ids, request, key=idempotency_key))

    def claim_by_id(self, claim_id: str) -> OwnershipClaim:
        """A claim of any account of the organisation."""
        return self.call(Call(op.CLAIM_BY_ID, (claim_id,)))

    def claim_attestation(self, claim_id: str) -> WalletAttestation:
        """A claim signed by the bank's keys, for anybody to verify."""
        return self.call(Call(op.CLAIM_ATTESTATION, (claim_id,)))

    def diagnose_signature(
        self, blockchain_account_id: str, request: DiagnosisRequest
    ) -> SignatureDiagnosis:
        """As ``submit_claim``, but changes nothing and counts no attempt.

        ``search_longer`` is understood by deployments whose answer says ``can_search_longer``.
        """
        return self.call(Call(op.DIAGNOSE_SIGNATURE, (blockchain_account_id,), request))

    def create_small_transfer(
        self,
        blockchain_account_id: str,
        request: SmallTransferRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Written[SmallTransfer]:
        """A Conflict names the small transfer that is waiting already in ``details.id``."""
        return self.call(
            Call(op.CREATE_SMALL_TRANSFER, (blockchain_account_id,), request, key=idempotency_key)
        )

    def small_transfers(
        self, blockchain_account_id: str, query: ListQuery = ALL
    ) -> Page[SmallTransfer]:
        return self.call(Call(op.SMALL_TRANSFERS, (blockchain_account_id,), query=query))

    def small_transfer_by_id(self, small_transfer_id: str) -> SmallTransfer:
        return self.call(Call(op.SMALL_TRANSFER_BY_ID, (small_transfer_id,)))

    def create_ownership_statement(
        self,
        blockchain_account_id: str,
        request: StatementRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Written[OwnershipStatement]:
        """It waits for a person's decision, and verifies nothing before."""
        return self.call(
            Call(
                op.CREATE_OWNERSHIP_STATEMENT,
                (blockchain_account_id,),
                request,
                key=idempotency_key,
            )
        )

    def ownership_statements(
        self, blockchain_account_id: str, query: ListQuery = ALL
    ) -> Page[OwnershipStatement]:
        return self.call(Call(op.OWNERSHIP_STATEMENTS, (blockchain_account_id,), query=query))

    def ownership_statement_by_id(self, statement_id: str) -> OwnershipStatement:
        return self.call(Call(op.OWNERSHIP_STATEMENT_BY_ID, (statement_id,)))

    def link_counterparty(
        self,
        blockchain_account_id: str,
        request: LinkRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Written[Counterparty]:
        ids = (blockchain_account_id,)
        return self.call(Call(op.LINK_COUNTERPARTY, ids, request, key=idempotency_key))

    def linked_counterparties(
        self, blockchain_account_id: str, query: ListQuery = ALL
    ) -> Page[Counterparty]:
        return self.call(Call(op.LINKED_COUNTERPARTIES, (blockchain_account_id,), query=query))

    def shared_wallets(self, query: ListQuery = ALL) -> Page[SharedWallet]:
        """Wallets that several customers have verified, a line for each account; ``text`` is a
        wallet's id or a part of its address."""
        return self.call(Call(op.SHARED_WALLETS, query=query))

    def require_reverification(
        self,
        blockchain_account_id: str,
        counterparty_id: str,
        request: ReverificationRequest,
        *,
        idempotency_key: str | None = None,
    ) -> Written[Counterparty]:
        """End a verification at once."""
        ids = (blockchain_account_id, counterparty_id)
        return self.call(Call(op.REQUIRE_REVERIFICATION, ids, request, key=idempotency_key))

    # -- the deployment itself --------------------------------------------------------------

    def capabilities(self) -> Capabilities:
        """What this deployment offers."""
        return self.call(Call(op.CAPABILITIES))

    def events(self, after: int = 0, limit: int = 100) -> EventPage:
        """Events after a cursor, oldest first; ``after`` -1 asks for the newest cursor alone."""
        return self.call(Call(op.EVENTS, query=EventsQuery(after=after, limit=limit)))

    def audit(self, query: ListQuery = ALL) -> Page[AuditRow]:
        """Audit rows, newest first; ``text`` is an object's id, ``trading_account_id`` an account
        whose trail holds all that was done to it, done or refused."""
        return self.call(Call(op.AUDIT, query=query))

    def audit_checkpoint(self) -> AuditCheckpoint:
        """The signed head of the audit log.

        Raises:
            NotFound: the deployment has no key that signs.
            Conflict: the log isn't the one whose heads were signed before.
        """
        return self.call(Call(op.AUDIT_CHECKPOINT))

    def audit_consistency(self, from_size: int = 0, to_size: int | None = None) -> AuditConsistency:
        """Prove that the log of ``to_size`` entries, by default of all, begins with the one of
        ``from_size``."""
        from chainteller.service.models.heads import ConsistencyQuery  # noqa: PLC0415 - seldom

        query = ConsistencyQuery(from_size=from_size, to_size=to_size)
        return self.call(Call(op.AUDIT_CONSISTENCY, query=query))

    def decisions(self, query: ListQuery = ALL) -> Page[Decision]:
        """What waits for a person, the earliest deadline first; ``query.text`` is a subject."""
        return self.call(Call(op.DECISIONS, query=query))

    def decision(self, decision_id: str) -> Decision:
        return self.call(Call(op.DECISION, (decision_id,)))

    def open_decision(
        self, request: OpenDecision, *, idempotency_key: str | None = None
    ) -> Written[Decision]:
        """Put a control on an account, or close a market. Raises Conflict: there is a control
        already, or the market is closed."""
        return self.call(Call(op.OPEN_DECISION, (), request, key=idempotency_key))

    def take_decision(
        self, decision_id: str, *, idempotency_key: str | None = None
    ) -> Written[Decision]:
        return self.call(Call(op.TAKE_DECISION, (decision_id,), key=idempotency_key))

    def approve_decision(
        self, decision_id: str, request: Approval, *, idempotency_key: str | None = None
    ) -> Written[Decision]:
        """Raises Conflict: it was decided before."""
        return self.call(Call(op.APPROVE_DECISION, (decision_id,), request, key=idempotency_key))

    def refuse_decision(
        self, decision_id: str, request: Refusal, *, idempotency_key: str | None = None
    ) -> Written[Decision]:
        """Raises Conflict: it was decided before."""
        return self.call(Call(op.REFUSE_DECISION, (decision_id,), request, key=idempotency_key))

    def note_decision(
        self, decision_id: str, request: DecisionNote, *, idempotency_key: str | None = None
    ) -> Written[Decision]:
        return self.call(Call(op.NOTE_DECISION, (decision_id,), request, key=idempotency_key))

    # -- notes ------------------------------------------------------------------------------

    def notes(self, query: ListQuery = ALL) -> Page[Note]:
        return self.call(Call(op.NOTES, query=query))

    def add_note(self, request: AddNote, *, idempotency_key: str | None = None) -> Written[Note]:
        """Raises NotFound: there is no such record."""
        return self.call(Call(op.ADD_NOTE, (), request, key=idempotency_key))

    def erase_note(self, note_id: str, *, idempotency_key: str | None = None) -> Written[Note]:
        """Again changes nothing. Raises Forbidden: it's somebody else's."""
        return self.call(Call(op.ERASE_NOTE, (note_id,), key=idempotency_key))

    # -- agents -----------------------------------------------------------------------------

    def agents(self, query: ListQuery = ALL) -> Page[Agent]:
        return self.call(Call(op.AGENTS, query=query))

    def enrol_agent(
        self, request: EnrolAgent, *, idempotency_key: str | None = None
    ) -> Written[Agent]:
        return self.call(Call(op.ENROL_AGENT, (), request, key=idempotency_key))

    def approve_agent(
        self, agent_id: str, request: ApproveAgent, *, idempotency_key: str | None = None
    ) -> Written[Agent]:
        return self.call(Call(op.APPROVE_AGENT, (agent_id,), request, key=idempotency_key))

    def revoke_agent(self, agent_id: str, *, idempotency_key: str | None = None) -> Written[Agent]:
        return self.call(Call(op.REVOKE_AGENT, (agent_id,), key=idempotency_key))

    # -- webhooks ---------------------------------------------------------------------------

    def webhooks(self) -> Page[Webhook]:
        """The endpoints that are sent events, the newest first."""
        return self.call(Call(op.WEBHOOKS))

    def webhook(self, webhook_id: str) -> Webhook:
        return self.call(Call(op.WEBHOOK, (webhook_id,)))

    def create_webhook(
        self, request: CreateWebhook, *, idempotency_key: str | None = None
    ) -> Written[WebhookWithSecret]:
        """Send events from now on to an endpoint. The secret is in the first answer alone.

        Raises:
            ValidationFailed: the URL's host isn't one that the operator allows, or another field.
            Conflict: the organisation has as many endpoints as it may have.
        """
        return self.call(Call(op.CREATE_WEBHOOK, (), request, key=idempotency_key))

    def delete_webhook(
        self, webhook_id: str, *, idempotency_key: str | None = None
    ) -> Written[Webhook]:
        return self.call(Call(op.DELETE_WEBHOOK, (webhook_id,), key=idempotency_key))

    def pause_webhook(
        self, webhook_id: str, *, idempotency_key: str | None = None
    ) -> Written[Webhook]:
        return self.call(Call(op.PAUSE_WEBHOOK, (webhook_id,), key=idempotency_key))

    def resume_webhook(
        self, webhook_id: str, *, idempotency_key: str | None = None
    ) -> Written[Webhook]:
        return self.call(Call(op.RESUME_WEBHOOK, (webhook_id,), key=idempotency_key))

    def rotate_webhook(
        self, webhook_id: str, request: RotateSecret, *, idempotency_key: str | None = None
    ) -> Written[WebhookWithSecret]:
        """Make another secret; it's in the first answer alone."""
        return self.call(Call(op.ROTATE_WEBHOOK, (webhook_id,), request, key=idempotency_key))

    def replay_webhook(
        self, webhook_id: str, request: ReplayEvents, *, idempotency_key: str | None = None
    ) -> Written[Webhook]:
        """Send the events after a cursor again. Raises ValidationFailed: the cursor is ahead of the
        log, or events after it aren't kept."""
        return self.call(Call(op.REPLAY_WEBHOOK, (webhook_id,), request, key=idempotency_key))

    def test_webhook(
        self, webhook_id: str, *, idempotency_key: str | None = None
    ) -> Written[WebhookTest]:
        """Send a test event now; takes seconds where the endpoint does."""
        return self.call(Call(op.TEST_WEBHOOK, (webhook_id,), key=idempotency_key))

    # -- the books --------------------------------------------------------------------------

    def disputes(self) -> Page[Dispute]:
        """What verification found wrong in the books, the newest first."""
        return self.call(Call(op.DISPUTES))

    def clear_dispute(
        self, dispute_id: str, request: ClearDispute, *, idempotency_key: str | None = None
    ) -> Written[Dispute]:
        """Say that the books may be trusted again; the dispute returns if the rows still differ."""
        return self.call(Call(op.CLEAR_DISPUTE, (dispute_id,), request, key=idempotency_key))

    def audit_proof(self, seq: str) -> AuditProof:
        """Prove that the audit row of this number is in the log."""
        return self.call(Call(op.AUDIT_PROOF, (seq,)))
