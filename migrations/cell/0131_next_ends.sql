-- How the next test payments to or from a phone end, as the tests of the merchant have asked. Each row counts down, goes when it is used up, and
-- counts for a day at most.
create table next_ends (
  merchant_id   bigint not null,
  id            text not null,
  side          text not null check (side in ('collect', 'disburse')),
  phone9        text not null check (phone9 ~ '^[0-9]{9}$'),
  remaining     integer not null check (remaining between 1 and 100),
  outcome       text check (outcome ~ '^[a-z_]{1,40}$'),
  after_seconds integer check (after_seconds between 0 and 86400),
  expires_at    timestamptz not null,
  constraint next_ends_pkey primary key (merchant_id, id),
  constraint next_ends_say_something check (outcome is not null or after_seconds is not null)
);

-- What a test payment took from such a row: the sandbox decides it so. `outcome` is `succeeded` or the reason of a failure; null leaves it to the number.
create table chosen_ends (
  merchant_id   bigint not null,
  subject       text not null,
  outcome       text check (outcome ~ '^[a-z_]{1,40}$'),
  after_seconds integer check (after_seconds between 0 and 86400),
  chosen_at     timestamptz not null,
  constraint chosen_ends_pkey primary key (merchant_id, subject)
);
create index chosen_ends_age on chosen_ends (chosen_at);

-- Until when rows of next_ends may count. Payments of a merchant look for them only while this is ahead.
alter table merchants add column next_ends_until timestamptz;
