-- What each imported statement covers, as proof that the operator never had a movement (rails.md 5.4): the contract that it is of
-- (null when nobody said), the kinds of lines in it and its period.
create table rail_statements (
  id           bigint generated always as identity primary key,
  installation text,
  sides        text[]      not null,
  from_at      timestamptz not null,
  to_at        timestamptz not null check (to_at >= from_at),
  imported_at  timestamptz not null
);
create index rail_statements_of on rail_statements (installation, from_at);

-- The statement is the operator's own answer: it ends such a movement.
alter table rail_evidence drop constraint rail_evidence_operation_check;
alter table rail_evidence add constraint rail_evidence_operation_check
  check (operation in ('ready', 'submit', 'status', 'confirm', 'callback', 'statement'));
