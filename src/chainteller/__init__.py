"""Chainteller: the desk at which a bank's agents serve customers who trade crypto assets."""

__version__ = "0.2.0"
