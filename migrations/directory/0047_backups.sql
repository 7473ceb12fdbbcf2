-- What was backed up, and when somebody proved that it can be restored. Written by commands; the files themselves know more.
create table backup_runs (
  id             bigint generated always as identity primary key,
  kind           text not null check (kind in ('full', 'incremental', 'drill')),
  run_by         text not null,
  begun_at       timestamptz not null,
  ended_at       timestamptz not null check (ended_at >= begun_at),
  -- The name under which its place knows it. A drill names what it restored.
  label          text not null check (length(label) between 1 and 200),
  place          text not null check (length(place) between 1 and 1000),
  bytes          bigint check (bytes >= 0),
  database_bytes bigint check (database_bytes >= 0),
  -- Up to which place of the WAL it reaches by itself, and on which timeline; null where the tool does not say.
  stop_lsn       text check (stop_lsn ~ '^[0-9A-F]+/[0-9A-F]+$'),
  timeline       integer check (timeline > 0),
  constraint backup_runs_have_a_size check ((kind = 'drill') = (bytes is null))
);
create index backup_runs_newest on backup_runs (kind, ended_at);
