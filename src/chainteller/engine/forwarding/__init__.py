"""A gateway: calls that its provider carries out, and the records that are kept of them."""
