"""The outcome of checking one deployment."""

from collections.abc import Mapping
from dataclasses import dataclass

from chainteller.conformance.checks import Finding, State, judge
from chainteller.conformance.exchanges import Exchange, Session
from chainteller.conformance.probes import Probe
from chainteller.conformance.probing import Prober, Target
from chainteller.conformance.specification import CHECKS
from chainteller.conformance.values import at
from chainteller.domain.randomness import Randomness
from chainteller.service.operations import FEATURES


@dataclass(frozen=True, slots=True)
class Report:
    """Findings in the order of the specification, and which additions are offered."""

    url: str
    write: bool
    account: str | None
    findings: tuple[Finding, ...]
    extensions: Mapping[str, bool]

    @property
    def deviates(self) -> bool:
        return any(finding.state is State.DEVIATES for finding in self.findings)

    def count(self, state: State) -> int:
        return sum(finding.state is state for finding in self.findings)

    def to_json(self) -> dict[str, object]:
        offered = sum(self.extensions.values())
        return {
            "url": self.url,
            "write": self.write,
            "account": self.account,
            "checks": [
                {
                    "id": finding.check.id,
                    "section": finding.check.section,
                    "sentence": finding.check.sentence,
                    "state": finding.state.value,
                    "notes": list(finding.notes),
                    "exchanges": finding.evidence(),
                }
                for finding in self.findings
            ],
            "extensions": [
                {"id": f"extension.{name}", "state": "offered" if has else "missing"}
                for name, has in self.extensions.items()
            ],
            "summary": {
                "checks": len(self.findings),
                "ok": self.count(State.OK),
                "deviates": self.count(State.DEVIATES),
                "notChecked": self.count(State.NOT_CHECKED),
                "extensionsOffered": offered,
                "extensionsMissing": len(self.extensions) - offered,
            },
        }


def check_deployment(url: str, session: Session, target: Target, randomness: Randomness) -> Report:
    """Make the requests and judge them.

    Raises:
        Unreachable: the first request got no reply.
        KeyRefused: it was answered with 401.
    """
    prober = Prober(session, target, randomness)
    prober.run()
    return Report(
        url,
        target.write,
        prober.account,
        tuple(judge(check, session.exchanges, session.reasons) for check in CHECKS),
        _extensions(session.exchanges),
    )


def _extensions(exchanges: Mapping[Probe, Exchange]) -> dict[str, bool]:
    """Every addition to the specification, and whether the deployment says that it offers it."""
    told = exchanges.get(Probe.CAPABILITIES)
    features = at(told.body, "features") if told is not None and told.is_success else None
    offered = features if isinstance(features, list) else []
    return {name: name in offered for name in FEATURES}
