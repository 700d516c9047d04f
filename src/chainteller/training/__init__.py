"""Guided training on a throw-away bank: scenarios, a clock of their own, faults and a score.

Nothing outside imports this package but the training commands; it knows ``Service`` only, and
changes to the bank itself go through the port in ``training.world``.
"""
