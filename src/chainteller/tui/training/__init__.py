"""The console with a training session behind it; imported by the ``train`` command only."""
