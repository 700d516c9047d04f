"""Signed heads and proofs of the audit log, and disputes."""

from chainteller.service import errors
from chainteller.service.models.books import ClearDispute, Dispute
from chainteller.service.models.heads import (
    AuditCheckpoint,
    AuditConsistency,
    AuditProof,
    ConsistencyQuery,
)
from chainteller.service.models.pages import Page
from chainteller.service.operations.declaring import (
    BANK,
    DISPUTES_FEATURE,
    HEADS,
    LAST_CURSOR,
    Kind,
    Parameter,
    Query,
    Read,
    Write,
)


def _size(field: str, name: str, default: int | None = None) -> Parameter:
    """The size of a log; without a default, it may be left out."""
    preset = {} if default is None else {"default": default}
    schema = {"type": "integer", "minimum": 0, "maximum": LAST_CURSOR, **preset}
    return Parameter(field, (name,), Kind.WHOLE_NUMBER, schema)


AUDIT_CHECKPOINT = Read(
    BANK,
    "audit_checkpoint",
    "GET /audit/checkpoint",
    "Read the signed head of the audit log: a C2SP checkpoint",
    AuditCheckpoint,
    feature=HEADS,
    errors=(errors.NotFound, errors.Conflict),
)
AUDIT_CONSISTENCY = Read(
    BANK,
    "audit_consistency",
    "GET /audit/consistency",
    "Prove that a larger head of the audit log continues a smaller one",
    AuditConsistency,
    query=Query(ConsistencyQuery, (_size("from_size", "from", 0), _size("to_size", "to"))),
    feature=HEADS,
    errors=(errors.NotFound,),
)
AUDIT_PROOF = Read(
    BANK,
    "audit_proof",
    "GET /audit/proofs/{seq}",
    "Prove that an audit row is in the log, by its number",
    AuditProof,
    feature=HEADS,
    errors=(errors.NotFound, errors.Conflict),
)
DISPUTES = Read(
    BANK,
    "disputes",
    "GET /disputes",
    "List what verification found wrong in the books, the newest first",
    Page[Dispute],
    scope="admin",
    feature=DISPUTES_FEATURE,
    is_whole=True,
)
CLEAR_DISPUTE = Write(
    BANK,
    "clear_dispute",
    "POST /disputes/{disputeId}/clearings",
    "Clear a dispute, so that payouts go on; it returns if the rows still differ",
    Dispute,
    request=ClearDispute,
    feature=DISPUTES_FEATURE,
    errors=(errors.Conflict,),
)
