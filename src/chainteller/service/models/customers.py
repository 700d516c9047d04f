"""The bank's own customers: what an import says of them and does."""

from pydantic import StrictBool, StrictInt

from chainteller.domain.customer_lines import Finding
from chainteller.service.models.accounts import BankAccountType
from chainteller.service.models.base import Many, RequestModel, Timestamp, WireModel

MOST_LINES = 200
"""Lines of one request, which are one commit."""


class CustomerLine(RequestModel):
    """A customer and one of their bank accounts, as a line of a file says it.

    ``line`` is its number, by which the answer names it. ``bank_account_balance`` is in USD and
    counts only for a bank account that isn't known yet, 0.00 if it's left out.
    """

    line: StrictInt
    reference: str
    name: str
    kyc_level: str
    terms_accepted: StrictBool
    bank_account_id: str | None = None
    bank_account_type: BankAccountType | None = None
    bank_account_balance: str | None = None


class ImportCustomers(RequestModel):
    """1 to 200 lines."""

    lines: Many[CustomerLine]


class LineFinding(WireModel):
    """What is wrong with a line: a code, its meaning and what to do."""

    line: int
    error: str
    message: str
    suggestion: str

    @classmethod
    def of(cls, line: int, found: Finding) -> "LineFinding":
        return cls(line=line, error=found.code, message=found.message, suggestion=found.suggestion)


class CustomerImport(WireModel):
    """What an import did, or would do: how many customers are new, and how many have another
    name, KYC level or acceptance of the terms now; how many bank accounts are new; how many
    lines changed nothing.

    Lines that are ``refused`` had no effect and didn't keep others from having theirs.
    ``differences`` are of lines that were applied, except for what these say.
    """

    created: int = 0
    changed: int = 0
    bank_accounts: int = 0
    unchanged: int = 0
    refused: Many[LineFinding] = ()
    differences: Many[LineFinding] = ()


class ForgetCustomer(RequestModel):
    """The customer by their reference, as in an import."""

    reference: str


class Copy(WireModel):
    """A file that may still name the customer: of the kind ``archive``, ``backup`` or ``export``.
    ``at`` is when it was written."""

    kind: str
    name: str
    at: Timestamp


class ForgottenCustomer(WireModel):
    """What was erased of a customer: texts of decisions and statements, kept answers to requests,
    and what was put in by hand of entries of the log. The name is erased in any case.

    ``copies`` were made before and aren't changed: a deployment names its archives.
    """

    id: str
    reference: str
    trading_accounts: Many[str] = ()
    texts: int = 0
    answers: int = 0
    entries: int = 0
    copies: Many[Copy] = ()
