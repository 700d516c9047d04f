"""The wording of every finding: for the agent, for the customer, and what to do next.

The sentences hold only addresses, ids and names that the service itself knows.
"""

from chainteller.wallets.families import FAMILIES
from chainteller.wallets.family import Family, looks_like, signed_as
from chainteller.wallets.wording import (
    EXPIRED_CHALLENGE,
    NETWORK_MISMATCH,
    RIGHT_WALLET,
    WRONG_MESSAGE_FORMAT,
    WRONG_WALLET_ADDRESS,
    Wording,
    altered,
)

_ASK_FOR_ALL = "Ask for the complete signature."


def _paste(what: str, ask: str) -> Wording:
    return Wording(WRONG_MESSAGE_FORMAT, what, ask, _ASK_FOR_ALL)


_WHOLE = (
    "Could you copy the whole signature that your wallet shows after signing and send it again?"
)
_OWN_WALLET = (
    "Could you sign with the wallet you registered with us, the one whose address ends in "
    "{expected_end}?"
)
_HISTORY = (
    "Could you open your wallet's history, copy the text that it signed, and send it to us with "
    "the address that it shows?"
)
_NEW_MESSAGE = "Create a new message, and send it with the signing page: nothing is copied there."
_TEXT_BACK = (
    "Paste the text that the wallet shows as signed: it proves which of the two it is. If the "
    "customer can't find it, create a new message."
)
_OTHER_NETWORK = "Could you sign our text as a message with your {network} wallet?"

_GENERAL: dict[str, Wording] = {
    "ACCEPTED": Wording(
        None,
        "The registered wallet signed exactly the text of this challenge.",
        "Thank you, that is all we need.",
        "Submit the signature to open the claim.",
    ),
    "CHALLENGE_EXPIRED": Wording(
        EXPIRED_CHALLENGE,
        "The challenge expired at {expires_at}.",
        "The text you signed is out of date; may I send you a new one to sign?",
        "Create a new challenge and have the customer sign its text.",
    ),
    "CHALLENGE_USED": Wording(
        None,
        "This challenge has already been answered and cannot be used again.",
        "We already have your signature for this text, so there is nothing more to sign for it.",
        "Look at the claim it opened; create a new challenge if another claim is needed.",
    ),
    "CHALLENGE_LOCKED": Wording(
        None,
        "This challenge was locked after too many refused tries.",
        "May I send you a new text to sign?",
        "Create a new challenge.",
    ),
    # What was pasted
    "SECRET_PASTED": Wording(
        WRONG_MESSAGE_FORMAT,
        "What was pasted is {what}. Nothing of it was kept.",
        "Please never send anyone your private key or recovery words; if you sent them to us, "
        "move your funds to a new wallet, and then send us only the signature.",
        "Delete it wherever it was received. If it is a key or a phrase, tell the customer to move "
        "the funds to a new wallet now: whoever has seen it can spend them.",
    ),
    "TRANSACTION_HASH_PASTED": _paste(
        "What was pasted is the hash of a transaction, not a signature.",
        "That is a transaction; could you sign our text as a message and send the signature?",
    ),
    "EMPTY": _paste("Nothing was pasted.", _WHOLE),
    "TOO_LONG": _paste("What was pasted is far too long to be a signature.", _WHOLE),
    "TRUNCATED": _paste(
        "The signature is cut short: dots stand where characters are missing.", _WHOLE
    ),
    "ADDRESS_PASTED": _paste(
        "What was pasted is a wallet address, not a signature.",
        "That is your wallet's address; could you sign our text in the wallet and send what it "
        "shows then?",
    ),
    "TEXT_PASTED": _paste(
        "What was pasted is text, not a signature.",
        "Could you sign our text in your wallet and send the signature it shows, not the text "
        "itself?",
    ),
    "NOT_A_SIGNATURE": _paste(
        "What was pasted doesn't look like a signature of any wallet.", _WHOLE
    ),
    "WRONG_LENGTH": _paste(
        "The signature has the wrong length; part of it is missing or added.", _WHOLE
    ),
    "MALFORMED_SIGNATURE": _paste(
        "The numbers in the signature are out of range: no wallet makes such a signature.", _WHOLE
    ),
    "CONTRACT_WALLET": Wording(
        WRONG_MESSAGE_FORMAT,
        "This is the form smart-contract wallets (Safe, Coinbase Smart Wallet) answer in. It can "
        "only be checked against the chain.",
        "Is this a smart wallet, such as Safe or Coinbase Smart Wallet? We cannot check it from "
        "here. Do you have another wallet?",
        "Verify another wallet of the customer, or record a statement for a person to decide on.",
    ),
    "BIP322_UNSUPPORTED": Wording(
        WRONG_MESSAGE_FORMAT,
        "This is a proof by several keys, a script, a time lock or of funds (BIP-322). Such "
        "proofs are not supported; it says nothing about whose wallet it is.",
        "Does this wallet need several keys to sign? We can only verify a wallet with a single "
        "key.",
        "Verify a single-key wallet, or use the bank's procedure for shared wallets.",
    ),
    # The right key, the right text, a damaged form
    "MISSING_RECOVERY_BYTE": altered(
        "its last byte is missing", _WHOLE, "Ask for the complete signature."
    ),
    "WRONG_RECOVERY_BYTE": altered(
        "the byte that tells how to read it was changed",
        _WHOLE,
        "Ask for the signature as the wallet shows it.",
    ),
    "EXTRA_BYTES": altered(
        "something was added at its end", _WHOLE, "Ask for the signature as the wallet shows it."
    ),
    "SIGNATURE_REPEATED": altered(
        "it was pasted more than once without a break", _WHOLE, "Ask for the signature once."
    ),
    "HIGH_S": altered(
        "it is in a second form that wallets never produce, so it may have been altered on the way",
        "Could you sign our text once more and send us the signature just as your wallet shows it?",
        "Have the text signed again.",
    ),
    "KEY_FORM_IN_HEADER": altered(
        "its first byte names another form of the key than the address has",
        "Could you sign our text again and choose the registered address in the signing window?",
        "Have the text signed again with the registered address selected.",
    ),
    "TAPROOT_NEEDS_BIP322": altered(
        "it is the old kind of signature, which cannot prove a taproot address",
        "Could you sign the text with a wallet that can sign for an address that starts with bc1p?",
        "The wallet must sign with BIP-322; otherwise verify another address.",
    ),
    # The right key, another text
    "EARLIER_CHALLENGE": altered(
        "the text is that of challenge {other_challenge}",
        "You signed an earlier text of ours; could you sign the newest one?",
        "{other_action}",
    ),
    "OTHER_CHALLENGE": Wording(
        WRONG_WALLET_ADDRESS,
        "This is the answer to challenge {other_challenge} of counterparty {other_counterparty}, "
        "by that counterparty's own wallet.",
        "You signed the text for another of your wallets; could you sign the one for the wallet "
        "that ends in {expected_end}?",
        "{other_action}",
    ),
    "TRAILING_NEWLINE": altered("the text it signed ends in a line break that is not ours"),
    "TRAILING_SPACE": altered("the text it signed ends in a space that is not ours"),
    "LEADING_SPACE": altered(
        "the text it signed begins with a space or line break that is not ours"
    ),
    "SURROUNDING_SPACE": altered("the text it signed has spaces around it that are not ours"),
    "QUOTED_TEXT": altered(
        "the text it signed has quotation marks around it",
        "Could you sign the text again without the quotation marks around it?",
    ),
    "LINE_ENDINGS": altered("the line breaks in the text it signed are of another kind"),
    "LINE_BREAKS_LOST": altered("line breaks were lost from the text it signed"),
    "LINE_BREAKS_ADDED": altered(
        "the text it signed was broken into several lines",
        "Could you sign the text again as one single line, without line breaks in it?",
        "Send the text as a QR code or file: copying from a narrow window breaks lines.",
    ),
    "LITERAL_ESCAPES": altered("the text it signed holds the characters backslash and n"),
    "HEX_OF_TEXT": altered(
        "it signed the text turned into hex digits",
        "Could you sign the text itself, and switch off any hex option in your wallet?",
    ),
    "BASE64_OF_TEXT": altered("it signed the text turned into base64"),
    "BASE58_OF_TEXT": altered("it signed the text turned into base58"),
    "URL_ENCODED_TEXT": altered(
        "it signed the text with its spaces and signs turned into link codes"
    ),
    "UTF16_TEXT": altered("it signed the text in another character encoding"),
    "INVISIBLE_CHARACTERS": altered(
        "the text it signed holds invisible characters, as chat and mail programs insert them",
        suggestion="Send the text as a QR code or plain-text file.",
    ),
    "LOWER_CASE_TEXT": altered("it signed the text in small letters"),
    "UPPER_CASE_TEXT": altered("it signed the text in capital letters"),
    "FINAL_PERIOD_LOST": altered(
        "the full stop at the end of the text is missing",
        "Could you sign the text again, this time with the full stop at its end?",
    ),
    "SPACES_CHANGED": altered("spaces in the text it signed were added or lost"),
    "LABEL_INCLUDED": altered("it signed the text with a label in front of it"),
    "PART_OF_TEXT": altered("it signed only part of the text"),
    "PUNCTUATION_LOST": altered("the text it signed lost its punctuation"),
    "CHARACTERS_REPLACED": altered(
        "signs in the text it signed were replaced, as word processors do"
    ),
    "CASE_CHANGED": altered("capital and small letters in the text it signed were changed"),
    "MARKUP_ADDED": altered(
        "the text it signed has signs around it that a chat program uses for its layout",
        "Could you sign the text again without the signs around it?",
    ),
    "QUOTED_LINES": altered(
        "the text it signed has the signs of a quoted mail before its lines",
        "Could you copy the text from our own message, not from a reply, and sign it again?",
    ),
    "MAIL_ENCODING": altered(
        "the text it signed holds codes that mail programs and web pages write for characters",
        suggestion="Send the text as a QR code or plain-text file.",
    ),
    "TEXT_DOUBLED": altered("the text it signed is there more than once"),
    "TAIL_INCLUDED": altered(
        "the text it signed ends in the closing words of a mail",
        "Could you sign our text alone, without the words below it?",
    ),
    "ALTERED_TEXT": altered("the text it signed {what}"),
    "PART_RESPELLED": altered(
        "the address, a date or a reference in the text it signed is written in another way",
        "Could you copy the text from our message once more, without changing dates, addresses or "
        "references, and sign it again?",
    ),
    "TEXT_ENCODED": altered(
        "it signed the text as a program writes it, with other signs around it or as codes",
        "Could you sign the text itself, copied from our message, without a script or form in "
        "between?",
    ),
    "EDITED_TEXT": altered("the text that was copied shows that it signed another one than ours"),
    "RAW_HASH_SIGNED": altered(
        "it signed a bare hash of the text, as the old eth_sign does, instead of a message",
        "Could you use your wallet's 'sign message' function to sign our text?",
        "The wallet must use {sign_function}.",
    ),
    "HASH_OF_TEXT_SIGNED": altered(
        "it signed a hash of the text instead of the text",
        "Could you sign the text itself, without any hashing option?",
    ),
    "DOUBLE_PREFIX": altered(
        "a tool had already put a wallet's prefix before the text that it signed",
        "Could you sign the text directly in your wallet, without another tool in between?",
    ),
    # Another key
    "OTHER_REGISTERED_ADDRESS": Wording(
        WRONG_WALLET_ADDRESS,
        "The text was signed by {recovered}, another registered address of this customer "
        "(counterparty {other_counterparty}).",
        "You signed with your other wallet, the one that ends in {recovered_end}; could you "
        "switch to the one that ends in {expected_end} and sign again?",
        "Have it signed with the registered address, or verify the other address with its own "
        "challenge.",
    ),
    "OTHER_ADDRESS_OF_KEY": Wording(
        WRONG_WALLET_ADDRESS,
        "The text was signed for {recovered}. The proof carries its own key, so this is certain.",
        _OWN_WALLET,
        "Have it signed with the registered address, or register the address that signed.",
    ),
    "STATED_ADDRESS": Wording(
        WRONG_WALLET_ADDRESS,
        "The signature is by {recovered}, the address that the paste itself names; it isn't the "
        "registered one.",
        _OWN_WALLET,
        "Have it signed with the registered address, or register the address that signed.",
    ),
    "SAME_STRANGER_TWICE": Wording(
        WRONG_WALLET_ADDRESS,
        "Two answers to different challenges point to the same address {recovered}: the customer "
        "signs with that wallet, not with the registered one.",
        "You seem to sign with the wallet that ends in {recovered_end}; is that yours, or could "
        "you switch to the one that ends in {expected_end}?",
        "Have it signed with the registered address, or register the address that signed.",
    ),
    "UNKNOWN_TEXT": Wording(
        WRONG_MESSAGE_FORMAT,
        "The signature names the registered wallet, but it isn't over our text, nor over any form "
        "of it that we know.",
        _HISTORY,
        _NEW_MESSAGE,
    ),
    "OUR_TEXT_BY_ANOTHER": Wording(
        WRONG_WALLET_ADDRESS,
        "The customer's wallet shows our text as signed, but the registered wallet didn't make "
        "this signature. Another wallet probably signed.",
        "Which address does your wallet show beside that text: does it end in {expected_end}?",
        "If the address is another one, have the text signed with the registered wallet. If it is "
        "the registered one, " + _NEW_MESSAGE[0].lower() + _NEW_MESSAGE[1:],
    ),
    "SHOWN_TEXT_NOT_SIGNED": Wording(
        WRONG_WALLET_ADDRESS,
        "The registered wallet signed neither our text nor the one that the customer copied. "
        "Another wallet may have signed, or the text was copied from another signature.",
        "Which address does your wallet show beside that text: does it end in {expected_end}?",
        _NEW_MESSAGE,
    ),
    "UNKNOWN_SIGNER": Wording(
        WRONG_WALLET_ADDRESS,
        "The signature is well formed but is not the registered wallet's over this text. Either "
        "another wallet signed, or the registered one signed a text that differs in a way we "
        "could not find. Which of the two cannot be told from one signature.",
        _HISTORY,
        _TEXT_BACK,
    ),
    "SIGNER_CHANGED": Wording(
        WRONG_MESSAGE_FORMAT,
        "Answers to different challenges point to different addresses. One wallet that signs our "
        "text unchanged points to one, so the text is probably changed before it's signed.",
        _HISTORY,
        _TEXT_BACK,
    ),
    "NO_MATCH": Wording(
        WRONG_WALLET_ADDRESS,
        "The signature is well formed but is not the registered wallet's over this text. This "
        "kind of signature does not tell who made it: another wallet, or another text.",
        _HISTORY,
        _TEXT_BACK,
    ),
}


def _signed_as(family: Family) -> Wording:
    return Wording(
        NETWORK_MISMATCH,
        f"{RIGHT_WALLET} it was signed as {_a(family.label)} message; this address is on "
        "{network}.",
        _OTHER_NETWORK,
    )


def _looks_like(form: str) -> Wording:
    labels = ", ".join(family.label for family in FAMILIES if family.form == form)
    labels = " or ".join(labels.rsplit(", ", 1))
    return Wording(
        NETWORK_MISMATCH,
        f"The signature has the form of {_a(labels)} wallet's; this address is on {{network}}.",
        _OTHER_NETWORK,
        "Ask which wallet and network the customer signed with.",
    )


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "AEIOUX" else f"a {noun}"


FINDINGS: dict[str, Wording] = {
    **_GENERAL,
    **{signed_as(family): _signed_as(family) for family in FAMILIES if family.message_digests},
    **{looks_like(family): _looks_like(family.form) for family in FAMILIES},
    **{name: words for family in FAMILIES for name, words in family.findings.items()},
}
INCOMPLETE = frozenset(
    name for name, wording in FINDINGS.items() if wording.suggestion == _ASK_FOR_ALL
)
"""Findings of what is no signature, or not all of one: what was signed isn't known."""
