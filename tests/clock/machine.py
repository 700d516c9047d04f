"""A machine whose wall clock can be set while the time that really passes goes on."""

from dataclasses import dataclass

from chainteller.domain.clock import SystemClock, parse_instant

BEGINS = parse_instant("2026-11-20T12:00:00Z")


@dataclass(slots=True)
class Machine:
    """``true`` is the real time in microseconds; ``wrong`` how far the wall clock is ahead of it.

    ``jump_after`` readings of the wall clock from now, it's set ahead by ``jump``.
    """

    true: int = BEGINS
    wrong: int = 0
    booted: int = BEGINS - 3_600_000_000
    runs: int = 1
    linked: bool = True
    jump: int = 0
    jump_after: int = 0

    def passes(self, seconds: float) -> None:
        self.true += round(seconds * 1_000_000)

    def step(self, seconds: float) -> None:
        """Set the wall clock ahead, or back."""
        self.wrong += round(seconds * 1_000_000)

    def reboot(self) -> None:
        self.booted, self.runs = self.true, self.runs + 1


class MachineClock(SystemClock):
    """The clocks of a machine, as a process on it reads them."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def now(self) -> int:
        machine = self._machine
        if machine.jump_after:
            machine.jump_after -= 1
            if not machine.jump_after:
                machine.wrong += machine.jump
        return machine.true + machine.wrong

    def elapsed(self) -> int:
        return self._machine.true - self._machine.booted

    def boot(self) -> str:
        return f"run {self._machine.runs}" if self._machine.linked else ""
