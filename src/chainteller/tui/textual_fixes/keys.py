"""Names of keys as ``App.set_keymap`` reads them.

Textual has no public way to ask; ``test_textual_fixes.py`` tells when it has one.
"""

from textual.keys import _normalize_key_list


def normalize_keys(keys: str) -> str:
    """``?,ctrl+f`` as Textual binds it: ``question_mark,ctrl+f``."""
    return _normalize_key_list(keys)
