"""Traces, metrics and logs for OpenTelemetry.

``tracing`` is what the rest of the program uses: it says where spans are. ``sending`` imports
OpenTelemetry's SDK, an extra, and only where somebody wants telemetry.
"""
