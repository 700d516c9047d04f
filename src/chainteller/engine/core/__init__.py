"""What every operation stands on: its context, its transaction, its outcome."""
