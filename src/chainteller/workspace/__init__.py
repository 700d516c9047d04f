"""What belongs to this desk and not to the bank: known ids, sent requests, notes, view state."""
