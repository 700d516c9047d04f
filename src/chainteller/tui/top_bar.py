"""What the top bar says beside the screens: the place on its left, its reach on its right."""

from chainteller.domain.simulated import Part
from chainteller.records.formats import Piece, seconds_between
from chainteller.tui.desk import Desk


def deployment(desk: Desk) -> list[Piece]:
    kind = desk.settings.kind
    tone = {"TRAINING": "training", "PRODUCTION": "production", "DEMO": "warn strong"}.get(
        kind, "strong"
    )
    label = (desk.started.label if desk.started else "") or desk.settings.label
    pieces: list[Piece] = [(kind, tone)]
    if label:
        pieces.append((f" {label}", "muted"))
    if _has_simulated_custody(desk):
        pieces.append((" simulated", "warn"))
    mode = (" read-only", "warn") if desk.read_only else (" rw", "muted")
    if desk.privacy.hidden:
        pieces.append((" HIDDEN", "warn"))
    return [*pieces, mode]


def _has_simulated_custody(desk: Desk) -> bool:
    """Whether nothing is sent to a chain, which the name of a demo or training says itself."""
    offered = desk.capabilities
    is_real = desk.settings.kind not in ("DEMO", "TRAINING")
    return is_real and offered is not None and Part.CUSTODY in offered.simulated


def _call(desk: Desk, gap: str) -> str:
    """What waits to be looked at, the case, and how long the call lasts, by the minute."""
    alerts = f"({desk.alerts} new !){gap}" if desk.alerts else ""
    if desk.case_id or desk.lacks_case:
        alerts += f"{desk.case_id or '# case?'}{gap}"
    if desk.call_began is None:
        return alerts
    return f"{alerts}call {seconds_between(desk.call_began, desk.now) // 60} min{gap}"


_NARROW, _ROOMY = 110, 130
"""Columns below which the agent isn't named during a call, and from which the latency is."""


def describe_connection(desk: Desk, width: int) -> list[Piece]:
    """``width`` is the window's."""
    reach, narrow = desk.connection, width < _NARROW
    call = _call(desk, " " if narrow else "  ")
    operator: Piece = (call if call and narrow else call + desk.operator + "  ", "muted")
    if reach.state == "starting":
        return [operator, ("starting", "warn")]
    if reach.state == "failed":
        then = f"retry in {reach.retry_in_s} s" if reach.retry_in_s else "r: again"
        return [operator, (f"{reach.why}, {then}", "bad")]
    if silent := desk.silent_s:
        return [operator, (f"no answer for {silent} s  ", "bad"), (desk.last_answer, "muted")]
    is_told = desk.settings.poll_interval_s and width >= _ROOMY
    took = f"{reach.latency_ms} ms  " if is_told else ""
    return [operator, _standing(desk), (f"{took}{desk.last_answer}", "muted")]


def _standing(desk: Desk) -> Piece:
    """What the service said that stops something; that it's live where nothing does."""
    if desk.time_uncertain:
        return "time uncertain  ", "bad"
    return ("withdrawals stopped  ", "bad") if desk.payouts_stopped else ("live  ", "good")
