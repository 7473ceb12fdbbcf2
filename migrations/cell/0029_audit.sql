-- Who did what, in the commit of the act. Insert only, and masked before it is stored.
create table audit (
  id          bigint generated always as identity primary key,
  at          timestamptz not null,
  actor_kind  text not null check (actor_kind in ('key', 'person', 'operator', 'command', 'service', 'public')),
  actor       text not null,
  -- The client's address, or the system account of a command.
  origin      text not null,
  request_id  text,
  action      text not null,
  merchant_id bigint,
  mode        text check (mode in ('test', 'live')),
  subject     text,
  before      jsonb,
  after       jsonb
);
create index audit_of_merchant on audit (merchant_id, id) where merchant_id is not null;

-- The chain over the rows, in the order in which they were sealed: SHA-256 of the hash before and the text of the row.
create table audit_seals (
  number   bigint primary key check (number > 0),
  audit_id bigint not null unique,
  hash     bytea not null check (length(hash) = 32)
);

-- Rows that no seal holds yet. A row is queued by its own commit: one with a lower id that commits later is sealed later.
create table audit_to_seal (
  audit_id bigint primary key
);

create function queue_for_seal() returns trigger language plpgsql set search_path from current as $$
begin
  insert into audit_to_seal (audit_id) select id from added;
  return null;
end $$;
create trigger audit_waits_for_seal after insert on audit referencing new table as added
  for each statement execute function queue_for_seal();

create trigger audit_never_changes before update or delete on audit for each row execute function refuse_change();
create trigger audit_never_empty before truncate on audit for each statement execute function refuse_change();
create trigger seals_never_change before update or delete on audit_seals for each row execute function refuse_change();
create trigger seals_never_empty before truncate on audit_seals for each statement execute function refuse_change();
