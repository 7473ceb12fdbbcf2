-- People without a login who hear of live payments by mail. Nothing is sent before an address has agreed, and every mail has the way out.
create table notices (
  merchant_id    bigint not null references merchants,
  id             text not null check (id ~ '^ntc_[a-z0-9]{21}$'),
  email          text not null check (length(email) between 3 and 254),
  -- Payments of at least so much, whole UGX; null: none.
  payments_above bigint check (payments_above >= 0),
  failures       boolean not null,
  daily_close    boolean not null,
  confirmed_at   timestamptz,
  stopped_at     timestamptz,
  -- What happened until then has been told.
  told_until     timestamptz not null,
  created_at     timestamptz not null,
  primary key (merchant_id, id),
  constraint hears_of_something check (payments_above is not null or failures or daily_close)
);
create unique index notices_one_an_address on notices (merchant_id, lower(email)) where stopped_at is null;
create index notices_due on notices (told_until) where confirmed_at is not null and stopped_at is null and (payments_above is not null or failures);

-- A day's close is sent once.
create table daily_closes (
  merchant_id bigint not null references merchants,
  day         date not null,
  sent_at     timestamptz not null,
  primary key (merchant_id, day)
);
