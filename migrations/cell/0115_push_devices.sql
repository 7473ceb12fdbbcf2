-- Phones and computers that show payments as they come. The person behind a device is read from the directory before each message: what it
-- may no longer see is not sent, and with its membership, or the session of a till, the device is forgotten.
create table push_devices (
  merchant_id     bigint not null references merchants,
  id              text not null check (id ~ '^psh_[a-z0-9]{21}$'),
  person_id       bigint not null,
  till            boolean not null,
  -- Of a till: with its session the device is forgotten.
  session_id      text,
  agent           text not null check (length(agent) <= 200),
  -- SHA-256 of the address at the push service: one browser is one device.
  address_hash    bytea not null check (length(address_hash) = 32),
  -- The origin of the push service, so that a slow one delays no other.
  origin          text not null check (length(origin) between 8 and 300),
  -- The address and the keys of the browser, sealed: whoever has them can write to the device.
  sealed          bytea not null,
  payments        boolean not null,
  failures        boolean not null,
  created_at      timestamptz not null,
  sent_at         timestamptz,
  -- What has not been sent yet: several events become one message.
  paid_count      int not null default 0,
  paid_sum        bigint not null default 0,
  failed_count    int not null default 0,
  payouts_failed  int not null default 0,
  last_event      text,
  due_at          timestamptz,
  lease_until     timestamptz,
  lease_token     text,
  -- Messages are counted by the minute.
  minute_ends     timestamptz,
  minute_count    int not null default 0,
  -- Attempts in a row that the push service did not take.
  misses          int not null default 0,
  primary key (merchant_id, id),
  constraint push_devices_one_a_browser unique (merchant_id, address_hash),
  constraint push_devices_till_has_session check (till = (session_id is not null)),
  constraint push_devices_hear_of_something check (payments or failures),
  constraint push_devices_counts_check check (least(paid_count, paid_sum, failed_count, payouts_failed, minute_count, misses) >= 0),
  constraint push_devices_lease_is_whole check ((lease_until is null) = (lease_token is null))
);
create index push_devices_due on push_devices (due_at) where due_at is not null;

-- Events that devices have been told of, for as long as they are looked for: an event counts once, whoever looks, and in whatever order
-- transactions commit.
create table push_told (
  merchant_id bigint not null references merchants,
  event_id    text not null,
  at          timestamptz not null,
  primary key (merchant_id, event_id)
);
create index push_told_latest on push_told (merchant_id, at);
create index push_told_old on push_told (at);
