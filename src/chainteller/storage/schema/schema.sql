CREATE TABLE archive (
  organisation_id VARCHAR(64) NOT NULL,
  first BIGINT NOT NULL,
  upto BIGINT NOT NULL,
  name VARCHAR(255) NOT NULL,
  PRIMARY KEY (organisation_id, first)
);

CREATE TABLE checkpoint (
  organisation_id VARCHAR(64) NOT NULL,
  size BIGINT NOT NULL,
  root VARCHAR(64) NOT NULL,
  note TEXT NOT NULL,
  made_at BIGINT NOT NULL,
  PRIMARY KEY (organisation_id, size)
);

CREATE TABLE clock (
  name VARCHAR(64) NOT NULL,
  epoch BIGINT NOT NULL,
  began_at BIGINT NOT NULL,
  boot VARCHAR(64) NOT NULL,
  anchor_at BIGINT NOT NULL,
  anchor_elapsed BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  doubt VARCHAR(64) NOT NULL,
  stepped BOOLEAN NOT NULL,
  salt VARCHAR(16),
  PRIMARY KEY (name)
);

CREATE TABLE dispute (
  id VARCHAR(64) NOT NULL,
  organisation_id VARCHAR(64) NOT NULL,
  invariant INTEGER NOT NULL,
  place VARCHAR(255) NOT NULL,
  what TEXT NOT NULL,
  found_at BIGINT NOT NULL,
  cleared_at BIGINT,
  cleared_by VARCHAR(128),
  reason VARCHAR(200),
  salt VARCHAR(16),
  PRIMARY KEY (id)
);

CREATE INDEX ix_dispute_open ON dispute (organisation_id) WHERE cleared_at IS NULL;

CREATE TABLE entry (
  organisation_id VARCHAR(64) NOT NULL,
  number BIGINT NOT NULL,
  at BIGINT NOT NULL,
  action VARCHAR(64) NOT NULL,
  object VARCHAR(96) NOT NULL,
  trading_account_id VARCHAR(64),
  leaf BYTEA NOT NULL,
  mark BYTEA NOT NULL,
  body BYTEA,
  case_id VARCHAR(64),
  PRIMARY KEY (organisation_id, number)
);

CREATE INDEX ix_entry_account ON entry (organisation_id, trading_account_id, number) WHERE trading_account_id IS NOT NULL;

CREATE INDEX ix_entry_case ON entry (organisation_id, case_id, number) WHERE case_id IS NOT NULL;

CREATE INDEX ix_entry_object ON entry (object, organisation_id, number);

CREATE TABLE idempotency (
  organisation_id VARCHAR(64) NOT NULL,
  operation VARCHAR(64) NOT NULL,
  key VARCHAR(255) NOT NULL,
  fingerprint VARCHAR(64) NOT NULL,
  created_record BOOLEAN NOT NULL,
  body BYTEA NOT NULL,
  at BIGINT NOT NULL,
  salt VARCHAR(16),
  PRIMARY KEY (organisation_id, operation, key)
);

CREATE INDEX ix_idempotency_at ON idempotency (at);

CREATE TABLE job (
  kind VARCHAR(64) NOT NULL,
  reference VARCHAR(64) NOT NULL,
  run_at BIGINT NOT NULL,
  salt VARCHAR(16),
  PRIMARY KEY (kind, reference)
);

CREATE INDEX ix_job_run_at ON job (run_at);

CREATE TABLE journal (
  record VARCHAR(64) NOT NULL,
  kind VARCHAR(64) NOT NULL,
  organisation_id VARCHAR(64) NOT NULL,
  number BIGINT NOT NULL,
  PRIMARY KEY (record, kind)
);

CREATE TABLE ledger_account (
  code VARCHAR(96) NOT NULL,
  asset VARCHAR(64) NOT NULL,
  organisation_id VARCHAR(64) NOT NULL,
  balance NUMERIC(38, 0) NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (code, asset, organisation_id)
);

CREATE TABLE log (
  organisation_id VARCHAR(64) NOT NULL,
  size BIGINT NOT NULL,
  last_at BIGINT NOT NULL,
  mark BYTEA NOT NULL,
  marked_with VARCHAR(64) NOT NULL,
  archived BIGINT NOT NULL,
  moved BIGINT NOT NULL,
  PRIMARY KEY (organisation_id)
);

CREATE TABLE market_control (
  market VARCHAR(64) NOT NULL,
  reason VARCHAR(64) NOT NULL,
  until BIGINT,
  salt VARCHAR(16),
  PRIMARY KEY (market)
);

CREATE TABLE organisation (
  id VARCHAR(64) NOT NULL,
  name VARCHAR NOT NULL,
  fee_flat_cents INTEGER NOT NULL,
  fee_bps INTEGER NOT NULL,
  fee_minimum_cents INTEGER NOT NULL,
  created BIGINT NOT NULL,
  salt VARCHAR(16),
  PRIMARY KEY (id)
);

CREATE TABLE rule (
  id VARCHAR(64) NOT NULL,
  body TEXT NOT NULL,
  since BIGINT NOT NULL,
  salt VARCHAR(16),
  PRIMARY KEY (id)
);

CREATE TABLE search_key (
  organisation_id VARCHAR(64) NOT NULL,
  form VARCHAR(1) NOT NULL,
  key VARCHAR(128) COLLATE "C" NOT NULL,
  kind VARCHAR(64) NOT NULL,
  id VARCHAR(64) NOT NULL,
  PRIMARY KEY (organisation_id, form, key, kind, id)
);

CREATE TABLE search_name (
  organisation_id VARCHAR(64) NOT NULL,
  word VARCHAR(64) COLLATE "C" NOT NULL,
  customer_id VARCHAR(64) NOT NULL,
  PRIMARY KEY (organisation_id, word, customer_id)
);

CREATE INDEX ix_search_name_customer ON search_name (organisation_id, customer_id, word);

CREATE TABLE search_word (
  organisation_id VARCHAR(64) NOT NULL,
  word VARCHAR(64) COLLATE "C" NOT NULL,
  PRIMARY KEY (organisation_id, word)
);

CREATE TABLE server_lease (
  id VARCHAR(64) NOT NULL,
  renewed_at BIGINT NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE tally (
  organisation_id VARCHAR(64) NOT NULL,
  listed VARCHAR(64) NOT NULL,
  upto BIGINT NOT NULL,
  total BIGINT NOT NULL,
  PRIMARY KEY (organisation_id, listed)
);

CREATE TABLE verification (
  name VARCHAR(64) NOT NULL,
  verified_at BIGINT NOT NULL,
  full_at BIGINT NOT NULL,
  PRIMARY KEY (name)
);

CREATE TABLE agent (
  id VARCHAR(64) NOT NULL,
  organisation_id VARCHAR(64) NOT NULL,
  name VARCHAR(64) NOT NULL,
  public_key VARCHAR(64) NOT NULL,
  roles TEXT NOT NULL,
  created BIGINT NOT NULL,
  approved_at BIGINT,
  approved_by VARCHAR(128),
  expires BIGINT,
  revoked_at BIGINT,
  revoked_by VARCHAR(128),
  salt VARCHAR(16),
  PRIMARY KEY (id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id)
);

CREATE INDEX ix_agent_created ON agent (organisation_id, created, id);

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
  salt VARCHAR(16),
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
  code VARCHAR(64),
  code_block BIGINT,
  salt VARCHAR(16),
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
  salt VARCHAR(16),
  PRIMARY KEY (id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id)
);

CREATE INDEX ix_customer_reference ON customer (organisation_id, reference, id);

CREATE TABLE provider (
  organisation_id VARCHAR(64) NOT NULL,
  address VARCHAR(255) NOT NULL,
  since BIGINT NOT NULL,
  salt VARCHAR(16),
  PRIMARY KEY (organisation_id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id)
);

CREATE TABLE provider_request (
  id VARCHAR(64) NOT NULL,
  organisation_id VARCHAR(64) NOT NULL,
  operation VARCHAR(64) NOT NULL,
  key VARCHAR(255) NOT NULL,
  fingerprint VARCHAR(64) NOT NULL,
  call TEXT NOT NULL,
  actor VARCHAR(128) NOT NULL,
  case_id VARCHAR(64) NOT NULL,
  trading_account_id VARCHAR(64),
  status VARCHAR(64) NOT NULL,
  created BIGINT NOT NULL,
  updated BIGINT NOT NULL,
  due BIGINT,
  before TEXT,
  after TEXT,
  answer TEXT,
  subject VARCHAR(64),
  version INTEGER NOT NULL,
  salt VARCHAR(16),
  PRIMARY KEY (id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id)
);

CREATE UNIQUE INDEX ix_provider_request_key ON provider_request (organisation_id, operation, key);

CREATE INDEX ix_provider_request_same ON provider_request (organisation_id, fingerprint, created);

CREATE INDEX ix_provider_request_status ON provider_request (organisation_id, status, created);

CREATE INDEX ix_provider_request_subject ON provider_request (organisation_id, subject);

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
  told TEXT,
  salt VARCHAR(16),
  PRIMARY KEY (id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id)
);

CREATE INDEX ix_quote_account ON quote (organisation_id, trading_account_id, created, id) WHERE trading_account_id IS NOT NULL;

CREATE INDEX ix_quote_created ON quote (organisation_id, created, id);

CREATE INDEX ix_quote_live ON quote (organisation_id, expires, id) WHERE status = 'open';

CREATE INDEX ix_quote_market ON quote (organisation_id, market, side, created, id);

CREATE INDEX ix_quote_open ON quote (trading_account_id, expires) WHERE status = 'open';

CREATE INDEX ix_quote_status ON quote (organisation_id, status, created, id, expires);

CREATE TABLE webhook (
  id VARCHAR(64) NOT NULL,
  organisation_id VARCHAR(64) NOT NULL,
  url TEXT NOT NULL,
  types TEXT NOT NULL,
  created BIGINT NOT NULL,
  created_by VARCHAR(128) NOT NULL,
  made_with VARCHAR(64) NOT NULL,
  generation INTEGER NOT NULL,
  overlap_until BIGINT,
  paused_at BIGINT,
  paused_reason VARCHAR(64),
  sent_upto BIGINT NOT NULL,
  ahead TEXT NOT NULL,
  delivered_at BIGINT,
  answer VARCHAR(64),
  failing_since BIGINT,
  attempts INTEGER NOT NULL,
  next_at BIGINT,
  held_by VARCHAR(64),
  held_until BIGINT,
  salt VARCHAR(16),
  PRIMARY KEY (id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id)
);

CREATE INDEX ix_webhook_created ON webhook (organisation_id, created, id);

CREATE TABLE bank_account (
  organisation_id VARCHAR(64) NOT NULL,
  id VARCHAR(64) NOT NULL,
  customer_id VARCHAR(64) NOT NULL,
  type VARCHAR(64) NOT NULL,
  balance NUMERIC(38, 0) NOT NULL,
  trading_account_id VARCHAR(64),
  salt VARCHAR(16),
  PRIMARY KEY (organisation_id, id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id),
  FOREIGN KEY(customer_id) REFERENCES customer (id)
);

CREATE INDEX ix_bank_account_customer_id ON bank_account (customer_id);

CREATE TABLE provider_challenge (
  id VARCHAR(64) NOT NULL,
  organisation_id VARCHAR(64) NOT NULL,
  blockchain_account_id VARCHAR(64) NOT NULL,
  counterparty_id VARCHAR(64) NOT NULL,
  text TEXT NOT NULL,
  status VARCHAR(64) NOT NULL,
  created BIGINT NOT NULL,
  expires BIGINT NOT NULL,
  used_at BIGINT,
  claim_id VARCHAR(64),
  page_token VARCHAR(64),
  page_signature TEXT,
  page_sent INTEGER,
  salt VARCHAR(16),
  PRIMARY KEY (id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id),
  FOREIGN KEY(counterparty_id) REFERENCES counterparty (id)
);

CREATE INDEX ix_provider_challenge_account ON provider_challenge (organisation_id, blockchain_account_id, created, id);

CREATE UNIQUE INDEX ix_provider_challenge_page ON provider_challenge (page_token) WHERE page_token IS NOT NULL;

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
  salt VARCHAR(16),
  PRIMARY KEY (id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id),
  FOREIGN KEY(customer_id) REFERENCES customer (id)
);

CREATE INDEX ix_trading_account_activity ON trading_account (organisation_id, last_activity, id);

CREATE INDEX ix_trading_account_bank ON trading_account (organisation_id, bank_account_id);

CREATE INDEX ix_trading_account_created ON trading_account (organisation_id, created, id);

CREATE INDEX ix_trading_account_customer_id ON trading_account (customer_id);

CREATE TABLE blockchain_account (
  id VARCHAR(64) NOT NULL,
  organisation_id VARCHAR(64) NOT NULL,
  trading_account_id VARCHAR(64) NOT NULL,
  customer_id VARCHAR(64) NOT NULL,
  network VARCHAR(64) NOT NULL,
  address VARCHAR(128) NOT NULL,
  status VARCHAR(64) NOT NULL,
  created BIGINT NOT NULL,
  salt VARCHAR(16),
  PRIMARY KEY (id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id),
  FOREIGN KEY(trading_account_id) REFERENCES trading_account (id),
  FOREIGN KEY(customer_id) REFERENCES customer (id)
);

CREATE INDEX ix_blockchain_account_account ON blockchain_account (organisation_id, trading_account_id, created, id);

CREATE INDEX ix_blockchain_account_created ON blockchain_account (organisation_id, created, id);

CREATE INDEX ix_blockchain_account_customer_id ON blockchain_account (customer_id);

CREATE TABLE decision (
  id VARCHAR(64) NOT NULL,
  organisation_id VARCHAR(64) NOT NULL,
  kind VARCHAR(64) NOT NULL,
  subject VARCHAR(64) NOT NULL,
  trading_account_id VARCHAR(64),
  control VARCHAR(64),
  reason VARCHAR(64) NOT NULL,
  words TEXT,
  created BIGINT NOT NULL,
  opened_by VARCHAR(128) NOT NULL,
  due BIGINT NOT NULL,
  at_deadline VARCHAR(64) NOT NULL,
  status VARCHAR(64) NOT NULL,
  decided_at BIGINT,
  decided_by VARCHAR(128),
  outcome VARCHAR(64),
  answer TEXT,
  asked TEXT,
  asked_at BIGINT,
  holder VARCHAR(128),
  held_until BIGINT,
  rule_id VARCHAR(64),
  version INTEGER NOT NULL,
  needs_two BOOLEAN,
  first_by VARCHAR(128),
  first_at BIGINT,
  digest VARCHAR(64),
  to_role VARCHAR(64),
  escalated_at BIGINT,
  salt VARCHAR(16),
  PRIMARY KEY (id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id),
  FOREIGN KEY(trading_account_id) REFERENCES trading_account (id)
);

CREATE INDEX ix_decision_account ON decision (organisation_id, trading_account_id, due, created, id);

CREATE INDEX ix_decision_all ON decision (organisation_id, due, created, id);

CREATE INDEX ix_decision_created ON decision (organisation_id, created, id);

CREATE INDEX ix_decision_due ON decision (organisation_id, status, due, created, id);

CREATE UNIQUE INDEX ix_decision_open ON decision (organisation_id, subject) WHERE status = 'open';

CREATE TABLE note (
  id VARCHAR(64) NOT NULL,
  organisation_id VARCHAR(64) NOT NULL,
  subject VARCHAR(64) NOT NULL,
  trading_account_id VARCHAR(64),
  created BIGINT NOT NULL,
  author VARCHAR(128) NOT NULL,
  content TEXT,
  erased_at BIGINT,
  erased_by VARCHAR(128),
  salt VARCHAR(16),
  PRIMARY KEY (id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id),
  FOREIGN KEY(trading_account_id) REFERENCES trading_account (id)
);

CREATE INDEX ix_note_account ON note (organisation_id, trading_account_id, created, id);

CREATE INDEX ix_note_created ON note (organisation_id, created, id);

CREATE INDEX ix_note_subject ON note (organisation_id, subject, created, id);

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
  told TEXT,
  salt VARCHAR(16),
  PRIMARY KEY (id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id),
  FOREIGN KEY(trading_account_id) REFERENCES trading_account (id),
  UNIQUE (quote_id),
  FOREIGN KEY(quote_id) REFERENCES quote (id)
);

CREATE INDEX ix_trade_created ON trade (organisation_id, created, id);

CREATE INDEX ix_trade_market ON trade (organisation_id, market, side, created, id);

CREATE UNIQUE INDEX ix_trade_ordinal ON trade (trading_account_id, ordinal);

CREATE INDEX ix_trade_organisation_status ON trade (organisation_id, status, created, id);

CREATE INDEX ix_trade_status ON trade (trading_account_id, status, ordinal);

CREATE INDEX ix_trade_transaction ON trade (trading_account_id, transaction_ordinal);

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
  rule_id VARCHAR(64),
  evidence_level VARCHAR(64),
  told TEXT,
  provider_id VARCHAR(64),
  salt VARCHAR(16),
  PRIMARY KEY (id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id),
  FOREIGN KEY(trading_account_id) REFERENCES trading_account (id)
);

CREATE INDEX ix_transfer_account ON transfer (organisation_id, trading_account_id, created, id);

CREATE INDEX ix_transfer_amount ON transfer (organisation_id, amount, created);

CREATE INDEX ix_transfer_created ON transfer (trading_account_id, direction, created, status, destination_class, notional_cents);

CREATE INDEX ix_transfer_direction ON transfer (organisation_id, direction, created, id);

CREATE INDEX ix_transfer_end ON transfer (organisation_id, substr(id, length(id) - 3));

CREATE INDEX ix_transfer_hash ON transfer (organisation_id, network_tx_hash) WHERE network_tx_hash IS NOT NULL;

CREATE INDEX ix_transfer_level ON transfer (trading_account_id, created) WHERE evidence_level IS NOT NULL;

CREATE UNIQUE INDEX ix_transfer_ordinal ON transfer (trading_account_id, direction, ordinal);

CREATE INDEX ix_transfer_organisation ON transfer (organisation_id, created, id);

CREATE INDEX ix_transfer_status ON transfer (organisation_id, status, created, id);

CREATE INDEX ix_transfer_transaction ON transfer (trading_account_id, transaction_ordinal);

CREATE INDEX ix_transfer_wallet ON transfer (organisation_id, counterparty_id, created) WHERE counterparty_id IS NOT NULL;

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
  page_token VARCHAR(64),
  page_text TEXT,
  page_signature TEXT,
  page_sent INTEGER,
  salt VARCHAR(16),
  PRIMARY KEY (id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id),
  FOREIGN KEY(blockchain_account_id) REFERENCES blockchain_account (id),
  FOREIGN KEY(counterparty_id) REFERENCES counterparty (id),
  FOREIGN KEY(customer_id) REFERENCES customer (id)
);

CREATE INDEX ix_challenge_account ON challenge (blockchain_account_id, counterparty_id, created);

CREATE INDEX ix_challenge_counterparty_id ON challenge (counterparty_id);

CREATE INDEX ix_challenge_created ON challenge (blockchain_account_id, created, id);

CREATE INDEX ix_challenge_customer ON challenge (customer_id, created);

CREATE INDEX ix_challenge_open ON challenge (organisation_id, expires) WHERE status = 'open';

CREATE INDEX ix_challenge_page ON challenge (page_token) WHERE page_token IS NOT NULL;

CREATE TABLE ownership_statement (
  id VARCHAR(64) NOT NULL,
  organisation_id VARCHAR(64) NOT NULL,
  blockchain_account_id VARCHAR(64) NOT NULL,
  counterparty_id VARCHAR(64) NOT NULL,
  customer_id VARCHAR(64) NOT NULL,
  reason VARCHAR(64) NOT NULL,
  statement TEXT NOT NULL,
  level VARCHAR(64) NOT NULL,
  status VARCHAR(64) NOT NULL,
  created BIGINT NOT NULL,
  salt VARCHAR(16),
  PRIMARY KEY (id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id),
  FOREIGN KEY(blockchain_account_id) REFERENCES blockchain_account (id),
  FOREIGN KEY(counterparty_id) REFERENCES counterparty (id),
  FOREIGN KEY(customer_id) REFERENCES customer (id)
);

CREATE INDEX ix_ownership_statement_created ON ownership_statement (blockchain_account_id, created, id);

CREATE TABLE attempt (
  challenge_id VARCHAR(64) NOT NULL,
  number INTEGER NOT NULL,
  at BIGINT NOT NULL,
  finding VARCHAR(64) NOT NULL,
  recovered_address VARCHAR(128),
  salt VARCHAR(16),
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
  method VARCHAR(64) NOT NULL,
  level VARCHAR(64) NOT NULL,
  of_page BOOLEAN,
  salt VARCHAR(16),
  PRIMARY KEY (id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id),
  FOREIGN KEY(blockchain_account_id) REFERENCES blockchain_account (id),
  FOREIGN KEY(counterparty_id) REFERENCES counterparty (id),
  UNIQUE (challenge_id),
  FOREIGN KEY(challenge_id) REFERENCES challenge (id)
);

CREATE INDEX ix_claim_counterparty_id ON claim (counterparty_id);

CREATE TABLE small_transfer (
  challenge_id VARCHAR(64) NOT NULL,
  organisation_id VARCHAR(64) NOT NULL,
  asset VARCHAR(64) NOT NULL,
  amount NUMERIC(38, 0) NOT NULL,
  deadline BIGINT NOT NULL,
  salt VARCHAR(16),
  PRIMARY KEY (challenge_id),
  FOREIGN KEY(challenge_id) REFERENCES challenge (id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id)
);

CREATE TABLE claim_evidence (
  claim_id VARCHAR(64) NOT NULL,
  organisation_id VARCHAR(64) NOT NULL,
  body TEXT NOT NULL,
  salt VARCHAR(16),
  PRIMARY KEY (claim_id),
  FOREIGN KEY(claim_id) REFERENCES claim (id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id)
);

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
  salt VARCHAR(16),
  PRIMARY KEY (blockchain_account_id, counterparty_id),
  FOREIGN KEY(blockchain_account_id) REFERENCES blockchain_account (id),
  FOREIGN KEY(counterparty_id) REFERENCES counterparty (id),
  FOREIGN KEY(claim_id) REFERENCES claim (id)
);

CREATE INDEX ix_link_account ON link (blockchain_account_id, first_linked_at, counterparty_id);

CREATE INDEX ix_link_counterparty ON link (counterparty_id);

CREATE TABLE small_transfer_arrival (
  challenge_id VARCHAR(64) NOT NULL,
  hash VARCHAR(128) NOT NULL,
  organisation_id VARCHAR(64) NOT NULL,
  sender VARCHAR(128) NOT NULL,
  asset VARCHAR(64) NOT NULL,
  amount NUMERIC(38, 0) NOT NULL,
  arrived BIGINT NOT NULL,
  seen BIGINT NOT NULL,
  finding VARCHAR(64) NOT NULL,
  salt VARCHAR(16),
  PRIMARY KEY (challenge_id, hash),
  FOREIGN KEY(challenge_id) REFERENCES small_transfer (challenge_id),
  FOREIGN KEY(organisation_id) REFERENCES organisation (id)
);
