-- What a merchant's charges of one day in Kampala came to, by the day on which they were made. Counted anew by a background task while the
-- day may still change, so that the first page of the dashboard adds up thirty rows instead of a month of charges.
create table day_tallies (
  merchant_id        bigint not null,
  mode               mode not null,
  day                date not null,
  succeeded          int not null,
  failed             int not null,
  -- Of what succeeded, refunded charges included. Whole UGX.
  volume             bigint not null,
  fees               bigint not null,
  insufficient_funds int not null,
  user_cancelled     int not null,
  timeout            int not null,
  rail_rejected      int not null,
  counted_at         timestamptz not null,
  primary key (merchant_id, mode, day),
  constraint nothing_is_below_zero check (succeeded >= 0 and failed >= 0 and volume >= 0 and fees >= 0 and volume >= fees),
  constraint every_failure_has_a_reason check (insufficient_funds + user_cancelled + timeout + rail_rejected = failed)
);

-- When the days of a merchant were counted last.
create table tally_marks (
  merchant_id bigint not null,
  mode        mode not null,
  counted_at  timestamptz not null,
  primary key (merchant_id, mode)
) with (fillfactor = 70);
