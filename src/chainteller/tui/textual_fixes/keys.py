"""Keys and their bindings, as far as Textual has no public way.

``test_textual_fixes.py`` tells when it has one.
"""

from collections.abc import Iterable

from textual.binding import BindingsMap, BindingType
from textual.dom import DOMNode
from textual.keys import _normalize_key_list


def normalize_keys(keys: str) -> str:
    """``?,ctrl+f`` as Textual binds it: ``question_mark,ctrl+f``."""
    return _normalize_key_list(keys)


def bind(node: DOMNode, bindings: Iterable[BindingType]) -> None:
    """Bind keys of one node; they hide those that its class has on the same keys."""
    node._bindings.key_to_bindings.update(BindingsMap(bindings).key_to_bindings)
