"""The log: one append-only log per organisation, from which audit rows, events, postings and proofs
come."""
