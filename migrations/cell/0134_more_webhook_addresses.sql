-- Further addresses of a merchant for its webhooks, each for one mode. The first one, for both modes, stays in merchants.webhook_url with its
-- deliveries. The number is what keeps them to five: a merchant with four of these in a mode has no number left.
create table webhook_addresses (
  merchant_id     bigint not null,
  id              text not null check (id ~ '^wha_[a-z0-9]{21}$'),
  mode            mode not null,
  number          smallint not null check (number between 2 and 5),
  url             text not null check (length(url) between 1 and 2048),
  -- Null: every event.
  events          text[] check (cardinality(events) between 1 and 50),
  state           text not null default 'active' check (state in ('active', 'paused', 'switched_off')),
  state_since     timestamptz not null,
  -- Deliveries may wait here for the address to be active again.
  waits           boolean not null default false,
  secret          bytea not null,
  secret_since    timestamptz not null,
  previous_secret bytea,
  previous_until  timestamptz,
  last_success_at timestamptz,
  failing_since   timestamptz,
  -- How many mails were sent about what has failed since then.
  told            smallint not null default 0 check (told between 0 and 2),
  told_at         timestamptz,
  created_at      timestamptz not null,
  removed_at      timestamptz,
  constraint webhook_addresses_pkey primary key (merchant_id, id),
  constraint webhook_addresses_previous_is_whole check ((previous_secret is null) = (previous_until is null)),
  constraint webhook_addresses_told_of_a_failure check (told = 0 or failing_since is not null),
  constraint webhook_addresses_told_at_a_time check ((told = 0) = (told_at is null))
);
create unique index webhook_addresses_numbers on webhook_addresses (merchant_id, mode, number) where removed_at is null;
create index webhook_addresses_waiting on webhook_addresses (merchant_id, id) where waits and state = 'active' and removed_at is null;
create index webhook_addresses_failing on webhook_addresses (failing_since) where failing_since is not null and removed_at is null;
create index webhook_addresses_removed on webhook_addresses (removed_at) where removed_at is not null;
create index webhook_addresses_overlap on webhook_addresses (previous_until) where previous_until is not null;

-- One event to one of these addresses. A row without a due time that is pending waits for its address.
create table address_deliveries (
  merchant_id        bigint not null,
  address_id         text not null,
  event_id           text not null,
  mode               mode not null,
  event              text not null,
  sequence           bigint,
  status             text not null default 'pending' check (status in ('pending', 'sent', 'failed')),
  attempts           integer not null default 0 check (attempts >= 0),
  url                text,
  last_response_code integer check (last_response_code between 100 and 999),
  last_error         text check (length(last_error) between 1 and 100),
  next_attempt_at    timestamptz,
  delivered_at       timestamptz,
  created_at         timestamptz not null,
  lease_until        timestamptz,
  lease_token        text,
  constraint address_deliveries_pkey primary key (merchant_id, address_id, event_id),
  constraint address_deliveries_due_are_pending check (next_attempt_at is null or status = 'pending'),
  constraint address_deliveries_lease_is_whole check ((lease_until is null) = (lease_token is null))
);
create index address_deliveries_due on address_deliveries (next_attempt_at) where next_attempt_at is not null;
create index address_deliveries_of_address on address_deliveries (merchant_id, address_id, next_attempt_at) where next_attempt_at is not null;
create index address_deliveries_waiting on address_deliveries (merchant_id, address_id, created_at, sequence)
  where status = 'pending' and next_attempt_at is null;
create index address_deliveries_listed on address_deliveries (merchant_id, address_id, mode, created_at desc, event_id desc);
create index address_deliveries_failed on address_deliveries (merchant_id, address_id, created_at) where status = 'failed';
create index address_deliveries_leased on address_deliveries (lease_token) where lease_token is not null;
create index address_deliveries_age on address_deliveries (created_at) where status <> 'pending';

-- The further address to which an attempt was made; null: the first one.
alter table delivery_attempts add column address_id text;
