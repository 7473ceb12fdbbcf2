create table ledger_heads (
  merchant_id        bigint not null references merchants,
  mode               mode   not null,
  available          bigint not null default 0 check (available >= 0),
  pending            bigint not null default 0 check (pending   >= 0),
  in_flight          bigint not null default 0 check (in_flight >= 0),
  seq                bigint not null default 0 check (seq >= 0),
  payouts_paused_by  text,
  payouts_frozen_for text,
  closed_until       timestamptz not null default '-infinity',
  primary key (merchant_id, mode)
) with (fillfactor = 50);

create table transfers (
  merchant_id bigint not null,
  mode        mode   not null,
  seq         bigint not null,
  kind        text   not null,
  subject     text   not null,
  debit       text   not null,
  credit      text   not null,
  amount      bigint not null check (amount between 1 and 9007199254740991),
  at          timestamptz not null,
  primary key (merchant_id, mode, seq),
  constraint account_names check (
    debit  ~ '^(available|pending|in_flight|fees|sandbox|adjustments|rail:[a-z0-9_]+|sub_(available|pending):sub_[a-z0-9]+)$' and
    credit ~ '^(available|pending|in_flight|fees|sandbox|adjustments|rail:[a-z0-9_]+|sub_(available|pending):sub_[a-z0-9]+)$'),
  constraint known_shape check ((kind, split_part(debit, ':', 1), split_part(credit, ':', 1)) in (
    ('charge_net', 'rail', 'pending'), ('charge_net', 'rail', 'available'),
    ('charge_fee', 'rail', 'fees'),
    ('hold_release', 'pending', 'available'),
    ('test_funds', 'sandbox', 'available'))),
  constraint sandbox_is_test check (mode = 'test' or debit <> 'sandbox')
);
create unique index happens_once on transfers (merchant_id, subject, kind) where kind not in ('split_share', 'split_release');

create table ledger_checkpoints (
  merchant_id bigint not null,
  mode        mode   not null,
  seq         bigint not null,
  balances    jsonb  not null,
  at          timestamptz not null,
  primary key (merchant_id, mode, seq)
);

create table settlements (
  merchant_id   bigint not null,
  id            text   not null,
  mode          mode   not null,
  kind          text   not null check (kind in ('sweep', 'instant', 'split_sweep')),
  subaccount_id text,
  amount        bigint not null check (amount > 0),
  charge_count  integer not null check (charge_count > 0),
  created_at    timestamptz not null,
  primary key (merchant_id, id),
  check ((kind = 'split_sweep') = (subaccount_id is not null)),
  check (kind <> 'instant' or charge_count = 1)
);
create index settlements_listed on settlements (merchant_id, mode, created_at, id);

-- Append-only, for the owner too. TRUNCATE needs a trigger of its own: row triggers do not see it.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % is refused', tg_table_name, lower(tg_op);
end $$;
create trigger transfers_never_change before update or delete on transfers for each row execute function refuse_change();
create trigger transfers_never_empty before truncate on transfers for each statement execute function refuse_change();
create trigger settlements_never_change before update or delete on settlements for each row execute function refuse_change();
create trigger settlements_never_empty before truncate on settlements for each statement execute function refuse_change();
create trigger checkpoints_never_change before update or delete on ledger_checkpoints for each row execute function refuse_change();
create trigger checkpoints_never_empty before truncate on ledger_checkpoints for each statement execute function refuse_change();
