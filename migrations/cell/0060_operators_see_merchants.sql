-- Since when and why a merchant is switched off, and when its limits were set last: for its own people, who never hear by whom.
alter table merchants
  add column inactive_since timestamptz,
  add column inactive_for   text constraint inactive_for_is_short check (length(inactive_for) between 1 and 500),
  add column limits_set_at  timestamptz,
  -- A merchant that was never used and is none any more. It stays switched off.
  add column closed_at      timestamptz,
  add constraint closed_is_inactive check (closed_at is null or not active);

-- Since when an account's payouts are frozen, until when at most, and what its people are told. The reason beside them is for the staff.
alter table ledger_heads
  add column payouts_frozen_at    timestamptz,
  add column payouts_frozen_until timestamptz,
  add column payouts_frozen_says  text constraint frozen_says_is_short check (length(payouts_frozen_says) between 1 and 500);
create index ledger_heads_thaw on ledger_heads (payouts_frozen_until) where payouts_frozen_until is not null;

-- How operators look for merchants: by words of the name and the handle, by address, by number, by what they filter.
create index merchants_words on merchants using gin (to_tsvector('simple'::regconfig, name || ' ' || handle));
create index merchants_email on merchants (lower(email));
create index merchants_verification on merchants (kyc_status, id);
create index merchants_inactive on merchants (id) where not active;
create index merchants_vending on merchants (id) where vending_enabled;
create index withdrawal_numbers_phone on withdrawal_numbers (phone);

-- What waits for an operator, oldest first, and the top-ups of all merchants, newest first.
create index withdrawal_numbers_waiting on withdrawal_numbers (set_at, merchant_id) where verified_at is null;
create index payouts_withdrawals on payouts (created_at, id) where kind = 'withdrawal';
create index withdrawals_waiting on withdrawals (merchant_id, id) where state = 'requested';
create index top_ups_of_all on top_ups (created_at, id) where published;

-- What the console is told of at once: terms of a merchant that decide about money.
create index audit_of_terms on audit (at) where action in ('merchant.terms', 'withdrawal.verify');
