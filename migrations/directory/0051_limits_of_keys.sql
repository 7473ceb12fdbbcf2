-- The limit of a key for a day, as its cell has it (key_limits): who may go without the rows of the cell is seen where the key is found.
alter table api_keys add column daily_limit bigint;
alter table api_keys add constraint api_keys_daily_limit_check check (daily_limit >= 0);
