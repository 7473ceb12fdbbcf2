-- Each comparison with the operator, with what its legs found (rails.md 5): by the hour and cell, asked for by somebody, or of a statement.
create table reconciliation_log (
  id       text primary key,
  kind     text not null check (kind in ('hourly', 'asked', 'statement')),
  -- The cell, or `all`.
  place    text not null,
  asked_by text,
  asked_at timestamptz not null,
  begun_at timestamptz,
  ended_at timestamptz,
  -- The name of a statement's file.
  file     text check (length(file) <= 255),
  legs     jsonb,
  constraint ended_has_legs check ((ended_at is null) = (legs is null))
);
create index reconciliation_log_listed on reconciliation_log (asked_at, id);
create unique index reconciliation_asked_once on reconciliation_log (kind) where kind = 'asked' and ended_at is null;

-- Statements that somebody has uploaded and looked at. The bytes are dropped once they are imported, or after a week.
create table statement_files (
  id           text primary key,
  name         text  not null check (length(name) between 1 and 255),
  bytes        bytea check (length(bytes) <= 10485760),
  digest       bytea not null check (length(digest) = 32),
  installation text,
  made_by      text  not null,
  made_at      timestamptz not null,
  -- What the dry run found.
  looked       jsonb not null,
  imported_at  timestamptz,
  imported_by  text,
  constraint imported_by_somebody check ((imported_at is null) = (imported_by is null)),
  constraint imported_is_dropped  check (imported_at is null or bytes is null)
);
create index statement_files_listed on statement_files (made_at, id);
create index statement_files_kept   on statement_files (made_at) where bytes is not null;
