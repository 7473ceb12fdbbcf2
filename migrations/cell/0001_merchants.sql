create type mode as enum ('test', 'live');

create table merchants (
  id                     bigint primary key,
  public_id              text not null unique,
  tag                    text not null unique check (tag ~ '^[a-z0-9]{5}$'),
  handle                 text not null unique,
  name                   text not null check (length(name) between 1 and 200),
  email                  text not null,
  public_key_test        text not null unique,
  public_key_live        text not null unique,
  kyc_status             text not null default 'pending' check (kyc_status in ('pending', 'verified', 'rejected')),
  active                 boolean not null default true,
  vending_enabled        boolean not null default false,
  instant_settlement     boolean not null default false,
  charge_limit           bigint check (charge_limit > 0),
  payout_limit           bigint check (payout_limit > 0),
  webhook_url            text check (length(webhook_url) <= 2048),
  -- Set when the address changes, emptied once every waiting delivery has followed the change.
  webhook_changed_at     timestamptz,
  auto_refund_on_jam     text not null default 'off' check (auto_refund_on_jam in ('off', 'test', 'live', 'both')),
  -- The sandbox page: 24 h hold in test mode, and an offset that moves what is due there.
  test_hold              text not null default 'none' check (test_hold in ('none', 'realistic')),
  test_clock_offset_ms   bigint not null default 0 check (test_clock_offset_ms >= 0),
  fail_next_payouts      integer not null default 0 check (fail_next_payouts between 0 and 100),
  fail_next_reason       text check (fail_next_reason in ('insufficient_funds', 'user_cancelled', 'timeout', 'rail_rejected', 'recipient_not_found', 'wallet_locked')),
  created_at             timestamptz not null,
  check (fail_next_payouts = 0 or fail_next_reason is not null)
);

create index merchants_address_changed on merchants (webhook_changed_at) where webhook_changed_at is not null;

-- Secrets are AES-256-GCM with a key that is not in this database; merchant, purpose and column are bound to each.
create table merchant_secrets (
  merchant_id bigint not null references merchants,
  purpose     text not null check (purpose in ('webhook', 'webhook_previous')),
  ciphertext  bytea not null,
  expires_at  timestamptz,
  created_at  timestamptz not null,
  primary key (merchant_id, purpose),
  check ((purpose = 'webhook_previous') = (expires_at is not null))
);

create table api_keys (
  merchant_id bigint not null references merchants,
  id          text not null,
  kind        text not null check (kind in ('test', 'live', 'test_collections', 'live_collections')),
  last4       text not null,
  ciphertext  bytea not null,
  created_at  timestamptz not null,
  revoked_at  timestamptz,
  primary key (merchant_id, id)
);

create table idempotency_keys (
  merchant_id bigint not null,
  mode        mode not null,
  key         text not null check (length(key) between 1 and 255),
  fingerprint bytea not null check (length(fingerprint) = 32),
  object_id   text,
  status      smallint check (status not in (401, 403, 413, 429, 500, 502, 503)),
  body        text,
  created_at  timestamptz not null,
  primary key (merchant_id, mode, key),
  constraint answered_whole check ((status is null) = (body is null))
);
create index idempotency_keys_running on idempotency_keys (created_at) where status is null;
create index idempotency_keys_age on idempotency_keys using brin (created_at);

-- Exact sliding windows of the money POSTs: when each accepted request of the last minute came, in ms. They travel in the
-- batch of the write. Unlogged: after a crash of the database the windows start empty, which is allowed and costs nothing.
create unlogged table rate_windows (
  merchant_id bigint not null,
  mode        mode not null,
  what        text not null,
  accepted_ms bigint[] not null,
  primary key (merchant_id, mode, what)
) with (fillfactor = 50);

-- What each process counts in the windows it keeps in memory (reads, the total), told to the others once a second.
create unlogged table rate_counts (
  process     text not null,
  merchant_id bigint not null,
  mode        mode not null,
  what        text not null,
  count       integer not null,
  counted_at  timestamptz not null,
  primary key (process, merchant_id, mode, what)
) with (fillfactor = 50);
