-- The lines of an operator's statement while it is compared: they count for nothing yet. What a crash leaves here is forgotten, by the server
-- after its own, by the task `prune` after that of a process.
create unlogged table rail_statement_staged (
  run                 text    not null,
  line                integer not null,
  staged_at           timestamptz not null,
  digest              bytea   not null check (length(digest) = 32),
  rail_transaction_id text,
  external_id         text,
  type                text    not null,
  amount              bigint  not null,
  fee                 bigint  not null,
  tax                 bigint  not null,
  currency            text    not null,
  at                  timestamptz not null,
  status              text    not null,
  -- The movement that it names or has the number of, and the merchant whose tag stands in it.
  movement            text,
  merchant_id         bigint,
  primary key (run, line)
);
create index rail_statement_staged_about on rail_statement_staged (run, movement) where movement is not null;

-- Which imports a line came in, so that one of them can be taken back. Null: before this was kept.
alter table rail_statement_lines add column imports text[];
alter table rail_statements add column import_id text;
create unique index rail_statements_of_import on rail_statements (import_id) where import_id is not null;
-- Some lists write our ids in capitals.
create index rail_statement_lines_about on rail_statement_lines (lower(external_id));

-- What a contract was asked to move in an interval: what a statement of that time must have.
create index rail_attempts_sent on rail_attempts (installation, side, first_sent_at, id) where first_sent_at is not null;
-- A number with zeros in front is found by its value; hardly any has them.
create index charges_of_padded_number on charges (ltrim(rail_transaction_id, '0')) where mode = 'live' and rail_transaction_id like '0%';
create index payouts_of_padded_number on payouts (ltrim(rail_transaction_id, '0')) where mode = 'live' and rail_transaction_id like '0%';
create index top_ups_of_padded_number on top_ups (ltrim(rail_transaction_id, '0')) where rail_transaction_id like '0%';

-- Which exceptions an import has found, and which of them it opened.
create table statement_findings (
  import_id    text   not null,
  merchant_id  bigint not null,
  exception_id text   not null,
  opened       boolean not null,
  seen         integer not null default 1 check (seen > 0),
  primary key (import_id, merchant_id, exception_id)
);
create index statement_findings_of on statement_findings (merchant_id, exception_id);
