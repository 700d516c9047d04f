"""Records that this desk has seen, for deployments that cannot list them.

Reads that the deployment does not offer are answered from the workspace where it knows enough; an
account that is not known yet is checked by its balances, which every deployment has, and then
remembered.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from chainteller.records.accounts import UNKNOWN
from chainteller.service import operations
from chainteller.service.errors import ChallengeAlreadyUsed, NotOffered
from chainteller.service.interface import Service
from chainteller.service.layers import Answers, Next
from chainteller.service.models.accounts import TradingAccount
from chainteller.service.models.counterparties import (
    BlockchainAccount,
    Challenge,
    Counterparty,
    OwnershipClaim,
    SignatureDiagnosis,
)
from chainteller.service.models.funding import KeptTransfer, Transfer
from chainteller.service.models.pages import MAXIMUM_LIMIT, BalancesQuery, ListQuery, Page
from chainteller.service.models.quotes import Quote
from chainteller.service.models.trades import Transaction
from chainteller.service.operations import Call, Read
from chainteller.workspace import records
from chainteller.workspace.records import Record
from chainteller.workspace.store import Kind, Workspace

Answer = TypeVar("Answer")


class _NotMet(Exception):
    """This desk knows nothing of the record either."""


class Remembering:
    """A layer that answers what is not offered from the records that ``Recording`` keeps."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._known: Answers[Next] = Answers()
        self._known.add(operations.TRADING_ACCOUNTS, self._trading_accounts)
        self._known.add(operations.SHOW_TRADING_ACCOUNT, self._trading_account)
        self._known.add(operations.TRANSACTION_BY_ID, self._transaction)
        self._known.add(operations.DIAGNOSE_SIGNATURE, self._diagnosis)
        self._known.add(operations.ALL_TRANSFERS, self._transfers)
        self._known.add(operations.DEPOSIT_RECORD, self._transfer)
        self._known.add(operations.WITHDRAWAL_RECORD, self._transfer)
        self._known.add(operations.SHOW_TRANSACTION, self._transfer)
        self._remember_lists()
        self._remember_records()

    def __call__(self, call: Call[Answer], onward: Next) -> Answer:
        try:
            return onward(call)
        except NotOffered as missing:
            if call.operation not in self._known:
                raise
            try:
                return self._known[call.operation](onward, call)
            except _NotMet:
                raise missing from None

    def _trading_accounts(
        self, _onward: Next, call: Call[Page[TradingAccount]]
    ) -> Page[TradingAccount]:
        """Those that this desk met, the last seen first."""
        query = _listed(call)
        wanted = (query.text or "").lower()
        rows = tuple(
            _account(each.id, each.label)
            for each in self._workspace.known(Kind.TRADING_ACCOUNT)
            if wanted in f"{each.id} {each.label}".lower()
        )
        return Page.whole(rows).cut(query.page, query.limit)

    def _trading_account(self, onward: Next, call: Call[TradingAccount]) -> TradingAccount:
        """Raises NotFound: the deployment knows no balances of it either."""
        (account_id,) = call.ids
        onward(Call(operations.TOKEN_BALANCES, call.ids, query=BalancesQuery()))
        known = self._workspace.known_object(account_id, Kind.TRADING_ACCOUNT)
        if known is None:  # the order of the list stays while its accounts are looked at
            self._workspace.remember(account_id, Kind.TRADING_ACCOUNT)
        return _account(account_id, known.label if known is not None else "")

    def _transaction(self, onward: Next, call: Call[Transaction]) -> Transaction:
        """A transfer as it was answered, or a trade, read again in its account."""
        (identifier,) = call.ids
        known = self._workspace.known_object(identifier, Kind.TRANSACTION)
        if known is None:
            raise _NotMet
        if records.one(self._workspace, KeptTransfer, identifier) is not None:
            return self._transfer(onward, call)
        return onward(Call(operations.SHOW_TRADE, (known.parent, identifier)))

    def _transfers(self, onward: Next, call: Call[Page[Transfer]]) -> Page[Transfer]:
        """The newest of one account, where the deployment lists those; else those that this desk
        requested, as they were answered.
        """
        query = _listed(call)
        account_id, newest = query.trading_account_id, ListQuery(limit=MAXIMUM_LIMIT)
        rows: Sequence[Transfer] = ()
        try:
            if account_id is not None:
                lists = (operations.DEPOSITS, operations.WITHDRAWALS)
                pages = [onward(Call(each, (account_id,), query=newest)) for each in lists]
                rows = [row for page in pages for row in page.data]
        except NotOffered:
            account_id = None
        if account_id is None:
            rows = records.transfers(self._workspace, query.trading_account_id)
        found = records.searched(rows, query)
        return Page[Transfer](data=found.data, pagination=found.pagination)

    def _transfer(self, _onward: Next, call: Call[Any]) -> Transfer:
        kept = records.one(self._workspace, KeptTransfer, call.ids[-1])
        if kept is None or call.ids[:-1] not in {(), (kept.trading_account_id,)}:
            raise _NotMet
        return kept

    def _diagnosis(self, _onward: Next, call: Call[SignatureDiagnosis]) -> SignatureDiagnosis:
        """Refuse a signature of a challenge that was used from here, as a deployment would."""
        challenge_id = getattr(call.request, "challenge_id", "")
        claim = records.claim_of(self._workspace, challenge_id)
        if claim is None:
            raise _NotMet
        raise ChallengeAlreadyUsed(
            "This message to sign was already used.",
            {"challengeId": challenge_id, "claimId": claim.id},
        )

    # -- what else the desk made itself -------------------------------------------------------

    def _remember_lists(self) -> None:
        self._lists(operations.QUOTES, Quote)
        self._lists(operations.COUNTERPARTIES, Counterparty)
        self._lists(operations.CHALLENGES, Challenge)
        self._lists(operations.BLOCKCHAIN_ACCOUNTS, BlockchainAccount)

    def _remember_records(self) -> None:
        self._shows(operations.SHOW_QUOTE, Quote)
        self._shows(operations.SHOW_COUNTERPARTY, Counterparty)
        self._shows(operations.SHOW_BLOCKCHAIN_ACCOUNT, BlockchainAccount)
        self._shows(operations.CHALLENGE_BY_ID, Challenge)
        self._shows(operations.CLAIM_BY_ID, OwnershipClaim)

    def _lists(self, operation: Read[Page[Record]], model: type[Record]) -> None:
        def known(_onward: Next, call: Call[Page[Record]]) -> Page[Record]:
            query = _listed(call)
            parent = call.ids[0] if call.ids else query.trading_account_id
            return records.listed(self._workspace, model, query, parent)

        self._known.add(operation, known)

    def _shows(self, operation: Read[Record], model: type[Record]) -> None:
        def known(_onward: Next, call: Call[Record]) -> Record:
            kept = records.one(self._workspace, model, call.ids[-1])
            if kept is None:
                raise _NotMet
            return kept

        self._known.add(operation, known)


def know_blockchain_account(
    service: Service, workspace: Workspace, blockchain_account_id: str, trading_account_id: str
) -> BlockchainAccount:
    """Put an account on the desk's list by its id; its linked wallets, which every deployment
    lists, show that it exists. One that is on the list stays with the trading account it has there.

    Raises:
        NotFound: the deployment knows no such account.
    """
    known = records.one(workspace, BlockchainAccount, blockchain_account_id)
    if known is not None:
        return known
    service.linked_counterparties(blockchain_account_id)
    account = BlockchainAccount(
        id=blockchain_account_id,
        trading_account_id=trading_account_id,
        network=UNKNOWN,
        address=UNKNOWN,
        status="-",
    )
    records.keep_blockchain_account(workspace, account)
    return account


def _listed(call: Call[Any]) -> ListQuery:
    return call.query if isinstance(call.query, ListQuery) else ListQuery()


def _account(account_id: str, label: str) -> TradingAccount:
    bank_account_id, _, kind = label.partition(" ")
    return TradingAccount(
        id=account_id,
        bank_account_id=bank_account_id or UNKNOWN,
        bank_account_type=kind or "-",
    )
