"""Sign with the wallet of a sample customer, correctly or with a common mistake."""

from pathlib import Path

from chainteller.cli.error_output import Usage
from chainteller.given_files import read_text
from chainteller.paths import shipped
from chainteller.settings.values import did_you_mean


def sign_challenge(name: str, text: str, mistake: str | None, earlier: Path | None) -> str:
    """The signature of ``text`` by the sample wallet ``name``. Raises Usage: no such wallet or
    mistake, or the earlier text cannot be read."""
    from chainteller.wallets.simulated import (
        MISTAKES,
        UnknownMistake,
        UnknownSampleWallet,
        sample_wallets,
        sign_sample,
    )

    wallets = sample_wallets(shipped("sample_data") / "wallets.toml")
    earlier_text = _read(earlier) if earlier else None
    try:
        return sign_sample(name, text, wallets=wallets, mistake=mistake, earlier_text=earlier_text)
    except UnknownSampleWallet:
        names = [wallet.name for wallet in wallets]
        raise Usage(
            f"There is no sample wallet {name!r}{did_you_mean(name, names)}",
            f"Choose one of {', '.join(names)}. Real keys are never asked for.",
        ) from None
    except UnknownMistake:
        raise Usage(
            f"The wallet {name!r} cannot make the mistake {mistake!r}.",
            f"Choose one of {', '.join(MISTAKES)}; earlier-challenge needs --earlier FILE.",
        ) from None


def _read(file: Path) -> str:
    try:
        return read_text(file).removesuffix("\n")
    except (OSError, UnicodeDecodeError):
        raise Usage(f"{file} cannot be read.", "Name a text file.") from None
