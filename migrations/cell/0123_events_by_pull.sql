-- The transaction that has written an event. The database fills it in, whichever release writes; events of before this migration have none
-- and get no number.
alter table events add column written_in xid8;
alter table events alter column written_in set default pg_current_xact_id();
create index events_written on events (written_in) where written_in is not null;

-- The numbers of events: for each merchant and mode from 1 without a gap, given after the commit, in an order in which an event that follows
-- from another has the higher number.
create table event_seals (
  merchant_id bigint not null,
  mode        mode not null,
  sequence    bigint not null check (sequence > 0),
  event_id    text not null,
  event       text not null,
  sealed_at   timestamptz not null,
  primary key (merchant_id, mode, sequence)
);
create unique index event_seals_once on event_seals (event_id, merchant_id);
create trigger event_seals_never_change before update or delete on event_seals for each row execute function refuse_change();
create trigger event_seals_never_empty before truncate on event_seals for each statement execute function refuse_change();

-- How far events have numbers: all of the transactions that had ended in this snapshot of this server.
create table event_seal_mark (
  one       boolean primary key default true check (one),
  server    text not null,
  snapshot  pg_snapshot not null,
  marked_at timestamptz not null
);
-- The first command above has waited for all transactions that have written events. On a node of a cluster this is another server, and the time
-- of the newest row of the audit says from where to look there.
insert into event_seal_mark (server, snapshot, marked_at)
  select system_identifier::text, pg_current_snapshot(), coalesce((select at from audit order by id desc limit 1), 'epoch') from pg_control_system();
