"""Signatures by the published test keys, and which of them are right for which text."""

from collections import defaultdict

from tests.simulation.networks import key_of, keys_of

RIGHT_ANSWERS: dict[str, set[tuple[str, str]]] = defaultdict(set)
"""For each signature made here: the (address, text) pairs that it proves."""


def signed(address: str, text: str) -> str:
    """The text signed with an address's own key, as its wallet shows it."""
    signature = key_of(address).answer(text)
    RIGHT_ANSWERS[signature].add((address, text))
    return signature


def signed_by_another(address: str, text: str, number: int) -> str:
    """The text signed with another key of the same family."""
    own = key_of(address)
    others = [each for each in keys_of(own.family) if each.registered.display != address]
    chosen = others[number % len(others)].registered.display
    return signed(chosen, text)
