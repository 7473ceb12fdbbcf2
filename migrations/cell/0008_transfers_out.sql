-- Every kind of transfer with the accounts it may touch. One CASE: a row is judged by the one line of its kind, which costs
-- less than the list and the two patterns it replaces.
alter table transfers drop constraint known_shape;
alter table transfers drop constraint account_names;
alter table transfers add constraint known_shape check (case kind
  when 'charge_net' then debit ~ '^rail:[a-z0-9_]+$' and credit in ('pending', 'available')
  when 'charge_fee' then debit ~ '^rail:[a-z0-9_]+$' and credit = 'fees'
  when 'payout_reserve' then debit = 'available' and credit = 'in_flight'
  when 'payout_sent' then debit = 'in_flight' and credit ~ '^rail:[a-z0-9_]+$'
  when 'payout_fee' then debit = 'in_flight' and credit = 'fees'
  when 'payout_return' then debit = 'in_flight' and credit = 'available'
  when 'hold_release' then debit = 'pending' and credit = 'available'
  when 'split_share' then debit ~ '^rail:[a-z0-9_]+$' and credit ~ '^sub_(available|pending):sub_[a-z0-9]+$'
  when 'split_release' then debit ~ '^sub_pending:sub_[a-z0-9]+$' and credit = 'sub_available' || substr(debit, 12)
  when 'charge_fee_return' then debit = 'fees' and credit = 'available'
  when 'sub_payout_reserve' then debit ~ '^sub_available:sub_[a-z0-9]+$' and credit = 'in_flight'
  when 'sub_payout_return' then debit = 'in_flight' and credit ~ '^sub_available:sub_[a-z0-9]+$'
  when 'test_funds' then debit = 'sandbox' and credit = 'available'
  else false end);
create unique index share_happens_once on transfers (merchant_id, subject, kind, split_part(credit, ':', 2))
  where kind in ('split_share', 'split_release');
create unique index payout_ends_once on transfers (merchant_id, subject)
  where kind in ('payout_sent', 'payout_return', 'sub_payout_return');

-- What a statement of a closed month says about its merchant, kept from its first rendering after the close.
create table statement_headers (
  merchant_id   bigint not null,
  mode          mode   not null,
  period        text   not null check (period ~ '^[0-9]{4}-[0-9]{2}$'),
  merchant_name text   not null,
  handle        text   not null,
  vat_number    text,
  kept_at       timestamptz not null,
  primary key (merchant_id, mode, period)
);
alter table merchants add column vat_number text;
