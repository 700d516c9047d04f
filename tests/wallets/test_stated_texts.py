"""What the customer states as signed, in whatever they paste with it."""

import time

import pytest

from chainteller.wallets.stated import stated_texts

OURS = "EXAMPLEBANK-REFDDA1-0Y1JTCEV2BTD2CM6VBY0CA"


@pytest.mark.parametrize("blank", [" ", "\t", "\n", " \n", "\u00a0", "\t ", " )"])
def test_long_runs_of_blanks_take_no_longer_than_other_text(blank: str) -> None:
    paste = f"It says:{(blank * 2_900)[:2_900]}{OURS}{(blank * 2_900)[:2_900]}thanks"

    def seconds() -> float:
        started = time.thread_time()
        stated_texts(paste, OURS)
        return time.thread_time() - started

    assert min(seconds() for _ in range(3)) < 0.05
