"""What no log and no report of a fault may hold: keys, tokens and passwords are masked."""

import re

_SECRET = re.compile(
    r"(?i)(bearer\s+)\S+|\b(\w{2,20}_\w{2,12}_)[0-9A-Za-z]{8}_[0-9A-Za-z]{20,}|(://[^:/@\s]*:)[^@/\s]*@"
)


def without_secrets(text: str) -> str:
    """``text`` with API keys, bearer tokens and passwords in addresses masked."""
    return _SECRET.sub(lambda found: f"{found[1] or found[2] or found[3] or ''}***", text)
