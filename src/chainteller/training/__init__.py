"""Guided training on a temporary bank: scenarios, a manual clock, faults and a score.

Only the training commands import this package. It uses ``Service``, and changes the bank itself
through the interface in ``training.world``.
"""
