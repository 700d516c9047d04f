"""Whether an account may do a thing: controls, terms and identity level, in this order.

And whether its organisation has room for one more record, however many keys it uses.
"""

from chainteller.domain.options import Quota
from chainteller.domain.preconditions import REQUIRED_KYC, TERMS_VERSION, Act, forbids
from chainteller.engine.core.unit_of_work import UnitOfWork
from chainteller.service.errors import (
    AccountRestricted,
    KycRequired,
    QuotaExceeded,
    TermsNotAccepted,
)
from chainteller.storage.db.query import Record
from chainteller.storage.queries import quotas


def require_allowed(account: Record, act: Act) -> None:
    """``account`` is a trading account's row with its customer's columns. Raises AccountRestricted,
    TermsNotAccepted, KycRequired."""
    require_uncontrolled(account.control, account.control_reason, act)
    require_uncontrolled(account.customer_control, account.customer_control_reason, act)
    require_terms(account)
    require_kyc(account)


def require_uncontrolled(control: str | None, reason: str | None, act: Act) -> None:
    if control is not None and forbids(control, act):
        raise AccountRestricted(control, reason or "UNSPECIFIED")


def require_terms(customer: Record) -> None:
    if customer.terms_version != TERMS_VERSION:
        raise TermsNotAccepted(
            "The customer hasn't accepted the trading terms.",
            {"termsVersion": TERMS_VERSION, "acceptedVersion": customer.terms_version},
        )


def require_kyc(customer: Record) -> None:
    if customer.kyc_level != REQUIRED_KYC:
        raise KycRequired(
            "The customer hasn't completed the identity check that trading requires.",
            {
                "requiredLevel": REQUIRED_KYC,
                "currentLevel": customer.kyc_level,
                "missing": ["enhanced-due-diligence"],
            },
        )


def require_room(tx: UnitOfWork, quota: Quota) -> None:
    """Raises QuotaExceeded: one more would be too many.

    Requests at the same moment don't wait for each other, so that a few more can be made.
    """
    limit: int = getattr(tx.context.options.quotas, quota)
    if quotas.used(tx.connection, quota, tx.organisation_id, tx.now) >= limit:
        raise QuotaExceeded(quota, limit)
