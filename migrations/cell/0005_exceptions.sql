-- Breaks between what we hold and what others say; a person or an agreement closes them.
create table exceptions (
  merchant_id bigint not null references merchants,
  id          text   not null,
  mode        mode   not null,
  kind        text   not null,
  severity    text   not null check (severity in ('critical', 'warning')),
  subject     text   not null,
  details     jsonb  not null,
  opened_at   timestamptz not null,
  closed_at   timestamptz,
  note        text,
  primary key (merchant_id, id),
  check ((closed_at is null) = (note is null))
);
create unique index exceptions_open_once on exceptions (merchant_id, subject, kind) where closed_at is null;
