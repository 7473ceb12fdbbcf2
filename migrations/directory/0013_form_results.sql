-- What a one-time form of a signed-in person has led to, so that the same form sent again leads there too (reliability.md A64).
create table form_results (
  token_hash bytea primary key check (length(token_hash) = 32),
  -- Of what was typed: where it is not known whether the form took effect, only the very same may be sent again.
  typed bytea not null check (length(typed) = 32),
  sent_at timestamptz not null,
  location text check (length(location) <= 2000),
  said text check (length(said) <= 2000)
);
create index form_results_old on form_results (sent_at);
