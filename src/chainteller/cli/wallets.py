"""Blockchain accounts, counterparties and the proof that a wallet is the customer's (4.4)."""

import json
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chainteller.cli import wallet_steps as steps
from chainteller.cli.administration import existing
from chainteller.cli.documents import output_file
from chainteller.cli.error_output import Exit, Usage, say
from chainteller.cli.lists import Output, Row, output_options, row_fields, write_new_file
from chainteller.cli.open_services import service, writing
from chainteller.cli.options import FILE, group, idempotency_key, options
from chainteller.cli.output import answer, document, record, verbatim
from chainteller.cli.single_calls import add_list, add_show
from chainteller.domain import second_method
from chainteller.domain.challenges import ReverificationReason
from chainteller.domain.json_depth import parse_json
from chainteller.domain.pasted_secrets import Digits
from chainteller.domain.randomness import SystemRandomness
from chainteller.domain.second_method import StatementReason
from chainteller.domain.signing_pages import hash_of, new_token
from chainteller.given_files import MOST_BYTES
from chainteller.records.wallets import (
    BLOCKCHAIN_ACCOUNT,
    CHALLENGE,
    CLAIM,
    DIAGNOSIS,
    OWNERSHIP_STATEMENT,
    SHARED_WALLET,
    SMALL_TRANSFER,
    WALLET,
)
from chainteller.service import operations as op
from chainteller.service.entered_secrets import require_no_secret
from chainteller.service.errors import NotFound, NotOffered
from chainteller.service.interface import Service
from chainteller.service.models.counterparties import (
    ChallengeRequest,
    ClaimRequest,
    DiagnosisRequest,
    LinkRequest,
    OpenBlockchainAccount,
    RegisterCounterparty,
    ReverificationRequest,
    SmallTransferRequest,
    StatementRequest,
)
from chainteller.service.models.pages import Page

if TYPE_CHECKING:
    from chainteller.workspace.recording import Recorder

_LEAST_MINUTES, _USUAL_MINUTES, _MOST_MINUTES = (
    seconds // 60
    for seconds in (
        second_method.MINIMUM_VALIDITY_S,
        second_method.DEFAULT_VALIDITY_S,
        second_method.MAXIMUM_VALIDITY_S,
    )
)
RECHECKED = row_fields(
    "rechecked claim",
    ("id", "counterpartyId", "network", "method", "holds", "explanation"),
    id="claim",
    counterpartyId="wallet",
    network="network",
    method="method",
    level="evidence",
    holds="holds",
    reason="reason",
    explanation="explanation",
)


def _one_of(reasons: Iterable[str]) -> str:
    *most, last = reasons
    return f"{', '.join(most)} or {last}."


_on_network = click.option(
    "--network",
    required=True,
    metavar="N",
    help="ethereum, solana, bitcoin, base …; info lists all.",
)
_of_account = click.option(
    "--account", "account_id", required=True, metavar="BCA", help="Blockchain account."
)
_account_if_needed = click.option(
    "--account", "account_id", metavar="BCA", help="Blockchain account."
)


@group("blockchain-accounts")
def blockchain_accounts() -> None:
    """Blockchain accounts: open, list, show."""


@blockchain_accounts.command(
    "open",
    calls=[op.OPEN_BLOCKCHAIN_ACCOUNT],
    example="blockchain-accounts open TDA_... --network ethereum",
)
@click.argument("trading_account_id", metavar="TDA")
@_on_network
def open_blockchain_account(trading_account_id: str, network: str) -> None:
    """Open a blockchain account with a custody address."""
    request = OpenBlockchainAccount(trading_account_id=trading_account_id, network=network)
    with writing() as desk:
        written = desk.open_blockchain_account(request)
    record(written.value, BLOCKCHAIN_ACCOUNT)


add_list(
    blockchain_accounts,
    op.BLOCKCHAIN_ACCOUNTS,
    BLOCKCHAIN_ACCOUNT,
    "List blockchain accounts.",
    example="blockchain-accounts list --account TDA_...",
    nothing="no blockchain accounts; open one: chainteller blockchain-accounts open TDA "
    "--network ethereum",
)


add_show(
    blockchain_accounts,
    op.SHOW_BLOCKCHAIN_ACCOUNT,
    BLOCKCHAIN_ACCOUNT,
    "Show a blockchain account.",
    example="blockchain-accounts show BCA_SAMPLE1",
)


@group("wallets")
def wallets() -> None:
    """A customer's own wallets: register, challenge, sign, claim, transfer, link, recheck."""


@wallets.command(
    "register",
    calls=[op.REGISTER_COUNTERPARTY],
    example="wallets register 0x... --network ethereum",
)
@click.argument("address")
@_on_network
def register(address: str, network: str) -> None:
    """Register a wallet's address as a counterparty."""
    request = RegisterCounterparty(address=address, network=network)
    with writing() as desk:
        written = desk.register_counterparty(request)
    record(written.value, WALLET)


@wallets.command(
    "challenge",
    calls=[op.CREATE_CHALLENGE],
    example=(
        "wallets challenge CPT_... --account BCA_... | "
        "chainteller wallets sign --sample erin-ethereum"
    ),
)
@click.argument("counterparty_id", metavar="CPT")
@_of_account
def challenge(counterparty_id: str, account_id: str) -> None:
    """Create the message that the wallet's owner signs; only the message is printed on stdout."""
    request = ChallengeRequest(counterparty_id=counterparty_id)
    with writing() as desk:
        made = desk.create_challenge(account_id, request).value
    if options().json:
        document(made)
        return
    say(
        f"challenge {made.id}", f"expires {made.expires:%Y-%m-%dT%H:%M:%SZ}" if made.expires else ""
    )
    verbatim(made.challenge)


@wallets.command(
    "link-page",
    calls=[op.CREATE_CHALLENGE],
    example=(
        "wallets link-page CPT_... --account BCA_...",
        "wallets link-page CPT_... CPT_... --account BCA_...",
    ),
)
@click.argument("counterparty_ids", metavar="CPT...", nargs=-1, required=True)
@_of_account
def link_page(counterparty_ids: tuple[str, ...], account_id: str) -> None:
    """Create a message to sign for each wallet, with one page for the customer; only its link is
    printed on stdout.
    """
    wallet_ids = tuple(dict.fromkeys(counterparty_ids))
    with writing() as desk:
        capabilities = desk.service.capabilities()
        pages, most = capabilities.signing_pages, capabilities.signing_page_messages or 1
        if not pages:
            raise Usage(
                "This deployment has no signing pages.",
                "Set service.public_url where it is served, or use: wallets challenge",
            )
        if len(wallet_ids) > most:
            raise Usage(f"A signing page has at most {most} messages.", "Name fewer wallets.")
        token, made = new_token(SystemRandomness()), []
        for each in wallet_ids:
            request = ChallengeRequest(counterparty_id=each, page_token_hash=hash_of(token))
            key = idempotency_key()
            key = key if key is None or len(wallet_ids) == 1 else f"{key}.{each}"
            made.append(desk.create_challenge(account_id, request, idempotency_key=key).value)
            until = made[-1].expires
            say(f"challenge {made[-1].id}", f"expires {until:%Y-%m-%dT%H:%M:%SZ}" if until else "")
    link = f"{pages}{token}"
    if options().json:
        body = Page.whole(tuple(made)) if len(made) > 1 else made[0]
        document({**json.loads(body.to_json()), "url": link})
    else:
        verbatim(link)


@wallets.command(
    "claim",
    calls=[op.SUBMIT_CLAIM],
    example="wallets claim CHG_... SIGNATURE --account BCA_... --counterparty CPT_...",
)
@click.argument("challenge_id", metavar="CHG")
@click.argument("signature")
@_account_if_needed
@click.option("--counterparty", "counterparty_id", metavar="CPT", help="The wallet.")
def claim(
    challenge_id: str, signature: str, account_id: str | None, counterparty_id: str | None
) -> None:
    """Submit the signature of a challenge; SIGNATURE - reads stdin."""
    with writing() as desk:
        account, request = _claim(desk, challenge_id, signature, account_id, counterparty_id)
        made = desk.submit_claim(account, request).value
    if made.shared:
        say("Another customer has verified this wallet. Ask the customer who else uses it.")
    record(made, CLAIM, [("next", f"chainteller wallets link {made.id}")])


@wallets.command(
    "diagnose", calls=[op.DIAGNOSE_SIGNATURE], example="wallets diagnose CHG_... SIGNATURE"
)
@click.argument("challenge_id", metavar="CHG")
@click.argument("signature")
@_account_if_needed
@click.option("--counterparty", "counterparty_id", metavar="CPT", help="The wallet.")
@click.option(
    "--signed-text",
    metavar="TEXT",
    help="The text that the customer's wallet shows as signed.",
)
def diagnose(
    challenge_id: str,
    signature: str,
    account_id: str | None,
    counterparty_id: str | None,
    signed_text: str | None,
) -> None:
    """Explain whether a signature would be accepted, without submitting it.

    Takes a few seconds where what was signed isn't found at once.
    """
    with writing() as desk:
        account, request = _claim(desk, challenge_id, signature, account_id, counterparty_id)
        require_no_secret("signed text", signed_text or "")
        ask = partial(DiagnosisRequest.of, request, signed_text=signed_text)
        found = desk.service.diagnose_signature(account, ask())
        if found.can_search_longer:
            found = desk.service.diagnose_signature(account, ask(search_longer=True))
    record(found, DIAGNOSIS, [_with_text(challenge_id)] if found.asks_for_text else ())


def _with_text(challenge_id: str) -> tuple[str, str]:
    return "then", f"chainteller wallets diagnose {challenge_id} SIGNATURE --signed-text TEXT"


@wallets.command("link", calls=[op.LINK_COUNTERPARTY], example="wallets link CLM_...")
@click.argument("claim_id", metavar="CLM")
@click.option(
    "--account", "account_id", metavar="BCA", help="Needed if the claim wasn't made here."
)
@click.option(
    "--counterparty", "counterparty_id", metavar="CPT", help="The wallet; needed in the same case."
)
@click.option(
    "--acknowledge-shared",
    "is_acknowledged",
    is_flag=True,
    help="Link it although another customer has verified it.",
)
def link(
    claim_id: str, account_id: str | None, counterparty_id: str | None, *, is_acknowledged: bool
) -> None:
    """Link the wallet of a claim to its blockchain account."""
    with writing() as desk:
        step = steps.step_of(desk, claim_id, account_id, counterparty_id)
        address, network = steps.wallet_of(desk, step.counterparty_id)
        request = LinkRequest(
            address=address,
            network=network,
            ownership_claim_id=claim_id,
            acknowledged=is_acknowledged or None,
        )
        linked = desk.link_counterparty(step.account_id, request).value
    record(linked, WALLET)


add_list(
    wallets,
    op.LINKED_COUNTERPARTIES,
    WALLET,
    "List the wallets linked to a blockchain account.",
    example="wallets list --account BCA_SAMPLE1",
    nothing="no wallets linked; begin with: chainteller wallets register ADDRESS --network N",
    within=_of_account,
)


add_list(
    wallets,
    op.SHARED_WALLETS,
    SHARED_WALLET,
    "List the wallets that several customers have verified, with a line for each of them.",
    example=("wallets shared", "wallets shared --text 0x15d3"),
    nothing="no shared wallets",
    name="shared",
)


add_list(
    wallets,
    op.CHALLENGES,
    CHALLENGE,
    "List the challenges of a blockchain account, newest first.",
    example="wallets challenges --account BCA_SAMPLE1",
    nothing="no challenges",
    name="challenges",
    within=_of_account,
)


@wallets.command(
    "show",
    calls=[
        op.CHALLENGE_BY_ID,
        op.CLAIM_BY_ID,
        op.SMALL_TRANSFER_BY_ID,
        op.OWNERSHIP_STATEMENT_BY_ID,
    ],
    example=("wallets show CHG_...", "wallets show CLM_..."),
)
@click.argument("identifier", metavar="ID")
def show_step(identifier: str) -> None:
    """Show a challenge, a small transfer, a statement or an ownership claim; counterparties show
    shows the wallet itself.
    """
    with service() as bank:
        if identifier.startswith("CLM_"):
            record(bank.claim_by_id(identifier), CLAIM)
        elif identifier.startswith("STM_"):
            record(bank.ownership_statement_by_id(identifier), OWNERSHIP_STATEMENT)
        else:
            _show_challenge(bank, identifier)


def _show_challenge(bank: Service, identifier: str) -> None:
    """A challenge, or the small transfer with the same kind of id."""
    try:
        record(bank.challenge_by_id(identifier), CHALLENGE)
    except NotFound as unknown:
        try:
            record(bank.small_transfer_by_id(identifier), SMALL_TRANSFER)
        except (NotFound, NotOffered):
            raise unknown from None


@wallets.command(
    "transfer",
    calls=[op.CREATE_SMALL_TRANSFER],
    example="wallets transfer CPT_... --account BCA_...",
)
@click.argument("counterparty_id", metavar="CPT")
@_of_account
@click.option(
    "--minutes",
    type=click.IntRange(_LEAST_MINUTES, _MOST_MINUTES),
    metavar="N",
    help=f"Time in which it must arrive: {_LEAST_MINUTES} to {_MOST_MINUTES}. "
    f"Default: {_USUAL_MINUTES}.",
)
def transfer(counterparty_id: str, account_id: str, minutes: int | None) -> None:
    """Ask a wallet that can't sign to send an exact amount to itself."""
    request = SmallTransferRequest(
        counterparty_id=counterparty_id,
        valid_seconds=None if minutes is None else minutes * 60,
    )
    with writing() as desk:
        made = desk.create_small_transfer(account_id, request).value
    record(made, SMALL_TRANSFER, [("next", f"chainteller wallets show {made.id}")])


add_list(
    wallets,
    op.SMALL_TRANSFERS,
    SMALL_TRANSFER,
    "List the small transfers of a blockchain account, newest first.",
    example="wallets transfers --account BCA_SAMPLE1",
    nothing="no small transfers",
    name="transfers",
    within=_of_account,
)


@wallets.command(
    "state",
    calls=[op.CREATE_OWNERSHIP_STATEMENT],
    example=(
        "wallets state CPT_... 'It is my deposit address.' --account BCA_... "
        "--reason EXCHANGE_ADDRESS"
    ),
)
@click.argument("counterparty_id", metavar="CPT")
@click.argument("statement")
@_of_account
@click.option(
    "--reason",
    required=True,
    metavar="R",
    help=_one_of(StatementReason),
)
def state(counterparty_id: str, statement: str, account_id: str, reason: str) -> None:
    """Record what a customer states about a wallet; it verifies nothing by itself."""
    request = StatementRequest(counterparty_id=counterparty_id, reason=reason, statement=statement)
    with writing() as desk:
        made = desk.create_ownership_statement(account_id, request).value
    record(made, OWNERSHIP_STATEMENT)


add_list(
    wallets,
    op.OWNERSHIP_STATEMENTS,
    OWNERSHIP_STATEMENT,
    "List the statements about wallets of a blockchain account, newest first.",
    example="wallets statements --account BCA_SAMPLE1",
    nothing="no statements",
    name="statements",
    within=_of_account,
)


@wallets.command(
    "attestation",
    calls=[op.CLAIM_ATTESTATION, op.CLAIM_BY_ID],
    example=("wallets attestation CLM_... --output attestation.json",),
)
@click.argument("claim_id", metavar="CLM")
@output_file
def attestation(claim_id: str, file: Path | None) -> None:
    """Attest a claim: all its facts, signed by the bank's keys where it has some."""
    from chainteller.cli.attestations import as_json, signed_document, unsigned_document

    with service() as bank:
        try:
            made = signed_document(bank.claim_attestation(claim_id))
        except (NotFound, NotOffered) as unsigned:
            made = unsigned_document(bank.claim_by_id(claim_id))
            say("No key of the bank signed this attestation.", unsigned.suggestion)
    if file is not None:
        write_new_file(file, as_json(made))
        say(f"attestation of {claim_id} written to {file}")
    if options().json:
        document(made)
    elif file is None:
        verbatim(as_json(made).removesuffix("\n"))


@wallets.command(
    "reverify",
    calls=[op.REQUIRE_REVERIFICATION],
    example="wallets reverify CPT_... --account BCA_... --reason SUSPICIOUS_ACTIVITY",
)
@click.argument("counterparty_id", metavar="CPT")
@_of_account
@click.option(
    "--reason",
    required=True,
    metavar="R",
    help=_one_of(ReverificationReason),
)
def reverify(counterparty_id: str, account_id: str, reason: str) -> None:
    """End a wallet's verification at once; the customer must verify it again."""
    with writing() as desk:
        ended = desk.require_reverification(
            account_id, counterparty_id, ReverificationRequest(reason=reason)
        ).value
    record(ended, WALLET)


@wallets.command("recheck", changes=False, example=("wallets recheck", "wallets recheck CLM_..."))
@click.argument("claim_id", metavar="[CLM]", required=False)
@output_options(RECHECKED)
def recheck(claim_id: str | None, output: Output[Row]) -> int:
    """Check a stored claim again, or every claim of the database: signature, text, address, link,
    expiry and customer. Ends with 1 where something doesn't agree.
    """
    from chainteller.engine.operations.claim_proofs import recheck as rechecked

    with existing() as bank, bank.context.database.read(patient=True) as connection:
        found = [each.to_wire() for each in rechecked(connection, claim_id)]
    pagination = {"total": len(found), "page": 1, "limit": len(found)}
    output.write({"data": found, "pagination": pagination}, found, nothing="no ownership claims")
    contradicted = [each for each in found if not each["holds"]]
    if not contradicted:
        return Exit.DONE
    say(
        *(f"CLAIM_UNVERIFIABLE: {each['id']}: {each['explanation']}" for each in contradicted),
        "Next: don't pay these wallets; keep the database as it is and compare it with a backup.",
    )
    return Exit.REFUSED


@group("counterparties")
def counterparties() -> None:
    """Every wallet that was registered: list, show."""


add_list(
    counterparties,
    op.COUNTERPARTIES,
    WALLET,
    "List registered wallets, newest first.",
    example="counterparties list --text 0x15d3",
    nothing="no wallets registered",
)


add_show(
    counterparties,
    op.SHOW_COUNTERPARTY,
    WALLET,
    "Show a registered wallet.",
    example="counterparties show CPT_...",
    metavar="CPT",
)


@wallets.command(
    "sign",
    changes=False,
    example=(
        "wallets sign --sample erin-ethereum < challenge.json",
        "wallets sign --sample erin-ethereum --mistake wrong-account < challenge.json",
    ),
)
@click.option(
    "--sample",
    "name",
    required=True,
    metavar="NAME",
    help="erin-ethereum …; an unknown name lists all.",
)
@click.option(
    "--mistake", metavar="M", help="Make a mistake that customers make; an unknown name lists all."
)
@click.option(
    "--earlier",
    type=FILE,
    help="The earlier text, for the mistake earlier-challenge.",
)
def sign(name: str, mistake: str | None, earlier: Path | None) -> None:
    """Sign a challenge from stdin with a sample wallet's public test key.

    Stdin is the text itself or the JSON of `wallets challenge --json`.
    """
    from chainteller.cli.sample_wallets import sign_challenge

    signature = sign_challenge(name, _text_to_sign(_stdin()), mistake, earlier)
    answer({"sample": name, "completedChallenge": signature}, signature)


def _stdin() -> str:
    """All of stdin. Raises Usage: it has more than any text to sign or signature."""
    given = sys.stdin.read(MOST_BYTES + 1)
    if len(given) > MOST_BYTES:
        raise Usage("The text on stdin is too large.", "Hand on one signature or text to sign.")
    return given


def _text_to_sign(given: str) -> str:
    if "\N{REPLACEMENT CHARACTER}" in given:
        raise Usage("The text on stdin is not UTF-8.", "Hand on the challenge's bytes unchanged.")
    try:
        parsed = parse_json(given)
    except ValueError:
        return given.removesuffix("\n")
    found = parsed.get("challenge") if isinstance(parsed, dict) else None
    return found if isinstance(found, str) else given.removesuffix("\n")


def _claim(
    desk: "Recorder",
    challenge_id: str,
    signature: str,
    account_id: str | None,
    counterparty_id: str | None,
) -> tuple[str, ClaimRequest]:
    completed = _stdin().strip() if signature == "-" else signature
    require_no_secret("signature", completed, Digits.SIGNATURE)
    step = steps.step_of(desk, challenge_id, account_id, counterparty_id)
    return step.account_id, ClaimRequest(
        challenge_id=challenge_id,
        completed_challenge=completed,
        counterparty_id=step.counterparty_id,
    )


COMMANDS = (blockchain_accounts, counterparties, wallets)
