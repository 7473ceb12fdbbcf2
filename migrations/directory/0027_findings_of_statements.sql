-- The same as in a cell, for exceptions that belong to no merchant: 0 stands for that.
create table statement_findings (
  import_id    text   not null,
  merchant_id  bigint not null default 0 check (merchant_id = 0),
  exception_id text   not null,
  opened       boolean not null,
  seen         integer not null default 1 check (seen > 0),
  primary key (import_id, merchant_id, exception_id)
);
create index statement_findings_of on statement_findings (merchant_id, exception_id);
