"""The header ``traceparent`` (W3C Trace Context), by which logs of a deployment name a caller.

A program that calls this one hands its trace on in the variable ``TRACEPARENT``, as OpenTelemetry
does; without it, each request begins a trace, which its repetitions share.
"""

import os
import re

from chainteller.domain.randomness import Randomness

_GIVEN = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")


def given_trace_id() -> str:
    """The id of the trace that this process belongs to; empty for none."""
    found = _GIVEN.fullmatch(os.environ.get("TRACEPARENT", ""))
    return found[1] if found is not None else ""


def traceparent(randomness: Randomness, trace_id: str = "") -> str:
    """The header of a request. Nothing is recorded here, so its flags say "not sampled"."""
    return f"00-{trace_id or randomness.bytes(16).hex()}-{randomness.bytes(8).hex()}-00"
