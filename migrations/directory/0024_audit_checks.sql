-- When the chains of the audit were followed, and what was found. A check that never ended has no end: its process did not live to see it.
create table audit_checks (
  id       bigint generated always as identity primary key,
  place    text not null,
  asked_by text not null,
  begun_at timestamptz not null,
  ended_at timestamptz,
  -- The last seal that holds, and its hash: kept elsewhere, it proves later that the chain was not made anew.
  number   bigint check (number >= 0),
  hash     text check (hash ~ '^[0-9a-f]*$'),
  broken   text check (length(broken) <= 1000),
  check (ended_at >= begun_at),
  check ((ended_at is null) = (number is null))
);
create index audit_checks_of_place on audit_checks (place, begun_at);
