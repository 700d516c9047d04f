"""Whether an account may do a thing: controls, terms and identity level, in this order."""

from chainteller.domain.preconditions import REQUIRED_KYC, TERMS_VERSION, Act, forbids
from chainteller.service.errors import AccountRestricted, KycRequired, TermsNotAccepted
from chainteller.storage.db.query import Record


def require_allowed(account: Record, act: Act) -> None:
    """``account`` is a trading account's row with its customer's columns.

    Raises:
        AccountRestricted, TermsNotAccepted, KycRequired.
    """
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
