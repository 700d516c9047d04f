"""A small bank, and deployments of it, for every test that talks to a service."""
