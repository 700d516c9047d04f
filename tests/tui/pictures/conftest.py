"""What the walks share."""

from pathlib import Path

import pytest
from tests.tui.pictures.album import THEMES, Album, Format


@pytest.fixture
def themes() -> tuple[str, ...]:
    return THEMES


@pytest.fixture
def album(
    form: Format,
    themes: tuple[str, ...],
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Album:
    """An album for the pictures of one walk in one format."""
    if form.is_grey:
        monkeypatch.setenv("NO_COLOR", "1")  # the way a user asks for it
    folder = request.path.parent / "kept" / request.path.stem.removeprefix("test_")
    updates = bool(request.config.getoption("update_snapshots"))
    return Album(form, folder, themes, tmp_path, updates=updates)
