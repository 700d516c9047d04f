"""Which sample customer verified which wallet when: one of every state, for the desk to show.

The wallets alice, bob and carol stay unregistered: demonstrations and training begin with them.
"""

from collections.abc import Callable

from chainteller.domain.challenges import MAXIMUM_ATTEMPTS, ReverificationReason
from chainteller.domain.clock import DAY, HOUR, MINUTE, SECOND
from chainteller.engine.samples import ownership
from chainteller.engine.samples.books import Row
from chainteller.engine.samples.ownership import Pair
from chainteller.engine.samples.story import Story

FIRST, LONGSTANDING = "CU-004711", "CU-001008"
_ACCOUNTS = (
    (FIRST, "ethereum", 109),
    (FIRST, "solana", 108),
    (LONGSTANDING, "ethereum", 428),
    (LONGSTANDING, "bitcoin", 427),
)
"""Customer, network and how many days before the last midnight it was opened."""
_VALID_S = 3600
_STAGE = 3 * MINUTE


def tell_past(story: Story) -> None:
    """All of it but what is under way when the desk opens."""
    for reference, network, days in _ACCOUNTS:
        _open(story, reference, network, _day(story, days, 10))
    _verify(story, _pair(story, FIRST, "ethereum", "dave-ethereum"), _day(story, 95, 11))
    _verify(
        story,
        _pair(story, FIRST, "solana", "dave-solana"),
        _day(story, 60, 14),
        lambda pair, linked: story.at(
            _day(story, 3, 16),
            lambda at: ownership.require_reverification(
                story.world, pair, linked, ReverificationReason.AGENT_REQUEST, at
            ),
        ),
    )
    _verify(
        story,
        _pair(story, LONGSTANDING, "ethereum", "frank-ethereum"),
        _day(story, 345, 9),
        # Used since, or it would lie dormant; the desk only shows that it falls due by its age.
        lambda _, linked: linked.update(last_used_at=_day(story, 20, 12)),
    )
    _verify(story, _pair(story, LONGSTANDING, "ethereum", "frank-solana"), _day(story, 400, 15))
    _challenge(story, _pair(story, FIRST, "ethereum", "erin-ethereum"), _day(story, 1, 11))
    _challenge(story, _pair(story, FIRST, "ethereum", "dave-bitcoin"), _day(story, 1, 15))
    _lock(story, _pair(story, LONGSTANDING, "bitcoin", "frank-bitcoin"), _day(story, 1, 13))
    _claim(story, _pair(story, FIRST, "solana", "erin-solana"), story.midnight - 25 * MINUTE)


def begin_day(story: Story) -> None:
    """A text waits for its signature; the customer has tried once, with the other account."""
    world, pair = story.world, _pair(story, FIRST, "ethereum", "erin-ethereum")

    def act(at: int) -> None:
        row = ownership.challenge(world, pair, at)
        story.at(
            world.now - 5 * SECOND,
            lambda when: ownership.refuse(world, pair, row, "OTHER_REGISTERED_ADDRESS", when),
        )

    story.at(world.now - 25 * SECOND, act)


def _day(story: Story, days: int, hour: int) -> int:
    return story.midnight - days * DAY + hour * HOUR


def _pair(story: Story, reference: str, network: str, wallet: str) -> Pair:
    return Pair(reference, network, story.world.wallets[wallet])


def _open(story: Story, reference: str, network: str, at: int) -> None:
    world = story.world
    story.at(
        at,
        lambda when: ownership.open_account(world, world.accounts[reference], network, when),
    )


def _challenge(
    story: Story, pair: Pair, at: int, then: Callable[[Row], None] = lambda _: None
) -> None:
    """Registered, and a text issued three minutes later."""
    world = story.world
    story.at(at, lambda when: ownership.register(world, pair, when))
    story.at(at + _STAGE, lambda when: then(ownership.challenge(world, pair, when, _VALID_S)))


def _claim(story: Story, pair: Pair, at: int, then: Callable[[Row], None] = lambda _: None) -> None:
    def challenged(row: Row) -> None:
        story.at(
            row["created"] + 4 * _STAGE,
            lambda when: then(ownership.claim(story.world, pair, row, when)),
        )

    _challenge(story, pair, at, challenged)


def _verify(
    story: Story,
    pair: Pair,
    at: int,
    then: Callable[[Pair, Row], None] = lambda _, __: None,
) -> None:
    def claimed(row: Row) -> None:
        story.at(
            row["created"] + 4 * SECOND,
            lambda when: then(pair, ownership.link(story.world, pair, row, when)),
        )

    _claim(story, pair, at, claimed)


def _lock(story: Story, pair: Pair, at: int) -> None:
    """Signed with the wrong account until no attempt is left."""

    def challenged(row: Row) -> None:
        for attempt in range(MAXIMUM_ATTEMPTS):
            story.at(
                row["created"] + (attempt + 1) * 2 * MINUTE,
                lambda when: ownership.refuse(story.world, pair, row, "UNKNOWN_SIGNER", when),
            )

    _challenge(story, pair, at, challenged)
