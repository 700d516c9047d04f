"""Heads of the audit trail outside the database: signed notes, checkpoints, keys, witnesses.

The formats are those of https://c2sp.org: signed-note (v1.0.0), tlog-checkpoint (v1.0.0),
tlog-cosignature and tlog-witness.
"""
