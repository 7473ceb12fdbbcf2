-- What a rail had to tell a person: one row for each thing that it says, with how often it was said since the trouble began.
create table rail_troubles (
  installation text not null,
  side         text not null check (side in ('collect', 'disburse')),
  kind         text not null check (kind in ('breaker', 'refused', 'float', 'unknown-word')),
  says         text not null check (length(says) <= 300),
  first_at     timestamptz not null,
  last_at      timestamptz not null,
  count        bigint not null check (count > 0),
  primary key (installation, side, kind, says),
  check (last_at >= first_at)
);
