"""Idle event streams of one server process: what they cost, and when the last one has an event.

    PYTHONPATH=src:. python benchmarks/streams.py [--streams 900] [--seconds 10]

Opens streams on a server of its own (SQLite), measures the server's CPU time while nothing happens,
then makes quotes and prints when the first and the last stream had each of them.
"""
