-- What reconciliation has looked at (rails.md 5.1): attempts that have ended are asked about once more, and the operator's own
-- list of what it moved.
alter table rail_attempts
  add column reviewed_at         timestamptz,
  add column review_asked_at     timestamptz,
  add column review_not_found    integer not null default 0 check (review_not_found >= 0),
  add column review_not_found_at timestamptz;
create index rail_attempts_to_review on rail_attempts (installation, created_at)
  where reviewed_at is null and state in ('ended', 'void');

create table rail_statement_lines (
  digest              bytea primary key check (length(digest) = 32),
  rail_transaction_id text,
  external_id         text,
  type                text not null check (type in ('collect', 'disburse', 'charge', 'other')),
  amount              bigint not null,
  fee                 bigint not null default 0,
  tax                 bigint not null default 0,
  currency            text not null,
  at                  timestamptz not null,
  status              text not null,
  imported_at         timestamptz not null
);
create index rail_statement_lines_of on rail_statement_lines (external_id) where external_id is not null;
create index rail_statement_lines_at on rail_statement_lines (at);
