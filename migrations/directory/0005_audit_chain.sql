-- The same shape as the audit of a cell. What 1.3.0 wrote stays as it is, and it may still be running beside this version: its
-- rows come without the new columns, all from the command line, with what it had to say in `details`.
alter table audit
  alter column details drop not null,
  add column actor_kind text not null default 'command'
    check (actor_kind in ('key', 'person', 'operator', 'command', 'service', 'public')),
  add column origin     text not null default '',
  add column request_id text,
  add column mode       text check (mode in ('test', 'live')),
  add column subject    text,
  add column before     jsonb,
  add column after      jsonb;

create table audit_seals (
  number   bigint primary key check (number > 0),
  audit_id bigint not null unique,
  hash     bytea not null check (length(hash) = 32)
);
create table audit_to_seal (
  audit_id bigint primary key
);
insert into audit_to_seal (audit_id) select id from audit;

create function queue_for_seal() returns trigger language plpgsql set search_path from current as $$
begin
  insert into audit_to_seal (audit_id) select id from added;
  return null;
end $$;
create trigger audit_waits_for_seal after insert on audit referencing new table as added
  for each statement execute function queue_for_seal();
create trigger seals_never_change before update or delete on audit_seals for each row execute function refuse_change();
create trigger seals_never_empty before truncate on audit_seals for each statement execute function refuse_change();
