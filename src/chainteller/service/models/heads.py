"""Heads of the audit trail and proofs about them; hashes are base64 (RFC 4648, section 4)."""

from chainteller.service.models.base import Many, Timestamp, WireModel


class HeadCosignature(WireModel):
    """A witness that cosigned a head, as far as the deployment checked it, and when."""

    name: str
    at: Timestamp


class AuditCheckpoint(WireModel):
    """A signed head of the caller's audit log.

    ``note`` is a C2SP signed note whose text is a tlog-checkpoint: ``origin``, ``size`` and
    ``root_hash`` repeat its lines. ``verifier_keys`` are the keys that sign now (NAME+ID+KEY).
    """

    origin: str
    size: int
    root_hash: str
    note: str
    verifier_keys: Many[str]
    cosignatures: Many[HeadCosignature] = ()
    witnessed_size: int = 0
    """The size of the largest head that a witness is known to keep; 0 for none."""


class AuditConsistency(WireModel):
    """A proof (RFC 6962, 2.1.2) that the log of ``to_size`` entries begins with the other one."""

    origin: str
    from_size: int
    to_size: int
    hashes: Many[str]


class AuditProof(WireModel):
    """A proof (RFC 6962, 2.1.1) that an audit row is in the log under the head in ``note``.

    The leaf is SHA-256(0x00 || ``entry``) in UTF-8, and its index in the tree ``seq`` - 1.
    """

    seq: int
    entry: str
    size: int
    root_hash: str
    hashes: Many[str]
    note: str


class WalletAttestation(WireModel):
    """A claim as the bank attests it.

    ``note`` is a C2SP signed note of the keys that sign the log's heads. Its text has three lines:
    "chainteller wallet attestation, version 2", the log's origin, and all facts as canonical JSON.
    Among them, ``entry`` and ``leaf`` (base64) say where the log has the claim; ``hashes`` prove
    it (RFC 6962, 2.1.1) under the head in ``checkpoint``.
    """

    note: str
    hashes: Many[str]
    checkpoint: str


class ConsistencyQuery(WireModel):
    """The sizes of two heads; without ``to_size``, that of the log."""

    from_size: int = 0
    to_size: int | None = None
