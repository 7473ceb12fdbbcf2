alter table sessions
  -- It began with the sign-up: its first page shows the test key.
  add column signed_up boolean not null default false,
  -- The cookie before the last step-up, for requests that were under way.
  add column previous_hash bytea unique check (length(previous_hash) = 32),
  add column previous_until timestamptz;
