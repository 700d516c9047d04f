"""The words of a finding and the four causes; every finding is worded in `findings` or a family."""

from dataclasses import dataclass

WRONG_MESSAGE_FORMAT = "WRONG_MESSAGE_FORMAT"
WRONG_WALLET_ADDRESS = "WRONG_WALLET_ADDRESS"
NETWORK_MISMATCH = "NETWORK_MISMATCH"
EXPIRED_CHALLENGE = "EXPIRED_CHALLENGE"

SIGN_AGAIN = "Have the customer copy the whole text once more and sign it unchanged."
SIGN_AS_ASKED = "Have the customer sign the text again as asked."
COPY_AGAIN = (
    "Could you copy the text from our message once more, all of it and nothing else, and sign it "
    "again?"
)
RIGHT_WALLET = "The signature is by the registered wallet, but"


@dataclass(frozen=True, slots=True)
class Wording:
    """The cause of a finding and its three texts; braces are filled by `diagnose`."""

    cause: str | None
    explanation: str
    ask_customer: str
    suggestion: str = ""
    """What the agent does; else what the customer is asked for, in other words."""

    def __post_init__(self) -> None:
        """One instruction: without a suggestion it's that of ``ask_customer``."""
        if not self.suggestion:
            same = SIGN_AGAIN if self.ask_customer == COPY_AGAIN else SIGN_AS_ASKED
            object.__setattr__(self, "suggestion", same)


def altered(what: str, ask: str = COPY_AGAIN, suggestion: str = "") -> Wording:
    """Wording of a signature by the registered wallet over something else than the text."""
    return Wording(WRONG_MESSAGE_FORMAT, f"{RIGHT_WALLET} {what}.", ask, suggestion)
