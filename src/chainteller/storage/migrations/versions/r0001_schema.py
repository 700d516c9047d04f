"""The whole schema of the first release."""

import sqlalchemy as sa
from alembic import op

from chainteller.storage.columns import Atoms
from chainteller.storage.migrations.guards import append_only, positive_balances

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table('audit',
    sa.Column('seq', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('at', sa.BigInteger(), nullable=False),
    sa.Column('organisation_id', sa.String(length=64), nullable=False),
    sa.Column('actor', sa.String(length=128), nullable=False),
    sa.Column('action', sa.String(length=64), nullable=False),
    sa.Column('object', sa.String(length=96), nullable=False),
    sa.Column('inputs', sa.Text(), nullable=False),
    sa.Column('outcome', sa.String(length=64), nullable=False),
    sa.Column('error', sa.String(length=64), nullable=True),
    sa.Column('previous_hash', sa.String(length=64), nullable=False),
    sa.Column('hash', sa.String(length=64), nullable=False),
    sa.PrimaryKeyConstraint('seq')
    )
    op.create_index(op.f('ix_audit_object'), 'audit', ['object'], unique=False)
    op.create_table('event',
    sa.Column('seq', sa.BigInteger(), autoincrement=False, nullable=False),
    sa.Column('id', sa.String(length=64), nullable=False),
    sa.Column('type', sa.String(length=64), nullable=False),
    sa.Column('at', sa.BigInteger(), nullable=False),
    sa.Column('organisation_id', sa.String(length=64), nullable=False),
    sa.Column('resource', sa.String(length=64), nullable=False),
    sa.Column('data', sa.Text(), nullable=False),
    sa.PrimaryKeyConstraint('seq')
    )
    op.create_table('head',
    sa.Column('name', sa.String(length=64), nullable=False),
    sa.Column('event_seq', sa.BigInteger(), nullable=False),
    sa.Column('audit_seq', sa.BigInteger(), nullable=False),
    sa.Column('audit_hash', sa.String(), nullable=False),
    sa.Column('last_at', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('name')
    )
    op.create_table('idempotency',
    sa.Column('organisation_id', sa.String(length=64), nullable=False),
    sa.Column('operation', sa.String(length=64), nullable=False),
    sa.Column('key', sa.String(length=255), nullable=False),
    sa.Column('fingerprint', sa.String(length=64), nullable=False),
    sa.Column('created_record', sa.Boolean(), nullable=False),
    sa.Column('body', sa.Text(), nullable=True),
    sa.Column('at', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('organisation_id', 'operation', 'key')
    )
    op.create_index(op.f('ix_idempotency_at'), 'idempotency', ['at'], unique=False)
    op.create_table('job',
    sa.Column('kind', sa.String(length=64), nullable=False),
    sa.Column('reference', sa.String(length=64), nullable=False),
    sa.Column('run_at', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('kind', 'reference')
    )
    op.create_index(op.f('ix_job_run_at'), 'job', ['run_at'], unique=False)
    op.create_table('journal',
    sa.Column('id', sa.String(length=96), nullable=False),
    sa.Column('kind', sa.String(length=64), nullable=False),
    sa.Column('reference', sa.String(length=64), nullable=False),
    sa.Column('at', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index(op.f('ix_journal_reference'), 'journal', ['reference'], unique=False)
    op.create_table('ledger_account',
    sa.Column('code', sa.String(length=96), nullable=False),
    sa.Column('asset', sa.String(length=64), nullable=False),
    sa.Column('owner', sa.String(length=64), nullable=False),
    sa.Column('balance', Atoms(), nullable=False),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.PrimaryKeyConstraint('code', 'asset')
    )
    op.create_index(op.f('ix_ledger_account_owner'), 'ledger_account', ['owner'], unique=False)
    op.create_table('market_control',
    sa.Column('market', sa.String(length=64), nullable=False),
    sa.Column('reason', sa.String(length=64), nullable=False),
    sa.Column('until', sa.BigInteger(), nullable=True),
    sa.PrimaryKeyConstraint('market')
    )
    op.create_table('organisation',
    sa.Column('id', sa.String(length=64), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('fee_flat_cents', sa.Integer(), nullable=False),
    sa.Column('fee_bps', sa.Integer(), nullable=False),
    sa.Column('fee_minimum_cents', sa.Integer(), nullable=False),
    sa.Column('created', sa.BigInteger(), nullable=False),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_table('api_key',
    sa.Column('key_id', sa.String(length=64), nullable=False),
    sa.Column('organisation_id', sa.String(length=64), nullable=False),
    sa.Column('name', sa.String(length=128), nullable=False),
    sa.Column('secret_hash', sa.String(length=64), nullable=False),
    sa.Column('scopes', sa.Text(), nullable=False),
    sa.Column('created', sa.BigInteger(), nullable=False),
    sa.Column('expires', sa.BigInteger(), nullable=True),
    sa.Column('revoked_at', sa.BigInteger(), nullable=True),
    sa.Column('last_used_at', sa.BigInteger(), nullable=True),
    sa.Column('replaced_by', sa.String(length=64), nullable=True),
    sa.ForeignKeyConstraint(['organisation_id'], ['organisation.id'], ),
    sa.PrimaryKeyConstraint('key_id')
    )
    op.create_table('counterparty',
    sa.Column('id', sa.String(length=64), nullable=False),
    sa.Column('organisation_id', sa.String(length=64), nullable=False),
    sa.Column('network', sa.String(length=64), nullable=False),
    sa.Column('canonical', sa.String(length=128), nullable=False),
    sa.Column('address', sa.String(length=128), nullable=False),
    sa.Column('kind', sa.String(length=64), nullable=False),
    sa.Column('created', sa.BigInteger(), nullable=False),
    sa.ForeignKeyConstraint(['organisation_id'], ['organisation.id'], ),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('ix_counterparty_address', 'counterparty', ['organisation_id', 'network', 'canonical'], unique=True)
    op.create_index('ix_counterparty_created', 'counterparty', ['organisation_id', 'created', 'id'], unique=False)
    op.create_table('customer',
    sa.Column('id', sa.String(length=64), nullable=False),
    sa.Column('organisation_id', sa.String(length=64), nullable=False),
    sa.Column('name', sa.String(), nullable=False),
    sa.Column('search_name', sa.String(), nullable=False),
    sa.Column('reference', sa.String(length=64), nullable=False),
    sa.Column('kyc_level', sa.String(length=64), nullable=False),
    sa.Column('terms_version', sa.String(length=64), nullable=True),
    sa.Column('control', sa.String(length=64), nullable=True),
    sa.Column('control_reason', sa.String(length=64), nullable=True),
    sa.ForeignKeyConstraint(['organisation_id'], ['organisation.id'], ),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('ix_customer_reference', 'customer', ['organisation_id', 'reference'], unique=False)
    op.create_table('posting',
    sa.Column('code', sa.String(length=96), nullable=False),
    sa.Column('asset', sa.String(length=64), nullable=False),
    sa.Column('account_version', sa.Integer(), nullable=False),
    sa.Column('journal_id', sa.String(length=96), nullable=False),
    sa.Column('debit', sa.Boolean(), nullable=False),
    sa.Column('atoms', Atoms(), nullable=False),
    sa.Column('balance_after', Atoms(), nullable=False),
    sa.ForeignKeyConstraint(['journal_id'], ['journal.id'], ),
    sa.PrimaryKeyConstraint('code', 'asset', 'account_version')
    )
    op.create_index(op.f('ix_posting_journal_id'), 'posting', ['journal_id'], unique=False)
    op.create_table('quote',
    sa.Column('id', sa.String(length=64), nullable=False),
    sa.Column('organisation_id', sa.String(length=64), nullable=False),
    sa.Column('trading_account_id', sa.String(length=64), nullable=True),
    sa.Column('market', sa.String(length=64), nullable=False),
    sa.Column('side', sa.String(length=64), nullable=False),
    sa.Column('status', sa.String(length=64), nullable=False),
    sa.Column('price_cents', sa.BigInteger(), nullable=False),
    sa.Column('sold', Atoms(), nullable=False),
    sa.Column('bought', Atoms(), nullable=False),
    sa.Column('fee_cents', sa.BigInteger(), nullable=False),
    sa.Column('usd_leg_cents', sa.BigInteger(), nullable=False),
    sa.Column('fee_flat_cents', sa.BigInteger(), nullable=False),
    sa.Column('fee_bps', sa.Integer(), nullable=False),
    sa.Column('mid_micros', sa.BigInteger(), nullable=False),
    sa.Column('half_spread_bps', sa.Integer(), nullable=False),
    sa.Column('hold_premium_bps', sa.Integer(), nullable=False),
    sa.Column('window', sa.BigInteger(), nullable=False),
    sa.Column('created', sa.BigInteger(), nullable=False),
    sa.Column('expires', sa.BigInteger(), nullable=False),
    sa.Column('trade_id', sa.String(length=64), nullable=True),
    sa.Column('executed_at', sa.BigInteger(), nullable=True),
    sa.ForeignKeyConstraint(['organisation_id'], ['organisation.id'], ),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('ix_quote_account', 'quote', ['trading_account_id', 'created', 'id'], unique=False)
    op.create_index('ix_quote_created', 'quote', ['organisation_id', 'created', 'id'], unique=False)
    op.create_index('ix_quote_open', 'quote', ['trading_account_id', 'expires'], unique=False, sqlite_where=sa.text("status = 'open'"), postgresql_where=sa.text("status = 'open'"))
    op.create_table('bank_account',
    sa.Column('organisation_id', sa.String(length=64), nullable=False),
    sa.Column('id', sa.String(length=64), nullable=False),
    sa.Column('customer_id', sa.String(length=64), nullable=False),
    sa.Column('type', sa.String(length=64), nullable=False),
    sa.Column('balance', Atoms(), nullable=False),
    sa.Column('trading_account_id', sa.String(length=64), nullable=True),
    sa.ForeignKeyConstraint(['customer_id'], ['customer.id'], ),
    sa.ForeignKeyConstraint(['organisation_id'], ['organisation.id'], ),
    sa.PrimaryKeyConstraint('organisation_id', 'id')
    )
    op.create_index(op.f('ix_bank_account_customer_id'), 'bank_account', ['customer_id'], unique=False)
    op.create_table('trading_account',
    sa.Column('id', sa.String(length=64), nullable=False),
    sa.Column('organisation_id', sa.String(length=64), nullable=False),
    sa.Column('bank_account_id', sa.String(length=64), nullable=False),
    sa.Column('bank_account_type', sa.String(length=64), nullable=False),
    sa.Column('customer_id', sa.String(length=64), nullable=False),
    sa.Column('control', sa.String(length=64), nullable=True),
    sa.Column('control_reason', sa.String(length=64), nullable=True),
    sa.Column('created', sa.BigInteger(), nullable=False),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.Column('trade_count', sa.Integer(), nullable=False),
    sa.Column('deposit_count', sa.Integer(), nullable=False),
    sa.Column('withdrawal_count', sa.Integer(), nullable=False),
    sa.Column('transaction_count', sa.Integer(), nullable=False),
    sa.Column('last_activity', sa.BigInteger(), nullable=False),
    sa.Column('last_activity_type', sa.String(length=64), nullable=True),
    sa.ForeignKeyConstraint(['customer_id'], ['customer.id'], ),
    sa.ForeignKeyConstraint(['organisation_id'], ['organisation.id'], ),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('ix_trading_account_activity', 'trading_account', ['organisation_id', 'last_activity', 'id'], unique=False)
    op.create_index('ix_trading_account_bank', 'trading_account', ['organisation_id', 'bank_account_id'], unique=False)
    op.create_index('ix_trading_account_created', 'trading_account', ['organisation_id', 'created', 'id'], unique=False)
    op.create_index(op.f('ix_trading_account_customer_id'), 'trading_account', ['customer_id'], unique=False)
    op.create_table('blockchain_account',
    sa.Column('id', sa.String(length=64), nullable=False),
    sa.Column('organisation_id', sa.String(length=64), nullable=False),
    sa.Column('trading_account_id', sa.String(length=64), nullable=False),
    sa.Column('customer_id', sa.String(length=64), nullable=False),
    sa.Column('network', sa.String(length=64), nullable=False),
    sa.Column('address', sa.String(length=128), nullable=False),
    sa.Column('status', sa.String(length=64), nullable=False),
    sa.Column('created', sa.BigInteger(), nullable=False),
    sa.ForeignKeyConstraint(['customer_id'], ['customer.id'], ),
    sa.ForeignKeyConstraint(['organisation_id'], ['organisation.id'], ),
    sa.ForeignKeyConstraint(['trading_account_id'], ['trading_account.id'], ),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('ix_blockchain_account_created', 'blockchain_account', ['organisation_id', 'created', 'id'], unique=False)
    op.create_index(op.f('ix_blockchain_account_customer_id'), 'blockchain_account', ['customer_id'], unique=False)
    op.create_index(op.f('ix_blockchain_account_trading_account_id'), 'blockchain_account', ['trading_account_id'], unique=False)
    op.create_table('trade',
    sa.Column('id', sa.String(length=64), nullable=False),
    sa.Column('organisation_id', sa.String(length=64), nullable=False),
    sa.Column('trading_account_id', sa.String(length=64), nullable=False),
    sa.Column('ordinal', sa.Integer(), nullable=False),
    sa.Column('transaction_ordinal', sa.Integer(), nullable=False),
    sa.Column('quote_id', sa.String(length=64), nullable=False),
    sa.Column('market', sa.String(length=64), nullable=False),
    sa.Column('side', sa.String(length=64), nullable=False),
    sa.Column('status', sa.String(length=64), nullable=False),
    sa.Column('price_cents', sa.BigInteger(), nullable=False),
    sa.Column('amount', Atoms(), nullable=False),
    sa.Column('sold', Atoms(), nullable=False),
    sa.Column('bought', Atoms(), nullable=False),
    sa.Column('fee_cents', sa.BigInteger(), nullable=False),
    sa.Column('fee_flat_cents', sa.BigInteger(), nullable=False),
    sa.Column('fee_bps', sa.Integer(), nullable=False),
    sa.Column('provider_cents', sa.BigInteger(), nullable=False),
    sa.Column('hold', sa.Text(), nullable=False),
    sa.Column('created', sa.BigInteger(), nullable=False),
    sa.Column('updated', sa.BigInteger(), nullable=False),
    sa.Column('executed_at', sa.BigInteger(), nullable=True),
    sa.Column('settled_at', sa.BigInteger(), nullable=True),
    sa.Column('cancelled_at', sa.BigInteger(), nullable=True),
    sa.Column('failure_code', sa.String(length=64), nullable=True),
    sa.Column('failure_message', sa.String(), nullable=True),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.ForeignKeyConstraint(['organisation_id'], ['organisation.id'], ),
    sa.ForeignKeyConstraint(['quote_id'], ['quote.id'], ),
    sa.ForeignKeyConstraint(['trading_account_id'], ['trading_account.id'], ),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('quote_id')
    )
    op.create_index('ix_trade_created', 'trade', ['organisation_id', 'created', 'id'], unique=False)
    op.create_index('ix_trade_ordinal', 'trade', ['trading_account_id', 'ordinal'], unique=True)
    op.create_index('ix_trade_organisation_status', 'trade', ['organisation_id', 'status', 'created', 'id'], unique=False)
    op.create_index('ix_trade_status', 'trade', ['trading_account_id', 'status', 'ordinal'], unique=False)
    op.create_index('ix_trade_transaction', 'trade', ['trading_account_id', 'transaction_ordinal'], unique=False)
    op.create_table('transfer',
    sa.Column('id', sa.String(length=64), nullable=False),
    sa.Column('organisation_id', sa.String(length=64), nullable=False),
    sa.Column('trading_account_id', sa.String(length=64), nullable=False),
    sa.Column('direction', sa.String(length=64), nullable=False),
    sa.Column('ordinal', sa.Integer(), nullable=False),
    sa.Column('transaction_ordinal', sa.Integer(), nullable=False),
    sa.Column('status', sa.String(length=64), nullable=False),
    sa.Column('amount', Atoms(), nullable=False),
    sa.Column('asset', sa.String(length=64), nullable=False),
    sa.Column('currency_type', sa.String(length=64), nullable=False),
    sa.Column('currency_id', sa.String(length=64), nullable=True),
    sa.Column('bank_account_id', sa.String(length=64), nullable=False),
    sa.Column('destination_class', sa.String(length=64), nullable=True),
    sa.Column('counterparty_id', sa.String(length=64), nullable=True),
    sa.Column('blockchain_account_id', sa.String(length=64), nullable=True),
    sa.Column('address', sa.String(length=128), nullable=True),
    sa.Column('fee', Atoms(), nullable=False),
    sa.Column('notional_cents', sa.BigInteger(), nullable=False),
    sa.Column('hold', sa.Text(), nullable=False),
    sa.Column('created', sa.BigInteger(), nullable=False),
    sa.Column('updated', sa.BigInteger(), nullable=False),
    sa.Column('completed_at', sa.BigInteger(), nullable=True),
    sa.Column('failure_code', sa.String(length=64), nullable=True),
    sa.Column('failure_message', sa.String(), nullable=True),
    sa.Column('review_reason', sa.String(length=64), nullable=True),
    sa.Column('review_eta', sa.BigInteger(), nullable=True),
    sa.Column('network_tx_hash', sa.String(length=128), nullable=True),
    sa.Column('version', sa.Integer(), nullable=False),
    sa.ForeignKeyConstraint(['organisation_id'], ['organisation.id'], ),
    sa.ForeignKeyConstraint(['trading_account_id'], ['trading_account.id'], ),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('ix_transfer_created', 'transfer', ['trading_account_id', 'direction', 'created'], unique=False)
    op.create_index('ix_transfer_ordinal', 'transfer', ['trading_account_id', 'direction', 'ordinal'], unique=True)
    op.create_index('ix_transfer_transaction', 'transfer', ['trading_account_id', 'transaction_ordinal'], unique=False)
    op.create_table('challenge',
    sa.Column('id', sa.String(length=64), nullable=False),
    sa.Column('organisation_id', sa.String(length=64), nullable=False),
    sa.Column('blockchain_account_id', sa.String(length=64), nullable=False),
    sa.Column('counterparty_id', sa.String(length=64), nullable=False),
    sa.Column('customer_id', sa.String(length=64), nullable=False),
    sa.Column('text', sa.Text(), nullable=False),
    sa.Column('status', sa.String(length=64), nullable=False),
    sa.Column('attempts', sa.Integer(), nullable=False),
    sa.Column('created', sa.BigInteger(), nullable=False),
    sa.Column('expires', sa.BigInteger(), nullable=False),
    sa.Column('used_at', sa.BigInteger(), nullable=True),
    sa.Column('claim_id', sa.String(length=64), nullable=True),
    sa.ForeignKeyConstraint(['blockchain_account_id'], ['blockchain_account.id'], ),
    sa.ForeignKeyConstraint(['counterparty_id'], ['counterparty.id'], ),
    sa.ForeignKeyConstraint(['customer_id'], ['customer.id'], ),
    sa.ForeignKeyConstraint(['organisation_id'], ['organisation.id'], ),
    sa.PrimaryKeyConstraint('id')
    )
    op.create_index('ix_challenge_account', 'challenge', ['blockchain_account_id', 'counterparty_id', 'created'], unique=False)
    op.create_index(op.f('ix_challenge_counterparty_id'), 'challenge', ['counterparty_id'], unique=False)
    op.create_index('ix_challenge_customer', 'challenge', ['customer_id', 'created'], unique=False)
    op.create_table('attempt',
    sa.Column('challenge_id', sa.String(length=64), nullable=False),
    sa.Column('number', sa.Integer(), nullable=False),
    sa.Column('at', sa.BigInteger(), nullable=False),
    sa.Column('finding', sa.String(length=64), nullable=False),
    sa.Column('recovered_address', sa.String(length=128), nullable=True),
    sa.ForeignKeyConstraint(['challenge_id'], ['challenge.id'], ),
    sa.PrimaryKeyConstraint('challenge_id', 'number')
    )
    op.create_table('claim',
    sa.Column('id', sa.String(length=64), nullable=False),
    sa.Column('organisation_id', sa.String(length=64), nullable=False),
    sa.Column('blockchain_account_id', sa.String(length=64), nullable=False),
    sa.Column('counterparty_id', sa.String(length=64), nullable=False),
    sa.Column('challenge_id', sa.String(length=64), nullable=False),
    sa.Column('scheme', sa.String(length=64), nullable=False),
    sa.Column('signature', sa.Text(), nullable=False),
    sa.Column('signer', sa.String(length=128), nullable=False),
    sa.Column('status', sa.String(length=64), nullable=False),
    sa.Column('created', sa.BigInteger(), nullable=False),
    sa.Column('expires', sa.BigInteger(), nullable=False),
    sa.Column('linked_at', sa.BigInteger(), nullable=True),
    sa.ForeignKeyConstraint(['blockchain_account_id'], ['blockchain_account.id'], ),
    sa.ForeignKeyConstraint(['challenge_id'], ['challenge.id'], ),
    sa.ForeignKeyConstraint(['counterparty_id'], ['counterparty.id'], ),
    sa.ForeignKeyConstraint(['organisation_id'], ['organisation.id'], ),
    sa.PrimaryKeyConstraint('id'),
    sa.UniqueConstraint('challenge_id')
    )
    op.create_index(op.f('ix_claim_counterparty_id'), 'claim', ['counterparty_id'], unique=False)
    op.create_table('link',
    sa.Column('blockchain_account_id', sa.String(length=64), nullable=False),
    sa.Column('counterparty_id', sa.String(length=64), nullable=False),
    sa.Column('claim_id', sa.String(length=64), nullable=False),
    sa.Column('first_linked_at', sa.BigInteger(), nullable=False),
    sa.Column('verified_at', sa.BigInteger(), nullable=False),
    sa.Column('expires', sa.BigInteger(), nullable=False),
    sa.Column('last_used_at', sa.BigInteger(), nullable=False),
    sa.Column('policy_version', sa.Integer(), nullable=False),
    sa.Column('revoked_at', sa.BigInteger(), nullable=True),
    sa.Column('revoked_reason', sa.String(length=64), nullable=True),
    sa.ForeignKeyConstraint(['blockchain_account_id'], ['blockchain_account.id'], ),
    sa.ForeignKeyConstraint(['claim_id'], ['claim.id'], ),
    sa.ForeignKeyConstraint(['counterparty_id'], ['counterparty.id'], ),
    sa.PrimaryKeyConstraint('blockchain_account_id', 'counterparty_id')
    )
    append_only(("audit", "event", "journal", "posting"))
    positive_balances()
    op.bulk_insert(
        sa.table(
            "head", *map(sa.column, ("name", "event_seq", "audit_seq", "audit_hash", "last_at"))
        ),
        [{"name": "bank", "event_seq": 0, "audit_seq": 0, "audit_hash": "0" * 64, "last_at": 0}],
    )
    op.execute(
        "INSERT INTO organisation "
        "(id, name, fee_flat_cents, fee_bps, fee_minimum_cents, created) "
        "VALUES ('default', 'Default organisation', 0, 50, 1, 0)"
    )
