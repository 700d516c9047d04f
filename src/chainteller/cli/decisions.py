"""Decisions: what waits for a person, and the controls and closed markets that people set."""

import click

from chainteller.cli.open_services import writing
from chainteller.cli.options import group
from chainteller.cli.output import record
from chainteller.cli.single_calls import add_change, add_list, add_show
from chainteller.domain.decisions import RefusalReason
from chainteller.records.decisions import DECISION
from chainteller.service import operations as op
from chainteller.service.models.decisions import (
    Approval,
    DecisionNote,
    OpenDecision,
    Refusal,
)

_one = click.argument("decision_id", metavar="ID")
_answer = click.option("--answer", metavar="WORDS", help="Why; customers don't see it.")


@group("decisions")
def decisions() -> None:
    """What waits for a person: withdrawals, controls, closed markets, statements."""


add_list(
    decisions,
    op.DECISIONS,
    DECISION,
    "List decisions, the earliest deadline first.",
    example=("decisions list --status open", "decisions list --kind control --account TDA_..."),
    nothing="nothing waits for a person",
)


add_show(decisions, op.DECISION, DECISION, "Show a decision.", example="decisions show DEC_...")


add_change(
    decisions,
    "take",
    op.TAKE_DECISION,
    DECISION,
    "Take a decision for fifteen minutes, so that others see who works on it.",
    example="decisions take DEC_...",
)


@decisions.command(
    "approve",
    calls=[op.APPROVE_DECISION],
    example="decisions approve DEC_... --answer 'The customer called back.'",
)
@_one
@_answer
def approve(decision_id: str, answer: str | None) -> None:
    """Let a withdrawal pass, accept a statement, lift a control or open a market."""
    asked = Approval(answer=answer)
    with writing() as desk:
        decided = desk.approve_decision(decision_id, asked)
    record(decided.value, DECISION)


@decisions.command(
    "refuse",
    calls=[op.REFUSE_DECISION],
    example="decisions refuse DEC_... --reason NOT_CONFIRMED --answer 'No call back.'",
)
@_one
@click.option(
    "--reason",
    required=True,
    metavar="R",
    help=f"{', '.join(RefusalReason)}; of a control or a market that stays, a code of your own.",
)
@_answer
@click.option("--until", metavar="TIME", help="Until when a control or a closed market stays.")
def refuse(decision_id: str, reason: str, answer: str | None, until: str | None) -> None:
    """Refuse a withdrawal, whose money is given back, or a statement; keep a control."""
    asked = Refusal(reason=reason, answer=answer, until=until)
    with writing() as desk:
        decided = desk.refuse_decision(decision_id, asked)
    record(decided.value, DECISION)


@decisions.command(
    "note", calls=[op.NOTE_DECISION], example="decisions note DEC_... 'Send a photo of the device.'"
)
@_one
@click.argument("text")
def note(decision_id: str, text: str) -> None:
    """Note what the customer is asked for; the first time, a withdrawal's deadline moves."""
    asked = DecisionNote(note=text)
    with writing() as desk:
        noted = desk.note_decision(decision_id, asked)
    record(noted.value, DECISION)


@decisions.command(
    "close-market",
    calls=[op.OPEN_DECISION],
    example="decisions close-market sol-usd --reason MAINTENANCE",
)
@click.argument("market")
@click.option("--reason", required=True, metavar="R", help="A code, such as MAINTENANCE.")
@click.option("--words", metavar="WORDS", help="More about the reason; customers don't see it.")
@click.option("--until", metavar="TIME", help="When it opens by itself, as 2026-11-30T08:00:00Z.")
def close_market(market: str, reason: str, words: str | None, until: str | None) -> None:
    """Close a market for everybody; approving the decision opens it."""
    asked = OpenDecision(kind="market", subject=market, reason=reason, words=words, until=until)
    with writing() as desk:
        record(desk.open_decision(asked).value, DECISION)


COMMANDS = (decisions,)
