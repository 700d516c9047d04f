CREATE TABLE audit (
	seq BIGINT NOT NULL, 
	at BIGINT NOT NULL, 
	organisation_id VARCHAR(64) NOT NULL, 
	actor VARCHAR(128) NOT NULL, 
	action VARCHAR(64) NOT NULL, 
	object VARCHAR(96) NOT NULL, 
	inputs TEXT NOT NULL, 
	outcome VARCHAR(64) NOT NULL, 
	error VARCHAR(64), 
	previous_hash VARCHAR(64) NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	trading_account_id VARCHAR(64), 
	PRIMARY KEY (seq)
);
CREATE INDEX ix_audit_account ON audit (organisation_id, trading_account_id, seq);
CREATE INDEX ix_audit_object ON audit (object);
CREATE TABLE event (
	seq BIGINT NOT NULL, 
	id VARCHAR(64) NOT NULL, 
	type VARCHAR(64) NOT NULL, 
	at BIGINT NOT NULL, 
	organisation_id VARCHAR(64) NOT NULL, 
	resource VARCHAR(64) NOT NULL, 
	data TEXT NOT NULL, 
	PRIMARY KEY (seq)
);
CREATE TABLE head (
	name VARCHAR(64) NOT NULL, 
	event_seq BIGINT NOT NULL, 
	audit_seq BIGINT NOT NULL, 
	audit_hash VARCHAR NOT NULL, 
	last_at BIGINT NOT NULL, 
	PRIMARY KEY (name)
);
CREATE TABLE idempotency (
	organisation_id VARCHAR(64) NOT NULL, 
	operation VARCHAR(64) NOT NULL, 
	key VARCHAR(255) NOT NULL, 
	fingerprint VARCHAR(64) NOT NULL, 
	created_record BOOLEAN NOT NULL, 
	body TEXT, 
	at BIGINT NOT NULL, 
	PRIMARY KEY (organisation_id, operation, key)
);
CREATE INDEX ix_idempotency_at ON idempotency (at);
CREATE TABLE job (
	kind VARCHAR(64) NOT NULL, 
	reference VARCHAR(64) NOT NULL, 
	run_at BIGINT NOT NULL, 
	PRIMARY KEY (kind, reference)
);
CREATE INDEX ix_job_run_at ON job (run_at);
CREATE TABLE journal (
	id VARCHAR(96) NOT NULL, 
	kind VARCHAR(64) NOT NULL, 
	reference VARCHAR(64) NOT NULL, 
	at BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX ix_journal_reference ON journal (reference);
CREATE TABLE ledger_account (
	code VARCHAR(96) NOT NULL, 
	asset VARCHAR(64) NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	balance NUMERIC(38, 0) NOT NULL, 
	version INTEGER NOT NULL, 
	PRIMARY KEY (code, asset)
);
CREATE INDEX ix_ledger_account_owner ON ledger_account (owner);
CREATE TABLE market_control (
	market VARCHAR(64) NOT NULL, 
	reason VARCHAR(64) NOT NULL, 
	until BIGINT, 
	PRIMARY KEY (market)
);
CREATE TABLE organisation (
	id VARCHAR(64) NOT NULL, 
	name VARCHAR NOT NULL, 
	fee_flat_cents INTEGER NOT NULL, 
	fee_bps INTEGER NOT NULL, 
	fee_minimum_cents INTEGER NOT NULL, 
	created BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE api_key (
	key_id VARCHAR(64) NOT NULL, 
	organisation_id VARCHAR(64) NOT NULL, 
	name VARCHAR(128) NOT NULL, 
	secret_hash VARCHAR(64) NOT NULL, 
	scopes TEXT NOT NULL, 
	created BIGINT NOT NULL, 
	expires BIGINT, 
	revoked_at BIGINT, 
	last_used_at BIGINT, 
	replaced_by VARCHAR(64), 
	PRIMARY KEY (key_id), 
	FOREIGN KEY(organisation_id) REFERENCES organisation (id)
);
CREATE TABLE counterparty (
	id VARCHAR(64) NOT NULL, 
	organisation_id VARCHAR(64) NOT NULL, 
	network VARCHAR(64) NOT NULL, 
	canonical VARCHAR(128) NOT NULL, 
	address VARCHAR(128) NOT NULL, 
	kind VARCHAR(64) NOT NULL, 
	created BIGINT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organisation_id) REFERENCES organisation (id)
);
CREATE UNIQUE INDEX ix_counterparty_address ON counterparty (organisation_id, network, canonical);
CREATE INDEX ix_counterparty_created ON counterparty (organisation_id, created, id);
CREATE TABLE customer (
	id VARCHAR(64) NOT NULL, 
	organisation_id VARCHAR(64) NOT NULL, 
	name VARCHAR NOT NULL, 
	search_name VARCHAR NOT NULL, 
	reference VARCHAR(64) NOT NULL, 
	kyc_level VARCHAR(64) NOT NULL, 
	terms_version VARCHAR(64), 
	control VARCHAR(64), 
	control_reason VARCHAR(64), 
	PRIMARY KEY (id), 
	FOREIGN KEY(organisation_id) REFERENCES organisation (id)
);
CREATE INDEX ix_customer_reference ON customer (organisation_id, reference);
CREATE TABLE posting (
	code VARCHAR(96) NOT NULL, 
	asset VARCHAR(64) NOT NULL, 
	account_version INTEGER NOT NULL, 
	journal_id VARCHAR(96) NOT NULL, 
	debit BOOLEAN NOT NULL, 
	atoms NUMERIC(38, 0) NOT NULL, 
	balance_after NUMERIC(38, 0) NOT NULL, 
	PRIMARY KEY (code, asset, account_version), 
	FOREIGN KEY(journal_id) REFERENCES journal (id)
);
CREATE INDEX ix_posting_journal_id ON posting (journal_id);
CREATE TABLE quote (
	id VARCHAR(64) NOT NULL, 
	organisation_id VARCHAR(64) NOT NULL, 
	trading_account_id VARCHAR(64), 
	market VARCHAR(64) NOT NULL, 
	side VARCHAR(64) NOT NULL, 
	status VARCHAR(64) NOT NULL, 
	price_cents BIGINT NOT NULL, 
	sold NUMERIC(38, 0) NOT NULL, 
	bought NUMERIC(38, 0) NOT NULL, 
	fee_cents BIGINT NOT NULL, 
	usd_leg_cents BIGINT NOT NULL, 
	fee_flat_cents BIGINT NOT NULL, 
	fee_bps INTEGER NOT NULL, 
	mid_micros BIGINT NOT NULL, 
	half_spread_bps INTEGER NOT NULL, 
	hold_premium_bps INTEGER NOT NULL, 
	"window" BIGINT NOT NULL, 
	created BIGINT NOT NULL, 
	expires BIGINT NOT NULL, 
	trade_id VARCHAR(64), 
	executed_at BIGINT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organisation_id) REFERENCES organisation (id)
);
CREATE INDEX ix_quote_created ON quote (organisation_id, created, id);
CREATE INDEX ix_quote_account ON quote (trading_account_id, created, id);
CREATE INDEX ix_quote_open ON quote (trading_account_id, expires) WHERE status = 'open';
CREATE TABLE bank_account (
	organisation_id VARCHAR(64) NOT NULL, 
	id VARCHAR(64) NOT NULL, 
	customer_id VARCHAR(64) NOT NULL, 
	type VARCHAR(64) NOT NULL, 
	balance NUMERIC(38, 0) NOT NULL, 
	trading_account_id VARCHAR(64), 
	PRIMARY KEY (organisation_id, id), 
	FOREIGN KEY(organisation_id) REFERENCES organisation (id), 
	FOREIGN KEY(customer_id) REFERENCES customer (id)
);
CREATE INDEX ix_bank_account_customer_id ON bank_account (customer_id);
CREATE TABLE trading_account (
	id VARCHAR(64) NOT NULL, 
	organisation_id VARCHAR(64) NOT NULL, 
	bank_account_id VARCHAR(64) NOT NULL, 
	bank_account_type VARCHAR(64) NOT NULL, 
	customer_id VARCHAR(64) NOT NULL, 
	control VARCHAR(64), 
	control_reason VARCHAR(64), 
	created BIGINT NOT NULL, 
	version INTEGER NOT NULL, 
	trade_count INTEGER NOT NULL, 
	deposit_count INTEGER NOT NULL, 
	withdrawal_count INTEGER NOT NULL, 
	transaction_count INTEGER NOT NULL, 
	last_activity BIGINT NOT NULL, 
	last_activity_type VARCHAR(64), 
	PRIMARY KEY (id), 
	FOREIGN KEY(organisation_id) REFERENCES organisation (id), 
	FOREIGN KEY(customer_id) REFERENCES customer (id)
);
CREATE INDEX ix_trading_account_customer_id ON trading_account (customer_id);
CREATE INDEX ix_trading_account_activity ON trading_account (organisation_id, last_activity, id);
CREATE INDEX ix_trading_account_created ON trading_account (organisation_id, created, id);
CREATE INDEX ix_trading_account_bank ON trading_account (organisation_id, bank_account_id);
CREATE TABLE blockchain_account (
	id VARCHAR(64) NOT NULL, 
	organisation_id VARCHAR(64) NOT NULL, 
	trading_account_id VARCHAR(64) NOT NULL, 
	customer_id VARCHAR(64) NOT NULL, 
	network VARCHAR(64) NOT NULL, 
	address VARCHAR(128) NOT NULL, 
	status VARCHAR(64) NOT NULL, 
	created BIGINT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organisation_id) REFERENCES organisation (id), 
	FOREIGN KEY(trading_account_id) REFERENCES trading_account (id), 
	FOREIGN KEY(customer_id) REFERENCES customer (id)
);
CREATE INDEX ix_blockchain_account_trading_account_id ON blockchain_account (trading_account_id);
CREATE INDEX ix_blockchain_account_created ON blockchain_account (organisation_id, created, id);
CREATE INDEX ix_blockchain_account_customer_id ON blockchain_account (customer_id);
CREATE TABLE trade (
	id VARCHAR(64) NOT NULL, 
	organisation_id VARCHAR(64) NOT NULL, 
	trading_account_id VARCHAR(64) NOT NULL, 
	ordinal INTEGER NOT NULL, 
	transaction_ordinal INTEGER NOT NULL, 
	quote_id VARCHAR(64) NOT NULL, 
	market VARCHAR(64) NOT NULL, 
	side VARCHAR(64) NOT NULL, 
	status VARCHAR(64) NOT NULL, 
	price_cents BIGINT NOT NULL, 
	amount NUMERIC(38, 0) NOT NULL, 
	sold NUMERIC(38, 0) NOT NULL, 
	bought NUMERIC(38, 0) NOT NULL, 
	fee_cents BIGINT NOT NULL, 
	fee_flat_cents BIGINT NOT NULL, 
	fee_bps INTEGER NOT NULL, 
	provider_cents BIGINT NOT NULL, 
	hold TEXT NOT NULL, 
	created BIGINT NOT NULL, 
	updated BIGINT NOT NULL, 
	executed_at BIGINT, 
	settled_at BIGINT, 
	cancelled_at BIGINT, 
	failure_code VARCHAR(64), 
	failure_message VARCHAR, 
	version INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organisation_id) REFERENCES organisation (id), 
	FOREIGN KEY(trading_account_id) REFERENCES trading_account (id), 
	UNIQUE (quote_id), 
	FOREIGN KEY(quote_id) REFERENCES quote (id)
);
CREATE INDEX ix_trade_transaction ON trade (trading_account_id, transaction_ordinal);
CREATE INDEX ix_trade_status ON trade (trading_account_id, status, ordinal);
CREATE INDEX ix_trade_created ON trade (organisation_id, created, id);
CREATE INDEX ix_trade_organisation_status ON trade (organisation_id, status, created, id);
CREATE UNIQUE INDEX ix_trade_ordinal ON trade (trading_account_id, ordinal);
CREATE TABLE transfer (
	id VARCHAR(64) NOT NULL, 
	organisation_id VARCHAR(64) NOT NULL, 
	trading_account_id VARCHAR(64) NOT NULL, 
	direction VARCHAR(64) NOT NULL, 
	ordinal INTEGER NOT NULL, 
	transaction_ordinal INTEGER NOT NULL, 
	status VARCHAR(64) NOT NULL, 
	amount NUMERIC(38, 0) NOT NULL, 
	asset VARCHAR(64) NOT NULL, 
	currency_type VARCHAR(64) NOT NULL, 
	currency_id VARCHAR(64), 
	bank_account_id VARCHAR(64) NOT NULL, 
	destination_class VARCHAR(64), 
	counterparty_id VARCHAR(64), 
	blockchain_account_id VARCHAR(64), 
	address VARCHAR(128), 
	fee NUMERIC(38, 0) NOT NULL, 
	notional_cents BIGINT NOT NULL, 
	hold TEXT NOT NULL, 
	created BIGINT NOT NULL, 
	updated BIGINT NOT NULL, 
	completed_at BIGINT, 
	failure_code VARCHAR(64), 
	failure_message VARCHAR, 
	review_reason VARCHAR(64), 
	review_eta BIGINT, 
	network_tx_hash VARCHAR(128), 
	version INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organisation_id) REFERENCES organisation (id), 
	FOREIGN KEY(trading_account_id) REFERENCES trading_account (id)
);
CREATE INDEX ix_transfer_created ON transfer (trading_account_id, direction, created);
CREATE INDEX ix_transfer_transaction ON transfer (trading_account_id, transaction_ordinal);
CREATE UNIQUE INDEX ix_transfer_ordinal ON transfer (trading_account_id, direction, ordinal);
CREATE TABLE challenge (
	id VARCHAR(64) NOT NULL, 
	organisation_id VARCHAR(64) NOT NULL, 
	blockchain_account_id VARCHAR(64) NOT NULL, 
	counterparty_id VARCHAR(64) NOT NULL, 
	customer_id VARCHAR(64) NOT NULL, 
	text TEXT NOT NULL, 
	status VARCHAR(64) NOT NULL, 
	attempts INTEGER NOT NULL, 
	created BIGINT NOT NULL, 
	expires BIGINT NOT NULL, 
	used_at BIGINT, 
	claim_id VARCHAR(64), 
	PRIMARY KEY (id), 
	FOREIGN KEY(organisation_id) REFERENCES organisation (id), 
	FOREIGN KEY(blockchain_account_id) REFERENCES blockchain_account (id), 
	FOREIGN KEY(counterparty_id) REFERENCES counterparty (id), 
	FOREIGN KEY(customer_id) REFERENCES customer (id)
);
CREATE INDEX ix_challenge_counterparty_id ON challenge (counterparty_id);
CREATE INDEX ix_challenge_account ON challenge (blockchain_account_id, counterparty_id, created);
CREATE INDEX ix_challenge_customer ON challenge (customer_id, created);
CREATE TABLE attempt (
	challenge_id VARCHAR(64) NOT NULL, 
	number INTEGER NOT NULL, 
	at BIGINT NOT NULL, 
	finding VARCHAR(64) NOT NULL, 
	recovered_address VARCHAR(128), 
	PRIMARY KEY (challenge_id, number), 
	FOREIGN KEY(challenge_id) REFERENCES challenge (id)
);
CREATE TABLE claim (
	id VARCHAR(64) NOT NULL, 
	organisation_id VARCHAR(64) NOT NULL, 
	blockchain_account_id VARCHAR(64) NOT NULL, 
	counterparty_id VARCHAR(64) NOT NULL, 
	challenge_id VARCHAR(64) NOT NULL, 
	scheme VARCHAR(64) NOT NULL, 
	signature TEXT NOT NULL, 
	signer VARCHAR(128) NOT NULL, 
	status VARCHAR(64) NOT NULL, 
	created BIGINT NOT NULL, 
	expires BIGINT NOT NULL, 
	linked_at BIGINT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organisation_id) REFERENCES organisation (id), 
	FOREIGN KEY(blockchain_account_id) REFERENCES blockchain_account (id), 
	FOREIGN KEY(counterparty_id) REFERENCES counterparty (id), 
	UNIQUE (challenge_id), 
	FOREIGN KEY(challenge_id) REFERENCES challenge (id)
);
CREATE INDEX ix_claim_counterparty_id ON claim (counterparty_id);
CREATE TABLE link (
	blockchain_account_id VARCHAR(64) NOT NULL, 
	counterparty_id VARCHAR(64) NOT NULL, 
	claim_id VARCHAR(64) NOT NULL, 
	first_linked_at BIGINT NOT NULL, 
	verified_at BIGINT NOT NULL, 
	expires BIGINT NOT NULL, 
	last_used_at BIGINT NOT NULL, 
	policy_version INTEGER NOT NULL, 
	revoked_at BIGINT, 
	revoked_reason VARCHAR(64), 
	PRIMARY KEY (blockchain_account_id, counterparty_id), 
	FOREIGN KEY(blockchain_account_id) REFERENCES blockchain_account (id), 
	FOREIGN KEY(counterparty_id) REFERENCES counterparty (id), 
	FOREIGN KEY(claim_id) REFERENCES claim (id)
);
CREATE FUNCTION chainteller_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING MESSAGE = TG_TABLE_NAME || ' is append-only'; END $$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION chainteller_append_only();
CREATE TRIGGER event_append_only BEFORE UPDATE OR DELETE ON event FOR EACH ROW EXECUTE FUNCTION chainteller_append_only();
CREATE TRIGGER journal_append_only BEFORE UPDATE OR DELETE ON journal FOR EACH ROW EXECUTE FUNCTION chainteller_append_only();
CREATE TRIGGER posting_append_only BEFORE UPDATE OR DELETE ON posting FOR EACH ROW EXECUTE FUNCTION chainteller_append_only();
ALTER TABLE ledger_account ADD CONSTRAINT balance_not_negative CHECK (balance >= 0 OR code = 'core');
CREATE TABLE IF NOT EXISTS alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);
INSERT INTO alembic_version VALUES ('0002');
INSERT INTO "audit" VALUES (1, 1763700000000000, 'default', 'local', 'open_trading_account', 'TDA_F67N5J04A8150G8KZ45TMY', '{"bankAccountId":"DDA-1","bankAccountType":"checking"}', 'done', NULL, '0000000000000000000000000000000000000000000000000000000000000000', 'ed8eac56baa22b25a3dc467a8344a0d791964a03a1e14720c9ea1f6c62ae5b06', 'TDA_F67N5J04A8150G8KZ45TMY');
INSERT INTO "audit" VALUES (2, 1763700000000000, 'default', 'local', 'open_trading_account', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', '{"bankAccountId":"DDA-2","bankAccountType":"checking"}', 'done', NULL, 'ed8eac56baa22b25a3dc467a8344a0d791964a03a1e14720c9ea1f6c62ae5b06', '19f32e5368e85c5d7b1fc60567b56975a44850170af34f4c9d7154a13ec49dbc', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y');
INSERT INTO "audit" VALUES (3, 1763700000000000, 'default', 'local', 'deposit', 'TXN_4JBEG2RM861BD5P5N8B6T8', '{"amount":"5000.00","currency":{"id":"DPT_USD","type":"deposit-token-currency"}}', 'done', NULL, '19f32e5368e85c5d7b1fc60567b56975a44850170af34f4c9d7154a13ec49dbc', '6b6be04df5da3ac95909c6314e51b365dc4ce0131eb4f07ba2426e3d208ee50a', 'TDA_F67N5J04A8150G8KZ45TMY');
INSERT INTO "audit" VALUES (4, 1763700000000000, 'default', 'local', 'deposit', 'TXN_J4YAJ42S1HRYANY8M302YG', '{"amount":"300.50","currency":{"network":"solana","symbol":"USDC","type":"stablecoin-currency"}}', 'done', NULL, '6b6be04df5da3ac95909c6314e51b365dc4ce0131eb4f07ba2426e3d208ee50a', 'df6b8c0b5026a003f9f3d4a1a19ff6c406b0e3226289fe9eea9844de3ae72199', 'TDA_F67N5J04A8150G8KZ45TMY');
INSERT INTO "audit" VALUES (5, 1763700000000000, 'default', 'local', 'deposit', 'TXN_9E9C4YXVZ7QA5VTZZ5XTXQ', '{"amount":"2000.00","currency":{"id":"DPT_USD","type":"deposit-token-currency"}}', 'done', NULL, 'df6b8c0b5026a003f9f3d4a1a19ff6c406b0e3226289fe9eea9844de3ae72199', '1366d91e08511297ad8027ba0c3c03175562171abc43570f6d9a7e00fe36faef', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y');
INSERT INTO "audit" VALUES (6, 1763700000000000, 'default', 'local', 'withdraw', 'TXN_HHC08NKAR0WBCZ6D3RG9DT', '{"amount":"20.00","currency":{"id":"DPT_USD","type":"deposit-token-currency"}}', 'done', NULL, '1366d91e08511297ad8027ba0c3c03175562171abc43570f6d9a7e00fe36faef', 'b377a61158642932390cbbeadaf304454c561875609f420b8626b0fd7549153d', 'TDA_F67N5J04A8150G8KZ45TMY');
INSERT INTO "audit" VALUES (7, 1763700000000000, 'default', 'local', 'create_quote', 'QTE_QT9XCZ45VR9V9RDFFBF1Z9', '{"amount":"1000.00","side":"buy"}', 'done', NULL, 'b377a61158642932390cbbeadaf304454c561875609f420b8626b0fd7549153d', '0daa44fef5e8fc4497444a8f8721914439c338ed2d5bc1d838128851d694a4fd', NULL);
INSERT INTO "audit" VALUES (8, 1763700000000000, 'default', 'local', 'execute_quote', 'TXN_2305XRFYT0GTTESP06VNX0', '{"tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}', 'done', NULL, '0daa44fef5e8fc4497444a8f8721914439c338ed2d5bc1d838128851d694a4fd', '656249863df49088a07b7d9ddda26e00ed3e695c1812fdbceea00e1c40eea874', 'TDA_F67N5J04A8150G8KZ45TMY');
INSERT INTO "audit" VALUES (9, 1763700060000000, 'default', 'worker', 'withdrawal.sent', 'TXN_HHC08NKAR0WBCZ6D3RG9DT', '{}', 'done', NULL, '656249863df49088a07b7d9ddda26e00ed3e695c1812fdbceea00e1c40eea874', 'd6024121dff1fe55f5b2c69532332830cfcc69a020d1175df63fe51853c45485', 'TDA_F67N5J04A8150G8KZ45TMY');
INSERT INTO "audit" VALUES (10, 1763700060000000, 'default', 'worker', 'trade.fill', 'TXN_2305XRFYT0GTTESP06VNX0', '{}', 'done', NULL, 'd6024121dff1fe55f5b2c69532332830cfcc69a020d1175df63fe51853c45485', 'df3e92d10418ac7b5d226f0c970df26366872f6dd6d083bc4b074a0c630409c7', 'TDA_F67N5J04A8150G8KZ45TMY');
INSERT INTO "audit" VALUES (11, 1763700120000000, 'default', 'worker', 'withdrawal.completed', 'TXN_HHC08NKAR0WBCZ6D3RG9DT', '{}', 'done', NULL, 'df3e92d10418ac7b5d226f0c970df26366872f6dd6d083bc4b074a0c630409c7', 'c6d0fd1fb7c8a0a750b00fac362cee41159016ad534ac1a116674b4b4c57e0be', 'TDA_F67N5J04A8150G8KZ45TMY');
INSERT INTO "audit" VALUES (12, 1763700120000000, 'default', 'worker', 'trade.settle', 'TXN_2305XRFYT0GTTESP06VNX0', '{}', 'done', NULL, 'c6d0fd1fb7c8a0a750b00fac362cee41159016ad534ac1a116674b4b4c57e0be', '3449aa6e903575781007a81f8ef0a56821821061a210440eb1c982675e5040c4', 'TDA_F67N5J04A8150G8KZ45TMY');
INSERT INTO "audit" VALUES (13, 1763700240000000, 'default', 'local', 'create_quote', 'QTE_Q5VJENTKGTMAD49YZKS5VW', '{"amount":"1.5","side":"sell"}', 'done', NULL, '3449aa6e903575781007a81f8ef0a56821821061a210440eb1c982675e5040c4', '60ff89ae04b444f7ed8368a990d58192714d659d535566b1e04593baf5fcd605', NULL);
INSERT INTO "audit" VALUES (14, 1763700240000000, 'default', 'local', 'execute_quote', 'TXN_CFJBYXXABVER74W0ZJ7MN7', '{"tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}', 'done', NULL, '60ff89ae04b444f7ed8368a990d58192714d659d535566b1e04593baf5fcd605', 'bbb0c4fc49320268a4ba01e37a6943991c9d8efba43aec93f653be6587b46706', 'TDA_F67N5J04A8150G8KZ45TMY');
INSERT INTO "audit" VALUES (15, 1763700300000000, 'default', 'worker', 'trade.fill', 'TXN_CFJBYXXABVER74W0ZJ7MN7', '{}', 'done', NULL, 'bbb0c4fc49320268a4ba01e37a6943991c9d8efba43aec93f653be6587b46706', '023ba393a1cdd2de65a515651c9e497407e628427fc0dd5bf8c0fc876455158f', 'TDA_F67N5J04A8150G8KZ45TMY');
INSERT INTO "audit" VALUES (16, 1763700360000000, 'default', 'worker', 'trade.settle', 'TXN_CFJBYXXABVER74W0ZJ7MN7', '{}', 'done', NULL, '023ba393a1cdd2de65a515651c9e497407e628427fc0dd5bf8c0fc876455158f', 'd395ec8af8a604f353c018c776454630a77df7dc7a639b42135876ebc43bb74b', 'TDA_F67N5J04A8150G8KZ45TMY');
INSERT INTO "audit" VALUES (17, 1763700480000000, 'default', 'local', 'create_quote', 'QTE_9QYH43G8VY2KB3J1H4VE4Q', '{"amount":"250.00","side":"buy"}', 'done', NULL, 'd395ec8af8a604f353c018c776454630a77df7dc7a639b42135876ebc43bb74b', 'c06fb26d5bf5c082af4678c5243a9b5183ba61dd47425e1f31a2f0bc4cc5f033', NULL);
INSERT INTO "audit" VALUES (18, 1763700480000000, 'default', 'local', 'execute_quote', 'TXN_N56ECTQQS0FRPA9WJR0WR9', '{"tradingAccountId":"TDA_AVM4TJ8XVV0PPDBADE9W5Y"}', 'done', NULL, 'c06fb26d5bf5c082af4678c5243a9b5183ba61dd47425e1f31a2f0bc4cc5f033', 'd9502617ac6c2bdc8d00194c71e1cd1519d69c368a0f4952933109e14bfc6100', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y');
INSERT INTO "audit" VALUES (19, 1763700490000000, 'default', 'worker', 'trade.fill', 'TXN_N56ECTQQS0FRPA9WJR0WR9', '{}', 'done', NULL, 'd9502617ac6c2bdc8d00194c71e1cd1519d69c368a0f4952933109e14bfc6100', '76af65aae91de56b604e257e8f2aca82cc08910b3bfeda64e1a56e9464e8667e', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y');
INSERT INTO "audit" VALUES (20, 1763700490000000, 'default', 'local', 'create_quote', 'QTE_NDG0TB3NXTZG690PC1EJKC', '{"amount":"50.00","side":"buy"}', 'done', NULL, '76af65aae91de56b604e257e8f2aca82cc08910b3bfeda64e1a56e9464e8667e', '8020a207863a78060dcd7c98406f081f15ce62adbaeaf0eeebe4fbf5f52f6800', NULL);
INSERT INTO "audit" VALUES (21, 1763700490000000, 'default', 'local', 'execute_quote', 'TXN_9EVBHWBAM5G8PZHFC8M84F', '{"tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}', 'done', NULL, '8020a207863a78060dcd7c98406f081f15ce62adbaeaf0eeebe4fbf5f52f6800', '215aa71b26d4571d6df8bbf94ab05042554d54120c72ec32c8dbe08e307190cc', 'TDA_F67N5J04A8150G8KZ45TMY');
INSERT INTO "audit" VALUES (22, 1763700490000000, 'default', 'local', 'cancel_trade', 'TXN_9EVBHWBAM5G8PZHFC8M84F', '{}', 'done', NULL, '215aa71b26d4571d6df8bbf94ab05042554d54120c72ec32c8dbe08e307190cc', '72c6b4b221214883dfdbbe32da6ca27b9f758f5e8cd843e5b2945457163f2943', 'TDA_F67N5J04A8150G8KZ45TMY');
INSERT INTO "audit" VALUES (23, 1763700490000000, 'default', 'local', 'create_quote', 'QTE_AX3B7YE6TXY48E6Z3Z7P0A', '{"amount":"60.00","side":"buy"}', 'done', NULL, '72c6b4b221214883dfdbbe32da6ca27b9f758f5e8cd843e5b2945457163f2943', '5af1f147ca3580c2ff17cb40e0627fcdad46d92377bc79c20ecf0000f681116d', NULL);
INSERT INTO "audit" VALUES (24, 1763700490000000, 'default', 'local', 'execute_quote', 'TXN_MZVRTCXHT40F8P2946RRVF', '{"tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}', 'done', NULL, '5af1f147ca3580c2ff17cb40e0627fcdad46d92377bc79c20ecf0000f681116d', '25be29830239adc55379d5deeedeefcbc256107b8c3e7b749d2164825441843e', 'TDA_F67N5J04A8150G8KZ45TMY');
INSERT INTO "audit" VALUES (25, 1763700490000000, 'default', 'local', 'withdraw', 'TXN_ZVNQ0XF54GT2MGQZD0G71T', '{"amount":"12.00","currency":{"id":"DPT_USD","type":"deposit-token-currency"}}', 'done', NULL, '25be29830239adc55379d5deeedeefcbc256107b8c3e7b749d2164825441843e', 'f55cfeee41923fe7db0d00ca9064f7c1a722caa5d022ea8828844fe1d933a8ad', 'TDA_F67N5J04A8150G8KZ45TMY');
INSERT INTO "audit" VALUES (26, 1763700490000000, 'default', 'local', 'create_quote', 'QTE_SRG6DEXYVBBK10VTSSP4WW', '{"amount":"33.00","side":"buy"}', 'done', NULL, 'f55cfeee41923fe7db0d00ca9064f7c1a722caa5d022ea8828844fe1d933a8ad', 'be394260ee6121ad0965ba3154879d224bce18543ef84166718496f0386154ee', NULL);
INSERT INTO "event" VALUES (1, 'EVT_806NXF2ZTHW5WMY3CVM92S', 'trading_account.created', 1763700000000000, 'default', 'TDA_F67N5J04A8150G8KZ45TMY', '{"bankAccountId":"DDA-1"}');
INSERT INTO "event" VALUES (2, 'EVT_8K5GYAKW3RF1G5R0HEY7K6', 'trading_account.created', 1763700000000000, 'default', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', '{"bankAccountId":"DDA-2"}');
INSERT INTO "event" VALUES (3, 'EVT_34A7WX14ANTPE89VJZXVR2', 'deposit.processing', 1763700000000000, 'default', 'TXN_4JBEG2RM861BD5P5N8B6T8', '{"status":"processing","tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}');
INSERT INTO "event" VALUES (4, 'EVT_9YGFN2AGKSS4Y3WECZA3KJ', 'deposit.completed', 1763700000000000, 'default', 'TXN_4JBEG2RM861BD5P5N8B6T8', '{"status":"completed","tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}');
INSERT INTO "event" VALUES (5, 'EVT_290SS9RETF1BKN19SJXE1Q', 'deposit.processing', 1763700000000000, 'default', 'TXN_J4YAJ42S1HRYANY8M302YG', '{"status":"processing","tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}');
INSERT INTO "event" VALUES (6, 'EVT_4T985YVMWEJ9XQY5A0RJAA', 'deposit.completed', 1763700000000000, 'default', 'TXN_J4YAJ42S1HRYANY8M302YG', '{"status":"completed","tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}');
INSERT INTO "event" VALUES (7, 'EVT_YHFMA6JEFNPA2AMSWQ291J', 'deposit.processing', 1763700000000000, 'default', 'TXN_9E9C4YXVZ7QA5VTZZ5XTXQ', '{"status":"processing","tradingAccountId":"TDA_AVM4TJ8XVV0PPDBADE9W5Y"}');
INSERT INTO "event" VALUES (8, 'EVT_0262DS5MN4AT3G1W8WJ41X', 'deposit.completed', 1763700000000000, 'default', 'TXN_9E9C4YXVZ7QA5VTZZ5XTXQ', '{"status":"completed","tradingAccountId":"TDA_AVM4TJ8XVV0PPDBADE9W5Y"}');
INSERT INTO "event" VALUES (9, 'EVT_C8BN1E4CXP015347SJ18D7', 'withdrawal.processing', 1763700000000000, 'default', 'TXN_HHC08NKAR0WBCZ6D3RG9DT', '{"status":"processing","tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}');
INSERT INTO "event" VALUES (10, 'EVT_Y54EKY8CEDFGT1D6GYAKQ7', 'quote.created', 1763700000000000, 'default', 'QTE_QT9XCZ45VR9V9RDFFBF1Z9', '{"market":"sol-usd","side":"buy","tradingAccountId":null}');
INSERT INTO "event" VALUES (11, 'EVT_93HRPD02SZV7EYA6SBF6PF', 'quote.executed', 1763700000000000, 'default', 'QTE_QT9XCZ45VR9V9RDFFBF1Z9', '{"tradeId":"TXN_2305XRFYT0GTTESP06VNX0"}');
INSERT INTO "event" VALUES (12, 'EVT_7639GBSD04YHAVJ9YM6TKN', 'trade.processing', 1763700000000000, 'default', 'TXN_2305XRFYT0GTTESP06VNX0', '{"status":"processing","tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}');
INSERT INTO "event" VALUES (13, 'EVT_E43P33HVW79VZ1AHBVK7G1', 'withdrawal.sent', 1763700060000000, 'default', 'TXN_HHC08NKAR0WBCZ6D3RG9DT', '{"status":"sent","tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}');
INSERT INTO "event" VALUES (14, 'EVT_S9NJ7XGNPJ90GJ36FYCDV9', 'trade.executed', 1763700060000000, 'default', 'TXN_2305XRFYT0GTTESP06VNX0', '{"status":"executed","tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}');
INSERT INTO "event" VALUES (15, 'EVT_881EVK920PM5SRKZC3QPZN', 'withdrawal.completed', 1763700120000000, 'default', 'TXN_HHC08NKAR0WBCZ6D3RG9DT', '{"status":"completed","tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}');
INSERT INTO "event" VALUES (16, 'EVT_2VGEDBWH9A4MGSQ5GG9V7P', 'trade.settled', 1763700120000000, 'default', 'TXN_2305XRFYT0GTTESP06VNX0', '{"status":"settled","tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}');
INSERT INTO "event" VALUES (17, 'EVT_SPRBWVR98WEZXM7TPSEA4G', 'quote.created', 1763700240000000, 'default', 'QTE_Q5VJENTKGTMAD49YZKS5VW', '{"market":"sol-usd","side":"sell","tradingAccountId":null}');
INSERT INTO "event" VALUES (18, 'EVT_8S5W3KARJ5HWNPNJ9XG0NP', 'quote.executed', 1763700240000000, 'default', 'QTE_Q5VJENTKGTMAD49YZKS5VW', '{"tradeId":"TXN_CFJBYXXABVER74W0ZJ7MN7"}');
INSERT INTO "event" VALUES (19, 'EVT_AF5GJW6559E87EWXVDGMPV', 'trade.processing', 1763700240000000, 'default', 'TXN_CFJBYXXABVER74W0ZJ7MN7', '{"status":"processing","tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}');
INSERT INTO "event" VALUES (20, 'EVT_PYV503F99QAN414PKDDJYS', 'trade.executed', 1763700300000000, 'default', 'TXN_CFJBYXXABVER74W0ZJ7MN7', '{"status":"executed","tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}');
INSERT INTO "event" VALUES (21, 'EVT_EAQ01ZAWYA3JX79V85RAXS', 'trade.settled', 1763700360000000, 'default', 'TXN_CFJBYXXABVER74W0ZJ7MN7', '{"status":"settled","tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}');
INSERT INTO "event" VALUES (22, 'EVT_64J8AA368CQR7N0ZJBDGWT', 'quote.created', 1763700480000000, 'default', 'QTE_9QYH43G8VY2KB3J1H4VE4Q', '{"market":"btc-usd","side":"buy","tradingAccountId":null}');
INSERT INTO "event" VALUES (23, 'EVT_39WF35B23X6AFHM5433M2D', 'quote.executed', 1763700480000000, 'default', 'QTE_9QYH43G8VY2KB3J1H4VE4Q', '{"tradeId":"TXN_N56ECTQQS0FRPA9WJR0WR9"}');
INSERT INTO "event" VALUES (24, 'EVT_KR09BG0YRRMKHHC0Q6980R', 'trade.processing', 1763700480000000, 'default', 'TXN_N56ECTQQS0FRPA9WJR0WR9', '{"status":"processing","tradingAccountId":"TDA_AVM4TJ8XVV0PPDBADE9W5Y"}');
INSERT INTO "event" VALUES (25, 'EVT_2E4TGJQ99X2T18C38H8AGG', 'trade.executed', 1763700490000000, 'default', 'TXN_N56ECTQQS0FRPA9WJR0WR9', '{"status":"executed","tradingAccountId":"TDA_AVM4TJ8XVV0PPDBADE9W5Y"}');
INSERT INTO "event" VALUES (26, 'EVT_1N65SFGC5SK03X422ES7Y5', 'quote.created', 1763700490000000, 'default', 'QTE_NDG0TB3NXTZG690PC1EJKC', '{"market":"sol-usd","side":"buy","tradingAccountId":null}');
INSERT INTO "event" VALUES (27, 'EVT_2TR4P07A5BCBWZWNJVGCDB', 'quote.executed', 1763700490000000, 'default', 'QTE_NDG0TB3NXTZG690PC1EJKC', '{"tradeId":"TXN_9EVBHWBAM5G8PZHFC8M84F"}');
INSERT INTO "event" VALUES (28, 'EVT_9K83QYREBHWY612TTYQDM2', 'trade.processing', 1763700490000000, 'default', 'TXN_9EVBHWBAM5G8PZHFC8M84F', '{"status":"processing","tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}');
INSERT INTO "event" VALUES (29, 'EVT_JKG0H4VFF75Y7PQK1BJSV3', 'trade.cancelled', 1763700490000000, 'default', 'TXN_9EVBHWBAM5G8PZHFC8M84F', '{"status":"cancelled","tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}');
INSERT INTO "event" VALUES (30, 'EVT_84TWJY7JH6WQT4D864SBQ7', 'quote.created', 1763700490000000, 'default', 'QTE_AX3B7YE6TXY48E6Z3Z7P0A', '{"market":"eth-usd","side":"buy","tradingAccountId":null}');
INSERT INTO "event" VALUES (31, 'EVT_QV21S447WXFR6V59YA46PX', 'quote.executed', 1763700490000000, 'default', 'QTE_AX3B7YE6TXY48E6Z3Z7P0A', '{"tradeId":"TXN_MZVRTCXHT40F8P2946RRVF"}');
INSERT INTO "event" VALUES (32, 'EVT_9W13X1Z4NZR5564E07TPD9', 'trade.processing', 1763700490000000, 'default', 'TXN_MZVRTCXHT40F8P2946RRVF', '{"status":"processing","tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}');
INSERT INTO "event" VALUES (33, 'EVT_91Q2BJYZESM7P2FKQ1S1WV', 'withdrawal.processing', 1763700490000000, 'default', 'TXN_ZVNQ0XF54GT2MGQZD0G71T', '{"status":"processing","tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY"}');
INSERT INTO "event" VALUES (34, 'EVT_BGQ5XFREDQPX3RVX99H1XF', 'quote.created', 1763700490000000, 'default', 'QTE_SRG6DEXYVBBK10VTSSP4WW', '{"market":"sol-usd","side":"buy","tradingAccountId":null}');
INSERT INTO "head" VALUES ('bank', 34, 26, 'be394260ee6121ad0965ba3154879d224bce18543ef84166718496f0386154ee', 1763700490000000);
INSERT INTO "idempotency" VALUES ('default', 'execute_quote', 'kept-key', '9f8c8f924f248f35f769e35f5d93eaf41b20546cf6f859e47e8e2b985fa8c750', true, '{"type":"trade-execution-transaction","id":"TXN_MZVRTCXHT40F8P2946RRVF","status":"processing","market":"eth-usd","side":"buy","price":"3459.47","amount":"0.017256978670143114","created":"2025-11-21T04:48:10.000000Z","updated":"2025-11-21T04:48:10.000000Z","tradingAccountId":"TDA_F67N5J04A8150G8KZ45TMY","quoteId":"QTE_AX3B7YE6TXY48E6Z3Z7P0A","assetBought":{"symbol":"ETH","network":"ethereum","amount":"0.017256978670143114"},"assetSold":{"symbol":"USD","network":"fiat","amount":"60.00"},"fees":{"flat":"0.00","bps":50,"total":"0.30","currency":"USD"},"executedAt":null,"settledAt":null,"cancelledAt":null,"failureReason":null,"cancellable":true,"version":1}', 1763700490000000);
INSERT INTO "job" VALUES ('trade.fill', 'TXN_9EVBHWBAM5G8PZHFC8M84F', 1763700500000000);
INSERT INTO "job" VALUES ('trade.fill', 'TXN_MZVRTCXHT40F8P2946RRVF', 1763700500000000);
INSERT INTO "job" VALUES ('trade.settle', 'TXN_N56ECTQQS0FRPA9WJR0WR9', 1763700510000000);
INSERT INTO "job" VALUES ('withdrawal.send', 'TXN_ZVNQ0XF54GT2MGQZD0G71T', 1763700495000000);
INSERT INTO "journal" VALUES ('TXN_2305XRFYT0GTTESP06VNX0:fill', 'fill', 'TXN_2305XRFYT0GTTESP06VNX0', 1763700060000000);
INSERT INTO "journal" VALUES ('TXN_2305XRFYT0GTTESP06VNX0:hold', 'hold', 'TXN_2305XRFYT0GTTESP06VNX0', 1763700000000000);
INSERT INTO "journal" VALUES ('TXN_2305XRFYT0GTTESP06VNX0:settle', 'settle', 'TXN_2305XRFYT0GTTESP06VNX0', 1763700120000000);
INSERT INTO "journal" VALUES ('TXN_4JBEG2RM861BD5P5N8B6T8:deposit', 'deposit', 'TXN_4JBEG2RM861BD5P5N8B6T8', 1763700000000000);
INSERT INTO "journal" VALUES ('TXN_9E9C4YXVZ7QA5VTZZ5XTXQ:deposit', 'deposit', 'TXN_9E9C4YXVZ7QA5VTZZ5XTXQ', 1763700000000000);
INSERT INTO "journal" VALUES ('TXN_9EVBHWBAM5G8PZHFC8M84F:hold', 'hold', 'TXN_9EVBHWBAM5G8PZHFC8M84F', 1763700490000000);
INSERT INTO "journal" VALUES ('TXN_9EVBHWBAM5G8PZHFC8M84F:release', 'release', 'TXN_9EVBHWBAM5G8PZHFC8M84F', 1763700490000000);
INSERT INTO "journal" VALUES ('TXN_CFJBYXXABVER74W0ZJ7MN7:fill', 'fill', 'TXN_CFJBYXXABVER74W0ZJ7MN7', 1763700300000000);
INSERT INTO "journal" VALUES ('TXN_CFJBYXXABVER74W0ZJ7MN7:hold', 'hold', 'TXN_CFJBYXXABVER74W0ZJ7MN7', 1763700240000000);
INSERT INTO "journal" VALUES ('TXN_CFJBYXXABVER74W0ZJ7MN7:settle', 'settle', 'TXN_CFJBYXXABVER74W0ZJ7MN7', 1763700360000000);
INSERT INTO "journal" VALUES ('TXN_HHC08NKAR0WBCZ6D3RG9DT:hold', 'hold', 'TXN_HHC08NKAR0WBCZ6D3RG9DT', 1763700000000000);
INSERT INTO "journal" VALUES ('TXN_HHC08NKAR0WBCZ6D3RG9DT:sent', 'sent', 'TXN_HHC08NKAR0WBCZ6D3RG9DT', 1763700060000000);
INSERT INTO "journal" VALUES ('TXN_J4YAJ42S1HRYANY8M302YG:deposit', 'deposit', 'TXN_J4YAJ42S1HRYANY8M302YG', 1763700000000000);
INSERT INTO "journal" VALUES ('TXN_MZVRTCXHT40F8P2946RRVF:hold', 'hold', 'TXN_MZVRTCXHT40F8P2946RRVF', 1763700490000000);
INSERT INTO "journal" VALUES ('TXN_N56ECTQQS0FRPA9WJR0WR9:fill', 'fill', 'TXN_N56ECTQQS0FRPA9WJR0WR9', 1763700490000000);
INSERT INTO "journal" VALUES ('TXN_N56ECTQQS0FRPA9WJR0WR9:hold', 'hold', 'TXN_N56ECTQQS0FRPA9WJR0WR9', 1763700480000000);
INSERT INTO "journal" VALUES ('TXN_ZVNQ0XF54GT2MGQZD0G71T:hold', 'hold', 'TXN_ZVNQ0XF54GT2MGQZD0G71T', 1763700490000000);
INSERT INTO "ledger_account" VALUES ('core', 'USD@fiat', '', 653316, 6);
INSERT INTO "ledger_account" VALUES ('custody', 'BUSD1@bank', '', 573000, 5);
INSERT INTO "ledger_account" VALUES ('custody', 'SOL@solana', '', 4639322514, 2);
INSERT INTO "ledger_account" VALUES ('custody', 'USDC@solana', '', 300500000, 1);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:available', 'BTC@bitcoin', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:available', 'BUSD1@bank', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 175000, 2);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:available', 'ETH@ethereum', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:available', 'SOL@solana', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:available', 'USD@fiat', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:available', 'USDC@ethereum', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:available', 'USDC@solana', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:held', 'BTC@bitcoin', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:held', 'BUSD1@bank', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 0, 2);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:held', 'ETH@ethereum', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:held', 'SOL@solana', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:held', 'USD@fiat', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:held', 'USDC@ethereum', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:held', 'USDC@solana', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:incoming', 'BTC@bitcoin', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 215262, 1);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:incoming', 'BUSD1@bank', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:incoming', 'ETH@ethereum', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:incoming', 'SOL@solana', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:incoming', 'USD@fiat', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:incoming', 'USDC@ethereum', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:incoming', 'USDC@solana', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:available', 'BTC@bitcoin', 'TDA_F67N5J04A8150G8KZ45TMY', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:available', 'BUSD1@bank', 'TDA_F67N5J04A8150G8KZ45TMY', 396800, 4);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:available', 'ETH@ethereum', 'TDA_F67N5J04A8150G8KZ45TMY', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:available', 'SOL@solana', 'TDA_F67N5J04A8150G8KZ45TMY', 4639322514, 2);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:available', 'USD@fiat', 'TDA_F67N5J04A8150G8KZ45TMY', 17844, 4);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:available', 'USDC@ethereum', 'TDA_F67N5J04A8150G8KZ45TMY', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:available', 'USDC@solana', 'TDA_F67N5J04A8150G8KZ45TMY', 300500000, 1);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:held', 'BTC@bitcoin', 'TDA_F67N5J04A8150G8KZ45TMY', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:held', 'BUSD1@bank', 'TDA_F67N5J04A8150G8KZ45TMY', 1200, 5);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:held', 'ETH@ethereum', 'TDA_F67N5J04A8150G8KZ45TMY', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:held', 'SOL@solana', 'TDA_F67N5J04A8150G8KZ45TMY', 0, 2);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:held', 'USD@fiat', 'TDA_F67N5J04A8150G8KZ45TMY', 6000, 3);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:held', 'USDC@ethereum', 'TDA_F67N5J04A8150G8KZ45TMY', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:held', 'USDC@solana', 'TDA_F67N5J04A8150G8KZ45TMY', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:incoming', 'BTC@bitcoin', 'TDA_F67N5J04A8150G8KZ45TMY', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:incoming', 'BUSD1@bank', 'TDA_F67N5J04A8150G8KZ45TMY', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:incoming', 'ETH@ethereum', 'TDA_F67N5J04A8150G8KZ45TMY', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:incoming', 'SOL@solana', 'TDA_F67N5J04A8150G8KZ45TMY', 0, 2);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:incoming', 'USD@fiat', 'TDA_F67N5J04A8150G8KZ45TMY', 0, 2);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:incoming', 'USDC@ethereum', 'TDA_F67N5J04A8150G8KZ45TMY', 0, 0);
INSERT INTO "ledger_account" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:incoming', 'USDC@solana', 'TDA_F67N5J04A8150G8KZ45TMY', 0, 0);
INSERT INTO "ledger_account" VALUES ('income:fee', 'USD@fiat', '', 745, 3);
INSERT INTO "ledger_account" VALUES ('income:spread', 'USD@fiat', '', 914, 3);
INSERT INTO "ledger_account" VALUES ('issuer:BUSD1@bank', 'USD@fiat', '', 573000, 5);
INSERT INTO "ledger_account" VALUES ('issuer:USDC@solana', 'USD@fiat', '', 30050, 1);
INSERT INTO "ledger_account" VALUES ('lp.payable', 'SOL@solana', '', 0, 2);
INSERT INTO "ledger_account" VALUES ('lp.payable', 'USD@fiat', '', 24763, 3);
INSERT INTO "ledger_account" VALUES ('lp.receivable', 'BTC@bitcoin', '', 215262, 1);
INSERT INTO "ledger_account" VALUES ('lp.receivable', 'SOL@solana', '', 0, 2);
INSERT INTO "ledger_account" VALUES ('lp.receivable', 'USD@fiat', '', 0, 2);
INSERT INTO "organisation" VALUES ('default', 'Default organisation', 0, 50, 1, 0);
INSERT INTO "customer" VALUES ('CUS_DDA-1', 'default', 'Ann Example', 'ann example', 'CU-000001', 'enhanced', '2026-01', NULL, NULL);
INSERT INTO "customer" VALUES ('CUS_DDA-2', 'default', 'Ben Sample', 'ben sample', 'CU-000002', 'enhanced', '2026-01', NULL, NULL);
INSERT INTO "posting" VALUES ('core', 'USD@fiat', 1, 'TXN_4JBEG2RM861BD5P5N8B6T8:deposit', true, 500000, 500000);
INSERT INTO "posting" VALUES ('core', 'USD@fiat', 2, 'TXN_J4YAJ42S1HRYANY8M302YG:deposit', true, 30050, 530050);
INSERT INTO "posting" VALUES ('core', 'USD@fiat', 3, 'TXN_9E9C4YXVZ7QA5VTZZ5XTXQ:deposit', true, 200000, 730050);
INSERT INTO "posting" VALUES ('core', 'USD@fiat', 4, 'TXN_HHC08NKAR0WBCZ6D3RG9DT:sent', false, 2000, 728050);
INSERT INTO "posting" VALUES ('core', 'USD@fiat', 5, 'TXN_2305XRFYT0GTTESP06VNX0:settle', false, 98855, 629195);
INSERT INTO "posting" VALUES ('core', 'USD@fiat', 6, 'TXN_CFJBYXXABVER74W0ZJ7MN7:settle', true, 24121, 653316);
INSERT INTO "posting" VALUES ('custody', 'BUSD1@bank', 1, 'TXN_4JBEG2RM861BD5P5N8B6T8:deposit', true, 500000, 500000);
INSERT INTO "posting" VALUES ('custody', 'BUSD1@bank', 2, 'TXN_9E9C4YXVZ7QA5VTZZ5XTXQ:deposit', true, 200000, 700000);
INSERT INTO "posting" VALUES ('custody', 'BUSD1@bank', 3, 'TXN_HHC08NKAR0WBCZ6D3RG9DT:sent', false, 2000, 698000);
INSERT INTO "posting" VALUES ('custody', 'BUSD1@bank', 4, 'TXN_2305XRFYT0GTTESP06VNX0:fill', false, 100000, 598000);
INSERT INTO "posting" VALUES ('custody', 'BUSD1@bank', 5, 'TXN_N56ECTQQS0FRPA9WJR0WR9:fill', false, 25000, 573000);
INSERT INTO "posting" VALUES ('custody', 'SOL@solana', 1, 'TXN_2305XRFYT0GTTESP06VNX0:settle', true, 6139322514, 6139322514);
INSERT INTO "posting" VALUES ('custody', 'SOL@solana', 2, 'TXN_CFJBYXXABVER74W0ZJ7MN7:settle', false, 1500000000, 4639322514);
INSERT INTO "posting" VALUES ('custody', 'USDC@solana', 1, 'TXN_J4YAJ42S1HRYANY8M302YG:deposit', true, 300500000, 300500000);
INSERT INTO "posting" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:available', 'BUSD1@bank', 1, 'TXN_9E9C4YXVZ7QA5VTZZ5XTXQ:deposit', false, 200000, 200000);
INSERT INTO "posting" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:available', 'BUSD1@bank', 2, 'TXN_N56ECTQQS0FRPA9WJR0WR9:hold', true, 25000, 175000);
INSERT INTO "posting" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:held', 'BUSD1@bank', 1, 'TXN_N56ECTQQS0FRPA9WJR0WR9:hold', false, 25000, 25000);
INSERT INTO "posting" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:held', 'BUSD1@bank', 2, 'TXN_N56ECTQQS0FRPA9WJR0WR9:fill', true, 25000, 0);
INSERT INTO "posting" VALUES ('customer:TDA_AVM4TJ8XVV0PPDBADE9W5Y:incoming', 'BTC@bitcoin', 1, 'TXN_N56ECTQQS0FRPA9WJR0WR9:fill', false, 215262, 215262);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:available', 'BUSD1@bank', 1, 'TXN_4JBEG2RM861BD5P5N8B6T8:deposit', false, 500000, 500000);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:available', 'BUSD1@bank', 2, 'TXN_HHC08NKAR0WBCZ6D3RG9DT:hold', true, 2000, 498000);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:available', 'BUSD1@bank', 3, 'TXN_2305XRFYT0GTTESP06VNX0:hold', true, 100000, 398000);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:available', 'BUSD1@bank', 4, 'TXN_ZVNQ0XF54GT2MGQZD0G71T:hold', true, 1200, 396800);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:available', 'SOL@solana', 1, 'TXN_2305XRFYT0GTTESP06VNX0:settle', false, 6139322514, 6139322514);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:available', 'SOL@solana', 2, 'TXN_CFJBYXXABVER74W0ZJ7MN7:hold', true, 1500000000, 4639322514);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:available', 'USD@fiat', 1, 'TXN_CFJBYXXABVER74W0ZJ7MN7:settle', false, 23844, 23844);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:available', 'USD@fiat', 2, 'TXN_9EVBHWBAM5G8PZHFC8M84F:hold', true, 5000, 18844);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:available', 'USD@fiat', 3, 'TXN_9EVBHWBAM5G8PZHFC8M84F:release', false, 5000, 23844);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:available', 'USD@fiat', 4, 'TXN_MZVRTCXHT40F8P2946RRVF:hold', true, 6000, 17844);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:available', 'USDC@solana', 1, 'TXN_J4YAJ42S1HRYANY8M302YG:deposit', false, 300500000, 300500000);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:held', 'BUSD1@bank', 1, 'TXN_HHC08NKAR0WBCZ6D3RG9DT:hold', false, 2000, 2000);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:held', 'BUSD1@bank', 2, 'TXN_2305XRFYT0GTTESP06VNX0:hold', false, 100000, 102000);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:held', 'BUSD1@bank', 3, 'TXN_HHC08NKAR0WBCZ6D3RG9DT:sent', true, 2000, 100000);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:held', 'BUSD1@bank', 4, 'TXN_2305XRFYT0GTTESP06VNX0:fill', true, 100000, 0);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:held', 'BUSD1@bank', 5, 'TXN_ZVNQ0XF54GT2MGQZD0G71T:hold', false, 1200, 1200);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:held', 'SOL@solana', 1, 'TXN_CFJBYXXABVER74W0ZJ7MN7:hold', false, 1500000000, 1500000000);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:held', 'SOL@solana', 2, 'TXN_CFJBYXXABVER74W0ZJ7MN7:fill', true, 1500000000, 0);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:held', 'USD@fiat', 1, 'TXN_9EVBHWBAM5G8PZHFC8M84F:hold', false, 5000, 5000);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:held', 'USD@fiat', 2, 'TXN_9EVBHWBAM5G8PZHFC8M84F:release', true, 5000, 0);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:held', 'USD@fiat', 3, 'TXN_MZVRTCXHT40F8P2946RRVF:hold', false, 6000, 6000);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:incoming', 'SOL@solana', 1, 'TXN_2305XRFYT0GTTESP06VNX0:fill', false, 6139322514, 6139322514);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:incoming', 'SOL@solana', 2, 'TXN_2305XRFYT0GTTESP06VNX0:settle', true, 6139322514, 0);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:incoming', 'USD@fiat', 1, 'TXN_CFJBYXXABVER74W0ZJ7MN7:fill', false, 23844, 23844);
INSERT INTO "posting" VALUES ('customer:TDA_F67N5J04A8150G8KZ45TMY:incoming', 'USD@fiat', 2, 'TXN_CFJBYXXABVER74W0ZJ7MN7:settle', true, 23844, 0);
INSERT INTO "posting" VALUES ('income:fee', 'USD@fiat', 1, 'TXN_2305XRFYT0GTTESP06VNX0:fill', false, 500, 500);
INSERT INTO "posting" VALUES ('income:fee', 'USD@fiat', 2, 'TXN_CFJBYXXABVER74W0ZJ7MN7:fill', false, 120, 620);
INSERT INTO "posting" VALUES ('income:fee', 'USD@fiat', 3, 'TXN_N56ECTQQS0FRPA9WJR0WR9:fill', false, 125, 745);
INSERT INTO "posting" VALUES ('income:spread', 'USD@fiat', 1, 'TXN_2305XRFYT0GTTESP06VNX0:fill', false, 645, 645);
INSERT INTO "posting" VALUES ('income:spread', 'USD@fiat', 2, 'TXN_CFJBYXXABVER74W0ZJ7MN7:fill', false, 157, 802);
INSERT INTO "posting" VALUES ('income:spread', 'USD@fiat', 3, 'TXN_N56ECTQQS0FRPA9WJR0WR9:fill', false, 112, 914);
INSERT INTO "posting" VALUES ('issuer:BUSD1@bank', 'USD@fiat', 1, 'TXN_4JBEG2RM861BD5P5N8B6T8:deposit', false, 500000, 500000);
INSERT INTO "posting" VALUES ('issuer:BUSD1@bank', 'USD@fiat', 2, 'TXN_9E9C4YXVZ7QA5VTZZ5XTXQ:deposit', false, 200000, 700000);
INSERT INTO "posting" VALUES ('issuer:BUSD1@bank', 'USD@fiat', 3, 'TXN_HHC08NKAR0WBCZ6D3RG9DT:sent', true, 2000, 698000);
INSERT INTO "posting" VALUES ('issuer:BUSD1@bank', 'USD@fiat', 4, 'TXN_2305XRFYT0GTTESP06VNX0:fill', true, 100000, 598000);
INSERT INTO "posting" VALUES ('issuer:BUSD1@bank', 'USD@fiat', 5, 'TXN_N56ECTQQS0FRPA9WJR0WR9:fill', true, 25000, 573000);
INSERT INTO "posting" VALUES ('issuer:USDC@solana', 'USD@fiat', 1, 'TXN_J4YAJ42S1HRYANY8M302YG:deposit', false, 30050, 30050);
INSERT INTO "posting" VALUES ('lp.payable', 'SOL@solana', 1, 'TXN_CFJBYXXABVER74W0ZJ7MN7:fill', false, 1500000000, 1500000000);
INSERT INTO "posting" VALUES ('lp.payable', 'SOL@solana', 2, 'TXN_CFJBYXXABVER74W0ZJ7MN7:settle', true, 1500000000, 0);
INSERT INTO "posting" VALUES ('lp.payable', 'USD@fiat', 1, 'TXN_2305XRFYT0GTTESP06VNX0:fill', false, 98855, 98855);
INSERT INTO "posting" VALUES ('lp.payable', 'USD@fiat', 2, 'TXN_2305XRFYT0GTTESP06VNX0:settle', true, 98855, 0);
INSERT INTO "posting" VALUES ('lp.payable', 'USD@fiat', 3, 'TXN_N56ECTQQS0FRPA9WJR0WR9:fill', false, 24763, 24763);
INSERT INTO "posting" VALUES ('lp.receivable', 'BTC@bitcoin', 1, 'TXN_N56ECTQQS0FRPA9WJR0WR9:fill', true, 215262, 215262);
INSERT INTO "posting" VALUES ('lp.receivable', 'SOL@solana', 1, 'TXN_2305XRFYT0GTTESP06VNX0:fill', true, 6139322514, 6139322514);
INSERT INTO "posting" VALUES ('lp.receivable', 'SOL@solana', 2, 'TXN_2305XRFYT0GTTESP06VNX0:settle', false, 6139322514, 0);
INSERT INTO "posting" VALUES ('lp.receivable', 'USD@fiat', 1, 'TXN_CFJBYXXABVER74W0ZJ7MN7:fill', true, 24121, 24121);
INSERT INTO "posting" VALUES ('lp.receivable', 'USD@fiat', 2, 'TXN_CFJBYXXABVER74W0ZJ7MN7:settle', false, 24121, 0);
INSERT INTO "quote" VALUES ('QTE_9QYH43G8VY2KB3J1H4VE4Q', 'default', NULL, 'btc-usd', 'buy', 'executed', 11555678, 25000, 215262, 125, 25000, 0, 50, 115039100000, 20, 5, 300000000, 1763700480000000, 1763700780000000, 'TXN_N56ECTQQS0FRPA9WJR0WR9', 1763700480000000);
INSERT INTO "quote" VALUES ('QTE_AX3B7YE6TXY48E6Z3Z7P0A', 'default', NULL, 'eth-usd', 'buy', 'executed', 345947, 6000, 17256978670143114, 30, 6000, 0, 50, 3442250000, 25, 5, 300000000, 1763700490000000, 1763700790000000, 'TXN_MZVRTCXHT40F8P2946RRVF', 1763700490000000);
INSERT INTO "quote" VALUES ('QTE_NDG0TB3NXTZG690PC1EJKC', 'default', NULL, 'sol-usd', 'buy', 'executed', 16204, 5000, 307022957, 25, 5000, 0, 50, 160990000, 40, 5, 300000000, 1763700490000000, 1763700790000000, 'TXN_9EVBHWBAM5G8PZHFC8M84F', 1763700490000000);
INSERT INTO "quote" VALUES ('QTE_Q5VJENTKGTMAD49YZKS5VW', 'default', NULL, 'sol-usd', 'sell', 'executed', 15976, 1500000000, 23844, 120, 23964, 0, 50, 160810000, 40, 5, 300000000, 1763700240000000, 1763700540000000, 'TXN_CFJBYXXABVER74W0ZJ7MN7', 1763700240000000);
INSERT INTO "quote" VALUES ('QTE_QT9XCZ45VR9V9RDFFBF1Z9', 'default', NULL, 'sol-usd', 'buy', 'executed', 16207, 100000, 6139322514, 500, 100000, 0, 50, 161020000, 40, 5, 300000000, 1763700000000000, 1763700300000000, 'TXN_2305XRFYT0GTTESP06VNX0', 1763700000000000);
INSERT INTO "quote" VALUES ('QTE_SRG6DEXYVBBK10VTSSP4WW', 'default', NULL, 'sol-usd', 'buy', 'open', 16204, 3300, 202604295, 17, 3300, 0, 50, 160990000, 40, 5, 300000000, 1763700490000000, 1763700790000000, NULL, NULL);
INSERT INTO "bank_account" VALUES ('default', 'DDA-1', 'CUS_DDA-1', 'checking', 99471950, 'TDA_F67N5J04A8150G8KZ45TMY');
INSERT INTO "bank_account" VALUES ('default', 'DDA-2', 'CUS_DDA-2', 'checking', 99800000, 'TDA_AVM4TJ8XVV0PPDBADE9W5Y');
INSERT INTO "trading_account" VALUES ('TDA_AVM4TJ8XVV0PPDBADE9W5Y', 'default', 'DDA-2', 'checking', 'CUS_DDA-2', NULL, NULL, 1763700000000000, 3, 1, 1, 0, 2, 1763700490000000, 'trade.executed');
INSERT INTO "trading_account" VALUES ('TDA_F67N5J04A8150G8KZ45TMY', 'default', 'DDA-1', 'checking', 'CUS_DDA-1', NULL, NULL, 1763700000000000, 13, 4, 2, 2, 8, 1763700490000000, 'withdrawal');
INSERT INTO "trade" VALUES ('TXN_2305XRFYT0GTTESP06VNX0', 'default', 'TDA_F67N5J04A8150G8KZ45TMY', 1, 4, 'QTE_QT9XCZ45VR9V9RDFFBF1Z9', 'sol-usd', 'buy', 'settled', 16207, 6139322514, 100000, 6139322514, 500, 0, 50, 98855, '[["BUSD1@bank", "100000"]]', 1763700000000000, 1763700120000000, 1763700060000000, 1763700120000000, NULL, NULL, NULL, 3);
INSERT INTO "trade" VALUES ('TXN_9EVBHWBAM5G8PZHFC8M84F', 'default', 'TDA_F67N5J04A8150G8KZ45TMY', 3, 6, 'QTE_NDG0TB3NXTZG690PC1EJKC', 'sol-usd', 'buy', 'cancelled', 16204, 307022957, 5000, 307022957, 25, 0, 50, 4942, '[["USD@fiat", "5000"]]', 1763700490000000, 1763700490000000, NULL, NULL, 1763700490000000, NULL, NULL, 2);
INSERT INTO "trade" VALUES ('TXN_CFJBYXXABVER74W0ZJ7MN7', 'default', 'TDA_F67N5J04A8150G8KZ45TMY', 2, 5, 'QTE_Q5VJENTKGTMAD49YZKS5VW', 'sol-usd', 'sell', 'settled', 15976, 1500000000, 1500000000, 23844, 120, 0, 50, 24121, '[["SOL@solana", "1500000000"]]', 1763700240000000, 1763700360000000, 1763700300000000, 1763700360000000, NULL, NULL, NULL, 3);
INSERT INTO "trade" VALUES ('TXN_MZVRTCXHT40F8P2946RRVF', 'default', 'TDA_F67N5J04A8150G8KZ45TMY', 4, 7, 'QTE_AX3B7YE6TXY48E6Z3Z7P0A', 'eth-usd', 'buy', 'processing', 345947, 17256978670143114, 6000, 17256978670143114, 30, 0, 50, 5940, '[["USD@fiat", "6000"]]', 1763700490000000, 1763700490000000, NULL, NULL, NULL, NULL, NULL, 1);
INSERT INTO "trade" VALUES ('TXN_N56ECTQQS0FRPA9WJR0WR9', 'default', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 1, 2, 'QTE_9QYH43G8VY2KB3J1H4VE4Q', 'btc-usd', 'buy', 'executed', 11555678, 215262, 25000, 215262, 125, 0, 50, 24763, '[["BUSD1@bank", "25000"]]', 1763700480000000, 1763700490000000, 1763700490000000, NULL, NULL, NULL, NULL, 2);
INSERT INTO "transfer" VALUES ('TXN_4JBEG2RM861BD5P5N8B6T8', 'default', 'TDA_F67N5J04A8150G8KZ45TMY', 'deposit', 1, 1, 'completed', 500000, 'BUSD1@bank', 'deposit-token-currency', 'DPT_USD', 'DDA-1', NULL, NULL, NULL, NULL, 0, 500000, '[]', 1763700000000000, 1763700000000000, 1763700000000000, NULL, NULL, NULL, NULL, NULL, 2);
INSERT INTO "transfer" VALUES ('TXN_9E9C4YXVZ7QA5VTZZ5XTXQ', 'default', 'TDA_AVM4TJ8XVV0PPDBADE9W5Y', 'deposit', 1, 1, 'completed', 200000, 'BUSD1@bank', 'deposit-token-currency', 'DPT_USD', 'DDA-2', NULL, NULL, NULL, NULL, 0, 200000, '[]', 1763700000000000, 1763700000000000, 1763700000000000, NULL, NULL, NULL, NULL, NULL, 2);
INSERT INTO "transfer" VALUES ('TXN_HHC08NKAR0WBCZ6D3RG9DT', 'default', 'TDA_F67N5J04A8150G8KZ45TMY', 'withdrawal', 1, 3, 'completed', 2000, 'BUSD1@bank', 'deposit-token-currency', 'DPT_USD', 'DDA-1', 'own-bank-account', NULL, NULL, NULL, 0, 2000, '[["BUSD1@bank", "2000"]]', 1763700000000000, 1763700120000000, 1763700120000000, NULL, NULL, NULL, NULL, NULL, 3);
INSERT INTO "transfer" VALUES ('TXN_J4YAJ42S1HRYANY8M302YG', 'default', 'TDA_F67N5J04A8150G8KZ45TMY', 'deposit', 2, 2, 'completed', 300500000, 'USDC@solana', 'stablecoin-currency', NULL, 'DDA-1', NULL, NULL, NULL, NULL, 0, 30050, '[]', 1763700000000000, 1763700000000000, 1763700000000000, NULL, NULL, NULL, NULL, NULL, 2);
INSERT INTO "transfer" VALUES ('TXN_ZVNQ0XF54GT2MGQZD0G71T', 'default', 'TDA_F67N5J04A8150G8KZ45TMY', 'withdrawal', 2, 8, 'processing', 1200, 'BUSD1@bank', 'deposit-token-currency', 'DPT_USD', 'DDA-1', 'own-bank-account', NULL, NULL, NULL, 0, 1200, '[["BUSD1@bank", "1200"]]', 1763700490000000, 1763700490000000, NULL, NULL, NULL, NULL, NULL, NULL, 1);
