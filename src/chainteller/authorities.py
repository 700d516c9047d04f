"""The authorities that other machines' TLS certificates are checked with.

These are the public ones, the system's, and those that ``SSL_CERT_FILE`` or ``SSL_CERT_DIR`` names
in the environment, such as a bank's own.
"""

import os
import ssl
from functools import cache

import certifi


def authorities() -> ssl.SSLContext:
    """A context for connections to others."""
    return _context(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@cache
def _context(*_named: str | None) -> ssl.SSLContext:
    """Read the files once, as long as the environment names the same ones."""
    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context


def why_untrusted(fault: BaseException) -> str:
    """What is wrong with TLS, in words without the address; empty if it's something else."""
    found: BaseException | None = fault
    while found is not None:
        if isinstance(found, ssl.SSLCertVerificationError):
            return f"certificate not trusted: {found.verify_message.partition(',')[0]}"
        if isinstance(found, ssl.SSLError):
            return f"no TLS: {(found.reason or 'broken').lower().replace('_', ' ')}"
        found = found.__cause__ or found.__context__
    return ""
