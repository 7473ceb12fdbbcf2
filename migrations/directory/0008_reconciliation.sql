-- The operator's balances (rails.md 5.1, leg 3): what staff recorded, what was read last, and breaks that are no merchant's.
create table float_records (
  id           bigint generated always as identity primary key,
  installation text not null,
  side         text not null check (side in ('collect', 'disburse')),
  kind         text not null check (kind in ('opening', 'sweep', 'charge')),
  amount       bigint not null check (amount >= 0),
  note         text not null,
  recorded_by  text not null,
  recorded_at  timestamptz not null
);
create index float_records_of on float_records (installation, side, recorded_at);

create table float_readings (
  installation text not null,
  side         text not null check (side in ('collect', 'disburse')),
  operator     bigint not null,
  currency     text not null,
  low          boolean not null,
  outside      integer not null default 0 check (outside >= 0),
  read_at      timestamptz not null,
  primary key (installation, side)
);

create table platform_exceptions (
  id           text primary key,
  kind         text not null,
  severity     text not null check (severity in ('critical', 'major')),
  subject      text not null,
  details      jsonb not null,
  owner        text,
  seen_count   integer not null default 1 check (seen_count > 0),
  opened_at    timestamptz not null,
  last_seen_at timestamptz not null,
  agreed_at    timestamptz,
  closed_at    timestamptz,
  note         text,
  resolved_by  text,
  check ((closed_at is null) = (note is null))
);
create unique index platform_exceptions_open_once on platform_exceptions (kind, subject) where closed_at is null;
