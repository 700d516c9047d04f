"""Blockchain accounts, counterparties and the proof that a wallet is the customer's (4.4)."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import click

from chainteller.cli import administration
from chainteller.cli import wallet_steps as steps
from chainteller.cli.error_output import Exit, Usage, say
from chainteller.cli.lists import Output, Selection, list_options, output_options, write_new_file
from chainteller.cli.open_services import service, writing
from chainteller.cli.options import FILE, group, idempotency_key, options
from chainteller.cli.output import answer, document, record, verbatim
from chainteller.domain import second_method
from chainteller.domain.challenges import ReverificationReason
from chainteller.domain.json_depth import parse_json
from chainteller.domain.pasted_secrets import Digits
from chainteller.domain.randomness import SystemRandomness
from chainteller.domain.second_method import StatementReason
from chainteller.domain.signing_pages import hash_of, new_token
from chainteller.records.fields import IDENTIFIER, TEXT, YES_OR_NO, Field, FieldList
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
from chainteller.service.errors import NotFound, NotOffered, ServiceError
from chainteller.service.interface import Service
from chainteller.service.models.base import WireModel
from chainteller.service.models.counterparties import (
    BlockchainAccount,
    Challenge,
    ChallengeRequest,
    ClaimRequest,
    Counterparty,
    DiagnosisRequest,
    LinkRequest,
    OpenBlockchainAccount,
    OwnershipClaim,
    OwnershipStatement,
    RegisterCounterparty,
    ReverificationRequest,
    SharedWallet,
    SmallTransfer,
    SmallTransferRequest,
    StatementRequest,
)
from chainteller.workspace.recording import Recorder

_LEAST_MINUTES, _USUAL_MINUTES, _MOST_MINUTES = (
    seconds // 60
    for seconds in (
        second_method.MINIMUM_VALIDITY_S,
        second_method.DEFAULT_VALIDITY_S,
        second_method.MAXIMUM_VALIDITY_S,
    )
)
RecheckedClaim = Mapping[str, Any]
RECHECKED: FieldList[RecheckedClaim] = FieldList(
    "rechecked claim",
    "",
    [
        Field("id", "claim", IDENTIFIER, value=itemgetter("id")),
        Field("counterpartyId", "wallet", IDENTIFIER, value=itemgetter("counterpartyId")),
        Field("network", "network", TEXT, value=itemgetter("network")),
        Field("method", "method", TEXT, value=itemgetter("method")),
        Field("level", "evidence", TEXT, value=itemgetter("level")),
        Field("holds", "holds", YES_OR_NO, value=itemgetter("holds")),
        Field("reason", "reason", TEXT, value=itemgetter("reason")),
        Field("explanation", "explanation", TEXT, value=itemgetter("explanation")),
    ],
    table=("id", "counterpartyId", "network", "method", "holds", "explanation"),
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


@blockchain_accounts.command(
    "list", calls=[op.BLOCKCHAIN_ACCOUNTS], example="blockchain-accounts list --account TDA_..."
)
@list_options(op.BLOCKCHAIN_ACCOUNTS, BLOCKCHAIN_ACCOUNT)
def list_blockchain_accounts(selection: Selection[BlockchainAccount]) -> None:
    """List blockchain accounts."""
    with service() as bank:
        selection.show(
            bank,
            bank.blockchain_accounts,
            nothing="no blockchain accounts; open one: chainteller blockchain-accounts open TDA "
            "--network ethereum",
        )


@blockchain_accounts.command(
    "show", calls=[op.SHOW_BLOCKCHAIN_ACCOUNT], example="blockchain-accounts show BCA_SAMPLE1"
)
@click.argument("account_id", metavar="ID")
def show_blockchain_account(account_id: str) -> None:
    """Show a blockchain account."""
    with service() as bank:
        record(bank.blockchain_account(account_id), BLOCKCHAIN_ACCOUNT)


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
        "wallets link-page CPT_... CPT_... --account BCA_... --wait",
    ),
)
@click.argument("counterparty_ids", metavar="CPT...", nargs=-1, required=True)
@_of_account
@click.option(
    "--wait",
    "is_waiting",
    is_flag=True,
    help="Wait for the customer's signatures and submit them; ends with 1 if the link closes "
    "first.",
)
def link_page(counterparty_ids: tuple[str, ...], account_id: str, *, is_waiting: bool) -> int:
    """Create a message to sign for each wallet, with one page for the customer; only its link is
    printed on stdout.

    With --wait, the link is on stderr and the claims on stdout.
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
            key = steps.key_of(idempotency_key(), each, wallet_ids)
            made.append(desk.create_challenge(account_id, request, idempotency_key=key).value)
            until = made[-1].expires
            say(f"challenge {made[-1].id}", f"expires {until:%Y-%m-%dT%H:%M:%SZ}" if until else "")
        if is_waiting:
            say(f"{pages}{token}")
            return _claim_from_page(desk, account_id, made)
    if options().json:
        document(_one_or_list(made) | {"url": f"{pages}{token}"})
    else:
        verbatim(f"{pages}{token}")
    return Exit.DONE


def _list_of(made: Sequence[WireModel]) -> dict[str, Any]:
    found = [each.model_dump(mode="json", by_alias=True) for each in made]
    return {"data": found, "pagination": {"total": len(found), "page": 1, "limit": len(found)}}


def _one_or_list(made: Sequence[WireModel]) -> dict[str, Any]:
    """The record that was made, or the envelope of several."""
    found = _list_of(made)
    return found if len(made) > 1 else found["data"][0]


def _claim_from_page(desk: Recorder, account_id: str, made: Sequence[Challenge]) -> int:
    """Submit what comes from a page once it would be accepted."""
    claims = []
    for signed, signature in steps.signatures_from_page(desk.service, made, account_id):
        request = ClaimRequest(
            challenge_id=signed.id,
            completed_challenge=signature,
            counterparty_id=signed.counterparty_id or "",
        )
        claims.append(desk.submit_claim(account_id, request).value)
        if not options().json:
            record(claims[-1], CLAIM, [_next_link(claims[-1])])
    if options().json and claims:
        document(_one_or_list(claims))
    if len(claims) == len(made):
        return Exit.DONE
    say(
        f"The message to sign was closed before it was signed: {len(claims)} of {len(made)}.",
        "Create a new link.",
    )
    return Exit.REFUSED


def _next_link(made: OwnershipClaim) -> tuple[str, str]:
    return "next", f"chainteller wallets link {made.id}"


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
    record(made, CLAIM, [_next_link(made)])


@wallets.command(
    "claim-all",
    calls=[op.SUBMIT_CLAIM],
    example="wallets claim-all - --account BCA_... < signatures.txt",
)
@click.argument("signatures")
@_of_account
def claim_all(signatures: str, account_id: str) -> int:
    """Submit each signature of a text for the open message that it proves.

    SIGNATURES - reads stdin. Ends with 1 where a signature proves none or isn't accepted.
    """
    text = sys.stdin.read() if signatures == "-" else signatures
    require_no_secret("signature", text, Digits.SIGNATURE)
    claims = []
    with writing() as desk:
        found = steps.signed_challenges(desk, account_id, text)
        refused = [*steps.explanations(desk.service, account_id, found)]
        for each in found.proved:
            key = steps.key_of(idempotency_key(), each.challenge.challenge_id, found.proved)
            try:
                made = desk.submit_claim(account_id, each.request(), idempotency_key=key).value
            except ServiceError as refusal:
                about = each.challenge.challenge_id
                refused.append(f"{refusal.code}: {about}: {refusal.message}")
                refused.append(f"Next: {refusal.suggestion}")
            else:
                claims.append(made)
    if options().json:
        document(_list_of(claims))
    else:
        for claim_made in claims:
            record(claim_made, CLAIM, [_next_link(claim_made)])
    if not found.proved:
        nothing = "NO_MATCH: No signature proves an open message."
        refused = [nothing, *refused, "Next: create a message to sign for each wallet."]
    say(*refused)
    return Exit.REFUSED if refused or not claims else Exit.DONE


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
    record(found, DIAGNOSIS)


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


@wallets.command(
    "list", calls=[op.LINKED_COUNTERPARTIES], example="wallets list --account BCA_SAMPLE1"
)
@_of_account
@list_options(op.LINKED_COUNTERPARTIES, WALLET)
def list_wallets(account_id: str, selection: Selection[Counterparty]) -> None:
    """List the wallets linked to a blockchain account."""
    with service() as bank:
        selection.show(
            bank,
            partial(bank.linked_counterparties, account_id),
            nothing="no wallets linked; begin with: "
            "chainteller wallets register ADDRESS --network N",
        )


@wallets.command(
    "shared", calls=[op.SHARED_WALLETS], example=("wallets shared", "wallets shared --text 0x15d3")
)
@list_options(op.SHARED_WALLETS, SHARED_WALLET)
def list_shared(selection: Selection[SharedWallet]) -> None:
    """List the wallets that several customers have verified, with a line for each of them."""
    with service() as bank:
        selection.show(bank, bank.shared_wallets, nothing="no shared wallets")


@wallets.command(
    "challenges", calls=[op.CHALLENGES], example="wallets challenges --account BCA_SAMPLE1"
)
@_of_account
@list_options(op.CHALLENGES, CHALLENGE)
def list_challenges(account_id: str, selection: Selection[Challenge]) -> None:
    """List the challenges of a blockchain account, newest first."""
    with service() as bank:
        selection.show(bank, partial(bank.challenges, account_id), nothing="no challenges")


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


@wallets.command(
    "transfers", calls=[op.SMALL_TRANSFERS], example="wallets transfers --account BCA_SAMPLE1"
)
@_of_account
@list_options(op.SMALL_TRANSFERS, SMALL_TRANSFER)
def list_small_transfers(account_id: str, selection: Selection[SmallTransfer]) -> None:
    """List the small transfers of a blockchain account, newest first."""
    with service() as bank:
        selection.show(
            bank, partial(bank.small_transfers, account_id), nothing="no small transfers"
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


@wallets.command(
    "statements",
    calls=[op.OWNERSHIP_STATEMENTS],
    example="wallets statements --account BCA_SAMPLE1",
)
@_of_account
@list_options(op.OWNERSHIP_STATEMENTS, OWNERSHIP_STATEMENT)
def list_statements(account_id: str, selection: Selection[OwnershipStatement]) -> None:
    """List the statements about wallets of a blockchain account, newest first."""
    with service() as bank:
        selection.show(
            bank, partial(bank.ownership_statements, account_id), nothing="no statements"
        )


@wallets.command(
    "attestation",
    calls=[op.CLAIM_ATTESTATION, op.CLAIM_BY_ID],
    example=(
        "wallets attestation CLM_... --output attestation.json",
        "wallets attestation CLM_... --output attestation.html",
    ),
)
@click.argument("claim_id", metavar="CLM")
@click.option(
    "--output",
    "file",
    type=FILE,
    metavar="FILE",
    help="Write a new file: .json to verify, .html to print.",
)
def attestation(claim_id: str, file: Path | None) -> None:
    """Attest a claim: all its facts, signed by the bank's keys where it has some."""
    from chainteller.cli import attestations

    form = attestations.FORMS.get(".json" if file is None else file.suffix.lower())
    if form is None:
        raise Usage("--output names a .json or .html file.", "Add one of these endings.")
    with service() as bank:
        try:
            made = attestations.signed_document(bank.claim_attestation(claim_id))
        except (NotFound, NotOffered) as unsigned:
            made = attestations.unsigned_document(bank.claim_by_id(claim_id))
            say("No key of the bank signed this attestation.", unsigned.suggestion)
    if file is not None:
        write_new_file(file, form(made))
        say(f"attestation of {claim_id} written to {file}")
    if options().json:
        document(made)
    elif file is None:
        verbatim(form(made).removesuffix("\n"))


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
def recheck(claim_id: str | None, output: Output[RecheckedClaim]) -> int:
    """Check a stored claim again, or every claim of the database: signature, text, address, link,
    expiry and customer. Ends with 1 where something doesn't agree.
    """
    found = administration.recheck(claim_id)
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


@counterparties.command(
    "list", calls=[op.COUNTERPARTIES], example="counterparties list --text 0x15d3"
)
@list_options(op.COUNTERPARTIES, WALLET)
def list_counterparties(selection: Selection[Counterparty]) -> None:
    """List registered wallets, newest first."""
    with service() as bank:
        selection.show(bank, bank.counterparties, nothing="no wallets registered")


@counterparties.command("show", calls=[op.SHOW_COUNTERPARTY], example="counterparties show CPT_...")
@click.argument("counterparty_id", metavar="CPT")
def show_counterparty(counterparty_id: str) -> None:
    """Show a registered wallet."""
    with service() as bank:
        record(bank.counterparty(counterparty_id), WALLET)


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

    signature = sign_challenge(name, _text_to_sign(sys.stdin.read()), mistake, earlier)
    answer({"sample": name, "completedChallenge": signature}, signature)


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
    desk: Recorder,
    challenge_id: str,
    signature: str,
    account_id: str | None,
    counterparty_id: str | None,
) -> tuple[str, ClaimRequest]:
    completed = sys.stdin.read().strip() if signature == "-" else signature
    require_no_secret("signature", completed, Digits.SIGNATURE)
    step = steps.step_of(desk, challenge_id, account_id, counterparty_id)
    return step.account_id, ClaimRequest(
        challenge_id=challenge_id,
        completed_challenge=completed,
        counterparty_id=step.counterparty_id,
    )


COMMANDS = (blockchain_accounts, counterparties, wallets)
