-- Filters of a list that a person of the merchant has given a name. The place is what bounds them.
create table saved_views (
  merchant_id bigint   not null,
  person_id   bigint   not null,
  mode        mode     not null,
  list        text     not null check (length(list) between 1 and 20),
  place       smallint not null check (place between 1 and 20),
  name        text     not null check (length(name) between 1 and 60),
  query       text     not null check (length(query) between 1 and 2000),
  saved_at    timestamptz not null,
  primary key (merchant_id, person_id, mode, list, place),
  unique (merchant_id, person_id, mode, list, name)
);

-- What one object's page tells: the acts of people on it, and the reports of its customer.
create index audit_of_subject on audit (merchant_id, subject, id) where subject is not null;
create index disputes_of_charge on disputes (merchant_id, charge_id);
