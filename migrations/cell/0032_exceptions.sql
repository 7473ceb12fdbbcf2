-- Exceptions have an owner, are counted, say who resolved them, and do not open again on evidence that was resolved already
-- (rails.md 5).
alter table exceptions drop constraint exceptions_severity_check;
update exceptions set severity = 'major' where severity = 'warning';
update exceptions set kind = 'mismatch' where kind = 'rail_mismatch';
alter table exceptions
  add constraint exceptions_severity_check check (severity in ('critical', 'major')),
  add column owner        text,
  add column seen_count   integer not null default 1 check (seen_count > 0),
  add column last_seen_at timestamptz,
  add column digest       text not null default '',
  add column agreed_at    timestamptz,
  add column resolved_by  text,
  add constraint exceptions_resolved_by_somebody check (closed_at is not null or resolved_by is null);
update exceptions set resolved_by = 'command' where closed_at is not null;
