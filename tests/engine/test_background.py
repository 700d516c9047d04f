"""What is done beside requests goes on after a turn that failed."""

import threading

import pytest

from chainteller.engine.core import background
from chainteller.engine.core.background import Background


def test_a_turn_that_fails_ends_no_later_one(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(background, "_AFTER_A_FAULT_S", 0.0)
    again = threading.Event()

    class Once(Background):
        has_failed = False

        def _turn(self) -> float:
            if self.has_failed:
                again.set()
                return 3_600.0
            self.has_failed = True
            raise AssertionError("a row that nobody expected")

    once = Once("unlucky", first_s=0.0)
    once.start()
    assert again.wait(60)
    once.stop()
    assert "unlucky failed and tries again" in caplog.text
    assert "a row that nobody expected" in caplog.text
