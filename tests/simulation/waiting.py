"""What waits in a deployment's file, read by SQL of its own: nothing waits for nobody and for no
time, and no deadline passes unnoticed."""

from typing import Any

_PARTS = {
    "IS_HELD": "status IN ('processing', 'reviewing')",
    "HAS_WORK": "EXISTS (SELECT 1 FROM job WHERE reference = waiting.id)",
    "HAS_DECISION": "EXISTS (SELECT 1 FROM decision WHERE subject = waiting.id"
    " AND status = 'open' AND organisation_id = waiting.organisation_id)",
    "OF_ACCOUNT": "code = 'customer:' || trading_account_id || ':held'",
}
"""What the statements below have in common."""
_WAITING = {
    "a transfer with neither work nor an open decision": """
        SELECT id FROM transfer AS waiting
        WHERE (IS_HELD OR status = 'sent') AND NOT HAS_WORK AND NOT HAS_DECISION""",
    "a withdrawal that waits for a person without an open decision": """
        SELECT id FROM transfer AS waiting WHERE status = 'reviewing'
        AND review_reason LIKE 'REVIEW!_%' ESCAPE '!' AND NOT HAS_DECISION""",
    "a review that ends at another time than its decision": """
        SELECT t.id FROM transfer AS t JOIN decision AS d ON d.subject = t.id
        WHERE t.status = 'reviewing' AND d.status = 'open' AND d.due <> t.review_eta""",
    "a trade without work": """
        SELECT id FROM trade AS waiting
        WHERE status IN ('processing', 'executed') AND NOT HAS_WORK""",
    "a control without an open decision": """
        SELECT id FROM trading_account AS waiting
        WHERE control IS NOT NULL AND control <> 'CLOSED' AND NOT HAS_DECISION""",
    "a closed market without an open decision": """
        SELECT market FROM market_control WHERE NOT EXISTS
        (SELECT 1 FROM decision WHERE subject = market AND status = 'open')""",
    "a statement without an open decision": """
        SELECT id FROM ownership_statement AS waiting
        WHERE status = 'reviewing' AND NOT HAS_DECISION""",
    "an open decision about a withdrawal that isn't reviewed": """
        SELECT id FROM decision AS d WHERE status = 'open' AND kind = 'withdrawal' AND NOT EXISTS
        (SELECT 1 FROM transfer WHERE id = d.subject AND status = 'reviewing')""",
    "an open decision about a control that isn't set": """
        SELECT id FROM decision AS d WHERE status = 'open' AND kind = 'control' AND NOT EXISTS
        (SELECT 1 FROM trading_account WHERE id = d.subject AND control = d.control)""",
    "held funds of an account in which nothing waits": """
        SELECT code FROM ledger_account WHERE code LIKE 'customer:%:held'
        AND CAST(balance AS REAL) <> 0 AND NOT EXISTS
        (SELECT 1 FROM transfer WHERE IS_HELD AND direction = 'withdrawal' AND OF_ACCOUNT)
        AND NOT EXISTS (SELECT 1 FROM trade WHERE status = 'processing' AND OF_ACCOUNT)""",
}
"""What would wait for nobody: its name, and the statement that finds it."""
_LATE = {
    "an open decision whose deadline has passed": """
        SELECT id FROM decision WHERE status = 'open' AND due <= """,
    "a review whose time has passed": """
        SELECT id FROM transfer WHERE status = 'reviewing' AND review_eta <= """,
    "work that is due and wasn't done": "SELECT reference FROM job WHERE run_at <= ",
}
"""What would be left behind once everything due was done."""


def wrong(reading: Any, done_until: int | None = None) -> list[str]:
    """What waits in a database for nobody and for no time, with ids; and, where everything due
    until an instant was done, what is late. ``reading`` is a driver's connection."""
    queries = {name: _whole(query) for name, query in _WAITING.items()}
    if done_until is not None:
        queries |= {name: f"{query}{done_until}" for name, query in _LATE.items()}
    return [
        f"{name}: {row[0]}"
        for name, query in queries.items()
        for row in reading.execute(query).fetchall()
    ]


def _whole(query: str) -> str:
    for name, part in _PARTS.items():
        query = query.replace(name, part)
    return query
