"""What a record shows: one list of fields per kind of record, used by every interface."""
