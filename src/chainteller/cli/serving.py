"""``chainteller serve``: the HTTP service on the embedded engine."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from chainteller.bootstrap import deployment, gateway, issuer_of, load_samples, open_engine
from chainteller.cli.error_output import Usage, say
from chainteller.cli.options import FILE, command, options
from chainteller.cli.telemetry import GATEWAY, SERVICE, telemetry_of

if TYPE_CHECKING:
    from chainteller.api.server import Serving
    from chainteller.api.tls import Certificate


@command(
    "serve",
    changes=True,
    example=(
        "serve --port 8080",
        "serve --sample --log -",
        "serve --for https://provider.example/trading",
    ),
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0: a free one."
)
@click.option("--unix", type=FILE, metavar="PATH", help="Listen on a UNIX socket instead.")
@click.option("--tls-certificate", type=FILE, metavar="FILE", help="Certificate chain, as PEM.")
@click.option("--tls-key", type=FILE, metavar="FILE", help="Its private key, as PEM.")
@click.option(
    "--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="PostgreSQL only."
)
@click.option("--sample", is_flag=True, help="Load the sample data first.")
@click.option(
    "--for", "provider", metavar="URL", help="Serve as a gateway in front of this provider."
)
@click.option("--log", metavar="-", help="- logs to stderr instead of the log folder.")
def serve(  # noqa: PLR0913 - one per option
    host: str,
    port: int,
    unix: Path | None,
    tls_certificate: Path | None,
    tls_key: Path | None,
    workers: int,
    *,
    sample: bool,
    provider: str | None,
    log: str | None,
) -> int:
    """Serve the HTTP API until SIGTERM."""
    from chainteller.api.listening import Address, address_of
    from chainteller.api.server import Serving

    if log not in (None, "-"):
        raise Usage("--log takes only -.", "Leave it out: logs then go to the log folder.")
    source_of = click.get_current_context().get_parameter_source
    if unix is not None and {*map(source_of, ("host", "port"))} != {ParameterSource.DEFAULT}:
        raise Usage("--unix has neither a host nor a port.", "Leave out --host and --port.")
    if sample and provider is not None:
        raise Usage("A gateway has its provider's accounts.", "Leave out --sample.")
    configured = options().configured
    place = configured.database()
    if workers > 1 and place.address.startswith("sqlite"):
        raise Usage(
            "SQLite is served by one worker.", "Use --workers 1, or a postgresql:// database."
        )
    if workers > 1 and not hasattr(os, "fork"):
        raise Usage("This system can't start several workers: it has no fork.", "Use --workers 1.")
    service = configured.settings.service
    certificate = _certificate(
        tls_certificate or _path(service.tls_certificate), tls_key or _path(service.tls_key)
    )
    address = Address(host, port, unix)
    if certificate is None and not address.stays_on_this_machine and service.cleartext == "refuse":
        raise Usage(
            f"Without TLS, everybody on the way to {host} can read keys and customer data.",
            "Give --tls-certificate and --tls-key, listen on 127.0.0.1 or --unix behind a proxy, "
            'or set service.cleartext = "allow".',
        )
    file = None if log == "-" else configured.settings.paths.logs / "serve.log"
    metrics = address_of(service.metrics_address) if service.metrics_address else None
    telemetry = telemetry_of(configured, SERVICE if provider is None else GATEWAY)
    return _serve(
        Serving(address, workers, certificate, metrics, telemetry),
        log=file,
        sample=sample,
        provider=None if provider is None else provider_address(provider),
    )


def _serve(serving: "Serving", *, log: Path | None, sample: bool, provider: str | None) -> int:
    """Serve until a signal, as a gateway in front of a provider if one is named."""
    from chainteller.api.server import serve as run

    configured = options().configured
    found = open_engine(configured.settings, configured.database())
    if provider is not None:
        found = gateway(found, configured.settings, provider)
    if sample:
        load_samples(found, configured.settings.engine.seed)
    if found.context.kept is not None:
        found_wrong = found.context.kept.follow(found.context.database)
        say(*(f"BREACH: log {name}: {what}" for name, what in found_wrong.items()))
    issuer = issuer_of(configured.settings, found.context.options.policy)
    _begin_log(log)
    return run(deployment(found, configured.settings, configured.database(), issuer), serving)


def _begin_log(file: Path | None) -> None:
    """Log to a file, or to stderr. Raises Usage: the file can't be written."""
    from chainteller.api.logs import send_logs_to

    try:
        send_logs_to(file)
    except OSError as error:
        raise Usage(
            f"The log {file} can't be written: {error.strerror}.",
            "Let this user write there, or log to stderr: --log -",
        ) from None


def provider_address(text: str) -> str:
    """The address of a provider. Raises Usage."""
    from chainteller.remote.transport import destination

    try:
        destination(text)
    except ValueError as error:
        raise Usage(f"--for needs {error}.") from None
    return text.rstrip("/")


def _path(text: str) -> Path | None:
    return Path(text).expanduser() if text else None


def _certificate(chain: Path | None, key: Path | None) -> "Certificate | None":
    """The certificate of the options or settings; None without any. Raises Usage: one of the two
    files is missing or can't be used."""
    from chainteller.api.tls import Certificate

    if chain is None and key is None:
        return None
    if chain is None or key is None:
        raise Usage("TLS needs both files.", "Give --tls-certificate and --tls-key.")
    try:
        return Certificate(chain, key)
    except OSError as error:
        raise Usage(
            f"The certificate {chain} with the key {key} can't be used: {error.strerror or error}.",
            "Give a certificate chain and its unencrypted private key as PEM files.",
        ) from None


COMMANDS = (serve,)
