-- What an API key may send in a day (whole UGX, Kampala's days), and what it has sent on the last day on which it sent anything. A row stays
-- when the limit is lifted; a key that never had one has none.
create table key_limits (
  merchant_id bigint not null references merchants,
  key_id      text not null,
  daily_limit bigint check (daily_limit >= 0),
  day         date,
  sent        bigint not null default 0 check (sent >= 0),
  changed_at  timestamptz not null,
  primary key (merchant_id, key_id),
  check (day is not null or sent = 0)
);
-- A limit may be lowered below what was sent today; then nothing more is.
create function refuse_above_key_limit() returns trigger language plpgsql as $$
begin
  raise exception 'key % would send % a day, and may send %', new.key_id, new.sent, new.daily_limit
    using errcode = 'check_violation', constraint = 'key_limits_hold';
end $$;
create trigger key_limits_hold before update of sent, day on key_limits for each row
  when (new.sent > new.daily_limit and (new.sent > old.sent or new.day is distinct from old.day))
  execute function refuse_above_key_limit();
create trigger key_limits_begin before insert on key_limits for each row
  when (new.sent > 0) execute function refuse_above_key_limit();

-- The key whose limit a payout has counted against; null where it had none. Its batch and its payouts say so, because they are run later.
alter table payouts add column limited_key text;
alter table bulk_batches add column limited_key text;
create index payouts_of_limited_keys on payouts (merchant_id, limited_key, created_at) where limited_key is not null;
