"""The operations of the service, and what they decide."""
