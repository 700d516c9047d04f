"""The operator's local data: known ids, sent requests, notes, receipts and view state."""
