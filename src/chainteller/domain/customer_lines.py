"""What a bank may say about a customer in a line of an import, and why a line is refused."""

import unicodedata
from hashlib import blake2b
from typing import NamedTuple, Protocol

from chainteller.domain.assets import USD
from chainteller.domain.ids import ID_FORM, plausible
from chainteller.domain.money import AmountMalformed, AmountTooPrecise, parse_atoms
from chainteller.domain.pasted_secrets import find_secret
from chainteller.domain.preconditions import KYC_LEVELS

COLUMNS = (
    "reference",
    "name",
    "kycLevel",
    "termsAccepted",
    "bankAccountId",
    "bankAccountType",
    "bankAccountBalance",
)
"""The columns of a file of customers, in their usual order."""
BANK_ACCOUNT_TYPES = ("checking", "savings")
MAXIMUM_NAME = 200
FORGOTTEN_NAME = "Erased customer"
FORGOTTEN = "CUSTOMER_FORGOTTEN"
"""Why a forgotten customer's accounts are closed."""
LARGEST_BALANCE_DIGITS = 15
_FORMULAS = "=+-@"
"""What makes a spreadsheet run a cell: https://owasp.org/www-community/attacks/CSV_Injection."""
_CORRECT = "Correct the line and import the file again."


class Finding(NamedTuple):
    """Why a line was refused, or what of it wasn't applied; it never repeats what the line says."""

    code: str
    message: str
    suggestion: str = _CORRECT


class Line(Protocol):
    """A line about a customer and at most one of their bank accounts."""

    @property
    def line(self) -> int: ...
    @property
    def reference(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def kyc_level(self) -> str: ...
    @property
    def terms_accepted(self) -> bool: ...
    @property
    def bank_account_id(self) -> str | None: ...
    @property
    def bank_account_type(self) -> str | None: ...
    @property
    def bank_account_balance(self) -> str | None: ...


def name_of(line: Line) -> str:
    """The customer's name in one Unicode form, without outer spaces."""
    return unicodedata.normalize("NFC", line.name.strip(" "))


def balance_of(line: Line) -> int:
    """The bank account's balance in cents. Raises AmountMalformed, AmountTooPrecise."""
    text = line.bank_account_balance or "0"
    return parse_atoms(text, USD, allow_zero=True)


def problem(line: Line) -> Finding | None:
    """Why a line is refused, whatever else is known; None if it's in order."""
    said = (line.reference, line.name, line.kyc_level, line.bank_account_id, line.bank_account_type)
    if any(map(find_secret, filter(None, (*said, line.bank_account_balance)))):
        return Finding(
            "SECRET_PASTED",
            "A field looks like a wallet's secret.",
            "Delete it from the file. The wallet counts as exposed: the customer should move the "
            "funds to a new one today.",
        )
    if not plausible(line.reference):
        return Finding("REFERENCE_INVALID", f"The reference needs {ID_FORM}.")
    return _problem_of_customer(line) or _problem_of_account(line)


def _problem_of_customer(line: Line) -> Finding | None:
    name = name_of(line)
    if name[:1] in _FORMULAS and name:
        what = f"The name begins with {name[0]}, as a formula of a spreadsheet does."
        return Finding("NAME_IS_FORMULA", what)
    if not 0 < len(name) <= MAXIMUM_NAME:
        return Finding("NAME_INVALID", f"The name needs 1 to {MAXIMUM_NAME} characters.")
    hidden = next((sign for sign in name if not sign.isprintable()), None)
    if hidden is not None:
        what = f"The name has the character U+{ord(hidden):04X}, which can't be seen."
        return Finding("NAME_INVALID", what)
    if line.kyc_level not in KYC_LEVELS:
        return Finding("KYC_LEVEL_UNKNOWN", f"kycLevel is {' or '.join(KYC_LEVELS)}.")
    return None


def _problem_of_account(line: Line) -> Finding | None:
    if line.bank_account_id is None:
        if line.bank_account_type is None and line.bank_account_balance is None:
            return None
        return Finding("BANK_ACCOUNT_MISSING", "The line has a type or balance of no bank account.")
    if not plausible(line.bank_account_id):
        return Finding("BANK_ACCOUNT_INVALID", f"bankAccountId needs {ID_FORM}.")
    if line.bank_account_type not in BANK_ACCOUNT_TYPES:
        told = " or ".join(BANK_ACCOUNT_TYPES)
        return Finding("BANK_ACCOUNT_TYPE_UNKNOWN", f"bankAccountType is {told}.")
    try:
        cents = balance_of(line)
    except (AmountMalformed, AmountTooPrecise):
        cents = -1
    if not 0 <= cents < 10**LARGEST_BALANCE_DIGITS:
        what = "bankAccountBalance is an amount in USD, for example 1500.00."
        return Finding("BALANCE_INVALID", what)
    return None


class Earlier(Protocol):
    """What earlier lines of the same file were about, by customer and by bank account: hashes, so
    that whatever keeps them keeps no personal data."""

    def get(self, key: str, /) -> str | None: ...
    def __setitem__(self, key: str, value: str, /) -> None: ...


def repetition(line: Line, earlier: Earlier) -> Finding | None:
    """Why a line of a file repeats or contradicts an earlier one; None if it doesn't, and then it
    becomes one of them. Of two such lines only the first counts, however often the file is
    imported."""
    customer = _digest(f"customer {line.reference}")
    account = _digest(f"bank account {line.bank_account_id}")
    about = _digest(f"{line.kyc_level} {line.terms_accepted} {name_of(line)}")
    number, _, said = (earlier.get(customer) or "").partition(" ")
    if number and said != about:
        what = f"Line {number} says another name, KYC level or acceptance of the terms."
        return Finding(
            "LINES_CONTRADICT", what, "Decide which line is right, and delete the other."
        )
    before = number if line.bank_account_id is None else earlier.get(account)
    if before:
        same = "customer" if line.bank_account_id is None else "bank account"
        what = f"Line {before} is about the same {same}."
        return Finding("LINE_REPEATED", what, "Delete one of the two lines.")
    if not number:
        earlier[customer] = f"{line.line} {about}"
    if line.bank_account_id is not None:
        earlier[account] = str(line.line)
    return None


def is_named(line: Line, earlier: Earlier) -> bool:
    """Whether an earlier line of a file is about the same customer."""
    return earlier.get(_digest(f"customer {line.reference}")) is not None


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=12).hexdigest()


def account_of_another() -> Finding:
    return Finding("BANK_ACCOUNT_TAKEN", "The bank account belongs to another customer.")


def account_of_type(known: str) -> Finding:
    return Finding("BANK_ACCOUNT_TYPE_DIFFERS", f"The bank account is a {known} account.")


def balance_refused(line: Line) -> Finding | None:
    """Where a core bank is connected, it alone says what a bank account holds."""
    if line.bank_account_balance is None:
        return None
    what = "The core bank is connected and says the balance itself."
    return Finding("BALANCE_REFUSED", what, "Leave out the column bankAccountBalance.")


def customer_forgotten() -> Finding:
    return Finding(
        FORGOTTEN,
        "The customer's personal data were erased.",
        "Remove the line. Import a returning customer under a new reference.",
    )


def balance_not_applied(known: str) -> Finding:
    return Finding(
        "BALANCE_NOT_APPLIED",
        f"The bank account holds {known} USD here. An import sets the balance of a new bank "
        "account only.",
        "Compare it with the core bank's: deposits and withdrawals change it here.",
    )
