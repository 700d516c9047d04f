"""The bank's customers: find, import and forget them; and the search over everything."""

from dataclasses import replace

from chainteller.service import errors
from chainteller.service.models.accounts import Customer
from chainteller.service.models.customers import (
    CustomerImport,
    ForgetCustomer,
    ForgottenCustomer,
    ImportCustomers,
)
from chainteller.service.models.finding import FindQuery, Found
from chainteller.service.models.pages import Page
from chainteller.service.operations.declaring import (
    ACCOUNTS,
    CUSTOMERS_FEATURE,
    TEXT,
    Kind,
    Parameter,
    Query,
    Read,
    Section,
    Write,
    listing,
)

REFERENCE_SORTS = ("reference", "-reference")
_IMPORTS = Section("Customers", "admin", "admin", CUSTOMERS_FEATURE, has_case=False)
_ERASURES = replace(_IMPORTS, has_case=True)

CUSTOMERS = Read(
    ACCOUNTS,
    "customers",
    "GET /customers",
    "Find the bank's customers by name, reference or bank account",
    Page[Customer],
    query=listing(TEXT, sorts=REFERENCE_SORTS),
    feature="customers",
)
IMPORT_CUSTOMERS = Write(
    _IMPORTS,
    "import_customers",
    "POST /customers/imports",
    "Import customers and their bank accounts; what is the same already stays as it is",
    CustomerImport,
    request=ImportCustomers,
)
CHECK_CUSTOMER_IMPORT = Read(
    _IMPORTS,
    "check_customer_import",
    "POST /customers/import-checks",
    "Show what an import of customers would do",
    CustomerImport,
    operation_id="checkCustomerImport",
    request=ImportCustomers,
)
FORGET_CUSTOMER = Write(
    _ERASURES,
    "forget_customer",
    "POST /customers/erasures",
    "Erase a customer's personal data; the books stay as they are",
    ForgottenCustomer,
    request=ForgetCustomer,
    errors=(errors.NotFound, errors.Conflict),
)
FIND = Read(
    ACCOUNTS,
    "find",
    "GET /find",
    "Find customers, accounts, trades, transfers, quotes and wallets, the best match first",
    Page[Found],
    operation_id="find",
    query=Query(
        FindQuery,
        (
            Parameter(
                "text",
                ("query",),
                Kind.TEXT,
                {"type": "string", "minLength": 1, "pattern": r"\S"},
                "Whatever somebody typed or said: names, also misspelt or abbreviated, ids, also "
                "as lists abbreviate them, addresses, amounts and days.",
                is_required=True,
            ),
        ),
    ),
    feature="find",
    is_whole=True,
)
