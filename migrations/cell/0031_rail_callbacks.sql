-- Callbacks of an operator: each attempt has an address with a token, of which only a digest is kept (rails.md 4.3).
alter table rail_attempts
  add column callback_token_sha256 bytea check (length(callback_token_sha256) = 32),
  add column callback_seen_at      timestamptz,
  add column callbacks             integer not null default 0 check (callbacks >= 0);
create unique index rail_attempts_of_callback on rail_attempts (merchant_id, callback_token_sha256)
  where callback_token_sha256 is not null;

alter table rail_evidence drop constraint rail_evidence_operation_check;
alter table rail_evidence add constraint rail_evidence_operation_check
  check (operation in ('ready', 'submit', 'status', 'confirm', 'callback'));
