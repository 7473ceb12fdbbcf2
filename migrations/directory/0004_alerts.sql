-- What a person must hear of. One open row for each kind and subject while it lasts; closed ones stay as history.
create table alerts (
  id           bigint generated always as identity primary key,
  kind         text not null,
  subject      text not null,
  -- Who looks after it: a cell, or 'platform'. Each look closes what its own place no longer shows.
  place        text not null,
  says         text not null check (length(says) <= 2000),
  -- How bad it is, in the unit of its kind (movements, seconds, tables): it is told again when this has doubled.
  size         bigint not null check (size >= 0),
  since        timestamptz not null,
  opened_at    timestamptz not null,
  last_seen_at timestamptz not null,
  times        integer not null default 1,
  closed_at    timestamptz,
  -- What is still to be told, under a lease while somebody tells it.
  to_tell      text check (to_tell in ('opened', 'worse', 'closed')),
  telling      text,
  telling_until timestamptz,
  told_at      timestamptz,
  told_size    bigint,
  check (closed_at is null or closed_at >= opened_at),
  check ((telling is null) = (telling_until is null))
);
create unique index alerts_open_once on alerts (kind, subject) where closed_at is null;
create index alerts_to_tell on alerts (kind) where to_tell is not null;
create index alerts_told on alerts (kind, told_at) where told_at is not null;

-- The last test alert: `doctor` wants to know that somebody has read one.
create table alert_test (
  only_row     boolean primary key default true check (only_row),
  address_hash bytea not null check (length(address_hash) = 32),
  code_hash    bytea not null check (length(code_hash) = 32),
  sent_at      timestamptz not null,
  confirmed_at timestamptz
);
