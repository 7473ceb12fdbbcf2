-- How an exception was resolved: one of a closed set. Null for what the next looks agreed on, and for what was closed before this.
alter table exceptions
  add column resolution text constraint known_resolution
    check (resolution in ('adjusted', 'refunded_outside', 'operator_corrected', 'no_difference', 'ended_lost')),
  add constraint resolved_is_closed check (resolution is null or closed_at is not null);

-- For the lists of operators, over all merchants.
create index exceptions_listed      on exceptions (opened_at, id);
create index exceptions_listed_open on exceptions (opened_at, id) where closed_at is null;

-- What operators note about an exception, and who took it: one after the other, for good.
create table exception_notes (
  merchant_id  bigint not null,
  exception_id text   not null,
  number       bigint generated always as identity,
  at           timestamptz not null,
  by           text   not null,
  kind         text   not null check (kind in ('note', 'taken', 'asked')),
  text         text   not null check (length(text) between 1 and 2000),
  primary key (merchant_id, exception_id, number)
);
create trigger exception_notes_never_change before update or delete on exception_notes for each row execute function refuse_change();
create trigger exception_notes_never_empty before truncate on exception_notes for each statement execute function refuse_change();

-- A line of a statement by the operator's own number.
create index rail_statement_lines_numbered on rail_statement_lines (rail_transaction_id) where rail_transaction_id is not null;
