-- What a step of a form has found where it is too much for the address of the next page: sealed, for one session, an hour.
create table form_steps (
  token_hash bytea       primary key check (length(token_hash) = 32),
  session_id text        not null,
  sealed     bytea       not null check (length(sealed) <= 1048576),
  kept_at    timestamptz not null
);
create index form_steps_of_session on form_steps (session_id, kept_at);
create index form_steps_old on form_steps (kept_at);
