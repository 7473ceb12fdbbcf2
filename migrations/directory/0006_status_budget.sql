-- How many questions a contract with an operator may still be asked (rails.md 4.2), shared by all processes. Unlogged: after a
-- crash the buckets start full, which is one question.
create unlogged table status_budgets (
  installation text primary key,
  tokens       double precision not null,
  filled_at    timestamptz not null,
  slowed_until timestamptz not null default '-infinity'
) with (fillfactor = 50);
