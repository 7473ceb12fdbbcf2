-- How many requests a minute an operator grants a merchant, by the name of the limit; what is absent is as the settings say.
alter table merchants add column rate_limits jsonb not null default '{}'
  constraint merchants_rate_limits_are_counts check (jsonb_typeof(rate_limits) = 'object'
    and not jsonb_path_exists(rate_limits, '$.* ? (@.type() != "number" || @ < 1 || @ > 1000000 || @.floor() != @)'));
-- Every process reads them all when something has changed.
create index merchants_with_own_rates on merchants (id) where rate_limits <> '{}';
