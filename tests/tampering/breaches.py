"""Every finding of ``verify`` on a small bank, word for word: what is done to it, and what is said.

``python -m tests.tampering.breaches`` writes ``breaches.txt`` again, to be read before it is kept:
a finding names its invariant, what is wrong and the row.
"""

import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import text
from tests.tampering.altering import unguarded
from tests.tampering.bank import busy_bank
from tests.world import core
from tests.world.engines import World

from chainteller.engine.operations import claim_proofs
from chainteller.engine.verification.full_pass import breaches
from chainteller.storage.db.query import Session

KEPT = Path(__file__).with_name("breaches.txt")
_NAMES = {
    "$SETTLED": "(SELECT min(id) FROM trade WHERE status = 'settled')",
    "$OPEN": "(SELECT min(id) FROM trade WHERE status = 'processing')",
    "$BUY": "(SELECT min(quote_id) FROM trade WHERE status = 'settled')",
    "$SALE": "(SELECT min(id) FROM quote WHERE side = 'sell')",
    "$DEPOSIT": "(SELECT min(id) FROM transfer WHERE direction = 'deposit')",
    "$WITHDRAWAL": "(SELECT min(record) FROM journal WHERE kind = 'confirmed')",
    "$PAYOUT": "(SELECT min(id) FROM transfer WHERE direction = 'withdrawal' "
    "AND counterparty_id IS NULL)",
    "$PAID": "(SELECT min(id) FROM transfer WHERE counterparty_id IS NOT NULL)",
    "$WALLET": "(SELECT min(counterparty_id) FROM transfer WHERE counterparty_id IS NOT NULL)",
    "$CLAIM": "(SELECT min(id) FROM claim WHERE method = 'signature' AND of_page IS NULL)",
    "$PAGE": "(SELECT min(id) FROM claim WHERE of_page)",
    "$DERIVED": "(SELECT min(id) FROM claim WHERE method = 'derivation')",
    "$TRANSFER": "(SELECT min(id) FROM claim WHERE method = 'transfer')",
    "$CONTRACT": "(SELECT min(id) FROM claim WHERE method = 'contract')",
}
_INDENT = "    "
"""Before what is found; a statement stands at the beginning of its line."""
_ID = re.compile(r"\b([A-Z]{3})_[0-9A-Za-z]{10,}")
_ROOT = re.compile(r"\b[0-9a-f]{64}\b")
STATEMENTS = (
    # quotes and trades
    "DELETE FROM quote WHERE id = $BUY",
    "UPDATE quote SET trade_id = 'TXN_1' WHERE id = $BUY",
    "UPDATE quote SET trade_id = NULL WHERE id = $BUY",
    "UPDATE quote SET status = 'open' WHERE id = $BUY",
    "UPDATE quote SET status = 'executed' WHERE id = $SALE",
    "UPDATE quote SET trading_account_id = 'TDA_1' WHERE id = $BUY",
    "UPDATE trade SET fee_cents = fee_cents + 1 WHERE id = $SETTLED",
    "UPDATE trade SET amount = amount + 1 WHERE id = $SETTLED",
    "UPDATE trade SET market = 'eth-usd' WHERE id = $SETTLED",
    "UPDATE quote SET expires = created - 1 WHERE id = $BUY",
    "UPDATE trade SET created = created - 1 WHERE id = $SETTLED",
    "UPDATE trade SET executed_at = settled_at + 1 WHERE id = $SETTLED",
    "UPDATE trade SET settled_at = NULL WHERE id = $SETTLED",
    "UPDATE trade SET cancelled_at = created WHERE id = $SETTLED",
    "UPDATE quote SET half_spread_bps = half_spread_bps + 1 WHERE id = $BUY",
    "UPDATE quote SET fee_flat_cents = fee_flat_cents + 1 WHERE id = $BUY",
    "UPDATE quote SET bought = bought - price_cents WHERE id = $BUY",
    "UPDATE quote SET bought = bought + 1 WHERE id = $BUY",
    "UPDATE quote SET mid_micros = mid_micros * 2 WHERE id = $BUY",
    "UPDATE quote SET bought = bought + 1 WHERE id = $SALE",
    "UPDATE quote SET usd_leg_cents = usd_leg_cents + 1 WHERE id = $SALE",
    "UPDATE quote SET mid_micros = mid_micros / 2 WHERE id = $SALE",
    # events, journals and transfers
    "UPDATE entry SET body = x'' WHERE object = $SETTLED",
    "UPDATE entry SET body = x'' WHERE object = $SETTLED AND action = 'trade.fill'",
    "UPDATE trade SET status = 'executed' WHERE id = $SETTLED",
    "UPDATE trade SET status = 'settled' WHERE id = $OPEN",
    "DELETE FROM trade WHERE id = $SETTLED",
    "UPDATE trade SET version = version + 1 WHERE id = $SETTLED",
    "UPDATE entry SET body = x'' WHERE object = $WITHDRAWAL",
    "UPDATE transfer SET version = version + 1 WHERE id = $WITHDRAWAL",
    "UPDATE transfer SET amount = amount + 1 WHERE id = $DEPOSIT",
    "UPDATE transfer SET status = 'processing' WHERE id = $DEPOSIT",
    "DELETE FROM journal WHERE kind = 'settle' AND record = $SETTLED",
    "UPDATE journal SET kind = 'release' WHERE kind = 'hold' AND record = $SETTLED",
    "UPDATE journal SET record = 'TXN_NONE' WHERE record = $WITHDRAWAL",
    "UPDATE journal SET number = number + 1 WHERE kind = 'settle' AND record = $SETTLED",
    "UPDATE journal SET organisation_id = 'other' WHERE kind = 'settle' AND record = $SETTLED",
    "UPDATE trade SET provider_cents = provider_cents + 1 WHERE id = $SETTLED",
    "UPDATE trade SET provider_cents = 0, sold = 1 WHERE id = $SETTLED",
    "UPDATE trade SET hold = '[]' WHERE id = $OPEN",
    # keys, limits and work
    "INSERT INTO idempotency SELECT organisation_id, operation, 'twice', fingerprint, "
    "created_record, body, at, NULL FROM idempotency WHERE key = 'key-0'",
    "UPDATE rule SET body = '[]' WHERE id = (SELECT rule_id FROM transfer WHERE id = $PAID)",
    "UPDATE transfer SET rule_id = 'RUL_1' WHERE id = $PAID",
    "UPDATE transfer SET rule_id = NULL WHERE id = $PAID",
    "UPDATE transfer SET notional_cents = 99999999 WHERE id = $PAID",
    "UPDATE transfer SET destination_class = 'VerifiedCounterparty1P' WHERE id = $PAYOUT",
    "UPDATE job SET reference = 'TXN_1' WHERE rowid = (SELECT min(rowid) FROM job)",
    "UPDATE job SET run_at = 1 WHERE kind = 'trade.fill'",
    "UPDATE job SET run_at = 4000000000000000 WHERE kind = 'trade.fill'",
    "DELETE FROM job WHERE kind = 'trade.fill'",
    "UPDATE tally SET total = total + 1 WHERE listed = (SELECT min(listed) FROM tally)",
    "DELETE FROM search_key WHERE id = (SELECT min(id) FROM search_key)",
    # wallets
    "DELETE FROM claim WHERE id = $CLAIM",
    "UPDATE claim SET counterparty_id = 'CPT_1' WHERE id = $CLAIM",
    "UPDATE challenge SET counterparty_id = 'CPT_1' WHERE claim_id = $CLAIM",
    "UPDATE challenge SET claim_id = 'CLM_1' WHERE claim_id = $CLAIM",
    "UPDATE link SET verified_at = 1 WHERE claim_id = $CLAIM",
    "UPDATE link SET first_linked_at = first_linked_at + 86400000000 "
    "WHERE counterparty_id = $WALLET",
    "DELETE FROM link WHERE counterparty_id = $WALLET",
    "UPDATE claim SET method = 'letter' WHERE id = $CLAIM",
    "UPDATE claim SET method = 'signature' WHERE id = $CONTRACT",
    "UPDATE claim SET scheme = 'eip191-other' WHERE id = $CLAIM",
    "UPDATE claim SET scheme = 'eip191' WHERE id = $CONTRACT",
    "UPDATE claim SET signer = lower(signer) WHERE id = $CLAIM",
    "UPDATE claim SET signature = substr(signature, 3) WHERE id = $CLAIM",
    "UPDATE claim SET signature = signature || '00' WHERE id = $CONTRACT",
    "UPDATE claim SET created = created + 1 WHERE id = $CLAIM",
    "UPDATE claim SET expires = expires + 1 WHERE id = $CLAIM",
    "UPDATE claim SET linked_at = linked_at + 1 WHERE id = $CLAIM",
    "UPDATE claim SET linked_at = NULL WHERE id = $CLAIM",
    "UPDATE claim SET linked_at = expires + 1 WHERE id = $CLAIM",
    "UPDATE claim SET linked_at = created - 1 WHERE id = $CLAIM",
    "UPDATE claim SET status = 'valid' WHERE id = $CLAIM",
    "UPDATE claim SET organisation_id = 'other' WHERE id = $CLAIM",
    "DELETE FROM challenge WHERE claim_id = $CLAIM",
    "UPDATE challenge SET text = text || ' ' WHERE claim_id = $CLAIM",
    "UPDATE challenge SET expires = expires + 1000000 WHERE claim_id = $CLAIM",
    "UPDATE challenge SET used_at = used_at - 1 WHERE claim_id = $CLAIM",
    "UPDATE challenge SET used_at = NULL WHERE claim_id = $CLAIM",
    "UPDATE challenge SET created = used_at + 1 WHERE claim_id = $CLAIM",
    "UPDATE challenge SET status = 'locked' WHERE claim_id = $CLAIM",
    "UPDATE challenge SET attempts = attempts + 9 WHERE claim_id = $CLAIM",
    "UPDATE challenge SET customer_id = 'CUS_1' WHERE claim_id = $CLAIM",
    "UPDATE counterparty SET address = lower(address) WHERE id = $WALLET",
    "UPDATE counterparty SET canonical = canonical || '1' WHERE id = $WALLET",
    "UPDATE counterparty SET kind = 'p2tr' WHERE id = $WALLET",
    "UPDATE counterparty SET network = 'base' WHERE id = $WALLET",
    "UPDATE counterparty SET network = 'nowhere' WHERE id = $WALLET",
    "DELETE FROM counterparty WHERE id = $WALLET",
    "UPDATE blockchain_account SET network = 'base'",
    "UPDATE link SET expires = expires + 1 WHERE counterparty_id = $WALLET",
    "UPDATE link SET last_used_at = last_used_at + 1 WHERE counterparty_id = $WALLET",
    "UPDATE link SET last_used_at = verified_at - 1 WHERE counterparty_id = $WALLET",
    "UPDATE link SET policy_version = 2 WHERE counterparty_id = $WALLET",
    "UPDATE link SET revoked_at = 1 WHERE counterparty_id = $WALLET",
    "UPDATE link SET revoked_reason = 'SANCTIONS_HIT' WHERE counterparty_id = $WALLET",
    "UPDATE link SET revoked_at = 1, revoked_reason = 'x' WHERE counterparty_id = $WALLET",
    "DELETE FROM claim_evidence WHERE claim_id = $CONTRACT",
    "UPDATE claim_evidence SET body = '{}' WHERE claim_id = $CONTRACT",
    "UPDATE claim_evidence SET body = 'x' WHERE claim_id = $CONTRACT",
    "UPDATE challenge SET text = replace(text, 'exactly', 'about') WHERE claim_id = $TRANSFER",
    "UPDATE claim SET signature = signature || '0' WHERE id = $TRANSFER",
    "UPDATE claim SET scheme = 'eip191' WHERE id = $TRANSFER",
    "UPDATE claim SET signer = lower(signer) WHERE id = $TRANSFER",
    # columns, clock and balances
    "ALTER TABLE trade ADD COLUMN rate FLOAT",
    "UPDATE ledger_account SET balance = '1.5' WHERE code = 'core'",
    "DELETE FROM clock",
    "UPDATE clock SET epoch = 1",
    "UPDATE clock SET began_at = 5",
    "UPDATE clock SET doubt = 'x'",
    "INSERT INTO journal VALUES ('X', 'hold', 'default', 1)",
    "UPDATE ledger_account SET version = version + 1 WHERE code = 'core'",
    "UPDATE ledger_account SET balance = balance + 1 WHERE code = 'custody'",
    "DELETE FROM ledger_account WHERE code = 'income:fee'",
    "INSERT INTO ledger_account VALUES ('nobody', 'USD@fiat', 'default', '0', 0)",
    "UPDATE ledger_account SET organisation_id = 'other' WHERE code = 'income:fee'",
    "UPDATE trading_account SET trade_count = trade_count + 1 WHERE rowid = 1",
    "UPDATE trading_account SET trade_count = trade_count - 1 WHERE rowid = 1",
    "UPDATE trade SET ordinal = ordinal + 100 WHERE ordinal = 2",
    "UPDATE entry SET number = 1000 WHERE number = 7 AND organisation_id = 'default'",
    "UPDATE entry SET trading_account_id = 'TDA_1' WHERE number = 3",
    "UPDATE entry SET at = at + 1 WHERE number = 20 AND organisation_id = 'default'",
    "UPDATE entry SET at = 1 WHERE number = 20 AND organisation_id = 'default'",
    "UPDATE entry SET object = 'x' WHERE number = 20 AND organisation_id = 'default'",
    "UPDATE entry SET mark = zeroblob(32) WHERE number = 20 AND organisation_id = 'default'",
    "UPDATE entry SET leaf = zeroblob(32) WHERE number = 20 AND organisation_id = 'default'",
    "UPDATE entry SET body = NULL WHERE number = 20 AND organisation_id = 'default'",
    "UPDATE log SET last_at = last_at + 1 WHERE organisation_id = 'default'",
    "INSERT INTO job (kind, reference, run_at) SELECT 'trade.fill', id, 0 FROM trade "
    "WHERE id = $SETTLED",
    "UPDATE entry SET body = x'00' WHERE number = 3 AND organisation_id = 'default'",
    "DELETE FROM journal WHERE record = $SETTLED",
    "DELETE FROM ledger_account WHERE code LIKE '%held' AND balance <> '0'",
    "UPDATE ledger_account SET balance = '-1' WHERE code = 'custody'",
    "INSERT INTO ledger_account "
    "VALUES ('customer:TDA_NONE:available', 'USD@fiat', 'default', '0', 0)",
    "UPDATE ledger_account SET asset = 'ABC@fiat' WHERE rowid = (SELECT min(rowid) "
    "FROM ledger_account WHERE balance <> '0' AND code LIKE 'customer:%')",
    "UPDATE transfer SET direction = 'x' WHERE id = $DEPOSIT",
    "DELETE FROM entry WHERE number = 20 AND organisation_id = 'default'",
    "DELETE FROM log WHERE organisation_id = 'default'",
    "UPDATE log SET mark = x'' WHERE organisation_id = 'default'",
    "UPDATE log SET size = size + 1 WHERE organisation_id = 'default'",
    "UPDATE log SET marked_with = 'x' WHERE organisation_id = 'default'",
    "UPDATE log SET archived = 20 WHERE organisation_id = 'default'",
    "INSERT INTO log VALUES ('branch', 1, 1, x'', 'x', 0, 0)",
    "INSERT INTO archive VALUES ('default', 1, 20, 'old.archive')",
    "UPDATE claim SET signer = 'x' WHERE id = $CONTRACT",
    "UPDATE challenge SET expires = expires + 1 WHERE claim_id = $TRANSFER",
    "UPDATE claim SET level = 'low' WHERE id = $CLAIM",
    "UPDATE claim SET method = 'transfer', level = (SELECT level FROM claim WHERE id = $TRANSFER) "
    "WHERE id = $CLAIM",
    "UPDATE blockchain_account SET network = 'ethereum-sepolia'",
    "UPDATE link SET claim_id = 'CLM_1' WHERE counterparty_id = $WALLET",
    "UPDATE ownership_statement SET status = 'accepted'",
    # signing pages and extended public keys
    "UPDATE claim SET of_page = NULL WHERE id = $PAGE",
    "UPDATE claim SET of_page = TRUE WHERE id = $CLAIM",
    "UPDATE challenge SET page_text = page_text || ' ' WHERE claim_id = $PAGE",
    "UPDATE challenge SET page_token = 'x' WHERE claim_id = $DERIVED",
    "UPDATE claim SET signature = id WHERE id = $DERIVED",
    "UPDATE claim SET signer = lower(signer) WHERE id = $DERIVED",
    "UPDATE claim_evidence SET body = replace(body, '0/', '7/') WHERE claim_id = $DERIVED",
    "UPDATE claim SET method = 'contract' WHERE id = "
    "(SELECT signature FROM claim WHERE id = $DERIVED)",
    "UPDATE link SET revoked_at = 1, revoked_reason = 'x' WHERE claim_id = "
    "(SELECT signature FROM claim WHERE id = $DERIVED)",
)


def kept() -> dict[str, list[str]]:
    """What is to be found after each statement, as the file says."""
    found: dict[str, list[str]] = {}
    statement = ""
    for line in KEPT.read_text(encoding="utf-8").splitlines():
        if line.startswith(_INDENT):
            found[statement].append(line.removeprefix(_INDENT))
        else:
            statement = line
            found[statement] = []
    return found


def said(bank: World, statement: str) -> list[str]:
    """What is found after a statement, which is then undone."""
    chosen = statement
    for name, query in _NAMES.items():
        chosen = chosen.replace(name, query)
    with unguarded(bank) as connection:
        for each in chosen.split("; "):
            altered = connection.execute(text(each)).rowcount
            assert altered, statement
        found = [_ROOT.sub("ROOT", _ID.sub(r"\1", line)) for line in _found(connection)]
        assert found, statement
        return found


def _found(connection: Session) -> Iterator[str]:
    for each in breaches(connection):
        if each.where != "catalogue":
            yield f"{each.invariant} {each.where}: {each.what}"
    for evidence, wrong in claim_proofs.recheck(connection):
        if wrong is not None:
            yield f"15 claim {evidence.claim_id}: {wrong.reason}: {wrong.explanation}"


def main() -> None:
    core.install()
    with tempfile.TemporaryDirectory() as folder:
        bank = busy_bank(Path(folder) / "bank.db")
        lines = []
        for statement in STATEMENTS:
            lines += [statement, *(_INDENT + line for line in said(bank, statement))]
        KEPT.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        bank.close()
    sys.stdout.write(f"{KEPT.name} written; read what changed\n")


if __name__ == "__main__":
    main()
