"""Statements of accounts."""

from chainteller.service import errors
from chainteller.service.models.statements import Statement, StatementQuery
from chainteller.service.operations.declaring import (
    ACCOUNT_PATH,
    ACCOUNTS,
    Query,
    Read,
    text_parameter,
)

STATEMENT = Read(
    ACCOUNTS,
    "statement",
    f"GET {ACCOUNT_PATH}/statement",
    "Make an account's statement: balances and movements of a period",
    Statement,
    query=Query(
        StatementQuery,
        (
            text_parameter(
                "from_time",
                "from",
                description="The first day (UTC), such as 2026-11-01, or a timestamp. Without it, "
                "the account's beginning.",
            ),
            text_parameter(
                "to_time",
                "to",
                description="The last day (UTC), which is included, or a timestamp, which isn't. "
                "Without it, the present.",
            ),
        ),
    ),
    feature="statements",
    errors=(errors.StatementUnbalanced,),
)
