"""Sample data that looks like a bank's morning, made from a seed and ``sample_data/``."""
