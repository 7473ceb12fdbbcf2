-- What /status is made of: for each day of Kampala how many live API answers, prompts and first webhooks there were, and how many of them were good.
-- Every process adds what it has counted once a minute. Nothing here names a merchant. Kept for 90 days.
create table service_days (
  day     date not null,
  kind    text not null check (kind in ('answers', 'prompts', 'webhooks')),
  -- The channel of prompts; empty otherwise.
  channel text not null check (channel ~ '^[a-z0-9_]{0,40}$'),
  good    bigint not null check (good >= 0),
  counted bigint not null,
  primary key (day, kind, channel),
  constraint service_days_good_is_counted check (counted >= good and counted > 0),
  constraint service_days_channel_of_prompts check ((kind = 'prompts') = (channel <> ''))
);
