"""The operations of a deployment: each is declared here once, and everything else derives from it.

The engine's table, the HTTP routes with their OpenAPI description, the remote client, the request
log, the feature list, the read-only guard and the calls in ``docs/reference/http_api.md`` are made
of these declarations. ``interface.py`` gives each operation a typed method. ``RECORDS`` declares
which names in paths, bodies and queries are those of a customer's records; ``ownership.py`` derives
from it whose records a call is about.

A read operation costs a declaration in its section, its name in ``_SECTIONS``, one method there and
a function of the engine. A section is imported, with its models, when one of its names is asked for
first: a command needs one or two of them. Who asks for ``OPERATIONS`` gets all.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from chainteller.service.operations.declaring import *

if TYPE_CHECKING:
    from chainteller.service.operations.accounts import *
    from chainteller.service.operations.agents import *
    from chainteller.service.operations.books import *
    from chainteller.service.operations.catalogue import *
    from chainteller.service.operations.customers import *
    from chainteller.service.operations.decisions import *
    from chainteller.service.operations.deployment import *
    from chainteller.service.operations.funding import *
    from chainteller.service.operations.notes import *
    from chainteller.service.operations.statements import *
    from chainteller.service.operations.trading import *
    from chainteller.service.operations.wallets import *
    from chainteller.service.operations.webhooks import *

_SECTIONS = {
    "accounts": (
        "ACTIVITY_SORTS BANK_ACCOUNT LIMITS OPEN_TRADING_ACCOUNT SHOW_TRADING_ACCOUNT "
        "TOKEN_BALANCES TRADING_ACCOUNTS"
    ),
    "statements": "STATEMENT",
    "customers": (
        "CHECK_CUSTOMER_IMPORT CUSTOMERS FIND FORGET_CUSTOMER IMPORT_CUSTOMERS REFERENCE_SORTS"
    ),
    "funding": (
        "ALL_TRANSFERS CANCEL_WITHDRAWAL DEPOSIT DEPOSITS DEPOSIT_RECORD SHOW_TRANSACTION "
        "TRANSACTIONS TRANSACTION_BY_ID TRANSACTION_TYPES TRANSFER_TYPE TYPE WITHDRAW "
        "WITHDRAWALS WITHDRAWAL_RECORD"
    ),
    "trading": (
        "ALL_TRADES CANCEL_TRADE CREATE_QUOTE EXECUTE_QUOTE MARKETS MARKET_NAME PRICES QUOTES "
        "SHOW_MARKET SHOW_QUOTE SHOW_TRADE SIDE TRADES"
    ),
    "wallets": (
        "BLOCKCHAIN_ACCOUNTS CHALLENGES CHALLENGE_BY_ID CLAIM_ATTESTATION CLAIM_BY_ID "
        "COUNTERPARTIES CREATE_CHALLENGE CREATE_OWNERSHIP_STATEMENT CREATE_SMALL_TRANSFER "
        "DIAGNOSE_SIGNATURE LINKED_COUNTERPARTIES LINK_COUNTERPARTY OPEN_BLOCKCHAIN_ACCOUNT "
        "OWNERSHIP_STATEMENTS OWNERSHIP_STATEMENT_BY_ID REGISTER_COUNTERPARTY "
        "REQUIRE_REVERIFICATION SHARED_WALLETS SHOW_BLOCKCHAIN_ACCOUNT SHOW_COUNTERPARTY "
        "SMALL_TRANSFERS SMALL_TRANSFER_BY_ID SUBMIT_CLAIM"
    ),
    "decisions": (
        "APPROVE_DECISION DECISION DECISIONS DUE_SORTS KIND NOTE_DECISION OPEN_DECISION "
        "REFUSE_DECISION TAKE_DECISION"
    ),
    "agents": "AGENTS APPROVE_AGENT ENROL_AGENT REVOKE_AGENT",
    "notes": "ADD_NOTE ERASE_NOTE NOTES SUBJECT",
    "webhooks": (
        "CREATE_WEBHOOK DELETE_WEBHOOK PAUSE_WEBHOOK REPLAY_WEBHOOK RESUME_WEBHOOK "
        "ROTATE_WEBHOOK TEST_WEBHOOK WEBHOOK WEBHOOKS"
    ),
    "deployment": (
        "AUDIT AUDITED_ACCOUNT AUDITED_CASE CAPABILITIES EVENTS EVENTS_AT_ONCE EVENT_STREAM"
    ),
    "books": "AUDIT_CHECKPOINT AUDIT_CONSISTENCY AUDIT_PROOF CLEAR_DISPUTE DISPUTES",
    "catalogue": "BY_NAME ENDPOINTS OPERATIONS WRITES",
}
"""The names that each section declares."""
_SECTION_OF = {name: section for section, names in _SECTIONS.items() for name in names.split()}

if not TYPE_CHECKING:  # a misspelt name is found

    def __getattr__(name: str) -> Any:
        """Import the section of a name when it's asked for first."""
        if name not in _SECTION_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(import_module(f"{__name__}.{_SECTION_OF[name]}"), name)
        globals()[name] = found
        return found
